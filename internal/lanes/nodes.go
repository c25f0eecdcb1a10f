package lanes

import (
	"sync"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// A nodePlan says which kernels hash n nodes on this machine, for every n. Where the
// kernel is nil, block.HashNode hashes one node at a time.
type nodePlan struct {
	// many is for MaxLanes nodes or more, as long as they fill it.
	many *block.NodeKernel
	// kernels[n] is for the first of n nodes; the nodes that it leaves are planned
	// again. It may have more than n lanes.
	kernels [block.MaxLanes]*block.NodeKernel
	// whole[n] is kernels[n] if that kernel hashes all n nodes in one call, and fills its
	// lanes; otherwise it is nil.
	whole [block.MaxLanes]*block.NodeKernel
	// copiesPay is that of the plan.
	copiesPay [block.MaxLanes]bool
}

var nodePlans = cache[nodePlan]{make: func() *nodePlan {
	return newNodePlan(plan.NewNodes(plan.RowOf(cpu.This()), block.Enabled(), block.Single()), block.NodeKernels())
}}

// NodeKernel returns the kernel for many nodes, or "" where they are hashed one
// at a time by a kernel for streams.
func NodeKernel() string {
	if k := nodePlans.current().many; k != nil {
		return k.Name
	}
	return ""
}

// newNodePlan returns p with its kernels.
func newNodePlan(p *plan.Nodes, kernels []block.NodeKernel) *nodePlan {
	np := &nodePlan{many: named(kernels, p.Many), copiesPay: p.CopiesPay}
	for n := 1; n < len(p.Kernels); n++ {
		k := named(kernels, p.Kernels[n])
		np.kernels[n] = k
		if k != nil && (n == k.Lanes || n > k.Lanes && np.whole[n-k.Lanes] == k) {
			np.whole[n] = k
		}
	}
	return np
}

// HashNodes sets the 32 bytes of dst at 32·i to the digest of the 64 bytes of src at
// 64·i, for every i. The length of src is a multiple of 64, and dst has at least half
// its length. dst and src begin at the same address or do not overlap.
func HashNodes(dst, src []byte) {
	n := len(src) / block.NodeSize
	if n == 1 {
		// The plan would take a noticeable part of the time of a single hash.
		block.HashNode((*[block.DigestSize]byte)(dst), (*[block.NodeSize]byte)(src))
		return
	}
	p := nodePlans.current()
	if n < block.MaxLanes {
		if k := p.whole[n]; k != nil { // saves 4 ns for 2 or 4 nodes on Zen 4
			k.Hash(dst, src)
			return
		}
	}
	p.hash(dst, src)
}

// NodesOneByOne reports whether HashNodes hashes n nodes one by one.
func NodesOneByOne(n int) bool { return n <= 1 || !nodePlans.current().hasLanes(n) }

// hasLanes reports whether p hashes the first of n nodes side by side.
func (p *nodePlan) hasLanes(n int) bool {
	k := p.many
	if n < block.MaxLanes {
		k = p.kernels[n]
	}
	return k != nil && k.Lanes > 1
}

// paysCopied reports whether n messages with the length of a node, which are copied first, take less
// time as nodes than one by one. From MaxLanes on, they do if p has lanes.
func (p *nodePlan) paysCopied(n int) bool {
	if n < block.MaxLanes {
		return p.copiesPay[n]
	}
	return p.hasLanes(n)
}

// pay reports whether the first n rows of src, which are nodes, take less time by sumNodes than one
// by one. n is not 0.
func (p *nodePlan) pay(dst, src *Rows, n int) bool {
	return p.paysCopied(n) || p.hasLanes(n) && areInPlace(dst, src, n)
}

// hash is HashNodes by the plan.
func (p *nodePlan) hash(dst, src []byte) {
	for len(src) >= block.NodeSize {
		n := len(src) / block.NodeSize
		k := p.many
		if n < block.MaxLanes {
			k = p.kernels[n]
		}
		count := 1
		switch {
		case k == nil:
			block.HashNode((*[block.DigestSize]byte)(dst), (*[block.NodeSize]byte)(src))
		case n < k.Lanes:
			count = n
			hashPadded(k, dst, src)
		case n < block.MaxLanes:
			// A call of several groups takes less than a call for each.
			for count = k.Lanes; n-count >= k.Lanes && p.kernels[n-count] == k; {
				count += k.Lanes
			}
			k.Hash(dst, src[:count*block.NodeSize])
		default:
			count = n - n%k.Lanes
			k.Hash(dst, src[:count*block.NodeSize])
		}
		src, dst = src[count*block.NodeSize:], dst[count*block.DigestSize:]
	}
}

// hashPadded hashes fewer nodes than k has lanes. The nodes are on the stack, since
// hashtree.Hash allocates nothing, even if a pool is empty.
func hashPadded(k *block.NodeKernel, dst, src []byte) {
	var nodes [block.MaxLanes * block.NodeSize]byte
	copy(nodes[:], src)
	k.Hash(nodes[:], nodes[:k.Lanes*block.NodeSize])
	copy(dst, nodes[:len(src)/2])
}

// sumNodes sets rows of dst to the digests of m, messages with the length of a node.
// Kernels for nodes read messages, and write digests, one behind the other. So the
// messages are copied, unless messages and digests are rows without gaps that begin at the
// same address or do not overlap.
func sumNodes(dst Rows, m *messages) {
	if m.slices == nil && areInPlace(&dst, &m.rows, m.n) {
		HashNodes(dst.Data[:m.n*block.DigestSize], m.rows.Data[:m.n*block.NodeSize])
		return
	}
	adjacent := dst.areDigests()
	nodes := nodeBuffers.Get().(*nodeBuffer)
	far := m.areFar()
	for done := 0; done < m.n; {
		live := min(m.n-done, block.MaxLanes)
		if far {
			m.fetch(done+live, live)
		}
		for i := range live {
			from := (*[block.NodeSize]byte)(m.message(done + i))
			copyShort(nodes[i*block.NodeSize:], from[:])
		}
		if adjacent {
			HashNodes(dst.Data[done*block.DigestSize:], nodes[:live*block.NodeSize])
		} else {
			HashNodes(nodes[:], nodes[:live*block.NodeSize])
			for i := range live {
				copy(dst.row(done+i), nodes[i*block.DigestSize:])
			}
		}
		done += live
	}
	nodeBuffers.Put(nodes)
}

// areInPlace reports whether HashNodes can hash the first n rows of src, which are nodes, where they
// lie, and store the digests in rows of dst. n is not 0.
func areInPlace(dst, src *Rows, n int) bool {
	return dst.areDigests() && src.Stride == block.NodeSize && apartOrSame(dst.Data[:n*block.DigestSize], src.Data[:n*block.NodeSize])
}

// areDigests reports whether the rows of r are whole digests, one behind the other.
func (r *Rows) areDigests() bool { return r.Stride == block.DigestSize && r.Size == block.DigestSize }

// A nodeBuffer is memory for nodes. To clear a local variable of this size took 150 ns on
// Emerald Rapids.
type nodeBuffer [block.MaxLanes * block.NodeSize]byte

var nodeBuffers = sync.Pool{New: func() any { return new(nodeBuffer) }}

// apartOrSame reports whether a and b begin at the same address or do not overlap. Both
// have at least one byte.
func apartOrSame(a, b []byte) bool {
	p, q := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	return p == q || p+uintptr(len(a)) <= q || q+uintptr(len(b)) <= p
}
