package sha256

import (
	"hash"
	"sync"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/combine"
	"github.com/sha256-simd/sha256-simd/internal/goroutine"
)

// serverHash is the hash.Hash of a Server, for one goroutine at a time. It keeps no
// reference to its caller's memory, and leaves nothing behind in its server when it is
// dropped. The zero serverHash belongs to no server. Its fields have small types, since
// larger hashes would make the garbage collector run more often. That would slow down a
// goroutine that makes a hash for each message of 1 KiB.
type serverHash struct {
	digest

	// self is nil until the hash has begun. Then it points to the hash itself. In a copy made
	// by value, it points to the original. The buffer of such a copy may belong to another
	// hash by now.
	self *serverHash

	shard *combine.Shard // nil if the hash belongs to no server

	// Short writes are buffered until they make up a request. While buffered is not nil, it
	// holds m bytes of the message, at least a block. These bytes follow those that are
	// compressed into digest.h, and digest.n is 0.
	buffered *buffer
	m        uint16

	// solo is the number of bytes that the hash may take in without asking its
	// shard. While it is positive, nothing is buffered.
	solo uint16

	// inUse is set while a request of the hash is under way. A second goroutine that uses the
	// hash meanwhile panics. Its Write cannot take a fast path: a buffer, if there is one,
	// belongs to the first goroutine, and solo is 0. The slow path checks inUse. inUse also
	// makes go vet report copies by value.
	inUse atomic.Bool
}

// bufferSize is the number of bytes that a hash buffers. It is 32 KiB: with 8 KiB, handing
// a request to a goroutine on another P would cost as much as the lanes gain.
const bufferSize = combine.SoloUnit

// A buffer is for one hash, and for the goroutine that took it from the pool. Only that
// goroutine writes to bytes, and only that goroutine puts the buffer back. So no write to
// bytes is under way when the buffer is put back, and none follows, even if another
// goroutine misuses the hash at the same time. The hash that takes the buffer next is safe.
// A lock would also work, but locking takes half as long as a write of 64 bytes. Finding
// out which goroutine is calling takes a fifteenth as long as such a write.
type buffer struct {
	bytes *[bufferSize]byte

	hash      *serverHash
	goroutine goroutine.ID
}

var buffers = sync.Pool{New: func() any { return &buffer{bytes: new([bufferSize]byte)} }}

// newBuffer returns a buffer for d and the calling goroutine.
func newBuffer(d *serverHash) *buffer {
	b := buffers.Get().(*buffer)
	b.hash, b.goroutine = d, goroutine.Current()
	return b
}

// isOf reports whether b is for d and the calling goroutine.
func (b *buffer) isOf(d *serverHash) bool {
	return b.hash == d && b.goroutine == goroutine.Current()
}

// usedTwice is the panic of a hash that two goroutines use at the same time.
const usedTwice = "sha256: a server's hash is used by two goroutines at the same time"

// begin makes sure that the hash has begun. It panics if the hash is a copy made by
// value, or is in use.
func (d *serverHash) begin() {
	if d.self == nil {
		d.Reset()
	}
	if d.copied() {
		panic("sha256: a server's hash was copied by value; Clone copies it")
	}
	if d.inUse.Load() {
		panic(usedTwice)
	}
}

// copied reports whether d is a copy made by value. Only Reset makes such a copy usable.
func (d *serverHash) copied() bool { return d.self != nil && d.self != d }

// Write adds p to the message. It returns len(p) and no error. After it has returned,
// nothing reads p.
func (d *serverHash) Write(p []byte) (int, error) {
	if b := d.buffered; b != nil {
		if end := int(d.m) + len(p); end < bufferSize && b.isOf(d) {
			copy(b.bytes[d.m:end], p)
			d.m = uint16(end)
			d.len += uint64(len(p))
			return len(p), nil
		}
	} else if len(p) < int(d.solo) && d.self == d {
		d.solo -= uint16(len(p))
		// One block is compressed here: a call of digest.Write would cost 3% of the time of
		// a block. Kernels read the block before they change h, so a fault leaves h as it
		// was.
		if d.n == 0 && len(p) == BlockSize {
			block.Compress(&d.h, p)
			d.len += uint64(len(p))
			return len(p), nil
		}
		return d.digest.Write(p)
	}
	return d.write(p)
}

