package sha256

import (
	"hash"
	"math"
	"slices"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// endWork lists the end of each message of hs: the last bytes, which fill no block. All of
// hs are hashes of this package.
type endWork work

func (w *endWork) End(i int) (h *block.State, rest []byte, length uint64) {
	d := flushedDigest(w.hs[i])
	return &d.h, d.x[:d.n], d.len
}

func (w *endWork) Fetch(i int) { flushedDigest(w.hs[i]).fetch() }

// work is a list for package lanes: of hashes and data for WriteHashes, of hashes alone for
// SumHashes and flushMany.
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

// equalWork writes data to hs: hashes of this package, each once, marked as waiting. Each
// is at the start of a block, and all complete the same number of blocks.
type equalWork work

func (w *equalWork) Start(i int) (h *block.State, blocks []byte) {
	return &flushedDigest(w.hs[i]).h, w.data[i]
}

func (w *equalWork) Fetch(i int) { (*work)(w).fetch(i) }

func (w *equalWork) Done(i int, h *block.State) {
	d := flushedDigest(w.hs[i])
	d.advance(h, w.data[i])
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
	d.advance(&j.H, p)
	d.waiting = false
}

const (
	// nearHashes is the largest number of hashes that are assumed to be in cache.
	nearHashes = 1024
	// nearData is the largest length of a hash's data that is assumed to be in cache, if
	// the hashes are. Fetching such data would cost more than the fetch gains.
	nearData = 256
)

// nearWork is writeWork whose hashes and data are not fetched.
type nearWork work

func (w *nearWork) Blocks(i int) int               { return (*writeWork)(w).Blocks(i) }
func (w *nearWork) Start(i int, j *lanes.Job) bool { return (*writeWork)(w).Start(i, j) }
func (w *nearWork) Done(i int, j *lanes.Job)       { (*writeWork)(w).Done(i, j) }

// How many cycles more hashes cost side by side than alone. In WriteHashes, a list costs
// writeListCycles, and each of its hashes writeCycles. Each hash costs writeFarCycles more
// if the hashes are fetched. A hash of equalWork costs equalCycles instead of these, and
// equalFarCycles more if the hashes are fetched. Each hash costs wrapCycles more if any hash
// writes to another one, and takeCycles more if the state of any hash is taken. In
// SumHashes, each message costs sumCycles. Measured on Granite Rapids; the first three also
// on Zen 4, those of equalWork on Zen 3 alone.
const (
	writeCycles, writeListCycles, writeFarCycles = 130, 2500, 200
	equalCycles, equalFarCycles                  = 30, 50
	wrapCycles, takeCycles                       = 80, 500
	sumCycles                                    = 10
)

// writeCyclesOf returns how many cycles more each of n hashes costs side by side than
// alone in WriteHashes, with its share of writeListCycles. If equal is set, the hashes are
// those of equalWork.
func writeCyclesOf(n int, equal bool) int {
	each, far := writeCycles+writeListCycles/max(n, 1), writeFarCycles
	if equal {
		each, far = equalCycles, equalFarCycles
	}
	if n > nearHashes {
		each += far
	}
	return each
}

// writeRuns is WriteHashes without checks. It takes no state of a hash of crypto/sha256,
// but calls Write of such a hash.
func writeRuns(hs []hash.Hash, data [][]byte) {
	w := works.Get().(*work)
	defer w.release()
	for len(hs) > 0 {
		// A run of different hashes of this package goes side by side. A foreign hash
		// ends the run, since it may wrap one of them.
		n, fewest, most, longest, aligned := 0, math.MaxInt, 0, 0, true
		var t lanes.Tally
		for ; n < len(hs); n++ {
			d := flushedDigest(hs[n])
			if d == nil || d.waiting {
				break
			}
			d.waiting = true
			blocks := (int(d.n) + len(data[n])) / BlockSize
			t = t.With(blocks)
			fewest, most = min(fewest, blocks), max(most, blocks)
			longest = max(longest, len(data[n]))
			aligned = aligned && d.n == 0
		}
		equal := most == fewest && aligned
		w.hs, w.data = hs[:n], data[:n]
		switch {
		case t.AreFew(writeCyclesOf(n, equal)):
			fewest = 0
		case equal:
			lanes.RunEqual(n, most, (*equalWork)(w))
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
		w.hs, w.data = nil, nil
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
	lanes.Run(len(hs), (*flushWork)(w), true)
	*w = work{}
	works.Put(w)
}

// flushWork flushes each hash of hs that has data buffered. At first, none is waiting.
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
	j.Set(&d.h, d.bufferedBlocks(), nil, nil)
	return true
}

func (w *flushWork) Done(i int, _ *lanes.Job) {
	d := buffering(w.hs[i])
	d.waiting = false
	d.tookBuffered()
}
