// Package merkle climbs binary Merkle trees of 32-byte nodes, level by level and in
// parts that fit the cache of a core. Its callers, one package for each kind of tree,
// define how two nodes are hashed, and what is above a node without a sibling.
package merkle

import (
	"math/bits"
	"sync"
	"unsafe"
)

const (
	// subtreeLeaves is the number of leaves that are climbed at a time. The levels
	// above them stay in the cache of a core.
	subtreeLeaves = 2048
	// subtreeLevels is the number of levels that they are climbed, so that no
	// subtree gets narrower than the widest kernel before subtrees run together.
	subtreeLevels = 6
)

// A Tree is a definition of trees. Leaves are on level 0.
type Tree struct {
	// Nodes sets dst[i] to the node above src[2i] and src[2i+1], for all of dst,
	// which does not overlap src.
	Nodes func(dst, src [][32]byte)
	// Odd returns the node above `last`, the last of an odd number of nodes on
	// `level`.
	Odd func(last [32]byte, level int) [32]byte
}

// Depth returns the level of the root of n leaves, at least one.
func Depth(n int) int { return bits.Len(uint(n - 1)) }

// Root returns the node on level `depth` above nodes, which are on `level`. nodes has
// at least one element and at most 2^(depth-level), and stays as it is. Above 2048
// nodes Root allocates a little more than 1/64 of their memory.
func (t *Tree) Root(nodes [][32]byte, level, depth int) [32]byte {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	return t.root(s, nodes, level, depth)
}

func (t *Tree) root(s *scratch, nodes [][32]byte, level, depth int) [32]byte {
	for len(nodes) > subtreeLeaves {
		nodes = t.climbAll(s, nodes, level, level+subtreeLevels)
		level += subtreeLevels
	}
	return t.climb(s.wide[:], s.narrow[:], nodes, level, depth)[0]
}

// Climb returns the nodes on level `to` above nodes, which are on `level`.
func (t *Tree) Climb(nodes [][32]byte, level, to int) [][32]byte {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	for level < to {
		next := min(level+subtreeLevels, to)
		nodes = t.climbAll(s, nodes, level, next)
		level = next
	}
	return nodes
}

// climbAll is Climb by at most subtreeLevels.
func (t *Tree) climbAll(s *scratch, nodes [][32]byte, level, to int) [][32]byte {
	above := make([][32]byte, 0, Width(len(nodes), to-level))
	for len(nodes) > 0 {
		subtree := nodes[:min(len(nodes), subtreeLeaves)]
		nodes = nodes[len(subtree):]
		above = append(above, t.climb(s.wide[:], s.narrow[:], subtree, level, to)...)
	}
	return above
}

// RootOf returns the root, on level `depth`, of n leaves. fill sets dst to the leaves
// from leaf i on.
func (t *Tree) RootOf(n, depth int, fill func(dst [][32]byte, i int)) [32]byte {
	const (
		leaves = subtreeLeaves / 2 // what there is room for
		levels = subtreeLevels - 1
	)
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	if n <= leaves {
		fill(s.wide[:n], 0)
		return t.climb(s.narrow[:], s.wide[:], s.wide[:n], 0, depth)[0]
	}
	upper := make([][32]byte, 0, Width(n, levels))
	for i := 0; i < n; i += leaves {
		subtree := s.wide[:min(n-i, leaves)]
		fill(subtree, i)
		upper = append(upper, t.climb(s.narrow[:], s.wide[:], subtree, 0, levels)...)
	}
	return t.root(s, upper, levels, depth)
}

// Node returns node i on a level above leaves.
func (t *Tree) Node(leaves [][32]byte, level, i int) [32]byte {
	return t.Root(leaves[i<<level:min(len(leaves), (i+1)<<level)], 0, level)
}

// Width returns the number of nodes on a level above n leaves: n/2^level, rounded up.
func Width(n, level int) int { return (n-1)>>level + 1 }

// above sets dst to the parents of nodes, which are on `level`.
func (t *Tree) above(dst, nodes [][32]byte, level int) {
	n := len(nodes)
	t.Nodes(dst[:n/2], nodes[:n&^1])
	if n%2 != 0 {
		dst[n/2] = t.Odd(nodes[n-1], level)
	}
}

// climb hashes nodes, which are on `level`, up to the level `to`, and returns the nodes
// there. They are in one of the buffers, unless `to` is `level`. buf has room for half
// of the nodes, rounded up, other for a quarter. other may share the memory of nodes.
func (t *Tree) climb(buf, other, nodes [][32]byte, level, to int) [][32]byte {
	for ; level < to; level++ {
		above := buf[:(len(nodes)+1)/2]
		t.above(above, nodes, level)
		nodes = above
		buf, other = other, buf
	}
	return nodes
}

// scratch holds the levels of a subtree above its leaves, in turn. Peaks have a place
// before them.
type scratch struct {
	wide   [1 + subtreeLeaves/2][32]byte
	narrow [1 + subtreeLeaves/4][32]byte
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// Bytes returns the memory of nodes.
func Bytes(nodes [][32]byte) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(nodes))), 32*len(nodes))
}
