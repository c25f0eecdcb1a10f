package plan

import (
	"math"
	"slices"
	"sort"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// Streams is a plan for messages that are hashed side by side. It names kernels. In place
// of a kernel for a single stream, it may name "generic" or "x1_std".
type Streams struct {
	// Width is the number of lanes that are kept live while there are enough jobs.
	// It is 1 if no kernel is faster than one message at a time.
	Width int
	// Even is the number of lanes that jobs of equal length fill while there are enough: Width,
	// or more. If it is more, EvenKernel is the kernel of that many lanes, which costs less per
	// lane than the kernel of Width lanes.
	Even       int
	EvenKernel string
	// Kernels[n] is the kernel that runs first if n lanes are live. If that kernel leaves m
	// lanes, Kernels[m] runs next.
	Kernels [block.MaxLanes + 1]string
	// Least[n] is the smallest total number of blocks with which n messages take less time
	// side by side, if the messages differ by at most one block. Other lists of n messages
	// are assumed to need at least as many. If no number is enough, Least[n] is math.MaxInt.
	// It is not for nested digests.
	Least [block.MaxLanes + 1]int
	// LeastWrites[n] is the smallest number of blocks with which each of n EqualWrites takes less
	// time side by side. If no number is enough, LeastWrites[n] is math.MaxInt.
	LeastWrites [block.MaxLanes + 1]int
	// If none of n writes completes LeastLongest[n] blocks or more, they take less time one by one,
	// even if only some of them complete a block, and however unequal they are.
	LeastLongest [block.MaxLanes + 1]int
	// With fewer than LeastUnequal[n] blocks in all, n writes whose numbers of blocks differ take
	// less time one by one, however the blocks are distributed. It is n*mostUnequal if no smaller
	// number pays. With fewer than LeastOfFew[n], so do n writes of which most may complete no
	// block, or run apart. Both are math.MaxInt for n < 2, and without a kernel of several lanes.
	LeastUnequal, LeastOfFew [block.MaxLanes + 1]int
	// leastEnds[n] is LeastEnds(n), stdEndsOneByOne[n] is StdEndsOneByOne(n).
	leastEnds       [block.MaxLanes + 1]int
	stdEndsOneByOne [block.MaxLanes + 1]bool
	// PairsPay reports whether two lanes cost, per lane, at most 1.4 times as much as Width
	// lanes.
	PairsPay bool
	// halves reports whether Width lanes cost, per lane, at most half as much as one lane.
	halves bool

	overhead overhead
	lists    *kindCosts
	// cycles[n] is the cost of advancing n lanes by a block.
	cycles [block.MaxLanes + 1]int
	// perBlock[n] is the cost of a block while n lanes end one after the other.
	perBlock [block.MaxLanes + 1]int
	// gains[n] is the most cycles that n lanes or fewer save per block. callCosts[n] is the
	// fewest cycles that calls cost each message of a list, of at most n messages.
	gains, callCosts [block.MaxLanes + 1]int
	// cheapest[n] is the number of jobs that run at a time when n jobs rotate.
	// rotations[n] are the ways to advance n jobs.
	cheapest  [MaxJobs]int
	rotations [MaxJobs][]rotation
}

// NewStreams finds the cheapest way to advance n lanes by a block, for every n. It
// chooses among the enabled kernels by the costs in r. `single` names what compresses one
// stream.
func NewStreams(r Row, enabled []block.Spec, single string) *Streams {
	choice := r.Streams(enabled, single)
	even := choice[Cheapest(choice)]
	choice = uneven(choice)
	first, cycles := choose(choice, 0)
	p := &Streams{
		Width: choice[Cheapest(choice)].Lanes, Even: even.Lanes, EvenKernel: even.Kernel,
		overhead: r.overhead, lists: r.listsOf(enabled), cycles: cycles,
	}
	p.callCosts[0] = math.MaxInt
	for n, sum := 1, 0; n < len(cycles); n++ {
		// If the lanes end at equal distances, `sum` is what it costs to advance them from one
		// end to the next, with n(n-1)/2 blocks in all. Of few lanes, two are left for long.
		p.perBlock[n] = cycles[2] / 2
		if n > 1 {
			p.perBlock[n] = min(2*sum/(n*(n-1)), p.perBlock[n])
		}
		sum += cycles[n]
		p.gains[n] = max(p.gains[n-1], cycles[1]-cycles[n]/n)
		p.callCosts[n] = min(p.callCosts[n-1], 2*p.overhead.callOf(n)/n)
	}
	p.PairsPay = 5*cycles[2]*p.Width <= 7*2*cycles[p.Width]
	p.halves = 2*cycles[p.Width] <= cycles[1]*p.Width
	for n := 1; n < len(p.Kernels); n++ {
		p.Kernels[n] = choice[first[n]].Kernel
	}
	for n := 1; n < 2*p.Width; n++ {
		p.cheapest[n] = cheapest(n, p.Width, cycles[:])
		p.rotations[n] = p.rotationsOf(n)
	}
	for n := range p.Least {
		p.Least[n] = p.least(n)
		p.LeastWrites[n] = leastBlocks(1, func(b int) bool { return !p.OneByOne(EqualWrites, n, n*b, b, b, 0, 0) })
		p.LeastLongest[n] = slices.Min(p.LeastWrites[:n+1]) // unequal writes cost more
		p.leastEnds[n], p.stdEndsOneByOne[n] = p.searchEnds(n), p.weighStdEnds(n)
		p.LeastUnequal[n], p.LeastOfFew[n] = math.MaxInt, math.MaxInt
		if n > 1 {
			p.LeastUnequal[n] = p.leastUnequal(n)
			p.LeastOfFew[n] = min(p.LeastOfFew[n-1], p.LeastUnequal[n])
			if each := p.LeastWrites[n]; each < math.MaxInt {
				p.LeastOfFew[n] = min(p.LeastOfFew[n], n*each)
			}
		}
	}
	return p
}

// least returns Least[n].
func (p *Streams) least(n int) int {
	pays := func(b int) bool { return !p.OneByOne(Messages, n, n*b, b, b, 0, 0) }
	if pays(1) {
		return n // n messages of 2 blocks may still not pay
	}
	// Messages that are copied whole may pay where longer ones do not.
	each := 2
	for each <= block.MaxShort && !pays(each) {
		each++
	}
	if each > block.MaxShort {
		if each = leastBlocks(each, pays); each == math.MaxInt {
			return math.MaxInt
		}
	}
	for blocks := n*(each-1) + 1; blocks < n*each; blocks++ {
		if !p.OneByOne(Messages, n, blocks, each-1, each, 0, 0) {
			return blocks
		}
	}
	return n * each
}

// LeastEnds returns the number of blocks from which n ends of hashes, of one or two blocks each,
// take less time side by side. It is n if ends of one block do: longer ones are not weighed then.
// It is more than 2*n if no number is enough. Ends of one block are Messages, others Jobs.
func (p *Streams) LeastEnds(n int) int {
	if n < len(p.leastEnds) {
		return p.leastEnds[n]
	}
	return p.searchEnds(n)
}

// searchEnds is LeastEnds without a look-up.
func (p *Streams) searchEnds(n int) int {
	if !p.OneByOne(Messages, n, n, 1, 1, 0, endCycles) {
		return n
	}
	return n + 1 + sort.Search(n, func(two int) bool {
		two++ // ends of two blocks
		return !p.OneByOne(Jobs, n, n+two, 1+two/n, 2, 0, endCycles)
	})
}

// StdEndsOneByOne reports whether n ends of hashes of crypto/sha256, counted as one block each,
// take less time one by one.
func (p *Streams) StdEndsOneByOne(n int) bool {
	if n < len(p.stdEndsOneByOne) {
		return p.stdEndsOneByOne[n]
	}
	return p.weighStdEnds(n)
}

// weighStdEnds is StdEndsOneByOne without a look-up.
func (p *Streams) weighStdEnds(n int) bool { return p.OneByOne(Messages, n, n, 1, 1, 0, stdEndCycles) }

// leastUnequal returns LeastUnequal[n]. Writes take the least time side by side if their numbers
// of blocks differ as little as they can, or if one of them completes none: two lanes may cost less
// each than three. More blocks do not always pay: a binary search could miss the fewest.
func (p *Streams) leastUnequal(n int) int {
	pays := func(kind Kind, blocks int) bool {
		if p.AlwaysOneByOne(kind, n, n, blocks, 0) { // saves time only
			return false
		}
		shortest, longest := blocks/n, blocks/n+1
		if blocks%n == 0 {
			shortest--
		}
		if kind == ClassedWrites {
			return p.HasClasses(n, longest-shortest+1) && !p.OneByOne(kind, n, blocks, shortest, longest, 0, 0)
		}
		return !p.OneByOne(kind, n, blocks, shortest, longest, 0, 0) || !p.OneByOne(kind, n, blocks, 0, (blocks+n-2)/(n-1), 0, 0)
	}
	if p.Width == 1 {
		return math.MaxInt
	}
	blocks := 1
	for blocks < n*mostUnequal && !pays(ClassedWrites, blocks) && !pays(MixedWrites, blocks) {
		blocks++
	}
	return blocks
}

// mostUnequal limits LeastUnequal to that number of blocks for each write.
const mostUnequal = 64

// leastBlocks returns the smallest number of blocks that pays, from `least` on, or math.MaxInt
// if none does.
func leastBlocks(least int, pays func(blocks int) bool) int {
	least += sort.Search(maxLeast, func(b int) bool { return pays(least + b) })
	if !pays(least) {
		return math.MaxInt
	}
	return least
}

// maxLeast limits the search of leastBlocks. If messages of one length take less time side by
// side at all, they do so with fewer than maxLeast blocks each.
const maxLeast = 1 << 10

// OneByOne reports whether n messages or jobs of that kind take less time one by one than
// side by side, or at most a twentieth more (see pays). The messages have `blocks` blocks in
// all, the shortest has `shortest`, the longest `longest`. `outer` more blocks nest each digest.
// Side by side, each message costs the caller `each` cycles more than alone. Up to
// block.MaxLanes Messages of up to block.MaxShort blocks share a call if they have the same
// number of blocks.
func (p *Streams) OneByOne(kind Kind, n, blocks, shortest, longest, outer, each int) bool {
	if p.Width == 1 || n <= 1 {
		return true
	}
	if kind == ClassedWrites {
		switch classed := &p.lists[ClassedWrites]; {
		case longest == shortest: // beside writes that complete no block
			kind, each = EqualWrites, each+classed.oneClass
		case classed.classJobs == 0:
			return p.oneByOneInClasses(n, blocks, longest-shortest+1, each)
		}
	}
	lists, copied, short := &p.lists[kind], kind == Messages, longest <= block.MaxShort
	list := lists.list
	blocks, shortest, longest = blocks+n*outer, shortest+outer, longest+outer
	if longest > shortest && !short {
		list += lists.longList
		each += lists.longMessage
	} else if copied && !short {
		each += lists.longEqual
	}
	alone := int64(blocks) * int64(p.cycles[1])
	// All messages advance until the shortest ends. The remaining blocks run in fewer and
	// fewer lanes, with a call for each message that ends.
	left, perBlock := blocks-n*shortest, p.perBlock[min(n, p.Width)]
	width, waves := n, 1
	// The products of long lists need 64 bits.
	even := int64(shortest) * int64(p.cycles[min(n, p.Width)])
	if n > p.Width { // waiting messages take the lanes of finished messages
		width = p.Width
		perBlock = p.cycles[width] / width
		waves = (n + width - 1) / width
		even = int64(n) * int64(shortest) * int64(p.cycles[width]) / int64(width)
	}
	calls := waves * (2 + min(longest-shortest, width-1))
	if kind == ClassedWrites { // full waves of each class, and all that are left over
		calls = min(calls, 2*(waves+longest-shortest+1))
	}
	if copied && short {
		most := 2 * (2 + longest - shortest) // half of these calls are for messages left over
		calls = min(1+calls, most*((n+block.MaxLanes-1)/block.MaxLanes))
		if n > p.Width { // these messages do not rotate, so the last turn leaves lanes empty
			last := n % p.Width
			even = int64(shortest) * (int64(n/p.Width)*int64(p.cycles[p.Width]) + int64(p.cycles[last]))
			if last > 0 {
				calls += 2
			}
		}
	}
	if short {
		alone += int64(max(0, min(blocks, 2*n-blocks))) * int64(lists.oneBlock) // at least so many have one block
	}
	rest := max(int64(left)*int64(perBlock), int64(longest-shortest)*int64(p.cycles[1]))
	together := int64(list) + int64(n)*int64(lists.message+each) + int64(calls)*int64(p.overhead.callOf(width)) + even + rest
	return !pays(together, alone)
}

// OneByOneByBlocks is OneByOne for messages that run by blocks: counts[b] of them have b
// blocks. There are at most block.MaxLanes messages. As many as fill the lanes run in waves of
// equal numbers of blocks. Those left over, the longest first, fill the lanes again. OneByOne,
// which knows only the shortest and the longest message, takes too many messages for long.
// `outer` more blocks nest each digest. The plan's Width must not be 1.
func (p *Streams) OneByOneByBlocks(counts []uint8, outer, each int) bool {
	// Few messages are divided by loops: divisions would take longer. `lane` is how many lanes
	// of the last wave of messages left over are taken.
	n, blocks, lane := 0, 0, 0
	lists := &p.lists[Messages]
	together := int64(lists.list)
	for b := len(counts) - 1; b > 0; b-- {
		c := int(counts[b])
		if c == 0 {
			continue
		}
		n += c
		blocks += c * (b + outer)
		wave := waveCycles + outer*p.overhead.callOf(p.Width)
		if b > block.MaxShort { // the last two blocks are calls of their own
			wave += 2 * p.overhead.callOf(p.Width)
		}
		turns := 0
		for ; c >= p.Width; c -= p.Width {
			turns++
		}
		if turns > 0 {
			waves := turns
			if !IsLong(b) {
				most := max(1, WaveBlocks/(p.Width*b)) // the most turns of a wave
				waves = (turns + most - 1) / most
			}
			together += int64(turns*(b+outer))*int64(p.cycles[p.Width]) + int64(waves)*int64(wave+p.overhead.callOf(p.Width))
		}
		for c > 0 {
			if lane == p.Width {
				lane = 0
			}
			if lane == 0 {
				together += int64(wave)
			}
			live := min(lane+c, p.Width) // lanes until these messages end: a call
			together += int64(b+outer)*int64(p.cycles[live]-p.cycles[lane]) + int64(p.overhead.callOf(live))
			c -= live - lane
			lane = live
		}
	}
	together += int64(n) * int64(lists.message+each)
	alone := int64(blocks) * int64(p.cycles[1])
	if outer == 0 {
		alone += int64(counts[1]) * int64(lists.oneBlock)
	}
	return !paysByBlocks(together, alone)
}

// MayPayByBlocks reports whether OneByOneByBlocks may be false for n messages. They have
// `blocks` blocks in all, the longest has `longest`. MayPayByBlocks needs no counts, which take
// time.
func (p *Streams) MayPayByBlocks(n, blocks, longest, each int) bool {
	if p.Width == 1 {
		return false
	}
	lists, lanes := &p.lists[Messages], min(n, p.Width)
	alone := int64(blocks) * int64(p.cycles[1])
	least := max(alone-int64(blocks)*int64(p.gains[lanes]), int64(longest)*int64(p.cycles[1]))
	return paysByBlocks(int64(lists.list+waveCycles)+int64(n)*int64(lists.message+each)+least, alone+int64(n)*int64(lists.oneBlock))
}

// A wave of messages that run by blocks costs waveCycles on top of its blocks and calls. This
// cost was measured on Zen 3, with random lists in cache. For other CPUs, it is an estimate.
const waveCycles = 400

// paysByBlocks is pays for lists that run by blocks, with a fourteenth in place of a
// twenty-first. On Zen 3, of the lists that ran by blocks, 0.3% took 3% or more longer than one
// by one; with a twenty-first, 0.7%.
func paysByBlocks(together, alone int64) bool { return alone-alone/14 > together }

// WaveBlocks is the largest number of blocks that the messages of a wave have in all, unless
// one message for each lane already has more. A larger wave would displace the next messages
// from the cache.
const WaveBlocks = 64

// pays reports whether `together`, the cost side by side, is less than `alone`, the cost one
// after the other, by more than a twenty-first of alone. The costs are not exact. So alone
// may be a twentieth more than together.
func pays(together, alone int64) bool { return alone-alone/margin > together }

// A list must save more than one part in `margin` of what it costs alone.
const margin = 21

// mostGain returns the most cycles that a block in n lanes or fewer may save, beyond those that
// it must save for a list to pay.
func (p *Streams) mostGain(n int) int64 { return int64(p.gains[n] - p.cycles[1]/margin) }

// FarCycles returns the cycles that each write of that kind costs more in a list of hashes that
// do not stay in cache.
func (p *Streams) FarCycles(kind Kind) int { return p.lists[kind].far }

// FreshCycles returns the cycles that each of EqualWrites costs less if the hashes hold nothing,
// and each write leaves a part of a block. Lists of up to block.MaxLanes writes gain too little
// from that to be told apart.
func (p *Streams) FreshCycles() int { return p.lists[EqualWrites].fresh }

// HasClasses reports whether n jobs, each of one of `classes` numbers of blocks, are enough for
// RunByClasses to be faster than Run, if no job is too long for it. Where a row does not say more,
// each class must have, on average, enough jobs to fill the lanes. If the plan has PairsPay and
// halves, as that of Zen 3, where this was measured, more jobs than lanes are enough.
func (p *Streams) HasClasses(n, classes int) bool {
	if c := p.lists[ClassedWrites].classJobs; c > 0 {
		return n >= c*classes
	}
	return p.PairsPay && p.halves && n > p.Width || n >= classes*p.Width
}

// oneByOneInClasses is OneByOne for ClassedWrites that have `classes` numbers of blocks. Those of
// a class that fill the lanes run together, and so do those left over, the longest first. In long
// lists, each class wastes at most a third of a turn for each block of an average write. In
// short lists, it wastes half a turn, and each turn wastes a quarter of its lanes. The latter
// costs were measured on Zen 3, with 297 random lists of 5 to 460 hashes.
func (p *Streams) oneByOneInClasses(n, blocks, classes, each int) bool {
	lists, width, turn := &p.lists[ClassedWrites], int64(p.Width), int64(p.cycles[p.Width])
	full := int64(blocks) * turn / width
	waste := min(int64(classes)*int64(blocks/n)*turn/3, int64(classes)*turn/2+full/4)
	together := int64(lists.list) + int64(n)*int64(lists.message+each) + 2*(int64(n)/width+1)*int64(p.overhead.callOf(p.Width)) + full + waste
	return !pays(together, int64(blocks)*int64(p.cycles[1]))
}

// AlwaysOneByOne reports whether n writes of that kind, with `blocks` blocks in all, take less time
// one by one than side by side, however the blocks are distributed. At least `least` of them have
// blocks. Side by side, each of these costs the caller `each` cycles more than alone. The hashes
// may hold nothing (see FreshCycles). ClassedWrites must have two numbers of blocks or more. For
// writes of unknown kind, EqualWrites is a bound.
func (p *Streams) AlwaysOneByOne(kind Kind, n, least, blocks, each int) bool {
	lists, l := &p.lists[kind], min(n, p.Width)
	saved := int64(blocks)*p.mostGain(l) + int64(max(0, min(blocks, 2*n-blocks)))*int64(lists.oneBlock)
	return saved < int64(lists.list)+int64(least)*int64(lists.message-lists.fresh+p.callCosts[l]+each)
}

// Streams returns the candidates for streams: the enabled kernels of several lanes, and
// `single`, which compresses one stream.
func (r *Row) Streams(enabled []block.Spec, single string) []Candidate {
	var choice []Candidate
	for _, k := range enabled {
		if k.Operation == block.StreamOp && (k.Lanes > 1 || k.Name == single) {
			choice = append(choice, r.candidate(k))
		}
	}
	if !slices.ContainsFunc(choice, func(k Candidate) bool { return k.Lanes == 1 }) {
		choice = append(choice, r.plainGo(single, 1))
	}
	return choice
}
