// Package sha256 replaces github.com/minio/sha256-simd v1.0.1: its names, over
// github.com/sha256-simd/sha256-simd. A program that uses the original gets
// this without a change of its code.
//
// The original lacks some names on some systems. Here every system has all of them. A hash
// of an [Avx512Server] goes on after Sum, and does not keep what is written to it. A copy of
// an Avx512Digest by value panics. README.md lists all differences.
package sha256

import (
	"hash"

	"github.com/sha256-simd/sha256-simd"
)

// Size is the length of a SHA-256 digest in bytes.
const Size = sha256.Size

// BlockSize is the length of a block in bytes.
const BlockSize = sha256.BlockSize

// New returns a new hash.Hash that computes the SHA-256 digest.
func New() hash.Hash { return sha256.New() }

// Sum256 returns the SHA-256 digest of data.
func Sum256(data []byte) [Size]byte { return sha256.Sum256(data) }
