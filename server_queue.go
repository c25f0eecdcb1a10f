package sha256

import (
	"math"
	"math/bits"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// minRequest is the number of bytes for which it pays to park a goroutine.
const minRequest = 2 << 10

// A request is a job that a goroutine does together with others. It belongs to one
// goroutine, which alone waits for it.
type request struct {
	job    lanes.Job
	length int      // the class of its length
	next   *request // in the queue
	done   bool

	// parked is locked while the request's goroutine waits. The goroutine waits as a
	// reader: a writer, or a goroutine that waits for a Mutex, would spin and look at
	// the clock. A channel would belong to a bubble of testing/synctest; a lock does
	// not, and several bubbles may use one Server.
	parked sync.RWMutex
	batch  batch // the batch that the goroutine combines after the wait, if any

	// state is the state from which job began, in case job has to be done again.
	state block.State
}

// requests are free for use by any goroutine. Their locks are locked.
var requests = sync.Pool{New: func() any { return newRequest() }}

func newRequest() *request {
	r := new(request)
	r.job.Owner = r
	r.parked.Lock()
	return r
}

// wait waits until another goroutine calls wake. It returns the batch that the other
// goroutine passes on, if any.
func (r *request) wait() batch {
	r.parked.RLock()
	b := r.batch
	r.batch = batch{}
	r.parked.RUnlock()
	r.parked.Lock() // at once: for the next wait
	return b
}

// wake ends the wait of r's goroutine. The goroutine then combines b, or nothing if r
// is done.
func (r *request) wake(b batch) {
	r.batch = b
	r.parked.Unlock()
}

// alone does r from its beginning on the calling goroutine.
func (r *request) alone() {
	*r.job.State = r.state
	for _, p := range r.job.Segments {
		block.Compress(r.job.State, p)
	}
	r.done = true
}

// A batch has one combiner at a time.
type batch struct {
	*lanes.Batch
	surplus bool // counted in shard.surplus
}

// A shard is where requests meet, by flat combining (Hendler, Incze, Shavit and
// Tzafrir, 2010). If there are fewer combiners than Ps, a goroutine with a request
// becomes the combiner of a batch. Otherwise it queues up and parks. Between two steps
// of its batch a combiner takes requests from the queue, if it has room, and wakes the
// goroutines of finished requests. A combiner whose own request is done hands its
// batch over to a goroutine that waits: no goroutine works longer for others than for
// itself.
//
// As long as there is a queue there is a combiner, which takes the first request from
// it or hands over to its goroutine. Every job is in a batch that has a combiner. So no
// goroutine waits forever.
//
// A goroutine hashes alone, on its own P, where it does not pay to meet others: if no
// other came the last time (solo), or if longer requests may fill all lanes (crowded).
type shard struct {
	shards int // the number of the Server's shards

	open    atomic.Bool
	waiting atomic.Int32 // length of the queue

	// lengths counts the requests in the queue and in batches by class of length.
	lengths [lengthClasses]atomic.Int32

	mu        sync.Mutex
	first     *request // of the queue
	last      **request
	combiners int
	busy      sync.Mutex // locked while there are combiners

	// maxCombiners is this shard's part of GOMAXPROCS. GOMAXPROCS is looked up again
	// after lookupEvery requests, since a look-up takes the lock of the Go scheduler.
	// When it has fallen, surplus counts the excess combiners: their batches admit no
	// request, and end.
	maxCombiners, lookup int
	surplus              int

	// soloLeft is the number of bytes that writers may still hash alone. When a batching
	// window was in vain, it is set to misses times soloUnit.
	soloLeft  atomic.Int64
	misses    int
	maxMisses int

	// Combiners do not yield for noYieldFor after slowAt. slowAt is the end of a yield
	// that did not pay, as a time since start. start may come from another clock, if s
	// was made or is used in a bubble of testing/synctest.
	start              time.Time
	slowAt, noYieldFor atomic.Int64 // nanoseconds

	written int // bytes of a time slice, unless preempts
}

const (
	// lookupEvery bounds shard.lookup.
	lookupEvery = 64
	// A writer hashes at least soloUnit bytes alone before it opens another batching
	// window, and at most maxMisses times as much and one write of at most maxSolo. A
	// longer write is never hashed alone: a batching window costs it next to nothing.
	soloUnit  = bufferSize
	maxMisses = 63
	maxSolo   = 1 << 20
	// lengthClasses is the number of classes of lengths. Each class is twice as long as
	// the class before. A request does not wait for requests longer by `much` classes.
	lengthClasses = 16
	much          = 2
	// yields is how often a combiner yields before it begins. One yield lets most other
	// goroutines in, but at times the Go scheduler returns too early.
	yields = 3
	// maxShared is the largest number of requests in the queue that combiners share
	// among themselves. More requests fill a wider kernel: one combiner with a wide
	// kernel is better than two with narrow kernels.
	maxShared = 8
	// blocksPerStep is the largest number of blocks of a step while the batch has room
	// for more requests.
	blocksPerStep = 64

	// A yield does not pay if it takes longer than slowYield for each request that came.
	// Then the whole machine stalled, or a goroutine that computes ran for a
	// time slice of the Go scheduler. After that, combiners do not yield for
	// 1/noYieldFirst of the time that the yield took. Each repetition doubles
	// the pause, up to noYieldFactor times the time of the yield.
	slowYield     = 100 * time.Microsecond
	noYieldFirst  = 16
	noYieldFactor = 4
)

func newShard(shards int) *shard {
	s := &shard{shards: shards, maxMisses: maxMisses, start: time.Now()}
	s.last = &s.first
	s.open.Store(true)
	return s
}

// meets reports whether requests can meet in s.
func (s *shard) meets() bool { return s != nil && s.open.Load() && lanes.SideBySide(2) }

// solo reports whether a writer should hash the next n bytes alone, because the last
// batching window was in vain. It takes n from soloLeft, which may fall below zero.
func (s *shard) solo(n int) bool {
	return n <= maxSolo && s.soloLeft.Load() > 0 && s.soloLeft.Add(-int64(n)) > -int64(n)
}

// do does r and drops the caller's pointers. After do returns, or panics because
// memory cannot be read, nothing reads the caller's memory.
func (s *shard) do(r *request) {
	r.done = false
	r.state = *r.job.State
	r.length = lengthClass(r.job.Segments[:])
	defer r.job.Forget()
	s.meet(r)
	if !r.done {
		r.alone()
	}
}

// lengthClass returns the class of a request to compress segments.
func lengthClass(segments [][]byte) int {
	n := 0
	for _, p := range segments {
		n += len(p)
	}
	return lengthClassOf(n)
}

// lengthClassOf returns the class of a request of n bytes.
func lengthClassOf(n int) int { return min(bits.Len(uint(n/minRequest)), lengthClasses-1) }

// meet does r together with other requests. It leaves r undone if s is closed, if r
// would have to wait for much longer requests, or if memory of the batch cannot be
// read.
func (s *shard) meet(r *request) {
	s.mu.Lock()
	if !s.open.Load() {
		s.mu.Unlock()
		return
	}
	if s.lookup--; s.lookup < 0 {
		s.lookup = lookupEvery
		s.maxCombiners = (runtime.GOMAXPROCS(0) + s.shards - 1) / s.shards
	}
	if s.combiners >= s.maxCombiners {
		if s.crowded(r) {
			s.mu.Unlock()
			return
		}
		s.lengths[r.length].Add(1)
		s.push(r)
		s.mu.Unlock()
		if b := r.wait(); b.Batch != nil {
			s.combine(b, r, len(b.Jobs()) == 1)
		}
		return
	}
	if s.combiners++; s.combiners == 1 {
		s.busy.Lock() // at once: close comes after the last combiner
	}
	s.lengths[r.length].Add(1)
	s.mu.Unlock()
	b := batch{Batch: lanes.NewBatch()}
	b.Join(&r.job)
	s.combine(b, r, true)
}

// crowded reports whether requests much longer than r may fill all lanes. If not, at
// least one lane serves no such request, so r gets a lane soon. The caller holds mu.
func (s *shard) crowded(r *request) bool {
	width, _ := lanes.Width()
	room := (s.combiners - s.surplus) * width
	for i := r.length + much; i < lengthClasses; i++ {
		room -= int(s.lengths[i].Load())
	}
	return room <= 0
}

// leave records that r has left the batch of a combiner. It wakes r's goroutine, unless
// r is own, the request of the calling goroutine.
func (s *shard) leave(r, own *request) {
	s.lengths[r.length].Add(-1)
	if r != own {
		r.wake(batch{})
	}
}

// combine combines b, which contains r, until r is done. If window is set, it opens a
// batching window first.
//
// When a kernel faults, combine recovers, and leaves all requests of b undone. Each
// goroutine does its own request again. So the fault strikes the goroutine whose memory
// it is, in the way that this goroutine has chosen.
func (s *shard) combine(b batch, r *request, window bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r.done {
			return
		}
		cause := recover()
		for _, j := range b.Jobs() {
			s.leave(j.Owner.(*request), r)
		}
		b.Batch = lanes.NewBatch()
		s.pass(b)
		if _, fault := cause.(interface{ Addr() uintptr }); !fault {
			panic(cause)
		}
	}()
	if window {
		s.openWindow(b)
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
			s.leave(other, r)
		}
		if r.done {
			break
		}
		if len(done) > 0 && s.wants(b) {
			s.yield() // goroutines of finished requests go on, and may come again
		}
	}
	s.pass(b)
}

