package sha256tree

import (
	"hash"

	"github.com/sha256-simd/sha256-simd/internal/merkle"
)

const (
	// A digest keeps up to bufferChunks chunks, and hashes them side by side.
	bufferLevel  = 5
	bufferChunks = 1 << bufferLevel
	bufferSize   = bufferChunks * chunkSize
)

// digest is the hash.Hash of New.
type digest struct {
	peaks merkle.Peaks // of what is hashed
	n     int          // bytes that wait in buf
	buf   [bufferSize]byte
	// leaves are the leaves of buf, or of as many bytes of a write: on the
	// stack, they would be allocated.
	leaves [bufferChunks][Size]byte
}

// New returns a new [hash.Hash] that computes the SHA256TREE digest of what is
// written to it, up to 32 chunks side by side. It also implements [hash.Cloner].
// It buffers up to 32 KiB. One goroutine at a time may use it.
func New() hash.Hash { return new(digest) }

// Size returns the length of a digest in bytes.
func (d *digest) Size() int { return Size }

// BlockSize returns the length of a chunk, 1024 bytes.
func (d *digest) BlockSize() int { return chunkSize }

func (d *digest) Reset() {
	d.peaks.Reset()
	d.n = 0
}

func (d *digest) Write(p []byte) (int, error) {
	written := len(p)
	// What is written last stays in the buffer, so that Sum has a part to begin
	// with.
	if d.n > 0 || len(p) <= bufferSize {
		n := copy(d.buf[d.n:], p)
		p = p[n:]
		if d.n += n; len(p) == 0 {
			return written, nil
		}
		d.add(d.buf[:])
		d.n = 0
	}
	for len(p) > bufferSize {
		d.add(p[:bufferSize])
		p = p[bufferSize:]
	}
	d.n = copy(d.buf[:], p)
	return written, nil
}

// add appends data that fills the buffer.
func (d *digest) add(data []byte) { d.peaks.Add(&tree, d.rootOf(data), bufferLevel) }

// rootOf returns the root of at most as much data as fills the buffer.
func (d *digest) rootOf(data []byte) [Size]byte {
	n := int(count(int64(len(data))))
	leaves(d.leaves[:n], data)
	return tree.Root(d.leaves[:n], 0, merkle.Depth(n))
}

func (d *digest) Sum(in []byte) []byte {
	root := d.peaks.RootWith(&tree, d.rootOf(d.buf[:d.n]))
	return append(in, root[:]...)
}

// Clone returns a copy of d, which goes on by itself.
func (d *digest) Clone() (hash.Cloner, error) {
	c := *d
	return &c, nil
}
