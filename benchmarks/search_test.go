package benchmarks

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/pow"
)

// BenchmarkSearch tries nonces after a prefix, as it is selected and with each
// search kernel alone: 22 bytes are what Krist has, 49 put all digits but the
// last into another block, and after 45 every nonce takes two blocks. Its peer
// is a loop of crypto/sha256.Sum256 over the same messages, not written out
// anew but for the last digits.
func BenchmarkSearch(b *testing.B) {
	impls := []string{"selected"}
	for _, k := range block.SearchKernels() {
		impls = append(impls, k.Name)
	}
	for _, impl := range append(impls, "generic") {
		for _, prefix := range []int{22, 0, 39, 45, 49, 50, 100} {
			b.Run(fmt.Sprintf("impl=%s/prefix=%d", impl, prefix), func(b *testing.B) {
				if impl != "selected" {
					restore, ok := block.Force(impl)
					if !ok {
						b.Skipf("this machine cannot run %s", impl)
					}
					defer restore()
				}
				const count = 1 << 16
				s := pow.Search{Prefix: make([]byte, prefix)}
				search := func(count uint64) {
					if _, err := s.Find(b.Context(), 0, 0, count); err != pow.ErrExhausted {
						b.Fatal(err)
					}
				}
				for b.Loop() {
					search(count)
				}
				b.ReportMetric(float64(b.N)*count/b.Elapsed().Seconds()/1e6, "Mnonces/s")
				b.ReportMetric(0, "ns/op")
				message := make([]byte, prefix+16)
				i := byte(0)
				ratio := Ratio(func() { search(count) }, func() {
					i++
					message[len(message)-1] = i
					sha256.Sum256(message)
				})
				b.ReportMetric(ratio*count, "×crypto")
			})
		}
	}
}
