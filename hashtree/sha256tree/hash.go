package sha256tree

import (
	"hash"
	"slices"

	"github.com/sha256-simd/sha256-simd"
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
	peaks *merkle.Peaks // of what is hashed; nil until the buffer was full
	buf   []byte        // what waits; it grows to bufferSize
	// leaves are the leaves of buf, or of as many bytes of a write.
	leaves [][Size]byte
}

// New returns a new [hash.Hash] that computes the SHA256TREE digest of what is
// written to it, up to 32 chunks side by side. It also implements [hash.Cloner].
// Its buffer grows with what is written, up to 32 KiB. One goroutine at a time may use it.
func New() hash.Hash { return new(digest) }

// Size returns the length of a digest in bytes.
func (d *digest) Size() int { return Size }

// BlockSize returns the length of a chunk, 1024 bytes.
func (d *digest) BlockSize() int { return chunkSize }

func (d *digest) Reset() {
	if d.peaks != nil {
		d.peaks.Reset()
	}
	d.buf = d.buf[:0]
}

func (d *digest) Write(p []byte) (int, error) {
	written := len(p)
	// What is written last stays in the buffer, so that Sum has a part to begin
	// with.
	if len(d.buf) > 0 || len(p) <= bufferSize {
		p = d.buffer(p)
		if len(p) == 0 {
			return written, nil
		}
		d.add(d.buf)
		d.buf = d.buf[:0]
	}
	for len(p) > bufferSize {
		d.add(p[:bufferSize])
		p = p[bufferSize:]
	}
	d.buffer(p)
	return written, nil
}

// buffer appends as much of p to the buffer as has room in it, and returns the rest.
func (d *digest) buffer(p []byte) []byte {
	n := min(len(p), bufferSize-len(d.buf))
	if need := len(d.buf) + n; need > cap(d.buf) {
		d.buf = append(make([]byte, 0, min(max(need, 2*cap(d.buf)), bufferSize)), d.buf...)
	}
	d.buf = append(d.buf, p[:n]...)
	return p[n:]
}

// add appends data that fills the buffer.
func (d *digest) add(data []byte) {
	if d.peaks == nil {
		d.peaks = new(merkle.Peaks)
	}
	d.peaks.Add(&tree, d.rootOf(data), bufferLevel)
}

// rootOf returns the root of at most as much data as fills the buffer.
func (d *digest) rootOf(data []byte) [Size]byte {
	n := int(count(int64(len(data))))
	if n == 1 {
		return sha256.Sum256(data)
	}
	if len(d.leaves) < n {
		d.leaves = make([][Size]byte, n)
	}
	leaves(d.leaves[:n], data)
	return tree.Root(d.leaves[:n], 0, merkle.Depth(n))
}

func (d *digest) Sum(in []byte) []byte {
	root := d.rootOf(d.buf)
	if d.peaks != nil && d.peaks.Leaves() > 0 {
		root = d.peaks.RootWith(&tree, root)
	}
	return append(in, root[:]...)
}

// Clone returns a copy of d, which goes on by itself.
func (d *digest) Clone() (hash.Cloner, error) {
	c := *d
	c.buf, c.leaves = slices.Clone(d.buf), nil
	if d.peaks != nil {
		peaks := *d.peaks
		c.peaks = &peaks
	}
	return &c, nil
}
