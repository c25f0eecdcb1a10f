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

// New returns a new [hash.Hash] that computes the SHA-256 digest. It also
// implements [encoding.BinaryMarshaler], [encoding.BinaryAppender] and
// [encoding.BinaryUnmarshaler], with the bytes of crypto/sha256, and
// [hash.Cloner]. One goroutine at a time may use it.
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
	if block.UsesStd() {
		return stdsha256.Sum256(data)
	}
	h := block.IV256
	var sum [Size]byte
	finish(&sum, &h, data, uint64(len(data)))
	return sum
}

// Sum224 returns the SHA-224 digest of data.
func Sum224(data []byte) [Size224]byte {
	if block.UsesStd() {
		return stdsha256.Sum224(data)
	}
	h := block.IV224
	var sum [Size]byte
	finish(&sum, &h, data, uint64(len(data)))
	return [Size224]byte(sum[:])
}

// finish hashes rest, the end of a message of length bytes, into h and writes
// the digest to sum. rest begins at a block.
func finish(sum *[Size]byte, h *block.State, rest []byte, length uint64) {
	whole := len(rest) &^ (BlockSize - 1)
	block.Compress(h, rest[:whole])
	var tail [block.MaxTail]byte
	n := block.Pad(&tail, rest[whole:], length)
	block.Compress(h, tail[:n])
	block.PutDigest(sum, h)
}
