package main

import (
	"context"
	"io"
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
		arena:    make([]byte, p.arena),
		digests:  make([][sha256.Size]byte, min(maxFiles, cap(p.work))), // of a short job, fewer
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
	if it.turn != nil {
		w.loadInTurn(it)
		return
	}
	if w.pipeline.options.links == "name" && w.loadLink(it) || it.known != nil && w.isKnown(it) {
		return
	}
	f, info, err := w.pipeline.files.open(it.path, w.empty)
	switch {
	case err != nil:
		w.fail(it, err)
	case info.dir:
		w.pipeline.files.close(f)
		w.fail(it, syscall.EISDIR)
	case it.walked && w.pipeline.isOutput(info.id):
		w.pipeline.files.close(f)
		w.fail(it, errOutput)
	case !info.regular:
		// It was when the source saw it.
		w.pipeline.files.close(f)
		w.fail(it, errChanged)
	case info.size <= w.largestSmall():
		w.pipeline.sized(it, info.size)
		w.loadSmall(it, f, info)
	default:
		w.pipeline.sized(it, info.size)
		w.addStream(newStream(it, f, info))
	}
}

// loadLink hashes the name that a symbolic link holds. It reports false for what
// is no link.
func (w *worker) loadLink(it *item) bool {
	target, err := os.Readlink(it.path)
	if err != nil {
		return false
	}
	it.size = int64(len(target))
	it.digest = sha256.Sum256([]byte(target))
	if w.pipeline.options.partSize > 0 {
		it.composite = onePart(it.digest)
	}
	w.pipeline.finish(it)
	return true
}

// isKnown takes the digest of a file that is as it was when it was hashed before.
func (w *worker) isKnown(it *item) bool {
	info, err := statRaw(it.path)
	if err != nil || !info.regular || info.stamp != it.known.stamp {
		return false
	}
	it.digest, it.size, it.stamp = it.known.digest, info.size, info.stamp
	w.pipeline.finish(it)
	return true
}

// loadInTurn hashes what others may read from, too. It may make its reader wait,
// as a pipe does: nothing else waits with it.
func (w *worker) loadInTurn(it *item) {
	w.empty()
	select {
	case <-it.turn.after:
	case <-w.ctx.Done():
		return
	}
	f, info, err := w.pipeline.files.open(it.path, w.empty)
	switch {
	case err != nil:
		w.fail(it, err)
	case info.dir:
		w.pipeline.files.close(f)
		w.fail(it, syscall.EISDIR)
	default:
		if info.regular {
			w.pipeline.sized(it, info.size)
		}
		w.hashStreams([]*stream{newStream(it, f, info)})
	}
}

// openInput opens a file, or standard input for the name -.
func openInput(name string) (rawFile, rawInfo, error) {
	if name != "-" {
		return openRaw(name)
	}
	if stdinClosed() {
		return stdin, rawInfo{}, syscall.EBADF
	}
	info, err := stdin.info()
	return stdin, info, err
}

func (w *worker) addStream(s *stream) {
	w.streams = append(w.streams, s)
	if len(w.streams) >= w.share() {
		w.empty() // small files do not wait for them
	}
}

// share is how many large files the worker takes, of those that it has and those
// that may wait.
func (w *worker) share() int {
	return shareOf(len(w.streams)+len(w.pipeline.work), w.pipeline.options.jobs, w.pipeline.lanes())
}

// shareOf is how many of a number of large files one worker takes. The more they
// are, up to the kernels' lanes, the less each costs, but other workers are to have
// theirs. As every worker reads ahead, one for two processors is enough.
func shareOf(files, jobs, lanes int) int {
	workers := max(1, jobs/2)
	return min(maxStreams, lanes, (files+workers-1)/workers)
}

// largestSmall is the size of the largest file that is read whole.
func (w *worker) largestSmall() int64 {
	n := int64(len(w.arena) / smallPerArena)
	if part := w.pipeline.options.partSize; part > 0 {
		n = min(n, part) // what has one part needs no other treatment
	}
	return n
}

// firstRead is how much is read at once of a file of no size: some of those that
// the kernel makes up have contents only for who asks for all of them.
const firstRead = 64 << 10

// loadSmall reads the file into the arena, to its end. One that does not end soon
// behind its size becomes a stream.
func (w *worker) loadSmall(it *item, f rawFile, info rawInfo) {
	// One byte more than the file has tells whether it ends there.
	room := int(info.size) + 1
	if info.size == 0 {
		room = min(firstRead, len(w.arena))
	}
	if len(w.arena)-w.used < room {
		w.sum()
	}
	buf := w.arena[w.used : w.used+room]
	for reads := 1; ; reads++ {
		info.settle()
		n, err := readFull(f, buf)
		if part := w.pipeline.options.partSize; err == nil || part > 0 && int64(n) > part {
			// It goes on, or has several parts.
			w.addStream(newStream(it, f, info).behind(buf[:n]))
			return
		}
		now := info
		if err == io.EOF {
			now, err = f.info()
		}
		if err == nil && now.stamp != info.stamp {
			if now.size == info.size && reads < maxReads && f.rewind(0) == nil {
				info = now
				continue
			}
			err = errChanged
		}
		w.pipeline.files.close(f)
		if err != nil {
			w.fail(it, err)
			return
		}
		it.size, it.stamp = int64(n), info.stamp
		w.used += n
		w.files = append(w.files, it)
		w.msgs = append(w.msgs, buf[:n])
		if len(w.files) == maxFiles {
			w.sum()
		}
		return
	}
}

// readFull fills p unless the file ends or cannot be read; then it returns io.EOF
// or the error with what was read.
func readFull(f io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var k int
		k, err = f.Read(p[n:])
		n += k
	}
	if n == len(p) {
		err = nil
	}
	return n, err
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

// empty hashes what the worker holds.
func (w *worker) empty() {
	w.sum()
	w.stream()
}

func (w *worker) fail(it *item, err error) {
	it.err = err
	w.pipeline.finish(it)
}
