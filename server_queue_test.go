package sha256

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// TestShortRequestsDoNotWaitForLongOnes has a goroutine lead with a request of
// one length and another one join it with a request of another. Whichever is the
// leader's, the short one is over long before the other. What else runs on the
// machine can spoil that now and then.
func TestShortRequestsDoNotWaitForLongOnes(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("goroutines take turns")
	}
	const long, short = 32 << 20, 1 << 20
	data := make([]byte, long)
	for _, tt := range []struct {
		name           string
		leader, joiner int
	}{
		{"a short request joins a long one", long, short},
		{"a long request joins a short one", short, long},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 10 {
				s := newShard(1)
				if !s.meets() {
					t.Skip("nothing is hashed side by side")
				}
				s.maxLeaders, s.lookup = 1, math.MaxInt
				var over sync.Map // by length
				do := func(n int) {
					r, state := newRequest(), block.IV256
					r.lane.State, r.lane.First = &state, data[:n]
					s.do(r)
					over.Store(n, time.Now())
				}
				var wg sync.WaitGroup
				wg.Go(func() { do(tt.leader) })
				if !awaitLeader(s, func() bool { _, ok := over.Load(tt.leader); return ok }) {
					continue
				}
				do(tt.joiner)
				wg.Wait()
				shortOver, _ := over.Load(short)
				longOver, _ := over.Load(long)
				if longOver.(time.Time).Sub(shortOver.(time.Time)) > 5*time.Millisecond {
					return
				}
			}
			t.Error("the short request was over as late as the long one")
		})
	}
}

// awaitLeader waits until s has a leader. It reports false if all is over before
// one was seen.
func awaitLeader(s *shard, over func() bool) bool {
	for !over() {
		s.mu.Lock()
		leaders := s.leaders
		s.mu.Unlock()
		if leaders > 0 {
			return true
		}
		runtime.Gosched()
	}
	return false
}

// TestLeadersFollowGOMAXPROCS changes GOMAXPROCS between and while requests are
// done, by the only shard and by one of four.
func TestLeadersFollowGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	procs := [...]int{50, 1, 5}
	testLeaders(t, newShard(1), procs, [...]int{50, 1, 5})
	testLeaders(t, newShard(4), procs, [...]int{13, 1, 2})
}

// testLeaders does requests by s with each GOMAXPROCS of allProcs in turn, and tests
// how many leaders there may be then.
func testLeaders(t *testing.T, s *shard, allProcs, most [3]int) {
	if !s.meets() {
		t.Skip("nothing is hashed side by side")
	}
	data := make([]byte, 20<<10)
	want := block.IV256
	block.Compress(&want, data)
	for n, procs := range allProcs {
		var wg sync.WaitGroup
		for g := range 20 {
			wg.Go(func() {
				for i := range 2 * lookupEvery {
					if g == 0 && i == lookupEvery {
						runtime.GOMAXPROCS(procs)
					}
					r, state := newRequest(), block.IV256
					r.lane.State, r.lane.First = &state, data
					if s.do(r); state != want {
						t.Error("wrong state")
					}
				}
			})
		}
		wg.Wait()
		if s.maxLeaders != most[n] {
			t.Errorf("%d leaders at most with GOMAXPROCS %d in one of %d shards, want %d", s.maxLeaders, procs, s.shards, most[n])
		}
	}
	s.close()
}

// TestCloseWaitsForLeaders closes a shard while requests are done: there is no
// leader and no queue when close returns.
func TestCloseWaitsForLeaders(t *testing.T) {
	s := newShard(1)
	if !s.meets() {
		t.Skip("nothing is hashed side by side")
	}
	s.maxLeaders, s.lookup = 1, math.MaxInt
	data := make([]byte, 64<<20)
	var over atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			r, state := newRequest(), block.IV256
			r.lane.State, r.lane.First = &state, data
			s.do(r)
			over.Store(true)
		})
	}
	awaitLeader(s, over.Load)
	s.close()
	s.mu.Lock()
	if s.leaders > 0 || s.first != nil {
		t.Errorf("close returned with %d leaders and %d requests in the queue", s.leaders, s.waiting.Load())
	}
	s.mu.Unlock()
	wg.Wait()
}
