package main

import (
	"context"
	"os"
	"runtime"
	"syscall"

	"github.com/sha256-simd/sha256-simd"
)

// Memory of all workers together: whole small files, and pieces of large ones.
const (
	maxArenas = 8 << 20
	maxRounds = 16 << 20
	maxArena  = 1 << 20 // stays in a core's second-level cache
	maxRound  = 1 << 20

	maxFiles      = 256 // small files side by side
	maxStreams    = 16  // large files side by side, and so open at once
	smallPerArena = 4   // a small file takes at most this part of an arena
)

// A worker hashes files: small ones are read whole into its arena and hashed
// side by side when the arena is full, large ones are streamed side by side.
type worker struct {
	pipeline *pipeline
	ctx      context.Context

	arena   []byte
	used    int
	files   []*item
	msgs    [][]byte
	digests [][sha256.Size]byte

	streams []*stream
	rounds  []*round // made when the first stream comes
}

func newWorker(p *pipeline) *worker {
	return &worker{
		pipeline: p,
		arena:    make([]byte, min(maxArena, maxArenas/p.options.jobs)),
		digests:  make([][sha256.Size]byte, maxFiles),
	}
}

func (w *worker) run(ctx context.Context) {
	w.ctx = ctx
	for ctx.Err() == nil {
		it, more := w.take()
		switch {
		case it != nil:
			w.load(it)
		case len(w.files) > 0:
			// Nothing waits: what is there is not held back for company.
			w.sum()
		case len(w.streams) > 0:
			w.stream()
		case !more:
			return
		}
	}
}

// take returns the next file, or nil when there is none: now, if the worker
// holds files, or ever (more is false).
func (w *worker) take() (it *item, more bool) {
	for range 2 {
		select {
		case it, more = <-w.pipeline.work:
			return it, more
		default:
			// The source may only be waiting for a processor.
			runtime.Gosched()
		}
	}
	if len(w.files) > 0 || len(w.streams) > 0 {
		return nil, true
	}
	select {
	case it, more = <-w.pipeline.work:
		return it, more
	case <-w.ctx.Done():
		return nil, false
	}
}

// load reads a small file and opens a large one.
func (w *worker) load(it *item) {
	if it.name == "-" {
		w.alone(newStream(it, os.Stdin))
		return
	}
	if !it.file {
		// Opening a pipe waits for its writer.
		if info, err := statRaw(it.name); err == nil && !info.regular {
			w.empty()
		}
	}
	f, info, err := openRaw(it.name)
	if err != nil {
		w.fail(it, err)
		return
	}
	switch {
	case info.dir:
		f.close()
		w.fail(it, syscall.EISDIR)
	case !info.regular:
		w.alone(newStream(it, f.file(it.name)))
	case info.size <= w.largestSmall() && w.loadSmall(it, f, info.size):
		f.close()
	default:
		w.streams = append(w.streams, newStream(it, f.file(it.name)))
		if len(w.streams) >= w.share() {
			w.empty() // small files do not wait for them
		}
	}
}

// share is how many large files the worker takes. The more they are, up to the
// kernels' lanes, the less each costs, but other workers are to have theirs of
// those that wait. As every worker reads ahead, one for two processors is enough.
func (w *worker) share() int {
	n := len(w.streams) + len(w.pipeline.work)
	workers := max(1, w.pipeline.options.jobs/2)
	return min(maxStreams, w.pipeline.lanes, (n+workers-1)/workers)
}

// largestSmall is the size of the largest file that is read whole.
func (w *worker) largestSmall() int64 {
	n := int64(len(w.arena) / smallPerArena)
	if part := w.pipeline.options.partSize; part > 0 {
		n = min(n, part) // what has one part needs no other treatment
	}
	return n
}

// loadSmall reads the file into the arena. It reports false when the file is
// not of the size that it said: it is changing, or it is one of those that the
// kernel makes up as they are read.
func (w *worker) loadSmall(it *item, f rawFile, size int64) bool {
	// One byte more than the file has tells whether it ends there.
	room := int(size) + 1
	if len(w.arena)-w.used < room {
		w.sum()
	}
	buf := w.arena[w.used : w.used+room]
	n, err := f.read(buf)
	if err != nil {
		w.fail(it, err)
		return true
	}
	if int64(n) != size {
		return false
	}
	it.size = size
	w.used += n
	w.files = append(w.files, it)
	w.msgs = append(w.msgs, buf[:n])
	if len(w.files) == maxFiles {
		w.sum()
	}
	return true
}

// sum hashes the small files side by side.
func (w *worker) sum() {
	digests := w.digests[:len(w.files)]
	sha256.SumMany(digests, w.msgs)
	w.pipeline.hashed.Add(int64(w.used))
	for i, it := range w.files {
		it.digest = digests[i]
		if w.pipeline.options.partSize > 0 {
			it.composite = onePart(it.digest)
		}
		w.pipeline.finish(it)
	}
	clear(w.files)
	w.files, w.msgs, w.used = w.files[:0], w.msgs[:0], 0
}

// stream hashes the large files side by side.
func (w *worker) stream() {
	w.hashStreams(w.streams)
	clear(w.streams)
	w.streams = w.streams[:0]
}

// alone hashes what may make its reader wait, such as a pipe: nothing else
// waits with it.
func (w *worker) alone(s *stream) {
	w.empty()
	w.hashStreams([]*stream{s})
}

// empty hashes what the worker holds.
func (w *worker) empty() {
	w.sum()
	w.stream()
}

func (w *worker) fail(it *item, err error) {
	it.err = err
	w.pipeline.finish(it)
}
