package rfc6962

import (
	"fmt"
	"math/bits"

	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/merkle"
)

// InclusionProof returns the proof that the leaf with this index is in the tree
// over leaves with the hashes leafHashes: the siblings on the path from the
// leaf to the root. It hashes the whole tree. It is an error if index is out of
// range.
func InclusionProof[D ~[32]byte](leafHashes []D, index int) ([]D, error) {
	proof, err := inclusionProof(convert.Digests[[32]byte](leafHashes), index)
	return convert.Digests[D](proof), err
}

func inclusionProof(leafHashes [][32]byte, index int) ([][32]byte, error) {
	n := len(leafHashes)
	if index < 0 || index >= n {
		return nil, fmt.Errorf("rfc6962: no leaf %d in a tree of %d", index, n)
	}
	proof := make([][32]byte, 0, merkle.Depth(n))
	for level := range merkle.Depth(n) {
		if sibling := index>>level ^ 1; sibling < merkle.Width(n, level) {
			proof = append(proof, tree.Node(leafHashes, level, sibling))
		}
	}
	return proof, nil
}

// InclusionProofs returns the [InclusionProof] of every leaf, and hashes the tree once. The
// proofs share one array, with 32 bytes for each level of each leaf's path.
func InclusionProofs[D ~[32]byte](leafHashes []D) [][]D {
	_, proofs := RootAndProofs(leafHashes)
	return proofs
}

// RootAndProofs returns [RootOfHashes] and [InclusionProofs], and hashes the tree once.
func RootAndProofs[D ~[32]byte](leafHashes []D) (root D, proofs [][]D) {
	r, lists := rootAndProofs(convert.Digests[[32]byte](leafHashes))
	return D(r), convert.Lists[D](lists)
}

func rootAndProofs(leafHashes [][32]byte) (root [32]byte, proofs [][][32]byte) {
	n := len(leafHashes)
	if n == 0 {
		return rootOf(nil), nil
	}
	depth := merkle.Depth(n)
	levels := make([][][32]byte, depth+1)
	levels[0] = leafHashes
	above := make([][32]byte, n+depth) // room for all levels above
	for l, level := range levels[:depth] {
		width := merkle.Width(n, l+1)
		levels[l+1], above = above[:width], above[width:]
		nodes(levels[l+1][:len(level)/2], level[:len(level)&^1])
		if len(level)%2 != 0 {
			levels[l+1][width-1] = level[len(level)-1]
		}
	}
	all := make([][32]byte, n*depth)
	proofs = make([][][32]byte, n)
	for i := range proofs {
		proof, length := all[i*depth:(i+1)*depth], 0
		for l, level := range levels[:depth] {
			if sibling := i>>l ^ 1; sibling < len(level) {
				proof[length] = level[sibling]
				length++
			}
		}
		proofs[i] = proof[:length:depth] // the capacity is its own
	}
	return levels[depth][0], proofs
}

// ConsistencyProof returns the proof that the tree over the first oldSize
// leaves has grown into the tree over all leaves, whose hashes are leafHashes.
// It hashes the whole tree. It is an error if oldSize is more than the number
// of leaves, or less than 1: the RFCs define no proof from an empty tree.
func ConsistencyProof[D ~[32]byte](leafHashes []D, oldSize int) ([]D, error) {
	if n := len(leafHashes); oldSize < 1 || oldSize > n {
		return nil, fmt.Errorf("rfc6962: no tree of %d leaves comes before one of %d", oldSize, n)
	}
	return convert.Digests[D](consistency(convert.Digests[[32]byte](leafHashes), oldSize, true, 0)), nil
}

// consistency is SUBPROOF of the RFCs. whole says that the first oldSize leaves are the
// whole old tree, whose root the verifier knows, and not a part of it. The result has
// room for `more` further hashes.
func consistency(leafHashes [][32]byte, oldSize int, whole bool, more int) [][32]byte {
	n := len(leafHashes)
	if oldSize == n {
		if !whole {
			return appendRoot(make([][32]byte, 0, 1+more), leafHashes)
		}
		if more == 0 {
			return nil
		}
		return make([][32]byte, 0, more)
	}
	split := 1 << (merkle.Depth(n) - 1)
	left, right := leafHashes[:split], leafHashes[split:]
	if oldSize <= split {
		return appendRoot(consistency(left, oldSize, whole, more+1), right)
	}
	return appendRoot(consistency(right, oldSize-split, false, more+1), left)
}

// appendRoot appends the root over leafHashes, at least one, to a proof that has room.
func appendRoot(proof, leafHashes [][32]byte) [][32]byte {
	if len(leafHashes) == 1 {
		return append(proof, leafHashes[0])
	}
	n := len(proof)
	proof = proof[:n+1]
	tree.SetRoot(&proof[n], leafHashes, 0, merkle.Depth(len(leafHashes)), nil)
	return proof
}

