package main

import (
	"bytes"
	"context"
	stdsha256 "crypto/sha256"
	"fmt"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/composite"
	"github.com/sha256-simd/sha256-simd/hashtree"
	"github.com/sha256-simd/sha256-simd/internal/block"
)

// trees is Merkle trees: levels of nodes of 64 bytes, and whole trees.
func trees() section {
	s := section{
		title: "Merkle trees",
		about: "`hashtree.Hash` of nodes of 64 bytes, and `hashtree.Root` of leaves of 32 bytes, beside gohashtree.",
	}
	base := "crypto"
	if gohashtreeHash != nil {
		base = "gohashtree"
	}
	for _, n := range []int{1, 2, 4, 8, 16, 32, 100, 1024, 1 << 16} {
		s.rows = append(s.rows, row{
			bench:   "Nodes",
			load:    fmt.Sprintf("n=%d", n),
			bytes:   64 * n,
			digests: n,
			base:    base,
			impls: func() []impl {
				chunks := make([][32]byte, 2*n)
				copy(bytesOf(chunks), random(64*n))
				impls := []impl{
					{name: "sha256-simd", run: func(dst [][32]byte) { must(hashtree.Hash(dst, chunks)) }},
					{name: "crypto", run: func(dst [][32]byte) { must(cryptoNodes(dst, chunks)) }},
				}
				if gohashtreeHash != nil {
					impls = append(impls, impl{name: "gohashtree", run: func(dst [][32]byte) { must(gohashtreeHash(dst, chunks)) }})
				}
				for _, k := range block.NodeKernels() {
					if k.Enabled && n%k.Lanes == 0 {
						impls = append(impls, impl{name: k.Name, run: func(dst [][32]byte) { k.Hash(bytesOf(dst), bytesOf(chunks)) }})
					}
				}
				return impls
			},
		})
	}
	for _, n := range []int{2048, 1 << 16} {
		s.rows = append(s.rows, row{
			bench:   "Root",
			load:    fmt.Sprintf("n=%d", n),
			bytes:   32 * n,
			digests: 1,
			base:    base,
			impls: func() []impl {
				leaves, level := make([][32]byte, n), make([][32]byte, n)
				copy(bytesOf(leaves), random(32*n))
				// byLevels hashes level after level in place, in a copy of the leaves.
				byLevels := func(hash func(digests, chunks [][32]byte) error) func(dst [][32]byte) {
					return func(dst [][32]byte) {
						copy(level, leaves)
						for l := n; l > 1; l /= 2 {
							must(hash(level, level[:l]))
						}
						dst[0] = level[0]
					}
				}
				impls := []impl{
					{name: "sha256-simd", run: func(dst [][32]byte) {
						root, err := hashtree.Root(leaves, 0)
						must(err)
						dst[0] = root
					}},
					{name: "crypto", run: byLevels(cryptoNodes)},
				}
				if gohashtreeHash != nil {
					impls = append(impls, impl{name: "gohashtree", run: byLevels(gohashtreeHash)})
				}
				return impls
			},
		})
	}
	return s
}

// cryptoNodes hashes nodes as a program without this library does.
func cryptoNodes(digests, chunks [][32]byte) error {
	nodes := bytesOf(chunks)
	for i := range len(chunks) / 2 {
		digests[i] = stdsha256.Sum256(nodes[64*i : 64*i+64])
	}
	return nil
}

func bytesOf(chunks [][32]byte) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(chunks))), 32*len(chunks))
}

// objects is one large object.
func objects() section {
	s := section{
		title: "One large object",
		about: "`composite.Sum` of an object in memory, beside one SHA-256 over the whole of it.",
	}
	for _, l := range []struct{ size, part int }{
		{16 << 20, 64 << 10},
		{16 << 20, 1 << 20},
		{256 << 20, 1 << 20},
		{256 << 20, 8 << 20},
	} {
		s.rows = append(s.rows, row{
			bench:   "Composite",
			load:    fmt.Sprintf("size=%s/part=%s", unit(l.size), unit(l.part)),
			bytes:   l.size,
			digests: 1,
			base:    "crypto",
			impls: func() []impl {
				object := random(l.size)
				return []impl{
					{name: "sha256-simd", other: true, run: func([][32]byte) {
						_, err := composite.Sum(context.Background(), bytes.NewReader(object), int64(l.size), int64(l.part))
						must(err)
					}},
					{name: "crypto", run: func(dst [][32]byte) { dst[0] = stdsha256.Sum256(object) }},
				}
			},
		})
	}
	return s
}

// A failure is what must panics with.
type failure struct{ error }

// must panics, which fails the row: nothing that is measured may fail.
func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}
