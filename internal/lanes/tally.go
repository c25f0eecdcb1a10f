package lanes

import (
	"math/bits"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// A Tally counts the blocks of a list of jobs, of which some may have none. It is small,
// and no method has a pointer receiver, so that loops keep it in registers.
type Tally struct {
	jobs, blocks, longest int
	// short is the largest uint(-blocks). The shortest job that has blocks gives it; it
	// is 0 if no job has blocks.
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

// Plus returns the tally of the jobs of both.
func (t Tally) Plus(u Tally) Tally {
	return Tally{t.jobs + u.jobs, t.blocks + u.blocks, max(t.longest, u.longest), max(t.short, u.short)}
}

// Jobs returns the number of jobs that have blocks.
func (t Tally) Jobs() int { return t.jobs }

// IsEqual reports whether all jobs that have blocks have the same number.
func (t Tally) IsEqual() bool { return t.longest == int(-t.short) }

// HasClasses reports whether RunByClasses does the jobs faster than Run: they are short, and
// all have the same number of blocks, or, on average, there are enough to fill the lanes with
// each number from the least to the most.
func (t Tally) HasClasses() bool {
	return t.longest <= maxClassed && (t.IsEqual() || t.jobs >= t.classes()*streamPlans.current().Width)
}

// classes returns how many numbers of blocks there are from the smallest to the largest,
// leaving out 0.
func (t Tally) classes() int { return t.longest - int(-t.short) + 1 }

// AreFewInClasses is AreFew for RunByClasses.
func (t Tally) AreFewInClasses(each int) bool {
	return streamPlans.current().OneByOneInClasses(t.jobs, t.blocks, t.classes(), each)
}

// AreFew reports whether the jobs take less time one after the other than side by side.
// Side by side, each costs `each` cycles more than alone, beside its blocks. AreFew makes
// no plan for jobs of which at most one has blocks.
func (t Tally) AreFew(each int) bool {
	if t.jobs <= 1 {
		return true
	}
	return streamPlans.current().OneByOne(t.jobs, t.blocks, int(-t.short), t.longest, each, false)
}

// AreFewEqual is the method AreFew for n jobs of `blocks` blocks each, which are copied
// whole if they are short.
func AreFewEqual(n, blocks, each int) bool {
	if n <= 1 {
		return true
	}
	return streamPlans.current().OneByOne(n, n*blocks, blocks, blocks, each, true)
}

// NeverPay reports whether n jobs that have `blocks` blocks in all take less time one
// after the other than side by side, however the blocks are distributed. Side by side,
// each job costs `each` cycles more than alone, and all together cost `list` cycles more.
func NeverPay(n, blocks, each, list int) bool {
	return n <= 1 || streamPlans.current().NeverPays(n, blocks, each, list)
}

// AreFew reports whether messages take less time one after the other than side by side. It
// looks at the lengths of at most block.MaxLanes messages. For more messages it returns
// true only if nothing is hashed side by side. `before` bytes of a prefix precede each
// message, and `more` blocks follow it.
func AreFew(msgs [][]byte, before, more int) bool {
	if may := mayPay(msgs, before, more); !may || len(msgs) > block.MaxLanes {
		return !may
	}
	l := lengthsOf(msgs, before)
	return l.areFew(len(msgs), before, more)
}

// mayPay is a first look at messages. For up to block.MaxLanes messages, it reports
// whether they have at least as many blocks as the list with the fewest blocks that pays;
// for more, whether any messages are hashed side by side. lengthsOf would take 10 ns more
// for two messages.
func mayPay(msgs [][]byte, before, more int) bool {
	n := len(msgs)
	if n <= 1 {
		return false
	}
	p := streamPlans.current()
	if n > block.MaxLanes {
		return p.Width > 1
	}
	blocks := n * more
	for _, m := range msgs {
		blocks += block.PaddedBlocks(before + len(m))
	}
	return blocks >= p.Least[n]
}

// lengths is what decides how messages are hashed.
type lengths struct {
	shortest, longest, bytes, blocks int
	// counts has countBits bits for each number of blocks up to block.MaxShort: the number
	// of messages with so many blocks. It is one register: in memory, each message would
	// wait until the count of the message before is stored. counts is valid only if no
	// message has more than MaxShort blocks, and the numbers of blocks differ.
	counts uint64
}

const countBits = 64 / block.MaxShort

// countAt returns the place in counts of the count for a number of blocks.
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

// countBlocks returns the number of blocks of messages that follow `before` bytes of a
// prefix, and the field counts of their lengths. Here counts is valid even if all numbers
// of blocks are equal.
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

// areFew is AreFew for n messages of these lengths, after mayPay.
func (l *lengths) areFew(n, before, more int) bool {
	return n <= block.MaxLanes && l.areUneven(n, before, more)
}

// areUneven is areFew, but for more than block.MaxLanes messages, too.
func (l *lengths) areUneven(n, before, more int) bool {
	return streamPlans.current().OneByOne(n, l.blocks+n*more,
		block.PaddedBlocks(before+l.shortest)+more, block.PaddedBlocks(before+l.longest)+more, 0, true)
}
