package main

import (
	"context"
	"hash"
	"io"
	"runtime"
	"syscall"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
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
	files   []*fileItem
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
	w.process(w.pipeline.work)
}

// process hashes the files from work until it is closed, and all that the worker
// holds.
func (w *worker) process(work <-chan *fileItem) {
	for w.ctx.Err() == nil {
		it, more := w.take(work)
		switch {
		case it != nil:
			w.load(it)
		case len(w.files) > 0:
			// No file waits. So the files that the worker holds are hashed now, without
			// others beside them.
			w.sum()
		case len(w.streams) > 0:
			w.stream()
		case !more:
			return
		}
	}
}

// drain finishes all files that the worker holds.
func (w *worker) drain() { w.process(noWork) }

// noWork yields no files.
var noWork = func() chan *fileItem {
	c := make(chan *fileItem)
	close(c)
	return c
}()

// take returns the next file. If no file is there and the worker holds files, take
// returns nil at once. more is false if no file comes any more and the worker holds none.
func (w *worker) take(work <-chan *fileItem) (it *fileItem, more bool) {
	for range 2 {
		select {
		case it, more = <-work:
			if more {
				return it, true
			}
			return nil, w.holds()
		default:
			// The source may only be waiting for a processor.
			runtime.Gosched()
		}
	}
	if w.holds() {
		return nil, true
	}
	select {
	case it, more = <-work:
		return it, more
	case <-w.ctx.Done():
		return nil, false
	}
}

// holds reports whether the worker has files that are not hashed.
func (w *worker) holds() bool { return len(w.files) > 0 || len(w.streams) > 0 }

// load reads a small file and opens a large one.
func (w *worker) load(it *fileItem) {
	switch {
	case it.turn != nil:
		if !w.await(it.turn) {
			return
		}
	case w.pipeline.options.links == "name" && w.loadLink(it) || it.known != nil && !w.pipeline.options.all && w.isKnown(it):
		return
	}
	f, info, err := w.open(it)
	if err != nil {
		w.fail(it, err)
		return
	}
	if info.Regular {
		w.pipeline.sized(it, info.Size)
	}
	switch {
	case it.turn != nil:
		w.hashStreams([]*stream{newStream(it, f, info)})
	case it.check != nil && it.check.list.algorithm != nil:
		w.loadOther(it, f, info, it.check.list.algorithm.New())
	case info.Size <= w.largestSmall():
		w.loadSmall(it, f, info)
	default:
		w.addStream(newStream(it, f, info))
	}
}

// await waits for the turn of a file that others may read from, too. Reading such a file
// may block, as with a pipe. So that no other file waits, too, the worker first finishes
// those that it holds. It reports false when ctx is done.
func (w *worker) await(t *turn) bool {
	w.drain()
	select {
	case <-t.after:
		return true
	case <-w.ctx.Done():
		return false
	}
}

// open opens a file that can be hashed. If the file is written to from now on, its info
// becomes another one.
func (w *worker) open(it *fileItem) (f file.File, info file.Info, err error) {
	if f, info, err = w.pipeline.files.Open(it.path, w.empty); err != nil {
		return f, info, err
	}
	switch {
	case info.Dir:
		err = syscall.EISDIR
	case it.walked && w.pipeline.isOutput(info.ID):
		err = errOutput
	case info.Regular:
		var at int64
		if f == file.Stdin {
			at, _ = f.Offset()
		}
		info, err = settle(w.ctx, f, info, at, w.sum) // the files that the worker holds do not wait
	case it.turn == nil:
		err = file.ErrChanged // it was regular before
	}
	if err != nil {
		w.pipeline.files.Close(f)
	}
	return f, info, err
}

// loadLink hashes the name that a symbolic link holds. It reports false for
// anything else.
func (w *worker) loadLink(it *fileItem) bool {
	target, err := file.Readlink(it.path)
	if err != nil {
		return false
	}
	it.size = int64(len(target))
	sum := sha256.Sum256([]byte(target))
	it.digest = sha256Digest(sum)
	if w.pipeline.options.partSize > 0 {
		it.composite = onePart(sum)
	}
	w.pipeline.finish(it)
	return true
}

// isKnown takes the earlier digest of a file that has not changed since it was
// hashed.
func (w *worker) isKnown(it *fileItem) bool {
	info, err := file.Stat(it.path)
	if err != nil || !info.Regular {
		return false
	}
	known := it.known.Stamp
	if w.pipeline.options.noInode {
		known.Inode = info.Inode
	}
	if info.Stamp != known {
		return false
	}
	it.digest, it.size, it.stamp = sha256Digest(it.known.Digest), info.Size, info.Stamp
	w.pipeline.finish(it)
	return true
}

