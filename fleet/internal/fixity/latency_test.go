package fixity

import (
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// BenchmarkLatency reads 10,000 objects of 16 KiB over S3 with 20 ms of latency
// by 64 readers. Its figure "ideal" is the part that it reaches of readers ÷
// latency objects a second.
func BenchmarkLatency(b *testing.B) {
	const objects, readers, latency = 10_000, 64, 20 * time.Millisecond
	s := storetest.New(b)
	s.Put("k", storetest.Bytes(1, 16<<10))
	s.Faults(func(string, int) storetest.Fault { return storetest.Fault{Latency: latency} })
	c := newChecker(b, s, nil)
	c.Readers = readers
	entries := make([]list.Entry, objects)
	for i := range entries {
		entries[i].Name = s.Name("k")
	}
	for b.Loop() {
		check(b, c, entries...)
	}
	perSecond := float64(objects*b.N) / b.Elapsed().Seconds()
	b.ReportMetric(perSecond, "objects/s")
	b.ReportMetric(perSecond/(readers/latency.Seconds()), "ideal")
}
