package merkle

import (
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// Zeros is the definition of trees in which a node is the digest of its two children,
// and leaves of zeros follow the leaves, as in Ethereum's SSZ and in BitTorrent v2.
var Zeros = Tree{
	Nodes: func(dst, src [][32]byte) { lanes.HashNodes(convert.Bytes(dst), convert.Bytes(src)) },
	Odd:   func(last [32]byte, level int) [32]byte { return pair(last, ZeroRoots()[level]) },
	Pool:  &Digests,
}

// ZeroRoots returns the roots of trees of zeros: element i is the root of 2^i
// leaves.
var ZeroRoots = sync.OnceValue(func() *[65][32]byte {
	roots := new([65][32]byte)
	for i := range roots[1:] {
		roots[i+1] = pair(roots[i], roots[i])
	}
	return roots
})

func pair(left, right [32]byte) (node [32]byte) {
	both := [2][32]byte{left, right}
	lanes.HashNodes(node[:], convert.Bytes(both[:]))
	return node
}
