package lanes

import (
	"slices"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// Jobs rotate when they share the lanes of a kernel round robin, one time slice after
// the other. Package plan decides when jobs rotate.

// An equalSlice is the last result of plan.SliceEqual, with the arguments of that call.
type equalSlice struct {
	plan      *streamPlan
	n, blocks int
	slice     plan.TimeSlice
}

// sliceOfEqual returns the time slice of n jobs of `blocks` blocks each, and whether the
// jobs rotate. sliceOfEqual keeps the last result, because messages of one length need
// the same time slice many times.
func (g *group) sliceOfEqual(n, blocks int) (s plan.TimeSlice, rotates bool) {
	if !g.plan.Rotates(n, blocks) {
		return plan.TimeSlice{}, false
	}
	if a := &g.equal; a.plan != g.plan || a.n != n || a.blocks != blocks {
		*a = equalSlice{g.plan, n, blocks, g.plan.SliceEqual(n, blocks)}
	}
	return g.equal.slice, g.equal.slice.Blocks < blocks
}

// rotating is the memory that rotating jobs need.
type rotating struct {
	// state and next are arguments of kernels. For jobs of different lengths, they hold
	// the pointers of the running lanes. For jobs of equal length, each list is a ring
	// (see block.Kernel.Blocks): it holds the pointers of all jobs twice. In next, the
	// second pointer of a job is one slice further on. Pointers for unused lanes follow.
	state [2*maxJobs + block.MaxLanes]*block.State
	next  [2*maxJobs + block.MaxLanes]*byte

	order  [maxJobs]uint8 // the lanes by falling number of blocks left
	merged [maxJobs]uint8
}

// forget clears the first n elements of both lists. They point to memory of callers, which
// must not be retained.
func (r *rotating) forget(n int) {
	clear(r.state[:n])
	clear(r.next[:n])
}

// rotate runs the jobs of the first `live` lanes round robin, until a segment ends. The
// jobs with the most blocks left run first. rotate returns the number of lanes that are
// still live.
func (g *group) rotate(live int, t plan.TimeSlice, w Work) int {
	r := &g.rotating
	defer r.forget(t.Lanes)
	for i := range live {
		j := i
		for ; j > 0 && g.left[r.order[j-1]] < g.left[i]; j-- {
			r.order[j] = r.order[j-1]
		}
		r.order[j] = uint8(i)
	}
	for {
		running, waiting := r.order[:t.Lanes], r.order[t.Lanes:live]
		shortest := g.left[running[t.Lanes-1]]
		blocks := min(shortest, shortest-g.left[waiting[0]]+t.Blocks)
		for i, lane := range running {
			r.state[i], r.next[i] = g.state[lane], g.next[lane]
		}
		blocks = g.plan.compress(r.state[:], r.next[:], t.Lanes, 0, blocks)
		if blocks == shortest {
			// When a job ends, the job of the last live lane takes its place. That job may
			// have run as well. The loop runs from the highest lane down, so it has
			// handled that job already.
			slices.Sort(running)
			for _, lane := range slices.Backward(running) {
				i := int(lane)
				if g.goesOn(i, blocks) || g.nextSegment(i) {
					continue
				}
				live--
				g.end(i, live, w)
			}
			return live
		}
		for _, lane := range running {
			g.advance(int(lane), blocks)
		}
		g.merge(t.Lanes, live)
	}
}

// merge sorts order[:live] again after the jobs of order[:n] have run. Each of order[:n]
// and order[n:live] is still sorted.
func (g *group) merge(n, live int) {
	r := &g.rotating
	i, j := 0, n
	for at := range live {
		if j == live || i < n && g.left[r.order[i]] > g.left[r.order[j]] {
			r.merged[at] = r.order[i]
			i++
		} else {
			r.merged[at] = r.order[j]
			j++
		}
	}
	r.order, r.merged = r.merged, r.order
}

// rotateEqual runs the jobs of the first `live` lanes, which have equal lengths, as a ring.
// First, all jobs advance by the blocks that do not make up whole slices. Then a kernel
// runs around the ring, one slice a turn. If the last turn would not fill all lanes, its
// jobs run separately at the end, one slice each.
func (g *group) rotateEqual(live, blocks int, t plan.TimeSlice) {
	k := g.plan.kernels[t.Lanes]
	r := &g.rotating
	// A slice is divided if it is longer than a call of the kernel may be.
	parts := (t.Blocks + k.Max - 1) / k.Max
	slice, count := t.Blocks/parts, blocks/t.Blocks*parts // of slices
	at := blocks - count*slice
	g.compressAll(live, 0, at)
	copy(r.state[copy(r.state[:], g.state[:live]):], g.state[:live])
	for i, p := range g.next[:live] {
		r.next[i], r.next[live+i] = p, block.Advance(p, slice)
	}
	readBlocks(r.next[:live], at, count*slice)
	maxTurns := max(1, k.Max/slice) // in one call
	first, turns := 0, live*count/t.Lanes
	for turns > 0 {
		n := min(turns, maxTurns)
		k.Blocks(&r.state[0], &r.next[0], live, first, at, slice, n)
		turns -= n
		first += n * t.Lanes
		at += first / live * slice
		first %= live
	}
	if last := live * count % t.Lanes; last > 0 {
		unused := r.state[first+last:][:block.MaxLanes-last]
		for i := range unused {
			unused[i] = &g.unused
		}
		g.plan.compressAll(r.state[first:], r.next[first:], last, at, slice)
	}
	r.forget(2*live + block.MaxLanes)
}
