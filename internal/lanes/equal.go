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
	// nil. The state is not modified. The blocks must not change until Done. If job i no
	// longer has the number of blocks that it was counted with, as when two goroutines use one
	// hash, the call may panic. It never reads beyond the blocks of any job.
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
// into classes by number of blocks. The jobs of a class that fill the lanes run like EqualWork.
// Those left over, the longest first, fill the lanes again.
type ClassedWork interface {
	EqualWork
	// Blocks returns the number of blocks of job i.
	Blocks(i int) int
}

// RunByClasses does jobs 0 to n-1 of w, for which Tally.HasClasses is true. Jobs without
// blocks are not started.
func RunByClasses(n int, w ClassedWork) {
	g := acquire()
	g.sorted = true
	fetcher, _ := w.(Fetcher)
	fetch := func(numbers []uint16) {
		if fetcher != nil && len(numbers) > 0 && w.Blocks(g.base+int(numbers[0])) >= minFetched {
			for _, number := range numbers {
				fetcher.Fetch(g.base + int(number))
			}
		}
	}
	var rest [maxJobs]*byte
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
		left := g.buckets[:0] // the numbers of the jobs left over
		for b, from := maxClassed, 0; b > 0; b-- {
			to := int(places[b])
			if to == from {
				continue
			}
			full := to
			if to-from < int(places[1]) { // of the jobs with blocks, some are in other classes
				full = from + (to-from)/g.Width()*g.Width()
			}
			g.runEqual(from, full, b, w)
			left = append(left, g.order[full:to]...)
			from = to
		}
		next := left[:min(g.Width(), len(left))]
		fetch(next)
		for len(left) > 0 {
			now := next
			left = left[len(now):]
			next = left[:min(g.Width(), len(left))]
			fetch(next)
			g.runFalling(now, rest[:], w)
		}
	}
	g.retire(0)
	g.release()
}

// maxClassed is the largest number of blocks of a job that RunByClasses does. Each number of
// blocks has its own bucket. On Zen 3, 5 to 500 jobs of up to 8 blocks took 15% less time than
// with Run, of up to 24 blocks 3% less, and longer ones up to 4% more. For other CPUs,
// maxClassed is an estimate.
const maxClassed = 24

// runFalling does at most Width jobs of the window. `numbers` are their numbers in the window,
// those with the most blocks first. `rest` has room for a pointer for each of them.
func (g *group) runFalling(numbers []uint16, rest []*byte, w ClassedWork) {
	g.retire(len(numbers))
	apart := g.place(w, g.base, numbers, rest, 1, maxClassed)
	var blocks fallingBlocks
	for i := range numbers {
		blocks[i] = uint8(g.left[i])
	}
	if apart == 1 {
		g.compressEqual(len(numbers), 1)
		copy(g.next[:], rest[:len(numbers)])
	}
	blocks.forEach(len(numbers), apart, func(n, at, more int) {
		g.retire(n)
		g.compressAll(n, at-apart, more)
	})
	g.report(w, g.base, numbers)
}

// place puts jobs into the first lanes: job base+numbers[i] into lane i. It points `next` at
// their first blocks, and `rest` at the others. It sets `left` to their numbers of blocks. It
// returns 1 if the first block of some job is not contiguous with the job's other blocks, else 0.
// It panics if a job has fewer than `least` blocks, or more than `most` or than the job before.
func (g *group) place(w EqualWork, base int, numbers []uint16, rest []*byte, least, most int) (apart int) {
	for i, number := range numbers {
		h, first, p := w.Start(base + int(number))
		j := &g.jobs[i]
		n := (len(first) + len(p)) / block.Size
		if n < least || n > most {
			panic("sha256: a hash is used by two goroutines at the same time")
		}
		j.H = *h
		g.left[i], most = n, n
		g.state[i], g.next[i] = &j.H, unsafe.SliceData(p)
		switch {
		case first != nil:
			g.next[i], rest[i] = unsafe.SliceData(first), unsafe.SliceData(p)
			apart = 1
		case len(p) > block.Size:
			rest[i] = block.Advance(g.next[i], 1)
		}
	}
	return apart
}

// report calls Done for the jobs that place has put into lanes.
func (g *group) report(w EqualWork, base int, numbers []uint16) {
	for i, number := range numbers {
		w.Done(base+int(number), &g.jobs[i].H)
	}
}

// runEqual does jobs numberOf(from) to numberOf(to-1). Each has the given number of blocks.
func (g *group) runEqual(from, to, blocks int, w EqualWork) {
	fetcher, _ := w.(Fetcher)
	if blocks < minFetched {
		fetcher = nil
	}
	fetched := from
	fetch := func(first int) {
		if fetcher != nil {
			for ; fetched < min(first+g.plan.Even, to); fetched++ {
				fetcher.Fetch(g.numberOf(fetched))
			}
		}
	}
	fetch(from)
	var rest [maxJobs]*byte
	for from < to {
		live := g.wave(to-from, blocks, blocks)
		g.retire(live)
		base, numbers := g.base+from, g.inOrder[:live]
		if g.sorted {
			base, numbers = g.base, g.order[from:from+live]
		}
		apart := g.place(w, base, numbers, rest[:], blocks, blocks)
		if apart == 1 {
			g.compressEqual(live, 1)
			copy(g.next[:live], rest[:live])
		}
		if blocks > apart {
			g.compressEqual(live, blocks-apart)
		}
		fetch(from + live)
		g.report(w, base, numbers)
		from += live
	}
}

// minFetched is the smallest number of blocks of a job that is prefetched. For
// jobs of that size, prefetching costs 4% of the time if the jobs are in cache, and saves
// 25% if they are not.
const minFetched = 8
