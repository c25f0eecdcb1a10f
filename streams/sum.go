// Package streams hashes what is read: many streams side by side, such as files, or the
// parts of one large object. Where reading takes long, goroutines read while others hash.
// All of them have ended when a function returns. The type [Blocks] starts no goroutine.
// Functions may be called concurrently.
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
)

// Options are the options of [Sum]. The zero value is ready to use.
type Options struct {
	// MaxOpen is the largest number of streams that are open, or being opened, at a
	// time; 0 means 64. Each stream takes up to 48 KiB of memory, and a call up to 96 KiB
	// more.
	MaxOpen int
	// Progress, if it is not nil, is called each time that bytes were hashed or a stream
	// has failed. Calls come one after the other: first on the goroutine that called Sum,
	// and, once a stream has blocked or taken long, on another goroutine. If Progress
	// panics, Sum panics with the same value on the goroutine that called it. The
	// parameters are the number of streams that were hashed or failed so far, and the
	// number of bytes that were hashed.
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
	// hashed. A stream that is read on a goroutine of its own has up to two buffers
	// of this size: one is filled while the other is hashed.
	readSize = 16 << 10
	// After maxEmptyReads reads in a row that return neither bytes nor an error,
	// reading fails.
	maxEmptyReads = 100
)

// Sum sets dst[i] to the SHA-256 digest of the stream that open(i) returns, for each i.
// It hashes many streams side by side, on one goroutine. As long as the streams are read
// about as fast as memory, that goroutine reads them too. If a call of open or a method
// of a stream blocks or takes long, Sum opens and reads up to o.MaxOpen streams at the
// same time, each on a goroutine of its own. It calls open with every i once, from 0 up,
// but calls on several goroutines at the same time may overtake each other. It closes
// every stream that it has opened.
//
// If a stream cannot be opened, read or closed, dst[i] stays as it is, and the other
// streams are hashed. The error joins a [*Error] for each stream that failed; the example
// of [Error] lists them.
//
// When ctx is done, Sum opens and reads no more. Then the error also joins ctx.Err(),
// unless there were streams and all of them were done. A stream that was not done, such as
// one that was read in part or whose opening failed with ctx.Err(), has no *Error, and its
// dst[i] stays as it is. If dst is zero before the call, the streams whose dst[i] is zero
// after it are those that were not hashed.
//
// Sum returns when no Read is under way, all streams are closed and its goroutines have
// ended. A Read that does not return when ctx is done delays Sum. If open or a method of
// a stream panics, Sum panics with the same value. If one of them ends a goroutine that Sum
// started by runtime.Goexit, the error says so, too.
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
	r := &readers{dst: dst, open: open, progress: o.Progress, maxOpen: min(o.MaxOpen, len(dst))}
	exited := r.direct(ctx)
	slices.SortFunc(r.errs, func(a, b *Error) int { return a.Index - b.Index })
	errs := make([]error, 0, len(r.errs)+2)
	for _, err := range r.errs {
		errs = append(errs, err)
	}
	errs = append(errs, exited)
	if r.done < len(r.dst) || len(r.dst) == 0 {
		errs = append(errs, ctx.Err())
	}
	return errors.Join(errs...)
}

// readers are the streams of a call of Sum.
type readers struct {
	dst      [][sha256.Size]byte
	open     func(i int) (io.ReadCloser, error)
	progress func(done int, bytes int64)
	maxOpen  int

	taken  atomic.Int64 // streams that slots have taken
	pieces chan piece   // what goroutines have read, for the one that hashes

	// Of the goroutine that hashes.
	done  int
	bytes int64
	errs  []*Error
}

// A slot has one stream open at a time, which one goroutine reads.
type slot struct {
	index  int
	stream io.ReadCloser // nil: none is open
	begun  bool          // a piece of the stream was read
	h      hash.Hash     // of the stream; nil until a stream of this slot has several pieces
	busy   bool          // it has a piece in the batch that is hashed

	free chan []byte // buffers to read into
	made int         // buffers
}

// A piece is the next bytes of a stream, or its error.
type piece struct {
	slot        *slot
	index       int
	data        []byte
	own         bool // data is a buffer of slot
	first, last bool // of the stream
	err         error
}

