package rfc6962

import (
	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/merkle"
)

// A Range is a tree that grows. It holds only the roots of the largest whole subtrees,
// from left to right. The zero Range is empty. Assignment copies a Range. One goroutine
// at a time may use it.
type Range struct{ peaks merkle.Peaks }

// Append hashes leaves side by side and adds them at the end. Above 1024 leaves it
// allocates one and a half bytes for each. A nil leaf is an empty leaf.
func (r *Range) Append(leaves [][]byte) {
	if len(leaves) == 1 { // as a log grows; this takes no memory for more leaves
		r.peaks.Add(&tree, LeafHash(leaves[0]), 0)
		return
	}
	r.peaks.Append(&tree, len(leaves), func(dst [][32]byte, i int) { LeafHashes(dst, leaves[i:i+len(dst)]) })
}

// Size returns the number of leaves.
func (r *Range) Size() uint64 { return r.peaks.Leaves() }

// Root returns the root of the tree, which is [Root] of all leaves that were
// appended.
func (r *Range) Root() [32]byte {
	if r.Size() == 0 {
		return sha256.Sum256(nil)
	}
	return r.peaks.Root(&tree)
}
