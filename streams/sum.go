// Package streams hashes what is read: many streams side by side, such as files, or the
// parts of one large object. [Sum] and [Parts] start goroutines to read while others hash.
// All of them have ended when a function returns. [Blocks] start none.
package streams

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/workers"
)

// Options are the options of [Sum]. The zero value is ready to use.
type Options struct {
	// MaxOpen is the largest number of streams that are open at a time, and of calls of
	// open at the same time; 0 means 64. Each stream takes two buffers of 16 KiB.
	MaxOpen int
	// Progress, if it is not nil, is called on the goroutine that called Sum, each
	// time that bytes were hashed. Its parameters are the number of streams that
	// were hashed or failed so far, and the number of bytes that were hashed.
	Progress func(done int, bytes int64)
}

// An Error says which stream [Sum] could not hash, and why.
type Error struct {
	Index int   // in dst
	Err   error // of open or of a method of the stream
}

// Error returns the number of the stream and what Err says.
func (e *Error) Error() string { return fmt.Sprintf("stream %d: %v", e.Index, e.Err) }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

const (
	defaultMaxOpen = 64
	// readSize is the number of bytes of a stream that are read before they are
	// hashed. A stream has two buffers of this size: one is filled while the other
	// is hashed.
	readSize = 16 << 10
	// maxEmptyReads is the number of reads in a row that may return neither bytes
	// nor an error.
	maxEmptyReads = 100
)

// Sum sets dst[i] to the SHA-256 digest of the stream that open(i) returns, for each i.
// It opens and reads up to o.MaxOpen streams at the same time, each on a goroutine of
// its own, and hashes them side by side on the calling goroutine. It calls open with
// every i once, from 0 up, but calls on several goroutines at the same time may overtake
// each other. It closes every stream that it has opened.
//
// If a stream cannot be opened, read or closed, dst[i] stays as it is, and the other
// streams are hashed. The error joins a [*Error] for each stream that failed. When ctx
// is done, Sum opens and reads no more, and the error joins ctx.Err(), unless all
// streams were done.
//
// Sum returns when no Read is under way, all streams are closed and its goroutines have
// ended. A Read that does not return when ctx is done delays Sum. If open or a method of
// a stream panics, Sum panics with the same value.
//
// Sum panics if open is nil or o.MaxOpen is negative.
func Sum[D ~[sha256.Size]byte](ctx context.Context, dst []D, open func(i int) (io.ReadCloser, error), o Options) error {
	return sum(ctx, convert.Digests[[sha256.Size]byte](dst), open, o)
}

func sum(ctx context.Context, dst [][sha256.Size]byte, open func(i int) (io.ReadCloser, error), o Options) error {
	if open == nil {
		panic("streams: Sum: open is nil")
	}
	if o.MaxOpen < 0 {
		panic(fmt.Sprintf("streams: Sum: MaxOpen is %d; expected 0 or more", o.MaxOpen))
	}
	if o.MaxOpen == 0 {
		o.MaxOpen = defaultMaxOpen
	}
	slots := min(o.MaxOpen, len(dst))
	r := &readers{dst: dst, open: open, progress: o.Progress, pieces: make(chan piece, 2*slots)}
	return r.sum(ctx, slots)
}

// readers are the streams of a call of Sum.
type readers struct {
	dst      [][sha256.Size]byte
	open     func(i int) (io.ReadCloser, error)
	progress func(done int, bytes int64)

	taken  atomic.Int64 // streams that slots have taken
	pieces chan piece   // what was read, for the goroutine that hashes

	// Of the goroutine that hashes.
	done  int
	bytes int64
	errs  []*Error
}

// A slot has one stream open at a time. One goroutine reads for it.
type slot struct {
	free chan []byte // buffers to read into
	made int         // buffers
	h    hash.Hash   // of the stream; nil until a stream of this slot has several pieces
	busy bool        // it has a piece in the batch that is hashed
}

// A piece is the next bytes of a stream, or its error.
type piece struct {
	slot        *slot
	index       int
	data        []byte
	first, last bool // of the stream
	err         error
}

// errReaderExited is for a stream that does not return, but calls runtime.Goexit.
var errReaderExited = errors.New("streams: a stream ended its goroutine")

func (r *readers) sum(parent context.Context, slots int) error {
	g, ctx := workers.New(parent, errReaderExited)
	defer func() { // Progress may panic
		g.Cancel()
		for p := range r.pieces {
			p.release()
		}
	}()
	for range slots {
		g.Go(func() error {
			r.read(ctx, &slot{free: make(chan []byte, 2)})
			return nil
		})
	}
	go func() {
		g.Wait()
		close(r.pieces)
	}()
	r.hash()
	if err := g.Err(); err != nil {
		return err
	}
	slices.SortFunc(r.errs, func(a, b *Error) int { return a.Index - b.Index })
	errs := make([]error, 0, len(r.errs)+1)
	for _, err := range r.errs {
		errs = append(errs, err)
	}
	if r.done < len(r.dst) || len(r.dst) == 0 {
		errs = append(errs, parent.Err())
	}
	return errors.Join(errs...)
}

// read takes streams until there are none and sends their pieces.
func (r *readers) read(ctx context.Context, s *slot) {
	for ctx.Err() == nil {
		i := int(r.taken.Add(1) - 1)
		if i >= len(r.dst) {
			return
		}
		stream, err := r.open(i)
		if err == nil && stream == nil {
			err = errors.New("open returned neither a stream nor an error")
		}
		if err != nil {
			r.pieces <- piece{slot: s, index: i, last: true, err: err}
			continue
		}
		r.readStream(ctx, s, i, stream)
	}
}

