// Package parts reads an object and hashes its parts side by side, with AVX-512 1.6 to
// 2.9 times as fast as one SHA-256 over the whole object. streams.Parts runs on it. So do the
// packages that hash a file as a tree, which also use prefixes, padding and groups.
package parts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/workers"
)

const (
	// MaxWorkers is the largest number of workers. It bounds their memory, to 4 GiB, and
	// the number of parts that they take at a time, which would not fit an int of 32 bits.
	MaxWorkers = 1024
	// maxWhole is the largest number of parts in a step that holds whole parts.
	maxWhole = 1024
	// stepSize is the largest number of bytes in a step. A worker has two steps in
	// memory: it reads one and hashes the other. Much smaller steps cost a tenth of
	// the speed, even if they fit the cache of a core: memory is fetched ahead for
	// long reads only.
	stepSize = 2 << 20
	// Parts shorter than gatherBelow are read several at a time, by one call of ReadAt.
	gatherBelow = 16 << 10
	// maxGather is the largest number of bytes of such a call. A copy of 1 MiB or more
	// bypasses the cache, and the kernels would read the data from memory.
	maxGather = 128 << 10
	// maxDirect is the largest size of a stretch that is read and hashed on the calling
	// goroutine even if it takes several steps. Starting workers takes as long as hashing
	// some kilobytes.
	maxDirect = 128 << 10
	// gap separates the buffers of long parts, so that they do not begin at the same place
	// modulo 4 KiB. If they did, they would compete for the same few lines of the cache.
	gap = 64
)

// Parts describes a stretch of an object, and how Sum reads and hashes its parts.
type Parts struct {
	R    io.ReaderAt
	Off  int64 // where the stretch begins
	Size int64 // its length
	// PartSize is the length of every part but the last, which may be shorter.
	PartSize int64
	// If Pad is set, zeros follow the last part, up to PartSize.
	Pad bool
	// Prefix is hashed before each part.
	Prefix []byte
	// Workers is the number of workers; 0 means GOMAXPROCS. Sum starts at most MaxWorkers,
	// and at most one for each 128 KiB or part of them.
	Workers int
	// Progress, if not nil, is called on the goroutine that called Sum, each time that a
	// step was hashed. Its parameters are the numbers of parts and of bytes of the object
	// that were hashed so far.
	Progress func(done int, bytes int64)
	// GroupSize, if not 0, is the number of parts that are hashed together, at most 1024. The
	// last group may be smaller. Done is called for each group, by the goroutine that
	// hashed it, with the number of its first part and its digests. Calls for different
	// groups may be concurrent.
	GroupSize int
	Done      func(first int, digests [][32]byte)
	// Package, if not empty, is the beginning of error texts.
	Package string
}

// A pipeline reads and hashes parts. A worker takes a group of parts, and reads and hashes
// it in steps. A step holds the next piece of every part of the group.
type pipeline struct {
	Parts
	digests [][32]byte
	prefix  lanes.Prefix
	stretch int64        // most bytes of one part in a step, any of the prefix included
	taken   atomic.Int64 // groups that workers have taken
	hashed  chan hashed  // not yet reported to Progress
}

// hashed is what steps have hashed.
type hashed struct {
	parts int // that have their digests
	bytes int64
}

// A step is read by one goroutine of a worker and then hashed by the other.
type step struct {
	group       int        // the first part of the group
	parts       [][32]byte // where the digests of the group go
	data        [][]byte   // of each part; empty beyond its end
	bytes       int64      // of the object in data
	first, last bool       // of the steps of the group
	// Parts [from, to) of the group end in the step: all parts that have not ended yet, or
	// only the last part of the object, if it is shorter than the others of its group. If
	// no part ends, from and to are 0.
	from, to int
	buf      []byte // what data points into
}

// isWhole reports whether the step holds whole parts.
func (s *step) isWhole() bool { return s.first && s.last }

// A hasher hashes one step after the other. If a group takes several steps, the hasher
// keeps the states that the group's parts have reached. A hasher implements lanes.Work for
// the whole blocks of its present step, and lanes.Ends for the parts that end in it.
type hasher struct {
	p      *pipeline
	step   *step
	states []block.State
}

// errExited is for a ReadAt that does not return, but calls runtime.Goexit. On the calling
// goroutine, Goexit ends that goroutine.
var errExited = errors.New("ReadAt ended its goroutine")

// Count returns the number of parts.
func (p Parts) Count() int64 { return CeilDiv(p.Size, p.PartSize) }

