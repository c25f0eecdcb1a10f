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
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/race"
)

// Work is a list of jobs. A job compresses whole blocks into a state.
type Work interface {
	// Blocks returns how many blocks job i has, for the order of starting.
	Blocks(i int) int
	// Start sets State, First and Rest of l. It may use l's H and Tail, which
	// stay as they are until Done. It reports false if job i has no blocks: then
	// it is done.
	Start(i int, l *Lane) bool
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

	Job any // in a Convoy: free to use

	// Lanes are an odd number of cache lines apart, so that no two tails share
	// a set of the first-level cache or the low 12 bits of their addresses.
	_ [88]byte
}

// window is how many jobs are put in order at a time.
const window = 4096

// slots are where lanes run, those that are live first.
type slots struct {
	plan *plan

	// State and Next are the arguments of the kernels. The states of slots that
	// are not live are unused, and their blocks those of slot 0.
	State [block.MaxLanes]*block.State
	Next  [block.MaxLanes]*byte

	left   [block.MaxLanes]int // blocks left of First or Rest
	lane   [block.MaxLanes]*Lane
	unused block.State
}

// A Group is what Run works with: slots, with lanes of their own. Callers that
// know all their jobs to be alike, so that nothing has to be put in order or
// refilled, use it directly: they set State and Next of the first slots,
// Compress, and Retire the slots that they used.
type Group struct {
	slots

	// Lanes are what slots use for a job at first; Run exchanges them.
	Lanes [block.MaxLanes]Lane

	job [block.MaxLanes]int

	// The window: jobs base to base+count-1, of which upcoming are started; if
	// sorted, in the order of order.
	base, upcoming, count int
	sorted                bool
	order                 [window]uint16
	buckets               [window]uint16        // of each job
	places                [maxBucket + 1]uint16 // in order, for the next of each bucket

	used int // slots whose lanes hold callers' pointers: the first ones

	sums sumMany
}

var groups = sync.Pool{New: func() any {
	g := new(Group)
	for i := range g.Lanes {
		g.lane[i] = &g.Lanes[i]
		g.State[i] = &g.unused
	}
	return g
}}

// Acquire returns a group for the caller's use until Release.
func Acquire() *Group {
	g := groups.Get().(*Group)
	g.plan = currentPlan()
	return g
}

// Run does jobs 0 to n-1 of w. If uneven it starts the longest first, as is
// best when they differ in length by more than a block or two.
func Run(n int, w Work, uneven bool) {
	g := Acquire()
	g.run(n, w, uneven)
	g.Release()
}

// Release forgets what belongs to callers.
func (g *Group) Release() {
	clear(g.Next[:])
	for _, l := range g.lane[:g.used] {
		l.State, l.First, l.Rest = nil, nil, nil
	}
	g.used = 0
	g.sums = sumMany{}
	groups.Put(g)
}

// Width returns how many slots there are to use.
func (s *slots) Width() int { return s.plan.width }

func (g *Group) run(n int, w Work, uneven bool) {
	g.used = min(n, g.Width())
	for base := 0; base < n; base += window {
		g.base, g.upcoming, g.count = base, 0, min(window, n-base)
		g.sorted = uneven && g.count > g.Width()
		if g.sorted {
			g.sort(w)
		}
		g.runWindow(w)
	}
}

// runWindow does the jobs of the window.
func (g *Group) runWindow(w Work) {
	live := 0
	for live < g.Width() && g.start(live, w) {
		live++
	}
	for live > 0 {
		step := g.compress(live, g.shortest(live))

		// Downwards, so that a lane that moves into a gap has been dealt with.
		for slot := live - 1; slot >= 0; slot-- {
			if !g.settle(slot, step) {
				continue
			}
			w.Done(g.job[slot], g.lane[slot])
			if !g.start(slot, w) {
				live--
				g.move(slot, live)
				g.job[slot] = g.job[live]
			}
		}
	}
}

// start puts the next job into slot. It reports whether there was one.
func (g *Group) start(slot int, w Work) bool {
	for g.upcoming < g.count {
		job := g.base + g.upcoming
		if g.sorted {
			job = g.base + int(g.order[g.upcoming])
		}
		g.upcoming++
		l := g.lane[slot]
		if !w.Start(job, l) {
			continue
		}
		g.job[slot] = job
		g.begin(slot, l)
		return true
	}
	return false
}

