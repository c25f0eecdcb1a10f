package lanes

import (
	"math"
	"math/bits"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// A Tally counts the blocks of a list of jobs. Some jobs may have no blocks. A Tally is
// small, and no method has a pointer receiver, so that loops keep a Tally in registers.
type Tally struct {
	jobs, blocks, longest int
	// `short` is the largest uint(-b), where b is a job's number of blocks. It comes from
	// the shortest job that has blocks. If no job has blocks, `short` is 0.
	short uint
}

// With returns t and one more job. It has no branch: a branch would be mispredicted.
func (t Tally) With(blocks int) Tally {
	t.jobs += int(uint(-blocks) >> (bits.UintSize - 1))
	t.blocks += blocks
	t.longest = max(t.longest, blocks)
	t.short = max(t.short, uint(-blocks))
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
	return Tally{t.jobs + u.jobs, t.blocks + u.blocks, max(t.longest, u.longest), max(t.short, u.short)}
}

// Jobs returns the number of jobs that have blocks.
func (t Tally) Jobs() int { return t.jobs }

// IsEqual reports whether all jobs that have blocks have the same number.
func (t Tally) IsEqual() bool { return t.longest == int(-t.short) }

// HasClasses reports whether RunByClasses does the jobs faster than Run. No job may have
// more than maxClassed blocks. In addition, either all jobs that have blocks must have the
// same number, or each class must have, on average, enough jobs to fill the lanes.
func (t Tally) HasClasses() bool {
	return t.longest <= maxClassed && (t.IsEqual() || t.jobs >= t.classes()*streamPlans.current().Width)
}

// classes returns how many numbers of blocks there are from the smallest to the largest,
// both included. Jobs without blocks do not count.
func (t Tally) classes() int { return t.longest - int(-t.short) + 1 }

// AreFewInClasses is AreFew for RunByClasses.
func (t Tally) AreFewInClasses(each int) bool {
	return streamPlans.current().OneByOneInClasses(t.jobs, t.blocks, t.classes(), each)
}

// AreFew reports whether the jobs take less time one after the other than side by side.
// Side by side, each job costs `each` cycles more than alone, not counting its blocks. If
// at most one job has blocks, AreFew returns true without a plan.
func (t Tally) AreFew(each int) bool {
	if t.jobs <= 1 {
		return true
	}
	return streamPlans.current().OneByOne(t.jobs, t.blocks, int(-t.short), t.longest, each, false)
}

// AreFewEqual is the method AreFew for n jobs of `blocks` blocks each. It assumes that jobs
// of up to block.MaxShort blocks are copied whole, so that many jobs share a call.
func AreFewEqual(n, blocks, each int) bool {
	if n <= 1 {
		return true
	}
	return streamPlans.current().OneByOne(n, n*blocks, blocks, blocks, each, true)
}

// NeverPay reports whether n jobs that have `blocks` blocks in all take less time one
// after the other than side by side, however the blocks are distributed. Side by side,
// each job costs `each` cycles more than alone, and the list as a whole costs `list` cycles
// more. That copied short messages share calls is left out.
func NeverPay(n, blocks, each, list int) bool {
	return n <= 1 || streamPlans.current().NeverPays(n, blocks, each, list)
}

// AreFew reports whether messages take less time one after the other than side by side. If
// there are more than block.MaxLanes messages, AreFew does not look at their lengths. It
// then returns true only if the plan's Width is 1. `before` bytes of a prefix precede each
// message. nesting says how each digest is hashed again.
func AreFew(msgs [][]byte, before int, nesting Nesting) bool {
	n := len(msgs)
	if n <= 1 {
		return true
	}
	p := streamPlans.current()
	if n > block.MaxLanes {
		return p.Width == 1
	}
	extra := &nestings[nesting]
	blocks, shortest, longest := n*extra.blocks, math.MaxInt, 0
	for _, m := range msgs {
		b := block.PaddedBlocks(before + len(m))
		blocks += b
		shortest, longest = min(shortest, b), max(longest, b)
	}
	// Least is a look-up; OneByOne divides.
	return blocks < p.Least[n] ||
		p.OneByOne(n, blocks, shortest+extra.blocks, longest+extra.blocks, extra.cycles(n), true)
}

// lengths describes a list of messages. The fields decide how the list is hashed.
type lengths struct {
	shortest, longest, bytes, blocks int
	// `counts` is a packed array of counts of countBits bits: how many messages have 1
	// block, 2 blocks, and so on up to block.MaxShort. It stays in one register. If it were
	// in memory, each message would have to wait for the store of the previous message's
	// count. `counts` is valid only if no message has more than MaxShort blocks, and not all
	// messages have the same number of blocks.
	counts uint64
}

const countBits = 64 / block.MaxShort

// countAt returns the lowest bit, in `counts`, of the count for `blocks` blocks.
func countAt(blocks int) int { return (blocks - 1) * countBits }

// lengthsOf returns the lengths of one or more messages that follow `before` bytes of a
// prefix.
func lengthsOf(msgs [][]byte, before int) lengths {
	l := lengths{shortest: len(msgs[0]), longest: len(msgs[0]), bytes: len(msgs) * len(msgs[0])}
	if !haveLength(msgs, l.shortest) {
		shortest, longest, bytes := l.shortest, 0, 0
		for _, m := range msgs {
			shortest, longest, bytes = min(shortest, len(m)), max(longest, len(m)), bytes+len(m)
		}
		l = lengths{shortest: shortest, longest: longest, bytes: bytes}
	}
	if b := block.PaddedBlocks(before + l.shortest); b == block.PaddedBlocks(before+l.longest) {
		l.blocks = len(msgs) * b
		return l
	}
	l.blocks, l.counts = countBlocks(msgs, before)
	return l
}

// countBlocks returns the total number of blocks of messages that follow `before` bytes of
// a prefix. It also returns `counts` for the field of that name. Here `counts` is valid
// even if all messages have the same number of blocks.
func countBlocks(msgs [][]byte, before int) (blocks int, counts uint64) {
	for _, m := range msgs {
		b := block.PaddedBlocks(before + len(m))
		blocks += b
		counts += 1 << (countAt(b) & 63)
	}
	return blocks, counts
}

// haveLength reports whether all messages have n bytes.
func haveLength(msgs [][]byte, n int) bool {
	for _, m := range msgs {
		if len(m) != n {
			return false
		}
	}
	return true
}

// areUneven reports whether n messages with these lengths take less time one after the
// other than side by side.
func (l *lengths) areUneven(n, before int, nesting Nesting) bool {
	extra := &nestings[nesting]
	return streamPlans.current().OneByOne(n, l.blocks+n*extra.blocks,
		block.PaddedBlocks(before+l.shortest)+extra.blocks, block.PaddedBlocks(before+l.longest)+extra.blocks,
		extra.cycles(n), true)
}
