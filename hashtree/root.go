package hashtree

import (
	"fmt"
	"math/bits"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

const (
	// A tree is climbed in subtrees of this many leaves, so that all but the
	// leaves stays in the cache of a core, up to the level below which a
	// subtree still fills the widest kernel.
	subtreeLeaves = 2048
	subtreeLevels = 6
)

// Root returns the root of the binary tree over leaves as SSZ's merkleize
// defines it: chunks of zeros follow the leaves, up to the next power of two that
// is not below limit. A limit of 0 means len(leaves); one of 2^40 or 2^64-1 costs
// no more than a hash a level, because the roots of zero subtrees are known. The
// root of no leaves under a limit of 0 or 1 is all zeros.
//
// The leaves stay as they are. Root uses the calling goroutine and, above 2048
// leaves, allocates 1/64 of the memory that they take.
//
// The error is ErrTooManyLeaves if there are more leaves than limit.
func Root(leaves [][32]byte, limit uint64) ([32]byte, error) {
	n := len(leaves)
	if limit == 0 {
		limit = uint64(max(n, 1))
	}
	if uint64(n) > limit {
		return [32]byte{}, fmt.Errorf("%w: %d leaves, limit %d", ErrTooManyLeaves, n, limit)
	}
	depth := bits.Len64(limit - 1)
	if n == 0 {
		return zeroRoots()[depth], nil
	}
	if depth == 0 {
		return leaves[0], nil
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	if n <= subtreeLeaves {
		climb(s[:], leaves, 0, depth)
		return s[0], nil
	}
	upper := make([][32]byte, 0, (n+1<<subtreeLevels-1)>>subtreeLevels)
	for len(leaves) > 0 {
		subtree := leaves[:min(len(leaves), subtreeLeaves)]
		leaves = leaves[len(subtree):]
		upper = append(upper, climb(s[:], subtree, 0, subtreeLevels)...)
	}
	climb(upper, upper, subtreeLevels, depth)
	return upper[0], nil
}

// scratch holds the level above the leaves of a subtree.
type scratch [subtreeLeaves / 2][32]byte

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// climb hashes one node or more, each the root of a subtree of 2^level leaves,
// up to the level to, which is above, and returns the nodes there. They stand
// at the start of buf, which has room for half the nodes, rounded up, and
// begins where the nodes do or does not overlap them. Zero subtrees follow the
// nodes.
func climb(buf, nodes [][32]byte, level, to int) [][32]byte {
	for ; level < to; level++ {
		n := len(nodes)
		lanes.HashNodes(bytesOf(buf), bytesOf(nodes[:n&^1]))
		if n%2 != 0 {
			last := [2][32]byte{nodes[n-1], zeroRoots()[level]}
			lanes.HashNodes(bytesOf(buf[n/2:]), bytesOf(last[:]))
		}
		nodes = buf[:(n+1)/2]
	}
	return nodes
}

// zeroRoots returns the roots of trees of zeros: element i is that of 2^i
// leaves.
var zeroRoots = sync.OnceValue(func() *[65][32]byte {
	roots := new([65][32]byte)
	for i := range roots[1:] {
		pair := [2][32]byte{roots[i], roots[i]}
		lanes.HashNodes(roots[i+1][:], bytesOf(pair[:]))
	}
	return roots
})
