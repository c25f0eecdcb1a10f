package lanes

import (
	"slices"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// A Batch is jobs that run side by side. Other jobs may join while it runs. It belongs
// to one goroutine at a time, which may pass it on.
type Batch struct {
	lanes
	live int // number of jobs; those that have waited longest come first
	done [block.MaxLanes]*Job
}

var batches = sync.Pool{New: func() any {
	b := new(Batch)
	for i := range b.state {
		b.state[i] = &b.unused
	}
	return b
}}

// NewBatch returns a batch without jobs.
func NewBatch() *Batch {
	b := batches.Get().(*Batch)
	b.plan = streamPlans.current()
	return b
}

// Release gives up b, which has no jobs.
func (b *Batch) Release() {
	clear(b.next[:])
	clear(b.job[:])
	clear(b.done[:])
	batches.Put(b)
}

// Jobs returns the jobs of b. The result is valid until the next call.
func (b *Batch) Jobs() []*Job { return b.job[:b.live] }

// Room returns the number of jobs that may join.
func (b *Batch) Room() int { return b.Width() - b.live }

// Join adds j, which has at least one block.
func (b *Batch) Join(j *Job) {
	b.job[b.live] = j
	b.begin(b.live)
	b.live++
}

// Step compresses the same number of blocks, at most limit, of every job. If the jobs
// would leave kernels part-filled, a step advances only enough jobs to fill them, and
// the jobs rotate from step to step. Step returns the jobs that have no blocks left, in
// the order of Jobs, and removes them from b. The result is valid until the next call.
func (b *Batch) Step(limit int) []*Job {
	live := b.live
	running, n := live, min(limit, b.shortest(live))
	if t := b.plan.Slice(live, n); t.Lanes < live {
		running, n = t.Lanes, min(limit, b.shortest(t.Lanes))
	}
	n = b.compress(running, n)
	waiting, done := live-running, b.done[:0]
	for i := running - 1; i >= 0; i-- {
		if b.goesOn(i, n) || b.nextSegment(i) {
			continue
		}
		done = append(done, b.job[i])
		running--
		b.move(i, running)
	}
	if waiting > 0 {
		// The jobs that wait come first, then the jobs that have run, both in the order
		// of their lanes, then the lanes of finished jobs.
		b.reverse(0, live)
		b.reverse(0, waiting)
		b.reverse(waiting, live)
	}
	slices.Reverse(done)
	b.live = running + waiting
	clear(b.next[b.live:]) // b may run for long: drop the pointers of finished jobs
	return done
}

// reverse reverses the order of lanes first to end-1.
func (b *Batch) reverse(first, end int) {
	for i, j := first, end-1; i < j; i, j = i+1, j-1 {
		b.swap(i, j)
	}
}

// Longest returns the job with most blocks left.
func (b *Batch) Longest() *Job {
	longest, most := 0, 0
	for i := range b.Jobs() {
		if n := b.total(i); n > most {
			longest, most = i, n
		}
	}
	return b.job[longest]
}