// errExited is for a callback that does not return, but calls runtime.Goexit.
var errExited = errors.New("streams: open, a method of a stream, or Progress ended its goroutine")

// next opens the next stream in s. It returns false if there are no more, or if opening it
// has failed because ctx is done. If the stream cannot be opened, s has no stream, and p says
// why.
func (r *readers) next(ctx context.Context, s *slot) (p piece, ok bool) {
	i := int(r.taken.Add(1) - 1)
	if i >= len(r.dst) {
		return p, false
	}
	stream, err := r.open(i)
	if err == nil && stream == nil {
		err = errors.New("open returned neither a stream nor an error")
	}
	if err != nil {
		return piece{slot: s, index: i, last: true, err: err}, !errors.Is(err, ctx.Err())
	}
	s.index, s.stream, s.begun = i, stream, false
	return p, true
}

// read reads the next piece of the stream of s into buf. After the last piece it closes
// the stream. It returns false if ctx is done; then the stream stays open.
func (s *slot) read(ctx context.Context, buf []byte) (p piece, ok bool) {
	n, err := fill(ctx, s.stream, buf)
	if err != nil && errors.Is(err, ctx.Err()) {
		return p, false
	}
	p = piece{slot: s, index: s.index, data: buf[:n], first: !s.begun, last: err != nil}
	s.begun = true
	if p.last {
		stream := s.stream
		s.stream = nil // Close may panic
		if p.err = stream.Close(); err != io.EOF {
			p.err = err
		}
	}
	return p, true
}

// close closes the stream of s if it is open.
func (s *slot) close() {
	if stream := s.stream; stream != nil {
		s.stream = nil // Close may panic
		stream.Close()
	}
}

// send reads streams and sends their pieces, until there are no more streams or ctx is
// done. It begins with the stream that s has open.
func (r *readers) send(ctx context.Context, s *slot) {
	defer s.close() // reading may panic
	s.free = make(chan []byte, 2)
	for ctx.Err() == nil {
		if s.stream == nil {
			failed, ok := r.next(ctx, s)
			if !ok {
				return
			}
			if s.stream == nil {
				r.pieces <- failed
				continue
			}
		}
		buf := s.buffer(ctx)
		if buf == nil {
			return
		}
		p, ok := s.read(ctx, buf)
		if !ok {
			return
		}
		p.own = true
		r.pieces <- p
	}
}

// buffer returns a buffer that is free, or nil if ctx is done first: if hashing has panicked,
// the buffers of its batch do not come back. Short streams need one buffer only.
func (s *slot) buffer(ctx context.Context) []byte {
	if s.made < cap(s.free) {
		select {
		case buf := <-s.free:
			return buf
		default:
			s.made++
			return make([]byte, readSize)
		}
	}
	select {
	case buf := <-s.free:
		return buf
	case <-ctx.Done():
		return nil
	}
}

// fill reads until buf is full, the stream ends, or ctx is done. The error is io.EOF at
// the end of the stream.
func fill(ctx context.Context, stream io.Reader, buf []byte) (int, error) {
	n, empty := 0, 0
	for n < len(buf) {
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
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
	}
	return n, nil
}

// release gives the buffer of p back to its slot.
func (p piece) release() {
	if p.own {
		p.slot.free <- p.data[:cap(p.data)]
	}
}

// hash hashes the pieces of b, and those that goroutines send until they have ended.
func (r *readers) hash(b *batch) {
	for {
		if b.len() > 0 {
			r.hashAll(b)
		}
		p, ok := <-r.pieces
		if !ok {
			return
		}
		b.add(p)
		// More slots may be about to send, on one P in particular.
		runtime.Gosched()
		for more := true; more && b.len() < cap(r.pieces); {
			select {
			case p, more = <-r.pieces:
				if more {
					b.add(p)
				}
			default:
				more = false
			}
		}
	}
}

// hashAll hashes the pieces of b and reports the progress.
func (r *readers) hashAll(b *batch) {
	for b.len() > 0 {
		b.hash(r)
	}
	if r.progress != nil {
		r.progress(r.done, r.bytes)
	}
}