// write is the slow path of Write.
func (d *serverHash) write(p []byte) (int, error) {
	d.begin()
	d.solo = 0
	if !d.shard.Meets() {
		d.flush()
		if !combine.Preempts && d.shard != nil {
			return d.inSlices(d.shard, p)
		}
		return d.digest.Write(p)
	}
	if d.buffered == nil && int(d.n)+len(p) < BlockSize {
		return d.digest.Write(p)
	}
	if n := max(len(p), bufferSize); d.shard.Solo(n) {
		d.flush()
		d.solo = uint16(n - len(p))
		return d.digest.Write(p)
	}
	if int(d.m)+int(d.n)+len(p) >= bufferSize {
		d.compress(p)
		return len(p), nil
	}
	if d.buffered == nil {
		b := newBuffer(d)
		m := copy(b.bytes[:], d.x[:d.n])
		m += copy(b.bytes[m:], p) // which may fault: d has not changed yet
		d.buffered, d.m, d.n = b, uint16(m), 0
		d.len += uint64(len(p))
		return len(p), nil
	}
	d.buffer(d.ownBuffer(), p)
	return len(p), nil
}

// buffer adds p to b, the buffer of d and of the calling goroutine. b has room for p.
func (d *serverHash) buffer(b *buffer, p []byte) {
	to := b.bytes[d.m:]
	if len(p) == BlockSize && len(to) >= BlockSize {
		all := [BlockSize]byte(p)
		*(*[BlockSize]byte)(to) = all // without a call
	} else {
		copy(to, p)
	}
	d.m += uint16(len(p))
	d.len += uint64(len(p))
}

// ownBuffer returns d's buffer. It replaces a buffer of another goroutine, and leaves
// that buffer to the garbage collector, since the other goroutine may still write to it.
func (d *serverHash) ownBuffer() *buffer {
	b := d.buffered
	if !b.isOf(d) {
		others := b
		b = newBuffer(d)
		copy(b.bytes[:d.m], others.bytes[:])
		d.buffered = b
	}
	return b
}

// compress adds p to the message. The bytes that are buffered or in digest.x, followed by
// p, are at least bufferSize bytes. compress compresses their whole blocks, and keeps the
// rest in digest.x. If reading p faults, the hash stays as it was.
func (d *serverHash) compress(p []byte) {
	// The end is read first: nothing may fault once the blocks are compressed.
	var end [BlockSize]byte
	left := copy(end[:], p[len(p)-int((d.len+uint64(len(p)))%BlockSize):])
	var head []byte
	n := 0
	if d.buffered != nil {
		b := d.ownBuffer()
		n = copy(b.bytes[d.m:], p[:-d.m&(BlockSize-1)])
		head = b.bytes[:int(d.m)+n]
	}
	d.request(head, p[n:])
	d.x, d.n = end, uint8(left)
	d.len += uint64(len(p))
	d.drop()
}

// flush compresses what is buffered. Afterwards the embedded digest holds the whole state
// of d.
func (d *serverHash) flush() {
	d.begin()
	if d.buffered == nil {
		return
	}
	whole := d.bufferedBlocks()
	if len(whole) >= combine.MinRequest && d.shard.Meets() && !d.shard.Solo(len(whole)) {
		d.request(whole, nil)
	} else {
		block.Compress(&d.h, whole)
	}
	d.tookBuffered()
}

// request compresses head, which is buffered, and then the blocks that p completes, side by
// side with other requests. d.inUse is set meanwhile. If reading p faults, d stays as it
// was.
func (d *serverHash) request(head, p []byte) {
	r := combine.NewRequest()
	d.start(&r.Job, p)
	if len(head) > 0 {
		r.Job.Segments[0] = head
	}
	blocks := 0
	for _, s := range r.Job.Segments {
		blocks += len(s) / BlockSize
	}
	if blocks == 0 { // another goroutine has changed d since the caller looked
		panic(usedTwice)
	}
	if !d.inUse.CompareAndSwap(false, true) {
		panic(usedTwice)
	}
	defer d.inUse.Store(false)
	d.shard.Do(r)
	r.Release()
}