func (w *worker) addStream(s *stream) {
	w.streams = append(w.streams, s)
	if len(w.streams) >= w.share() {
		w.empty() // small files do not wait for them
	}
}

// share is how many large files the worker takes, of its own and of the waiting
// ones.
func (w *worker) share() int {
	return shareOf(len(w.streams)+len(w.pipeline.work), w.pipeline.options.jobs, w.pipeline.lanes())
}

// shareOf is how many of a number of large files one worker takes. The more files a
// worker takes, up to the kernels' lanes, the less each costs. But other workers need
// files, too. As every worker reads ahead, one worker for two processors is enough.
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

// firstRead is how much is read at once of a file of size 0. Some files that the kernel
// makes up have contents only if one read asks for all the contents.
const firstRead = 64 << 10

// loadSmall reads the file into the arena, to its end. A file that goes on behind what
// was read becomes a stream.
func (w *worker) loadSmall(it *fileItem, f file.File, info file.Info) {
	// Reading one byte more than the file has shows whether it ends there.
	room := int(info.Size) + 1
	if info.Size == 0 {
		room = min(firstRead, len(w.arena))
	}
	if len(w.arena)-w.used < room {
		w.sum()
	}
	buf := w.arena[w.used : w.used+room]
	n, info, err := readSmall(w.ctx, f, info, buf)
	if part := w.pipeline.options.partSize; err == nil || part > 0 && int64(n) > part {
		// It goes on, or has several parts.
		w.addStream(newStream(it, f, info).behind(buf[:n]))
		return
	}
	w.pipeline.files.Close(f)
	if err != io.EOF {
		w.fail(it, err)
		return
	}
	it.size, it.stamp = int64(n), info.Stamp
	w.used += n
	w.files = append(w.files, it)
	w.msgs = append(w.msgs, buf[:n])
	if len(w.files) == maxFiles {
		w.sum()
	}
}

// readSmall reads a file to its end, and again if reading.end asks for that. The error is
// io.EOF if the file has ended; then now is its info. The error is nil if the file goes
// on behind buf.
func readSmall(ctx context.Context, f regularFile, before file.Info, buf []byte) (n int, now file.Info, err error) {
	for r := newReading(before); ; {
		if n, err = readFull(f, buf); err != io.EOF {
			return n, r.before, err
		}
		done, err := r.end(ctx, f, 0, func() digest { return sha256Digest(sha256.Sum256(buf[:n])) })
		if err != nil {
			return n, r.before, err
		}
		if done {
			return n, r.before, io.EOF
		}
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
		it.digest = sha256Digest(digests[i])
		if w.pipeline.options.partSize > 0 {
			it.composite = onePart(digests[i])
		}
		w.pipeline.finish(it)
	}
	clear(w.files)
	w.files, w.msgs, w.used = w.files[:0], w.msgs[:0], 0
}

// loadOther hashes a file with another algorithm than SHA-256.
func (w *worker) loadOther(it *fileItem, f file.File, info file.Info, h hash.Hash) {
	defer w.pipeline.files.Close(f)
	buf := w.arena[w.used:]
	if len(buf) < firstRead {
		w.sum()
		buf = w.arena
	}
	for r := newReading(info); ; {
		var err error
		for err == nil && w.ctx.Err() == nil {
			var n int
			n, err = readFull(f, buf)
			h.Write(buf[:n])
			it.size += int64(n)
			w.pipeline.hashed.Add(int64(n))
		}
		if err == nil {
			return // interrupted: the digest is of the beginning
		}
		it.digest, it.stamp = digestOf(h.Sum(nil)), r.before.Stamp
		done := false
		if err == io.EOF {
			done, err = r.end(w.ctx, f, 0, func() digest { return it.digest })
		}
		if err != nil || done {
			w.fail(it, err)
			return
		}
		w.pipeline.hashed.Add(-it.size)
		it.result = result{}
		h.Reset()
	}
}

// stream hashes the large files side by side.
func (w *worker) stream() {
	for len(w.streams) > 0 {
		streams := w.streams
		w.streams = nil
		w.hashStreams(streams)
	}
}

// empty hashes what the worker holds.
func (w *worker) empty() {
	w.sum()
	w.stream()
}

// fail finishes a file. If err is not nil, it is the result. If err says that the run
// ends, the file has no result.
func (w *worker) fail(it *fileItem, err error) {
	if err != nil && err == context.Cause(w.ctx) {
		return
	}
	it.err = err
	w.pipeline.finish(it)
}
