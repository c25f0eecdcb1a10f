package main

import (
	"context"
	"hash"
	"io"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/internal/stamp"
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
// side by side when the arena is full, large ones are streamed side by side. It
// reads those again that were written to just before, when they are due.
type worker struct {
	pipeline *pipeline
	ctx      context.Context

	arena   []byte
	used    int
	files   []*fileItem
	msgs    [][]byte
	recent  []bool // whether each was written to just before it was read
	digests [][sha256.Size]byte

	streams []*stream
	rounds  []*round // made when the first stream comes

	again []*fileItem // to be read again, those due first; at most as many as the pipeline's order holds
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
			// Nothing waits: what is there is not held back for company.
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

// take returns the next file, or nil when there is none: now, if the worker
// holds files, or ever (more is false). A file that is due goes first: its result is
// waited for. The worker waits for a file to be due only when it has nothing else
// to do.
func (w *worker) take(work <-chan *fileItem) (it *fileItem, more bool) {
	if w.isDue() {
		return w.takeDue(), true
	}
	for range 2 {
		select {
		case it, more = <-work:
			if more {
				return it, true
			}
			work = nil // closed
		default:
			// The source may only be waiting for a processor.
			runtime.Gosched()
		}
	}
	if len(w.files) > 0 || len(w.streams) > 0 {
		return nil, true
	}
	var due <-chan time.Time
	if len(w.again) > 0 {
		timer := time.NewTimer(time.Until(w.again[0].before.due))
		defer timer.Stop()
		due = timer.C
	} else if work == nil {
		return nil, false
	}
	select {
	case it, more = <-work:
		return it, more || due != nil
	case <-due:
		return w.takeDue(), true
	case <-w.ctx.Done():
		return nil, false
	}
}

// isDue reports whether a file is to be read again now.
func (w *worker) isDue() bool {
	return len(w.again) > 0 && !time.Now().Before(w.again[0].before.due)
}

func (w *worker) takeDue() *fileItem {
	it := w.again[0]
	w.again[0] = nil
	w.again = w.again[1:]
	return it
}

// load reads a small file and opens a large one.
func (w *worker) load(it *fileItem) {
	switch {
	case it.before != nil:
		// What has been read is read again.
	case it.turn != nil:
		if !w.await(it.turn) {
			return
		}
	case w.pipeline.options.links == "name" && w.loadLink(it) || it.known != nil && w.isKnown(it):
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

// await waits for the turn of what others may read from, too. It may make its reader
// wait, as a pipe does: nothing else waits with it. It reports false when ctx is
// done.
func (w *worker) await(t *turn) bool {
	w.drain()
	select {
	case <-t.after:
		return true
	case <-w.ctx.Done():
		return false
	}
}

// open opens a file that can be hashed.
func (w *worker) open(it *fileItem) (f file.File, info file.Info, err error) {
	if f, info, err = w.pipeline.files.Open(it.path, w.empty); err != nil {
		return f, info, err
	}
	switch b := it.before; {
	case info.Dir:
		err = syscall.EISDIR
	case it.walked && w.pipeline.isOutput(info.ID):
		err = errOutput
	case !info.Regular && (it.turn == nil || b != nil):
		err = file.ErrChanged // it was regular before
	case b != nil && info.Size != b.stamp.Size:
		err = file.ErrChanged
	case b != nil:
		err = f.Rewind(b.start) // the name may be of an open file, as - is
	}
	if err != nil {
		w.pipeline.files.Close(f)
	}
	return f, info, err
}

// loadLink hashes the name that a symbolic link holds. It reports false for
// anything else.
func (w *worker) loadLink(it *fileItem) bool {
	target, err := os.Readlink(it.path)
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
	if err != nil || !info.Regular || info.Stamp != it.known.Stamp {
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
// ones. Those that are due are not for other workers.
func (w *worker) share() int {
	if w.isDue() {
		return min(maxStreams, w.pipeline.lanes())
	}
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

// firstRead is how much is read at once of a file of no size: some files that
// the kernel makes up have contents only if all of them are requested at once.
const firstRead = 64 << 10

// loadSmall reads the file into the arena, to its end. One that does not end soon
// behind its size becomes a stream.
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
	n, info, err := readSmall(f, info, buf)
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
	w.recent = append(w.recent, info.IsRecent() && int64(n) == info.Size) // the kernel makes up what has another length
	w.files = append(w.files, it)
	w.msgs = append(w.msgs, buf[:n])
	if len(w.files) == maxFiles {
		w.sum()
	}
}

// A smallFile is what readSmall needs of a file.
type smallFile interface {
	io.Reader
	Info() (file.Info, error)
	Rewind(offset int64) error
}

// readSmall reads a file to its end, and again if only its times change meanwhile.
// The error is io.EOF if the file has ended and is what now says, and nil if it
// goes on behind buf.
func readSmall(f smallFile, before file.Info, buf []byte) (n int, now file.Info, err error) {
	for reads := 1; ; reads++ {
		time.Sleep(before.Unsettled(time.Now()))
		if n, err = readFull(f, buf); err != io.EOF {
			return n, before, err
		}
		if now, err = f.Info(); err != nil {
			return n, now, err
		}
		if now.Stamp == before.Stamp {
			return n, now, io.EOF
		}
		if now.Size != before.Size || reads == stamp.MaxReads || f.Rewind(0) != nil {
			return n, now, file.ErrChanged
		}
		before = now
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
		w.end(it, w.recent[i], 0)
	}
	clear(w.files)
	w.files, w.msgs, w.recent, w.used = w.files[:0], w.msgs[:0], w.recent[:0], 0
}

// end ends a reading of a file, from start on, that gave it its result. If the file
// was written to just before (recent), a write may still have been under way: it
// shows in neither size nor time. So the file is read again a while later, by this
// worker, until two readings agree. After stamp.MaxAgain further readings it has
// file.ErrChanged.
func (w *worker) end(it *fileItem, recent bool, start int64) {
	b := it.before
	switch {
	case b == nil && !recent, b != nil && b.digest == it.digest && b.stamp == it.stamp:
		w.pipeline.finish(it)
		return
	case b == nil:
		b = &reading{start: start}
		it.before = b
	case b.again == stamp.MaxAgain:
		w.fail(it, file.ErrChanged)
		return
	}
	b.digest, b.stamp = it.digest, it.stamp
	b.again++
	b.due = time.Now().Add(stamp.BetweenReadings)
	w.pipeline.hashed.Add(-it.size)
	it.result = result{}
	w.again = append(w.again, it)
}

// loadOther hashes a file with another algorithm than SHA-256.
func (w *worker) loadOther(it *fileItem, f file.File, info file.Info, h hash.Hash) {
	defer w.pipeline.files.Close(f)
	w.confirmSmall(info.Size)
	time.Sleep(info.Unsettled(time.Now()))
	recent := info.IsRecent()
	buf := w.arena[w.used:]
	if len(buf) < firstRead {
		w.sum()
		buf = w.arena
	}
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
	it.digest, it.stamp = digestOf(h.Sum(nil)), info.Stamp
	if err == io.EOF {
		var now file.Info
		if now, err = f.Info(); err == nil && now.Stamp != info.Stamp {
			err = file.ErrChanged
		}
	}
	if err != nil {
		w.fail(it, err)
		return
	}
	w.end(it, recent && it.size == info.Size, 0)
}

// stream hashes the large files side by side.
func (w *worker) stream() {
	for len(w.streams) > 0 {
		streams, size := w.streams, int64(0)
		w.streams = nil
		for _, s := range streams {
			size += s.info.Size
		}
		w.confirmSmall(size)
		w.hashStreams(streams)
	}
}

// longJob is the number of bytes that take longer to hash than the time between two
// readings.
const longJob = 64 << 20

// confirmSmall finishes the small files that are to be read again, if the worker will
// hash size bytes of others next, and these are many: no other worker can, and the
// printer waits for their lines.
func (w *worker) confirmSmall(size int64) {
	if size < longJob {
		return
	}
	isSmall := func(it *fileItem) bool { return it.before.stamp.Size <= w.largestSmall() }
	for slices.ContainsFunc(w.again, isSmall) {
		var small, large []*fileItem
		for _, it := range w.again {
			if isSmall(it) {
				small = append(small, it)
			} else {
				large = append(large, it)
			}
		}
		w.again = large
		for _, it := range small {
			select {
			case <-time.After(time.Until(it.before.due)):
				w.load(it)
			case <-w.ctx.Done():
				return
			}
		}
		w.sum()
	}
}

// empty hashes what the worker holds.
func (w *worker) empty() {
	w.sum()
	w.stream()
}

// fail finishes a file, with an error if err is one.
func (w *worker) fail(it *fileItem, err error) {
	it.err = err
	w.pipeline.finish(it)
}