// readStream sends the pieces of stream i, unless ctx is done. It closes the stream
// before it sends the last piece.
func (r *readers) readStream(ctx context.Context, s *slot, i int, stream io.ReadCloser) {
	closed := false
	defer func() { // reading may panic
		if !closed {
			stream.Close()
		}
	}()
	for first := true; ctx.Err() == nil; first = false {
		buf := s.buffer()
		n, err := fill(ctx, stream, buf)
		if err != nil && errors.Is(err, ctx.Err()) {
			return
		}
		p := piece{slot: s, index: i, data: buf[:n], first: first, last: err != nil}
		if p.last {
			closed = true
			if p.err = stream.Close(); err != io.EOF {
				p.err = err
			}
		}
		r.pieces <- p
		if p.last {
			return
		}
	}
}

// buffer returns a buffer that is free. Short streams need one buffer only.
func (s *slot) buffer() []byte {
	if s.made < cap(s.free) {
		select {
		case buf := <-s.free:
			return buf
		default:
			s.made++
			return make([]byte, readSize)
		}
	}
	return <-s.free
}

// fill reads until buf is full, the stream ends, or ctx is done. The error is io.EOF at
// the end of the stream.
func fill(ctx context.Context, stream io.Reader, buf []byte) (int, error) {
	n, empty := 0, 0
	for n < len(buf) {
		m, err := stream.Read(buf[n:])
		if m < 0 || m > len(buf)-n {
			return n, fmt.Errorf("stream.Read returned %d bytes for a buffer of %d", m, len(buf)-n)
		}
		n += m
		if err != nil {
			return n, err
		}
		if empty++; m > 0 {
			empty = 0
		}
		if empty == maxEmptyReads {
			return n, io.ErrNoProgress
		}
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
	}
	return n, nil
}

// release gives the buffer of p back to its slot.
func (p piece) release() {
	if p.data != nil {
		p.slot.free <- p.data[:cap(p.data)]
	}
}

// hash hashes pieces until the slots have ended.
func (r *readers) hash() {
	var b batch
	for p := range r.pieces {
		b.pieces = append(b.pieces, p)
		// More slots may be about to send, on one P in particular.
		runtime.Gosched()
		for more := true; more && len(b.pieces) < cap(r.pieces); {
			select {
			case p, more = <-r.pieces:
				if more {
					b.pieces = append(b.pieces, p)
				}
			default:
				more = false
			}
		}
		for len(b.pieces) > 0 {
			b.hash(r)
		}
		if r.progress != nil {
			r.progress(r.done, r.bytes)
		}
	}
}

// batch are pieces that are hashed side by side, and lists to do that with.
type batch struct {
	pieces []piece

	now, left []piece
	data      [][]byte
	hashes    []hash.Hash
	sums      [][sha256.Size]byte
}

// hash hashes one piece of each slot and leaves the others in b.pieces.
func (b *batch) hash(r *readers) {
	b.now, b.left = b.now[:0], b.left[:0]
	for _, p := range b.pieces {
		switch {
		case p.slot.busy:
			b.left = append(b.left, p)
		case p.err != nil:
			r.errs = append(r.errs, &Error{Index: p.index, Err: p.err})
			r.done++
			p.release()
		default:
			p.slot.busy = true
			b.now = append(b.now, p)
		}
	}
	b.whole(r)
	b.parts(r)
	for _, p := range b.now {
		p.slot.busy = false
		r.bytes += int64(len(p.data))
		if p.last {
			r.done++
		}
		p.release()
	}
	b.pieces, b.left = append(b.pieces[:0], b.left...), b.left[:0]
}

// whole hashes the streams that are one piece.
func (b *batch) whole(r *readers) {
	b.data = b.data[:0]
	for _, p := range b.now {
		if p.first && p.last {
			b.data = append(b.data, p.data)
		}
	}
	sums := b.room(len(b.data))
	sha256.SumMany(sums, b.data)
	for _, p := range b.now {
		if p.first && p.last {
			r.dst[p.index], sums = sums[0], sums[1:]
		}
	}
}

// parts hashes the pieces of longer streams.
func (b *batch) parts(r *readers) {
	b.data, b.hashes = b.data[:0], b.hashes[:0]
	for _, p := range b.now {
		if p.first && p.last {
			continue
		}
		if p.slot.h == nil {
			p.slot.h = sha256.New()
		}
		if p.first {
			p.slot.h.Reset()
		}
		b.data, b.hashes = append(b.data, p.data), append(b.hashes, p.slot.h)
	}
	sha256.WriteHashes(b.hashes, b.data)
	b.hashes = b.hashes[:0]
	for _, p := range b.now {
		if p.last && !p.first {
			b.hashes = append(b.hashes, p.slot.h)
		}
	}
	sums := b.room(len(b.hashes))
	sha256.SumHashes(sums, b.hashes)
	for _, p := range b.now {
		if p.last && !p.first {
			r.dst[p.index], sums = sums[0], sums[1:]
		}
	}
}

// room returns room for n digests.
func (b *batch) room(n int) [][sha256.Size]byte {
	b.sums = slices.Grow(b.sums[:0], n)[:n]
	return b.sums
}
