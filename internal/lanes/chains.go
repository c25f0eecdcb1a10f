package lanes

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// A Chain iterates HMAC on its own digest, as PBKDF2 does: an iteration sets U to the
// HMAC of U, and Sum to Sum XOR U. With block.IV256 as Inner and Outer, and
// block.DigestPadding, an iteration sets U to SHA-256(SHA-256(U)). Everything in a Chain
// is secret.
type Chain struct {
	// Inner and Outer are the states after the key's blocks: block.KeyStates.
	Inner, Outer block.State
	// U is the last digest, Sum the exclusive or of all.
	U, Sum block.State
	// Left is the number of iterations to do.
	Left int
}

// A chainPlan is a plan for chains with the kernels that it names.
type chainPlan struct {
	plan.Chains
	// Element n is the kernel that runs first for n chains: a chain kernel, or else one
	// for streams.
	chains  [block.MaxLanes + 1]*block.ChainKernel
	streams [block.MaxLanes + 1]*block.Kernel
	// These are for EvenKernel.
	evenChains  *block.ChainKernel
	evenStreams *block.Kernel
}

var chainPlans = cache[chainPlan]{make: func() *chainPlan {
	p := &chainPlan{Chains: *plan.NewChains(plan.RowOf(cpu.This()), block.Enabled(), block.Single())}
	chains, streams := block.ChainKernels(), block.Kernels()
	kernels := func(name string) (*block.ChainKernel, *block.Kernel) {
		if k := named(streams, name); k != nil {
			return nil, k
		}
		return named(chains, name), &oneStream
	}
	for n, name := range p.Kernels {
		p.chains[n], p.streams[n] = kernels(name)
	}
	p.evenChains, p.evenStreams = kernels(p.EvenKernel)
	return p
}}

// ChainWidth returns the number of chains that run side by side if there are enough.
func ChainWidth() int { return chainPlans.current().Width }

// ChainKernel returns the name of the kernel that follows ChainWidth chains.
func ChainKernel() string {
	p := chainPlans.current()
	return p.Kernels[p.Width]
}

// Chains advances chains side by side. It belongs to one goroutine at a time.
type Chains struct {
	memory block.Chains
	// These are for kernels for streams, which compress blocks. All lanes without a
	// chain share the last element.
	blocks [block.MaxLanes + 1][block.Size]byte
	h      [block.MaxLanes + 1]block.State
	state  [2 * block.MaxLanes]*block.State
	next   [2 * block.MaxLanes]*byte
}

var chainsPool = sync.Pool{New: func() any { return new(Chains) }}

// NewChains returns memory for Step.
func NewChains() *Chains { return chainsPool.Get().(*Chains) }

// Release gives up c.
func (c *Chains) Release() { chainsPool.Put(c) }

// chain returns ch. A type that embeds a Chain has this method, too.
func (ch *Chain) chain() *Chain { return ch }

// Step advances the first few of the chains that parts embed. It advances them by the same
// number of iterations, with one padding for all: see block.ChainKernel.Advance. Every
// chain has iterations left, and Step does at most the smallest number left. It takes some
// 200 µs at most, in plain Go a millisecond or two. Nothing of the chains stays in c.
//
// If there is a part, Step advances at least one. Then it orders the parts, of which
// there are at most twice block.MaxLanes: first parts[:waiting], which it did not
// advance, then parts[waiting:live], which go on, and then those without iterations left.
func Step[P interface{ chain() *Chain }](c *Chains, padding *[8]uint32, parts []P) (waiting, live int) {
	var chains [block.MaxLanes]*Chain
	n := min(len(parts), block.MaxLanes)
	for i, p := range parts[:n] {
		chains[i] = p.chain()
	}
	advanced := c.step(padding, chains[:n])
	var order [2 * block.MaxLanes]P
	waiting = copy(order[:], parts[advanced:])
	live = waiting
	end := len(parts)
	for _, p := range parts[:advanced] {
		if p.chain().Left > 0 {
			order[live] = p
			live++
		} else {
			end--
			order[end] = p
		}
	}
	copy(parts, order[:])
	return waiting, live
}

// step advances the first few chains, and returns their number.
func (c *Chains) step(padding *[8]uint32, chains []*Chain) (advanced int) {
	if len(chains) == 0 {
		return 0
	}
	p := chainPlans.current()
	n := min(len(chains), p.Width)
	k, stream := p.chains[n], p.streams[n]
	if p.Even > n && len(chains) >= p.Even && haveSameLeft(chains[:p.Even]) {
		n, k, stream = p.Even, p.evenChains, p.evenStreams
	}
	width := stream.Lanes
	const calls = 4 // of a kernel, each of 50 µs at most
	if k != nil {
		width = k.Lanes
	}
	chains = chains[:min(n, width)]
	iterations := chains[0].Left
	for _, ch := range chains[1:] {
		iterations = min(iterations, ch.Left)
	}
	if k != nil {
		iterations = min(iterations, calls*k.Max)
		c.advance(k, padding, chains, iterations)
	} else {
		iterations = min(iterations, calls*stream.Max/2)
		c.compress(stream, padding, chains, iterations)
	}
	for _, ch := range chains {
		ch.Left -= iterations
	}
	return len(chains)
}

// haveSameLeft reports whether all chains have the same number of iterations left.
func haveSameLeft(chains []*Chain) bool {
	return !slices.ContainsFunc(chains, func(ch *Chain) bool { return ch.Left != chains[0].Left })
}

