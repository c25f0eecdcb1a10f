package plan

import "github.com/sha256-simd/sha256-simd/internal/block"

// Chains is a plan for chains of HMAC. Each iteration of a chain compresses two blocks.
// The plan names chain kernels, kernels for streams, or "generic" or "x1_std" for one
// chain.
type Chains struct {
	// Width is the number of chains that run at a time while there are enough.
	Width int
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
	first, cycles := choose(choice, 0)
	p := &Chains{Width: choice[Cheapest(choice)].Lanes, cycles: cycles}
	for n := 1; n < len(p.Kernels); n++ {
		p.Kernels[n] = choice[first[n]].Kernel
	}
	return p
}

// A plain chain iterates SHA-256 without HMAC: each step is one digest. On top of its
// blocks, a list of plain chains costs chainsCycles, plus chainCycles for each chain, plus
// unevenCycles if the numbers of steps differ. In a chain that runs alone, each step costs
// stepCycles on top of its block. The first three constants were measured on Granite
// Rapids, in 250 random lists of 1 to 40 chains of up to 8 steps. stepCycles was measured
// on Zen 3. For other CPUs, the constants are estimates.
const chainsCycles, chainCycles, unevenCycles, stepCycles = 880, 170, 1000, 50

// OneByOne reports whether n plain chains take less time one after the other than side by
// side, or at most a twentieth more. The chains have `steps` steps in all, and the longest
// chain has `longest`. If `even` is set, all chains have the same number of steps. Two
// steps cost as much as an iteration of HMAC.
func (p *Chains) OneByOne(n, steps, longest int, even bool) bool {
	if p.Width == 1 {
		return true
	}
	width := min(n, p.Width)
	together := chainsCycles + n*chainCycles + (n+width-1)/max(1, width)*longest*p.cycles[width]/2
	if !even {
		together += unevenCycles
	}
	return steps*(p.cycles[1]/2+stepCycles) <= together+together/20
}

// Chains returns the candidates for chains. Where a kernel for streams does the work,
// each of the two blocks is a call.
func (r *Row) Chains(enabled []block.Spec, single string) []Candidate {
	return r.orStreams(block.ChainOp, enabled, single, func(k Candidate) int { return 2 * (k.Cycles + r.Call(k.Lanes)) })
}
