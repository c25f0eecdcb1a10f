package sha256

import (
	"fmt"
	"hash"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// SumMany sets dst[i] to Sum256(msgs[i]) for every i. It hashes the messages side by side
// on the calling goroutine. It starts no other goroutine. Once its pools are filled, it
// allocates nothing. A nil message is an empty message. dst must not overlap any message.
//
// It panics, before it touches anything, if dst and msgs differ in length.
func SumMany[D ~[Size]byte](dst []D, msgs [][]byte) {
	sumMany(convert.Digests[[Size]byte](dst), msgs)
}

func sumMany(dst [][Size]byte, msgs [][]byte) {
	checkLengths("SumMany", len(dst), len(msgs))
	if len(msgs) <= 1 || block.UsesStd() {
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
	if len(msgs) <= 1 || block.UsesStd() {
		for i, m := range msgs {
			dst[i] = Sum224(m)
		}
		return
	}
	if lanes.AreFew(msgs, 0, lanes.NotNested) {
		p := lanes.Prefix{H: block.IV224}
		var sum [Size]byte
		for i, m := range msgs {
			p.Sum(&sum, m)
			dst[i] = D([Size224]byte(sum[:]))
		}
		return
	}
	sums := lists224.Get().(*list224)
	for len(msgs) > 0 {
		n := min(len(sums), len(msgs))
		lanes.SumManyAfter(sums[:n], &lanes.Prefix{H: block.IV224}, msgs[:n])
		for i := range n {
			dst[i] = D([Size224]byte(sums[i][:]))
		}
		dst, msgs = dst[n:], msgs[n:]
	}
	lists224.Put(sums)
}

// list224 holds digests of SHA-224 before they are truncated to 28 bytes.
type list224 [1024][Size]byte

var lists224 = sync.Pool{New: func() any { return new(list224) }}

// WriteHashes has the effect of hs[i].Write(data[i]) for every i, in order. It writes to
// the hashes of this package side by side on the calling goroutine. If there are few hashes
// or little data, it writes to them one by one where that is faster. It starts no other
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
	if len(hs) == 1 {
		if _, ok := hs[0].(*serverHash); !ok && hs[0] != nil {
			hs[0].Write(data[0])
			return
		}
	}
	foreign, std, bytes, alike, servers := surveyWrites(hs, data)
	if servers {
		for i, h := range hs {
			checkHash("WriteHashes", i, h)
		}
	}
	// For most lists of little data, NeverPay alone decides. For most others, weighLengths
	// does. bytes/BlockSize ignores the partial blocks that hashes hold before and after the
	// write. On average, these cancel out.
	each, more := classCycles, 0
	if alike {
		each = equalCycles
	}
	if foreign == len(hs) {
		more = wrapCycles // a lower bound: takeCycles is larger
	}
	few := lanes.NeverPay(len(hs), bytes/BlockSize, each+more, equalListCycles) ||
		weighLengths(hs, data, std, foreign > std, more)
	taken := false
	if !few && foreign > 0 {
		few, taken = weighWrites(hs, data)
	}
	switch {
	case few && !servers:
		for i, h := range hs {
			h.Write(data[i])
		}
	case taken:
		flushMany(hs)
		if err := writeTaken(hs, data); err != nil {
			panic(fmt.Sprintf("sha256: WriteHashes: %v", err))
		}
	default:
		if servers {
			flushMany(hs)
		}
		writeRuns(hs, data)
	}
}

// surveyWrites returns what WriteHashes first learns of its arguments. `foreign` is the number
// of hashes of other packages. `std` is the number of those of them that are written to alone:
// hashes of crypto/sha256 with less than minTaken bytes to write. The writes that are not
// done alone have `bytes` bytes in all. alike is set if blocksAbout is the same for each of
// them. servers is set if a hash is a Server's, or nil: then the hashes must be checked. The
// loop calls nothing and fills no struct, so the variables stay in registers. That saves some
// nanoseconds for each hash.
func surveyWrites(hs []hash.Hash, data [][]byte) (foreign, std, bytes int, alike, servers bool) {
	shortest, longest := math.MaxInt, 0
	stdType := stdType // a copy, so that the loop does not load it
	for i, h := range hs {
		n := len(data[i])
		if _, ok := h.(*digest); !ok {
			if typeOf(h) == stdType && n < minTaken {
				foreign, std = foreign+1, std+1
				continue
			}
			if _, ok := h.(*serverHash); ok || h == nil {
				servers = true
			} else {
				foreign++
			}
		}
		bytes += n
		shortest, longest = min(shortest, n), max(longest, n)
	}
	return foreign, std, bytes, blocksAbout(shortest) == blocksAbout(longest), servers
}

// blocksAbout returns how many blocks n bytes complete in a hash that holds half a block.
func blocksAbout(n int) int { return (n + BlockSize/2) / BlockSize }

// weighLengths reports whether writing data to hs one by one takes less time than side by
// side. It assumes that each hash holds half a block. Side by side, a hash costs `more`
// cycles on top of the cost of a hash of this package. `std` is the number of short writes
// to hashes of crypto/sha256, which are done alone. These writes split the other writes
// into runs. But if hs holds further foreign hashes (`others`), writeTaken may run, so all
// other writes count as one run. data must not be empty.
func weighLengths(hs []hash.Hash, data [][]byte, std int, others bool, more int) bool {
	if std == 0 { // one run
		equal := 0 // how many first lengths are equal: they need no tally each
		for equal < len(data) && len(data[equal]) == len(data[0]) {
			equal++
		}
		run := lanes.TallyEqual(equal, blocksAbout(len(data[0])))
		for _, p := range data[equal:] {
			run = run.With(blocksAbout(len(p)))
		}
		return areFewWrites(run, len(hs), more)
	}
	var run lanes.Tally
	for i, p := range data {
		if len(p) >= minTaken || typeOf(hs[i]) != stdType {
			run = run.With(blocksAbout(len(p)))
		} else if !others {
			if run.Jobs() > 1 && !areFewWrites(run, len(hs), more) {
				return false
			}
			run = lanes.Tally{}
		}
	}
	return areFewWrites(run, len(hs), more)
}

// weighWrites returns in `few` whether writing data to hs one by one takes less time than
// side by side. It returns in `taken` whether writing side by side needs writeTaken.
func weighWrites(hs []hash.Hash, data [][]byte) (few, taken bool) {
	var all, run lanes.Tally
	wraps, takes, runsAreFew := 0, 0, true
	for i, h := range hs {
		blocks := len(data[i]) / BlockSize
		switch d := h.(type) {
		case *digest:
			blocks = (int(d.n) + len(data[i])) / BlockSize
		case *serverHash:
		default:
			to := writesTo(h)
			switch {
			case to != nil:
				d := flushedDigest(to)
				blocks = (int(d.n) + len(data[i])) / BlockSize
				wraps = wrapCycles
			case len(data[i]) >= minTaken && isTaken(h):
				takes = takeCycles
			default: // h ends a run of writeRuns
				if run.Jobs() > 0 {
					runsAreFew = runsAreFew && areFewWrites(run, len(hs), 0)
					all, run = all.Plus(run), lanes.Tally{}
				}
				continue
			}
		}
		run = run.With(blocks)
	}
	if wraps+takes > 0 {
		all = all.Plus(run)
		return areFewWrites(all, len(hs), wraps+takes), true
	}
	return runsAreFew && areFewWrites(run, len(hs), 0), false
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
	// longest is the length of the longest run of hashes that have ends.
	longest, anyBuffered := 0, false
	if foreign, std := areForeign(hs); foreign {
		longest = std
		if std > 0 && std < len(hs) {
			longest = longestStd(hs)
		}
		if stdAreFew(longest) {
			for i, h := range hs { // sumAlone, inlined by hand: the call takes half a nanosecond
				if sum := h.Sum(dst[i][:0]); unsafe.SliceData(sum) != &dst[i][0] {
					copy(dst[i][:], sum)
				}
			}
			return
		}
	} else {
		longest, anyBuffered = checkSums(hs)
		if !lanes.SideBySide(longest) || !anyBuffered && endsAreFew(hs, longest) {
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
		if runIsFew(hs[:n]) {
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
func areForeign(hs []hash.Hash) (foreign bool, std int) {
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
	for _, h := range hs {
		if run++; typeOf(h) != stdType {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// stdAreFew reports whether n hashes of crypto/sha256 take less time by their method Sum than
// side by side. For few, it asks NeverPay first: that takes less time than AreFewEqual (see
// fewEnds).
func stdAreFew(n int) bool {
	return n <= fewEnds && lanes.NeverPay(n, n, stdCycles, 0) || lanes.AreFewEqual(n, 1, stdCycles)
}

// runIsFew is endsAreFew for a run of hashes that have ends.
func runIsFew(run []hash.Hash) bool {
	if !slices.ContainsFunc(run, func(h hash.Hash) bool { return !isStd(h) }) {
		return stdAreFew(len(run))
	}
	return endsAreFew(run, len(run))
}

// isOwnOrNil reports whether h is nil or a hash of this package.
func isOwnOrNil(h hash.Hash) bool {
	_, isDigest := h.(*digest)
	_, isServers := h.(*serverHash)
	return h == nil || isDigest || isServers
}

// sumEach sets dst to the digests of hs, one after the other.
func sumEach(dst [][Size]byte, hs []hash.Hash) {
	for i, h := range hs {
		if d, ok := h.(*digest); ok {
			d.sum(&dst[i])
		} else {
			sumAlone(&dst[i], h)
		}
	}
}

// fewEnds is the largest number of ends for which lanes.NeverPay decides first. For more
// ends, NeverPay may contradict the plan: it leaves out that short messages share calls.
const fewEnds = 8

// endsAreFew reports whether hashing the ends of hs, one or two blocks each, takes less
// time one after the other than side by side. `longest` is the length of the longest run of
// hashes that have ends. Up to fewEnds ends are few if they never pay, counted as two
// blocks each. Otherwise that run decides, with each of its ends counted as one block. But
// if side by side loses by that count, and the run is all of hs, the actual numbers of
// blocks decide. A hash of crypto/sha256 does not tell how many; it counts as one block.
func endsAreFew(hs []hash.Hash, longest int) bool {
	if longest <= fewEnds && lanes.NeverPay(longest, 2*longest, sumCycles, 0) {
		return true
	}
	if few := lanes.AreFewEqual(longest, 1, sumCycles); !few || longest < len(hs) {
		return few
	}
	two := 0 // how many ends take two blocks
	for _, h := range hs {
		rest := 0
		switch h := h.(type) {
		case *digest:
			rest = int(h.n)
		case *serverHash:
			rest = int(h.n)
		}
		two += block.PaddedBlocks(rest) - 1
	}
	return two == 0 || lanes.TallyEqual(len(hs)-two, 1).Plus(lanes.TallyEqual(two, 2)).AreFew(sumCycles)
}

// sumAlone sets dst to the digest of h.
func sumAlone(dst *[Size]byte, h hash.Hash) {
	if sum := h.Sum(dst[:0]); unsafe.SliceData(sum) != &dst[0] { // other memory
		copy(dst[:], sum)
	}
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
	case ok && d.inUse.Load():
		return "is used by another goroutine"
	}
	return ""
}