// advance does iterations of the chains by a chain kernel. The results of the other
// lanes do not matter.
func (c *Chains) advance(k *block.ChainKernel, padding *[8]uint32, chains []*Chain, iterations int) {
	for i, ch := range chains {
		k.Set(&c.memory, i, &ch.Inner, &ch.Outer, &ch.U, &ch.Sum)
	}
	k.Advance(&c.memory, iterations, padding)
	for i, ch := range chains {
		k.Get(&c.memory, i, &ch.U, &ch.Sum)
	}
	k.Clear(&c.memory)
}

// compress does iterations of the chains by a kernel for streams, two calls for each.
func (c *Chains) compress(k *block.Kernel, padding *[8]uint32, chains []*Chain, iterations int) {
	for i := range c.state {
		lane := i
		if i >= len(chains) {
			lane = block.MaxLanes
		}
		c.state[i], c.next[i] = &c.h[lane], &c.blocks[lane][0]
	}
	for i, ch := range chains {
		b := &c.blocks[i]
		block.PutDigest((*[block.DigestSize]byte)(b[:]), &ch.U)
		for j, w := range padding {
			binary.BigEndian.PutUint32(b[block.DigestSize+4*j:], w)
		}
	}
	for range iterations {
		for _, outer := range []bool{false, true} {
			for i, ch := range chains {
				if c.h[i] = ch.Inner; outer {
					c.h[i] = ch.Outer
				}
			}
			k.Blocks(&c.state[0], &c.next[0], k.Lanes, 0, 0, 1, 1)
			for i := range chains {
				block.PutDigest((*[block.DigestSize]byte)(c.blocks[i][:]), &c.h[i])
			}
		}
		for i, ch := range chains {
			for j, w := range c.h[i] {
				ch.Sum[j] ^= w
			}
		}
	}
	for i, ch := range chains {
		ch.U = c.h[i]
	}
	clear(c.blocks[:])
	clear(c.h[:])
}

// A chainRun is the scratch of RunChains. Between runs its chains are clear.
type chainRun struct {
	memory Chains
	parts  [2 * block.MaxLanes]numberedChain
	// live points to all parts. Those in use come first, and among them those that have
	// waited longest.
	live [2 * block.MaxLanes]*numberedChain
}

type numberedChain struct {
	Chain
	number int
}

var chainRuns = sync.Pool{New: func() any {
	r := new(chainRun)
	for i := range r.live {
		r.live[i] = &r.parts[i]
	}
	return r
}}

// Ways to follow plain chains. RunChains follows them by KernelWay.
const (
	OneByOneWay = plan.OneByOneWay
	PassesWay   = plan.PassesWay
	KernelWay   = plan.KernelWay
)

// Chains are followed by kernels if one of them has more than manySteps steps.
const manySteps = 1 << 12

// One chain of fewer than fewSteps steps needs no look at the plan.
const fewSteps = 8

// WayOfChains returns the fastest way to follow plain chains. For PassesWay, `even` reports
// whether all chains have the same number of steps.
func WayOfChains(steps []int) (way plan.ChainWay, even bool) {
	n, sum, longest := 0, 0, 0
	even = true
	for _, k := range steps {
		if k > manySteps {
			return KernelWay, false
		}
		even = even && k == steps[0]
		if k > 0 {
			n, sum, longest = n+1, sum+k, max(longest, k)
		}
	}
	if n == 0 || n == 1 && sum < fewSteps {
		return OneByOneWay, even
	}
	s := &streamPlans.current().Streams
	if longest == 1 && n <= block.MaxLanes && n < s.Least[n] { // SumRows would hash these one by one, too
		return OneByOneWay, even
	}
	return chainPlans.current().ChainWay(s, n, sum, longest, even), even
}

// RunChains advances n chains to their ends, side by side, with one padding for all.
// begin sets chain i, which is clear, with iterations(i) iterations left. end takes it
// when none is left. The longest chains begin first, so that chains that run together end
// at about the same time.
func RunChains(n int, padding *[8]uint32, iterations func(i int) int, begin, end func(ch *Chain, i int)) {
	r := chainRuns.Get().(*chainRun)
	g := acquire()     // only for the order
	live, next := 0, 0 // the chains behind the live ones are free
	for {
		for ; next < n && live < len(r.live); next++ {
			if next%window == 0 {
				g.orderChains(next, min(window, n-next), iterations)
			}
			p := r.live[live]
			p.number = g.numberOf(next % window)
			if begin(&p.Chain, p.number); p.Left > 0 {
				live++
			} else {
				p.end(end)
			}
		}
		if live == 0 {
			break
		}
		parts := r.live[:live]
		_, live = Step(&r.memory, padding, parts)
		for _, p := range parts[live:] {
			p.end(end)
		}
	}
	g.release()
	chainRuns.Put(r)
}

// orderChains sets the window to `count` chains, from chain `base` on, the longest first.
// Chains of equal length keep their order.
func (g *group) orderChains(base, count int, iterations func(i int) int) {
	g.base, g.count, g.sorted = base, count, false
	for i := range count {
		if iterations(base+i) != iterations(base) {
			g.sorted = true
			g.sort(iterations)
			return
		}
	}
}

func (p *numberedChain) end(end func(ch *Chain, i int)) {
	end(&p.Chain, p.number)
	*p = numberedChain{}
}
