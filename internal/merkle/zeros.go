package merkle

import (
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// Zeros is the definition of trees in which a node is the digest of its two children,
// and leaves of zeros follow the leaves, as in Ethereum's SSZ and in BitTorrent v2.
var Zeros = Tree{
	Parent:   parent,
	Nodes:    func(dst, src [][32]byte) { lanes.HashNodes(convert.Bytes(dst), convert.Bytes(src)) },
	OneByOne: lanes.NodesOneByOne,
	Odd: func(last [32]byte, level int) (node [32]byte) {
		parent(&node, &[...][32]byte{last, ZeroRoots()[level]})
		return node
	},
	Pool: &Digests,
}

// ZeroRoots returns the roots of trees of zeros: element i is the root of 2^i
// leaves.
var ZeroRoots = sync.OnceValue(func() *[65][32]byte {
	roots := new([65][32]byte)
	for i := range roots[1:] {
		parent(&roots[i+1], &[...][32]byte{roots[i], roots[i]})
	}
	return roots
})

func parent(node *[32]byte, children *[2][32]byte) {
	block.HashNode(node, (*[block.NodeSize]byte)(convert.Bytes(children[:])))
}
