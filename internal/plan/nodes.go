package plan

import "github.com/sha256-simd/sha256-simd/internal/block"

// Nodes is a plan for nodes of Merkle trees. It names node kernels. For one node at a
// time it may name the kernel that compresses one stream.
type Nodes struct {
	// Many is the kernel for MaxLanes nodes or more, as long as they fill it.
	Many string
	// Kernels[n] is the kernel that runs first for n nodes. The nodes that it leaves are
	// planned again. It may have more than n lanes.
	Kernels [block.MaxLanes]string
	// CopiesPay[n] reports whether n messages that are first copied one behind the other, and then
	// hashed by this plan, take less time than one by one where they lie.
	CopiesPay [block.MaxLanes]bool
}

// Copying n nodes takes about copyCall+n·copyNode cycles: on Granite Rapids, 130 for 4 nodes, 190 for
// 5 or 8, and 240 for 16. On Zen 3, copies were found to pay from 4 nodes on, as these costs say.
const copyCall, copyNode = 120, 9

// NewNodes finds the cheapest way to hash n nodes, for every n below MaxLanes. It
// chooses among the enabled kernels by the costs in r. Single hashes a node if no
// node kernel for one node is enabled.
func NewNodes(r Row, enabled []block.Spec, single string) *Nodes {
	choice := r.Nodes(enabled, single)
	first, best := choose(choice, r.overhead.padding)
	p := &Nodes{Many: choice[Cheapest(choice)].Kernel}
	for n := 1; n < len(p.Kernels); n++ {
		p.Kernels[n] = choice[first[n]].Kernel
		p.CopiesPay[n] = best[n]+copyCall+n*copyNode < n*best[1]
	}
	return p
}

// Nodes returns the candidates for nodes. The first is single, which takes two blocks
// for a node.
func (r *Row) Nodes(enabled []block.Spec, single string) []Candidate {
	one := r.plainGo(single, 2)
	if single != "generic" && single != "x1_std" {
		one = r.candidate(block.Spec{Name: single, Lanes: 1})
		one.Cycles *= 2
	}
	return append([]Candidate{one}, r.ofOperation(block.NodeOp, enabled)...)
}
