// Package merkle climbs binary Merkle trees, level by level and in parts that fit the
// cache of a core. Its callers, one package for each kind of tree, define how two nodes
// are hashed, and what is above a node without a sibling.
package merkle

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/noescape"
)

const (
	// Trees are climbed in subtrees of subtreeLeaves leaves, one at a time. The levels
	// above these leaves stay in the cache of a core.
	subtreeLeaves = 2048
	// subtreeLevels is the number of levels that a subtree is climbed: few enough that a
	// subtree stays as wide as the widest kernel before subtrees run together.
	subtreeLevels = 6
)

// A Tree is a definition of trees whose nodes are digests.
type Tree = TreeOf[[32]byte]

// A TreeOf is a definition of trees with nodes of type N. Leaves are on level 0.
type TreeOf[N comparable] struct {
	// Parent sets dst, which may be the first child, to the node above the children. It
	// keeps neither pointer.
	Parent func(dst *N, children *[2]N)
	// Nodes sets dst[i] to the node above src[2i] and src[2i+1], for all of dst,
	// which does not overlap src.
	Nodes func(dst, src []N)
	// OneByOne reports whether n calls of Parent take less time than Nodes for n nodes.
	OneByOne func(n int) bool
	// Odd returns the node above `last`, the last of an odd number of nodes on
	// `level`.
	Odd func(last N, level int) N
	// Pool has the memory for climbing. Trees share it. If nodes are digests, it is
	// Digests.
	Pool *Pool[N]
}

// Depth returns the level of the root of n ≥ 1 leaves.
func Depth(n int) int { return bits.Len(uint(n - 1)) }

// Root returns the node on level `depth` above nodes, which are on `level`. nodes has
// at least one element and at most 2^(depth-level), and stays as it is. Above 2048
// nodes Root allocates a little more than 1/64 of their memory.
func (t *TreeOf[N]) Root(nodes []N, level, depth int) (root N) {
	t.SetRoot(&root, nodes, level, depth, nil)
	return root
}

// RootAndTwins is Root, and reports whether any two siblings are equal.
func (t *TreeOf[N]) RootAndTwins(nodes []N, level, depth int) (root N, twins bool) {
	t.SetRoot(&root, nodes, level, depth, &twins)
	return root, twins
}

// SetRoot sets dst to the root. If two siblings are equal and twins is not nil, it sets
// *twins to true.
func (t *TreeOf[N]) SetRoot(dst *N, nodes []N, level, depth int, twins *bool) {
	if level == depth {
		*dst = nodes[0]
		return
	}
	t.setRoot(dst, nodes, level, depth, twins)
}

// setRoot is SetRoot for a root above the level of nodes.
func (t *TreeOf[N]) setRoot(dst *N, nodes []N, level, depth int, twins *bool) {
	if t.byParent(len(nodes)) {
		t.rootByParent(dst, nodes, level, depth, twins)
		return
	}
	s := t.Pool.get()
	defer t.Pool.put(s)
	s.looks, s.twins = twins != nil, false
	*dst = t.root(s, nodes, level, depth)
	if s.twins {
		*twins = true
	}
}

// maxByParent is the largest number of nodes that are climbed without a scratch. It bounds
// the stack that climbByParent takes, and is otherwise arbitrary.
const maxByParent = 16

// byParent reports whether n nodes take less time to climb by Parent than by Nodes.
func (t *TreeOf[N]) byParent(n int) bool { return n <= 2 || n <= maxByParent && t.OneByOne(n/2) }

// rootByParent is SetRoot by Parent.
func (t *TreeOf[N]) rootByParent(dst *N, nodes []N, level, depth int, twins *bool) {
	switch n := len(nodes); n {
	case 1:
		*dst = nodes[0]
	case 2:
		t.parent(dst, (*[2]N)(nodes), twins)
	default:
		t.climbByParent(dst, nodes, level, twins)
	}
	for level += Depth(len(nodes)); level < depth; level++ {
		*dst = t.Odd(*dst, level)
	}
}

