// Package parts reads an object and hashes its parts side by side, with
// AVX-512 about two to three times as fast as one SHA-256 over the whole object. It is
// what streams.Parts runs on, and with prefixes, padding and groups the trees of files.
package parts

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/workers"
)

const (
	// maxLanes is the number of parts that a goroutine hashes side by side if a
	// part takes several steps.
	maxLanes = 32
	// maxWhole is the largest number of parts in a step that holds whole parts.
	maxWhole = 1024
	// stepSize is the largest number of bytes in a step. A worker has two steps in
	// memory: it reads one and hashes the other. Much smaller steps cost a tenth of
	// the speed, even if they fit the cache of a core: memory is fetched ahead for
	// long reads only.
	stepSize = 2 << 20
	// gatherBelow is the length below which several parts are read by one call.
	gatherBelow = 16 << 10
	// maxGather is the largest number of bytes of such a call. A copy of 1 MiB or
	// more bypasses the cache, and the kernels would read it from memory.
	maxGather = 128 << 10
	// maxDirect is the largest size of a stretch that is read and hashed on the calling
	// goroutine. Starting workers takes as long as hashing some kilobytes.
	maxDirect = 128 << 10
	// gap separates the buffers of long parts, so that they do not begin at the
	// same place modulo 4 KiB. There they would share few lines of the cache.
	gap = 64
)

// Parts are the parts of a stretch of an object that is read and hashed.
type Parts struct {
	R    io.ReaderAt
	Off  int64 // where the stretch begins
	Size int64 // its length
	// PartSize is the length of every part but the last, which may be shorter.
	PartSize int64
	// Pad has zeros follow the last part, up to PartSize.
	Pad bool
	// Prefix is hashed before each part.
	Prefix []byte
	// Workers is the number of workers; 0 means GOMAXPROCS.
	Workers int
	// Progress, if not nil, is called on the goroutine that called Sum, each time that
	// a step was hashed. Its parameters are the number of parts that were hashed so far,
	// and the number of bytes of the object.
	Progress func(done int, bytes int64)
	// Group, if not 0, is the number of parts that are hashed together, at most 1024. The
	// last group may be smaller. Done is called for each group, by the goroutine that
	// hashed it, with the number of its first part and its digests. Calls for different
	// groups may be concurrent.
	Group int
	Done  func(first int, digests [][32]byte)
	// Package, if not empty, is the beginning of error texts.
	Package string
}

// A pipeline reads and hashes parts. Its workers take them in groups of lanes,
// and what belongs to a group in steps: the next stretch of each of its parts.
type pipeline struct {
	Parts
	digests [][32]byte
	prefix  hash.Hash // of Prefix
	lanes   int
	stretch int64        // as much of a part as a step takes
	taken   atomic.Int64 // groups that workers have taken
	hashed  chan hashed  // what Progress has not heard of
}

// hashed is what a step has hashed.
type hashed struct {
	parts int // that have their digests now
	bytes int64
}

// A step is read by one goroutine of a worker and then hashed by the other.
type step struct {
	group       int        // the first part of the group
	parts       [][32]byte // where the digests of the group go
	data        [][]byte   // of each part; empty beyond its end
	bytes       int64      // of the object in data
	first, last bool       // of the steps of the group
	buf         []byte     // what data points into
}

// errExited is for a ReadAt that does not return, but calls runtime.Goexit.
var errExited = errors.New("ReadAt ended its goroutine")

// Count returns the number of parts.
func (p Parts) Count() int64 { return (p.Size + p.PartSize - 1) / p.PartSize }

// Sum sets digests[i] to the digest of part i. There is one for each part; an
// empty stretch may have one, of an empty part.
//
// Each of its workers hashes on a goroutine, many parts side by side, while another
// goroutine reads ahead. Up to 128 KiB are read and hashed on the calling goroutine. Sum
// returns when no ReadAt is in flight and its goroutines have ended. When ctx is done the
// error is ctx.Err(). If R ends too early it is [io.ErrUnexpectedEOF], if reading fails
// the error of R, both wrapped with the offset.
//
// If R.ReadAt panics, Sum panics on the caller's goroutine. A fault of memory in R.ReadAt
// is a panic, too, if the caller's goroutine has called [debug.SetPanicOnFault].
func (p Parts) Sum(ctx context.Context, digests [][32]byte) error {
	err := p.sum(ctx, digests)
	if err != nil && err != ctx.Err() && p.Package != "" {
		return fmt.Errorf("%s: %w", p.Package, err)
	}
	return err
}

