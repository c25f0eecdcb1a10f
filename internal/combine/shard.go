// Package combine runs the jobs of goroutines side by side, by flat combining (Hendler,
// Incze, Shavit and Tzafrir, 2010). It has no goroutine and no timer: the goroutines
// that have the jobs do the work.
package combine

import (
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// A Shard is where requests meet. A batch is a set of jobs that run side by side. The
// goroutine that runs a batch is the batch's combiner. If there are fewer than maxCombiners
// combiners, a goroutine with a request becomes the combiner of a new batch. Otherwise the
// goroutine puts its request into the queue and parks. Between two steps of a batch, the
// combiner takes requests from the queue, if the batch has room, and wakes the goroutines
// of finished requests. A combiner whose own request is done hands its batch over to a
// waiting goroutine: no goroutine hashes for others once its own request is done.
//
// While the queue is not empty, there is a combiner. A combiner takes the first request, or
// hands its batch over to a waiting goroutine. A batch without jobs goes to the goroutine
// of the first request. After GOMAXPROCS has fallen, there may be too many combiners. Then
// a combiner takes no request, and gives up a batch without jobs. Other combiners remain.
// Every job that is not in the queue is in a batch that has a combiner. So no goroutine
// waits forever.
//
// A goroutine hashes alone, on its own P, if meeting others does not pay. There are two
// such cases: no other request came the last time (Solo), or longer requests may fill all
// lanes (crowded).
type Shard struct {
	shards int // among which GOMAXPROCS is divided

	open    atomicBool
	waiting atomicInt32 // length of the queue

	// lengths counts the requests in the queue and in batches by class of length.
	lengths [lengthClasses]atomicInt32

	mu        mutex
	first     *Request // of the queue
	last      **Request
	combiners int
	busy      mutex // locked while there are combiners

	// maxCombiners is this shard's part of GOMAXPROCS. GOMAXPROCS is looked up again only
	// after lookupEvery requests, since a look-up takes the lock of the Go scheduler.
	// After GOMAXPROCS has fallen, no batch admits a request until enough batches have
	// ended.
	maxCombiners, lookup int

	// soloLeft is the number of bytes that writers may still hash alone. When a batching
	// window (openWindow) has brought no request, soloLeft is set to misses times SoloUnit.
	soloLeft atomicInt64
	misses   int

	// slowAt is the end of the last yield that did not pay, as the time since `start`.
	// Combiners do not yield until noYieldFor has passed since slowAt. If the Shard was made
	// or is used in a bubble of testing/synctest, `start` may come from another clock.
	start              time.Time
	slowAt, noYieldFor atomicInt64 // nanoseconds

	slice int // bytes written in the present time slice; unused if Preempts
}

const (
	// lookupEvery is the number of requests between two look-ups of GOMAXPROCS.
	lookupEvery = 64
	// A request does not wait for requests whose class of length is higher by `longer` or
	// more.
	longer = 2
	// maxShared is the largest number of requests in the queue that combiners share. More
	// requests fill a wider kernel: one combiner with a wide kernel is better than two with
	// narrow kernels.
	maxShared = 8
	// blocksPerStep is the largest number of blocks of a step while the batch has room
	// for more requests.
	blocksPerStep = 64
)

// NewShard returns one of `shards` shards, among which GOMAXPROCS is divided.
func NewShard(shards int) *Shard {
	s := &Shard{shards: shards, start: time.Now()}
	s.last = &s.first
	s.open.Store(true)
	return s
}

// Meets reports whether requests can meet in s, which may be nil.
func (s *Shard) Meets() bool { return s != nil && s.open.Load() && lanes.HasLanes(2) }

// Do carries out r, and drops the caller's pointers. Do may panic if memory cannot be read.
// Once Do has returned or panicked, nothing reads the caller's memory. If Do panics, the
// job's state is as it was.
func (s *Shard) Do(r *Request) {
	r.done = false
	r.state = *r.Job.State
	r.class = lengthClass(r.Job.Segments[:])
	defer r.end()
	s.meet(r)
	if !r.done {
		r.alone()
	}
}

// meet does r together with other requests. It leaves r undone in three cases: s is closed,
// r would have to wait for much longer requests, or memory of the batch cannot be read.
func (s *Shard) meet(r *Request) {
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
		s.lengths[r.class].Add(1)
		s.push(r)
		s.mu.Unlock()
		if b := r.wait(); b != nil {
			s.combine(b, r, len(b.Jobs()) == 1)
		}
		return
	}
	if s.combiners++; s.combiners == 1 {
		s.busy.Lock() // does not wait: after Close has locked it, no combiner comes
	}
	s.lengths[r.class].Add(1)
	s.mu.Unlock()
	b := lanes.NewBatch()
	b.Join(&r.Job)
	s.combine(b, r, true)
}

