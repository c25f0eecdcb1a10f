package sha256

import (
	"fmt"
	"hash"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// SumMany sets dst[i] to Sum256(msgs[i]) for every i. It hashes the messages side by
// side on the calling goroutine. It starts no other goroutine, and once warm allocates
// nothing. A nil message is an empty message. dst must not overlap any message.
//
// It panics, before it touches anything, if dst and msgs differ in length.
func SumMany[D ~[Size]byte](dst []D, msgs [][]byte) {
	sumMany(convert.Digests[[Size]byte](dst), msgs)
}

func sumMany(dst [][Size]byte, msgs [][]byte) {
	checkLengths("SumMany", len(dst), len(msgs))
	if !lanes.SideBySide(len(msgs)) {
		for i, m := range msgs {
			dst[i] = Sum256(m)
		}
		return
	}
	lanes.SumMany(dst, msgs)
}

// SumMany224 is [SumMany] for SHA-224: it sets dst[i] to Sum224(msgs[i]) for every i.
//
// It panics, before it touches anything, if dst and msgs differ in length.
func SumMany224[D ~[Size224]byte](dst []D, msgs [][]byte) {
	checkLengths("SumMany224", len(dst), len(msgs))
	if !lanes.SideBySide(len(msgs)) || lanes.AreFew(msgs, 0, 0) {
		for i, m := range msgs {
			dst[i] = Sum224(m)
		}
		return
	}
	sums := lists224.Get().(*list224)
	defer lists224.Put(sums)
	for len(msgs) > 0 {
		n := min(len(sums), len(msgs))
		lanes.SumManyAfter(sums[:n], lanes.Prefix{H: block.IV224}, msgs[:n])
		for i := range n {
			dst[i] = D([Size224]byte(sums[i][:]))
		}
		dst, msgs = dst[n:], msgs[n:]
	}
}

// list224 is digests of SHA-224 before they are shortened.
type list224 [1024][Size]byte

var lists224 = sync.Pool{New: func() any { return new(list224) }}

// WriteHashes has the effect of hs[i].Write(data[i]) for every i, in order. It writes to
// the hashes of this package side by side on the calling goroutine. It starts no other
// goroutine, and once warm allocates nothing. It does not read data after it returns. It
// writes to few hashes, or little data, one by one where that is faster. A hash that occurs
// in hs more than once takes its data in order. The hashes of package hmac run side by side
// with the hashes of this package. So do hashes of crypto/sha256 with 1 KiB or more to
// write, unless crypto/sha256 compresses for this package, as in FIPS 140-3 mode.
// WriteHashes calls the method Write of any other hash. Hashes before and after such a hash
// do not run side by side with each other. If reading data faults, and the caller recovers,
// each write to a hash of this package has happened as a whole or not at all.
//
// WriteHashes panics, before it touches anything, if hs and data differ in length, or
// if a hash is nil, or is a [Server]'s hash that was copied by value.
func WriteHashes(hs []hash.Hash, data [][]byte) {
	checkLengths("WriteHashes", len(hs), len(data))
	longest := 0
	for i, h := range hs {
		checkHash("WriteHashes", i, h)
		longest = max(longest, len(data[i]))
	}
	t := lanes.Tally{Each: writeCycles}
	if lanes.SideBySide(len(hs)) && !t.NeverPay((longest+BlockSize-1)/BlockSize) {
		buffers, wraps, takes := false, false, false
		for i, h := range hs {
			if d, ok := h.(*digest); ok {
				t.Add((int(d.n) + len(data[i])) / BlockSize)
			} else if _, ok := h.(*serverHash); ok {
				buffers = true
			} else if isStd(h) {
				if len(data[i]) >= minTaken && isTaken(h) {
					t.Add(len(data[i]) / BlockSize)
					takes = true
				}
			} else if to := writesTo(h); to != nil {
				t.Add((int(flushedDigest(to).n) + len(data[i])) / BlockSize)
				wraps = true
			}
		}
		if wraps {
			t.Each += wrapCycles
		}
		if takes {
			t.Each += takeCycles
		}
		if buffers || !t.AreFew() {
			flushMany(hs)
			if !wraps && !takes {
				writeRuns(hs, data)
			} else if err := writeTaken(hs, data); err != nil {
				panic(fmt.Sprintf("sha256: WriteHashes: %v", err))
			}
			return
		}
	}
	for i, h := range hs {
		h.Write(data[i])
	}
}

// SumHashes sets dst[i] to the digest of the bytes written to hs[i], for every i, side by
// side on the calling goroutine. The hashes stay as they are, and may be written to
// further. SumHashes starts no other goroutine, and once warm allocates nothing. For a hash
// of another package, those of hmac and crypto/sha256 included, it calls the method Sum.
//
// SumHashes panics, before it touches anything, if dst and hs differ in length, or
// if a hash is nil, has a Size that is not 32, or is a [Server]'s hash that was
// copied by value.
func SumHashes[D ~[Size]byte](dst []D, hs []hash.Hash) {
	sumHashes(convert.Digests[[Size]byte](dst), hs)
}

func sumHashes(dst [][Size]byte, hs []hash.Hash) {
	checkLengths("SumHashes", len(dst), len(hs))
	run, longest, buffers := 0, 0, false // hashes of this package one behind the other
	for i, h := range hs {
		if d, ok := h.(*digest); ok && !d.is224 {
			run++
			longest = max(longest, run)
			continue
		}
		checkHash("SumHashes", i, h)
		if n := h.Size(); n != Size {
			panic(fmt.Sprintf("sha256: SumHashes: hash %d has digests of %d bytes, not %d", i, n, Size))
		}
		if d, ok := h.(*serverHash); ok {
			run++
			longest = max(longest, run)
			buffers = buffers || d.buffered != nil
		} else {
			run = 0
		}
	}
	if !lanes.SideBySide(longest) || !buffers && endsAreFew(hs, longest) {
		sumEach(dst, hs)
		return
	}
	if buffers {
		flushMany(hs)
	}
	known := 0 // number of the first hashes that are of this package
	if longest == len(hs) {
		known = longest
	}
	w := works.Get().(*work)
	defer w.release()
	for len(hs) > 0 {
		// A run of hashes of this package goes side by side.
		n := known
		for n < len(hs) && flushedDigest(hs[n]) != nil {
			n++
		}
		if endsAreFew(hs[:n], n) {
			n = max(n, 1)
			sumEach(dst[:n], hs[:n])
		} else {
			w.hs = hs[:n]
			lanes.SumEnds(dst[:n], (*endWork)(w))
			w.hs = nil
		}
		hs, dst = hs[n:], dst[n:]
	}
}

// sumEach sets dst to the digests of hs, one after the other.
func sumEach(dst [][Size]byte, hs []hash.Hash) {
	for i, h := range hs {
		sumAlone(&dst[i], h)
	}
}

// endsAreFew reports whether the ends of hs, one or two blocks each, take less time one
// after the other than side by side. The longest run of hashes of this package decides.
func endsAreFew(hs []hash.Hash, longest int) bool {
	t := lanes.Tally{Each: sumCycles}
	if few := t.AreFewEqual(longest, 1); !few || longest < len(hs) {
		return few
	}
	for _, h := range hs {
		blocks := 1
		switch h := h.(type) {
		case *digest:
			blocks = block.PaddedBlocks(int(h.n))
		case *serverHash:
			blocks = block.PaddedBlocks(int(h.n))
		}
		t.Add(blocks)
	}
	return t.AreFew()
}

// sumAlone sets dst to the digest of h.
func sumAlone(dst *[Size]byte, h hash.Hash) {
	if d, ok := h.(*digest); ok {
		d.sum(dst)
		return
	}
	copy(dst[:], h.Sum(dst[:0])) // Sum may return other memory
}

func checkLengths(function string, a, b int) {
	if a != b {
		panic(fmt.Sprintf("sha256: %s: slices of different lengths, %d and %d", function, a, b))
	}
}

func checkHash(function string, i int, h hash.Hash) {
	if _, ok := h.(*serverHash); ok || h == nil { // for other hashes no function is called
		checkServerHash(function, i, h)
	}
}

func checkServerHash(function string, i int, h hash.Hash) {
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
	case ok && d.inUse.Load():
		return "is used by another goroutine"
	}
	return ""
}
