package sha256

import (
	"fmt"
	"hash"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// Avx512Server is [Server], under its name in github.com/minio/sha256-simd. It
// works on every CPU.
type Avx512Server = Server

// Avx512Digest is the type of a [Server]'s hashes. The zero Avx512Digest belongs to
// no Server, and works alone. Its method Clone copies it. A copy made by value panics if
// it is used before Reset, unless the original is a zero Avx512Digest that was never used.
type Avx512Digest = serverHash

// NewAvx512Server is [NewServer].
func NewAvx512Server() *Avx512Server { return NewServer() }

// NewAvx512 returns s.New(). The hash of a nil Server works alone.
func NewAvx512(s *Avx512Server) hash.Hash { return s.New() }

// SumCmp256 reports whether the first 48 bits of a SHA-256 digest, as a
// big-endian number, are at most work. data is the whole message with its
// padding: one block.
//
// A fork of minio/sha256-simd, made for mining Krist, has a function of this name.
// The fork returns false for every number above 131,071, whatever work is; this
// function compares all 48 bits. To search for nonces, package pow is many times
// as fast.
//
// It panics unless data has 64 bytes. It does not check the padding.
func SumCmp256(data []byte, work uint32) bool {
	checkBlock("SumCmp256", data)
	return first48(data) <= int64(work)
}

// SumToNum256 returns the first 48 bits of a SHA-256 digest as a big-endian
// number. data is the whole message, of 41 bytes, with its padding: one block.
//
// It panics unless data has 64 bytes, and data[41] is 0x80, the beginning of the
// padding. It does not check the rest of the padding.
func SumToNum256(data []byte) int64 {
	checkBlock("SumToNum256", data)
	if data[41] != 0x80 {
		panic(fmt.Sprintf("sha256: SumToNum256: data[41] is %#02x, not the 0x80 after a message of 41 bytes", data[41]))
	}
	return first48(data)
}

func checkBlock(function string, data []byte) {
	if len(data) != BlockSize {
		panic(fmt.Sprintf("sha256: %s: data has %d bytes, not %d", function, len(data), BlockSize))
	}
}

func first48(data []byte) int64 {
	h := block.IV256
	block.Compress(&h, data)
	return int64(h[0])<<16 | int64(h[1]>>16)
}
