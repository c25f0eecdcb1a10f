package sha256

import (
	stdsha256 "crypto/sha256"
	"errors"
	"hash"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
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
func Sum256(data []byte) (sum [Size]byte) { // the named result is not copied, unlike a variable
	if stdTakes(data) {
		return stdsha256.Sum256(data)
	}
	if len(data) == block.NodeSize { // the message schedule of its padding is known
		block.HashNode(&sum, (*[block.NodeSize]byte)(data))
		return sum
	}
	block.Finish(&sum, &block.IV256, data, uint64(len(data)))
	return sum
}

// Sum224 returns the SHA-224 digest of data.
func Sum224(data []byte) [Size224]byte {
	if stdTakes(data) {
		return stdsha256.Sum224(data)
	}
	var sum [Size]byte
	block.Finish(&sum, &block.IV224, data, uint64(len(data)))
	return [Size224]byte(sum[:])
}

// stdTakes reports whether crypto/sha256 hashes data in one call. Where crypto/sha256 does
// the work, it receives messages of more than MaxPlain blocks in parts. With
// GOFIPS140=v1.0.0, crypto/sha256 compresses a message in one call of assembly, which
// nothing can preempt. A garbage collection would wait for the end of that call.
func stdTakes(data []byte) bool {
	return block.UsesStd() && len(data) <= block.MaxPlain*BlockSize
}

// digest is the hash.Hash of New and New224.
type digest struct {
	h     block.State
	x     [BlockSize]byte // x[:n] is the beginning of a block
	len   uint64          // bytes written
	n     uint8
	is224 bool

	waiting bool // the hash is in a run of writeRuns, or flushMany is flushing it
}

// The texts are those of crypto/sha256, whose marshalled form this is.
var (
	errIdentifier = errors.New("crypto/sha256: invalid hash state identifier")
	errSize       = errors.New("crypto/sha256: invalid hash state size")
)

func (d *digest) magic() string {
	if d.is224 {
		return block.Magic224
	}
	return block.Magic256
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

// Write adds p to the message. Reading p may fault, as when another process truncates a mapped
// file. Then only d.x[d.n:] may have changed, which is not yet part of the message. So Write
// changes the rest of d only when it has read all of p. A single block behind no bytes is
// compressed in p: kernels load a block before they change the state.
func (d *digest) Write(p []byte) (int, error) {
	n, held := len(p), int(d.n) // d.n changes at any time if two goroutines spoil d
	switch {
	case n < BlockSize-held:
		if n == 0 { // even an empty copy is a call
			return 0, nil
		}
		// Sum and kernels load what Append stores without waiting. But behind other bytes, copying a
		// short piece, or whole quarters of a block, takes less time all the same.
		if held == 0 || n >= 16 && (held|n)%16 != 0 {
			block.Append(&d.x, held, p)
		} else {
			copy(d.x[held:], p)
		}
		d.n += uint8(n)
		d.len += uint64(n)
	case n == BlockSize && held == 0:
		// Each instruction delays the next hash's compression: a loop that writes one block to
		// each of many hashes takes 4% less time by this short way (Zen 3).
		block.Compress(&d.h, p)
		d.len += BlockSize
	case held == 0:
		whole := n &^ (BlockSize - 1)
		block.Append(&d.x, 0, p[whole:])
		block.CompressAtOnce(&d.h, p[:whole])
		d.n = uint8(n - whole)
		d.len += uint64(n)
	// If two goroutines have spoiled d, held may be a block or more: block.Write would read in front of p.
	case held < BlockSize && block.InOneCall(held, p):
		block.Write(&d.h, &d.x, held, p)
		d.n = uint8(held+n) % BlockSize
		d.len += uint64(n)
	// Elsewhere, one block is completed in d.x. Two blocks and the rest are put together on the stack, so
	// that one call compresses both. For three blocks, this gains nothing.
	case n < 2*BlockSize-held:
		var rest [BlockSize]byte
		k := BlockSize - held
		copy(d.x[held:], p)
		copy(rest[:], p[k:])
		block.Compress(&d.h, d.x[:])
		d.x = rest
		d.n = uint8(n-k) % BlockSize // below, even if two goroutines have spoiled d
		d.len += uint64(n)
	case n < 3*BlockSize-held:
		var x [3 * BlockSize]byte
		*(*[BlockSize]byte)(x[:]) = d.x
		copy(x[held:], p)
		block.Compress(&d.h, x[:2*BlockSize])
		d.x = [BlockSize]byte(x[2*BlockSize:])
		d.n = uint8(held+n) % BlockSize
		d.len += uint64(n)
	default:
		var rest [BlockSize]byte
		k := BlockSize - held
		block.Append(&d.x, held, p[:k])
		p = p[k:]
		whole := len(p) &^ (BlockSize - 1)
		block.Append(&rest, 0, p[whole:])
		h := d.h
		block.Compress(&h, d.x[:])
		block.Compress(&h, p[:whole])
		d.h, d.x = h, rest
		d.n = uint8(len(p) - whole)
		d.len += uint64(n)
	}
	return n, nil
}

// fetch prefetches the cache lines of d.x. Other fields on these lines come along: the
// state lies before x, the rest after x.
func (d *digest) fetch() {
	x := [1][]byte{d.x[:]}
	block.Fetch(x[:])
}

// blocksWith returns how many blocks p completes.
func (d *digest) blocksWith(p []byte) int { return blocksOf(len(p), int(d.n)) }

// completed fills the block that d has begun, and returns the blocks that p completes. There is
// at least one. `first` is the block in d.x, or nil if d has begun none. `whole` holds the
// other blocks.
func (d *digest) completed(p []byte) (first, whole []byte) {
	if d.n > 0 {
		held := int(d.n)
		block.Append(&d.x, held, p[:BlockSize-held])
		first, p = d.x[:], p[BlockSize-held:]
	}
	return first, p[:len(p)&^(BlockSize-1)]
}

// start sets j to compress the blocks that p completes. There is at least one.
func (d *digest) start(j *lanes.Job, p []byte) {
	first, whole := d.completed(p)
	j.Set(&d.h, first, whole, nil)
}

// advance sets d.h to h, the state after the blocks that p completed, keeps the rest of p,
// and counts the bytes of p. If reading the rest faults, d stays as it is.
func (d *digest) advance(h *block.State, p []byte) {
	length := d.len + uint64(len(p))
	rest := p[len(p)-int(length%BlockSize):]
	block.Hold(&d.x, rest)
	d.h, d.n, d.len = *h, uint8(len(rest)), length
}

func (d *digest) Sum(in []byte) []byte {
	var sum [Size]byte
	d.sum(&sum)
	return append(in, sum[:d.Size()]...)
}

// sum sets sum to the digest of what was written: all 32 bytes, for SHA-224 too. d stays
// as it is.
func (d *digest) sum(sum *[Size]byte) {
	block.Finish(sum, &d.h, d.x[:d.n], d.len)
}

func (d *digest) Clone() (hash.Cloner, error) {
	c := *d
	return &c, nil
}

func (d *digest) MarshalBinary() ([]byte, error) {
	b := make([]byte, block.MarshaledSize)
	d.encode((*block.Marshaled)(b))
	return b, nil
}

func (d *digest) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, make([]byte, block.MarshaledSize)...)
	d.encode((*block.Marshaled)(b[len(b)-block.MarshaledSize:]))
	return b, nil
}

// encode sets m to the state of d. It is small, so that the methods that call it are inlined,
// and the memory of a state that does not leave its function is on the stack.
func (d *digest) encode(m *block.Marshaled) { m.Encode(d.magic(), &d.h, d.x[:d.n], d.len) }

func (d *digest) UnmarshalBinary(b []byte) error {
	magic := d.magic()
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return errIdentifier
	}
	if len(b) != block.MarshaledSize {
		return errSize
	}
	x, length := (*block.Marshaled)(b).Decode(&d.h)
	d.x, d.len, d.n = *x, length, uint8(length%BlockSize)
	return nil
}
