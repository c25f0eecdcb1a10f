package sha256

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/guard"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
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
					r, _ := requestOf(data[:n])
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
					r, state := requestOf(data)
					if s.do(r); *state != want {
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

// TestNobodyFallsBehind has half as many goroutines again as there are lanes come
// again and again: all are served about as often, unless what else runs on the
// machine spoils it.
func TestNobodyFallsBehind(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	width, _ := lanes.Width()
	if width == 1 {
		t.Skip("nothing is hashed side by side")
	}
	const most = 100
	data := make([]byte, minRequest)
	least := 0
	for try := 0; try < 10 && least < most*3/4; try++ {
		s := newShard(1)
		served := make([]int, width+width/2)
		var over atomic.Bool
		var wg sync.WaitGroup
		for i := range served {
			wg.Go(func() {
				for !over.Load() {
					r, _ := requestOf(data)
					s.do(r)
					if served[i]++; served[i] == most {
						over.Store(true)
					}
				}
			})
		}
		wg.Wait()
		least = slices.Min(served)
	}
	if least < most*3/4 {
		t.Errorf("a goroutine was served %d times while another was %d times", least, most)
	}
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
			r, _ := requestOf(data)
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

// requestOf returns a request to compress data into a state that is new.
func requestOf(data []byte) (*request, *block.State) {
	r, state := newRequest(), block.IV256
	r.job.State, r.job.Pieces[0] = &state, data
	return r, &state
}

// batchOf returns a batch with a request of one block in it.
func batchOf() (batch, *request) {
	r, _ := requestOf(make([]byte, BlockSize))
	c := batch{Batch: lanes.NewBatch()}
	c.Join(&r.job)
	return c, r
}

// TestLeadersBecomeFewerUnderLoad has three leaders where there is to be one,
// and requests wait: two leaders lead until their own requests are done, and let
// nobody in; the last one has the queue done.
func TestLeadersBecomeFewerUnderLoad(t *testing.T) {
	s := newShard(1)
	if !s.meets() {
		t.Skip("nothing is hashed side by side")
	}
	s.maxLeaders, s.lookup = 1, math.MaxInt
	s.leaders = 3
	s.busy.Lock()
	const queued = 20
	data := make([]byte, 5*BlockSize)
	want := block.IV256
	block.Compress(&want, data)
	var wg sync.WaitGroup
	for range queued {
		wg.Go(func() {
			r, state := requestOf(data)
			if s.do(r); *state != want {
				t.Error("wrong state")
			}
		})
	}
	for s.waiting.Load() < queued {
		runtime.Gosched()
	}
	for _, want := range []int{2, 1} {
		c, r := batchOf()
		s.lead(c, r, false)
		s.mu.Lock()
		leaders := s.leaders
		s.mu.Unlock()
		if n := s.waiting.Load(); leaders != want || n != queued {
			t.Errorf("%d leaders and %d requests in the queue, want %d and %d", leaders, n, want, queued)
		}
	}
	c, r := batchOf()
	s.lead(c, r, false)
	wg.Wait()
	s.close()
	if s.leaders != 0 || s.surplus != 0 {
		t.Errorf("%d leaders stay, %d of them too many", s.leaders, s.surplus)
	}
}

// TestAdmit has a batch with room for all meet a queue.
func TestAdmit(t *testing.T) {
	for _, tt := range []struct {
		name                      string
		leaders, surplus, most    int
		isSurplus                 bool
		queued                    int
		wantAdmitted, wantSurplus int
	}{
		{"nobody waits", 3, 0, 1, false, 0, 0, 0},
		{"the only leader takes all", 1, 0, 1, false, 3, 3, 0},
		{"two leaders take half of a few", 2, 0, 2, false, 3, 2, 0},
		{"those that leave take no share", 4, 2, 2, false, 3, 2, 2},
		{"one too many", 2, 0, 1, false, 3, 0, 1},
		{"two too many", 3, 1, 1, false, 3, 0, 2},
		{"as many as there should be, and one that leaves", 2, 1, 1, false, 3, 3, 1},
		{"the one that leaves", 2, 1, 1, true, 3, 0, 1},
		{"the one that leaves, when more may lead", 2, 1, 2, true, 3, 2, 0},
		{"the one that leaves, when the others have", 1, 1, 1, true, 3, 3, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShard(1)
			if !s.meets() {
				t.Skip("nothing is hashed side by side")
			}
			s.leaders, s.surplus, s.maxLeaders = tt.leaders, tt.surplus, tt.most
			c, _ := batchOf()
			c.surplus = tt.isSurplus
			for range min(tt.queued, c.Room()) {
				r, _ := requestOf(make([]byte, BlockSize))
				s.push(r)
			}
			s.admit(&c)
			admitted := len(c.Jobs()) - 1
			if want := min(tt.wantAdmitted, c.Width()-1); admitted != want || s.surplus != tt.wantSurplus {
				t.Errorf("%d admitted and %d leaders too many, want %d and %d", admitted, s.surplus, want, tt.wantSurplus)
			}
		})
	}
}

// TestYieldsThatDoNotPay tells a shard of yields one after the other, each as
// soon as it may be, and looks when leaders may yield again.
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
		{"slow, and many came", []yield{{10 * slowYield, 10, 0}}},
		{"slow", []yield{{2 * slowYield, 1, 8 * slowYield}, {2 * slowYield, 0, 8 * slowYield}}},
		{"one goroutine computes", []yield{{10 * ms, 0, 40 * ms}, {10 * ms, 0, 40 * ms}}},
		{"the machine stalls once", []yield{{300 * ms, 0, 40 * ms}, {slowYield, 1, 0}}},
		{"ten goroutines compute", []yield{{100 * ms, 0, 40 * ms}, {100 * ms, 0, 80 * ms}, {100 * ms, 0, 160 * ms}, {100 * ms, 0, 320 * ms}, {100 * ms, 0, 400 * ms}, {100 * ms, 0, 400 * ms}}},
		{"and stop", []yield{{100 * ms, 0, 40 * ms}, {100 * ms, 0, 80 * ms}, {slowYield, 1, 0}, {100 * ms, 0, 40 * ms}}},
	} {
		s := newShard(1)
		now := time.Second
		for i, y := range tt.yields {
			after := now + y.took
			s.yielded(now, after, y.came)
			if now = after + y.pause; !s.mayYield(now) || y.pause > 0 && s.mayYield(now-1) {
				t.Errorf("%s: leaders do not yield again %v after yield %d, or before", tt.name, y.pause, i)
			}
		}
	}
}

