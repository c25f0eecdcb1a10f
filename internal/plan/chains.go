package plan

import "github.com/sha256-simd/sha256-simd/internal/block"

// Chains is a plan for chains of HMAC. Each iteration of a chain compresses two blocks.
// The plan names chain kernels, kernels for streams, or "generic" or "x1_std" for one
// chain.
type Chains struct {
	// Width is the number of chains that run at a time while there are enough.
	Width int
	// Even is the number of chains that run at a time if they have the same number of iterations
	// left, and there are enough: Width, or more. If it is more, EvenKernel runs them.
	Even       int
	EvenKernel string
	// Kernels[n] is the kernel that runs first for n chains. If that kernel leaves m chains,
	// Kernels[m] runs next.
	Kernels [block.MaxLanes + 1]string
	// cycles[n] is the cost of an iteration of n chains.
	cycles [block.MaxLanes + 1]int
}

// NewChains finds the cheapest way to advance n chains, for every n. It chooses among the
// enabled kernels by the costs in r. `single` names what compresses one stream.
func NewChains(r Row, enabled []block.Spec, single string) *Chains {
	choice := r.Chains(enabled, single)
	even := choice[Cheapest(choice)]
	choice = uneven(choice)
	first, cycles := choose(choice, 0)
	p := &Chains{Width: choice[Cheapest(choice)].Lanes, Even: even.Lanes, EvenKernel: even.Kernel, cycles: cycles}
	for n := 1; n < len(p.Kernels); n++ {
		p.Kernels[n] = choice[first[n]].Kernel
	}
	return p
}

// A ChainWay is a way to follow plain chains. A plain chain iterates SHA-256 without HMAC:
// each step is one digest.
type ChainWay uint8

const (
	OneByOneWay ChainWay = iota // one chain after the other
	PassesWay                   // in each pass, a step of all chains that have steps left, as messages
	KernelWay                   // by kernels for chains; two steps cost as much as an iteration of HMAC
)

// What plain chains cost on top of their blocks, in cycles. Where nothing else is said, the
// cost was measured on Zen 3, in lists of 2 to 185 chains of up to 32 steps. For other CPUs,
// all are estimates.
const (
	// By kernels, a list costs chainListCycles (Granite Rapids), and each chain
	// chainEachCycles. A chain cost 350 to 450 cycles on Zen 3, 170 on Granite Rapids.
	chainListCycles, chainEachCycles = 880, 350
	// If the numbers of steps differ, the list costs unevenCycles more by kernels, and each
	// chain twice as much.
	unevenCycles = 2500
	// A step of a chain that runs alone costs stepCycles.
	stepCycles = 80
	// A pass costs as much as a list, with four calls, and a step of it costs passCycles. If the
	// numbers of steps differ, the step costs compactCycles more.
	passCycles, compactCycles = 25, 20
)

// ChainWay returns the fastest way to follow n plain chains. The chains have `steps` steps
// in all, and the longest chain has `longest`. If `even` is set, all chains have the same
// number of steps. Then PassesWay copies no digests, and few chains of a pass are
// hashed one after the other.
func (p *Chains) ChainWay(s *Streams, n, steps, longest int, even bool) ChainWay {
	step := int64(p.cycles[1]/2 + stepCycles)
	alone := int64(steps) * step
	// This look, which divides only by a constant, decides for short lists.
	if p.Width > 1 && pays(chainListCycles+int64(n)*chainEachCycles, alone) {
		odd := 0
		if even { // kernels do two steps at a time; an odd step is a pass
			odd = longest % 2
		}
		together := p.together(n, steps-odd*n, longest-odd, even) + int64(odd)*min(s.passes(n, n, 1, true), int64(n)*step)
		if pays(together, alone) && together < s.passes(n, steps, longest, even) {
			return KernelWay
		}
	}
	switch {
	case s.Width == 1 || n == 1:
		return OneByOneWay
	case even || pays(int64(longest)*int64(jobCosts.list), alone) && pays(s.passes(n, steps, longest, even), alone):
		return PassesWay
	}
	return OneByOneWay
}

// together returns the cycles that plain chains cost by kernels.
func (p *Chains) together(n, steps, longest int, even bool) int64 {
	width := min(n, p.Width)
	if even { // the last chains leave lanes empty
		turns := (n + width - 1) / width * longest
		return chainListCycles + int64(n)*chainEachCycles + int64(turns)*int64(p.cycles[width])/2
	}
	// Chains that wait take the lanes of chains that end. What is left of a chain far longer
	// than the others runs alone.
	turns, left := (steps+width-1)/width, 0
	if turns < longest {
		turns = (steps - longest + width - 2) / (width - 1)
		left = longest - turns
	}
	return chainListCycles + unevenCycles + 2*int64(n)*chainEachCycles +
		(int64(turns)*int64(p.cycles[width])+int64(left)*int64(p.cycles[1]))/2
}

// passes returns the cycles that plain chains cost in passes.
func (p *Streams) passes(n, steps, longest int, even bool) int64 {
	width := min(n, p.Width)
	pass := jobCosts.list + 4*p.overhead.callOf(width)
	step := passCycles + p.cycles[width]/width
	if !even {
		step += compactCycles
	}
	return int64(longest)*int64(pass) + int64(steps)*int64(step)
}

// Chains returns the candidates for chains. Where a kernel for streams does the work,
// each of the two blocks is a call.
func (r *Row) Chains(enabled []block.Spec, single string) []Candidate {
	return r.orStreams(block.ChainOp, enabled, single, func(k Candidate) int { return 2 * (k.Cycles + r.Call(k.Lanes)) })
}
