package benchmarks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/sha256-simd/sha256-simd/composite"
)

// BenchmarkComposite checksums one object in memory, beside one stream of
// crypto/sha256 over the same bytes.
func BenchmarkComposite(b *testing.B) {
	object := make([]byte, 256<<20)
	for i := range object {
		object[i] = byte(i >> 12)
	}
	for _, size := range []int{1 << 20, 16 << 20, len(object)} {
		for _, part := range []int{64 << 10, 1 << 20, 8 << 20} {
			if part > size {
				continue
			}
			o := object[:size]
			sum := func() {
				if _, err := composite.Sum(context.Background(), bytes.NewReader(o), int64(size), int64(part)); err != nil {
					b.Fatal(err)
				}
			}
			b.Run(fmt.Sprintf("impl=composite/size=%d/part=%d", size, part), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					sum()
				}
				// 16 MiB are enough of crypto/sha256: its speed is that of its chain.
				own := o[:min(size, 16<<20)]
				ratio := Ratio(sum, func() { sha256.Sum256(own) })
				b.ReportMetric(ratio*float64(size)/float64(len(own)), "×crypto")
			})
		}
	}
}
