package sha256

import (
	"fmt"
	"hash"
)

// SumMany sets dst[i] to Sum256(msgs[i]) for every i. It hashes the messages
// side by side on the calling goroutine, starts none, and once warm allocates
// nothing. A nil message is an empty one. dst overlaps no message.
//
// It panics, before it touches anything, when dst and msgs differ in length.
func SumMany(dst [][Size]byte, msgs [][]byte) {
	checkLengths("SumMany", len(dst), len(msgs))
	for i, m := range msgs {
		dst[i] = Sum256(m)
	}
}

// WriteMany does the same as hs[i].Write(data[i]) for every i in turn, the
// hashes of this package side by side on the calling goroutine. It starts no
// goroutine and once warm allocates nothing. A hash may stand in hs more than
// once: it is written to in order. A hash of another package gets a plain
// Write.
//
// It panics, before it touches anything, when hs and data differ in length or
// a hash is nil.
func WriteMany(hs []hash.Hash, data [][]byte) {
	checkLengths("WriteMany", len(hs), len(data))
	checkHashes("WriteMany", hs)
	for i, h := range hs {
		h.Write(data[i])
	}
}

// SumHashes sets dst[i] to the digest of what was written to hs[i], for every
// i, side by side on the calling goroutine. The hashes go on unchanged. It
// starts no goroutine and once warm allocates nothing. A hash of another
// package gets a plain Sum.
//
// It panics, before it touches anything, when dst and hs differ in length, a
// hash is nil, or a hash's Size is not 32.
func SumHashes(dst [][Size]byte, hs []hash.Hash) {
	checkLengths("SumHashes", len(dst), len(hs))
	checkHashes("SumHashes", hs)
	for i, h := range hs {
		if n := h.Size(); n != Size {
			panic(fmt.Sprintf("sha256: SumHashes: hash %d has digests of %d bytes, not %d", i, n, Size))
		}
	}
	for i, h := range hs {
		h.Sum(dst[i][:0])
	}
}

func checkLengths(function string, a, b int) {
	if a != b {
		panic(fmt.Sprintf("sha256: %s: slices of different lengths, %d and %d", function, a, b))
	}
}

func checkHashes(function string, hs []hash.Hash) {
	for i, h := range hs {
		if h == nil {
			panic(fmt.Sprintf("sha256: %s: hash %d is nil", function, i))
		}
	}
}
