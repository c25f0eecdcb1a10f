// Package rfc6962 computes the Merkle trees of RFC 6962 and RFC 9162 with
// SHA-256, many leaves and nodes side by side: the trees of Certificate
// Transparency, Go's checksum database, Sigstore and CometBFT. A byte 0 is
// hashed before each leaf, a byte 1 before the two children of a node. A tree
// of n leaves is split at the largest power of two below n.
//
// All functions work on the calling goroutine, write to nothing but dst, and may be called
// concurrently.
package rfc6962

import (
	"fmt"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/merkle"
)

// The bytes before leaves and nodes; only ever read.
var (
	leafPrefix = lanes.Prefix{H: block.IV256, Rest: []byte{0}, Len: 1}
	nodePrefix = lanes.Prefix{H: block.IV256, Rest: []byte{1}, Len: 1}
)

// tree is the definition: a node without a sibling goes up as it is, which
// comes to the same as splitting at powers of two.
var tree = merkle.Tree{
	Parent:   parent,
	Nodes:    nodes,
	OneByOne: oneByOne,
	Odd:      func(last [32]byte, _ int) [32]byte { return last },
	Pool:     &merkle.Digests,
}

// oneByOne reports whether n nodes take less time one by one than side by side.
func oneByOne(n int) bool { return lanes.RowsOneByOne(n, 2*32, 1) }

// nodes is checkedNodes of slices whose lengths are right.
func nodes(dst, src [][32]byte) {
	if oneByOne(len(dst)) {
		for i := range dst {
			parent(&dst[i], (*[2][32]byte)(src[2*i:]))
		}
		return
	}
	lanes.SumDigests(dst, nodePrefix, src)
}

// parent sets dst to the node above two. dst may be the first of them.
func parent(dst *[32]byte, children *[2][32]byte) {
	const size = 1 + 2*32
	if block.InVectors() {
		block.FinishBehind(dst, &block.IV256, nodePrefix.Rest, convert.Bytes(children[:]), size)
		return
	}
	padded := [2 * sha256.BlockSize]byte{0: 1, size: 0x80, 2*sha256.BlockSize - 2: size * 8 >> 8, 2*sha256.BlockSize - 1: size * 8 & 0xff}
	*(*[2 * 32]byte)(padded[1:]) = [2 * 32]byte(convert.Bytes(children[:]))
	block.HashPadded(dst, padded[:], size)
}

// node returns the node above two.
func node(left, right [32]byte) (node [32]byte) {
	parent(&node, &[...][32]byte{left, right})
	return node
}

// LeafHashes sets dst[i] to the hash of leaves[i] as a leaf. A nil leaf is an empty
// leaf. dst must not overlap any leaf.
//
// It panics, before it touches anything, if dst and leaves differ in length.
func LeafHashes[D ~[32]byte](dst []D, leaves [][]byte) {
	hashLeaves(convert.Digests[[32]byte](dst), leaves)
}

// LeafHash returns the hash of leaf as a leaf. A nil leaf is an empty leaf. For many leaves,
// [LeafHashes] is faster.
func LeafHash(leaf []byte) (hash [32]byte) {
	hashLeaf(&hash, leaf)
	return hash
}

// hashLeaf sets dst to the hash of a leaf.
func hashLeaf(dst *[32]byte, leaf []byte) { block.HashBehind(dst, leafPrefix.Rest, leaf) }

func hashLeaves(dst [][32]byte, leaves [][]byte) {
	if len(dst) != len(leaves) {
		panic(fmt.Sprintf("rfc6962: LeafHashes: %d digests for %d leaves", len(dst), len(leaves)))
	}
	if lanes.OneByOne(leaves, 1, lanes.NotNested) {
		for i := range leaves {
			hashLeaf(&dst[i], leaves[i])
		}
		return
	}
	lanes.SumManyAfter(dst, &leafPrefix, leaves)
}

// Nodes sets dst[i] to the node above src[2i] and src[2i+1], for each such pair. dst may
// begin where src does, and then replaces the first half of it; otherwise the two must
// not overlap. Elements of dst beyond len(src)/2 are left unchanged.
//
// The error is [github.com/sha256-simd/sha256-simd/hashtree.ErrOddChunks] if the length of
// src is odd, and [github.com/sha256-simd/sha256-simd/hashtree.ErrNotEnoughDigests] if dst
// is shorter than half of it. Then nothing has been written.
func Nodes[D ~[32]byte](dst, src []D) error {
	return checkedNodes(convert.Digests[[32]byte](dst), convert.Digests[[32]byte](src))
}

func checkedNodes(dst, src [][32]byte) error {
	if err := merkle.CheckPairs(len(dst), len(src)); err != nil {
		return fmt.Errorf("rfc6962: Nodes: %w", err)
	}
	nodes(dst[:len(src)/2], src)
	return nil
}

// Root returns the root of the tree over leaves. Without leaves it is the digest of the
// empty message. Above 1024 leaves Root allocates little more than a byte for each
// leaf.
func Root(leaves [][]byte) (root [32]byte) {
	n := len(leaves)
	switch n {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return LeafHash(leaves[0])
	}
	return tree.RootOf(n, merkle.Depth(n), func(dst [][32]byte, i int) { hashLeaves(dst, leaves[i:i+len(dst)]) })
}

// RootOfHashes returns the root of the tree over leaves with the hashes leafHashes.
// Without leaves it is the digest of the empty message. Above 2048 leaves RootOfHashes
// allocates little more than 1/64 of the memory of leafHashes.
func RootOfHashes[D ~[32]byte](leafHashes []D) D {
	return D(rootOf(convert.Digests[[32]byte](leafHashes)))
}

func rootOf(leafHashes [][32]byte) [32]byte {
	n := len(leafHashes)
	if n == 0 {
		return sha256.Sum256(nil)
	}
	return tree.Root(leafHashes, 0, merkle.Depth(n))
}
