// Package lanes decides which blocks of which messages run side by side, and
// on which kernel. It stands on package block, which does the compression; it
// starts no goroutine, and once its pool is warm it allocates nothing.
//
// Messages start longest first. All live lanes advance together by the
// smallest number of blocks that any of them has left; a lane that runs out is
// refilled at once, from the end of a message's whole blocks to its padding to
// the next message. When there is nothing to refill with, the plan for the
// lanes that are left is used: fewer lanes, narrower kernels.
//
// A message much longer than the others needs no special care in one thread:
// every block that it gets done beside others costs less than it would alone,
// and when the others are gone it is alone, on the one-stream kernel.
package lanes

import (
	"math/bits"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// Work is a list of jobs. A job compresses whole blocks into a state.
type Work interface {
	// Blocks returns how many blocks job i has, for the order of starting. 0
	// means that Start and Done are not called.
	Blocks(i int) int
	// Start sets State, First and Rest of l. It may use l's H and Tail, which
	// stay as they are until Done.
	Start(i int, l *Lane)
	// Done tells that the state of job i has taken in all its blocks.
	Done(i int, l *Lane)
}

// A Lane is what a job works on while it is live.
type Lane struct {
	Tail [block.MaxTail]byte // free to use
	H    block.State         // free to use

	State *block.State // to be updated in place
	First []byte       // whole blocks, compressed first
	Rest  []byte       // whole blocks, compressed then

	// Lanes are an odd number of cache lines apart, so that no two tails share
	// a set of the first-level cache or the low 12 bits of their addresses.
	_ [104]byte
}

// window is how many jobs are put in order at a time.
const window = 4096

// A runner holds the live lanes, in slots 0 to live-1.
type runner struct {
	plan *plan

	// The arguments of the kernels. Slots that are not live point at unused and
	// at the data of slot 0.
	state [block.MaxLanes]*block.State
	next  [block.MaxLanes]*byte

	left [block.MaxLanes]int // blocks left of First or Rest
	job  [block.MaxLanes]int
	lane [block.MaxLanes]*Lane

	lanes  [block.MaxLanes]Lane
	used   int // lanes that hold callers' pointers: the first ones
	unused block.State

	order   [window]uint16 // jobs of the window by falling length
	buckets [maxBucket + 1]uint16

	sums sumMany
}

var runners = sync.Pool{New: func() any { return new(runner) }}

// Run does jobs 0 to n-1 of w.
func Run(n int, w Work) {
	r := runners.Get().(*runner)
	r.plan = currentPlan()
	r.run(n, w)
	r.release()
}

// release forgets what belongs to callers.
func (r *runner) release() {
	clear(r.state[:])
	clear(r.next[:])
	for i := range r.lanes[:r.used] {
		l := &r.lanes[i]
		l.State, l.First, l.Rest = nil, nil, nil
	}
	r.used = 0
	r.sums = sumMany{}
	runners.Put(r)
}

func (r *runner) run(n int, w Work) {
	for i := range r.lanes {
		r.lane[i] = &r.lanes[i]
		r.state[i] = &r.unused
	}
	r.used = min(n, r.plan.width)
	for base := 0; base < n; base += window {
		r.runWindow(base, min(window, n-base), w)
	}
}

// runWindow does jobs base to base+n-1.
func (r *runner) runWindow(base, n int, w Work) {
	sorted := n > r.plan.width
	if sorted {
		n = r.sort(base, n, w)
	}
	upcoming := 0
	start := func(slot int) bool {
		for upcoming < n {
			job := base + upcoming
			if sorted {
				job = base + int(r.order[upcoming])
			}
			upcoming++
			if sorted || w.Blocks(job) > 0 {
				l := r.lane[slot]
				w.Start(job, l)
				r.job[slot] = job
				r.state[slot] = l.State
				r.load(slot, l)
				return true
			}
		}
		return false
	}

	live := 0
	for live < r.plan.width && start(live) {
		live++
	}
	for live > 0 {
		step := r.left[0]
		for _, left := range r.left[1:live] {
			step = min(step, left)
		}
		step = r.compress(live, step)

		// Downwards, so that a lane that moves into a gap has been dealt with.
		for slot := live - 1; slot >= 0; slot-- {
			r.left[slot] -= step
			if r.left[slot] > 0 {
				r.next[slot] = advance(r.next[slot], step)
				continue
			}
			l := r.lane[slot]
			if len(l.Rest) > 0 {
				l.First, l.Rest = l.Rest, nil
				r.load(slot, l)
				continue
			}
			w.Done(r.job[slot], l)
			if !start(slot) {
				live--
				r.move(slot, live)
			}
		}
	}
}

// load points slot at what is left of l.
func (r *runner) load(slot int, l *Lane) {
	if len(l.First) == 0 {
		l.First, l.Rest = l.Rest, nil
	}
	r.left[slot] = len(l.First) / block.Size
	r.next[slot] = &l.First[0]
}

// move fills slot from slot last, which is then unused.
func (r *runner) move(slot, last int) {
	r.lane[slot], r.lane[last] = r.lane[last], r.lane[slot]
	r.state[slot], r.state[last] = r.state[last], &r.unused
	r.next[slot] = r.next[last]
	r.left[slot] = r.left[last]
	r.job[slot] = r.job[last]
}

// compress advances the states of all live slots by n blocks, or by as many as
// the kernels of the plan take in one call, and returns how many.
func (r *runner) compress(live, n int) int {
	for slot := 0; slot < live; {
		k := r.plan.kernels[live-slot]
		n = min(n, k.MaxBlocks)
		slot += k.Lanes
	}
	for slot := 0; slot < live; {
		k := r.plan.kernels[live-slot]
		for i := live; i < slot+k.Lanes; i++ {
			r.next[i] = r.next[0]
		}
		k.Blocks(&r.state[slot], &r.next[slot], n)
		slot += k.Lanes
	}
	return n
}

// sort puts the jobs from base on that have blocks into r.order, by falling
// length as far as bucket tells lengths apart, and returns their number.
func (r *runner) sort(base, n int, w Work) int {
	clear(r.buckets[:])
	for i := range n {
		r.buckets[bucket(w.Blocks(base+i))]++
	}
	var place uint16
	for b := maxBucket; b > 0; b-- {
		r.buckets[b], place = place, place+r.buckets[b]
	}
	for i := range n {
		if b := bucket(w.Blocks(base + i)); b > 0 {
			r.order[r.buckets[b]] = uint16(i)
			r.buckets[b]++
		}
	}
	return int(place)
}

// maxBucket is the bucket of the longest message.
const maxBucket = (64 - bucketBits) << bucketBits

// bucketBits is how many bits after the first one tell lengths apart.
const bucketBits = 4

// bucket returns a number that never falls as blocks rises: blocks itself if
// it is small, else its magnitude and its bits after the first one. Only 0
// blocks have bucket 0.
func bucket(blocks int) int {
	shift := bits.Len(uint(blocks)) - 1 - bucketBits
	if shift <= 0 {
		return blocks
	}
	return shift<<bucketBits + blocks>>shift
}
