package lanes

import (
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// nodeCosts is, like costs, the time that a kernel takes for one node in each
// of its lanes, in cycles.
var nodeCosts = []classCosts{
	// Measured on an EPYC of family 0x1a.
	{zen5, []cost{
		{"node_x1_shani", 174}, {"node_x2_shani", 299}, {"node_x4_shani", 527},
		{"node_x16_avx512", 1200}, {"node_x32_avx512", 1740}, {"node_x8_avx2", 1980},
	}},
	// Elsewhere a node is taken for two blocks with SHA instructions, which the
	// rounds keep busy whether there is a schedule or not, and for 1.63 blocks
	// with vectors.
	{zen4, []cost{
		{"node_x1_shani", 255}, {"node_x2_shani", 300}, {"node_x4_shani", 425},
		{"node_x16_avx512", 1710}, {"node_x32_avx512", 3500}, {"node_x8_avx2", 1880},
	}},
	{zen1, []cost{
		{"node_x1_shani", 255}, {"node_x2_shani", 325}, {"node_x4_shani", 590}, {"node_x8_avx2", 2120},
	}},
	// Measured on a Xeon of Ice Lake; the next rows follow it as for streams.
	{iceLake, []cost{
		{"node_x2_avx512shani", 400},
		{"node_x1_shani", 290}, {"node_x2_shani", 486}, {"node_x4_shani", 1262},
		{"node_x16_avx512", 1590}, {"node_x32_avx512", 3070}, {"node_x8_avx2", 1958},
	}},
	{intelAVX512SHA, []cost{
		{"node_x1_shani", 255}, {"node_x2_shani", 275}, {"node_x4_shani", 560},
		{"node_x16_avx512", 1590}, {"node_x32_avx512", 3070}, {"node_x8_avx2", 1958},
	}},
	{intelAVX512, []cost{
		{"node_x16_avx512", 1590}, {"node_x32_avx512", 3300}, {"node_x8_avx2", 1958},
	}},
	{shaOnly, []cost{
		{"node_x1_shani", 290}, {"node_x2_shani", 430}, {"node_x4_shani", 900}, {"node_x8_avx2", 2200},
	}},
	{avx2Only, []cost{{"node_x8_avx2", 2280}}},
	// llvm-mca, as for streams.
	{armSHA2, []cost{
		{"node_x1_sha2", 107}, {"node_x2_sha2", 197}, {"node_x4_sha2", 367}, {"node_x4_neon", 2880},
	}},
	{armSHA2v80, []cost{
		{"node_x1_sha2", 193}, {"node_x2_sha2", 339}, {"node_x4_sha2", 663}, {"node_x4_neon", 2880},
	}},
	{armNEON, []cost{{"node_x4_neon", 2880}}},
	{unknown, []cost{
		{"node_x1_shani", 270}, {"node_x2_shani", 470}, {"node_x4_shani", 980},
		{"node_x16_avx512", 2300}, {"node_x32_avx512", 4900}, {"node_x8_avx2", 2600},
	}},
}

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

// renewNodePlan plans for what is enabled now.
func renewNodePlan() *nodePlan {
	p := newNodePlan(classOfThisCPU(), block.NodeKernels(), block.Single())
	p.epoch = block.Epoch()
	currentNodes.Store(p)
	return p
}

// newNodePlan finds the cheapest way to hash n nodes, for every n below
// MaxLanes, by the costs of the class. single names the kernel that
// block.HashNode runs if there is none for one node.
func newNodePlan(c class, kernels []block.NodeKernel, single string) *nodePlan {
	choice, of := nodeCandidates(c, kernels, single)
	first, cheapest := choose(choice, paddingCost)
	p := &nodePlan{many: of[cheapest]}
	for n := 1; n < len(p.kernels); n++ {
		p.kernels[n] = of[first[n]]
	}
	return p
}

// nodeCandidates returns what may be chosen for nodes on a class, and the
// kernels that it stands for: nil for the first, one node at a time.
func nodeCandidates(c class, kernels []block.NodeKernel, single string) (choice []Candidate, of []*block.NodeKernel) {
	oneBlock, ok := costOf(costs, c, single)
	if !ok {
		oneBlock = genericCost
	}
	choice, of = []Candidate{{single, 1, 2 * oneBlock}}, []*block.NodeKernel{nil}
	for i := range kernels {
		k := &kernels[i]
		if cycles, ok := costOf(nodeCosts, c, k.Name); ok && k.Enabled {
			choice, of = append(choice, Candidate{k.Name, k.Lanes, cycles}), append(of, k)
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
	p := currentNodes.Load()
	if p == nil || p.epoch != block.Epoch() {
		p = renewNodePlan()
	}
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
