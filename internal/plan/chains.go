package plan

import "github.com/sha256-simd/sha256-simd/internal/block"

// Chains is a plan for chains of HMAC, of which each iteration compresses two blocks.
// It names chain kernels, kernels for streams, or "generic" or "x1_std" for one chain.
type Chains struct {
	// Width is the number of chains that run at a time while there are enough.
	Width int
	// Kernels[n] is for the first of n chains; the chains that it leaves are planned
	// again.
	Kernels [block.MaxLanes + 1]string
	// cycles[n] is the cost of an iteration of n chains.
	cycles [block.MaxLanes + 1]int
}

// NewChains finds the cheapest way to advance n chains, for every n. It chooses among
// the enabled kernels by the costs in r. Single compresses one stream.
func NewChains(r Row, enabled []block.Spec, single string) *Chains {
	choice := r.Chains(enabled, single)
	first, cycles := choose(choice, 0)
	p := &Chains{Width: choice[Cheapest(choice)].Lanes, cycles: cycles}
	for n := 1; n < len(p.Kernels); n++ {
		p.Kernels[n] = choice[first[n]].Kernel
	}
	return p
}

// Plain chains cost chainsCycles, for each chain chainCycles, and unevenCycles if they have
// different numbers of steps. A step alone costs stepCycles beside its block. Measured on
// Granite Rapids, in 250 random lists of 1 to 40 chains of up to 8 steps. Elsewhere they
// are estimates.
const chainsCycles, chainCycles, unevenCycles, stepCycles = 880, 170, 1000, 70

// OneByOne reports whether n plain chains take less time one after the other than side by
// side, or at most a twentieth more. An iteration is two of their steps. They have so many
// steps all together, and the longest of them that many. They are even if all have the
// same number.
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
