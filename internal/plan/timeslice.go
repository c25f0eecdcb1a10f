package plan

import (
	"math"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// MaxJobs is the largest number of live jobs. It exceeds the number of lanes, so that the
// last jobs can share lanes (rotate, see below).
const MaxJobs = 2 * block.MaxLanes

// Jobs rotate when they share the lanes of a kernel round robin. Rotation keeps all lanes
// full. States are in memory between calls, so a lane can change its job at any call. For
// example, a kernel of 4 lanes hashes 5 equal jobs in 5/4 of the time of 4 jobs; each job
// pauses once. This is McNaughton's wrap-around rule: m machines finish n preemptible jobs
// in a time of max(longest, sum/m). The jobs with the most blocks left run first.
//
// Each time slice has a fixed cost, so many short slices cost more than a few long ones.
// If jobs differ in length, each slice is a call. If jobs have equal lengths, each slice
// is a turn within a call. A turn costs less than a call.

// A TimeSlice is one step of a rotation. In it, Lanes jobs advance together by Blocks
// blocks. The rotation repeats such steps round robin, each with the next Lanes jobs, until
// a job ends. If Lanes is the number of jobs, all jobs advance together until a job ends.
type TimeSlice struct{ Lanes, Blocks int }

// A rotation is a way to advance every job by the same number of blocks. Each job does its
// blocks in `slices` time slices of equal length, and `lanes` jobs run at a time.
type rotation struct {
	lanes, slices int
	cycles        int // the cost of compressing, for time slices of one block
	overhead      int // the cost of the calls
}

// minRotated is the smallest number of blocks for which equal-length jobs may rotate
// (Rotates), and for which a job may wait to rotate with others (IsLong).
const minRotated = 8

// maxSlices is the largest number of time slices of a job, if each slice is a call.
const maxSlices = 16

// IsLong reports whether a job is long enough to rotate.
func IsLong(blocks int) bool { return blocks >= minRotated }

// cheapest returns how many of n jobs to run at a time. The result is the number, up to
// `width`, with the lowest cost per job. cycles[i] is the cost of advancing i lanes by one
// block. If the result is less than n, the kernels that run this many jobs have no empty
// lane.
func cheapest(n, width int, cycles []int) int {
	lanes := min(n, width)
	for i := 1; i < min(n, width); i++ {
		if cycles[i]*lanes < cycles[lanes]*i {
			lanes = i
		}
	}
	return lanes
}

// rotationsOf returns the rotations of n jobs. Each rotation is the best for some number of
// blocks. The first rotation has one slice: up to Width jobs run together to their end, and
// the others, if any, follow. The other rotations have several slices, and run the cheapest
// number of jobs at a time.
func (p *Streams) rotationsOf(n int) []rotation {
	lanes, together := p.cheapest[n], min(n, p.Width)
	rs := []rotation{{together, 1, p.cycles[together] + p.cycles[n-together], p.overhead.callOf(n)}}
	least := rs[0]
	for s := 2; s <= maxSlices && lanes < n; s++ {
		// The jobs with the most blocks left run first, so no job is ahead of another by more
		// than one slice. All calls have full lanes, except perhaps the last call: it runs
		// the last slice of the remaining jobs.
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

// Slice returns the cheapest time slice for n jobs. The shortest job has `blocks` blocks
// left.
func (p *Streams) Slice(n, blocks int) TimeSlice {
	rs := p.rotations[n]
	best, slice, least := &rs[0], blocks, math.MaxInt
	for i := range rs {
		r := &rs[i]
		if r.slices > blocks {
			break
		}
		// Blocks that do not make up whole slices run as in the first rotation.
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

// Rotates reports whether n jobs of `blocks` blocks each may rotate. SliceEqual decides
// whether they do.
func (p *Streams) Rotates(n, blocks int) bool {
	return blocks >= minRotated && n < 2*p.Width && p.cheapest[n] != n
}

// SliceEqual is Slice for jobs that all have `blocks` blocks left.
func (p *Streams) SliceEqual(n, blocks int) TimeSlice {
	o := &p.overhead
	together := &p.rotations[n][0]
	best, least := TimeSlice{together.lanes, blocks}, blocks*together.cycles+together.overhead
	lanes := p.cheapest[n]
	// With as many slices as lanes, all turns have full lanes. A few more slices may leave
	// fewer blocks that do not make up whole slices.
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
