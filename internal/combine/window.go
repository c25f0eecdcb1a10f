package combine

import (
	"runtime"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

const (
	// After a batching window that brought no request, the writers of a shard hash
	// SoloUnit bytes alone. After several such windows in a row, they hash up to maxMisses
	// times as many. The last write may go beyond that. A write of more than maxSolo bytes
	// is never hashed alone: a batching window costs it next to nothing.
	SoloUnit  = 32 << 10
	maxMisses = 63
	maxSolo   = 1 << 20

	// yields is how often a combiner yields, at most, before it begins. One yield lets
	// most other goroutines in, but at times the Go scheduler returns too early.
	yields = 3

	// A yield does not pay if it takes longer than slowYield for each request that came.
	// Then the whole machine stalled, or a goroutine that computes ran for a
	// time slice of the Go scheduler. After that, combiners do not yield for
	// 1/noYieldFirst of the time that the yield took. Each repetition doubles
	// the pause, up to noYieldFactor times the time of the yield.
	slowYield     = 100 * time.Microsecond
	noYieldFirst  = 16
	noYieldFactor = 4
)

// Solo reports whether a writer should hash the next n bytes alone, because the last
// batching window was in vain. It takes n from soloLeft, which may fall below zero.
func (s *Shard) Solo(n int) bool {
	return n <= maxSolo && s.soloLeft.Load() > 0 && s.soloLeft.Add(-int64(n)) > -int64(n)
}

// openWindow is the batching window: it yields until there are enough requests for b,
// at most `yields` times. The more windows in a row were in vain, the more bytes are
// hashed alone before the next window.
func (s *Shard) openWindow(b *lanes.Batch) {
	s.soloLeft.Store(0)
	for range yields {
		if s.wants(b) {
			s.yield()
		}
	}
	s.mu.Lock()
	if s.first != nil {
		s.misses = 0
	} else {
		s.misses = min(2*s.misses+1, maxMisses)
	}
	s.soloLeft.Store(int64(s.misses) * SoloUnit)
	s.mu.Unlock()
}

// wants reports whether b has more room than there are requests in the queue.
func (s *Shard) wants(b *lanes.Batch) bool { return int(s.waiting.Load()) < b.Room() }

// yield lets other goroutines run, so that they come with requests. It does nothing
// while yields do not pay.
func (s *Shard) yield() {
	before := time.Since(s.start)
	if !s.mayYield(before) {
		return
	}
	waited := s.waiting.Load()
	runtime.Gosched()
	s.yielded(before, time.Since(s.start), int(s.waiting.Load()-waited))
}

// mayYield reports whether combiners may yield now.
func (s *Shard) mayYield(now time.Duration) bool {
	since := now - time.Duration(s.slowAt.Load())
	return since < 0 || since >= time.Duration(s.noYieldFor.Load())
}

// yielded records a yield that began at before and ended at after, during which `came`
// requests arrived. A stall that several combiners meet at the same time counts as one slow
// yield.
func (s *Shard) yielded(before, after time.Duration, came int) {
	took := after - before
	if took <= slowYield*time.Duration(max(1, came)) {
		s.noYieldFor.Store(0)
		return
	}
	last, slowAt := time.Duration(s.noYieldFor.Load()), time.Duration(s.slowAt.Load())
	if last > 0 && before < slowAt && slowAt <= after {
		return
	}
	s.noYieldFor.Store(int64(min(max(took/noYieldFirst, 2*last), took*noYieldFactor)))
	s.slowAt.Store(int64(after))
}
