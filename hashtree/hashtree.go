// Package hashtree hashes the nodes of binary Merkle trees over 32-byte chunks
// with SHA-256, many side by side. A node is the plain digest of its two
// children, as in the trees of Ethereum's SSZ. [Hash] and [HashByteSlice] have
// the same names and error texts as the functions of
// github.com/prysmaticlabs/gohashtree.
//
// Packages below this one compute other trees: rfc6962, bitcoin, bep52, verity, nmt and
// sha256tree.
//
// Pass a whole level of a tree to one call of [Hash], not one node to each: a
// call hashes up to 32 nodes at once. [Root] does this for a whole tree.
//
// All functions work on the calling goroutine and may be called concurrently
// on different memory.
package hashtree

import (
	"errors"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/merkle"
)

const (
	chunkSize = block.DigestSize
	nodeSize  = block.NodeSize
	// window is the number of chunks that Hash takes at a time: 32 MiB.
	window = 1 << 20
)

// Errors of this package; test for them with [errors.Is]. A function that returns
// one of them has written nothing.
var (
	ErrOddChunks              = merkle.ErrOddChunks
	ErrNotEnoughDigests       = merkle.ErrNotEnoughDigests
	ErrChunksNotMultipleOf64  = errors.New("chunks not multiple of 64 bytes")
	ErrDigestsNotMultipleOf32 = errors.New("digests not multiple of 32 bytes")
	ErrTooManyLeaves          = errors.New("more leaves than the limit")
)

// Hash sets digests[i] to the SHA-256 digest of chunks[2i] followed by
// chunks[2i+1], for each such pair. digests may begin where chunks does, and then
// replaces the first half of the chunks; otherwise the two must not overlap.
// Digests beyond len(chunks)/2 are left unchanged. Hash allocates nothing.
//
// The error is ErrOddChunks if the number of chunks is odd, and
// ErrNotEnoughDigests if there are fewer digests than pairs.
func Hash[D ~[32]byte](digests, chunks []D) error {
	return hash(convert.Digests[[32]byte](digests), convert.Digests[[32]byte](chunks))
}

func hash(digests, chunks [][32]byte) error {
	if err := merkle.CheckPairs(len(digests), len(chunks)); err != nil {
		return err
	}
	if len(chunks) == 2 { // HashNodes would take 4 ns longer on Zen 4
		block.HashNode(&digests[0], convert.Pair(chunks))
		return nil
	}
	// The bytes of a whole level may be more than a slice can have on 32-bit ports.
	for len(chunks) > window {
		lanes.HashNodes(convert.Bytes(digests[:window/2]), convert.Bytes(chunks[:window]))
		digests, chunks = digests[window/2:], chunks[window:]
	}
	lanes.HashNodes(convert.Bytes(digests[:len(chunks)/2]), convert.Bytes(chunks))
	return nil
}

// HashByteSlice is [Hash] for chunks and digests that lie one after the other
// in a byte slice of any alignment.
//
// The error is ErrChunksNotMultipleOf64 if the length of chunks is not a
// multiple of 64 bytes, ErrDigestsNotMultipleOf32 if the length of digests is
// not a multiple of 32 bytes, and ErrNotEnoughDigests if digests is less than
// half as long as chunks. Without chunks the error is nil, whatever digests is.
func HashByteSlice(digests, chunks []byte) error {
	if len(chunks) == 0 {
		return nil
	}
	if len(chunks)%nodeSize != 0 {
		return ErrChunksNotMultipleOf64
	}
	if len(digests)%chunkSize != 0 {
		return ErrDigestsNotMultipleOf32
	}
	if n := len(chunks) / 2; len(digests) < n {
		return merkle.NotEnoughDigests(n, len(digests))
	}
	lanes.HashNodes(digests, chunks)
	return nil
}
