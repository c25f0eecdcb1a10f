package plan

import (
	"slices"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// A Kind says what a list is of, and which function of package lanes does it.
type Kind uint8

const (
	Messages      Kind = iota // those of up to block.MaxShort blocks are copied whole
	Jobs                      // not copied whole, such as ends of one and two blocks
	EqualWrites               // writes to hashes, done by RunEqual
	ClassedWrites             // by RunByClasses
	MixedWrites               // by Run
)

// listCosts are what the lists of a kind cost on top of their blocks and calls, in cycles.
type listCosts struct {
	// Side by side, a list costs `list`, and each of its messages or jobs `message`.
	list, message int
	// If the numbers of blocks differ, and the largest exceeds block.MaxShort, the list costs
	// longList more, and each message longMessage.
	longList, longMessage int
	// If Messages of one length are too long to be copied whole, each costs longEqual more. Behind a
	// prefix that ends inside a block, each costs longBehind more if any is too long.
	longEqual, longBehind int
	// Alone, a message or a write of one block costs oneBlock more: no other block hides the
	// latency of padding it, or of putting it together with what the hash holds.
	oneBlock int
	nestings [NestedEach + 1]nestingCost // of Messages
	// ClassedWrites need, on average, classJobs jobs for each number of blocks. If classJobs is 0,
	// see HasClasses and oneByOneInClasses. If all of ClassedWrites that complete blocks complete
	// the same number, they run like EqualWrites, but each costs oneClass more.
	classJobs, oneClass int
	// If the hashes of a list do not stay in cache, each write costs `far` more. If the hashes hold
	// nothing, and each write leaves a part of a block, each costs `fresh` less.
	far, fresh int
}

// kindCosts are the costs of lists of every kind.
type kindCosts [MixedWrites + 1]listCosts

// defaultLists serve where a row does not say more. In random lists of Messages, list, message
// and longMessage were 300, 15 and 40 cycles on Granite Rapids, and 540, 0 and 110 on Zen 4:
// these lie between. longList was measured on Zen 4, with random lists in cache. Of those that
// ran side by side, some took 3% to 16% longer than one by one: without longList, 28% of the
// lists of 3 messages and 6% of those of 4 to 6; with it, 3% of all. With it, one list in a
// hundred runs one by one though it would gain 5%. Other costs of Messages were measured on Zen
// 3. With these nestings, plans choose what was faster there for 2 to 12 messages of one length.
// EqualWrites and ClassedWrites were measured on Zen 3, the latter with hashes that complete
// other numbers of blocks in each call: branches are then mispredicted. MixedWrites were measured
// on Granite Rapids and Zen 4. On other CPUs, all are estimates.
var defaultLists = kindCosts{
	Messages: {
		list: 450, message: 10, longList: 150, longMessage: 100, longEqual: 50, oneBlock: 40,
		nestings: [...]nestingCost{Nested: {list: 100}, NestedEach: {each: 22, list: 100}},
	},
	Jobs:          jobCosts,
	EqualWrites:   {list: 1050, message: 40, far: 50},
	ClassedWrites: {list: 1050, message: 70, far: 50},
	MixedWrites:   {list: 2950, message: 140, longList: 150, longMessage: 100, far: 200},
}

// jobCosts are the costs of lists of Jobs on every CPU.
var jobCosts = listCosts{list: 450, message: 10, longList: 150, longMessage: 100}

// In SumHashes, an end of a hash costs, side by side, endCycles more than a message or a job. If all
// hashes are of crypto/sha256, it costs stdEndCycles more. That is negative: the method Sum of
// crypto/sha256 takes longer than that of this package, and the difference exceeds the cost of
// reading a state.
const (
	endCycles    = 10  // Granite Rapids
	stdEndCycles = -20 // Zen 4
)

// listsOf returns the costs of lists if the kernels are `enabled`. AVX-512 pads short messages. Beside
// SHA extensions, it also speeds up what goes one by one (see block.InVectors). So listsAVX512 holds only
// with both.
func (r *Row) listsOf(enabled []block.Spec) *kindCosts {
	has := func(isa string) bool {
		return slices.ContainsFunc(enabled, func(k block.Spec) bool { return slices.Contains(k.InstructionSets(), isa) })
	}
	switch {
	case r.listsAVX512 != nil && has("avx512") && has("shani"):
		return r.listsAVX512
	case r.lists != nil:
		return r.lists
	}
	return &defaultLists
}

// A Nesting says whether and how a digest is hashed again, behind an outer prefix, as HMAC does.
type Nesting uint8

const (
	NotNested  Nesting = iota
	Nested             // all digests behind one outer prefix
	NestedEach         // each digest behind an outer prefix of its own
)

// A nestingCost has the cycles that nesting costs side by side, less those that it costs
// alone, for each message and for a list. The block behind the outer prefix is not included.
// `each` is negative where nesting costs more alone: two paddings follow each other, and
// nothing hides their latency.
type nestingCost struct{ each, list int }

// Blocks returns the number of blocks behind the outer prefix.
func (k Nesting) Blocks() int {
	if k == NotNested {
		return 0
	}
	return 1
}

// NestingCycles returns what nesting costs for each of n messages, as OneByOne takes it.
func (p *Streams) NestingCycles(k Nesting, n int) int {
	if k == NotNested { // saves a division
		return 0
	}
	c := &p.lists[Messages].nestings[k]
	return c.each + c.list/n
}

// BehindCycles returns what `before` bytes of a prefix cost, side by side, for each message, as OneByOne
// takes it. The longest message has `longest` blocks.
func (p *Streams) BehindCycles(before, longest int) int {
	if before == 0 || longest <= block.MaxShort {
		return 0
	}
	return p.lists[Messages].longBehind
}

// AlwaysNestedOneByOne reports whether n nested messages take less time one by one than side
// by side, however their blocks are distributed. They have `blocks` blocks in all, without
// those behind outer prefixes. It takes less time than OneByOne, which divides.
func (p *Streams) AlwaysNestedOneByOne(k Nesting, n, blocks int) bool {
	lists, l := &p.lists[Messages], min(n, p.Width)
	c := &lists.nestings[k]
	least := lists.list + c.list + n*(lists.message+c.each) + 2*p.overhead.callOf(l) // any list has two calls
	return int64(blocks+n*k.Blocks())*p.mostGain(l) < int64(least)
}
