package lanes

import (
	"math/bits"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// A Tally counts the blocks of a list of jobs, of which some may have none.
type Tally struct {
	// Each is what a job costs more side by side than alone, in cycles, beside its blocks.
	Each int

	jobs, blocks, longest int
	// short is the negative of the shortest job's blocks, as an unsigned number: the
	// largest of them all, and 0 without jobs.
	short uint
}

// Add counts a job. It has no branch: they would be mispredicted.
func (t *Tally) Add(blocks int) {
	t.jobs += int(uint(-blocks) >> (bits.UintSize - 1))
	t.blocks += blocks
	t.longest = max(t.longest, blocks)
	t.short = max(t.short, uint(-blocks))
}

// AreFew reports whether the jobs take less time one after the other than side by side.
// It makes no plan for jobs of which at most one has blocks.
func (t *Tally) AreFew() bool {
	return t.jobs <= 1 || streamPlans.current().OneByOne(t.jobs, t.blocks, int(-t.short), t.longest, t.Each)
}

// AreFewEqual is AreFew for n jobs of the given number of blocks, whatever t has counted.
func (t *Tally) AreFewEqual(n, blocks int) bool {
	return n <= 1 || streamPlans.current().OneByOne(n, n*blocks, blocks, blocks, t.Each)
}

// NeverPay reports whether jobs of at most so many blocks take less time one after the
// other than side by side, however many they are.
func (t *Tally) NeverPay(blocks int) bool {
	return streamPlans.current().NeverPays(blocks, t.Each)
}

// AreFew reports whether messages take less time one after the other than side by side:
// not more than there are lanes in any kernel. Each follows so many bytes of a prefix, and
// is followed by so many further blocks.
func AreFew(msgs [][]byte, before, more int) bool {
	return len(msgs) <= block.MaxLanes && areFew(msgs, before, more)
}

func areFew(msgs [][]byte, before, more int) bool {
	var t Tally
	for _, m := range msgs {
		t.Add(block.PaddedBlocks(before+len(m)) + more)
	}
	return t.AreFew()
}

// RowsAreFew is AreFew for n rows of size bytes.
func RowsAreFew(n, size, before int) bool {
	blocks := block.PaddedBlocks(before + size)
	return new(Tally).AreFewEqual(n, blocks)
}