// Check returns what is wrong with the arguments of a function that reads size bytes of r, with
// the name of its package in front. wrong, if not nil, is what is wrong with its other
// arguments. If all are right, Check returns ctx.Err().
func Check(ctx context.Context, pkg string, r io.ReaderAt, size int64, wrong error) error {
	switch {
	case size < 0:
		return fmt.Errorf("%s: negative size %d", pkg, size)
	case wrong != nil:
		return wrong
	case r == nil && size > 0:
		return fmt.Errorf("%s: nil reader", pkg)
	}
	return ctx.Err()
}

// Sum sets digests[i] to the digest of part i. The length of digests is the number of
// parts. For an empty stretch it is 1: digests[0] is set to the digest of an empty part.
//
// Each of its workers hashes on a goroutine, many parts side by side, while another
// goroutine reads ahead. A stretch of at most 128 KiB is read and hashed on the calling
// goroutine. So is a longer stretch, if one step of one worker holds all of it. Sum
// returns when no ReadAt is in flight and all goroutines that it has started have ended.
// When ctx is done the error is ctx.Err(). If R ends too early, the error is
// [io.ErrUnexpectedEOF]; if reading fails, it is the error of R. Both are wrapped with
// the offset.
//
// If R.ReadAt panics, Sum panics on the caller's goroutine. A fault of memory in R.ReadAt
// is a panic, too, if the caller's goroutine has called [debug.SetPanicOnFault].
func (p Parts) Sum(ctx context.Context, digests [][32]byte) error {
	if err := p.sum(ctx, digests); err != nil {
		return Failed(ctx, p.Package, err)
	}
	return nil
}

// Failed returns what a function of that package returns if reading has failed with err:
// ctx.Err() if ctx is done, else err behind the name of the package, if there is one.
func Failed(ctx context.Context, pkg string, err error) error {
	if done := ctx.Err(); done != nil { // reading may fail because ctx is done
		return done
	}
	if pkg == "" {
		return err
	}
	return fmt.Errorf("%s: %w", pkg, err)
}

func (p Parts) sum(ctx context.Context, digests [][32]byte) error {
	parts := len(digests)
	count := p.Workers
	if count == 0 {
		count = runtime.GOMAXPROCS(0)
	}
	// One worker for each maxDirect bytes, or a part of them: more would cost more than they
	// gain. So a stretch that is hashed on the calling goroutine is not divided into groups
	// for workers that do not start, which would not fill the lanes.
	count = min(count, parts, int(min((p.Size-1)/maxDirect+1, MaxWorkers)))
	width := lanes.Width()
	limit := block.MaxLanes // of a group
	switch {
	case p.PartSize <= int64(stepSize/width):
		// Whole parts fill the lanes, and are read in order.
		limit = int(min(maxWhole, stepSize/p.PartSize))
	case width == 1:
		limit = 1
	}
	if p.GroupSize == 0 {
		// As few rounds of groups as can be, and groups of one size, so that the
		// workers end together.
		rounds := CeilDiv(parts, count*limit)
		p.GroupSize = CeilDiv(parts, count*rounds)
	}
	count = min(count, CeilDiv(parts, p.GroupSize))
	l := &pipeline{Parts: p, digests: digests, prefix: prefixOf(p.Prefix), stretch: int64(stepSize / p.GroupSize)}
	longest := l.padded(0)
	if longest <= l.stretch {
		l.stretch = longest
	} else {
		l.stretch &^= block.Size - 1
	}

	if p.Size <= maxDirect || p.GroupSize >= parts && longest <= l.stretch {
		// While a single step is read, there is nothing to hash.
		return l.direct(ctx)
	}
	g, ctx := workers.New(ctx, errExited)
	var hashers sync.WaitGroup
	l.hashed = make(chan hashed, count)
	defer func() { // Progress may panic
		g.Cancel()
		for range l.hashed {
		}
	}()
	all := make([]*step, 2*count)
	for i := range count {
		free, full := make(chan *step, 2), make(chan *step, 1)
		for k := range 2 {
			all[2*i+k] = steps.Get().(*step)
			free <- all[2*i+k]
		}
		g.Go(func() error {
			defer close(full)
			return l.read(ctx, free, full)
		})
		hashers.Go(func() { l.hash(full, free) })
	}
	go func() {
		g.Wait()
		hashers.Wait()
		close(l.hashed)
	}()
	l.report()
	if err := g.Err(); err != nil {
		return err
	}
	for _, s := range all {
		s.release()
	}
	return nil
}

// prefixOf returns the prefix b.
func prefixOf(b []byte) lanes.Prefix {
	whole := len(b) &^ (block.Size - 1)
	p := lanes.Prefix{H: block.IV256, Rest: b[whole:], Len: uint64(len(b))}
	block.Compress(&p.H, b[:whole])
	return p
}

// report calls Progress until all workers have ended.
func (p *pipeline) report() {
	var sum hashed
	for h := range p.hashed {
		sum.add(h)
		p.Progress(sum.parts, sum.bytes)
	}
}

