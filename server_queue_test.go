package sha256

import (
	"fmt"
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
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// TestShortRequestsDoNotWaitForLongOnes has a goroutine lead with a request of
// one length and another one join it with a request of another. Whichever is the
// combiner's, the short one is over long before the other. What else runs on the
// machine can spoil that now and then.
func TestShortRequestsDoNotWaitForLongOnes(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("goroutines take turns")
	}
	const long, short = 32 << 20, 1 << 20
	data := make([]byte, long)
	for _, tt := range []struct {
		name             string
		combiner, joiner int
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
				s.maxCombiners, s.lookup = 1, math.MaxInt
				var over sync.Map // by length
				do := func(n int) {
					r, _ := requestOf(data[:n])
					s.do(r)
					over.Store(n, time.Now())
				}
				var wg sync.WaitGroup
				wg.Go(func() { do(tt.combiner) })
				if !awaitCombiner(s, func() bool { _, ok := over.Load(tt.combiner); return ok }) {
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

// awaitCombiner waits until s has a combiner. It reports false if all is over before
// one was seen.
func awaitCombiner(s *shard, over func() bool) bool {
	for !over() {
		s.mu.Lock()
		combiners := s.combiners
		s.mu.Unlock()
		if combiners > 0 {
			return true
		}
		runtime.Gosched()
	}
	return false
}

// TestCombinersFollowGOMAXPROCS changes GOMAXPROCS between and while requests are
// done, by the only shard and by one of four.
func TestCombinersFollowGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	procs := [...]int{50, 1, 5}
	testCombiners(t, newShard(1), procs, [...]int{50, 1, 5})
	testCombiners(t, newShard(4), procs, [...]int{13, 1, 2})
}

// testCombiners does requests by s with each GOMAXPROCS of allProcs in turn, and tests
// how many combiners there may be then.
func testCombiners(t *testing.T, s *shard, allProcs, most [3]int) {
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
		if s.maxCombiners != most[n] {
			t.Errorf("%d combiners at most with GOMAXPROCS %d in one of %d shards, want %d", s.maxCombiners, procs, s.shards, most[n])
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
// combiner and no queue when close returns.
func TestCloseWaitsForLeaders(t *testing.T) {
	s := newShard(1)
	if !s.meets() {
		t.Skip("nothing is hashed side by side")
	}
	s.maxCombiners, s.lookup = 1, math.MaxInt
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
	awaitCombiner(s, over.Load)
	s.close()
	s.mu.Lock()
	if s.combiners > 0 || s.first != nil {
		t.Errorf("close returned with %d combiners and %d requests in the queue", s.combiners, s.waiting.Load())
	}
	s.mu.Unlock()
	wg.Wait()
}

// TestCloseAtTheWrongMoment closes a shard when a goroutine has seen that it is
// open and is about to become a combiner: close waits for it.
func TestCloseAtTheWrongMoment(t *testing.T) {
	s := newShard(1)
	closed := make(chan bool)
	s.mu.Lock()
	go func() {
		s.close()
		close(closed)
	}()
	select {
	case <-closed:
		t.Error("close returned before a goroutine had become a combiner")
	case <-time.After(100 * time.Millisecond):
	}
	s.combiners++
	s.busy.Lock()
	s.mu.Unlock()
	s.mu.Lock()
	s.combiners--
	s.busy.Unlock()
	s.mu.Unlock()
	<-closed
}

// TestHashesAreDealtToShards makes hashes of servers with several shards. The zero
// Server gets its shards with its first hashes, which several goroutines make.
func TestHashesAreDealtToShards(t *testing.T) {
	const shards, each = 3, 5
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(shards * procsPerShard))
	for name, s := range map[string]*Server{"NewServer": NewServer(), "zero Server": new(Server)} {
		hashes := make([]*serverHash, shards*each)
		var wg sync.WaitGroup
		for i := range hashes {
			wg.Go(func() { hashes[i] = s.New().(*serverHash) })
		}
		wg.Wait()
		count := map[*shard]int{}
		for _, h := range hashes {
			count[h.shard]++
		}
		if len(s.shards) != shards || len(count) != shards {
			t.Fatalf("%s: hashes are of %d shards, of %d; want %d", name, len(count), len(s.shards), shards)
		}
		for _, n := range count {
			if n != each {
				t.Errorf("%s: %d hashes are of one shard, want %d", name, n, each)
			}
		}
	}
}

// TestZeroServerCloses closes the zero Server: hashes that it makes later do not meet.
func TestZeroServerCloses(t *testing.T) {
	s := new(Server)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if s.New().(*serverHash).shard.meets() {
		t.Error("hashes run side by side after Close")
	}
}

// TestFullBatchLetsOthersPass has long requests fill the lanes, and more of them
// wait. A short one does not wait for them: it is over while all of them are under
// way. What else runs on the machine can spoil that now and then.
func TestFullBatchLetsOthersPass(t *testing.T) {
	long := make([]byte, 64<<20)
	width, _ := lanes.Width()
	for _, procs := range []int{1, 2} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			for range 10 {
				s := newShard(1)
				if !s.meets() {
					t.Skip("nothing is hashed side by side")
				}
				var over atomic.Int32
				var wg sync.WaitGroup
				for range width*procs + 2 {
					wg.Go(func() {
						r, _ := requestOf(long)
						s.do(r)
						over.Add(1)
					})
				}
				for s.lengths[lengthClass([][]byte{long})].Load() < int32(width*procs+2) && over.Load() == 0 {
					runtime.Gosched()
				}
				r, state := requestOf(long[:16<<10])
				s.do(r)
				first := over.Load() == 0
				wg.Wait()
				want := block.IV256
				if block.Compress(&want, long[:16<<10]); *state != want {
					t.Fatal("wrong state")
				}
				if first {
					return
				}
			}
			t.Error("a long request was over first")
		})
	}
}

