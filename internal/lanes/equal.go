package lanes

import (
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// EqualWork is a list of jobs. Those with the same number of blocks run together. A job
// costs less than in Work, since lanes are not refilled.
type EqualWork interface {
	// Start returns the state from which job i starts, and the blocks of job i. `first` is
	// the first block, or nil. `blocks` holds the other blocks, or all blocks if `first` is
	// nil. The state is not modified. The blocks must not change until Done.
	Start(i int) (h *block.State, first, blocks []byte)
	// Done reports the state of job i after its blocks.
	Done(i int, h *block.State)
}

// RunEqual does jobs 0 to n-1 of w. Each has the given number of blocks, at least one.
func RunEqual(n, blocks int, w EqualWork) {
	g := acquire()
	g.base, g.sorted = 0, false
	g.runEqual(0, n, blocks, w)
	g.retire(0)
	g.release()
}

// ClassedWork is a list of jobs with different numbers of blocks. RunByClasses sorts them
// into classes by number of blocks, and runs each class like EqualWork.
type ClassedWork interface {
	EqualWork
	// Blocks returns the number of blocks of job i.
	Blocks(i int) int
}

// RunByClasses does jobs 0 to n-1 of w, for which Tally.HasClasses is true. Jobs with the
// same number of blocks run like those of RunEqual. Jobs without blocks are not started.
func RunByClasses(n int, w ClassedWork) {
	g := acquire()
	g.sorted = true
	for g.base = 0; g.base < n; g.base += window {
		g.count = min(window, n-g.base)
		buckets, places := g.buckets[:g.count], g.places[:maxClassed+1]
		clear(places)
		for i := range buckets {
			b := uint16(w.Blocks(g.base + i))
			buckets[i] = b
			places[b]++
		}
		g.arrange(buckets, places)
		from := 0
		for b := maxClassed; b > 0; b-- {
			if to := int(places[b]); to > from {
				g.runEqual(from, to, b, w)
				from = to
			}
		}
	}
	g.retire(0)
	g.release()
}

// maxClassed is the largest number of blocks of a job that RunByClasses does. Each number
// of blocks has its own bucket.
const maxClassed = 16

// runEqual does jobs numberOf(from) to numberOf(to-1). Each has the given number of blocks.
func (g *group) runEqual(from, to, blocks int, w EqualWork) {
	fetcher, _ := w.(Fetcher)
	if blocks < minFetched {
		fetcher = nil
	}
	fetch := func(first int) {
		if fetcher != nil {
			for i := first; i < min(first+g.Width(), to); i++ {
				fetcher.Fetch(g.numberOf(i))
			}
		}
	}
	fetch(from)
	var rest [maxJobs]*byte // each job's blocks after the first block
	for from < to {
		live := g.wave(to-from, blocks, blocks)
		g.retire(live)
		apart := 0 // 1 if some job's first block is not contiguous with its others
		for i := range live {
			h, first, p := w.Start(g.numberOf(from + i))
			j := &g.jobs[i]
			j.H = *h
			g.state[i], g.next[i] = &j.H, unsafe.SliceData(p)
			switch {
			case first != nil:
				g.next[i], rest[i] = unsafe.SliceData(first), unsafe.SliceData(p)
				apart = 1
			case blocks > 1:
				rest[i] = block.Advance(g.next[i], 1)
			}
		}
		if apart == 1 {
			g.compressEqual(live, 1)
			copy(g.next[:live], rest[:live])
		}
		if blocks > apart {
			g.compressEqual(live, blocks-apart)
		}
		fetch(from + live)
		for i := range live {
			w.Done(g.numberOf(from+i), &g.jobs[i].H)
		}
		from += live
	}
}

// minFetched is the smallest number of blocks of a job for which runEqual prefetches. For
// jobs of that size, prefetching costs 4% of the time if the jobs are in cache, and saves
// 25% if they are not.
const minFetched = 8

// fetchWave prefetches the messages of a wave that starts with message `first` and has at
// most `most` messages. The list has n messages.
func fetchWave(f Fetcher, first, most, n int) {
	if f != nil {
		for i := first; i < min(first+most, n); i++ {
			f.Fetch(i)
		}
	}
}

// Ends is a list of messages whose whole blocks are compressed.
type Ends interface {
	// End puts the end of message i into j, and returns what SetEnd or ReadEnd returned.
	End(i int, j *Job) (at, blocks int)
}

// SetEnd puts the end of a message into j. h is the state after the whole blocks, rest the
// remaining bytes, less than a block, and length that of the whole message in bytes. SetEnd
// returns where in the scratch the end begins, and how many blocks it has.
func (j *Job) SetEnd(h *block.State, rest []byte, length uint64) (at, blocks int) {
	j.H = *h
	return 0, block.Pad((*[block.MaxTail]byte)(j.Scratch[:]), rest, length) / block.Size
}

// ReadEnd is SetEnd for the message of h, a hash of crypto/sha256. The marshalled state of h
// goes into the scratch; the partial block is then in place. Of that form, ReadEnd leaves
// only the end and the length. If the state cannot be read, ReadEnd returns 0 blocks.
func (j *Job) ReadEnd(h block.StdHash) (at, blocks int) {
	form := (*block.Marshaled)(j.Scratch[:])
	if !form.Read(h) {
		return 0, 0
	}
	_, length := form.Decode(&j.H)
	at = block.PartialAt
	*(*[block.PartialAt]byte)(j.Scratch[:]) = [block.PartialAt]byte{}
	return at, block.PadInPlace((*[block.MaxTail]byte)(j.Scratch[at:]), length) / block.Size
}

// nearEnds is the largest number of ends that are assumed to be in cache.
const nearEnds = 1024

// SumEnds sets dst[i] to the digest of message i of e, for every i. If End returned 0 blocks
// for a message, its digest is undefined.
func SumEnds(dst [][block.DigestSize]byte, e Ends) {
	g := acquire()
	fetcher, _ := e.(Fetcher)
	if len(dst) <= nearEnds {
		fetcher = nil
	}
	for base := 0; base < len(dst); base += g.maxShortWave() {
		n := min(g.maxShortWave(), len(dst)-base)
		fetchWave(fetcher, base+n, g.maxShortWave(), len(dst))
		g.sumEnds(dst[base:base+n], base, e)
	}
	g.retire(0)
	g.release()
}

// sumEnds is SumEnds for messages base to base+len(dst)-1, at most maxShortWave of them.
func (g *group) sumEnds(dst [][block.DigestSize]byte, base int, e Ends) {
	// Messages whose padding takes two blocks have the first lanes, so that these lanes
	// can go on alone.
	two, one := 0, len(dst)
	for i := range dst {
		j := &g.jobs[i]
		at, blocks := e.End(base+i, j)
		lane := two
		if blocks == 2 {
			two++
		} else {
			one--
			lane = one
		}
		g.state[lane], g.next[lane] = &j.H, &j.Scratch[at]
	}
	g.retire(len(dst))
	g.compressAll(len(dst), 0, 1)
	g.retire(two)
	g.compressAll(two, 1, 1)
	for i := range dst {
		block.PutDigest(&dst[i], &g.jobs[i].H)
	}
}
