// Package lanes runs the blocks of many messages side by side, on the kernels that
// package plan chooses. Package block has the kernels. Package lanes starts no
// goroutine. Once its pools are filled, it allocates nothing, but 64 bytes in SumHeaded.
//
// The longest jobs start first. While there are enough jobs, all lanes are live. They
// advance together by the smallest number of blocks that any of them has left, and a
// lane whose job ends gets the next job. The last jobs are too few to refill lanes.
// Where rotation (rotation.go) fills kernels better, the last jobs rotate: they share the
// lanes round robin, in time slices.
//
// Messages of equal length end together. They may fill more lanes (plan.Streams.Even) than jobs
// that end one by one.
//
// In a list that runs side by side, a message much longer than the others is treated like
// the others. While other messages run, each of its blocks costs less than alone. When the
// others are done, the long message runs alone, on the one-stream kernel.
package lanes

import (
	"math/bits"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// Work is a list of jobs. A job compresses whole blocks into a state.
type Work interface {
	// Blocks returns the number of blocks of job i. This number decides the order in which
	// jobs start.
	Blocks(i int) int
	// Start sets j to job i, by the method Set. Start may use j.H and j.Scratch: until Done,
	// only job i uses them. If job i has no blocks, Start returns false. Then job i is done,
	// and Done is not called.
	Start(i int, j *Job) bool
	// Done reports that the state of job i has taken in all its blocks.
	Done(i int, j *Job)
}

// A Fetcher is Work, EqualWork or Ends whose memory may be far from the core. Fetch
// prefetches memory of job i: the beginning and end of its data, its state, or both.
type Fetcher interface{ Fetch(i int) }

// fetchAhead is the smallest number of jobs that start between the prefetch of a job's
// memory and the start of that job. A prefetch takes longer than hashing a short message.
const fetchAhead = 8

// window is the number of jobs that are sorted at a time.
const window = 4096

// A group is lanes with their own jobs, for Run and the functions of sum.go.
type group struct {
	// `jobs` holds the jobs of the lanes. Lanes may exchange jobs. The field comes first,
	// and a group is so large that the allocator begins it on a page. So no job's state
	// crosses a cache line boundary.
	jobs [maxJobs]Job

	lanes

	// The window is jobs `base` to base+count-1. `upcoming` is the position of the next job
	// to start: that many jobs of the window have started. If `sorted` is set, the field
	// `order` gives the sequence in which jobs start.
	base, upcoming, count int
	sorted                bool
	order                 [window]uint16
	buckets               [2 * window]uint16    // of each job; or jobs by class (sortByBlocks)
	places                [maxBucket + 1]uint16 // by bucket: the index in `order` of its next job

	fetcher Fetcher // or nil
	ahead   int     // number of jobs between the fetch of a job and its start

	used int // the jobs of the first `used` lanes hold callers' pointers

	equal    equalSlice
	rotating rotating
	sums     sumMany
	pointed  int                    // next points to the scratch of the first `pointed` jobs
	front    block.Front            // of sums, for short messages
	slices   [block.MaxLanes][]byte // the rows of a wave
	inOrder  [maxJobs]uint16        // element i is i
	outer    [maxJobs]*block.State  // after the outer prefix, for nested sums
}

var groups = sync.Pool{New: func() any {
	g := new(group)
	for i := range g.jobs {
		g.job[i] = &g.jobs[i]
		g.inOrder[i] = uint16(i)
		g.state[i] = &g.unused
	}
	return g
}}

// acquire returns a group for the caller's use until release.
func acquire() *group {
	g := groups.Get().(*group)
	g.plan = streamPlans.current()
	return g
}

// Run does jobs 0 to n-1 of w. If `uneven` is set, the longest jobs start first. That order
// is best if lengths differ by more than a block or two.
func Run(n int, w Work, uneven bool) {
	g := acquire()
	g.run(n, w, uneven)
	g.release()
}

// release drops the callers' pointers and gives g back to the pool.
func (g *group) release() {
	clear(g.next[:])
	for _, j := range g.job[:g.used] {
		j.Forget()
	}
	g.used = 0
	g.fetcher = nil
	g.sums, g.front = sumMany{}, block.Front{}
	groups.Put(g)
}

// maxLive is the largest number of live jobs, if their lengths differ or they rotate. Width
// jobs run. At the end of the list, Width-1 more jobs rotate with them.
func (g *group) maxLive() int { return max(1, 2*g.Width()-1) }

func (g *group) run(n int, w Work, uneven bool) {
	g.used = min(n, 2*g.Width())
	g.fetcher, _ = w.(Fetcher)
	g.ahead = max(fetchAhead, 3*g.Width()/4)
	for base := 0; base < n; base += window {
		g.base, g.upcoming, g.count = base, 0, min(window, n-base)
		g.sorted = uneven && g.count > g.Width()
		if g.sorted {
			g.sort(w.Blocks)
		}
		g.runWindow(w)
	}
}

// runWindow does the jobs of the window.
func (g *group) runWindow(w Work) {
	if g.fetcher != nil {
		for i := range min(g.ahead, g.count) {
			g.fetcher.Fetch(g.numberOf(i))
		}
	}
	live := g.startJobs(0, g.Width(), w)
	for live == g.Width() && !g.isEnd(w) {
		blocks := g.compress(live, g.shortest(live))
		for i := live - 1; i >= 0; i-- {
			if g.goesOn(i, blocks) || g.nextSegment(i) {
				continue
			}
			w.Done(g.number[i], g.job[i])
			if !g.start(i, w) {
				live--
				g.move(i, live)
			}
		}
	}
	live = g.startJobs(live, g.maxLive(), w)
	// Reverse the waiting jobs. The last one is then the longest, and is the first to take
	// the lane of a finished job.
	for i, j := g.Width(), live-1; i < j; i, j = i+1, j-1 {
		g.swap(i, j)
	}
	g.finish(live, w)
}

// isEnd reports whether few jobs have not started, and the next of them is long enough to
// rotate with the jobs that run. If none is left, it returns true.
func (g *group) isEnd(w Work) bool {
	left := g.count - g.upcoming
	return left == 0 || left <= g.maxLive()-g.Width() && plan.IsLong(w.Blocks(g.numberOf(g.upcoming)))
}

// startJobs starts jobs until `limit` jobs are live or no job remains. It returns the
// number of live jobs.
func (g *group) startJobs(live, limit int, w Work) int {
	for live < limit && g.start(live, w) {
		live++
	}
	return live
}

// numberOf returns the number of the job that starts after i other jobs of the window.
func (g *group) numberOf(i int) int {
	if g.sorted {
		i = int(g.order[i])
	}
	return g.base + i
}

// start puts the next job that has blocks into lane i. It reports whether there was such
// a job.
func (g *group) start(i int, w Work) bool {
	for g.upcoming < g.count {
		number := g.numberOf(g.upcoming)
		if next := g.upcoming + g.ahead; g.fetcher != nil && next < g.count {
			g.fetcher.Fetch(g.numberOf(next))
		}
		g.upcoming++
		if w.Start(number, g.job[i]) && g.begin(i) {
			g.number[i] = number
			return true
		}
	}
	return false
}

// finish completes the last jobs of the window, which are in the first `live` lanes.
func (g *group) finish(live int, w Work) {
	for live > 0 {
		blocks := g.shortest(live)
		if t := g.plan.Slice(live, blocks); t.Blocks < blocks {
			live = g.rotate(live, t, w)
			continue
		}
		// Waiting jobs take the lanes of finished jobs.
		n := min(live, g.Width())
		if n < live {
			blocks = g.shortest(n)
		}
		blocks = g.compress(n, blocks)
		for i := n - 1; i >= 0; i-- {
			if g.goesOn(i, blocks) || g.nextSegment(i) {
				continue
			}
			live--
			g.end(i, live, w)
		}
	}
}

// end ends the job in lane i. Then it moves lane `last` to lane i.
func (g *group) end(i, last int, w Work) {
	w.Done(g.number[i], g.job[i])
	g.move(i, last)
}

// sort puts the jobs of the window into g.order, by falling bucket of their sizes. `size`
// returns the blocks of a job, or the iterations of a chain.
func (g *group) sort(size func(i int) int) {
	buckets, most := g.buckets[:g.count], 0
	for i := range buckets {
		b := bucket(size(g.base + i))
		buckets[i] = uint16(b)
		most = max(most, b)
	}
	places := g.places[:most+1] // to clear all would take longer than to sort a short list
	clear(places)
	for _, b := range buckets {
		places[b]++
	}
	g.arrange(buckets, places)
}

// arrange puts the jobs of the window into g.order, by falling bucket. Before the call,
// places[b] is the number of jobs in bucket b. After the call, places[b] is the index in
// g.order just past the last of these jobs.
func (g *group) arrange(buckets, places []uint16) {
	var place uint16
	for b := len(places) - 1; b >= 0; b-- {
		places[b], place = place, place+places[b]
	}
	for i, b := range buckets {
		g.order[places[b]] = uint16(i)
		places[b]++
	}
}

// maxBucket is larger than the bucket of any size.
const maxBucket = (64 - bucketBits) << bucketBits

// The bucket of a size depends on the size's highest set bit and the bucketBits bits below
// it.
const bucketBits = 4

// bucket returns a number that never falls as `size` rises. A small `size` is its own
// bucket. The bucket of a larger `size` consists of the position of the highest set bit,
// followed by the bucketBits bits below that bit.
func bucket(size int) int {
	shift := bits.Len(uint(size)) - 1 - bucketBits
	if shift <= 0 {
		return size
	}
	return shift<<bucketBits + size>>shift
}
