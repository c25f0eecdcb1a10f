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