// openWindow is the batching window: it yields until there are enough requests for b,
// at most `yields` times. The more windows in a row were in vain, the more bytes are
// hashed alone before the next window.
func (s *shard) openWindow(b batch) {
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
		s.misses = min(2*s.misses+1, s.maxMisses)
	}
	s.soloLeft.Store(int64(s.misses) * soloUnit)
	s.mu.Unlock()
}

// wants reports whether b has more room than there are requests in the queue.
func (s *shard) wants(b batch) bool { return int(s.waiting.Load()) < b.Room() }

// yield lets other goroutines run, so that they come with requests. It does nothing
// while yields do not pay.
func (s *shard) yield() {
	before := time.Since(s.start)
	if !s.mayYield(before) {
		return
	}
	waited := s.waiting.Load()
	runtime.Gosched()
	s.yielded(before, time.Since(s.start), int(s.waiting.Load()-waited))
}

// mayYield reports whether combiners may yield now.
func (s *shard) mayYield(now time.Duration) bool {
	since := now - time.Duration(s.slowAt.Load())
	return since < 0 || since >= time.Duration(s.noYieldFor.Load())
}

// yielded records a yield from before to after, during which `came` requests arrived. A
// stall that several combiners meet at the same time counts as one slow yield.
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
	s.noYieldFor.Store(int64(min(max(took/noYieldFirst, 2*last), took*noYieldFactor)))
	s.slowAt.Store(int64(after))
}

