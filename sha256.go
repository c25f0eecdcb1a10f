package sha256

import (
	stdsha256 "crypto/sha256"
	"hash"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

const (
	// Size is the length of a SHA-256 digest in bytes.
	Size = 32
	// Size224 is the length of a SHA-224 digest in bytes.
	Size224 = 28
	// BlockSize is the length of a block of SHA-256 and SHA-224 in bytes.
	BlockSize = 64
)

// New returns a new [hash.Hash] that computes the SHA-256 digest. It also implements
// [hash.Cloner], [encoding.BinaryMarshaler], [encoding.BinaryAppender] and
// [encoding.BinaryUnmarshaler]. Its marshalled form is the same as in crypto/sha256.
// One goroutine at a time may use it.
func New() hash.Hash {
	d := new(digest)
	d.Reset()
	return d
}

// New224 is like [New] for SHA-224.
func New224() hash.Hash {
	d := &digest{is224: true}
	d.Reset()
	return d
}

// Sum256 returns the SHA-256 digest of data.
func Sum256(data []byte) [Size]byte {
	if stdTakes(data) {
		return stdsha256.Sum256(data)
	}
	var sum [Size]byte
	if len(data) == block.NodeSize { // there the schedule of the padding is known
		block.HashNode(&sum, (*[block.NodeSize]byte)(data))
		return sum
	}
	h := block.IV256
	block.Finish(&sum, &h, data, uint64(len(data)))
	return sum
}

// Sum224 returns the SHA-224 digest of data.
func Sum224(data []byte) [Size224]byte {
	if stdTakes(data) {
		return stdsha256.Sum224(data)
	}
	h := block.IV224
	var sum [Size]byte
	block.Finish(&sum, &h, data, uint64(len(data)))
	return [Size224]byte(sum[:])
}

// stdTakes reports whether crypto/sha256 hashes data as a whole. It compresses longer
// messages part by part: with GOFIPS140=v1.0.0 it does not divide them itself, its
// assembly cannot be interrupted, and a garbage collection would wait for the end.
func stdTakes(data []byte) bool {
	return block.UsesStd() && len(data) <= block.MaxPlain*BlockSize
}
