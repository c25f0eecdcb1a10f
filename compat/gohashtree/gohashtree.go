// Package gohashtree replaces github.com/prysmaticlabs/gohashtree, with the
// kernels of github.com/sha256-simd/sha256-simd. A program changes neither its
// imports nor its code: README.md has the command.
//
// It has the whole interface of version v0.0.4-beta, and the texts of its
// errors, which errors.Is also recognizes as errors of package hashtree.
package gohashtree

import "github.com/sha256-simd/sha256-simd/hashtree"

// Hash sets digests[i] to the SHA-256 digest of chunks[2i] followed by
// chunks[2i+1], for each such pair. digests and chunks begin at the same place
// or do not overlap. It is an error if the number of chunks is odd or there are
// fewer digests than pairs; nothing is written then.
func Hash(digests [][32]byte, chunks [][32]byte) error {
	return hashtree.Hash(digests, chunks)
}

// HashChunks is Hash for callers that know their lengths to be right. An odd
// last chunk is ignored. If there are fewer digests than pairs it panics and
// has written nothing; the original writes beyond the digests.
func HashChunks(digests [][32]byte, chunks [][32]byte) {
	if err := hashtree.Hash(digests, chunks[:len(chunks)&^1]); err != nil {
		panic("gohashtree: " + err.Error())
	}
}

// HashByteSlice is Hash for chunks and digests that lie one after the other in
// byte slices. It is an error if the length of chunks is not a multiple of 64,
// if the length of digests is not a multiple of 32, or if there are too few
// digests; nothing is written then.
func HashByteSlice(digests []byte, chunks []byte) error {
	return hashtree.HashByteSlice(digests, chunks)
}
