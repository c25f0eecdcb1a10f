package sha256tree

import (
	"hash"
	"slices"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/merkle"
)

const (
	// A digest keeps up to bufferChunks chunks, and hashes them side by side.
	bufferLevel  = 5
	bufferChunks = 1 << bufferLevel
	bufferSize   = bufferChunks * chunkSize
	// aloneSize is the size of the first chunks. A digest hashes them as they come if the
	// first write is a chunk at most. For so little data a buffer costs more than it
	// saves.
	aloneSize = 2 * chunkSize
)

// digest is the hash.Hash of New.
type digest struct {
	// For the first chunks, if they are hashed as they come. Once the buffer was full,
	// alone is 0.
	alone   int                               // their bytes
	first   [aloneSize / chunkSize][Size]byte // their leaves
	state   block.State                       // of the chunk at hand
	rest    [4 * block.Size]byte              // the bytes that are not in state; short writes fill it
	waiting int                               // their number

	peaks *merkle.Peaks // of what is hashed; nil until the buffer was full
	buf   []byte        // what waits behind the first chunks; it grows to bufferSize
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
	d.alone, d.waiting = 0, 0
}

func (d *digest) Write(p []byte) (int, error) {
	written := len(p)
	if d.waiting > 0 && d.waiting+written < len(d.rest) && d.alone%chunkSize+written < chunkSize {
		// Most short writes only wait.
		copy(d.rest[d.waiting:], p)
		d.waiting += written
		d.alone += written
		return written, nil
	}
	if d.comeAlone(written) {
		if p = d.hashAlone(p); len(p) == 0 {
			return written, nil
		}
	}
	// What is written last stays in the buffer: Sum begins with it.
	if d.alone > 0 || len(d.buf) > 0 || len(p) <= bufferSize {
		p = d.buffer(p)
		if len(p) == 0 {
			return written, nil
		}
		d.add(d.buf)
		d.buf = d.buf[:0]
		d.alone = 0
	}
	for len(p) > bufferSize {
		d.add(p[:bufferSize])
		p = p[bufferSize:]
	}
	d.buffer(p)
	return written, nil
}

// comeAlone reports whether n bytes that come next begin in a chunk that is hashed as it
// comes. An empty buffer shows that the message begins: behind the first chunks the
// buffer is never empty.
func (d *digest) comeAlone(n int) bool {
	if d.alone > 0 {
		return d.alone < aloneSize
	}
	return n <= chunkSize && len(d.buf) == 0
}

// hashAlone hashes what of p belongs to the first chunks, and returns the rest.
func (d *digest) hashAlone(p []byte) []byte {
	for len(p) > 0 && d.alone < aloneSize {
		at := d.alone % chunkSize
		if at == 0 {
			d.state = block.IV256
		}
		n := min(len(p), chunkSize-at)
		d.compress(p[:n])
		p = p[n:]
		if d.alone += n; at+n == chunkSize {
			block.Finish(&d.first[d.alone/chunkSize-1], &d.state, d.rest[:d.waiting], chunkSize)
			d.waiting = 0
		}
	}
	return p
}

// compress adds p to the chunk at hand.
func (d *digest) compress(p []byte) {
	if d.waiting+len(p) < len(d.rest) {
		d.waiting += copy(d.rest[d.waiting:], p)
		return
	}
	if d.waiting > 0 {
		n := copy(d.rest[d.waiting:], p[:-d.waiting&(block.Size-1)])
		block.Compress(&d.state, d.rest[:d.waiting+n])
		p = p[n:]
	}
	if whole := len(p) &^ (block.Size - 1); whole > 0 {
		block.Compress(&d.state, p[:whole])
		p = p[whole:]
	}
	d.waiting = copy(d.rest[:], p)
}

// leafAlone returns the leaf of chunk i of those that are hashed as they come.
func (d *digest) leafAlone(i int) (leaf [Size]byte) {
	length := d.alone - i*chunkSize
	if length >= chunkSize {
		return d.first[i]
	}
	state := d.state
	block.Finish(&leaf, &state, d.rest[:d.waiting], uint64(length))
	return leaf
}

// buffer appends as much of p to the buffer as has room in it, and returns the rest.
func (d *digest) buffer(p []byte) []byte {
	n := min(len(p), bufferSize-d.alone-len(d.buf))
	if need := len(d.buf) + n; need > cap(d.buf) {
		d.buf = append(make([]byte, 0, min(max(need, 2*cap(d.buf), d.alone), bufferSize)), d.buf...)
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

// rootOf returns the root of the chunks that were hashed as they came and of data behind
// them: at most as much as fills the buffer.
func (d *digest) rootOf(data []byte) [Size]byte {
	alone := (d.alone + chunkSize - 1) / chunkSize
	n := alone
	if n == 0 || len(data) > 0 {
		n += int(count(int64(len(data))))
	}
	switch {
	case n == 1 && alone == 0:
		return sha256.Sum256(data)
	case n == 1:
		return d.leafAlone(0)
	case n == 2 && alone == 2:
		var root [Size]byte
		parent(&root, &[2][Size]byte{d.leafAlone(0), d.leafAlone(1)})
		return root
	}
	if len(d.leaves) < n {
		d.leaves = make([][Size]byte, n)
	}
	for i := range alone {
		d.leaves[i] = d.leafAlone(i)
	}
	leaves(d.leaves[alone:n], data)
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