// climbByParent is rootByParent for three nodes or more, up to the first level that has one
// node. It keeps the levels between on the stack, and does not call Nodes: what Nodes is given
// would be on the heap.
func (t *TreeOf[N]) climbByParent(dst *N, nodes []N, level int, twins *bool) {
	var buf [maxByParent / 2]N
	for ; len(nodes) > 2; level++ {
		// Parents on one level do not wait for each other.
		pairs := len(nodes) / 2
		for i := range pairs {
			t.parent(&buf[i], (*[2]N)(nodes[2*i:]), twins)
		}
		if len(nodes)%2 == 1 {
			buf[pairs] = t.Odd(nodes[2*pairs], level)
		}
		nodes = buf[:(len(nodes)+1)/2]
	}
	t.parent(dst, (*[2]N)(nodes), twins)
}

// parent is Parent. If the children are equal and twins is not nil, it also sets *twins to
// true. Parent keeps no pointer; if it might, all nodes would be on the heap.
func (t *TreeOf[N]) parent(dst *N, children *[2]N, twins *bool) {
	if twins != nil && children[0] == children[1] {
		*twins = true
	}
	t.Parent((*N)(noescape.Pointer(unsafe.Pointer(dst))), (*[2]N)(noescape.Pointer(unsafe.Pointer(children))))
}

func (t *TreeOf[N]) root(s *scratch[N], nodes []N, level, depth int) N {
	for len(nodes) > subtreeLeaves {
		nodes = t.climbAll(s, nodes, level, level+subtreeLevels)
		level += subtreeLevels
	}
	return t.climb(s, s.wide[:], s.narrow[:], nodes, 1, level, depth)[0]
}

// Climb returns the nodes on level `to` above nodes, which are on `level`.
func (t *TreeOf[N]) Climb(nodes []N, level, to int) []N {
	s := t.Pool.get()
	defer t.Pool.put(s)
	for level < to {
		next := min(level+subtreeLevels, to)
		nodes = t.climbAll(s, nodes, level, next)
		level = next
	}
	return nodes
}

// climbAll is Climb by at most subtreeLevels levels.
func (t *TreeOf[N]) climbAll(s *scratch[N], nodes []N, level, to int) []N {
	above := make([]N, 0, Width(len(nodes), to-level))
	for len(nodes) > 0 {
		subtree := nodes[:min(len(nodes), subtreeLeaves)]
		nodes = nodes[len(subtree):]
		above = append(above, t.climb(s, s.wide[:], s.narrow[:], subtree, 1, level, to)...)
	}
	return above
}

// RootOf returns the root, on level `depth`, of n leaves. fill sets dst to the leaves
// from leaf i on.
func (t *TreeOf[N]) RootOf(n, depth int, fill func(dst []N, i int)) N {
	const (
		leaves = subtreeLeaves / 2 // what there is room for
		levels = subtreeLevels - 1
	)
	s := t.Pool.get()
	defer t.Pool.put(s)
	if n <= leaves {
		fill(s.wide[:n], 0)
		return t.climb(s, s.narrow[:], s.wide[:], s.wide[:n], 1, 0, depth)[0]
	}
	upper := make([]N, 0, Width(n, levels))
	for i := 0; i < n; i += leaves {
		subtree := s.wide[:min(n-i, leaves)]
		fill(subtree, i)
		upper = append(upper, t.climb(s, s.narrow[:], s.wide[:], subtree, 1, 0, levels)...)
	}
	return t.root(s, upper, levels, depth)
}

// Roots sets dst[i] to the root of leaves[i*size:(i+1)*size]. It climbs trees side by
// side, as far as they fit. size is at least 1. dst does not overlap leaves.
func (t *TreeOf[N]) Roots(dst, leaves []N, size int) {
	depth := Depth(size)
	if depth == 0 {
		copy(dst, leaves)
		return
	}
	if size <= maxByParent && t.OneByOne(len(dst)*(size/2)) {
		for i := range dst {
			t.rootByParent(&dst[i], leaves[i*size:][:size], 0, depth, nil)
		}
		return
	}
	s := t.Pool.get()
	defer t.Pool.put(s)
	for len(dst) > 0 {
		n := 1
		if size > subtreeLeaves {
			dst[0] = t.root(s, leaves[:size], 0, depth)
		} else {
			// The levels above trees of an odd size are more than half as wide.
			n = min(len(dst), subtreeLeaves/2/Width(size, 1), subtreeLeaves/4/Width(size, 2))
			copy(dst, t.climb(s, s.wide[:], s.narrow[:], leaves[:n*size], n, 0, depth))
		}
		dst, leaves = dst[n:], leaves[n*size:]
	}
}