func (p Parts) sum(ctx context.Context, digests [][32]byte) error {
	parts := len(digests)
	count := p.Workers
	if count == 0 {
		count = runtime.GOMAXPROCS(0)
	}
	count = min(count, parts)
	limit, width := maxLanes, min(maxLanes, sha256.Selected().Lanes)
	switch {
	case p.PartSize <= int64(stepSize/width):
		// Whole parts fill the lanes, and are read in order.
		limit = int(min(maxWhole, stepSize/p.PartSize))
	case width == 1:
		limit = 1
	}
	lanes := p.Group
	if lanes == 0 {
		// As few rounds of groups as can be, and groups of one size, so that the
		// workers end together.
		rounds := ceilDiv(parts, count*limit)
		lanes = ceilDiv(parts, count*rounds)
	}
	count = min(count, ceilDiv(parts, lanes))
	l := &pipeline{Parts: p, digests: digests, prefix: sha256.New(), lanes: lanes, stretch: int64(stepSize / lanes)}
	l.prefix.Write(p.Prefix)
	if longest := l.padded(0); longest <= l.stretch {
		l.stretch = longest
	} else {
		l.stretch &^= sha256.BlockSize - 1
	}

	if p.Size <= maxDirect {
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
	for range count {
		free, full := make(chan *step, 2), make(chan *step, 1)
		free <- new(step)
		free <- new(step)
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
	return g.Err()
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

// direct reads and hashes all groups on the calling goroutine.
func (p *pipeline) direct(ctx context.Context) error {
	var s step
	var hs []hash.Hash
	var sum hashed
	for group := 0; group < len(p.digests); group += p.lanes {
		err := p.readGroup(ctx, group, func() *step { return &s }, func(s *step) {
			hs = p.hashStep(s, hs)
			if p.Progress != nil {
				sum.add(s.hashed())
				p.Progress(sum.parts, sum.bytes)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// read takes groups until there are none and sends their steps, filled from
// free, to full.
func (p *pipeline) read(ctx context.Context, free <-chan *step, full chan<- *step) error {
	for {
		group := int(p.taken.Add(1)-1) * p.lanes
		if group >= len(p.digests) {
			return nil
		}
		err := p.readGroup(ctx, group, func() *step { return <-free }, func(s *step) { full <- s })
		if err != nil {
			return err
		}
	}
}

// readGroup takes a step from free for each stretch of the group that begins with part
// group, and hands it to full with what was read.
func (p *pipeline) readGroup(ctx context.Context, group int, free func() *step, full func(*step)) error {
	end := min(group+p.lanes, len(p.digests))
	for at := int64(0); ; at += p.stretch {
		s := free()
		s.group, s.parts = group, p.digests[group:end]
		s.first = at == 0
		// The first part of a group is as long as any.
		s.last = p.padded(group)-at <= p.stretch
		if err := p.fill(ctx, s, group, at); err != nil {
			return err
		}
		last := s.last
		full(s)
		if last {
			return nil
		}
	}
}

// fill reads the stretch that begins at offset at of each part of the group.
func (p *pipeline) fill(ctx context.Context, s *step, group int, at int64) error {
	if s.buf == nil {
		s.buf = make([]byte, int64(p.lanes)*(p.stretch+gap))
		s.data = make([][]byte, 0, p.lanes)
	}
	// Whole parts are consecutive in the object too.
	gather := s.first && s.last && p.stretch < gatherBelow
	s.data, s.bytes = s.data[:0], 0
	begin, read := int64(0), int64(0)
	for i := range s.parts {
		end := begin + min(max(p.padded(group+i)-at, 0), p.stretch)
		s.data = append(s.data, s.buf[begin:end:end])
		n := min(max(p.length(group+i)-at, 0), p.stretch)
		read = begin + n
		s.bytes += n
		if begin = end; !gather {
			begin += gap
		}
	}
	if gather {
		clear(s.buf[read:begin])
		for off := int64(0); off < read; off += maxGather {
			if err := ReadFull(ctx, p.R, s.buf[off:min(off+maxGather, read)], p.offset(group)+off); err != nil {
				return err
			}
		}
		return nil
	}
	for i, b := range s.data {
		n := min(max(p.length(group+i)-at, 0), int64(len(b)))
		clear(b[n:])
		if err := ReadFull(ctx, p.R, b[:n], p.offset(group+i)+at); err != nil {
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
	var hs []hash.Hash
	for s := range full {
		hs = p.hashStep(s, hs)
		if p.Progress != nil {
			p.hashed <- s.hashed()
		}
		free <- s
	}
}

// hashStep hashes a step. Steps of one group, from the first to the last, share hs, the
// hashes of the group's parts. It returns hs, which grows.
func (p *pipeline) hashStep(s *step, hs []hash.Hash) []hash.Hash {
	if s.first && s.last {
		sha256.SumManyAfter(s.parts, p.prefix, s.data)
	} else {
		for len(hs) < len(s.parts) {
			hs = append(hs, sha256.New())
		}
		group := hs[:len(s.parts)]
		if s.first {
			for _, h := range group {
				h.Reset()
				h.Write(p.Prefix)
			}
		}
		sha256.WriteHashes(group, s.data)
		if s.last {
			sha256.SumHashes(s.parts, group)
		}
	}
	if s.last && p.Done != nil {
		p.Done(s.group, s.parts)
	}
	return hs
}

// hashed returns what the step has hashed.
func (s *step) hashed() hashed {
	h := hashed{bytes: s.bytes}
	if s.last {
		h.parts = len(s.parts)
	}
	return h
}

// ReadFull fills b from offset off of r. Its errors are those of Sum.
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
			return fmt.Errorf("reading at offset %d: %w", off, io.ErrUnexpectedEOF)
		case err != nil:
			return fmt.Errorf("reading at offset %d: %w", off, err)
		case n == 0:
			return fmt.Errorf("reading at offset %d: %w", off, io.ErrNoProgress)
		}
	}
	return nil
}

// ceilDiv returns a/b, rounded up.
func ceilDiv(a, b int) int { return (a-1)/b + 1 }