// VerifyInclusion returns nil if proof proves that the leaf at position index has the
// hash leafHash, in the tree with the given root and size, its number of leaves. A
// proof that is longer or shorter than necessary is an error.
func VerifyInclusion[D ~[32]byte](root D, size, index uint64, leafHash D, proof []D) error {
	return verifyInclusion(root, size, index, leafHash, convert.Digests[[32]byte](proof))
}

func verifyInclusion(root [32]byte, size, index uint64, leafHash [32]byte, proof [][32]byte) error {
	hash, err := rootFromInclusionProof(size, index, leafHash, proof)
	if err != nil {
		return err
	}
	if hash != root {
		return fmt.Errorf("rfc6962: the proof leads to the root %x, not to %x", hash, root)
	}
	return nil
}

// RootFromInclusionProof returns the root to which proof leads from the leaf at
// position index with the hash leafHash. size is the number of leaves of the tree. The
// caller has to compare the root with a root that it trusts. It is an error if index is
// not below size, or if proof is longer or shorter than necessary.
func RootFromInclusionProof[D ~[32]byte](size, index uint64, leafHash D, proof []D) (root D, err error) {
	r, err := rootFromInclusionProof(size, index, leafHash, convert.Digests[[32]byte](proof))
	return D(r), err
}

func rootFromInclusionProof(size, index uint64, leafHash [32]byte, proof [][32]byte) (root [32]byte, err error) {
	if index >= size {
		return root, fmt.Errorf("rfc6962: no leaf %d in a tree of %d", index, size)
	}
	if want := proofLength(index, size); len(proof) != want {
		return root, fmt.Errorf("rfc6962: a proof of %d hashes for leaf %d of %d, which takes %d", len(proof), index, size, want)
	}
	hash, last := leafHash, size-1
	for _, sibling := range proof {
		// A node without a sibling goes up as it is: the proof has no hash for it.
		for index == last && index&1 == 0 {
			index, last = index>>1, last>>1
		}
		if index&1 == 1 {
			hash = node(sibling, hash)
		} else {
			hash = node(hash, sibling)
		}
		index, last = index>>1, last>>1
	}
	return hash, nil
}

// VerifyConsistency returns nil if proof proves that the old tree has grown into the
// new tree. The old tree has oldSize leaves and the root oldRoot, the new tree size
// leaves and the given root. For two given trees there is at most one such proof. If
// the old tree is empty, there is none.
func VerifyConsistency[D ~[32]byte](oldRoot D, oldSize uint64, root D, size uint64, proof []D) error {
	return verifyConsistency(oldRoot, oldSize, root, size, convert.Digests[[32]byte](proof))
}

func verifyConsistency(oldRoot [32]byte, oldSize uint64, root [32]byte, size uint64, proof [][32]byte) error {
	if oldSize < 1 || oldSize > size {
		return fmt.Errorf("rfc6962: no tree of %d leaves comes before one of %d", oldSize, size)
	}
	// The proof follows the path of the last leaf of the old tree. It begins at the
	// largest full subtree that ends with this leaf. The first hash of the proof is the
	// root of that subtree, unless the subtree is the whole old tree.
	level := bits.TrailingZeros64(oldSize)
	index, last := (oldSize-1)>>level, (size-1)>>level
	want := proofLength(index, last+1)
	whole := index == 0
	if !whole {
		want++
	}
	if oldSize == size {
		want = 0
		whole = true
	}
	if len(proof) != want {
		return fmt.Errorf("rfc6962: a proof of %d hashes from %d leaves to %d, which takes %d", len(proof), oldSize, size, want)
	}
	if oldSize == size && oldRoot != root {
		return fmt.Errorf("rfc6962: different roots of a tree of %d leaves, %x and %x", size, oldRoot, root)
	}
	old := oldRoot
	if !whole {
		old, proof = proof[0], proof[1:]
	}
	hash := old
	for _, sibling := range proof {
		for index == last && index&1 == 0 {
			index, last = index>>1, last>>1
		}
		if index&1 == 1 {
			old, hash = node(sibling, old), node(sibling, hash)
		} else {
			hash = node(hash, sibling) // which the old tree does not have
		}
		index, last = index>>1, last>>1
	}
	if old != oldRoot {
		return fmt.Errorf("rfc6962: the proof leads to the old root %x, not to %x", old, oldRoot)
	}
	if hash != root {
		return fmt.Errorf("rfc6962: the proof leads to the root %x, not to %x", hash, root)
	}
	return nil
}

// proofLength returns the length of a proof of leaf `index` of a tree of `size` leaves:
// the number of nodes on its path that have a sibling.
func proofLength(index, size uint64) int {
	// Below the place where the path meets the path of the tree's last leaf, all nodes
	// have a sibling. From there on, only nodes on the right have one.
	meet := bits.Len64(index ^ (size - 1))
	return meet + bits.OnesCount64(index>>meet)
}
