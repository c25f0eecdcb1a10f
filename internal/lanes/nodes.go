package lanes

import (
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// paddingCost is what it takes to run a kernel on fewer nodes than it has
// lanes: they are copied beside as many others as are missing.
const paddingCost = 150

// A nodePlan says which kernels hash a number of nodes on this machine. A nil
// kernel stands for one node at a time, by block.HashNode.
type nodePlan struct {
	epoch uint32
	// many is for MaxLanes nodes and more, while they fill it.
	many *block.NodeKernel
	// kernels[n] is for the first of n nodes; those that it leaves are planned
	// again. It may have more lanes than there are nodes.
	kernels [block.MaxLanes]*block.NodeKernel
}

var currentNodes atomic.Pointer[nodePlan]

// currentNodePlan returns the plan for what is enabled now.
func currentNodePlan() *nodePlan {
	p := currentNodes.Load()
	if p == nil || p.epoch != block.Epoch() {
		p = renewNodePlan()
	}
	return p
}

func renewNodePlan() *nodePlan {
	p := newNodePlan(rowOf(cpu.This()), block.NodeKernels(), block.Single())
	p.epoch = block.Epoch()
	currentNodes.Store(p)
	return p
}

// NodeKernel returns the kernel for many nodes, or "" where they are hashed one
// at a time by a kernel for streams.
func NodeKernel() string {
	if k := currentNodePlan().many; k != nil {
		return k.Name
	}
	return ""
}

// newNodePlan finds the cheapest way to hash n nodes, for every n below
// MaxLanes, by the costs in r. single names the kernel that block.HashNode runs
// if there is none for one node.
func newNodePlan(r row, kernels []block.NodeKernel, single string) *nodePlan {
	choice, of := nodeCandidates(r, kernels, single)
	first, _ := choose(choice, paddingCost)
	p := &nodePlan{many: of[Cheapest(choice)]}
	for n := 1; n < len(p.kernels); n++ {
		p.kernels[n] = of[first[n]]
	}
	return p
}

// nodeCandidates returns what may be chosen for nodes, and the kernels that it
// stands for: nil for the first, one node at a time.
func nodeCandidates(r row, kernels []block.NodeKernel, single string) (choice []Candidate, of []*block.NodeKernel) {
	one := Candidate{single, 1, 2 * genericCost, Derived}
	if single != oneStream.Name && single != "x1_std" {
		one = r.candidate(block.Spec{Name: single, Lanes: 1})
		one.Cycles *= 2
	}
	choice, of = []Candidate{one}, []*block.NodeKernel{nil}
	for i := range kernels {
		if k := &kernels[i]; k.Enabled {
			choice, of = append(choice, r.candidate(k.Spec)), append(of, k)
		}
	}
	return choice, of
}

// HashNodes sets the 32 bytes of dst at 32·i to the digest of the 64 of src at
// 64·i, for every node of src, whose length is a multiple of 64. dst holds half
// of src at least. They begin at the same place or do not overlap.
func HashNodes(dst, src []byte) {
	if len(src) == block.NodeSize {
		// Beside a single hash what the plan costs would show.
		block.HashNode((*[block.DigestSize]byte)(dst), (*[block.NodeSize]byte)(src))
		return
	}
	hashNodes(dst, src)
}

// hashNodes is HashNodes by the plan.
func hashNodes(dst, src []byte) {
	p := currentNodePlan()
	for len(src) >= block.NodeSize {
		n := len(src) / block.NodeSize
		k := p.many
		if n < block.MaxLanes {
			k = p.kernels[n]
		}
		take := 1
		switch {
		case k == nil:
			block.HashNode((*[block.DigestSize]byte)(dst), (*[block.NodeSize]byte)(src))
		case n < k.Lanes:
			take = n
			hashPadded(k, dst, src)
		case n < block.MaxLanes:
			take = k.Lanes
			k.Hash(dst, src[:take*block.NodeSize])
		default:
			take = n - n%k.Lanes
			k.Hash(dst, src[:take*block.NodeSize])
		}
		src, dst = src[take*block.NodeSize:], dst[take*block.DigestSize:]
	}
}

// hashPadded hashes fewer nodes than k has lanes.
func hashPadded(k *block.NodeKernel, dst, src []byte) {
	var nodes [block.MaxLanes * block.NodeSize]byte
	copy(nodes[:], src)
	k.Hash(nodes[:], nodes[:k.Lanes*block.NodeSize])
	copy(dst, nodes[:len(src)/2])
}