// Node returns node i on a level above leaves.
func (t *TreeOf[N]) Node(leaves []N, level, i int) N {
	return t.Root(leaves[i<<level:min(len(leaves), (i+1)<<level)], 0, level)
}

// Width returns the number of nodes on a level above n leaves: n/2^level, rounded up.
func Width(n, level int) int { return (n-1)>>level + 1 }

// above sets dst to the parents of nodes: several trees in a row, with `size` nodes each on
// `level`.
func (t *TreeOf[N]) above(s *scratch[N], dst, nodes []N, trees, size, level int) {
	pairs := size / 2
	if trees == 1 || size%2 == 0 {
		for i := 0; s.looks && !s.twins && i+1 < len(nodes); i += 2 {
			s.twins = nodes[i] == nodes[i+1]
		}
		// The pairs are adjacent: only the last node can lack a sibling.
		t.Nodes(dst[:trees*pairs], nodes[:trees*pairs*2])
		if size%2 != 0 {
			dst[pairs] = t.Odd(nodes[size-1], level)
		}
		return
	}
	waiting, done := s.pairs[:0], 0 // done is the number of parents in dst
	flush := func() {
		n := len(waiting) / 2
		t.Nodes(dst[done:][:n], waiting)
		waiting, done = waiting[:0], done+n
	}
	for i := range trees {
		for rest := nodes[i*size:][:2*pairs]; len(rest) > 0; {
			n := min(len(rest), cap(waiting)-len(waiting))
			waiting, rest = append(waiting, rest[:n]...), rest[n:]
			if len(waiting) == cap(waiting) {
				flush()
			}
		}
	}
	flush()
	// The parents move apart, the last ones first: each tree gets a node of Odd.
	for i := trees - 1; i >= 0; i-- {
		own := dst[i*(pairs+1):][:pairs+1]
		copy(own, dst[i*pairs:][:pairs])
		own[pairs] = t.Odd(nodes[i*size+size-1], level)
	}
}

// climb hashes the nodes of equal trees, all on `level`, up to the level `to`, and returns
// the nodes there. They are in one of the buffers, unless `to` is `level`. buf has room for
// the level above, other for the level above that. other may share the memory of nodes.
func (t *TreeOf[N]) climb(s *scratch[N], buf, other, nodes []N, trees, level, to int) []N {
	for size := len(nodes) / trees; level < to; level++ {
		above := (size + 1) / 2
		t.above(s, buf, nodes, trees, size, level)
		nodes, size = buf[:trees*above], above
		buf, other = other, buf
	}
	return nodes
}

// scratch holds the levels of a subtree above its leaves, in turn. In RootOf and
// Peaks.Append, wide holds the leaves first. For Peaks, wide and narrow have one more
// element, at the beginning.
type scratch[N any] struct {
	wide   [1 + subtreeLeaves/2]N
	narrow [1 + subtreeLeaves/4]N
	pairs  [4 * block.MaxLanes]N // of trees of an odd size

	looks, twins bool // whether siblings are compared, and whether any were equal
}

// A Pool has memory for climbing, which it keeps from one climb to the next.
type Pool[N any] struct{ pool sync.Pool }

// Digests is the Pool of every Tree.
var Digests Pool[[32]byte]

func (p *Pool[N]) get() *scratch[N] {
	if s, ok := p.pool.Get().(*scratch[N]); ok {
		return s
	}
	return new(scratch[N])
}

func (p *Pool[N]) put(s *scratch[N]) {
	s.looks = false // setRoot may have set it
	p.pool.Put(s)
}
