package rfc6962

import (
	"fmt"
	"math/bits"

	"github.com/sha256-simd/sha256-simd/internal/merkle"
)

// InclusionProof returns the proof that leaf index is in the tree over leaves
// that have these hashes: the siblings of the nodes above the leaf, from below. It
// hashes the whole tree. It is an error if there is no such leaf.
func InclusionProof(leafHashes [][32]byte, index int) ([][32]byte, error) {
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

// InclusionProofs returns [InclusionProof] of every leaf, and hashes the tree
// once. The proofs share an array of 32 bytes for each level and leaf.
func InclusionProofs(leafHashes [][32]byte) [][][32]byte {
	n := len(leafHashes)
	if n == 0 {
		return nil
	}
	depth := merkle.Depth(n)
	all := make([][32]byte, n*depth)
	proofs := make([][][32]byte, n)
	for i := range proofs {
		proofs[i] = all[i*depth : i*depth : (i+1)*depth] // which are its own
	}
	level := leafHashes
	for l := range depth {
		for i := range proofs {
			if sibling := i>>l ^ 1; sibling < len(level) {
				proofs[i] = append(proofs[i], level[sibling])
			}
		}
		level = tree.Climb(level, l, l+1)
	}
	return proofs
}

// ConsistencyProof returns the proof that the tree over the first oldSize of the
// leaves that have these hashes is what the tree over all of them has grown from.
// It hashes the whole tree. It is an error if oldSize is more than their number,
// or less than 1: the RFCs define no proof from an empty tree.
func ConsistencyProof(leafHashes [][32]byte, oldSize int) ([][32]byte, error) {
	if n := len(leafHashes); oldSize < 1 || oldSize > n {
		return nil, fmt.Errorf("rfc6962: no tree of %d leaves comes before one of %d", oldSize, n)
	}
	return consistency(leafHashes, oldSize, true), nil
}

// consistency is SUBPROOF of the RFCs: whole says that the old tree is one that
// the verifier knows the root of, not a part of it.
func consistency(leafHashes [][32]byte, oldSize int, whole bool) [][32]byte {
	n := len(leafHashes)
	if oldSize == n {
		if whole {
			return nil
		}
		return [][32]byte{RootOfHashes(leafHashes)}
	}
	split := 1 << (merkle.Depth(n) - 1)
	left, right := leafHashes[:split], leafHashes[split:]
	if oldSize <= split {
		return append(consistency(left, oldSize, whole), RootOfHashes(right))
	}
	return append(consistency(right, oldSize-split, false), RootOfHashes(left))
}

// VerifyInclusion returns nil if proof proves that the tree of this size and
// root has a leaf with leafHash at index. There is one such proof at most: what is
// longer or shorter than it has to be is an error.
func VerifyInclusion(root [32]byte, size, index uint64, leafHash [32]byte, proof [][32]byte) error {
	if index >= size {
		return fmt.Errorf("rfc6962: no leaf %d in a tree of %d", index, size)
	}
	if want := proofLength(index, size); len(proof) != want {
		return fmt.Errorf("rfc6962: a proof of %d hashes for leaf %d of %d, which takes %d", len(proof), index, size, want)
	}
	hash, last := leafHash, size-1
	for _, sibling := range proof {
		// Where there is no sibling the proof has nothing: the node goes up as it is.
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
	if hash != root {
		return fmt.Errorf("rfc6962: the proof leads to the root %x, not to %x", hash, root)
	}
	return nil
}

// VerifyConsistency returns nil if proof proves that the tree of size leaves and
// this root begins with the leaves of the tree of oldSize and oldRoot. There is one
// such proof at most, and none from an empty tree.
func VerifyConsistency(oldRoot [32]byte, oldSize uint64, root [32]byte, size uint64, proof [][32]byte) error {
	if oldSize < 1 || oldSize > size {
		return fmt.Errorf("rfc6962: no tree of %d leaves comes before one of %d", oldSize, size)
	}
	// The path of the last leaf of the old tree, from the largest subtree on that
	// ends there: of that the proof has the root, unless it is the whole old tree.
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

// proofLength returns how many of the nodes above leaf index of a tree of size
// leaves have a sibling.
func proofLength(index, size uint64) int {
	// Up to where the path meets that of the last leaf all have one; from there on
	// those that stand on the right.
	meet := bits.Len64(index ^ (size - 1))
	return meet + bits.OnesCount64(index>>meet)
}