// TestLeadersMeetAStall has several leaders yield when the machine stalls: it is
// one yield that did not pay, not many in a row.
func TestLeadersMeetAStall(t *testing.T) {
	const now, stall = time.Second, 300 * time.Millisecond
	s := newShard(1)
	for i := range time.Duration(8) {
		s.yielded(now+i, now+stall+i, 0)
	}
	if !s.mayYield(now + stall + 2*noYieldFactor*timeSlice) {
		t.Error("leaders do not yield for longer than after one yield")
	}
}

// TestYieldLetsOthersRun has a goroutine wait for the only P. A yield lets it
// run, but not when yields have shown not to pay.
func TestYieldLetsOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ran := func(noYieldFor time.Duration) bool {
		s := newShard(1)
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
	var inside *shard
	outside := newShard(1)
	const slow = 10 * time.Millisecond
	uses := func(t *testing.T, s *shard) {
		t.Helper()
		now := time.Since(s.start)
		if !s.mayYield(now) {
			t.Error("leaders do not yield")
		}
		if s.yielded(now-slow, now, 0); s.mayYield(now + slow) {
			t.Error("leaders yield right after a yield that did not pay")
		}
	}
	synctest.Test(t, func(t *testing.T) {
		inside = newShard(1)
		uses(t, inside)
		uses(t, outside)
	})
	uses(t, inside)
	uses(t, outside)
	synctest.Test(t, func(t *testing.T) { uses(t, inside) })
}

// TestClosedAtTheLastMoment closes a shard when a goroutine has looked whether it
// is open, and is about to come.
func TestClosedAtTheLastMoment(t *testing.T) {
	s := newShard(1)
	s.close()
	r, _ := requestOf(make([]byte, BlockSize))
	if s.meet(r); r.done {
		t.Error("a leader led after close had returned")
	}
}

// TestRequestIsForgotten tests that a request lets go of what is its caller's, be
// it done or not.
func TestRequestIsForgotten(t *testing.T) {
	s := newShard(1)
	if !s.meets() {
		t.Skip("nothing is hashed side by side")
	}
	check := func(what string, r *request) {
		t.Helper()
		if r.job.State != nil || slices.ContainsFunc(r.job.Pieces[:], func(p []byte) bool { return p != nil }) {
			t.Errorf("after %s the request has still memory of its caller", what)
		}
	}
	r, _ := requestOf(make([]byte, BlockSize))
	r.job.Pieces[1] = make([]byte, BlockSize)
	s.do(r)
	check("it is done", r)
	if !guard.Guarded {
		return // all memory can be read
	}
	buf := guard.New(t, 1).Bytes()
	r, _ = requestOf(unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize()))
	if guard.Faults(func() { s.do(r) }) == nil {
		t.Error("reading what cannot be read did not fault")
	}
	check("a fault", r)
}

// TestLeaderKeepsPanicOnFault tests that a goroutine that has led has what it
// chose by debug.SetPanicOnFault.
func TestLeaderKeepsPanicOnFault(t *testing.T) {
	s := newShard(1)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(false))
	for _, choice := range []bool{false, true} {
		debug.SetPanicOnFault(choice)
		r, _ := requestOf(make([]byte, BlockSize))
		s.do(r)
		if got := debug.SetPanicOnFault(choice); got != choice {
			t.Errorf("%v has become %v", choice, got)
		}
	}
}
