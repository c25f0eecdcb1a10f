package lanes

import "math/bits"

// A Tally counts the blocks of a list of jobs. Some jobs may have no blocks. A Tally is
// small, and no method has a pointer receiver, so that loops keep a Tally in registers.
type Tally struct {
	jobs, blocks, longest int
	// negShortest is the largest uint(-b), where b is a job's number of blocks. It comes
	// from the shortest job that has blocks. If no job has blocks, negShortest is 0.
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

// TallyEqual returns the tally of n jobs of `blocks` blocks each.
func TallyEqual(n, blocks int) Tally {
	if n == 0 || blocks == 0 {
		return Tally{}
	}
	return Tally{n, n * blocks, blocks, uint(-blocks)}
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
// number, or each class must have, on average, enough jobs to fill the lanes. If the plan has
// PairsPay and Halves, as that of Zen 3, where this was measured, more jobs than lanes are
// enough.
func (t Tally) HasClasses() bool {
	if t.longest > maxClassed || t.IsEqual() {
		return t.longest <= maxClassed
	}
	p := streamPlans.current()
	return p.PairsPay && p.Halves && t.jobs > p.Width || t.jobs >= t.classes()*p.Width
}

// classes returns how many numbers of blocks there are from the smallest to the largest,
// both included. Jobs without blocks do not count.
func (t Tally) classes() int { return t.longest - int(-t.negShortest) + 1 }

// OneByOneInClasses is OneByOne for RunByClasses.
func (t Tally) OneByOneInClasses(each int) bool {
	return streamPlans.current().OneByOneInClasses(t.jobs, t.blocks, t.classes(), each)
}

// OneByOne reports whether the jobs take less time one by one than side by side. Side by side,
// each job costs `each` cycles more than alone, not counting its blocks. If at most one job has
// blocks, OneByOne returns true without a plan.
func (t Tally) OneByOne(each int) bool {
	if t.jobs <= 1 {
		return true
	}
	return streamPlans.current().OneByOne(t.jobs, t.blocks, int(-t.negShortest), t.longest, 0, each, false)
}

// OneByOneEqual is the method OneByOne for n jobs of `blocks` blocks each. It assumes that jobs
// of up to block.MaxShort blocks are copied whole, so that many jobs share a call.
func OneByOneEqual(n, blocks, each int) bool {
	if n <= 1 {
		return true
	}
	return streamPlans.current().OneByOne(n, n*blocks, blocks, blocks, 0, each, true)
}

// AlwaysOneByOne reports whether n jobs that have `blocks` blocks in all take less time one by
// one than side by side, however the blocks are distributed. At least `least` of the jobs have
// blocks. Side by side, each of these costs `each` cycles more than alone, and the list as a
// whole costs `list` cycles more. That copied short messages share calls is left out.
func AlwaysOneByOne(n, least, blocks, each, list int) bool {
	return least <= 1 || streamPlans.current().AlwaysOneByOne(n, least, blocks, each, list)
}