// crowded reports whether r may have to wait for much longer requests, because these may
// fill all lanes. If it returns false, at least one lane serves no such request, so r gets
// a lane soon. If there are too many combiners, a single such request makes crowded return
// true. That request may be in the batch that has to end before other batches admit
// requests. The caller holds mu.
func (s *Shard) crowded(r *Request) bool {
	width := lanes.Width()
	room := s.combiners * width
	if s.combiners > s.maxCombiners {
		room = 1
	}
	for i := r.class + longer; i < lengthClasses; i++ {
		room -= int(s.lengths[i].Load())
	}
	return room <= 0
}

// leave records that r has left the batch of a combiner. It wakes r's goroutine, unless
// r is own, the request of the calling goroutine.
func (s *Shard) leave(r, own *Request) {
	s.lengths[r.class].Add(-1)
	if r != own {
		r.wake(nil)
	}
}

// combine runs b, which contains r, as the combiner of b, until r is done. If `window` is
// set, combine opens a batching window first.
//
// When a kernel faults, combine recovers, and leaves all requests of b undone. Each
// goroutine does its own request again. So the fault recurs in the goroutine whose memory
// cannot be read. The debug.SetPanicOnFault of that goroutine decides whether it panics or
// crashes.
func (s *Shard) combine(b *lanes.Batch, r *Request, window bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r.done {
			return
		}
		cause := recover()
		for _, j := range b.Jobs() {
			s.leave(j.Owner.(*Request), r)
		}
		b = lanes.NewBatch()
		s.pass(b)
		if _, fault := cause.(interface{ Addr() uintptr }); !fault {
			panic(cause)
		}
	}()
	if window {
		s.openWindow(b)
	}
	for {
		s.admit(b)
		done := b.Step(stepLimit(b))
		for _, j := range done {
			other := j.Owner.(*Request)
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

// stepLimit returns how many blocks the next step of b may have.
func stepLimit(b *lanes.Batch) int {
	if b.Room() > 0 {
		return blocksPerStep
	}
	return math.MaxInt
}

// admit lets requests from the queue join b, as long as there is room. If few requests
// wait, admit takes only b's share: other combiners are about to take the rest. If there
// are too many combiners, admit takes no request, so that batches end.
func (s *Shard) admit(b *lanes.Batch) {
	if s.waiting.Load() == 0 || b.Room() == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.combiners > s.maxCombiners {
		return
	}
	for range min(share(int(s.waiting.Load()), s.combiners), b.Room()) {
		b.Join(&s.pop().Job)
	}
}

// share returns how many of n requests in the queue each combiner takes. There are
// `combiners` combiners.
func share(n, combiners int) int {
	if n > maxShared {
		return n
	}
	return (n + combiners - 1) / combiners
}

// pass hands b over to a waiting goroutine. If b has jobs, the goroutine with the longest
// request in b gets b. If b has no jobs, the first goroutine of the queue gets b, unless
// there are too many combiners. If no goroutine gets b, pass gives up b.
func (s *Shard) pass(b *lanes.Batch) {
	if len(b.Jobs()) > 0 {
		b.Longest().Owner.(*Request).wake(b)
		return
	}
	s.mu.Lock()
	if s.first != nil && s.combiners <= s.maxCombiners {
		r := s.pop()
		s.mu.Unlock()
		b.Join(&r.Job)
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
func (s *Shard) push(r *Request) {
	*s.last = r
	s.last = &r.next
	s.waiting.Add(1)
}

// pop takes the first request from the queue. The queue is not empty. The caller holds
// mu.
func (s *Shard) pop() *Request {
	r := s.first
	s.first, r.next = r.next, nil
	if s.first == nil {
		s.last = &s.first
	}
	s.waiting.Add(-1)
	return r
}

// Close keeps further requests from meeting, and waits for the batches that run.
func (s *Shard) Close() {
	s.mu.Lock()
	s.open.Store(false)
	s.mu.Unlock()
	s.busy.Lock()
	defer s.busy.Unlock()
}
