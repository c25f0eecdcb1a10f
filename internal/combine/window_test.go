package combine

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// TestSolo tests what a goroutine hashes alone once no other has come, and that
// it hashes nothing alone once one has.
func TestSolo(t *testing.T) {
	s := NewShard(1)
	for _, tt := range []struct {
		queued   bool
		wantSolo int64 // in SoloUnits
	}{{false, 1}, {false, 3}, {false, 7}, {true, 0}, {false, 1}} {
		b, _ := batchOf()
		if tt.queued {
			r, _ := requestOf(make([]byte, block.Size))
			s.push(r)
		}
		s.openWindow(b)
		if tt.queued {
			s.pop()
		}
		if got := s.soloLeft.Load(); got != tt.wantSolo*SoloUnit {
			t.Errorf("%d bytes may be hashed alone, want %d", got, tt.wantSolo*SoloUnit)
		}
	}
	s = NewShard(1)
	for range 10 { // windows in vain
		b, _ := batchOf()
		s.openWindow(b)
	}
	if got := s.soloLeft.Load(); got != maxMisses*SoloUnit {
		t.Errorf("in the end %d bytes may be hashed alone, want %d", got, maxMisses*SoloUnit)
	}
	if s.soloLeft.Store(0); s.Solo(0) || s.Solo(1) {
		t.Error("a writer hashes alone when nothing is left")
	}
	s.soloLeft.Store(1000)
	if s.Solo(maxSolo+1) || !s.Solo(999) || !s.Solo(maxSolo) || s.Solo(1) {
		t.Error("a writer hashes not all of 1000 bytes alone, or more than one write beyond")
	}
}

// TestYieldsThatDoNotPay tells a shard of yields one after the other, each as
// soon as it may be, and looks when combiners may yield again.
func TestYieldsThatDoNotPay(t *testing.T) {
	const ms = time.Millisecond
	type yield struct {
		took  time.Duration
		came  int
		pause time.Duration
	}
	for _, tt := range []struct {
		name   string
		yields []yield
	}{
		{"quick", []yield{{slowYield, 0, 0}, {slowYield, 1, 0}}},
		{"a little slower", []yield{{slowYield + noYieldFirst, 1, slowYield/noYieldFirst + 1}}},
		{"slow, and many came", []yield{{10 * slowYield, 10, 0}}},
		{"slow, and not quite so many came", []yield{{10 * slowYield, 9, 10 * slowYield / noYieldFirst}}},
		{"slow", []yield{{2 * slowYield, 1, slowYield / 8}, {2 * slowYield, 0, slowYield / 4}}},
		{"the machine stalls once", []yield{{320 * ms, 0, 20 * ms}, {slowYield, 1, 0}}},
		{"one goroutine computes", []yield{{16 * ms, 0, ms}, {16 * ms, 0, 2 * ms}, {16 * ms, 0, 4 * ms}, {16 * ms, 0, 8 * ms}, {16 * ms, 0, 16 * ms}, {16 * ms, 0, 32 * ms}, {16 * ms, 0, 64 * ms}, {16 * ms, 0, 64 * ms}}},
		{"and stops", []yield{{16 * ms, 0, ms}, {16 * ms, 0, 2 * ms}, {slowYield, 1, 0}, {16 * ms, 0, ms}}},
	} {
		s := NewShard(1)
		now := time.Second
		for i, y := range tt.yields {
			after := now + y.took
			s.yielded(now, after, y.came)
			if now = after + y.pause; !s.mayYield(now) || y.pause > 0 && s.mayYield(now-1) {
				t.Errorf("%s: combiners do not yield again %v after yield %d, or before", tt.name, y.pause, i)
			}
		}
	}
}

// TestCombinersMeetAStall has several combiners yield when the machine stalls: it is
// one yield that did not pay, not many in a row.
func TestCombinersMeetAStall(t *testing.T) {
	const now, stall = time.Second, 320 * time.Millisecond
	const once, twice = stall / noYieldFirst, 2 * stall / noYieldFirst
	s := NewShard(1)
	for i := range time.Duration(8) {
		s.yielded(now+i, now+stall+i, 0)
	}
	if !s.mayYield(now + stall + 8 + once) {
		t.Error("combiners do not yield for longer than after one yield")
	}
	const end = now + stall // of the first yield
	for _, tt := range []struct {
		name          string
		before, after time.Duration
		want          time.Duration
	}{
		{"a yield that ended at the same time", now, end, once},
		{"a yield that ended just before", now - 1, end - 1, twice},
		{"a yield that began just before the end", end - 1, end - 1 + stall, once},
		{"a yield that began at the end", end, end + stall, twice},
	} {
		s := NewShard(1)
		s.yielded(now, end, 0)
		s.yielded(tt.before, tt.after, 0)
		if got := time.Duration(s.noYieldFor.Load()); got != tt.want {
			t.Errorf("%s: combiners do not yield for %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestWants has a batch with some room meet a queue.
func TestWants(t *testing.T) {
	b, _ := batchOf()
	if b.Room() == 0 {
		t.Skip("a batch of one lane has no room")
	}
	for _, tt := range []struct {
		queued int
		want   bool
	}{{0, b.Room() > 0}, {b.Room() - 1, b.Room() > 0}, {b.Room(), false}, {b.Room() + 1, false}} {
		s := NewShard(1)
		s.waiting.Store(int32(tt.queued))
		if got := s.wants(b); got != tt.want {
			t.Errorf("with room for %d, a combiner wants more than %d requests: %v", b.Room(), tt.queued, got)
		}
	}
}

// TestYieldLetsOthersRun has a goroutine wait for the only P. A yield lets it
// run, but not when yields have shown not to pay.
func TestYieldLetsOthersRun(t *testing.T) {
	if randomYields {
		t.Skip("goroutines yield at random")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ran := func(noYieldFor time.Duration) bool {
		s := NewShard(1)
		s.slowAt.Store(int64(time.Since(s.start)))
		s.noYieldFor.Store(int64(noYieldFor))
		var ran atomic.Bool
		go ran.Store(true)
		for range yields { // one may return too early
			s.yield()
		}
		return ran.Load()
	}
	if !ran(0) {
		t.Error("nobody else ran")
	}
	for range 10 { // the scheduler may have taken the P away
		if !ran(time.Hour) {
			return
		}
	}
	t.Error("others ran that should not")
}

// TestYieldsOutsideOfBubbles makes a shard in a bubble of testing/synctest,
// whose clock stands still in the year 2000, and uses it outside, and the other
// way round.
func TestYieldsOutsideOfBubbles(t *testing.T) {
	var inside *Shard
	outside := NewShard(1)
	const slow = 10 * time.Millisecond
	uses := func(t *testing.T, s *Shard) {
		t.Helper()
		now := time.Since(s.start)
		if !s.mayYield(now) {
			t.Error("combiners do not yield")
		}
		if s.yielded(now-slow, now, 0); s.mayYield(now + slow/noYieldFirst - 1) {
			t.Error("combiners yield right after a yield that did not pay")
		}
	}
	synctest.Test(t, func(t *testing.T) {
		inside = NewShard(1)
		uses(t, inside)
		uses(t, outside)
	})
	uses(t, inside)
	uses(t, outside)
	synctest.Test(t, func(t *testing.T) { uses(t, inside) })
}