// bufferedBlocks returns the whole blocks of what is buffered.
func (d *serverHash) bufferedBlocks() []byte { return d.buffered.bytes[:d.m&^(BlockSize-1)] }

// tookBuffered records that h has taken in the buffered blocks.
func (d *serverHash) tookBuffered() {
	d.n = uint8(copy(d.x[:], d.buffered.bytes[len(d.bufferedBlocks()):d.m]))
	d.drop()
}

// drop gives up what is buffered. A buffer of another goroutine is left to the garbage
// collector, since that goroutine may still write to it.
func (d *serverHash) drop() {
	b := d.buffered
	if b == nil {
		return
	}
	d.buffered, d.m = nil, 0
	if b.isOf(d) {
		b.hash, b.goroutine = nil, 0
		buffers.Put(b)
	}
}

// Sum appends the digest of all that has been written so far to the slice in, and returns
// the result. The hash stays as it is, and may be written to further.
func (d *serverHash) Sum(in []byte) []byte {
	d.flush()
	return d.digest.Sum(in)
}

// Reset makes the hash begin a new message.
func (d *serverHash) Reset() {
	if d.copied() {
		d.buffered, d.m = nil, 0 // the buffer is the original's: not even its fields are read
		d.inUse.Store(false)
	}
	if d.inUse.Load() {
		panic(usedTwice)
	}
	d.drop()
	d.startOver()
}

// startOver makes d, which has no buffer, the hash of an empty message.
func (d *serverHash) startOver() {
	d.digest.Reset()
	d.self = d
	d.solo = 0
	if combine.Preempts && d.shard != nil {
		d.solo = combine.MinRequest
	}
}

// Clone returns a copy of the hash, on the same server. The error is nil.
func (d *serverHash) Clone() (hash.Cloner, error) {
	d.flush()
	c := &serverHash{digest: d.digest, shard: d.shard}
	c.self = c
	return c, nil
}

// MarshalBinary returns the state of the hash, in the form of crypto/sha256. The
// error is nil.
func (d *serverHash) MarshalBinary() ([]byte, error) {
	d.flush()
	return d.digest.MarshalBinary()
}

// AppendBinary appends the state of the hash to b, in the form of
// crypto/sha256. The error is nil.
func (d *serverHash) AppendBinary(b []byte) ([]byte, error) {
	d.flush()
	return d.digest.AppendBinary(b)
}

// UnmarshalBinary sets the hash to a state that was marshalled from a SHA-256 hash of this
// package or of crypto/sha256. If b is not such a state, UnmarshalBinary returns an error,
// and the hash stays as it is.
func (d *serverHash) UnmarshalBinary(b []byte) error {
	d.begin()
	err := d.digest.UnmarshalBinary(b)
	if err == nil {
		d.drop()
	}
	return err
}

// inSlices is Write, divided into time slices of shard.
func (d *digest) inSlices(shard *combine.Shard, p []byte) (int, error) {
	written := len(p)
	for {
		n := min(len(p), shard.SliceLeft())
		d.Write(p[:n])
		p = p[n:]
		shard.Spend(n)
		if len(p) == 0 {
			return written, nil
		}
	}
}

// flushedDigest returns h as a *digest: h itself, or the one in a Server's hash. It returns
// nil for a hash of another package. It flushes h first if h is a Server's hash that has
// data buffered.
func flushedDigest(h hash.Hash) *digest {
	if d, ok := h.(*digest); ok {
		return d
	}
	return flushedServerDigest(h)
}

// flushedServerDigest is flushedDigest for a Server's hashes. WriteHashes and SumHashes
// have flushed h already (flushMany). A hash of another package that wraps h may have
// written to h since, so h is flushed again.
//
//go:noinline
func flushedServerDigest(h hash.Hash) *digest {
	d, _ := h.(*serverHash)
	if d == nil {
		return nil
	}
	d.flush()
	return &d.digest
}

// buffering returns h if it has data buffered, else nil.
func buffering(h hash.Hash) *serverHash {
	if d, ok := h.(*serverHash); ok && d.buffered != nil {
		return d
	}
	return nil
}
