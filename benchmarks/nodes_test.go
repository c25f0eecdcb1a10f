package benchmarks

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/prysmaticlabs/gohashtree"

	"github.com/sha256-simd/sha256-simd/hashtree"
	"github.com/sha256-simd/sha256-simd/internal/block"
)

// BenchmarkNodes hashes n nodes of a Merkle tree, 64 bytes each: by this
// library as it is used, by each of its kernels, and by its peers.
func BenchmarkNodes(b *testing.B) {
	const most = 1 << 16
	digests, chunks := make([]byte, 32*most), make([]byte, 64*most)
	type impl struct {
		name  string
		lanes int
		hash  func(digests, chunks []byte)
	}
	impls := []impl{
		{"hashtree", 1, func(digests, chunks []byte) { hashtree.HashByteSlice(digests, chunks) }},
		{"gohashtree", 1, func(digests, chunks []byte) { gohashtree.HashByteSlice(digests, chunks) }},
		{"crypto", 1, func(digests, chunks []byte) {
			for i := 0; i < len(chunks); i += 64 {
				*(*[32]byte)(digests[i/2:]) = sha256.Sum256(chunks[i : i+64])
			}
		}},
	}
	for _, k := range block.NodeKernels() {
		if k.Supported {
			impls = append(impls, impl{k.Name, k.Lanes, k.Hash})
		}
	}
	for _, i := range impls {
		for _, n := range []int{1, 2, 3, 4, 8, 12, 16, 24, 32, 33, 48, 100, 1024, most} {
			if n%i.lanes != 0 {
				continue
			}
			b.Run(fmt.Sprintf("impl=%s/n=%d", i.name, n), func(b *testing.B) {
				d, c := digests[:32*n], chunks[:64*n]
				b.SetBytes(int64(len(c)))
				for b.Loop() {
					i.hash(d, c)
				}
				if i.name != "gohashtree" {
					ratio := Ratio(func() { i.hash(d, c) }, func() { gohashtree.HashByteSlice(d, c) })
					b.ReportMetric(ratio, "×gohashtree")
				}
			})
		}
	}
}

// BenchmarkRoot computes the root of a tree of n leaves.
func BenchmarkRoot(b *testing.B) {
	for _, n := range []int{1, 100, 2048, 2049, 1 << 20} {
		leaves := make([][32]byte, n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.SetBytes(int64(32 * n))
			for b.Loop() {
				if _, err := hashtree.Root(leaves, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
