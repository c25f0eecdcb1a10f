// Package bitcoin computes Bitcoin's Merkle trees and the hashes of transactions and block
// headers, many side by side. A hash is the digest of a digest (double SHA-256).
//
// A node without a sibling is hashed with itself. So the root of a list stays the same
// if the end of the list is repeated (CVE-2012-2459). [Root] reports lists that may
// have such repetitions. Refuse a block with such a list, but do not remember its hash
// as invalid: the original block has the same hash, and may be valid. A branch does not
// tell a transaction from an inner node (CVE-2017-12842): see [RootFromBranch].
//
// Hashes have the byte order of the digest; programs usually show them in reverse.
//
// All functions work on the calling goroutine and may be called concurrently on
// different memory.
package bitcoin

import (
	"fmt"
	"unsafe"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/merkle"
)

// window is the number of nodes or headers that are hashed in one call, and then a second
// time, while the cache has their digests.
const window = 256

// Nodes sets dst[i] to the double SHA-256 of src[2i] followed by src[2i+1], for
// each such pair. dst may begin where src does, and then replaces the first half
// of it; otherwise the two must not overlap. Elements of dst beyond len(src)/2 are
// left unchanged.
//
// The error is [github.com/sha256-simd/sha256-simd/hashtree.ErrOddChunks] if the length of
// src is odd, and [github.com/sha256-simd/sha256-simd/hashtree.ErrNotEnoughDigests] if dst
// is shorter than half of it. Then nothing has been written.
func Nodes[D ~[32]byte](dst, src []D) error {
	return checkedNodes(convert.Digests[[32]byte](dst), convert.Digests[[32]byte](src))
}

func checkedNodes(dst, src [][32]byte) error {
	if err := merkle.CheckPairs(len(dst), len(src)); err != nil {
		return fmt.Errorf("bitcoin: Nodes: %w", err)
	}
	nodes(dst[:len(src)/2], src)
	return nil
}

// nodes is checkedNodes of slices whose lengths are right.
func nodes(dst, src [][32]byte) {
	for len(dst) > 0 {
		n := min(len(dst), window)
		lanes.HashNodes(convert.Bytes(dst[:n]), convert.Bytes(src[:2*n]))
		rehash(dst[:n])
		dst, src = dst[n:], src[2*n:]
	}
}

// rehash replaces each digest by its SHA-256 digest.
func rehash(digests [][32]byte) {
	if digestsOneByOne(len(digests)) {
		for i := range digests {
			rehashOne(&digests[i])
		}
		return
	}
	lanes.SumDigests(digests, lanes.Prefix{H: block.IV256}, digests)
}

// rehashOne replaces a digest by its SHA-256 digest.
func rehashOne(d *[32]byte) {
	if block.InVectors() {
		block.Finish(d, &block.IV256, d[:], sha256.Size)
		return
	}
	const bits = 8 * sha256.Size
	padded := [sha256.BlockSize]byte{sha256.Size: 0x80, sha256.BlockSize - 2: bits >> 8}
	*(*[sha256.Size]byte)(padded[:]) = *d
	block.HashPadded(d, padded[:], sha256.Size)
}

// digestsOneByOne reports whether n digests take less time one by one than side by side.
func digestsOneByOne(n int) bool { return lanes.RowsOneByOne(n, sha256.Size, 0) }

// Root returns the root of the tree over txids, which stay as they are. The result
// mutated is true if two siblings in the tree are equal: then a shorter list may have
// the same root. The root of no transactions is all zeros. Above 2048 transactions Root
// allocates little more than 1/64 of the memory of txids.
func Root[D ~[32]byte](txids []D) (root D, mutated bool) {
	r, mutated := rootOf(convert.Digests[[32]byte](txids))
	return D(r), mutated
}

func rootOf(txids [][32]byte) (root [32]byte, mutated bool) {
	n := len(txids)
	if n == 0 {
		return root, false
	}
	return tree.RootAndTwins(txids, 0, merkle.Depth(n))
}

var tree = merkle.Tree{
	Parent:   parent,
	Nodes:    nodes,
	OneByOne: func(n int) bool { return lanes.NodesOneByOne(n) && digestsOneByOne(n) },
	Odd: func(last [32]byte, _ int) (node [32]byte) {
		parent(&node, &[...][32]byte{last, last})
		return node
	},
	Pool: &merkle.Digests,
}

// parent sets dst, which may be the first of two nodes, to the node above them.
func parent(dst *[32]byte, children *[2][32]byte) {
	block.HashNode(dst, (*[block.NodeSize]byte)(convert.Bytes(children[:])))
	rehashOne(dst)
}

// Branch returns the siblings on the path from transaction txids[index] to the root. A
// node without a sibling is its own sibling. Branch hashes the whole tree. It is an
// error if index is out of range. The recipient of a branch calls [RootFromBranch].
func Branch[D ~[32]byte](txids []D, index int) ([]D, error) {
	b, err := branch(convert.Digests[[32]byte](txids), index)
	return convert.Digests[D](b), err
}