// admit lets requests from the queue join b, as long as there is room. Of few requests
// it takes b's share only: other combiners are about to take theirs. If there are too
// many combiners, excess batches admit no request.
func (s *shard) admit(b *batch) {
	if s.waiting.Load() == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch staying := s.combiners - s.surplus; {
	case !b.surplus && staying > s.maxCombiners:
		b.surplus = true
		s.surplus++
	case b.surplus && staying < s.maxCombiners:
		b.surplus = false
		s.surplus--
	}
	if b.surplus {
		return
	}
	n, staying := int(s.waiting.Load()), s.combiners-s.surplus
	if n <= maxShared {
		n = (n + staying - 1) / staying
	}
	for range min(n, b.Room()) {
		b.Join(&s.pop().job)
	}
}

// pass hands b over to a goroutine that waits. That is the goroutine with the longest
// request in b, or, if b has no jobs, the first goroutine of the queue. If the queue is
// empty, or there are too many combiners, pass gives b up.
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
	if s.first != nil && s.combiners-s.surplus <= s.maxCombiners {
		r := s.pop()
		s.mu.Unlock()
		b.Join(&r.job)
		r.wake(b)
		return
	}
	if s.combiners--; s.combiners == 0 {
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

// pop takes the first request from the queue. The queue is not empty. The caller holds
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

// close keeps further requests from meeting, and waits for the batches that run.
func (s *shard) close() {
	s.mu.Lock()
	s.open.Store(false)
	s.mu.Unlock()
	s.busy.Lock()
	defer s.busy.Unlock()
}
