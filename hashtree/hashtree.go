// Package hashtree hashes the nodes of binary Merkle trees over 32-byte chunks
// by SHA-256, many side by side: the trees of Ethereum's SSZ, certificate logs
// and the like. Names and errors are those of
// github.com/prysmaticlabs/gohashtree.
//
// A level of a tree goes into one call of [Hash], not one call a node: a call
// hashes up to 32 nodes at once. [Root] does this for a whole tree.
//
// All functions work on the calling goroutine and may be called concurrently
// on different memory.
package hashtree

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

const (
	chunkSize = block.DigestSize
	nodeSize  = block.NodeSize
)

// Errors of this package; test for them with [errors.Is]. Whoever gets one can
// rely on nothing having been written.
var (
	ErrOddChunks              = errors.New("odd number of chunks")
	ErrNotEnoughDigests       = errors.New("not enough digest length")
	ErrChunksNotMultipleOf64  = errors.New("chunks not multiple of 64 bytes")
	ErrDigestsNotMultipleOf32 = errors.New("digests not multiple of 32 bytes")
	ErrTooManyLeaves          = errors.New("more leaves than the limit")
)

// Hash sets digests[i] to the SHA-256 digest of chunks[2i] followed by
// chunks[2i+1], for each such pair. digests and chunks begin at the same place,
// and then the digests replace the first half of the chunks, or they do not
// overlap. Digests beyond len(chunks)/2 are left alone. Hash allocates nothing.
//
// An odd number of chunks is ErrOddChunks, fewer digests than pairs
// ErrNotEnoughDigests.
func Hash(digests, chunks [][32]byte) error {
	if len(chunks)%2 != 0 {
		return ErrOddChunks
	}
	if n := len(chunks) / 2; len(digests) < n {
		return notEnoughDigests(n, len(digests))
	}
	lanes.HashNodes(bytesOf(digests), bytesOf(chunks))
	return nil
}

// HashByteSlice is [Hash] for chunks and digests that stand one after the other
// in a byte slice of any alignment.
//
// Chunks that are no multiple of 64 bytes are ErrChunksNotMultipleOf64, digests
// that are no multiple of 32 bytes ErrDigestsNotMultipleOf32, and digests of
// less than half the length of chunks ErrNotEnoughDigests. No chunks are no
// error, whatever digests is.
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
		return notEnoughDigests(n, len(digests))
	}
	lanes.HashNodes(digests, chunks)
	return nil
}

func notEnoughDigests(need, got int) error {
	return fmt.Errorf("%w, need at least %d, got %d", ErrNotEnoughDigests, need, got)
}

// bytesOf returns the memory of chunks.
func bytesOf(chunks [][32]byte) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(chunks))), len(chunks)*chunkSize)
}