// TestCrowded has requests of several lengths under way when another one comes.
func TestCrowded(t *testing.T) {
	width, _ := lanes.Width()
	const kib = 1 << 10
	for _, tt := range []struct {
		name               string
		combiners, surplus int
		length, others     int // in bytes
		n                  int // of the others
		want               bool
	}{
		{"alike", 1, 0, 16 * kib, 16 * kib, 10 * width, false},
		{"twice as long", 1, 0, 16 * kib, 32 * kib, 10 * width, false},
		{"four times as long", 1, 0, 16 * kib, 64 * kib, width, true},
		{"and one lane left", 1, 0, 16 * kib, 64 * kib, width - 1, false},
		{"much longer", 1, 0, 16 * kib, math.MaxInt, width, true},
		{"two batches", 2, 0, 16 * kib, 64 * kib, 2*width - 1, false},
		{"two full batches", 2, 0, 16 * kib, 64 * kib, 2 * width, true},
		{"two batches, one of which lets none in", 2, 1, 16 * kib, 64 * kib, width, true},
		{"shorter", 1, 0, 64 * kib, 16 * kib, 10 * width, false},
		{"as long as can be", 1, 0, math.MaxInt, math.MaxInt, 10 * width, false},
		{"as short as can be", 1, 0, 64, 2 * kib, 10 * width, false},
	} {
		s := newShard(1)
		s.combiners, s.surplus = tt.combiners, tt.surplus
		s.lengths[lengthClassOf(tt.others)].Store(int32(tt.n))
		r, _ := requestOf(nil)
		r.length = lengthClassOf(tt.length)
		if got := s.crowded(r); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestLengthsAreCountedBack tests that no request is counted when all are done,
// alone, in company, or by those who wrote what cannot be read.
func TestLengthsAreCountedBack(t *testing.T) {
	s := newShard(1)
	if !s.meets() {
		t.Skip("nothing is hashed side by side")
	}
	broken := make([]byte, 20<<10)
	if guard.Guarded {
		buf := guard.New(t, 20<<10).Bytes()
		broken = unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize())
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			for range 20 {
				p := make([]byte, 2048*(i+1))
				if i == 7 {
					p = broken
				}
				r, _ := requestOf(p)
				guard.Faults(func() { s.do(r) })
			}
		})
	}
	wg.Wait()
	for i := range s.lengths {
		if n := s.lengths[i].Load(); n != 0 {
			t.Errorf("%d requests of class %d are counted", n, i)
		}
	}
}

// TestSolo tests what a goroutine hashes alone once no other has come, and that
// it hashes nothing alone once one has.
func TestSolo(t *testing.T) {
	s := newShard(1)
	s.maxMisses = 7
	for _, tt := range []struct {
		queued   bool
		wantSolo int64 // in soloUnits
	}{{false, 1}, {false, 3}, {false, 7}, {false, 7}, {true, 0}, {false, 1}} {
		b, _ := batchOf()
		if tt.queued {
			r, _ := requestOf(make([]byte, BlockSize))
			s.push(r)
		}
		s.openWindow(b)
		if tt.queued {
			s.pop()
		}
		if got := s.soloLeft.Load(); got != tt.wantSolo*soloUnit {
			t.Errorf("%d bytes may be hashed alone, want %d", got, tt.wantSolo*soloUnit)
		}
	}
	s.soloLeft.Store(1000)
	if s.solo(maxSolo+1) || !s.solo(999) || !s.solo(maxSolo) || s.solo(1) {
		t.Error("a writer hashes not all of 1000 bytes alone, or more than one write beyond")
	}
}

