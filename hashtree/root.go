package hashtree

import (
	"fmt"
	"math/bits"

	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/merkle"
)

// Root returns the root of the binary tree over leaves as SSZ's merkleize defines it:
// chunks of zeros follow the leaves, up to the next power of two that is not below limit. A
// limit of 0 means len(leaves). A large limit, such as 2^40 or 2^64-1, costs at most the
// hashing of one node for each level, because the roots of zero subtrees are known. The
// root of no leaves under a limit of 0 or 1 is all zeros.
//
// The leaves stay as they are. Root uses the calling goroutine and, above 2048
// leaves, allocates little more than 1/64 of the memory that they take.
//
// The error is ErrTooManyLeaves if there are more leaves than limit.
func Root[D ~[32]byte](leaves []D, limit uint64) (D, error) {
	r, err := root(convert.Digests[[32]byte](leaves), limit)
	return D(r), err
}

func root(leaves [][32]byte, limit uint64) ([32]byte, error) {
	n := len(leaves)
	if limit == 0 {
		limit = uint64(max(n, 1))
	}
	if uint64(n) > limit {
		return [32]byte{}, fmt.Errorf("%w: %d leaves, limit %d", ErrTooManyLeaves, n, limit)
	}
	depth := bits.Len64(limit - 1)
	if n == 0 {
		return merkle.ZeroRoots()[depth], nil
	}
	if depth == 0 {
		return leaves[0], nil
	}
	return merkle.Zeros.Root(leaves, 0, depth), nil
}
