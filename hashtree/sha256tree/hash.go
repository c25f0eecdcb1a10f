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
	// A digest hashes the chunks of the first firstSize bytes as they come, if the first write
	// has no more: for so little data, a new buffer costs more than it saves. A digest that
	// has a buffer from before Reset hashes only the first bufferedSize bytes as they come, if
	// the first write is a chunk at most.
	firstSize    = 8 * chunkSize
	bufferedSize = 2 * chunkSize
	// The buffer has at least minBuffer bytes once there is one.
	minBuffer = 4 * chunkSize
)

// digest is the hash.Hash of New. It is small, since most messages are.
type digest struct {
	// For the first chunks, if they are hashed as they come. Once the buffer was full,
	// firstLen is 0.
	firstLen int                  // their bytes
	first    [2][Size]byte        // their leaves, if there are no more; else leaves has them all
	state    block.State          // of the chunk at hand
	rest     [4 * block.Size]byte // the bytes that are not in state; short writes fill it
	waiting  int                  // their number

	peaks *merkle.Peaks // of what is hashed; nil until the buffer was full
	buf   []byte        // what waits behind the first chunks; it grows to bufferSize
	// leaves has room for the leaves of the first chunks and of buf, or of as many bytes of a
	// write.
	leaves [][Size]byte
}

// New returns a new [hash.Hash] that computes the SHA256TREE digest of what is
// written to it, up to 32 chunks side by side. It also implements [hash.Cloner].
// Its buffer grows with what is written, up to 32 KiB. One goroutine at a time may use it. If
// reading the data of a Write faults, the hash is unusable until Reset.
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
	d.firstLen, d.waiting = 0, 0
}

func (d *digest) Write(p []byte) (int, error) {
	written := len(p)
	if d.waiting > 0 && d.waiting+written < len(d.rest) && d.firstLen%chunkSize+written < chunkSize {
		// Most short writes only wait.
		copy(d.rest[d.waiting:], p)
		d.waiting += written
		d.firstLen += written
		return written, nil
	}
	if d.areFirst(written) {
		if p = d.hashFirst(p); len(p) == 0 {
			return written, nil
		}
	}
	// What is written last stays in the buffer: Sum begins with it.
	if d.firstLen > 0 || len(d.buf) > 0 || len(p) <= bufferSize {
		p = d.buffer(p)
		if len(p) == 0 {
			return written, nil
		}
		d.add(d.buf)
		d.buf = d.buf[:0]
		d.firstLen = 0
	}
	for len(p) > bufferSize {
		d.add(p[:bufferSize])
		p = p[bufferSize:]
	}
	d.buffer(p)
	return written, nil
}

// areFirst reports whether n bytes that come next begin in a chunk that is hashed as it
// comes. An empty buffer shows that the message begins: behind the first chunks the
// buffer is never empty.
func (d *digest) areFirst(n int) bool {
	size, longest := d.firstLimits()
	if d.firstLen > 0 {
		return d.firstLen < size
	}
	return n <= longest && len(d.buf) == 0
}

// firstLimits returns how many bytes are hashed as they come if the first write has at most
// `longest` bytes.
func (d *digest) firstLimits() (size, longest int) {
	if cap(d.buf) == 0 {
		return firstSize, firstSize
	}
	return bufferedSize, chunkSize
}

// hashFirst hashes what of p belongs to the first chunks, and returns the rest. Chunks that p
// holds whole go side by side.
func (d *digest) hashFirst(p []byte) []byte {
	size, _ := d.firstLimits()
	for len(p) > 0 && d.firstLen < size {
		i, at := d.firstLen/chunkSize, d.firstLen%chunkSize
		if at == 0 {
			if n := min(len(p), size-d.firstLen) / chunkSize; n > 1 {
				nodes := d.list(i, i+n)
				leaves(nodes[i:], p)
				if i+n <= len(d.first) {
					copy(d.first[:], nodes)
				}
				p = p[n*chunkSize:]
				d.firstLen += n * chunkSize
				continue
			}
			d.state = block.IV256
		}
		n := min(len(p), chunkSize-at)
		d.compress(p[:n])
		p = p[n:]
		if d.firstLen += n; at+n == chunkSize {
			var leaf [Size]byte
			block.Finish(&leaf, &d.state, d.rest[:d.waiting], chunkSize)
			if i < len(d.first) {
				d.first[i] = leaf
			} else {
				d.list(i, i+1)[i] = leaf
			}
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

// list returns d.leaves with n leaves. It copies the first `known` leaves from d.first if they
// are there; otherwise d.leaves has them already.
func (d *digest) list(known, n int) [][Size]byte {
	if len(d.leaves) < n {
		more := make([][Size]byte, max(n, firstSize/chunkSize))
		copy(more, d.leaves)
		d.leaves = more
	}
	if known <= len(d.first) {
		copy(d.leaves, d.first[:known])
	}
	return d.leaves[:n]
}

// buffer appends as much of p to the buffer as has room in it, and returns the rest.
func (d *digest) buffer(p []byte) []byte {
	n := min(len(p), bufferSize-d.firstLen-len(d.buf))
	if need := len(d.buf) + n; need > cap(d.buf) {
		d.buf = append(make([]byte, 0, min(max(need, 4*cap(d.buf), minBuffer), bufferSize)), d.buf...)
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
	if d.firstLen == 0 && len(data) <= chunkSize {
		return sha256.Sum256(data)
	}
	whole, rest := d.firstLen/chunkSize, d.firstLen%chunkSize
	n := int(count(int64(d.firstLen + len(data))))
	var partial [Size]byte
	if rest > 0 {
		block.Finish(&partial, &d.state, d.rest[:d.waiting], uint64(rest))
	}
	if len(data) == 0 && n <= len(d.first) {
		// tree.Root would have d on the heap.
		few := d.first
		if rest > 0 {
			few[whole] = partial
		}
		if n > 1 {
			parent(&few[0], &few)
		}
		return few[0]
	}
	nodes := d.list(whole, n)
	if rest > 0 {
		nodes[whole] = partial
	} else if len(data) > 0 {
		leaves(nodes[whole:], data)
	}
	return tree.Root(nodes, 0, merkle.Depth(n))
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
	if d.firstLen > len(d.first)*chunkSize {
		c.leaves = slices.Clone(d.leaves)
	}
	if d.peaks != nil {
		peaks := *d.peaks
		c.peaks = &peaks
	}
	return &c, nil
}
