package sha256

import (
	"fmt"
	"hash"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// SumMany sets dst[i] to Sum256(msgs[i]) for every i. It hashes the messages
// side by side on the calling goroutine, starts none, and once warm allocates
// nothing. A nil message is an empty one. dst overlaps no message.
//
// It panics, before it touches anything, when dst and msgs differ in length.
func SumMany(dst [][Size]byte, msgs [][]byte) {
	checkLengths("SumMany", len(dst), len(msgs))
	if width, _ := lanes.Width(); width == 1 || len(msgs) == 1 {
		for i, m := range msgs {
			dst[i] = Sum256(m)
		}
		return
	}
	lanes.SumMany(dst, msgs)
}

// WriteMany does the same as hs[i].Write(data[i]) for every i in turn, the
// hashes of this package side by side on the calling goroutine. It starts no
// goroutine and once warm allocates nothing. A hash may stand in hs more than
// once: it is written to in order. A hash of another package gets a plain
// Write.
//
// It panics, before it touches anything, when hs and data differ in length or
// a hash is nil.
func WriteMany(hs []hash.Hash, data [][]byte) {
	checkLengths("WriteMany", len(hs), len(data))
	checkHashes("WriteMany", hs)
	if width, _ := lanes.Width(); width == 1 || len(hs) == 1 {
		for i, h := range hs {
			h.Write(data[i])
		}
		return
	}
	b := batches.Get().(*batch)
	for i, h := range hs {
		d := ours(h)
		switch {
		case d == nil:
			b.write() // h may stand on a hash that is waiting
			h.Write(data[i])
			continue
		case d.waiting:
			b.write()
		case len(b.entries) == cap(b.entries):
			b.write()
		}
		if d.n+len(data[i]) < BlockSize {
			d.Write(data[i])
			continue
		}
		d.waiting = true
		b.entries = append(b.entries, entry{d: d, p: data[i]})
	}
	b.write()
	batches.Put(b)
}

// SumHashes sets dst[i] to the digest of what was written to hs[i], for every
// i, side by side on the calling goroutine. The hashes go on unchanged. It
// starts no goroutine and once warm allocates nothing. A hash of another
// package gets a plain Sum.
//
// It panics, before it touches anything, when dst and hs differ in length, a
// hash is nil, or a hash's Size is not 32.
func SumHashes(dst [][Size]byte, hs []hash.Hash) {
	checkLengths("SumHashes", len(dst), len(hs))
	checkHashes("SumHashes", hs)
	for i, h := range hs {
		if n := h.Size(); n != Size {
			panic(fmt.Sprintf("sha256: SumHashes: hash %d has digests of %d bytes, not %d", i, n, Size))
		}
	}
	if width, _ := lanes.Width(); width == 1 || len(hs) == 1 {
		for i, h := range hs {
			copy(dst[i][:], h.Sum(dst[i][:0])) // Sum may return other memory
		}
		return
	}
	b := batches.Get().(*batch)
	for i, h := range hs {
		d := ours(h)
		if d == nil {
			copy(dst[i][:], h.Sum(dst[i][:0])) // Sum may return other memory
			continue
		}
		if len(b.entries) == cap(b.entries) {
			b.sum()
		}
		b.entries = append(b.entries, entry{d: d, dst: &dst[i]})
	}
	b.sum()
	batches.Put(b)
}

// ours returns h's digest if h is a hash of this package.
func ours(h hash.Hash) *digest {
	d, _ := h.(*digest)
	return d
}

// An entry is a hash with what to write to it or where to put its digest.
type entry struct {
	d   *digest
	p   []byte
	dst *[Size]byte
}

// A batch is a list of entries, of different hashes if they are written to,
// that package lanes works off.
type batch struct{ entries []entry }

var batches = sync.Pool{New: func() any { return &batch{make([]entry, 0, 512)} }}

// write works off the entries' writes and empties b.
func (b *batch) write() {
	lanes.Run(len(b.entries), (*writeWork)(b))
	b.empty()
}

// sum works off the entries' digests and empties b.
func (b *batch) sum() {
	lanes.Run(len(b.entries), (*sumWork)(b))
	b.empty()
}

func (b *batch) empty() {
	clear(b.entries)
	b.entries = b.entries[:0]
}

// writeWork writes entries' p, each at least to the end of a block.
type writeWork batch

func (w *writeWork) Blocks(i int) int {
	e := &w.entries[i]
	return (e.d.n + len(e.p)) / BlockSize
}

func (w *writeWork) Start(i int, l *lanes.Lane) {
	e := &w.entries[i]
	block.RaceRead(e.p)
	e.d.len += uint64(len(e.p))
	l.State = &e.d.h
	l.First = nil
	if e.d.n > 0 {
		e.p = e.p[copy(e.d.x[e.d.n:], e.p):]
		l.First = e.d.x[:]
	}
	whole := len(e.p) &^ (BlockSize - 1)
	l.Rest, e.p = e.p[:whole], e.p[whole:]
}

func (w *writeWork) Done(i int, _ *lanes.Lane) {
	e := &w.entries[i]
	e.d.n = copy(e.d.x[:], e.p)
	e.d.waiting = false
}

// sumWork finishes copies of entries' hashes.
type sumWork batch

func (w *sumWork) Blocks(i int) int { return (w.entries[i].d.n + 8 + BlockSize) / BlockSize }

func (w *sumWork) Start(i int, l *lanes.Lane) {
	d := w.entries[i].d
	l.H = d.h
	l.State = &l.H
	l.First = l.Tail[:block.Pad(&l.Tail, d.x[:d.n], d.len)]
	l.Rest = nil
}

func (w *sumWork) Done(i int, l *lanes.Lane) { block.PutDigest(w.entries[i].dst, &l.H) }

func checkLengths(function string, a, b int) {
	if a != b {
		panic(fmt.Sprintf("sha256: %s: slices of different lengths, %d and %d", function, a, b))
	}
}

func checkHashes(function string, hs []hash.Hash) {
	for i, h := range hs {
		if h == nil {
			panic(fmt.Sprintf("sha256: %s: hash %d is nil", function, i))
		}
	}
}
