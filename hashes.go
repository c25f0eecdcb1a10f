package sha256

import (
	"fmt"
	"hash"
	"slices"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// WriteHashes has the effect of hs[i].Write(data[i]) for every i, in order. It writes to
// the hashes of this package side by side on the calling goroutine. If there are few hashes,
// or little data for each, it writes to them one by one where that is faster. It starts no other
// goroutine. Once its pools are filled, it allocates nothing. It does not read data after
// it returns. A hash that occurs in hs more than once takes its data in order. The hashes
// of package hmac run side by side with the hashes of this package. So do hashes of
// crypto/sha256 with 1 KiB or more to write, unless crypto/sha256 compresses for this
// package, as in FIPS 140-3 mode. WriteHashes calls the method Write of any other hash. The
// hashes before such a hash do not run side by side with those after it. If reading data
// faults and the caller recovers, each write to a hash of this package has happened as a
// whole or not at all.
//
// WriteHashes panics, before it touches anything, if hs and data differ in length, or
// if a hash is nil, or is a [Server]'s hash that was copied by value.
func WriteHashes(hs []hash.Hash, data [][]byte) {
	checkLengths("WriteHashes", len(hs), len(data))
	switch len(hs) {
	case 0:
		return
	case 1:
		if _, ok := hs[0].(*serverHash); !ok && hs[0] != nil {
			hs[0].Write(data[0])
			return
		}
	}
	foreign, alone, bytes, shortest, longest, servers := surveyWrites(hs, data)
	if servers {
		for i, h := range hs {
			checkHash("WriteHashes", i, h)
		}
	}
	if alone == len(hs) {
		writeEach(hs, data)
		return
	}
	more := 0
	if foreign == len(hs) {
		more = wrapCycles // a lower bound: takeCycles is larger
	}
	// For most lists of little data, alwaysOneByOne alone decides.
	oneByOne := alwaysOneByOne(len(hs)-alone, bytes, shortest, longest, more, foreign > 0)
	switch {
	case oneByOne:
	case alone == 0:
		oneByOne = weighLengths(hs, data, bytes, shortest, longest, more)
	default:
		oneByOne = weighRuns(hs, data, foreign > alone, more)
	}
	taken := false
	if !oneByOne && foreign > 0 {
		if taken = allWrap(hs); !taken { // else weighLengths has weighed what they write to
			oneByOne, taken = weighWrites(hs, data)
		}
	}
	switch {
	case oneByOne && !servers:
		writeEach(hs, data)
	case taken:
		flushMany(hs)
		if err := writeTaken(hs, data); err != nil {
			panic(fmt.Sprintf("sha256: WriteHashes: %v", err))
		}
	default:
		if servers {
			flushMany(hs)
		}
		writeRuns(hs, data, foreign == 0 && !oneByOne)
	}
}

// SumHashes sets dst[i] to the digest of the bytes written to hs[i], for every i, side by
// side on the calling goroutine. The hashes stay as they are, and may be written to
// further. SumHashes starts no other goroutine. Once its pools are filled, it allocates
// nothing. It sums few hashes one by one, where that is faster. The hashes of crypto/sha256
// run side by side with those of this package, unless crypto/sha256 compresses for this
// package, as in FIPS 140-3 mode. For a hash of another package, including hmac, SumHashes
// calls the method Sum. The hashes before such a hash do not run side by side with those
// after it.
//
// SumHashes panics, before it touches anything, if dst and hs differ in length, or
// if a hash is nil, has a Size that is not 32, or is a [Server]'s hash that was
// copied by value.
func SumHashes[D ~[Size]byte](dst []D, hs []hash.Hash) {
	sumHashes(convert.Digests[[Size]byte](dst), hs)
}

func sumHashes(dst [][Size]byte, hs []hash.Hash) {
	checkLengths("SumHashes", len(dst), len(hs))
	if len(hs) == 0 {
		return
	}
	allForeign, std := false, 0
	if !isOwnOrNil(hs[0]) { // saves a call for most lists
		allForeign, std = areForeign(hs)
	}
	// longest is the length of the longest run of hashes that have ends.
	longest, anyBuffered := 0, false
	if allForeign {
		longest = std
		if std > 0 && std < len(hs) {
			longest = longestStd(hs)
		}
		if lanes.StdEndsOneByOne(longest) {
			for i, h := range hs { // sumAlone, inlined by hand: the call takes half a nanosecond
				if sum := h.Sum(dst[i][:0]); unsafe.SliceData(sum) != &dst[i][0] {
					copy(dst[i][:], sum)
				}
			}
			return
		}
	} else {
		longest, anyBuffered = checkSums(hs)
		oneByOne := longest <= 1 // needs no plan
		switch {
		case oneByOne:
		case anyBuffered:
			oneByOne = !lanes.HasLanes(longest)
		default:
			oneByOne = endsOneByOne(hs, longest)
		}
		if oneByOne {
			sumEach(dst, hs)
			return
		}
	}
	if anyBuffered {
		flushMany(hs)
	}
	w := endWorks.Get().(*endWork)
	defer w.release()
	if longest == len(hs) && !anyBuffered {
		w.sum(dst, hs)
		return
	}
	for len(hs) > 0 {
		// A run of hashes that have ends goes side by side.
		n := 0
		for n < len(hs) && hasEnd(hs[n]) {
			n++
		}
		if runOneByOne(hs[:n]) {
			n = max(n, 1)
			sumEach(dst[:n], hs[:n])
		} else {
			w.sum(dst[:n], hs[:n])
		}
		hs, dst = hs[n:], dst[n:]
	}
}

// checkSums panics if a hash breaks the rules of SumHashes. It returns the length of the
// longest run of hashes that have ends, and whether any Server's hash has data buffered.
func checkSums(hs []hash.Hash) (longest int, anyBuffered bool) {
	run := 0
	for i, h := range hs {
		if d, ok := h.(*digest); ok && !d.is224 {
			run++
			longest = max(longest, run)
			continue
		}
		if d, ok := h.(*serverHash); ok || h == nil {
			checkHash("SumHashes", i, h)
			run++
			anyBuffered = anyBuffered || d.buffered != nil
		} else if isTaken(h) {
			run++
		} else {
			run = 0
		}
		longest = max(longest, run)
		if n := h.Size(); n != Size {
			panic(fmt.Sprintf("sha256: SumHashes: hash %d has digests of %d bytes, not %d", i, n, Size))
		}
	}
	return longest, anyBuffered
}

// areForeign reports whether all of hs are hashes of other packages and have digests of
// Size bytes. It also returns how many are hashes of crypto/sha256 whose states can be taken.
// It is a separate loop so that few variables are spilled around the calls of Size: that
// saves 2 ns for each hash of crypto/sha256.
func areForeign(hs []hash.Hash) (allForeign bool, std int) {
	for _, h := range hs {
		if isStd(h) {
			std++
		} else if isOwnOrNil(h) {
			return false, 0
		}
		if h.Size() != Size {
			return false, 0
		}
	}
	if block.UsesStd() {
		std = 0
	}
	return true, std
}

// longestStd returns the length of the longest run of hashes of crypto/sha256 in hs.
func longestStd(hs []hash.Hash) int {
	stdType := stdType // a copy, so that the loop does not load it
	run, longest := 0, 0
	for i := range hs {
		if run++; typeAt(hs, i) != stdType {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// isServersOrNil reports whether h is a Server's hash, or nil.
func isServersOrNil(h hash.Hash) bool {
	_, ok := h.(*serverHash)
	return ok || h == nil
}

// isOwnOrNil reports whether h is nil or a hash of this package.
func isOwnOrNil(h hash.Hash) bool {
	_, isDigest := h.(*digest)
	return isDigest || isServersOrNil(h)
}

// sumEach sets dst to the digests of hs, one by one.
func sumEach(dst [][Size]byte, hs []hash.Hash) {
	for i, h := range hs {
		if d, ok := h.(*digest); ok {
			d.sum(&dst[i])
		} else {
			sumAlone(&dst[i], h)
		}
	}
}

// sumAlone sets dst to the digest of h.
func sumAlone(dst *[Size]byte, h hash.Hash) {
	if sum := h.Sum(dst[:0]); unsafe.SliceData(sum) != &dst[0] { // other memory
		copy(dst[:], sum)
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
	case ok && d.inUse.Load():
		return "is used by another goroutine"
	}
	return ""
}

// writeEach writes data to hs, one by one.
func writeEach(hs []hash.Hash, data [][]byte) {
	for i, h := range hs {
		h.Write(data[i])
	}
}

// writeRuns is WriteHashes without checks. It does not take the state of a hash of
// crypto/sha256, but calls the hash's Write. If `sideBySide` is set, the caller has weighed all of
// hs, and they go side by side. But if a hash occurs twice, they are several runs, each weighed.
func writeRuns(hs []hash.Hash, data [][]byte, sideBySide bool) {
	all := len(hs)
	w := works.Get().(*work)
	defer w.release()
	for len(hs) > 0 {
		// A run of distinct hashes of this package goes side by side. A foreign hash ends the
		// run, since it may wrap a hash of the run.
		n, longest := 0, 0
		var t lanes.Tally
		w.hs, w.marked = hs, 0
		for ; n < len(hs); n++ {
			d := flushedDigest(hs[n])
			if d == nil || d.waiting {
				break
			}
			d.waiting = true
			w.marked = n + 1
			t = t.With(d.blocksWith(data[n]))
			longest = max(longest, len(data[n]))
		}
		w.hs, w.data = hs[:n], data[:n]
		left := t.Jobs() < n // hashes whose data completes no block are left to Write
		uneven := t.IsUneven() || left && t.Longest() > 1
		pays := t.Jobs() > 1 && (sideBySide && n == all || !writesOneByOne(t, n, 0))
		switch kind := kindOf(t, n); {
		case !pays:
			left = true
		case kind == lanes.EqualWrites:
			lanes.RunEqual(n, t.Longest(), (*equalWork)(w))
		case kind == lanes.ClassedWrites:
			lanes.RunByClasses(n, (*equalWork)(w))
		case n <= nearHashes && longest <= nearData:
			lanes.Run(n, (*nearWork)(w), uneven)
		default:
			lanes.Run(n, (*writeWork)(w), uneven)
		}
		if left {
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
