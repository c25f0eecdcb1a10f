package plan

import (
	"math"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// MaxJobs is the largest number of live jobs. It exceeds the number of lanes, so that
// the last jobs can rotate.
const MaxJobs = 2 * block.MaxLanes

// Jobs that do not fill a kernel need not run on a part-filled kernel. States are in
// memory between calls, so a lane can change its job at any call. For example, 5
// jobs run on a kernel of 4 lanes in 5/4 of the time of 4 jobs; each job pauses once.
// This is McNaughton's wrap-around rule: m machines finish n interruptible jobs in
// max(longest, sum/m). The jobs with most blocks left go first.
//
// Each time slice has a fixed cost, so shorter slices cost more. If jobs differ in
// length, each slice is a call. If jobs have equal lengths, each slice is a turn of a
// call; a turn costs less than a call.

// A TimeSlice says how jobs go on: Lanes jobs advance together by Blocks blocks, then
// other jobs follow, round robin, until a job ends. If Lanes is the number of jobs, all
// jobs advance until a job ends.
type TimeSlice struct{ Lanes, Blocks int }

// A rotation is a way to advance all jobs by the same number of blocks. `lanes` jobs
// run at a time. A time slice has 1/slices of the blocks.
type rotation struct {
	lanes, slices int
	cycles        int // the cost of advancing every job by `slices` blocks
	overhead      int // the cost of the calls
}

// minRotated is the smallest number of blocks in a job that rotates.
const minRotated = 8

// maxSlices is the largest number of slices of a job, if each slice is a call.
const maxSlices = 16

// IsLong reports whether a job is long enough to rotate.
func IsLong(blocks int) bool { return blocks >= minRotated }

// cheapest returns how many of n jobs should run at a time: the number up to width
// for which each job costs least. cycles[i] is the cost of advancing i lanes by a
// block. Unless the result is n, that many jobs fill one kernel.
func cheapest(n, width int, cycles []int) int {
	lanes := min(n, width)
	for i := 1; i < min(n, width); i++ {
		if cycles[i]*lanes < cycles[lanes]*i {
			lanes = i
		}
	}
	return lanes
}

// rotationsOf returns ways to advance n jobs, each of which is the best for some
// number of blocks. The first way has one slice: all jobs run together, or, if there
// are more than Width, Width jobs run to their end and then the others. The other
// ways run the cheapest number of jobs at a time, in several slices.
func (p *Streams) rotationsOf(n int) []rotation {
	lanes, together := p.cheapest[n], min(n, p.Width)
	rs := []rotation{{together, 1, p.cycles[together] + p.cycles[n-together], p.overhead.callOf(n)}}
	least := rs[0]
	for s := 2; s <= maxSlices && lanes < n; s++ {
		// The jobs with most blocks left go first, so all jobs stay within one slice of each
		// other. All calls have full lanes, except the last: it does the last slice of the
		// jobs that are left over.
		calls, rest := n*s/lanes, n*s%lanes
		r := rotation{lanes, s, calls * p.cycles[lanes], calls * p.overhead.callOf(lanes)}
		if rest > 0 {
			r.cycles += p.cycles[rest]
			r.overhead += p.overhead.callOf(rest)
		}
		if r.cycles*least.slices < least.cycles*r.slices {
			rs, least = append(rs, r), r
		}
	}
	return rs
}

// Slice returns how n jobs go on. The shortest job has `blocks` blocks left.
func (p *Streams) Slice(n, blocks int) TimeSlice {
	rs := p.rotations[n]
	best, slice, least := &rs[0], blocks, math.MaxInt
	for i := range rs {
		r := &rs[i]
		if r.slices > blocks {
			break
		}
		// The blocks left over by the division into slices are done in the first way.
		s := blocks / r.slices
		cost := s*r.cycles + r.overhead
		if rest := blocks - s*r.slices; rest > 0 {
			cost += rest*rs[0].cycles + rs[0].overhead
		}
		if cost < least {
			best, slice, least = r, s, cost
		}
	}
	return TimeSlice{best.lanes, slice}
}

// Rotates reports whether SliceEqual may return a rotation for n jobs that each have
// that number of blocks.
func (p *Streams) Rotates(n, blocks int) bool { return blocks >= minRotated && p.cheapest[n] != n }

// SliceEqual is Slice for jobs that all have that number of blocks left.
func (p *Streams) SliceEqual(n, blocks int) TimeSlice {
	o := &p.overhead
	together := &p.rotations[n][0]
	best, least := TimeSlice{together.lanes, blocks}, blocks*together.cycles+together.overhead
	lanes := p.cheapest[n]
	// If the number of slices is the number of lanes, no slice is left over. A few
	// more slices may divide the blocks better.
	limit := min(lanes+min(lanes, 8), blocks)
	for s := 2; s <= limit && lanes < n; s++ {
		slice := blocks / s
		slices := blocks / slice
		turns, last := n*slices/lanes, n*slices%lanes
		cost := turns*(slice*p.cycles[lanes]+o.turnOf(lanes)) + o.callOf(lanes) + n*o.pointers
		if last > 0 {
			cost += slice*p.cycles[last] + o.callOf(last) + o.rest
		}
		if rest := blocks - slices*slice; rest > 0 {
			cost += rest*together.cycles + together.overhead
		}
		if cost < least {
			best, least = TimeSlice{lanes, slice}, cost
		}
	}
	return best
}
