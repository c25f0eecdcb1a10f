package sha256

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// minRequest is how many bytes are worth parking a goroutine for.
const minRequest = 2 << 10

// A request is what a goroutine has others do, or does with them: to compress
// the blocks of a job.
type request struct {
	job  lanes.Job
	next *request // in the queue
	done bool

	// parked is locked while the request's goroutine waits, as a reader: those of a
	// Mutex would spin and look at the clock. Unlike a channel, a lock belongs to no
	// bubble of testing/synctest: a Server may be used from several.
	parked sync.RWMutex
	batch  batch // that the goroutine has to lead when the wait is over

	// state is what job began with, in case it has to be done again.
	state block.State
}

func newRequest() *request {
	r := new(request)
	r.job.Owner = r
	return r
}

// wait waits until another goroutine calls wake, and returns the batch that it
// passes on, if any. Before, the caller locked parked.
func (r *request) wait() batch {
	r.parked.RLock()
	b := r.batch
	r.batch = batch{}
	r.parked.RUnlock()
	return b
}

// wake ends the wait of r's goroutine, which is to lead b, or nothing if r is
// over.
func (r *request) wake(b batch) {
	r.batch = b
	r.parked.Unlock()
}

// alone does r from its beginning on the calling goroutine.
func (r *request) alone() {
	*r.job.State = r.state
	for _, p := range r.job.Pieces {
		block.Compress(r.job.State, p)
	}
}

// A batch has a leader, and is handed from one to the next.
type batch struct {
	*lanes.Batch
	surplus bool // counted in shard.surplus
}

// A shard is where requests meet. A goroutine that comes with a request leads a
// batch of jobs, if there are fewer leaders than Ps; otherwise it queues up
// and parks. Leaders take requests from the queue whenever they have room,
// between any two steps of their batches, and wake the goroutines of those that
// are done. A leader whose own request is done hands its batch over to a
// goroutine that waits: nobody works for others longer than for itself.
//
// As long as there is a queue there is a leader, who will take from it or hand
// over to its first; and every job is in a batch that has a leader. So nobody
// waits forever.
type shard struct {
	shards int // how many the Server has

	open    atomic.Bool
	waiting atomic.Int32 // length of the queue

	mu      sync.Mutex
	first   *request // of the queue
	last    **request
	leaders int
	busy    sync.Mutex // locked while there are leaders

	// maxLeaders is this shard's part of GOMAXPROCS, which is looked up again
	// after so many requests: it takes the lock of the Go scheduler. When it has
	// fallen, surplus is how many leaders are too many: their batches let nobody
	// in, and end.
	maxLeaders, lookup int
	surplus            int

	// skip is how many goroutines are going to lead without letting others in,
	// and misses what it was when that was in vain the last time.
	skip, misses int

	// Leaders do not yield for noYieldFor from slowAt on, which is when a yield
	// that did not pay was over, since start. start may be of another clock, if a
	// bubble of testing/synctest was where s was made or is where it is used.
	start              time.Time
	slowAt, noYieldFor atomic.Int64 // nanoseconds

	written int // of a turn, unless preempts
}

const (
	// lookupEvery bounds shard.lookup.
	lookupEvery = 64
	// maxMisses bounds shard.misses: so many requests of a lonely writer pass
	// before it looks for company again.
	maxMisses = 63
	// yields is how often a leader lets others run before it begins. Once lets
	// most of them in; but the Go scheduler comes back too early at times.
	yields = 3
	// maxShared is how many requests in the queue the leaders share among
	// themselves. More than that are enough for wider kernels, which one leader
	// runs better than two run narrow ones.
	maxShared = 8
	// blocksPerStep is how many blocks of each job are compressed at a time while
	// there is room for those who come next.
	blocksPerStep = 64

	// A yield that takes longer than slowYield for each request that came does not
	// pay: others keep the Ps busy, each for as long as a timeSlice of the Go
	// scheduler if they compute. Leaders then do without for noYieldFactor times as
	// long as it took; but for noYieldFactor time slices at first, and twice as
	// long each time that it happens again. For it may have been a stall of the
	// whole machine, of any length.
	slowYield     = 100 * time.Microsecond
	noYieldFactor = 4
	timeSlice     = 10 * time.Millisecond
)

func newShard(shards int) *shard {
	s := &shard{shards: shards, start: time.Now()}
	s.last = &s.first
	s.open.Store(true)
	return s
}

// meets reports whether requests can meet in s.
func (s *shard) meets() bool {
	if s == nil || !s.open.Load() {
		return false
	}
	width, _ := lanes.Width()
	return width > 1
}

// do does r and forgets whose it was. Their memory is not read after do
// returns, nor after it panics because it cannot read it.
func (s *shard) do(r *request) {
	r.done = false
	r.state = *r.job.State
	defer r.job.Forget()
	s.meet(r)
	if !r.done {
		r.alone()
	}
}

// meet does r together with others. It leaves r undone if s is closed or
// memory of the batch cannot be read.
func (s *shard) meet(r *request) {
	s.mu.Lock()
	if !s.open.Load() {
		s.mu.Unlock()
		return
	}
	if s.lookup--; s.lookup < 0 {
		s.lookup = lookupEvery
		s.maxLeaders = (runtime.GOMAXPROCS(0) + s.shards - 1) / s.shards
	}
	if s.leaders >= s.maxLeaders {
		r.parked.Lock()
		s.push(r)
		s.mu.Unlock()
		if b := r.wait(); b.Batch != nil {
			s.lead(b, r, len(b.Jobs()) == 1)
		}
		return
	}
	if s.leaders++; s.leaders == 1 {
		s.busy.Lock() // at once: close comes after the last leader
	}
	gather := s.skip == 0
	if !gather {
		s.skip--
	}
	s.mu.Unlock()
	b := batch{Batch: lanes.NewBatch()}
	b.Join(&r.job)
	s.lead(b, r, gather)
}

