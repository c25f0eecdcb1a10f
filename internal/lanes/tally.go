package lanes

import (
	"math/bits"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// A Tally counts the blocks of a list of jobs, of which some may have none. It is small,
// and has no method with a pointer, so that loops keep it in registers.
type Tally struct {
	jobs, blocks, longest int
	// short is the negative of the shortest job's blocks, as an unsigned number: the
	// largest of them all, and 0 without jobs.
	short uint
}

// With returns t and one more job. It has no branch: they would be mispredicted.
func (t Tally) With(blocks int) Tally {
	t.jobs += int(uint(-blocks) >> (bits.UintSize - 1))
	t.blocks += blocks
	t.longest = max(t.longest, blocks)
	t.short = max(t.short, uint(-blocks))
	return t
}

// Plus returns the jobs of both tallies.
func (t Tally) Plus(u Tally) Tally {
	return Tally{t.jobs + u.jobs, t.blocks + u.blocks, max(t.longest, u.longest), max(t.short, u.short)}
}

// AreFew reports whether the jobs take less time one after the other than side by side.
// Side by side, each costs so many cycles more than alone, beside its blocks. AreFew makes
// no plan for jobs of which at most one has blocks.
func (t Tally) AreFew(each int) bool {
	if t.jobs <= 1 {
		return true
	}
	return streamPlans.current().OneByOne(t.jobs, t.blocks, int(-t.short), t.longest, each)
}

// AreFewEqual is the method AreFew for n jobs of the given number of blocks.
func AreFewEqual(n, blocks, each int) bool {
	if n <= 1 {
		return true
	}
	return streamPlans.current().OneByOne(n, n*blocks, blocks, blocks, each)
}

// NeverPay reports whether n jobs of so many blocks in all take less time one after the
// other than side by side, however the blocks are spread. Side by side, each costs so many
// cycles more than alone, and all together cost so many cycles more.
func NeverPay(n, blocks, each, list int) bool {
	return n <= 1 || streamPlans.current().NeverPays(n, blocks, each, list)
}

// AreFew reports whether messages take less time one after the other than side by side.
// It looks at their lengths if they are not more than there are lanes in any kernel. Each
// message follows so many bytes of a prefix, and is followed by so many further blocks.
func AreFew(msgs [][]byte, before, more int) bool {
	if !mayPay(msgs, before, more) {
		return true
	}
	l := lengthsOf(msgs, before)
	return l.areFew(len(msgs), before, more)
}

// mayPay is a first look at messages. It reports whether they have as many blocks as the
// shortest list that pays. To look at all their lengths would take 10 ns more for two
// messages.
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
	// counts are the numbers of messages by their numbers of blocks, up to block.MaxShort,
	// each in countBits bits. They are all in one register: in memory, each message would
	// wait until the count of the one before is stored. They hold only if no message has more
	// blocks, and not all have as many.
	counts uint64
}

const countBits = 64 / block.MaxShort

// countAt returns the place of the count of messages with that number of blocks.
func countAt(blocks int) int { return (blocks - 1) * countBits }

// lengthsOf returns the lengths of messages, at least one, behind so many bytes of a prefix.
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

// countBlocks returns the blocks of messages behind so many bytes of a prefix, and counts
// as in lengths, even if all have as many.
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

// areFew is AreFew for n messages of these lengths, which may pay.
func (l *lengths) areFew(n, before, more int) bool {
	return n <= block.MaxLanes && l.areUneven(n, before, more)
}

// areUneven is areFew for more messages than lanes, too.
func (l *lengths) areUneven(n, before, more int) bool {
	return streamPlans.current().OneByOne(n, l.blocks+n*more,
		block.PaddedBlocks(before+l.shortest)+more, block.PaddedBlocks(before+l.longest)+more, 0)
}
