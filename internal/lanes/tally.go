package lanes

import (
	"math/bits"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// A Kind says what a list is of.
type Kind = plan.Kind

const (
	EqualWrites   = plan.EqualWrites   // RunEqual does them
	ClassedWrites = plan.ClassedWrites // RunByClasses does them
	MixedWrites   = plan.MixedWrites   // Run does them
)

// A Tally counts the blocks of a list of jobs. Some jobs may have no blocks. A Tally is
// small, and no method has a pointer receiver, so that loops keep a Tally in registers.
type Tally struct {
	jobs, blocks, longest int
	// negShortest is the largest uint(-b), where b is a job's number of blocks. It comes
	// from the shortest job that has blocks. If no job has blocks, negShortest is 0. In a Tally of
	// TallyBetween, it comes from the shortest job of all.
	negShortest uint
}

// With returns t and one more job. It has no branch: a branch would be mispredicted.
func (t Tally) With(blocks int) Tally {
	t.jobs += int(uint(-blocks) >> (bits.UintSize - 1))
	t.blocks += blocks
	t.longest = max(t.longest, blocks)
	t.negShortest = max(t.negShortest, uint(-blocks))
	return t
}

// TallyBetween returns the tally of n jobs of `shortest` to `longest` blocks each. They have
// about `blocks` blocks in all. If shortest is 0, those without blocks count as jobs.
func TallyBetween(n, blocks, shortest, longest int) Tally {
	return Tally{n, min(max(blocks, n*shortest), n*longest), longest, uint(-shortest)}
}

// Plus returns the tally of the jobs of both.
func (t Tally) Plus(u Tally) Tally {
	return Tally{t.jobs + u.jobs, t.blocks + u.blocks, max(t.longest, u.longest), max(t.negShortest, u.negShortest)}
}

// Jobs returns the number of jobs that have blocks.
func (t Tally) Jobs() int { return t.jobs }

// Longest returns the largest number of blocks of a job.
func (t Tally) Longest() int { return t.longest }

// IsEqual reports whether all jobs that have blocks have the same number.
func (t Tally) IsEqual() bool { return t.longest == int(-t.negShortest) }

// IsUneven reports whether the numbers of blocks of jobs that have blocks differ by more than
// one.
func (t Tally) IsUneven() bool { return t.classes() > 2 }

// HasClasses reports whether RunByClasses does the jobs faster than Run. No job may have
// more than maxClassed blocks. In addition, all jobs that have blocks must have the same
// number, or the plan's HasClasses must hold.
func (t Tally) HasClasses() bool {
	return t.longest <= maxClassed && (t.IsEqual() || streamPlans.current().HasClasses(t.jobs, t.classes()))
}

// classes returns how many numbers of blocks there are from the smallest to the largest,
// both included. Jobs without blocks do not count.
func (t Tally) classes() int { return t.longest - int(-t.negShortest) + 1 }

// OneByOne reports whether a list of that kind takes less time one by one than side by side.
// Side by side, each job costs the caller `each` cycles more than alone. `each` may be negative
// only if there are more than block.MaxLanes jobs: the look-ups for fewer are bounds only for an
// `each` of 0 or more. If at most one job has blocks, OneByOne returns true without a plan.
func (t Tally) OneByOne(kind Kind, each int) bool {
	if t.jobs <= 1 {
		return true
	}
	p := streamPlans.current()
	if t.jobs <= block.MaxLanes { // look-ups take less time
		isEqual := kind == EqualWrites
		if isEqual && t.longest < p.LeastWrites[t.jobs] || !t.IsEqual() && t.blocks < p.LeastUnequal[t.jobs] {
			return true
		}
		if isEqual && each == 0 {
			return false
		}
	}
	return p.OneByOne(kind, t.jobs, t.blocks, int(-t.negShortest), t.longest, 0, each)
}

// FarCycles is that of the plan in use.
func FarCycles(kind Kind) int { return streamPlans.current().FarCycles(kind) }

// FreshCycles is that of the plan in use.
func FreshCycles() int { return streamPlans.current().FreshCycles() }

// AlwaysOneByOne reports whether n writes of that kind, with `blocks` blocks in all, take less time
// one by one than side by side (see plan.Streams.AlwaysOneByOne). At least `least` of them have
// blocks. Side by side, each of these costs the caller `each` cycles more than alone.
func AlwaysOneByOne(kind Kind, n, least, blocks, each int) bool {
	return least <= 1 || streamPlans.current().AlwaysOneByOne(kind, n, least, blocks, each)
}

// ShortOneByOne reports whether n writes of up to `longest` blocks each take less time one by one
// than side by side, however few of them complete a block, and however unequal they are. n is at
// most block.MaxLanes.
func ShortOneByOne(n, longest int) bool { return longest < streamPlans.current().LeastLongest[n] }

// UnequalOneByOne reports whether n writes with `blocks` blocks in all take less time one by one
// than side by side, however unequal they are. If few is set, most of them may complete no block,
// or run apart. n is 2 to block.MaxLanes. The plan has tables for it (see plan.Streams).
func UnequalOneByOne(n, blocks int, few bool) bool {
	p := streamPlans.current()
	if few {
		return blocks < p.LeastOfFew[n]
	}
	return blocks < p.LeastUnequal[n]
}

// LeastEnds returns the number of blocks from which n ends of hashes take less time side by side
// (see plan.Streams.LeastEnds).
func LeastEnds(n int) int { return streamPlans.current().LeastEnds(n) }

// StdEndsOneByOne reports whether n ends of hashes of crypto/sha256 take less time by their
// method Sum than side by side. Such a hash does not tell how many blocks its end has. For one
// hash, StdEndsOneByOne makes no plan: that would take longer than hashing.
func StdEndsOneByOne(n int) bool { return n <= 1 || streamPlans.current().StdEndsOneByOne(n) }