// requestOf returns a request to compress data into a state that is new.
func requestOf(data []byte) (*request, *block.State) {
	r, state := newRequest(), block.IV256
	r.job.State, r.job.Segments[0] = &state, data
	return r, &state
}

// batchOf returns a batch with a request of one block in it.
func batchOf() (batch, *request) {
	r, _ := requestOf(make([]byte, BlockSize))
	c := batch{Batch: lanes.NewBatch()}
	c.Join(&r.job)
	return c, r
}

// TestCombinersBecomeFewerUnderLoad has three combiners where there is to be one,
// and requests wait: two combiners lead until their own requests are done, and let
// nobody in; the last one has the queue done.
func TestCombinersBecomeFewerUnderLoad(t *testing.T) {
	s := newShard(1)
	if !s.meets() {
		t.Skip("nothing is hashed side by side")
	}
	s.maxCombiners, s.lookup = 1, math.MaxInt
	s.combiners = 3
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
		s.combine(c, r, false)
		s.mu.Lock()
		combiners := s.combiners
		s.mu.Unlock()
		if n := s.waiting.Load(); combiners != want || n != queued {
			t.Errorf("%d combiners and %d requests in the queue, want %d and %d", combiners, n, want, queued)
		}
	}
	c, r := batchOf()
	s.combine(c, r, false)
	wg.Wait()
	s.close()
	if s.combiners != 0 || s.surplus != 0 {
		t.Errorf("%d combiners stay, %d of them too many", s.combiners, s.surplus)
	}
}

// TestAdmit has a batch with room for all meet a queue.
func TestAdmit(t *testing.T) {
	for _, tt := range []struct {
		name                      string
		combiners, surplus, most  int
		isSurplus                 bool
		queued                    int
		wantAdmitted, wantSurplus int
	}{
		{"nobody waits", 3, 0, 1, false, 0, 0, 0},
		{"the only combiner takes all", 1, 0, 1, false, 3, 3, 0},
		{"two combiners take half of a few", 2, 0, 2, false, 3, 2, 0},
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
			s.combiners, s.surplus, s.maxCombiners = tt.combiners, tt.surplus, tt.most
			c, _ := batchOf()
			c.surplus = tt.isSurplus
			for range min(tt.queued, c.Room()) {
				r, _ := requestOf(make([]byte, BlockSize))
				s.push(r)
			}
			s.admit(&c)
			admitted := len(c.Jobs()) - 1
			if want := min(tt.wantAdmitted, c.Width()-1); admitted != want || s.surplus != tt.wantSurplus {
				t.Errorf("%d admitted and %d combiners too many, want %d and %d", admitted, s.surplus, want, tt.wantSurplus)
			}
		})
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
		{"slow, and many came", []yield{{10 * slowYield, 10, 0}}},
		{"slow", []yield{{2 * slowYield, 1, slowYield / 8}, {2 * slowYield, 0, slowYield / 4}}},
		{"the machine stalls once", []yield{{320 * ms, 0, 20 * ms}, {slowYield, 1, 0}}},
		{"one goroutine computes", []yield{{16 * ms, 0, ms}, {16 * ms, 0, 2 * ms}, {16 * ms, 0, 4 * ms}, {16 * ms, 0, 8 * ms}, {16 * ms, 0, 16 * ms}, {16 * ms, 0, 32 * ms}, {16 * ms, 0, 64 * ms}, {16 * ms, 0, 64 * ms}}},
		{"and stops", []yield{{16 * ms, 0, ms}, {16 * ms, 0, 2 * ms}, {slowYield, 1, 0}, {16 * ms, 0, ms}}},
	} {
		s := newShard(1)
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
	const now, stall = time.Second, 300 * time.Millisecond
	s := newShard(1)
	for i := range time.Duration(8) {
		s.yielded(now+i, now+stall+i, 0)
	}
	if !s.mayYield(now + stall + 8 + stall/noYieldFirst) {
		t.Error("combiners do not yield for longer than after one yield")
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
			t.Error("combiners do not yield")
		}
		if s.yielded(now-slow, now, 0); s.mayYield(now + slow/noYieldFirst - 1) {
			t.Error("combiners yield right after a yield that did not pay")
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
		t.Error("a combiner led after close had returned")
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
		if r.job.State != nil || slices.ContainsFunc(r.job.Segments[:], func(p []byte) bool { return p != nil }) {
			t.Errorf("after %s the request has still memory of its caller", what)
		}
	}
	r, _ := requestOf(make([]byte, BlockSize))
	r.job.Segments[1] = make([]byte, BlockSize)
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

// TestCombinerKeepsPanicOnFault tests that a goroutine that has led has what it
// chose by debug.SetPanicOnFault.
func TestCombinerKeepsPanicOnFault(t *testing.T) {
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
