package lanes

import (
	"slices"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// A Batch is jobs that run side by side, and that others join while they are
// under way. It belongs to one goroutine at a time, which may pass it on.
type Batch struct {
	lanes
	live int // those that have waited longest come first
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
	b.plan = currentPlan()
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

// Room returns how many jobs may join.
func (b *Batch) Room() int { return b.Width() - b.live }

// Join adds j, which has a block at least.
func (b *Batch) Join(j *Job) {
	b.job[b.live] = j
	b.begin(b.live)
	b.live++
}

// Step compresses the same number of blocks, at most limit, of every job, or, if
// that leaves kernels part-filled, of as many as fill them: then jobs take turns
// from call to call. It returns the jobs that have no blocks left, in the order of
// Jobs; they have left b. The result is valid until the next call.
func (b *Batch) Step(limit int) []*Job {
	live := b.live
	running, n := live, min(limit, b.shortest(live))
	if t := b.plan.turnOf(live, n); t.lanes < live {
		running, n = t.lanes, min(limit, b.shortest(t.lanes))
	}
	n = b.compress(running, n)
	waiting, done := live-running, b.done[:0]
	for i := running - 1; i >= 0; i-- {
		if b.goesOn(i, n) || b.turn(i) {
			continue
		}
		done = append(done, b.job[i])
		running--
		b.move(i, running)
	}
	if waiting > 0 {
		// Those that wait come first, then those that have run, both in their order,
		// then the lanes of those that are done.
		b.reverse(0, live)
		b.reverse(0, waiting)
		b.reverse(waiting, live)
	}
	slices.Reverse(done)
	b.live = running + waiting
	clear(b.next[b.live:]) // b may go on for long, and what has left it not be kept
	return done
}

// reverse reverses the order of the lanes from the first to before the end.
func (b *Batch) reverse(first, end int) {
	for i, j := first, end-1; i < j; i, j = i+1, j-1 {
		b.swap(i, j)
	}
}

// Longest returns the job that has most blocks left.
func (b *Batch) Longest() *Job {
	longest, most := 0, 0
	for i := range b.Jobs() {
		if n := b.total(i); n > most {
			longest, most = i, n
		}
	}
	return b.job[longest]
}
