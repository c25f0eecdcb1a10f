package sha256

import (
	"hash"
	"math"
	"slices"
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
	return (int(flushedDigest(w.hs[i]).n) + len(w.data[i])) / BlockSize
}

func (w *writeWork) Start(i int, j *lanes.Job) bool {
	d, p := flushedDigest(w.hs[i]), w.data[i]
	if int(d.n)+len(p) < BlockSize {
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

func (w *nearWork) Blocks(i int) int               { return (*writeWork)(w).Blocks(i) }
func (w *nearWork) Start(i int, j *lanes.Job) bool { return (*writeWork)(w).Start(i, j) }
func (w *nearWork) Done(i int, j *lanes.Job)       { (*writeWork)(w).Done(i, j) }

// What hashes cost side by side, in cycles on top of what they cost alone. The CPU on which
// a cost was measured stands behind it.
const (
	// In WriteHashes, each hash costs equalCycles in lanes.RunEqual, classCycles in
	// lanes.RunByClasses, and writeCycles in lanes.Run. On Zen 3, classCycles was 60. It is
	// 140, because lanes gain nothing while another thread keeps the same core busy: on such
	// a core, lists that barely paid with 60 took up to a quarter longer.
	equalCycles = 30  // Zen 3
	classCycles = 140 // see above
	writeCycles = 130 // Granite Rapids, Zen 4
	// A list costs equalListCycles in RunEqual and RunByClasses, writeListCycles in Run.
	equalListCycles = 600  // Zen 3
	writeListCycles = 2500 // Granite Rapids, Zen 4
	// In a list of more than nearHashes hashes, each hash costs equalFarCycles more in
	// RunEqual and RunByClasses, writeFarCycles more in Run.
	equalFarCycles = 50  // Zen 3
	writeFarCycles = 200 // Granite Rapids, Zen 4
	// If any hash writes to another hash, each hash costs wrapCycles more. If the state of
	// any hash is taken, each hash costs takeCycles more.
	wrapCycles = 80  // Granite Rapids
	takeCycles = 500 // Granite Rapids
	// In SumHashes, each hash costs sumCycles, or stdCycles if all hashes of the run are of
	// crypto/sha256. stdCycles is negative: the method Sum of crypto/sha256 takes longer than
	// that of this package, and the difference exceeds the cost of reading a state.
	sumCycles = 10  // Granite Rapids
	stdCycles = -20 // Zen 4
)

// areFewWrites reports whether the writes in t take less time one by one than side by side.
// t tallies the blocks of some or all of n writes. Side by side, each write costs `more`
// cycles on top of the constants above.
func areFewWrites(t lanes.Tally, n, more int) bool {
	if t.Jobs() <= 1 {
		return true
	}
	each, list, far := writeCycles, writeListCycles, writeFarCycles
	classed := t.HasClasses()
	// Equal jobs beside jobs without blocks run by classes, but cost what RunEqual costs.
	equal := t.IsEqual() && (classed || t.Jobs() == n)
	switch {
	case equal:
		each, list, far = equalCycles, equalListCycles, equalFarCycles
	case classed:
		each, list, far = classCycles, equalListCycles, equalFarCycles
	}
	if n > nearHashes {
		each += far
	}
	each += more + list/n
	if classed && !equal {
		return t.AreFewInClasses(each)
	}
	return t.AreFew(each)
}

// writeRuns is WriteHashes without checks. It does not take the state of a hash of
// crypto/sha256, but calls the hash's Write.
func writeRuns(hs []hash.Hash, data [][]byte) {
	w := works.Get().(*work)
	defer w.release()
	for len(hs) > 0 {
		// A run of distinct hashes of this package goes side by side. A foreign hash ends the
		// run, since it may wrap a hash of the run.
		n, fewest, most, longest := 0, math.MaxInt, 0, 0
		var t lanes.Tally
		w.hs, w.marked = hs, 0
		for ; n < len(hs); n++ {
			d := flushedDigest(hs[n])
			if d == nil || d.waiting {
				break
			}
			d.waiting = true
			w.marked = n + 1
			blocks := (int(d.n) + len(data[n])) / BlockSize
			t = t.With(blocks)
			fewest, most = min(fewest, blocks), max(most, blocks)
			longest = max(longest, len(data[n]))
		}
		w.hs, w.data = hs[:n], data[:n]
		switch {
		case areFewWrites(t, n, 0):
			fewest = 0
		case most == fewest:
			lanes.RunEqual(n, most, (*equalWork)(w))
		case t.HasClasses():
			lanes.RunByClasses(n, (*equalWork)(w))
		case n <= nearHashes && longest <= nearData:
			lanes.Run(n, (*nearWork)(w), most-fewest > 1)
		default:
			lanes.Run(n, (*writeWork)(w), most-fewest > 1)
		}
		if fewest == 0 {
			for i, h := range w.hs {
				if d := flushedDigest(h); d.waiting {
					d.waiting = false
					d.Write(data[i])
				}
			}
		}
		w.hs, w.data, w.marked = nil, nil, 0
		hs, data = hs[n:], data[n:]
		if n == 0 {
			hs[0].Write(data[0])
			hs, data = hs[1:], data[1:]
		}
	}
}

// flushMany flushes, side by side, each hash of hs that has data buffered.
func flushMany(hs []hash.Hash) {
	if !slices.ContainsFunc(hs, func(h hash.Hash) bool { return buffering(h) != nil }) {
		return
	}
	w := works.Get().(*work)
	w.hs = hs
	defer w.release()
	lanes.Run(len(hs), (*flushWork)(w), true)
}

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
