package sha256

import (
	"hash"
	"math"
	"slices"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// What hashes cost side by side, in cycles on top of what they cost alone and what package
// lanes knows of. The CPU on which a cost was measured stands behind it.
const (
	// If any hash writes to another hash, each hash costs wrapCycles more. If the state of
	// any hash is taken, each hash costs takeCycles more.
	wrapCycles = 80  // Granite Rapids
	takeCycles = 500 // Granite Rapids
	// If all writes that complete blocks complete equally many, and some complete none, the list
	// costs apartCycles more, and each of the latter idleCycles.
	apartCycles = 240 // Granite Rapids
	idleCycles  = 40  // Granite Rapids
)

// surveyWrites returns what WriteHashes first learns of its arguments. `foreign` is the number
// of hashes of other packages. `alone` is the number of those of them that are written to
// alone: hashes of crypto/sha256 with less than minTaken bytes to write. The writes that are
// not done alone have `bytes` bytes in all, and `shortest` to `longest` bytes each. servers is
// set if a hash is a Server's, or nil: then the hashes must be checked. The loops call nothing
// and fill no struct. The first loop is there because most lists hold hashes of one type. The second
// loop takes up to 1 ns longer for each hash (Emerald Rapids): its variables do not fit into
// registers.
func surveyWrites(hs []hash.Hash, data [][]byte) (foreign, alone, bytes, shortest, longest int, servers bool) {
	shortest = math.MaxInt
	i, others := 0, 0
	if len(hs) > 0 && typeAt(hs, 0) != stdType && !isServersOrNil(hs[0]) {
		for first := typeAt(hs, 0); i < len(hs) && typeAt(hs, i) == first; i++ {
			n := len(data[i])
			bytes += n
			shortest, longest = min(shortest, n), max(longest, n)
		}
		if _, own := hs[0].(*digest); !own {
			others = i
		}
	}
	stdType := stdType // a copy, so that the loop does not load it
	for ; i < len(hs); i++ {
		n := len(data[i])
		if typeAt(hs, i) == stdType && n < minTaken {
			alone++
			continue
		}
		if isServersOrNil(hs[i]) {
			servers = true
		} else if _, own := hs[i].(*digest); !own {
			others++
		}
		bytes += n
		shortest, longest = min(shortest, n), max(longest, n)
	}
	return others + alone, alone, bytes, shortest, longest, servers
}

// alwaysOneByOne reports whether n writes need no further weighing: they take less time one by
// one. They have `bytes` bytes in all, and `shortest` to `longest` bytes each. The partial blocks
// that hashes hold before and after the write are ignored: on average, they cancel out. Side by
// side, each hash costs at least `more` cycles more than one of this package. The tables of unequal
// writes leave `more` out. If apart is set, other hashes may split the writes into runs.
func alwaysOneByOne(n, bytes, shortest, longest, more int, apart bool) bool {
	blocks, kind := bytes/BlockSize, lanes.EqualWrites // no kind costs less
	// Writes whose lengths differ by less than a block may complete equally many blocks, and are
	// weighed as equal. But if some are below a block, their hashes seldom hold enough for that.
	if shortest < longest && (shortest < BlockSize || longest-shortest >= BlockSize) {
		if n <= block.MaxLanes {
			return lanes.UnequalOneByOne(n, blocks, apart || isFewLong(shortest, longest))
		}
		kind = kindOf(lanes.TallyBetween(n, blocks, shortest/BlockSize, longest/BlockSize), n)
	} else if n <= block.MaxLanes && lanes.ShortOneByOne(n, blocksOf(longest, BlockSize-1)) {
		return true
	}
	return lanes.AlwaysOneByOne(kind, n, leastJobs(n, bytes, shortest, longest), blocks, more)
}

// leastJobs returns how many of n writes AlwaysOneByOne charges. The writes have `bytes` bytes
// in all, and `shortest` to `longest` bytes each. It charges as many of equal length as there are
// blocks: the others complete none, and cost little. If lengths differ, so do the
// hashes, and which of them complete a block cannot be predicted. Then each hash costs as much as
// a job. But where long writes stand beside short ones, only as many are charged as are needed
// for all the bytes.
func leastJobs(n, bytes, shortest, longest int) int {
	switch {
	case shortest == longest:
		return min(n, bytes/BlockSize)
	case isFewLong(shortest, longest):
		return (bytes + longest - 1) / longest
	}
	return n
}

// isFewLong reports whether writes of `shortest` to `longest` bytes may be a few long ones beside short
// ones that complete no block. The limit of shortest is of Granite Rapids, that of longest of Emerald
// Rapids.
func isFewLong(shortest, longest int) bool {
	return shortest < BlockSize && longest >= 4*BlockSize
}

// blocksOf returns how many blocks n bytes complete in a hash that holds `held` bytes.
func blocksOf(n, held int) int { return int((uint(n) + uint(held)) / BlockSize) }

// heldAbout returns bounds of the number of bytes of a block that each hash is assumed to hold. It
// looks at a few of the hashes. If all of these are of this package, or all write to hashes of this
// package, and all hold the same number of bytes, both bounds are that number. Otherwise the bounds
// allow any number. hs must not be empty.
func heldAbout(hs []hash.Hash) (least, most int) {
	first, own := hs[0].(*digest)
	if !own {
		first, _ = writesTo(hs[0]).(*digest)
	}
	if first == nil {
		return 0, BlockSize - 1
	}
	for i := 1; i < len(hs); i += 1 + len(hs)/4 {
		d, ok := hs[i].(*digest)
		if !own {
			d, ok = writesTo(hs[i]).(*digest)
		}
		if !ok || d.n != first.n {
			return 0, BlockSize - 1
		}
	}
	return int(first.n), int(first.n)
}

// allWrap reports whether all of hs are of one type, and hs[0] writes to another hash (see
// writesTo). hs must not be empty.
func allWrap(hs []hash.Hash) bool {
	first := typeAt(hs, 0)
	for i := range hs {
		if typeAt(hs, i) != first {
			return false
		}
	}
	return writesTo(hs[0]) != nil
}

// weighLengths reports whether writing data to hs one by one takes less time than side by side.
// It assumes that each hash holds as many bytes as heldAbout says. The writes have `bytes` bytes
// in all, and `shortest` to `longest` bytes each. Side by side, a hash costs `more` cycles on top
// of the cost of a hash of this package. hs must not be empty.
func weighLengths(hs []hash.Hash, data [][]byte, bytes, shortest, longest, more int) bool {
	least, most := heldAbout(hs)
	t := tallyAbout(data, bytes, shortest, longest, least, most)
	n := len(hs)
	if isFresh := most == 0 && longest%BlockSize > 0; isFresh && n > block.MaxLanes && kindOf(t, n) == lanes.EqualWrites {
		more -= lanes.FreshCycles()
	}
	return writesOneByOne(t, n, more)
}

// tallyAbout tallies the blocks that writing data completes, if the hashes hold `least` to `most`
// bytes. The writes have `bytes` bytes in all, and `shortest` to `longest` bytes each. All count
// as jobs (see leastJobs), unless few are long (see tallyFew).
func tallyAbout(data [][]byte, bytes, shortest, longest, least, most int) lanes.Tally {
	if isFewLong(shortest, longest) {
		return tallyFew(data, bytes, longest, least, most)
	}
	// A write completes, with its own bytes, those that the hash held, less half a block that is
	// left on average.
	bytes += len(data) * ((least+most+1)/2 - BlockSize/2)
	return lanes.TallyBetween(len(data), bytes/BlockSize, blocksOf(shortest, least), blocksOf(longest, most))
}

// tallyFew is tallyAbout for writes of which few are long, beside short ones (see isFewLong). If it
// is known what the hashes hold, it counts the blocks. Otherwise, a write of less than a block
// counts as a fraction of a job: the probability that it completes a block.
func tallyFew(data [][]byte, bytes, longest, least, most int) (t lanes.Tally) {
	if least == most {
		for _, p := range data {
			t = t.With(blocksOf(len(p), least))
		}
		return t
	}
	parts := 0 // of jobs
	for _, p := range data {
		parts += min(len(p), BlockSize)
	}
	jobs := (parts + BlockSize/2) / BlockSize
	return lanes.TallyBetween(jobs, bytes/BlockSize, 1, blocksOf(longest, most))
}

// isAlone reports whether write i is done alone: it is short, and to a hash of crypto/sha256.
func isAlone(hs []hash.Hash, data [][]byte, i int) bool {
	return len(data[i]) < minTaken && typeAt(hs, i) == stdType
}

// weighRuns reports whether writing data to hs one by one takes less time than side by side.
// It assumes that each hash holds half a block. Some writes are done alone, and split the other
// writes into runs. But if hs holds further foreign hashes (`others`), writeTaken may run, so all
// other writes count as one run. Side by side, a hash costs `more` cycles on top of the cost of
// a hash of this package.
func weighRuns(hs []hash.Hash, data [][]byte, others bool, more int) bool {
	if others {
		var all lanes.Tally
		for i, p := range data {
			if !isAlone(hs, data, i) {
				all = all.With(blocksOf(len(p), BlockSize/2))
			}
		}
		return writesOneByOne(all, len(hs), more)
	}
	for start, end := nextRun(hs, data, 0); start < end; start, end = nextRun(hs, data, end) {
		var run lanes.Tally
		for _, p := range data[start:end] {
			run = run.With(blocksOf(len(p), BlockSize/2))
		}
		if !writesOneByOne(run, end-start, more) {
			return false
		}
	}
	return true
}

// nextRun returns the first run hs[start:end] of two or more writes that are not done alone, with
// start at `from` or later. `from` is 0, or the end of the run before: then write `from` is done
// alone. If there is no run, both results are len(hs). nextRun looks at every second write: each
// run contains one of those.
func nextRun(hs []hash.Hash, data [][]byte, from int) (start, end int) {
	for i := from + 1; i < len(hs); i += 2 {
		if isAlone(hs, data, i) {
			continue
		}
		start, end = i, i+1
		if !isAlone(hs, data, i-1) {
			start--
		}
		for end < len(hs) && !isAlone(hs, data, end) {
			end++
		}
		if end-start > 1 {
			return start, end
		}
	}
	return len(hs), len(hs)
}

// weighWrites returns in `oneByOne` whether writing data to hs one by one takes less time than
// side by side. It returns in `taken` whether writing side by side needs writeTaken.
func weighWrites(hs []hash.Hash, data [][]byte) (oneByOne, taken bool) {
	var all, run lanes.Tally
	start := 0 // of the run
	wraps, takes, runsOneByOne := 0, 0, true
	for i, h := range hs {
		blocks := len(data[i]) / BlockSize
		switch d := h.(type) {
		case *digest:
			blocks = d.blocksWith(data[i])
		case *serverHash:
		default:
			to := writesTo(h)
			switch {
			case to != nil:
				blocks = flushedDigest(to).blocksWith(data[i])
				wraps = wrapCycles
			case len(data[i]) >= minTaken && isTaken(h):
				takes = takeCycles
			default: // h ends a run of writeRuns
				if run.Jobs() > 0 {
					runsOneByOne = runsOneByOne && writesOneByOne(run, i-start, 0)
					all, run = all.Plus(run), lanes.Tally{}
				}
				start = i + 1
				continue
			}
		}
		run = run.With(blocks)
	}
	if wraps+takes > 0 {
		all = all.Plus(run)
		return writesOneByOne(all, len(hs), wraps+takes), true
	}
	return runsOneByOne && writesOneByOne(run, len(hs)-start, 0), false
}

// runOneByOne is endsOneByOne for a run of hashes that have ends.
func runOneByOne(run []hash.Hash) bool {
	if !slices.ContainsFunc(run, func(h hash.Hash) bool { return !isStd(h) }) {
		return lanes.StdEndsOneByOne(len(run))
	}
	return endsOneByOne(run, len(run))
}

// endsOneByOne reports whether hashing the ends of hs, one or two blocks each, takes less
// time one by one than side by side. `longest` is the length of the longest run of hashes
// that have ends. That run decides, with each of its ends counted as one block. But if that run
// is all of hs, and ends of two blocks could decide, the actual numbers of blocks do. A hash of
// crypto/sha256 does not tell how many; it counts as one block.
func endsOneByOne(hs []hash.Hash, longest int) bool {
	least := lanes.LeastEnds(longest)
	if least == longest || least > 2*longest || longest < len(hs) {
		return least > longest
	}
	blocks := 0
	for _, h := range hs {
		rest := 0
		switch h := h.(type) {
		case *digest:
			rest = int(h.n)
		case *serverHash:
			rest = int(h.n)
		}
		blocks += block.PaddedBlocks(rest)
	}
	return blocks < least
}

// writesOneByOne reports whether the writes in t take less time one by one than side by side.
// t tallies the blocks of some or all of n writes. Side by side, each write costs `more`
// cycles on top of what package lanes knows of.
func writesOneByOne(t lanes.Tally, n, more int) bool {
	if t.Jobs() <= 1 {
		return true
	}
	kind := kindOf(t, n)
	if t.IsEqual() && t.Jobs() < n {
		more += (apartCycles + idleCycles*(n-t.Jobs())) / t.Jobs()
	}
	if n > nearHashes {
		more += lanes.FarCycles(kind)
	}
	return t.OneByOne(kind, more)
}

// kindOf returns how n writes go side by side, if t tallies the blocks of all of them. If t
// tallies only some, equal writes that are too long for classes count as mixed.
func kindOf(t lanes.Tally, n int) lanes.Kind {
	switch {
	case t.IsEqual() && t.Jobs() == n:
		return lanes.EqualWrites
	case t.HasClasses():
		return lanes.ClassedWrites
	}
	return lanes.MixedWrites
}
