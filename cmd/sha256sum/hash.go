package main

import (
	"bytes"
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
// side by side when the arena is full, large ones are streamed side by side.
type worker struct {
	pipeline *pipeline
	ctx      context.Context

	arena   []byte
	used    int
	files   []*fileItem
	msgs    [][]byte
	recent  []int // the indices of files that were written to just before they were read
	again   []byte
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
func (w *worker) take() (it *fileItem, more bool) {
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
func (w *worker) load(it *fileItem) {
	if it.turn != nil {
		w.loadInTurn(it)
		return
	}
	if w.pipeline.options.links == "name" && w.loadLink(it) || it.known != nil && w.isKnown(it) {
		return
	}
	f, info, err := w.pipeline.files.Open(it.path, w.empty)
	switch {
	case err != nil:
		w.fail(it, err)
	case info.Dir:
		w.pipeline.files.Close(f)
		w.fail(it, syscall.EISDIR)
	case it.walked && w.pipeline.isOutput(info.ID):
		w.pipeline.files.Close(f)
		w.fail(it, errOutput)
	case !info.Regular:
		// It was when the source saw it.
		w.pipeline.files.Close(f)
		w.fail(it, file.ErrChanged)
	case it.check != nil && it.check.list.algorithm != nil:
		w.pipeline.sized(it, info.Size)
		w.loadOther(it, f, info, it.check.list.algorithm.New())
	case info.Size <= w.largestSmall():
		w.pipeline.sized(it, info.Size)
		w.loadSmall(it, f, info)
	default:
		w.pipeline.sized(it, info.Size)
		w.addStream(newStream(it, f, info))
	}
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

// loadInTurn hashes what others may read from, too. It may make its reader wait,
// as a pipe does: nothing else waits with it.
func (w *worker) loadInTurn(it *fileItem) {
	w.empty()
	select {
	case <-it.turn.after:
	case <-w.ctx.Done():
		return
	}
	f, info, err := w.pipeline.files.Open(it.path, w.empty)
	switch {
	case err != nil:
		w.fail(it, err)
	case info.Dir:
		w.pipeline.files.Close(f)
		w.fail(it, syscall.EISDIR)
	default:
		if info.Regular {
			w.pipeline.sized(it, info.Size)
		}
		w.hashStreams([]*stream{newStream(it, f, info)})
	}
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
	if info.IsRecent() && int64(n) == info.Size { // the kernel makes up what has another length
		w.recent = append(w.recent, len(w.files))
	}
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
		before.Settle()
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
	w.confirm()
	digests := w.digests[:len(w.files)]
	sha256.SumMany(digests, w.msgs)
	w.pipeline.hashed.Add(int64(w.used))
	for i, it := range w.files {
		if it.err == nil {
			it.digest = sha256Digest(digests[i])
			if w.pipeline.options.partSize > 0 {
				it.composite = onePart(digests[i])
			}
		}
		w.pipeline.finish(it)
	}
	clear(w.files)
	w.files, w.msgs, w.used = w.files[:0], w.msgs[:0], 0
}

// confirm reads the files again that were written to just before they were read,
// until two readings agree. After stamp.MaxAgain further readings they have
// file.ErrChanged. A write may still have been under way at the first reading: it shows
// in neither size nor time.
func (w *worker) confirm() {
	for reads := 2; len(w.recent) > 0; reads++ {
		time.Sleep(stamp.BetweenReadings)
		w.confirmOnce(reads)
	}
}

// confirmOnce reads each recent file again, for the reads-th time. Those whose
// readings differ stay recent, unless this was the last reading allowed.
func (w *worker) confirmOnce(reads int) {
	differ := w.recent[:0]
	for _, i := range w.recent {
		it := w.files[i]
		same, err := w.readAgain(it, w.msgs[i])
		switch {
		case err != nil:
			it.err = err
		case !same && reads > stamp.MaxAgain:
			it.err = file.ErrChanged
		case !same:
			differ = append(differ, i)
		}
	}
	w.recent = differ
}

// readAgain reads a small file again, into msg, and reports whether msg held the
// same before.
func (w *worker) readAgain(it *fileItem, msg []byte) (same bool, err error) {
	f, info, err := w.pipeline.files.Open(it.path, w.stream)
	if err != nil {
		return false, err
	}
	defer w.pipeline.files.Close(f)
	if info.Size != int64(len(msg)) {
		return false, file.ErrChanged
	}
	w.again = slices.Grow(w.again[:0], len(msg)+1)[:len(msg)+1]
	n, err := readFull(f, w.again)
	if err != io.EOF || n != len(msg) {
		if err == nil || err == io.EOF {
			err = file.ErrChanged
		}
		return false, err
	}
	now, err := f.Info()
	if err != nil {
		return false, err
	}
	same = now.Stamp == it.stamp && bytes.Equal(w.again[:n], msg)
	copy(msg, w.again)
	it.stamp = now.Stamp
	return same, nil
}

// loadOther hashes a file with another algorithm than SHA-256.
func (w *worker) loadOther(it *fileItem, f file.File, info file.Info, h hash.Hash) {
	defer w.pipeline.files.Close(f)
	info.Settle()
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
	if err == io.EOF {
		var now file.Info
		if now, err = f.Info(); err == nil && now.Stamp != info.Stamp {
			err = file.ErrChanged
		}
	}
	it.digest = digestOf(h.Sum(nil))
	w.fail(it, err)
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

// fail finishes a file, with an error if err is one.
func (w *worker) fail(it *fileItem, err error) {
	it.err = err
	w.pipeline.finish(it)
}
