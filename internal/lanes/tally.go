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
// other than side by side, however the blocks are spread.
func NeverPay(n, blocks, each int) bool {
	return n <= 1 || streamPlans.current().NeverPays(n, blocks, each)
}

// AreFew reports whether messages take less time one after the other than side by side.
// It looks at their blocks if they are not more than there are lanes in any kernel. Each
// message follows so many bytes of a prefix, and is followed by so many further blocks.
func AreFew(msgs [][]byte, before, more int) bool {
	if len(msgs) > block.MaxLanes {
		return !SideBySide(len(msgs))
	}
	if len(msgs) <= 1 {
		return true
	}
	// All the numbers that a Tally has would take 5 ns more for two messages.
	blocks := len(msgs) * more
	for _, m := range msgs {
		blocks += block.PaddedBlocks(before + len(m))
	}
	p := streamPlans.current()
	if blocks < p.Least[len(msgs)] {
		return true
	}
	t := tallyOf(msgs, before, more)
	return p.OneByOne(len(msgs), blocks, int(-t.short), t.longest, 0)
}

// tallyOf counts the blocks of messages. Before and more are as in AreFew.
func tallyOf(msgs [][]byte, before, more int) (t Tally) {
	for _, m := range msgs {
		t = t.With(block.PaddedBlocks(before+len(m)) + more)
	}
	return t
}
