package sha256

import (
	"hash"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// endWork lists the ends of the messages of hs. An end is the last bytes of a message,
// which fill no block.
type endWork struct {
	hs []hash.Hash
	// unread is set if a hash's state could not be read. Then that hash's digest is wrong.
	unread bool
}

var endWorks = sync.Pool{New: func() any { return new(endWork) }}

// release drops the caller's pointers.
func (w *endWork) release() {
	*w = endWork{}
	endWorks.Put(w)
}

// sum sets dst to the digests of hs side by side. All of hs have ends.
func (w *endWork) sum(dst [][Size]byte, hs []hash.Hash) {
	w.hs = hs
	lanes.SumEnds(dst, w)
	if w.unread {
		sumEach(dst, hs)
	}
	w.unread = false
}

// hasEnd reports whether End can read the end of h's message. It can if h is a hash of this
// package, or one of crypto/sha256 whose state can be taken. hasEnd flushes a Server's hash.
func hasEnd(h hash.Hash) bool { return isTaken(h) || flushedDigest(h) != nil }

func (w *endWork) End(i int, j *lanes.Job) (at, blocks int) {
	h := w.hs[i]
	if isStd(h) {
		at, blocks = j.ReadEnd(h.(block.StdHash))
		w.unread = w.unread || blocks == 0
		return at, blocks
	}
	d := flushedDigest(h)
	return j.SetEnd(&d.h, d.x[:d.n], d.len)
}

func (w *endWork) Fetch(i int) {
	if h := w.hs[i]; !isStd(h) {
		flushedDigest(h).fetch()
	}
}

// work is a list for package lanes. WriteHashes sets hs and data; flushMany sets hs alone.
type work struct {
	hs   []hash.Hash
	data [][]byte
	// Of the first `marked` hashes, some may be marked as waiting. release unmarks them.
	marked int
}

var works = sync.Pool{New: func() any { return new(work) }}

// release drops the caller's pointers. If a call has panicked, or reading data has faulted,
// some hashes of writeRuns are still marked.
func (w *work) release() {
	for _, h := range w.hs[:w.marked] {
		switch d := h.(type) {
		case *digest:
			d.waiting = false
		case *serverHash:
			d.waiting = false
		}
	}
	*w = work{}
	works.Put(w)
}

// fetch prefetches the data of hash i. If there are more than nearHashes hashes, it also
// prefetches the state of hash i.
func (w *work) fetch(i int) {
	if len(w.hs) > nearHashes {
		flushedDigest(w.hs[i]).fetch()
	}
	block.Fetch(w.data[i : i+1])
}

// writeWork writes data to hs. All of hs are hashes of this package; they are distinct and
// waiting. A hash whose data completes no block stays waiting.
type writeWork work

func (w *writeWork) Blocks(i int) int {
	return flushedDigest(w.hs[i]).blocksWith(w.data[i])
}

func (w *writeWork) Start(i int, j *lanes.Job) bool {
	d, p := flushedDigest(w.hs[i]), w.data[i]
	if d.blocksWith(p) == 0 {
		return false
	}
	d.start(j, p)
	j.H = d.h
	j.State = &j.H // d stays as it is if reading any of the data faults
	return true
}

func (w *writeWork) Fetch(i int) { (*work)(w).fetch(i) }

func (w *writeWork) Done(i int, j *lanes.Job) {
	d, p := flushedDigest(w.hs[i]), w.data[i]
	d.advance(&j.H, p)
	d.waiting = false
}

// equalWork is writeWork for lanes.RunEqual and lanes.RunByClasses.
type equalWork work

func (w *equalWork) Blocks(i int) int { return (*writeWork)(w).Blocks(i) }

func (w *equalWork) Start(i int) (h *block.State, first, blocks []byte) {
	d := flushedDigest(w.hs[i])
	first, blocks = d.completed(w.data[i])
	return &d.h, first, blocks
}

func (w *equalWork) Fetch(i int) { (*work)(w).fetch(i) }

func (w *equalWork) Done(i int, h *block.State) {
	d := flushedDigest(w.hs[i])
	d.advance(h, w.data[i])
	d.waiting = false
}

const (
	// nearHashes is the largest number of hashes that are assumed to be in cache.
	nearHashes = 1024
	// nearData is the largest length of a hash's data that is assumed to be in cache when the
	// hashes are. Prefetching such data would cost more than it gains.
	nearData = 256
)

// nearWork is writeWork without prefetching.
type nearWork work

func (w *nearWork) Blocks(i int) int { return (*writeWork)(w).Blocks(i) }

func (w *nearWork) Start(i int, j *lanes.Job) bool { return (*writeWork)(w).Start(i, j) }

func (w *nearWork) Done(i int, j *lanes.Job) { (*writeWork)(w).Done(i, j) }

// flushWork flushes each hash of hs that has data buffered. At first, none is waiting. If
// another goroutine uses one of the hashes meanwhile, and a call panics, each other hash has
// been flushed as a whole or not at all.
type flushWork work

func (w *flushWork) Blocks(i int) int {
	if d := buffering(w.hs[i]); d != nil {
		return len(d.bufferedBlocks()) / BlockSize
	}
	return 0
}

func (w *flushWork) Start(i int, j *lanes.Job) bool {
	d := buffering(w.hs[i])
	if d == nil || d.waiting {
		return false
	}
	d.waiting = true
	w.marked = max(w.marked, i+1)
	j.H = d.h
	j.Set(&j.H, d.bufferedBlocks(), nil, nil)
	return true
}

func (w *flushWork) Done(i int, j *lanes.Job) {
	d := buffering(w.hs[i])
	if d == nil {
		panic(usedTwice)
	}
	d.h = j.H
	d.tookBuffered()
}
