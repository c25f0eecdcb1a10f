package lanes

import (
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// EqualWork is a list of jobs of equal length. A job costs less than in Work: jobs are not
// sorted, lanes are not refilled, and no scratch is needed.
type EqualWork interface {
	// Start returns the state from which job i starts, and its blocks. The state stays
	// as it is.
	Start(i int) (h *block.State, blocks []byte)
	// Done reports the state of job i after its blocks.
	Done(i int, h *block.State)
}

// RunEqual does jobs 0 to n-1 of w. Each has the given number of blocks, at least one.
func RunEqual(n, blocks int, w EqualWork) {
	g := acquire()
	fetcher, _ := w.(Fetcher)
	if blocks < minFetched {
		fetcher = nil
	}
	fetchWave(fetcher, 0, g.Width(), n)
	for base := 0; base < n; {
		live := g.wave(n-base, blocks, blocks)
		g.retire(live)
		for i := range live {
			h, p := w.Start(base + i)
			j := &g.jobs[i]
			j.H = *h
			g.state[i], g.next[i] = &j.H, unsafe.SliceData(p)
		}
		g.compressEqual(live, blocks)
		fetchWave(fetcher, base+live, g.Width(), n)
		for i := range live {
			w.Done(base+i, &g.jobs[i].H)
		}
		base += live
	}
	g.retire(0)
	g.release()
}

// minFetched is the smallest number of blocks of equal jobs that are fetched. There,
// fetching costs 4% of the time if the jobs are in cache, and saves 25% if they are not.
const minFetched = 8

// fetchWave fetches the jobs of a wave that starts with job `first` and has at most
// `most` jobs. n is the number of all jobs.
func fetchWave(f Fetcher, first, most, n int) {
	if f != nil {
		for i := first; i < min(first+most, n); i++ {
			f.Fetch(i)
		}
	}
}

// Ends is a list of messages whose whole blocks are compressed.
type Ends interface {
	// End returns the state of message i, the rest of the message, less than a block,
	// and the length of the whole message in bytes. They stay as they are.
	End(i int) (h *block.State, rest []byte, length uint64)
}

// nearEnds is the largest number of ends that are assumed to be in cache.
const nearEnds = 1024

// SumEnds sets dst[i] to the digest of message i of e, for every i.
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
	var messageOf [block.MaxLanes]uint8
	two, one := 0, len(dst)
	for i := range dst {
		h, rest, length := e.End(base + i)
		lane := two
		if block.PaddedBlocks(len(rest)) == 1 {
			one--
			lane = one
		} else {
			two++
		}
		messageOf[lane] = uint8(i)
		j := &g.jobs[lane]
		j.H = *h
		g.state[lane] = &j.H
		block.Pad((*[block.MaxTail]byte)(j.Scratch[:]), rest, length)
	}
	g.retire(len(dst))
	g.compressScratch(len(dst), 0, 1)
	g.retire(two)
	g.compressScratch(two, block.Size, 1)
	for lane := range dst {
		block.PutDigest(&dst[messageOf[lane]], &g.jobs[lane].H)
	}
}
