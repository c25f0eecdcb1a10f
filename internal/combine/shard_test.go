package combine

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
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
				s := NewShard(1)
				if !s.Meets() {
					t.Skip("nothing is hashed side by side")
				}
				s.maxCombiners, s.lookup = 1, math.MaxInt
				var over sync.Map // by length
				do := func(n int) {
					r, _ := requestOf(data[:n])
					s.Do(r)
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
func awaitCombiner(s *Shard, over func() bool) bool {
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
	testCombiners(t, NewShard(1), procs, [...]int{50, 1, 5})
	testCombiners(t, NewShard(4), procs, [...]int{13, 1, 2})
}

// testCombiners does requests by s with each GOMAXPROCS of allProcs in turn, and tests
// how many combiners there may be then.
func testCombiners(t *testing.T, s *Shard, allProcs, most [3]int) {
	if !s.Meets() {
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
					if s.Do(r); *state != want {
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
	s.Close()
}

// TestNobodyFallsBehind has half as many goroutines again as there are lanes come
// again and again: all are served about as often, unless what else runs on the
// machine spoils it.
func TestNobodyFallsBehind(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	width := lanes.Width()
	if width == 1 {
		t.Skip("nothing is hashed side by side")
	}
	const most = 100
	data := make([]byte, MinRequest)
	least := 0
	for try := 0; try < 10 && least < most*3/4; try++ {
		s := NewShard(1)
		served := make([]int, width+width/2)
		var over atomic.Bool
		var wg sync.WaitGroup
		for i := range served {
			wg.Go(func() {
				for !over.Load() {
					r, _ := requestOf(data)
					s.Do(r)
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
	s := NewShard(1)
	if !s.Meets() {
		t.Skip("nothing is hashed side by side")
	}
	s.maxCombiners, s.lookup = 1, math.MaxInt
	data := make([]byte, 64<<20)
	var over atomic.Bool
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			r, _ := requestOf(data)
			s.Do(r)
			over.Store(true)
		})
	}
	awaitCombiner(s, over.Load)
	s.Close()
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
	s := NewShard(1)
	closed := make(chan bool)
	s.mu.Lock()
	go func() {
		s.Close()
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

// TestFullBatchLetsOthersPass has long requests fill the lanes, and more of them
// wait. A short one does not wait for them: it is over while all of them are under
// way. What else runs on the machine can spoil that now and then.
func TestFullBatchLetsOthersPass(t *testing.T) {
	long := make([]byte, 64<<20)
	width := lanes.Width()
	for _, procs := range []int{1, 2} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			for range 10 {
				s := NewShard(1)
				if !s.Meets() {
					t.Skip("nothing is hashed side by side")
				}
				var over atomic.Int32
				var wg sync.WaitGroup
				for range width*procs + 2 {
					wg.Go(func() {
						r, _ := requestOf(long)
						s.Do(r)
						over.Add(1)
					})
				}
				for s.lengths[lengthClass([][]byte{long})].Load() < int32(width*procs+2) && over.Load() == 0 {
					runtime.Gosched()
				}
				r, state := requestOf(long[:16<<10])
				s.Do(r)
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
	width := lanes.Width()
	const kib = 1 << 10
	for _, tt := range []struct {
		name            string
		combiners, most int
		length, others  int // in bytes
		n               int // of the others
		want            bool
	}{
		{"alike", 1, 1, 16 * kib, 16 * kib, 10 * width, false},
		{"twice as long", 1, 1, 16 * kib, 32 * kib, 10 * width, false},
		{"almost four times as long", 1, 1, 16 * kib, 64*kib - 1, 10 * width, false},
		{"four times as long", 1, 1, 16 * kib, 64 * kib, width, true},
		{"and one lane left", 1, 1, 16 * kib, 64 * kib, width - 1, false},
		{"much longer", 1, 1, 16 * kib, math.MaxInt, width, true},
		{"two batches", 2, 2, 16 * kib, 64 * kib, 2*width - 1, false},
		{"two full batches", 2, 2, 16 * kib, 64 * kib, 2 * width, true},
		{"fewer batches than there may be", 1, 2, 16 * kib, 64 * kib, width - 1, false},
		{"more batches than there may be", 2, 1, 16 * kib, 32 * kib, width, false},
		{"more batches than there may be, one of which is long", 2, 1, 16 * kib, 64 * kib, 1, true},
		{"shorter", 1, 1, 64 * kib, 16 * kib, 10 * width, false},
		{"as long as can be", 1, 1, math.MaxInt, math.MaxInt, 10 * width, false},
		{"as short as can be", 1, 1, 64, 2 * kib, 10 * width, false},
	} {
		s := NewShard(1)
		s.combiners, s.maxCombiners = tt.combiners, tt.most
		s.lengths[lengthClassOf(tt.others)].Store(int32(tt.n))
		r, _ := requestOf(nil)
		r.class = lengthClassOf(tt.length)
		if got := s.crowded(r); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// batchOf returns a batch with a request of one block in it.
func batchOf() (*lanes.Batch, *Request) {
	r, _ := requestOf(make([]byte, block.Size))
	b := lanes.NewBatch()
	b.Join(&r.Job)
	return b, r
}

// TestCombinersBecomeFewerUnderLoad has three combiners where one is allowed, and
// requests in the queue. Two combiners lead until their own requests are done, and
// admit nothing; the last one does the queue.
func TestCombinersBecomeFewerUnderLoad(t *testing.T) {
	s := NewShard(1)
	if !s.Meets() {
		t.Skip("nothing is hashed side by side")
	}
	const queued = 20
	s.maxCombiners, s.lookup = 1, math.MaxInt
	s.combiners = 1
	s.busy.Lock()
	data := make([]byte, 5*block.Size)
	want := block.IV256
	block.Compress(&want, data)
	var wg sync.WaitGroup
	for range queued {
		wg.Go(func() {
			r, state := requestOf(data)
			if s.Do(r); *state != want {
				t.Error("wrong state")
			}
		})
	}
	for s.waiting.Load() < queued {
		runtime.Gosched()
	}
	s.mu.Lock()
	s.combiners = 3 // as if two had become combiners while GOMAXPROCS was larger
	s.mu.Unlock()
	for _, want := range []int{2, 1} {
		b, r := batchOf()
		s.combine(b, r, false)
		s.mu.Lock()
		combiners := s.combiners
		s.mu.Unlock()
		if n := s.waiting.Load(); combiners != want || n != queued {
			t.Errorf("%d combiners and %d requests in the queue, want %d and %d", combiners, n, want, queued)
		}
	}
	b, r := batchOf()
	s.combine(b, r, false)
	wg.Wait()
	s.Close()
	if s.combiners != 0 {
		t.Errorf("%d combiners stay", s.combiners)
	}
}

// TestMostCombiners has a goroutine come while there are some combiners: it becomes
// another one, or it waits.
func TestMostCombiners(t *testing.T) {
	const most = 3
	for _, tt := range []struct {
		combiners int
		waits     bool
	}{{0, false}, {1, false}, {most - 1, false}, {most, true}} {
		s := NewShard(1)
		if !s.Meets() {
			t.Skip("nothing is hashed side by side")
		}
		s.maxCombiners, s.lookup = most, math.MaxInt
		if s.combiners = tt.combiners; s.combiners > 0 {
			s.busy.Lock()
		}
		var wg sync.WaitGroup
		var over atomic.Bool
		r, _ := requestOf(make([]byte, block.Size))
		wg.Go(func() {
			s.Do(r)
			over.Store(true)
		})
		for !over.Load() && s.waiting.Load() == 0 {
			runtime.Gosched()
		}
		if waits := !over.Load(); waits != tt.waits {
			t.Errorf("with %d combiners of %d at most, a goroutine waits: %v", tt.combiners, most, waits)
		} else if waits {
			s.pass(lanes.NewBatch())
		}
		wg.Wait()
	}
}

// TestPass has a combiner pass on a batch without jobs.
func TestPass(t *testing.T) {
	for _, tt := range []struct {
		name            string
		combiners, most int
		queued          bool
		want            int // combiners
	}{
		{"nobody waits", 1, 1, false, 0},
		{"nobody waits, and others combine", 3, 3, false, 2},
		{"one waits", 1, 1, true, 1},
		{"one waits, and there are as many combiners as there may be", 3, 3, true, 3},
		{"one waits, and there is one combiner too many", 3, 2, true, 2},
		{"one waits, and there are many too many", 5, 1, true, 4},
	} {
		s := NewShard(1)
		s.combiners, s.maxCombiners = tt.combiners, tt.most
		s.busy.Lock()
		r, _ := requestOf(make([]byte, block.Size))
		if tt.queued {
			s.push(r)
		}
		s.pass(lanes.NewBatch())
		if s.combiners != tt.want {
			t.Errorf("%s: %d combiners, want %d", tt.name, s.combiners, tt.want)
		}
		if passed, want := s.waiting.Load() == 0 && tt.queued, tt.queued && tt.want == tt.combiners; passed != want {
			t.Errorf("%s: the batch was passed on: %v, want %v", tt.name, passed, want)
		} else if passed && r.wait() == nil {
			t.Errorf("%s: the goroutine got no batch", tt.name)
		}
		if free := s.busy.TryLock(); free != (tt.want == 0) {
			t.Errorf("%s: close may go on: %v", tt.name, free)
		}
	}
}

// TestAdmit has a batch with a job in it meet a queue.
func TestAdmit(t *testing.T) {
	for _, tt := range []struct {
		name            string
		combiners, most int
		queued, want    int
	}{
		{"nobody waits", 3, 3, 0, 0},
		{"the only combiner takes all", 1, 1, 3, 3},
		{"two combiners take half of a few", 2, 2, 3, 2},
		{"fewer combiners than there may be", 2, 3, 3, 2},
		{"one combiner too many", 2, 1, 3, 0},
		{"two combiners too many", 3, 1, 3, 0},
		{"more than there is room for", 1, 1, 100, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewShard(1)
			if !s.Meets() {
				t.Skip("nothing is hashed side by side")
			}
			s.combiners, s.maxCombiners = tt.combiners, tt.most
			b, _ := batchOf()
			for range tt.queued {
				r, _ := requestOf(make([]byte, block.Size))
				s.push(r)
			}
			s.admit(b)
			admitted := len(b.Jobs()) - 1
			if want := min(tt.want, b.Width()-1); admitted != want || int(s.waiting.Load()) != tt.queued-want {
				t.Errorf("%d admitted and %d in the queue, want %d and %d", admitted, s.waiting.Load(), want, tt.queued-want)
			}
		})
	}
}

func TestShare(t *testing.T) {
	for _, tt := range []struct{ n, combiners, want int }{
		{1, 1, 1}, {maxShared, 1, maxShared},
		{1, 2, 1}, {2, 2, 1}, {3, 2, 2}, {maxShared, 2, maxShared / 2}, {maxShared + 1, 2, maxShared + 1},
		{maxShared, maxShared, 1}, {maxShared, 100, 1}, {maxShared + 1, 100, maxShared + 1}, {100, 2, 100},
	} {
		if got := share(tt.n, tt.combiners); got != tt.want {
			t.Errorf("one of %d combiners takes %d of %d, want %d", tt.combiners, got, tt.n, tt.want)
		}
	}
}

// TestStepLimit fills a batch: while there is room, steps are short.
func TestStepLimit(t *testing.T) {
	b, _ := batchOf()
	for ; b.Room() > 0; b.Join(&NewRequest().Job) {
		if got := stepLimit(b); got != blocksPerStep {
			t.Errorf("with room for %d, a step has up to %d blocks, want %d", b.Room(), got, blocksPerStep)
		}
	}
	if got := stepLimit(b); got != math.MaxInt {
		t.Errorf("without room, a step has up to %d blocks", got)
	}
}

// TestLookup counts the requests after which a shard sees a change of GOMAXPROCS.
func TestLookup(t *testing.T) {
	procs := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(procs)
	s := NewShard(1)
	do := func() {
		r, _ := requestOf(make([]byte, block.Size))
		s.Do(r)
	}
	do() // looks up
	runtime.GOMAXPROCS(2)
	for range lookupEvery {
		do()
	}
	if s.maxCombiners != 3 {
		t.Errorf("GOMAXPROCS was looked up again before %d requests", lookupEvery)
	}
	if do(); s.maxCombiners != 2 {
		t.Errorf("GOMAXPROCS was not looked up again after %d requests", lookupEvery)
	}
}

// TestClosedAtTheLastMoment closes a shard when a goroutine has looked whether it
// is open, and is about to come.
func TestClosedAtTheLastMoment(t *testing.T) {
	s := NewShard(1)
	s.Close()
	r, _ := requestOf(make([]byte, block.Size))
	if s.meet(r); r.done {
		t.Error("a combiner led after close had returned")
	}
}

// TestCombinerKeepsPanicOnFault tests that a goroutine that has led has what it
// chose by debug.SetPanicOnFault.
func TestCombinerKeepsPanicOnFault(t *testing.T) {
	s := NewShard(1)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(false))
	for _, choice := range []bool{false, true} {
		debug.SetPanicOnFault(choice)
		r, _ := requestOf(make([]byte, block.Size))
		s.Do(r)
		if got := debug.SetPanicOnFault(choice); got != choice {
			t.Errorf("%v has become %v", choice, got)
		}
	}
}
