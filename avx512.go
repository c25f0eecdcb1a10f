package sha256

import (
	"hash"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// Avx512Server is [Server] by the name that users of
// github.com/minio/sha256-simd know. It works on every CPU.
type Avx512Server = Server

// NewAvx512Server is [NewServer].
func NewAvx512Server() *Avx512Server { return NewServer() }

// NewAvx512 is [Server.New] of s. The hash of a nil server works alone.
func NewAvx512(s *Avx512Server) hash.Hash { return s.New() }

// An Avx512Digest is a hash of a [Server], made by [Server.New] or [NewAvx512],
// for one goroutine at a time; to copy it, use [Avx512Digest.Clone]. It keeps no
// reference to its caller's memory, and leaves nothing behind in its server when
// it is dropped. The zero Avx512Digest is a hash of no server.
type Avx512Digest struct {
	digest
	begun bool   // digest is not zero
	shard *shard // nil: no batches
	job   *job   // made when it is first needed

	// Short writes are held back until they make up a job. While held is not
	// nil, held[:m], a block at least, follows what h has taken in, and the
	// digest's n is 0.
	held *[holdSize]byte
	m    int
}

// holdSize is how much of short writes is held back.
const holdSize = 8 << 10

var holds = sync.Pool{New: func() any { return new([holdSize]byte) }}

// Write adds p to the message. It returns len(p) and no error, and does not read
// p after that.
func (d *Avx512Digest) Write(p []byte) (int, error) {
	if !d.shard.meets() {
		d.settle()
		return d.digest.Write(p)
	}
	written := len(p)
	switch {
	case d.m+d.n+len(p) >= holdSize:
		d.compress(p)
	case d.held != nil:
		d.hold(p)
	case d.n+len(p) < BlockSize, d.len == 0 && len(p) < minJob:
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
func (d *Avx512Digest) hold(p []byte) {
	d.m += copy(d.held[d.m:], p)
	d.len += uint64(len(p))
}

// compress compresses the whole blocks of what is held and of p, at least
// holdSize in all.
func (d *Avx512Digest) compress(p []byte) {
	j := d.newJob()
	if d.held == nil {
		d.start(&j.lane, p)
	} else {
		n := -d.m & (BlockSize - 1)
		d.hold(p[:n])
		p = p[n:]
		d.start(&j.lane, p)
		j.lane.First = d.held[:d.m]
	}
	d.shard.do(j)
	d.wrote(p)
	d.drop()
}

// settle compresses what is held, so that the digest is all there is to d.
func (d *Avx512Digest) settle() {
	if !d.begun {
		d.Reset()
	}
	if d.held == nil {
		return
	}
	if whole := d.heldBlocks(); len(whole) >= minJob && d.shard.meets() {
		j := d.newJob()
		j.lane.State = &d.h
		j.lane.First = whole
		d.shard.do(j)
	} else {
		block.Compress(&d.h, whole)
	}
	d.settled()
}

// heldBlocks returns the whole blocks of what is held.
func (d *Avx512Digest) heldBlocks() []byte { return d.held[:d.m&^(BlockSize-1)] }

// settled takes note that the blocks that were held are compressed.
func (d *Avx512Digest) settled() {
	d.n = copy(d.x[:], d.held[len(d.heldBlocks()):d.m])
	d.drop()
}

// newJob returns the job that all of d's are in turn.
func (d *Avx512Digest) newJob() *job {
	if d.job == nil {
		d.job = newJob()
	}
	return d.job
}

// drop gives up what is held.
func (d *Avx512Digest) drop() {
	if d.held != nil {
		holds.Put(d.held)
		d.held, d.m = nil, 0
	}
}

// Sum appends the digest of what has been written so far to in, and returns the
// result. The hash stays as it is, and may be written to further.
func (d *Avx512Digest) Sum(in []byte) []byte {
	d.settle()
	return d.digest.Sum(in)
}

// Reset makes the hash begin a new message.
func (d *Avx512Digest) Reset() {
	d.drop()
	d.digest.Reset()
	d.begun = true
}

// Clone returns a copy of the hash, on the same server. The error is nil.
func (d *Avx512Digest) Clone() (hash.Cloner, error) {
	d.settle()
	return &Avx512Digest{digest: d.digest, begun: true, shard: d.shard}, nil
}

// MarshalBinary returns the state of the hash, in the form of crypto/sha256. The
// error is nil.
func (d *Avx512Digest) MarshalBinary() ([]byte, error) {
	d.settle()
	return d.digest.MarshalBinary()
}

// AppendBinary appends the state of the hash to b, in the form of
// crypto/sha256. The error is nil.
func (d *Avx512Digest) AppendBinary(b []byte) ([]byte, error) {
	d.settle()
	return d.digest.AppendBinary(b)
}

// UnmarshalBinary sets the hash to a state that was marshalled from a SHA-256
// hash of this package or of crypto/sha256. If b is no such state it returns an
// error, and the hash stays as it is.
func (d *Avx512Digest) UnmarshalBinary(b []byte) error {
	err := d.digest.UnmarshalBinary(b)
	if err == nil {
		d.drop()
		d.begun = true
	}
	return err
}
