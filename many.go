package sha256

import (
	"fmt"
	"hash"
	"math"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// SumMany sets dst[i] to Sum256(msgs[i]) for every i. It hashes the messages
// side by side on the calling goroutine, starts no other, and once warm allocates
// nothing. A nil message is an empty one. dst must not overlap any message.
//
// It panics, before it touches anything, if dst and msgs differ in length.
func SumMany(dst [][Size]byte, msgs [][]byte) {
	checkLengths("SumMany", len(dst), len(msgs))
	if !lanes.SideBySide(len(msgs)) {
		for i, m := range msgs {
			dst[i] = Sum256(m)
		}
		return
	}
	lanes.SumMany(dst, msgs)
}

// WriteMany has the effect of hs[i].Write(data[i]) for every i in turn, with the
// hashes of this package written to side by side on the calling goroutine. It
// starts no other goroutine, once warm allocates nothing, and does not read data
// after it returns. A hash may occur in hs more than once: it is written to in
// order. A hash of another package gets a plain Write.
//
// It panics, before it touches anything, if hs and data differ in length, or a
// hash is nil or a [Server]'s that was copied by value.
func WriteMany(hs []hash.Hash, data [][]byte) {
	checkLengths("WriteMany", len(hs), len(data))
	for i, h := range hs {
		checkHash("WriteMany", i, h)
	}
	if !lanes.SideBySide(len(hs)) {
		for i, h := range hs {
			h.Write(data[i])
		}
		return
	}
	settleMany(hs)
	w := works.Get().(*work)
	defer w.release()
	for len(hs) > 0 {
		// A stretch of different hashes of ours goes side by side. A foreign hash
		// ends it, since it may stand on a hash of ours.
		n, fewest, most, aligned := 0, math.MaxInt, 0, true
		for ; n < len(hs); n++ {
			d := ours(hs[n])
			if d == nil || d.waiting {
				break
			}
			d.waiting = true
			blocks := (d.n + len(data[n])) / BlockSize
			fewest, most = min(fewest, blocks), max(most, blocks)
			aligned = aligned && d.n == 0
		}
		w.hs, w.data = hs[:n], data[:n]
		switch {
		case most == 0:
		case most == fewest && aligned:
			lanes.RunAlike(n, most, (*alikeWork)(w))
		default:
			lanes.Run(n, (*writeWork)(w), most-fewest > 1)
		}
		if fewest == 0 {
			for i, h := range w.hs {
				if d := ours(h); d.waiting {
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

// SumHashes sets dst[i] to the digest of what was written to hs[i], for every
// i, side by side on the calling goroutine. The hashes stay as they are, and may
// be written to further. It starts no other goroutine and once warm allocates
// nothing. A hash of another package gets a plain Sum.
//
// It panics, before it touches anything, if dst and hs differ in length, or a
// hash is nil, a [Server]'s that was copied by value, or of a Size that is not 32.
func SumHashes(dst [][Size]byte, hs []hash.Hash) {
	checkLengths("SumHashes", len(dst), len(hs))
	for i, h := range hs {
		if d, ok := h.(*digest); ok && !d.is224 {
			continue
		}
		checkHash("SumHashes", i, h)
		if n := h.Size(); n != Size {
			panic(fmt.Sprintf("sha256: SumHashes: hash %d has digests of %d bytes, not %d", i, n, Size))
		}
	}
	if !lanes.SideBySide(len(hs)) {
		for i, h := range hs {
			sumAlone(&dst[i], h)
		}
		return
	}
	settleMany(hs)
	w := works.Get().(*work)
	defer w.release()
	for len(hs) > 0 {
		n := 0
		for n < len(hs) && ours(hs[n]) != nil {
			n++
		}
		w.hs = hs[:n]
		lanes.SumEnds(dst[:n], (*endWork)(w))
		w.hs = nil
		hs, dst = hs[n:], dst[n:]
		if n == 0 {
			sumAlone(&dst[0], hs[0])
			hs, dst = hs[1:], dst[1:]
		}
	}
}

// sumAlone sets dst to the digest of h.
func sumAlone(dst *[Size]byte, h hash.Hash) {
	copy(dst[:], h.Sum(dst[:0])) // Sum may return other memory
}

// endWork are the ends of hs, which are ours.
type endWork work

func (w *endWork) End(i int) (h *block.State, rest []byte, length uint64) {
	d := ours(w.hs[i])
	return &d.h, d.x[:d.n], d.len
}

// ours returns h's digest if h is a hash of this package.
func ours(h hash.Hash) *digest {
	if d, ok := h.(*digest); ok {
		return d
	}
	return oursOfServer(h)
}

// work is what package lanes does for WriteMany, or for settleMany without
// data.
type work struct {
	hs   []hash.Hash
	data [][]byte
}

var works = sync.Pool{New: func() any { return new(work) }}

// release forgets what belongs to the caller. If reading data has faulted, its
// hashes are not in a batch any more.
func (w *work) release() {
	for _, h := range w.hs {
		ours(h).waiting = false
	}
	*w = work{}
	works.Put(w)
}

// alikeWork writes data to hs: different hashes of ours at the start of a block,
// which are waiting.
type alikeWork work

func (w *alikeWork) Start(i int) (h *block.State, blocks []byte) {
	return &ours(w.hs[i]).h, w.data[i]
}

func (w *alikeWork) Done(i int) {
	d := ours(w.hs[i])
	d.wrote(w.data[i])
	d.waiting = false
}

// writeWork writes data to hs: different hashes of ours, which are waiting.
// Those that would not complete a block stay so.
type writeWork work

func (w *writeWork) Blocks(i int) int { return (ours(w.hs[i]).n + len(w.data[i])) / BlockSize }

func (w *writeWork) Start(i int, j *lanes.Job) bool {
	d, p := ours(w.hs[i]), w.data[i]
	if d.n+len(p) < BlockSize {
		return false
	}
	d.start(j, p)
	return true
}

func (w *writeWork) Done(i int, _ *lanes.Job) {
	d, p := ours(w.hs[i]), w.data[i]
	d.wrote(p)
	d.waiting = false
}

func checkLengths(function string, a, b int) {
	if a != b {
		panic(fmt.Sprintf("sha256: %s: slices of different lengths, %d and %d", function, a, b))
	}
}

func checkHash(function string, i int, h hash.Hash) {
	if wrong := misuse(h); wrong != "" {
		panic(fmt.Sprintf("sha256: %s: hash %d %s", function, i, wrong))
	}
}

// misuse returns what is wrong with h, if anything.
func misuse(h hash.Hash) string {
	d, ok := h.(*serverHash)
	switch {
	case h == nil || ok && d == nil:
		return "is nil"
	case ok && d.copied():
		return "was copied by value; Clone copies it"
	}
	return ""
}