// batch are pieces that are hashed side by side.
type batch struct {
	// data and index are the bytes and the numbers of the streams that consist of one
	// piece. shorts are the pieces of such streams that are to be released.
	data   [][]byte
	index  []int
	shorts []piece
	// parts are pieces of longer streams, at most one of each slot. later are pieces that
	// wait for the piece of the same slot in parts.
	parts, later []piece
	failed       []piece

	// Lists to hash with.
	next   [][]byte
	hashes []hash.Hash
	sums   [][sha256.Size]byte
}

// len returns the number of pieces in b.
func (b *batch) len() int { return len(b.data) + len(b.parts) + len(b.later) + len(b.failed) }

// cap returns the capacity of the longest of the lists that grow with the streams.
func (b *batch) cap() int { return max(cap(b.data), cap(b.parts), cap(b.later), cap(b.failed)) }

func (b *batch) add(p piece) {
	switch {
	case p.err != nil:
		b.failed = append(b.failed, p)
	case p.first && p.last:
		b.data, b.index = append(b.data, p.data), append(b.index, p.index)
		if p.own {
			b.shorts = append(b.shorts, p)
		}
	case p.slot.busy:
		b.later = append(b.later, p)
	default:
		p.slot.busy = true
		b.parts = append(b.parts, p)
	}
}

// hash hashes short streams and one piece of each slot. It leaves the other pieces in b.
func (b *batch) hash(r *readers) {
	for _, p := range b.failed {
		r.errs = append(r.errs, &Error{Index: p.index, Err: p.err})
		r.done++
		p.release()
	}
	b.hashShorts(r)
	b.hashParts(r)
	for _, p := range b.parts {
		p.slot.busy = false
		p.release()
	}
	for _, p := range b.shorts {
		p.release()
	}
	later := b.later
	b.data, b.index, b.shorts, b.failed = b.data[:0], b.index[:0], b.shorts[:0], b.failed[:0]
	b.parts, b.later = b.parts[:0], b.later[:0]
	for _, p := range later {
		b.add(p) // b.later and later share memory: add overwrites only what was read here
	}
}

func (b *batch) hashShorts(r *readers) {
	n := len(b.index)
	if n == 0 {
		return
	}
	for _, data := range b.data {
		r.bytes += int64(len(data))
	}
	r.done += n
	first := b.index[0]
	consecutive := true
	for k, i := range b.index {
		consecutive = consecutive && i == first+k
	}
	if consecutive {
		sha256.SumMany(r.dst[first:first+n], b.data)
		return
	}
	sums := b.room(n)
	sha256.SumMany(sums, b.data)
	for k, i := range b.index {
		r.dst[i] = sums[k]
	}
}

func (b *batch) hashParts(r *readers) {
	if len(b.parts) == 0 {
		return
	}
	b.next, b.hashes = b.next[:0], b.hashes[:0]
	for _, p := range b.parts {
		if p.slot.h == nil {
			p.slot.h = sha256.New()
		}
		if p.first {
			p.slot.h.Reset()
		}
		b.next, b.hashes = append(b.next, p.data), append(b.hashes, p.slot.h)
		r.bytes += int64(len(p.data))
	}
	sha256.WriteHashes(b.hashes, b.next)
	b.hashes = b.hashes[:0]
	for _, p := range b.parts {
		if p.last {
			b.hashes = append(b.hashes, p.slot.h)
		}
	}
	sums := b.room(len(b.hashes))
	sha256.SumHashes(sums, b.hashes)
	for _, p := range b.parts {
		if p.last {
			r.dst[p.index], sums = sums[0], sums[1:]
			r.done++
		}
	}
}

// forget empties b. b keeps its memory, but no pointer to anything of its streams.
func (b *batch) forget() {
	for _, pieces := range []*[]piece{&b.shorts, &b.parts, &b.later, &b.failed} {
		clear((*pieces)[:cap(*pieces)])
		*pieces = (*pieces)[:0]
	}
	for _, data := range []*[][]byte{&b.data, &b.next} {
		clear((*data)[:cap(*data)])
		*data = (*data)[:0]
	}
	clear(b.hashes[:cap(b.hashes)])
	b.index, b.hashes = b.index[:0], b.hashes[:0]
}

// room returns room for n digests.
func (b *batch) room(n int) [][sha256.Size]byte {
	b.sums = slices.Grow(b.sums[:0], n)[:n]
	return b.sums
}
