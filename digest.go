package sha256

import (
	"encoding/binary"
	"errors"
	"hash"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// digest is the hash.Hash of New and New224.
type digest struct {
	h     block.State
	x     [BlockSize]byte // x[:n] waits for the rest of its block
	n     int
	len   uint64 // bytes written
	is224 bool

	waiting bool // stands in a batch of WriteMany
}

// The marshalled form of crypto/sha256: an identifier, the state, the block
// that is being filled, padded with zeros, and the length.
const (
	magic224      = "sha\x02"
	magic256      = "sha\x03"
	marshaledSize = len(magic256) + 8*4 + BlockSize + 8
)

var (
	errIdentifier = errors.New("crypto/sha256: invalid hash state identifier")
	errSize       = errors.New("crypto/sha256: invalid hash state size")
)

func (d *digest) magic() string {
	if d.is224 {
		return magic224
	}
	return magic256
}

func (d *digest) Reset() {
	d.h = block.IV256
	if d.is224 {
		d.h = block.IV224
	}
	d.n = 0
	d.len = 0
}

// Size returns the length of a digest in bytes.
func (d *digest) Size() int {
	if d.is224 {
		return Size224
	}
	return Size
}

// BlockSize returns 64, the length of a block in bytes.
func (d *digest) BlockSize() int { return BlockSize }

func (d *digest) Write(p []byte) (int, error) {
	written := len(p)
	d.len += uint64(len(p))
	if d.n > 0 {
		n := copy(d.x[d.n:], p)
		d.n += n
		p = p[n:]
		if d.n < BlockSize {
			return written, nil
		}
		block.Compress(&d.h, d.x[:])
	}
	whole := len(p) &^ (BlockSize - 1)
	block.Compress(&d.h, p[:whole])
	d.n = copy(d.x[:], p[whole:])
	return written, nil
}

// start has j compress the blocks that p completes, at least one.
func (d *digest) start(j *lanes.Job, p []byte) {
	var first []byte
	if d.n > 0 {
		p = p[copy(d.x[d.n:], p):]
		first = d.x[:]
	}
	j.Set(&d.h, first, p[:len(p)&^(BlockSize-1)], nil)
}

// wrote takes note that the blocks that p completed are compressed.
func (d *digest) wrote(p []byte) {
	d.len += uint64(len(p))
	d.n = int(d.len % BlockSize)
	copy(d.x[:], p[len(p)-d.n:])
}

func (d *digest) Sum(in []byte) []byte {
	h := d.h
	var sum [Size]byte
	finish(&sum, &h, d.x[:d.n], d.len)
	return append(in, sum[:d.Size()]...)
}

func (d *digest) Clone() (hash.Cloner, error) {
	c := *d
	return &c, nil
}

func (d *digest) MarshalBinary() ([]byte, error) {
	return d.AppendBinary(make([]byte, 0, marshaledSize))
}

func (d *digest) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, d.magic()...)
	for _, v := range d.h {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	b = append(b, d.x[:d.n]...)
	b = append(b, make([]byte, BlockSize-d.n)...)
	return binary.BigEndian.AppendUint64(b, d.len), nil
}

func (d *digest) UnmarshalBinary(b []byte) error {
	magic := d.magic()
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return errIdentifier
	}
	if len(b) != marshaledSize {
		return errSize
	}
	b = b[len(magic):]
	for i := range d.h {
		d.h[i] = binary.BigEndian.Uint32(b[4*i:])
	}
	b = b[4*len(d.h):]
	b = b[copy(d.x[:], b):]
	d.len = binary.BigEndian.Uint64(b)
	d.n = int(d.len % BlockSize)
	return nil
}
