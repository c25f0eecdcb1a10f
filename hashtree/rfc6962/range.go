package rfc6962

import (
	"fmt"
	"math/bits"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/merkle"
)

// A Range is a tree that grows. It holds only the roots of the largest whole subtrees,
// from left to right: [Range.Hashes] returns them to be stored, and [RangeOf] makes the Range
// again. The zero Range is empty. Assignment copies a Range. One goroutine at a time may use
// it.
type Range struct{ peaks merkle.Peaks }

// RangeOf returns the Range whose Size and Hashes are these. It is an error if the number of
// hashes does not fit the size, or if size is 2^63 or more.
func RangeOf(size uint64, hashes [][32]byte) (Range, error) {
	if size >= 1<<63 { // Append could go beyond 2^64
		return Range{}, fmt.Errorf("rfc6962: a range of %d leaves; expected less than 2^63", size)
	}
	if n := bits.OnesCount64(size); len(hashes) != n {
		return Range{}, fmt.Errorf("rfc6962: %d hashes for a range of %d leaves, which takes %d", len(hashes), size, n)
	}
	return Range{merkle.PeaksOf(size, hashes)}, nil
}

// Append hashes leaves side by side and adds them at the end. Above 1024 leaves it
// allocates one and a half bytes for each. A nil leaf is an empty leaf.
func (r *Range) Append(leaves [][]byte) {
	if len(leaves) == 1 { // as a log grows; this takes no memory for more leaves
		r.peaks.Add(&tree, LeafHash(leaves[0]), 0)
		return
	}
	r.peaks.Append(&tree, len(leaves), func(dst [][32]byte, i int) { LeafHashes(dst, leaves[i:i+len(dst)]) })
}

// AppendHashes adds leaves whose hashes are known, as [LeafHashes] computes them. Above 1024
// leaves it allocates one and a half bytes for each.
func (r *Range) AppendHashes(hashes [][32]byte) {
	const few = 4 // lanes would save less time than it takes to get memory for them
	if len(hashes) <= few {
		for i := range hashes {
			r.peaks.Add(&tree, hashes[i], 0)
		}
		return
	}
	r.peaks.Append(&tree, len(hashes), func(dst [][32]byte, i int) { copy(dst, hashes[i:]) })
}

// Hashes returns the roots of the largest whole subtrees, from left to right: one for each
// bit that is set in Size.
func (r *Range) Hashes() [][32]byte { return r.peaks.Roots() }

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
