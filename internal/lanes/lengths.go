package lanes

import (
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// OneByOne reports whether messages take less time one by one than side by side. If there are
// more than block.MaxLanes messages, OneByOne does not look at their lengths. It then returns
// true only if the plan's Width is 1. `before` bytes of a prefix precede each message. nesting
// says how each digest is hashed again.
func OneByOne(msgs [][]byte, before int, nesting Nesting) bool {
	var l lengths
	if n := len(msgs); n > 1 && n <= block.MaxLanes { // for other lists, lengths do not matter
		l = lengthsOf(msgs, before)
	}
	return l.oneByOne(msgs, before, nesting)
}

// oneByOne is OneByOne for messages with these lengths.
func (l *lengths) oneByOne(msgs [][]byte, before int, nesting Nesting) bool {
	n := len(msgs)
	if n <= 1 {
		return true
	}
	p := streamPlans.current()
	if n > block.MaxLanes {
		return p.Width == 1
	}
	if nesting == NotNested {
		if l.blocks < p.Least[n] { // a look-up; p.OneByOne divides
			return true
		}
	} else if p.AlwaysNestedOneByOne(nesting, n, l.blocks) {
		return true
	}
	shortest, longest := block.PaddedBlocks(before+l.shortest), block.PaddedBlocks(before+l.longest)
	outer, each := nesting.Blocks(), p.NestingCycles(nesting, n)+p.BehindCycles(before, longest)
	if areCounted(p, n, l.blocks, shortest, longest) && p.MayPayByBlocks(n, l.blocks+n*outer, longest+outer, each) {
		var counts [maxByBlocks + 1]uint8
		for _, m := range msgs {
			counts[block.PaddedBlocks(before+len(m))]++
		}
		return p.OneByOneByBlocks(counts[:longest+1], outer, each)
	}
	return p.OneByOne(plan.Messages, n, l.blocks, shortest, longest, outer, each)
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
	shortest, longest, bytes int
	blocks                   int // with padding, behind a prefix
}

// areNodes reports whether each message has the length of a node.
func (l *lengths) areNodes() bool { return l.shortest == block.NodeSize && l.longest == block.NodeSize }

// lengthsOf returns the lengths of messages that follow `before` bytes of a prefix.
func lengthsOf(msgs [][]byte, before int) lengths {
	if len(msgs) == 0 {
		return lengths{}
	}
	n := len(msgs[0])
	if haveLength(msgs, n) {
		return lengths{n, n, len(msgs) * n, len(msgs) * block.PaddedBlocks(before+n)}
	}
	shortest, longest, bytes, blocks := n, 0, 0, 0
	for _, m := range msgs {
		n := len(m)
		shortest, longest = min(shortest, n), max(longest, n)
		bytes += n
		blocks += block.PaddedBlocks(before + n)
	}
	return lengths{shortest, longest, bytes, blocks}
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

// oneByOneInRotation reports whether n messages with these lengths take less time one by one
// than in rotation.
func (l *lengths) oneByOneInRotation(n, before int, nesting Nesting) bool {
	p := streamPlans.current()
	shortest, longest := block.PaddedBlocks(before+l.shortest), block.PaddedBlocks(before+l.longest)
	return p.OneByOne(plan.Messages, n, l.blocks, shortest, longest, nesting.Blocks(), p.NestingCycles(nesting, n)+p.BehindCycles(before, longest))
}
