package sha256_test

import (
	stdsha256 "crypto/sha256"
	"fmt"
	"hash"
	"math"
	"sync"
	"testing"
	"time"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/hashtest"
)

// BenchmarkServer has goroutines hash messages of a size in writes of a size,
// each from a buffer of its own, with the hashes of a Server and with those of
// crypto/sha256 in turn. It reports the best round of each, and the ratio of
// the two as x-std.
func BenchmarkServer(b *testing.B) {
	const kib, mib = 1 << 10, 1 << 20
	for _, bm := range []struct{ goroutines, size, write int }{
		{1, mib, 32 * kib},
		{4, mib, 32 * kib},
		{16, mib, 32 * kib},
		{64, mib, 32 * kib},
		{256, 64 * kib, 32 * kib},
		{256, mib, mib},
		{256, kib, kib},
		{1, mib, kib},
		{64, mib, kib},
		{64, mib, 4 * kib},
	} {
		b.Run(fmt.Sprintf("goroutines=%d/size=%s/write=%s", bm.goroutines, inK(bm.size), inK(bm.write)), func(b *testing.B) {
			const atLeast = 32 * mib // in a round
			messages := (atLeast + bm.goroutines*bm.size - 1) / (bm.goroutines * bm.size)
			source := hashtest.Data(bm.goroutines * bm.write)
			round := func(newHash hashtest.MakeHash) time.Duration {
				var wg sync.WaitGroup
				start := time.Now()
				for i := range bm.goroutines {
					wg.Go(func() {
						var sum [sha256.Size]byte
						for range messages {
							hashInPieces(newHash(), source[i*bm.write:][:bm.write], bm.size, sum[:0])
						}
					})
				}
				wg.Wait()
				return time.Since(start)
			}
			s := sha256.NewServer()
			defer s.Close()
			bytes := bm.goroutines * bm.size * messages
			b.SetBytes(int64(bytes))
			std, best := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for b.Loop() {
				best = min(best, round(s.New))
				b.StopTimer()
				std = min(std, round(stdsha256.New))
				b.StartTimer()
			}
			b.ReportMetric(float64(bytes)/float64(best), "best-GB/s")
			b.ReportMetric(float64(bytes)/float64(std), "std-GB/s")
			b.ReportMetric(float64(std)/float64(best), "x-std")
		})
	}
}

// hashInPieces writes size bytes, piece by piece the same, to h.
func hashInPieces(h hash.Hash, piece []byte, size int, sum []byte) {
	for n := 0; n < size; n += len(piece) {
		h.Write(piece)
	}
	h.Sum(sum)
}

// inK writes n in K or M.
func inK(n int) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%dM", n>>20)
	}
	return fmt.Sprintf("%dK", n>>10)
}