// lead leads b, which r is in, until r is done. If gather is set it lets others
// come first.
//
// When a kernel faults, lead takes the blame off its goroutine: all requests of
// b are left undone, and each goroutine does its own again. The fault strikes
// the one whose memory it is, in the way that this goroutine has chosen.
func (s *shard) lead(b batch, r *request, gather bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r.done {
			return
		}
		cause := recover()
		for _, j := range b.Jobs() {
			if other := j.Owner.(*request); other != r {
				other.wake(batch{})
			}
		}
		b.Batch = lanes.NewBatch()
		s.pass(b)
		if _, fault := cause.(interface{ Addr() uintptr }); !fault {
			panic(cause)
		}
	}()
	if gather {
		s.gather(b)
	}
	for {
		blocks := math.MaxInt
		if b.Room() > 0 {
			s.admit(&b)
			blocks = blocksPerStep
		}
		done := b.Step(blocks)
		for _, j := range done {
			other := j.Owner.(*request)
			other.done = true
			if other != r {
				other.wake(batch{})
			}
		}
		if r.done {
			break
		}
		if len(done) > 0 && s.wants(b) {
			s.yield() // those who are done go on, and may come again
		}
	}
	s.pass(b)
}

// gather lets others run until there are requests enough for b. The more often
// nobody comes, the more leaders go without.
func (s *shard) gather(b batch) {
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
	s.skip = s.misses
	s.mu.Unlock()
}

// wants reports whether b has more room than there are requests in the queue.
func (s *shard) wants(b batch) bool { return int(s.waiting.Load()) < b.Room() }

// yield lets others run, so that they come with requests, unless that has shown
// not to pay.
func (s *shard) yield() {
	before := time.Since(s.start)
	if !s.mayYield(before) {
		return
	}
	waited := s.waiting.Load()
	runtime.Gosched()
	s.yielded(before, time.Since(s.start), int(s.waiting.Load()-waited))
}

// mayYield reports whether leaders may yield now.
func (s *shard) mayYield(now time.Duration) bool {
	since := now - time.Duration(s.slowAt.Load())
	return since < 0 || since >= time.Duration(s.noYieldFor.Load())
}

// yielded takes note of a yield during which so many requests came. What several
// leaders meet at the same time counts once.
func (s *shard) yielded(before, after time.Duration, came int) {
	took := after - before
	if took <= slowYield*time.Duration(max(1, came)) {
		s.noYieldFor.Store(0)
		return
	}
	last, slowAt := time.Duration(s.noYieldFor.Load()), time.Duration(s.slowAt.Load())
	if last > 0 && before < slowAt && slowAt <= after {
		return
	}
	most := max(timeSlice*noYieldFactor, 2*last)
	s.noYieldFor.Store(int64(min(took*noYieldFactor, most)))
	s.slowAt.Store(int64(after))
}

// admit has requests of the queue join b, as many as there is room for. When
// there are few it takes b's share only: other leaders are about to take theirs.
// When there are too many leaders, as many batches let nobody in.
func (s *shard) admit(b *batch) {
	if s.waiting.Load() == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch staying := s.leaders - s.surplus; {
	case !b.surplus && staying > s.maxLeaders:
		b.surplus = true
		s.surplus++
	case b.surplus && staying < s.maxLeaders:
		b.surplus = false
		s.surplus--
	}
	if b.surplus {
		return
	}
	n, staying := int(s.waiting.Load()), s.leaders-s.surplus
	if n <= maxShared {
		n = (n + staying - 1) / staying
	}
	for range min(n, b.Room()) {
		b.Join(&s.pop().job)
	}
}

// pass hands b over to a goroutine that waits: to the one with the longest
// request in b, or if b has no jobs to the first of the queue. When there is
// none, or there are more leaders than there should be by now, there is one less.
func (s *shard) pass(b batch) {
	if len(b.Jobs()) > 0 {
		b.Longest().Owner.(*request).wake(b)
		return
	}
	s.mu.Lock()
	if b.surplus {
		b.surplus = false
		s.surplus--
	}
	if s.first != nil && s.leaders-s.surplus <= s.maxLeaders {
		r := s.pop()
		s.mu.Unlock()
		b.Join(&r.job)
		r.wake(b)
		return
	}
	if s.leaders--; s.leaders == 0 {
		s.busy.Unlock()
	}
	s.mu.Unlock()
	b.Release()
}

// push puts r at the end of the queue. The caller holds mu.
func (s *shard) push(r *request) {
	*s.last = r
	s.last = &r.next
	s.waiting.Add(1)
}

// pop takes the first request from the queue, which is not empty. The caller holds
// mu.
func (s *shard) pop() *request {
	r := s.first
	s.first, r.next = r.next, nil
	if s.first == nil {
		s.last = &s.first
	}
	s.waiting.Add(-1)
	return r
}

// close keeps requests from meeting, and waits for those that have met.
func (s *shard) close() {
	s.mu.Lock()
	s.open.Store(false)
	s.mu.Unlock()
	s.busy.Lock()
	defer s.busy.Unlock()
}