func (h *hashed) add(more hashed) {
	h.parts += more.parts
	h.bytes += more.bytes
}

// steps are the steps of calls that have ended without an error. After an error, R might
// still write to a buffer, though its ReadAt has returned. A new buffer costs up to a
// tenth of the time of hashing its bytes.
var steps = sync.Pool{New: func() any { return new(step) }}

// release puts s into the pool, for another call, if s has a buffer.
func (s *step) release() {
	if s.parts = nil; s.buf != nil {
		steps.Put(s)
	}
}

// direct reads and hashes all groups on the calling goroutine.
func (p *pipeline) direct(ctx context.Context) error {
	s := steps.Get().(*step)
	h := hasher{p: p}
	var sum hashed
	for group := 0; group < len(p.digests); group += p.GroupSize {
		err := p.readGroup(ctx, group, func() *step { return s }, func(s *step) {
			h.hash(s)
			if p.Progress != nil {
				sum.add(s.hashed())
				p.Progress(sum.parts, sum.bytes)
			}
		})
		if err != nil {
			return err
		}
	}
	s.release()
	return nil
}

// read takes groups until none is left. For each piece of a group, it takes a step from
// free, fills it, and sends it to full.
func (p *pipeline) read(ctx context.Context, free <-chan *step, full chan<- *step) error {
	for {
		group := int(p.taken.Add(1)-1) * p.GroupSize
		if group >= len(p.digests) {
			return nil
		}
		err := p.readGroup(ctx, group, func() *step { return <-free }, func(s *step) { full <- s })
		if err != nil {
			return err
		}
	}
}

// readGroup reads the group that begins with part `group`. For each piece of the group,
// it takes a step from free, fills the step, and hands it to full.
func (p *pipeline) readGroup(ctx context.Context, group int, free func() *step, full func(*step)) error {
	end := min(group+p.GroupSize, len(p.digests))
	for at := int64(0); ; {
		s := free()
		s.group, s.parts = group, p.digests[group:end]
		s.first = at == 0
		// The first part of a group is as long as any.
		s.last = p.padded(group)-at <= p.stretch
		lead := p.prefix.Rest
		if !s.first || s.last {
			lead = nil
		}
		if err := p.fill(ctx, s, lead, at); err != nil {
			return err
		}
		last := s.last
		full(s)
		if last {
			return nil
		}
		at += p.stretch - int64(len(lead))
	}
}

// fill reads a piece of each part of s, from offset `at` of the part on. In the buffer,
// lead precedes each piece. lead counts towards the length of the piece, so that steps
// end where blocks do.
func (p *pipeline) fill(ctx context.Context, s *step, lead []byte, at int64) error {
	if need := int64(p.GroupSize) * (p.stretch + gap); int64(len(s.buf)) < need {
		s.buf = make([]byte, need)
		clear(s.data[:cap(s.data)]) // of the old buffer
	}
	if cap(s.data) < p.GroupSize {
		s.data = make([][]byte, 0, p.GroupSize)
	}
	// Whole parts follow each other in the object, too, so one call of ReadAt can read
	// several.
	gather := s.isWhole() && p.stretch < gatherBelow
	s.data, s.bytes = s.data[:0], 0
	s.from, s.to = 0, 0
	room := p.stretch - int64(len(lead))
	begin, read := int64(0), int64(0)
	for i := range s.parts {
		left := p.padded(s.group+i) - at
		end := begin
		if left > 0 {
			end += int64(len(lead)) + min(left, room)
		}
		s.data = append(s.data, s.buf[begin:end:end])
		if s.isWhole() || 0 < left && left <= room {
			if s.to == 0 {
				s.from = i
			}
			s.to = i + 1
		}
		n := min(max(p.length(s.group+i)-at, 0), room)
		read = begin + n
		s.bytes += n
		if begin = end; !gather {
			begin += gap
		}
	}
	if gather {
		clear(s.buf[read:begin])
		for off := int64(0); off < read; off += maxGather {
			if err := ReadFull(ctx, p.R, s.buf[off:min(off+maxGather, read)], p.offset(s.group)+off); err != nil {
				return err
			}
		}
		return nil
	}
	for i, b := range s.data {
		b = b[copy(b, lead):]
		n := min(max(p.length(s.group+i)-at, 0), int64(len(b)))
		clear(b[n:])
		if err := ReadFull(ctx, p.R, b[:n], p.offset(s.group+i)+at); err != nil {
			return err
		}
	}
	return nil
}

// offset returns where part i begins.
func (p *pipeline) offset(i int) int64 { return p.Off + int64(i)*p.PartSize }

