package lanes

import (
	"math"
	"slices"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/race"
)

// Jobs that do not fill a kernel need not run on a part-filled one. States are in
// memory between calls, so a lane can change its job at any of them: 5 jobs run
// on a kernel of 4 lanes, each pausing once, in 5/4 of its time. That is
// McNaughton's wrap-around rule: m machines finish n jobs, which may be
// interrupted, in max(longest, sum/m). Jobs with most left go first.
//
// What it takes is more turns: a slice is what jobs advance by in one of them, and
// the shorter it is, the more often the fixed cost of a turn is paid. That is a
// call's where jobs differ, and less where a kernel goes from turn to turn itself.

// A turn says how to go on with jobs: so many of them advance together by slice
// blocks, then others have their turn, until a job ends. If lanes is the number
// of jobs all advance, until one ends.
type turn struct{ lanes, slice int }

// A rotation is a way to advance jobs by the same number of blocks each: so many
// of them at a time, in slices of 1/slices of that number.
type rotation struct {
	lanes, slices int
	cycles        int // to advance every job by as many blocks as there are slices
	overhead      int // of the calls, in cycles
}

// minTurn is how many blocks a job has to have for taking turns with others to be
// looked at.
const minTurn = 8

// maxSlices is the most that jobs are divided into where each slice takes a call.
const maxSlices = 16

// callCost estimates what it takes, in cycles, to call kernels with so many lanes,
// beside their blocks: what was measured on Zen 5, 58 ns for x32_avx512, 32 for
// x16_avx512 and 8 for x4_shani, with what package lanes does between calls.
func callCost(lanes int) int { return 30 + 6*lanes }

// turnCost is the same for another turn in a call: 15 ns for x32_avx512 and for
// x16_avx512, 1 or 2 for x4_shani.
func turnCost(lanes int) int { return min(4*lanes, 60) }

// What it takes once for jobs that are alike, in cycles, as measured on Zen 5: for
// the pointers to each of them, and for slices that are left over, which go to
// another kernel: a call between two of wide kernels takes long.
const (
	pointersCost = 6
	leftCost     = 250
)

// cheapest returns how many of n jobs, at most width, cost least each together, by
// the cycles that it takes to advance i lanes together by one block, cycles[i].
// They fill one kernel, unless they are all n.
func cheapest(n, width int, cycles []int) int {
	lanes := min(n, width)
	for i := 1; i < min(n, width); i++ {
		if cycles[i]*lanes < cycles[lanes]*i {
			lanes = i
		}
	}
	return lanes
}

// rotations returns the ways to advance n jobs that are best for some number of
// blocks: the cheapest number of lanes at a time, in several slices, or, which
// comes first, all together, or width of them to their end and then the others.
func rotations(n, width, lanes int, cycles []int) []rotation {
	together := min(n, width)
	rs := []rotation{{together, 1, cycles[together] + cycles[n-together], callCost(n)}}
	least := rs[0]
	for s := 2; s <= maxSlices && lanes < n; s++ {
		// Those with most left go first, so they stay within one slice of each other:
		// full calls do all but one slice each of the jobs that are left at the end.
		calls, rest := n*s/lanes, n*s%lanes
		r := rotation{lanes, s, calls * cycles[lanes], calls * callCost(lanes)}
		if rest > 0 {
			r.cycles += cycles[rest]
			r.overhead += callCost(rest)
		}
		if r.cycles*least.slices < least.cycles*r.slices {
			rs, least = append(rs, r), r
		}
	}
	return rs
}

// turnOf returns how to go on with n jobs of which the shortest has so many
// blocks left.
func (p *plan) turnOf(n, blocks int) turn {
	rs := p.rotations[n]
	best, slice, least := &rs[0], blocks, math.MaxInt
	for i := range rs {
		r := &rs[i]
		if r.slices > blocks {
			break
		}
		// What slices do not divide is done as by the first way.
		s := blocks / r.slices
		cost := s*r.cycles + r.overhead
		if rest := blocks - s*r.slices; rest > 0 {
			cost += rest*rs[0].cycles + rs[0].overhead
		}
		if cost < least {
			best, slice, least = r, s, cost
		}
	}
	return turn{best.lanes, slice}
}

// turnOfAlike is turnOf for jobs that all have so many blocks left.
func (p *plan) turnOfAlike(n, blocks int) turn {
	together := &p.rotations[n][0]
	best, least := turn{together.lanes, blocks}, blocks*together.cycles+together.overhead
	lanes := p.cheapest[n]
	// Of as many slices as lanes none is left over. A few more may divide the blocks
	// better.
	most := min(lanes+min(lanes, 8), blocks)
	for s := 2; s <= most && lanes < n; s++ {
		slice := blocks / s
		slices := blocks / slice
		turns, last := n*slices/lanes, n*slices%lanes
		cost := turns*(slice*p.cycles[lanes]+turnCost(lanes)) + callCost(lanes) + n*pointersCost
		if last > 0 {
			cost += slice*p.cycles[last] + callCost(last) + leftCost
		}
		if rest := blocks - slices*slice; rest > 0 {
			cost += rest*together.cycles + together.overhead
		}
		if cost < least {
			best, least = turn{lanes, slice}, cost
		}
	}
	return best
}

