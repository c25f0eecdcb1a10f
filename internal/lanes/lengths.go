package lanes

import (
	"math"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// OneByOne reports whether messages take less time one by one than side by side. If there are
// more than block.MaxLanes messages, OneByOne does not look at their lengths. It then returns
// true only if the plan's Width is 1. `before` bytes of a prefix precede each message. nesting
// says how each digest is hashed again.
func OneByOne(msgs [][]byte, before int, nesting Nesting) bool {
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
	if blocks < p.Least[n] { // a look-up; p.OneByOne divides
		return true
	}
	each := extra.cycles(n)
	if areCounted(p, n, blocks-n*extra.blocks, shortest, longest) && p.MayPayByBlocks(n, blocks, longest+extra.blocks, each) {
		var counts [maxByBlocks + 1]uint8
		for _, m := range msgs {
			counts[block.PaddedBlocks(before+len(m))]++
		}
		return p.OneByOneByBlocks(counts[:longest+1], extra.blocks, each)
	}
	return p.OneByOne(n, blocks, shortest+extra.blocks, longest+extra.blocks, each, true)
}

// areCounted reports whether n messages are counted by their numbers of blocks, to know whether
// they take less time one by one. They have `blocks` blocks in all, from `shortest` to `longest`
// each. Some must be too long to be copied whole: package plan knows without counts what others
// take. Fewer than leastCounted messages are not counted, unless one has at least twice as many
// blocks as the average, and as many as there are messages. Counting would cost more than it
// gains (Zen 3).
func areCounted(p *streamPlan, n, blocks, shortest, longest int) bool {
	return longest > block.MaxShort && longest-shortest > 1 && pairsRunByBlocks(&p.Streams, n, longest) &&
		(n >= leastCounted || longest >= n && longest*n >= 2*blocks)
}

const leastCounted = 16

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

// oneByOne reports whether n messages with these lengths take less time one by one than side
// by side.
func (l *lengths) oneByOne(n, before int, nesting Nesting) bool {
	extra := &nestings[nesting]
	return streamPlans.current().OneByOne(n, l.blocks+n*extra.blocks,
		block.PaddedBlocks(before+l.shortest)+extra.blocks, block.PaddedBlocks(before+l.longest)+extra.blocks,
		extra.cycles(n), true)
}