// length returns the length of part i.
func (p *pipeline) length(i int) int64 {
	return min(p.PartSize, p.Size-int64(i)*p.PartSize)
}

// padded returns the length of part i as it is hashed.
func (p *pipeline) padded(i int) int64 {
	if p.Pad {
		return p.PartSize
	}
	return p.length(i)
}

// hash hashes the steps from full and hands them back to free.
func (p *pipeline) hash(full <-chan *step, free chan<- *step) {
	h := hasher{p: p}
	for s := range full {
		h.hash(s)
		if p.Progress != nil {
			p.hashed <- s.hashed()
		}
		free <- s
	}
}

// hash hashes a step. The steps of a group come in order.
func (h *hasher) hash(s *step) {
	h.step = s
	if s.isWhole() {
		lanes.SumManyAfter(s.parts, &h.p.prefix, s.data)
	} else {
		h.stretches()
	}
	if s.last && h.p.Done != nil {
		h.p.Done(s.group, s.parts)
	}
}

// stretches hashes a step that holds pieces of parts, not whole parts.
func (h *hasher) stretches() {
	s := h.step
	if s.first {
		h.states = h.states[:0]
		for range s.parts {
			h.states = append(h.states, h.p.prefix.H)
		}
	}
	n, ending := len(s.parts), s.parts[s.from:s.to]
	if lanes.HasLanes(n) {
		lanes.Run(n, h, len(s.data[n-1]) < len(s.data[0]))
		lanes.SumEnds(ending, h)
		return
	}
	for i := range n {
		block.Compress(&h.states[i], h.whole(i))
	}
	for i := range ending {
		state, rest, length := h.end(i)
		block.Finish(&ending[i], state, rest, length)
	}
}

// whole returns the whole blocks of part i.
func (h *hasher) whole(i int) []byte {
	b := h.step.data[i]
	return b[:len(b)&^(block.Size-1)]
}

func (h *hasher) Blocks(i int) int { return len(h.step.data[i]) / block.Size }

func (h *hasher) Start(i int, j *lanes.Job) bool {
	whole := h.whole(i)
	if len(whole) == 0 {
		return false
	}
	j.Set(&h.states[i], whole, nil, nil)
	return true
}

func (h *hasher) Done(int, *lanes.Job) {}

func (h *hasher) End(i int, j *lanes.Job) (at, blocks int) { return j.SetEnd(h.end(i)) }

// end returns the end of part i. It counts only the parts that end in the step: its part 0
// is part h.step.from of the group.
func (h *hasher) end(i int) (state *block.State, rest []byte, length uint64) {
	i += h.step.from
	b := h.step.data[i]
	return &h.states[i], b[len(h.whole(i)):], h.p.prefix.Len + uint64(h.p.padded(h.step.group+i))
}

// hashed returns what the step has hashed.
func (s *step) hashed() hashed {
	return hashed{s.to - s.from, s.bytes}
}

// ReadFull fills b with the bytes of r that begin at offset off. Its errors are those of
// Sum.
func ReadFull(ctx context.Context, r io.ReaderAt, b []byte, off int64) error {
	for len(b) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.ReadAt(b, off)
		if n < 0 || n > len(b) {
			return fmt.Errorf("reading at offset %d: ReadAt returned a count of %d for %d bytes", off, n, len(b))
		}
		b, off = b[n:], off+int64(n)
		switch {
		case err == io.EOF && len(b) == 0:
			// What ReadAt may say at the end of its input.
		case err == io.EOF:
			// Others read ahead, so r may end long before off.
			return fmt.Errorf("reading at offset %d, at or behind the end: %w", off, io.ErrUnexpectedEOF)
		case err != nil:
			return fmt.Errorf("reading at offset %d: %w", off, err)
		case n == 0:
			return fmt.Errorf("reading at offset %d: %w", off, io.ErrNoProgress)
		}
	}
	return nil
}

// ManyDigests is the largest number of digests for which memory, 32 MiB, is taken before any
// byte was read.
const ManyDigests = 1 << 20

// Digests returns memory for the digests of n parts of the first size bytes of r. If that is
// much, it first reads the last of these bytes. For a size that is far too large, there might
// not be enough memory, and that would end the process. Its errors are those of Sum, with the
// name of the package.
func Digests(ctx context.Context, pkg string, r io.ReaderAt, size, n int64) ([][32]byte, error) {
	if n > ManyDigests {
		if err := ReadFull(ctx, r, make([]byte, 1), size-1); err != nil {
			return nil, Failed(ctx, pkg, err)
		}
	}
	return make([][32]byte, n), nil
}

// CeilDiv returns a/b, rounded up. a is not negative, b is positive.
func CeilDiv[T int | int64](a, b T) T {
	if a == 0 {
		return 0
	}
	return (a-1)/b + 1
}
