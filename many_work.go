package sha256

import (
	"hash"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// endWork is the ends of hs, which are hashes of this package.
type endWork work

func (w *endWork) End(i int) (h *block.State, rest []byte, length uint64) {
	d := flushedDigest(w.hs[i])
	return &d.h, d.x[:d.n], d.len
}

func (w *endWork) Fetch(i int) { flushedDigest(w.hs[i]).fetch() }

// flushedDigest returns the digest of h, or nil if h is a hash of another package. It
// flushes h first if h is a Server's hash that has data buffered.
func flushedDigest(h hash.Hash) *digest {
	if d, ok := h.(*digest); ok {
		return d
	}
	return flushedServerDigest(h)
}

// work is a list that package lanes works on: for WriteHashes hashes and data, for
// SumHashes and flushMany hashes alone.
type work struct {
	hs   []hash.Hash
	data [][]byte
}

var works = sync.Pool{New: func() any { return new(work) }}

// release drops the caller's pointers. If reading data has faulted, hashes are still
// marked as waiting; release clears the mark.
func (w *work) release() {
	for _, h := range w.hs {
		flushedDigest(h).waiting = false
	}
	*w = work{}
	works.Put(w)
}

// fetch fetches the data of hash i, and its state if there are many hashes.
func (w *work) fetch(i int) {
	if len(w.hs) > nearHashes {
		flushedDigest(w.hs[i]).fetch()
	}
	block.Fetch(w.data[i : i+1])
}

// equalWork writes data to hs: different hashes of this package, all waiting and at
// the start of a block.
type equalWork work

func (w *equalWork) Start(i int) (h *block.State, blocks []byte) {
	return &flushedDigest(w.hs[i]).h, w.data[i]
}

func (w *equalWork) Fetch(i int) { (*work)(w).fetch(i) }

func (w *equalWork) Done(i int, h *block.State) {
	d := flushedDigest(w.hs[i])
	d.take(h, w.data[i])
	d.waiting = false
}

// writeWork writes data to hs: different hashes of this package, all waiting. A hash
// whose data completes no block stays waiting.
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
	d.take(&j.H, p)
	d.waiting = false
}

const (
	// nearHashes is the largest number of hashes that are assumed to be in cache.
	nearHashes = 1024
	// nearData is the largest size of data that is assumed to be in cache, if the hashes
	// are. To fetch it would cost more than it gains.
	nearData = 256
)

// nearWork is writeWork that is not fetched.
type nearWork work

func (w *nearWork) Blocks(i int) int               { return (*writeWork)(w).Blocks(i) }
func (w *nearWork) Start(i int, j *lanes.Job) bool { return (*writeWork)(w).Start(i, j) }
func (w *nearWork) Done(i int, j *lanes.Job)       { (*writeWork)(w).Done(i, j) }