// An alike is how jobs that are alike were done.
type alike struct {
	plan      *plan
	n, blocks int
	turn      turn
}

// turnOfAlike is that of the plan, and reports whether n jobs of so many blocks
// each had better take turns. What was weighed last is kept, for lists of messages
// of one length.
func (g *group) turnOfAlike(n, blocks int) (t turn, better bool) {
	if blocks < minTurn || g.plan.cheapest[n] == n {
		return turn{}, false
	}
	if a := &g.alike; a.plan != g.plan || a.n != n || a.blocks != blocks {
		*a = alike{g.plan, n, blocks, g.plan.turnOfAlike(n, blocks)}
	}
	return g.alike.turn, g.alike.turn.slice < blocks
}

// rotating is what jobs that take turns need.
type rotating struct {
	// state and next are the arguments of the kernels: those of the lanes whose
	// turn it is. Of jobs that are all alike they are all there, and once more
	// behind them, a slice on, so that any lane and those that follow it, around
	// the end, stand side by side; and then there is room for lanes that are not used.
	state [2*maxJobs + block.MaxLanes]*block.State
	next  [2*maxJobs + block.MaxLanes]*byte

	order  [maxJobs]uint8 // the lanes by what they have left, falling
	merged [maxJobs]uint8
}

// forget lets go of what is the caller's: of the first n.
func (r *rotating) forget(n int) {
	clear(r.state[:n])
	clear(r.next[:n])
}

// rotate has the jobs of the first live lanes take turns, those with most left
// first, until a piece of one ends. It returns how many lanes are live then.
func (g *group) rotate(live int, t turn, w Work) int {
	r := &g.rotating
	defer r.forget(t.lanes)
	for i := range live {
		j := i
		for ; j > 0 && g.left[r.order[j-1]] < g.left[i]; j-- {
			r.order[j] = r.order[j-1]
		}
		r.order[j] = uint8(i)
	}
	for {
		running, waiting := r.order[:t.lanes], r.order[t.lanes:live]
		shortest := g.left[running[t.lanes-1]]
		blocks := min(shortest, shortest-g.left[waiting[0]]+t.slice)
		for i, lane := range running {
			r.state[i], r.next[i] = g.state[lane], g.next[lane]
		}
		blocks = g.plan.compress(r.state[:], r.next[:], t.lanes, 0, blocks)
		if blocks == shortest {
			// Those with the highest numbers leave first: the lane that takes the place
			// of one has been dealt with.
			slices.Sort(running)
			for _, lane := range slices.Backward(running) {
				i := int(lane)
				if g.goesOn(i, blocks) || g.turn(i) {
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
		g.merge(t.lanes, live)
	}
}

// merge puts the first live lanes in order again, of which the first n have run.
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

// rotateAlike has the jobs of the first live lanes, of so many blocks each, take
// turns one after the other, around and around. What slices do not divide comes
// first, and one slice of those whose turn does not come any more comes last.
func (g *group) rotateAlike(live, blocks int, t turn) {
	k := g.plan.kernels[t.lanes]
	r := &g.rotating
	// Slices of more than a kernel takes in one call are divided.
	parts := (t.slice + k.MaxBlocks - 1) / k.MaxBlocks
	slice, slices := t.slice/parts, blocks/t.slice*parts
	at := blocks - slices*slice
	g.compressAll(live, at)
	copy(r.state[copy(r.state[:], g.state[:live]):], g.state[:live])
	for i, p := range g.next[:live] {
		r.next[i], r.next[live+i] = p, block.Advance(p, slice)
	}
	if race.Enabled {
		for _, p := range r.next[:live] {
			race.Read(unsafe.Slice(block.Advance(p, at), slices*slice*block.Size))
		}
	}
	most := max(1, k.MaxBlocks/slice) // turns in one call
	first, turns := 0, live*slices/t.lanes
	for turns > 0 {
		n := min(turns, most)
		k.Blocks(&r.state[0], &r.next[0], live, first, at, slice, n)
		turns -= n
		first += n * t.lanes
		at += first / live * slice
		first %= live
	}
	if last := live * slices % t.lanes; last > 0 {
		unused := r.state[first+last:][:block.MaxLanes-last]
		for i := range unused {
			unused[i] = &g.unused
		}
		g.plan.compressAll(r.state[first:], r.next[first:], last, at, slice)
	}
	r.forget(2*live + block.MaxLanes)
}