// begin has slot, whose lane l is, compress what l holds.
func (s *slots) begin(slot int, l *Lane) {
	s.State[slot] = l.State
	if len(l.First) > 0 {
		s.load(slot, l.First)
	} else {
		s.load(slot, l.Rest)
		l.Rest = nil
	}
}

// load points slot at blocks.
func (s *slots) load(slot int, blocks []byte) {
	s.left[slot] = len(blocks) / block.Size
	s.Next[slot] = unsafe.SliceData(blocks)
}

// shortest returns the smallest number of blocks that a live slot has left.
func (s *slots) shortest(live int) int {
	n := s.left[0]
	for _, left := range s.left[1:live] {
		n = min(n, left)
	}
	return n
}

// settle takes note that slot has compressed n blocks, and reports whether its
// lane is done.
func (s *slots) settle(slot, n int) bool {
	if s.left[slot] -= n; s.left[slot] == 0 {
		return !s.turn(slot)
	}
	s.Next[slot] = advance(s.Next[slot], n)
	return false
}

// turn takes slot to the second part of its lane, and reports whether there is
// one.
func (s *slots) turn(slot int) bool {
	l := s.lane[slot]
	s.load(slot, l.Rest)
	l.Rest = nil
	return s.left[slot] > 0
}

// move fills slot from slot last, which is then unused.
func (s *slots) move(slot, last int) {
	s.lane[slot], s.lane[last] = s.lane[last], s.lane[slot]
	s.State[slot], s.State[last] = s.State[last], &s.unused
	s.Next[slot] = s.Next[last]
	s.left[slot] = s.left[last]
}

// advance moves p by n blocks, within the memory that it points into.
func advance(p *byte, n int) *byte {
	return (*byte)(unsafe.Add(unsafe.Pointer(p), n*block.Size))
}

// Compress advances the states of the first live slots by n blocks each.
func (s *slots) Compress(live, n int) {
	for n > 0 {
		step := s.compress(live, n)
		if n -= step; n > 0 {
			for slot := range live {
				s.Next[slot] = advance(s.Next[slot], step)
			}
		}
	}
}

// Retire ends the use of slots from live to the end.
func (s *slots) Retire(live int) {
	for slot := live; slot < len(s.State); slot++ {
		s.State[slot] = &s.unused
	}
}

// compress advances the states of all live slots by n blocks, or by as many as
// the kernels of the plan take in one call, and returns how many.
func (s *slots) compress(live, n int) int {
	for slot := 0; slot < live; {
		k := s.plan.kernels[live-slot]
		n = min(n, k.MaxBlocks)
		slot += k.Lanes
	}
	if race.Enabled {
		for _, next := range s.Next[:live] {
			race.Read(unsafe.Slice(next, n*block.Size))
		}
	}
	for slot := 0; slot < live; {
		k := s.plan.kernels[live-slot]
		for i := live; i < slot+k.Lanes; i++ {
			s.Next[i] = s.Next[0]
		}
		k.Blocks(&s.State[slot], &s.Next[slot], n)
		slot += k.Lanes
	}
	return n
}

// sort puts the jobs of the window into g.order, by falling length as far as
// bucket tells lengths apart.
func (g *Group) sort(w Work) {
	clear(g.places[:])
	buckets := g.buckets[:g.count]
	for i := range buckets {
		b := bucket(w.Blocks(g.base + i))
		buckets[i] = uint16(b)
		g.places[b]++
	}
	var place uint16
	for b := maxBucket; b >= 0; b-- {
		g.places[b], place = place, place+g.places[b]
	}
	for i, b := range buckets {
		g.order[g.places[b]] = uint16(i)
		g.places[b]++
	}
}

// maxBucket is the bucket of the longest message.
const maxBucket = (64 - bucketBits) << bucketBits

// bucketBits is how many bits after the first one tell lengths apart.
const bucketBits = 4

// bucket returns a number that never falls as blocks rises: blocks itself if
// it is small, else its magnitude and its bits after the first one.
func bucket(blocks int) int {
	shift := bits.Len(uint(blocks)) - 1 - bucketBits
	if shift <= 0 {
		return blocks
	}
	return shift<<bucketBits + blocks>>shift
}