func branch(txids [][32]byte, index int) ([][32]byte, error) {
	n := len(txids)
	if index < 0 || index >= n {
		return nil, fmt.Errorf("bitcoin: no transaction %d in a tree of %d", index, n)
	}
	siblings := make([][32]byte, merkle.Depth(n))
	for level := range siblings {
		sibling := min(index>>level^1, merkle.Width(n, level)-1)
		siblings[level] = tree.Node(txids, level, sibling)
	}
	return siblings, nil
}

// RootFromBranch returns the root to which branch leads from transaction index of n, whose hash is
// txid. The caller has to compare the root with one that it trusts. It is an error if index is not
// below n, if branch is longer or shorter than in a tree of n transactions, or if a node and its
// sibling are equal though both are in the tree, or differ though the node has no sibling.
//
// A branch proves nothing unless n is right. An inner node is the double SHA-256 of 64 bytes. So
// with a wrong n, an inner node can pass for a transaction of 64 bytes, and such a transaction for
// an inner node (CVE-2017-12842). The branch of the block's first transaction shows how deep the tree
// is.
func RootFromBranch[D ~[32]byte](n, index int, txid D, branch []D) (root D, err error) {
	r, err := rootFromBranch(n, index, txid, convert.Digests[[32]byte](branch))
	return D(r), err
}

func rootFromBranch(n, index int, txid [32]byte, branch [][32]byte) (root [32]byte, err error) {
	if index < 0 || index >= n {
		return root, fmt.Errorf("bitcoin: no transaction %d in a tree of %d", index, n)
	}
	if depth := merkle.Depth(n); len(branch) != depth {
		return root, fmt.Errorf("bitcoin: a branch of %d hashes in a tree of %d transactions, which takes %d", len(branch), n, depth)
	}
	node := txid
	for level, sibling := range branch {
		at := index >> level
		if hasSibling := at^1 < merkle.Width(n, level); hasSibling == (sibling == node) {
			return root, fmt.Errorf("bitcoin: hash %d of the branch cannot be the sibling of node %d in a tree of %d transactions", level, at, n)
		}
		pair := [2][32]byte{node, sibling}
		if at&1 == 1 {
			pair = [2][32]byte{sibling, node}
		}
		parent(&node, &pair)
	}
	return node, nil
}

// Sums sets dst[i] to the double SHA-256 of msgs[i], for every i. Of a transaction
// without its witnesses that is the txid, with them the wtxid. dst must not overlap any
// message.
//
// It panics, before it touches anything, if dst and msgs differ in length.
func Sums[D ~[32]byte](dst []D, msgs [][]byte) {
	sums(convert.Digests[[32]byte](dst), msgs)
}

func sums(dst [][32]byte, msgs [][]byte) {
	if len(dst) != len(msgs) {
		panic(fmt.Sprintf("bitcoin: Sums: %d digests for %d messages", len(dst), len(msgs)))
	}
	// Not by windows: a few long messages would leave lanes idle in each of them. Windows
	// cost up to a tenth of the time, and the second hash gains nothing from them.
	sha256.SumMany(dst, msgs)
	rehash(dst)
}

// HeaderHashes sets dst[i] to the hash of the block that has headers[i]. dst must
// not overlap headers.
//
// It panics, before it touches anything, if dst and headers differ in length.
func HeaderHashes[D ~[32]byte](dst []D, headers [][80]byte) {
	headerHashes(convert.Digests[[32]byte](dst), headers)
}

func headerHashes(dst [][32]byte, headers [][80]byte) {
	if len(dst) != len(headers) {
		panic(fmt.Sprintf("bitcoin: HeaderHashes: %d digests for %d headers", len(dst), len(headers)))
	}
	const size = len(headers[0])
	if n := len(headers); lanes.RowsOneByOne(n, size, 0) {
		for i := range headers {
			hashHeader(&dst[i], &headers[i])
		}
		rehash(dst)
		return
	}
	for len(dst) > 0 {
		n := min(len(dst), window)
		bytes := unsafe.Slice(&headers[0][0], n*size)
		sha256.SumRows(sha256.RowsOf(dst[:n]), nil, sha256.Rows{Data: bytes, Size: size}, n)
		rehash(dst[:n])
		dst, headers = dst[n:], headers[n:]
	}
}

// HeaderHash returns the hash of the block that has this header. For many headers,
// [HeaderHashes] is faster.
func HeaderHash(header [80]byte) (hash [32]byte) {
	hashHeader(&hash, &header)
	rehashOne(&hash)
	return hash
}

// hashHeader sets dst to the SHA-256 digest of a header.
func hashHeader(dst *[32]byte, header *[80]byte) {
	const size = len(header)
	if block.InVectors() {
		block.Finish(dst, &block.IV256, header[:], uint64(size))
		return
	}
	const bits = 8 * size
	padded := [2 * sha256.BlockSize]byte{size: 0x80, 2*sha256.BlockSize - 2: byte(bits >> 8), 2*sha256.BlockSize - 1: byte(bits & 0xff)}
	*(*[size]byte)(padded[:]) = *header
	block.HashPadded(dst, padded[:], size)
}
