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
}

// NewChains finds the cheapest way to advance n chains, for every n. It chooses among
// the enabled kernels by the costs in r. Single compresses one stream.
func NewChains(r Row, enabled []block.Spec, single string) *Chains {
	choice := r.Chains(enabled, single)
	first, _ := choose(choice, 0)
	p := &Chains{Width: choice[Cheapest(choice)].Lanes}
	for n := 1; n < len(p.Kernels); n++ {
		p.Kernels[n] = choice[first[n]].Kernel
	}
	return p
}

// Chains returns the candidates for chains. Where a kernel for streams does the work,
// each of the two blocks is a call.
func (r *Row) Chains(enabled []block.Spec, single string) []Candidate {
	return r.orStreams(block.ChainOp, enabled, single, func(k Candidate) int { return 2 * (k.Cycles + r.Call(k.Lanes)) })
}
