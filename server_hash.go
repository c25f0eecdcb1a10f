package sha256

import (
	"hash"
	"slices"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// serverHash is the hash.Hash of a Server, for one goroutine at a time. It keeps
// no reference to its caller's memory, and leaves nothing behind in its server
// when it is dropped. The zero serverHash is of no server.
type serverHash struct {
	_ noCopy
	digest

	// self is the hash itself once it has begun. In a copy that was made by value
	// instead of Clone it is another: what such a copy holds back is in memory
	// that may belong to anybody by now, and its request is the other's.
	self *serverHash

	shard   *shard   // nil: no batches
	request *request // made when it is first needed

	// Short writes are held back until they make up a request. While held is not
	// nil, held[:m], a block at least, follows what h has taken in, and the
	// digest's n is 0.
	held *[holdSize]byte
	m    int
}

// holdSize is how much of short writes is held back.
const holdSize = 8 << 10

var holds = sync.Pool{New: func() any { return new([holdSize]byte) }}

// noCopy has go vet report copies of what it is in.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// begin makes sure that the hash has begun, and is no copy.
func (d *serverHash) begin() {
	if d.self == nil {
		d.Reset()
	}
	if d.copied() {
		panic("sha256: a Server's hash was copied by value; Clone copies it")
	}
}

// copied reports whether d is a copy made by value, which only Reset can begin.
func (d *serverHash) copied() bool { return d.self != nil && d.self != d }

// Write adds p to the message. It returns len(p) and no error, and does not read
// p after that.
func (d *serverHash) Write(p []byte) (int, error) {
	d.begin()
	if !d.shard.meets() {
		d.settle()
		if !preempts && d.shard != nil {
			return d.shard.inTurns(&d.digest, p)
		}
		return d.digest.Write(p)
	}
	written := len(p)
	switch {
	case d.m+d.n+len(p) >= holdSize:
		d.compress(p)
	case d.held != nil:
		d.hold(p)
	case d.n+len(p) < BlockSize, d.len == 0 && len(p) < minRequest:
		return d.digest.Write(p)
	default:
		d.held = holds.Get().(*[holdSize]byte)
		d.m = copy(d.held[:], d.x[:d.n])
		d.n = 0
		d.hold(p)
	}
	return written, nil
}

// hold holds p back. There is room for it.
func (d *serverHash) hold(p []byte) {
	d.m += copy(d.held[d.m:], p)
	d.len += uint64(len(p))
}

// compress compresses the whole blocks of what is held and of p, at least
// holdSize in all.
func (d *serverHash) compress(p []byte) {
	r := d.newRequest()
	if d.held == nil {
		d.start(&r.job, p)
	} else {
		n := -d.m & (BlockSize - 1)
		d.hold(p[:n])
		p = p[n:]
		d.start(&r.job, p)
		r.job.Pieces[0] = d.held[:d.m]
	}
	d.shard.do(r)
	d.wrote(p)
	d.drop()
}

// settle compresses what is held, so that the digest is all there is to d.
func (d *serverHash) settle() {
	d.begin()
	if d.held == nil {
		return
	}
	if whole := d.heldBlocks(); len(whole) >= minRequest && d.shard.meets() {
		r := d.newRequest()
		r.job.Set(&d.h, whole, nil, nil)
		d.shard.do(r)
	} else {
		block.Compress(&d.h, whole)
	}
	d.settled()
}

// heldBlocks returns the whole blocks of what is held.
func (d *serverHash) heldBlocks() []byte { return d.held[:d.m&^(BlockSize-1)] }

// settled takes note that the blocks that were held are compressed.
func (d *serverHash) settled() {
	d.n = copy(d.x[:], d.held[len(d.heldBlocks()):d.m])
	d.drop()
}

// newRequest returns the request that all of d's are in turn.
func (d *serverHash) newRequest() *request {
	if d.request == nil {
		d.request = newRequest()
	}
	return d.request
}

// drop gives up what is held.
func (d *serverHash) drop() {
	if d.held != nil {
		holds.Put(d.held)
		d.held, d.m = nil, 0
	}
}

// Sum appends the digest of what has been written so far to in, and returns the
// result. The hash stays as it is, and may be written to further.
func (d *serverHash) Sum(in []byte) []byte {
	d.settle()
	return d.digest.Sum(in)
}

// Reset makes the hash begin a new message.
func (d *serverHash) Reset() {
	if d.copied() {
		d.held, d.m, d.request = nil, 0, nil
	}
	d.drop()
	d.digest.Reset()
	d.self = d
}

// Clone returns a copy of the hash, on the same server. The error is nil.
func (d *serverHash) Clone() (hash.Cloner, error) {
	d.settle()
	c := &serverHash{digest: d.digest, shard: d.shard}
	c.self = c
	return c, nil
}

// MarshalBinary returns the state of the hash, in the form of crypto/sha256. The
// error is nil.
func (d *serverHash) MarshalBinary() ([]byte, error) {
	d.settle()
	return d.digest.MarshalBinary()
}

// AppendBinary appends the state of the hash to b, in the form of
// crypto/sha256. The error is nil.
func (d *serverHash) AppendBinary(b []byte) ([]byte, error) {
	d.settle()
	return d.digest.AppendBinary(b)
}

// UnmarshalBinary sets the hash to a state that was marshalled from a SHA-256
// hash of this package or of crypto/sha256. If b is no such state it returns an
// error, and the hash stays as it is.
func (d *serverHash) UnmarshalBinary(b []byte) error {
	d.begin()
	err := d.digest.UnmarshalBinary(b)
	if err == nil {
		d.drop()
	}
	return err
}

// oursOfServer is ours for a Server's hashes. Nothing is held back from the
// digest any more: settleMany left nothing, but a foreign hash that stands on
// one of ours may have written to it since.
//
//go:noinline
func oursOfServer(h hash.Hash) *digest {
	d, _ := h.(*serverHash)
	if d == nil {
		return nil
	}
	d.settle()
	return &d.digest
}

// settleMany settles those of hs that hold data back, side by side.
func settleMany(hs []hash.Hash) {
	if !slices.ContainsFunc(hs, func(h hash.Hash) bool { return holder(h) != nil }) {
		return
	}
	w := works.Get().(*work)
	w.hs = hs
	lanes.Run(len(hs), (*settleWork)(w), true)
	*w = work{}
	works.Put(w)
}

// holder returns h if it holds data back, else nil.
func holder(h hash.Hash) *serverHash {
	if d, ok := h.(*serverHash); ok && d.held != nil {
		return d
	}
	return nil
}

// settleWork settles hs as far as they hold data back. They are not waiting.
type settleWork work

func (w *settleWork) Blocks(i int) int {
	if d := holder(w.hs[i]); d != nil {
		return len(d.heldBlocks()) / BlockSize
	}
	return 0
}

func (w *settleWork) Start(i int, j *lanes.Job) bool {
	d := holder(w.hs[i])
	if d == nil || d.waiting {
		return false
	}
	d.waiting = true
	j.Set(&d.h, d.heldBlocks(), nil, nil)
	return true
}

func (w *settleWork) Done(i int, _ *lanes.Job) {
	d := holder(w.hs[i])
	d.waiting = false
	d.settled()
}
