// Package lanes decides which blocks of which messages run side by side, and
// on which kernel. It stands on package block, which does the compression; it
// starts no goroutine, and once its pool is warm it allocates nothing.
//
// Jobs start longest first. While there are enough of them, all lanes are kept
// live: they advance together by the smallest number of blocks that any of them
// has left, and a lane whose job ends gets the next one. The last jobs, too few
// to refill lanes with, take turns (turns.go) where that fills kernels better.
//
// A message much longer than the others needs no special care in one thread:
// every block that it gets done beside others costs less than it would alone,
// and when the others are gone it is alone, on the one-stream kernel.
package lanes

import (
	"math/bits"
	"sync"
)

// Work is a list of jobs. A job compresses whole blocks into a state.
type Work interface {
	// Blocks returns how many blocks job i has, for the order of starting.
	Blocks(i int) int
	// Start sets j, by its method Set. It may use j's H and
	// Scratch, which stay as they are until Done. It reports false if job i has no
	// blocks: then it is done.
	Start(i int, j *Job) bool
	// Done reports that the state of job i has taken in all its blocks.
	Done(i int, j *Job)
}

// window is how many jobs are put in order at a time.
const window = 4096

// A group is what Run works with: lanes, with jobs of their own.
type group struct {
	// jobs are what lanes use at first; they exchange them. They come first, and
	// the group is so large that it begins a page: no state of theirs lies across
	// two cache lines.
	jobs [maxJobs]Job

	lanes

	// The window: jobs base to base+count-1, of which upcoming are started; if
	// sorted, in the order of order.
	base, upcoming, count int
	sorted                bool
	order                 [window]uint16
	buckets               [window]uint16        // of each job
	places                [maxBucket + 1]uint16 // in order, for the next of each bucket

	used int // lanes whose jobs hold callers' pointers: the first ones

	alike    alike
	rotating rotating
	sums     sumMany
}

var groups = sync.Pool{New: func() any {
	g := new(group)
	for i := range g.jobs {
		g.job[i] = &g.jobs[i]
		g.state[i] = &g.unused
	}
	return g
}}

// acquire returns a group for the caller's use until release.
func acquire() *group {
	g := groups.Get().(*group)
	g.plan = currentPlan()
	return g
}

// Run does jobs 0 to n-1 of w. If uneven it starts the longest first, as is
// best when they differ in length by more than a block or two.
func Run(n int, w Work, uneven bool) {
	g := acquire()
	g.run(n, w, uneven)
	g.release()
}

// release forgets what belongs to callers.
func (g *group) release() {
	clear(g.next[:])
	for _, j := range g.job[:g.used] {
		j.Forget()
	}
	g.used = 0
	g.sums = sumMany{}
	groups.Put(g)
}

// most is how many jobs may be live: those that run, and, when these are the
// last, as many less one to take turns with them.
func (g *group) most() int { return max(1, 2*g.Width()-1) }

func (g *group) run(n int, w Work, uneven bool) {
	g.used = min(n, 2*g.Width())
	for base := 0; base < n; base += window {
		g.base, g.upcoming, g.count = base, 0, min(window, n-base)
		g.sorted = uneven && g.count > g.Width()
		if g.sorted {
			g.sort(w)
		}
		g.runWindow(w)
	}
}

// runWindow does the jobs of the window.
func (g *group) runWindow(w Work) {
	live := g.startJobs(0, g.Width(), w)
	for live == g.Width() && !g.isEnd(w) {
		blocks := g.compress(live, g.shortest(live))
		for i := live - 1; i >= 0; i-- {
			if g.goesOn(i, blocks) || g.turn(i) {
				continue
			}
			w.Done(g.number[i], g.job[i])
			if !g.start(i, w) {
				live--
				g.move(i, live)
			}
		}
	}
	live = g.startJobs(live, g.most(), w)
	// Of those that wait the last one, now the longest, comes first.
	for i, j := g.Width(), live-1; i < j; i, j = i+1, j-1 {
		g.swap(i, j)
	}
	g.finish(live, w)
}

// isEnd reports whether the jobs to come had better take turns with those that
// run: they are few, and long enough for it.
func (g *group) isEnd(w Work) bool {
	left := g.count - g.upcoming
	return left == 0 || left <= g.most()-g.Width() && w.Blocks(g.numberOf(g.upcoming)) >= minTurn
}

// startJobs starts jobs, as far as there are any, until so many are live, and
// returns how many are.
func (g *group) startJobs(live, most int, w Work) int {
	for live < most && g.start(live, w) {
		live++
	}
	return live
}

// numberOf returns the number of the job that starts after i others of the window.
func (g *group) numberOf(i int) int {
	if g.sorted {
		i = int(g.order[i])
	}
	return g.base + i
}

// start puts the next job that has blocks into lane i. It reports whether there
// was one.
func (g *group) start(i int, w Work) bool {
	for g.upcoming < g.count {
		number := g.numberOf(g.upcoming)
		g.upcoming++
		if w.Start(number, g.job[i]) && g.begin(i) {
			g.number[i] = number
			return true
		}
	}
	return false
}

// finish does what is left of the first live lanes, the last jobs of w.
func (g *group) finish(live int, w Work) {
	for live > 0 {
		blocks := g.shortest(live)
		if t := g.plan.turnOf(live, blocks); t.slice < blocks {
			live = g.rotate(live, t, w)
			continue
		}
		// Those that wait come into the lanes that jobs leave.
		n := min(live, g.Width())
		if n < live {
			blocks = g.shortest(n)
		}
		blocks = g.compress(n, blocks)
		for i := n - 1; i >= 0; i-- {
			if g.goesOn(i, blocks) || g.turn(i) {
				continue
			}
			live--
			g.end(i, live, w)
		}
	}
}

// end ends the job in lane i, which lane last takes the place of.
func (g *group) end(i, last int, w Work) {
	w.Done(g.number[i], g.job[i])
	g.move(i, last)
}

// sort puts the jobs of the window into g.order, by falling length as far as
// bucket tells lengths apart.
func (g *group) sort(w Work) {
	clear(g.places[:])
	buckets := g.buckets[:g.count]
	for i := range buckets {
		b := bucket(w.Blocks(g.base + i))
		buckets[i] = uint16(b)
		g.places[b]++
	}
	var place uint16
	for b := maxBucket; b >= 0; b-- {
		g.places[b], place = place, place+g.places[b]
	}
	for i, b := range buckets {
		g.order[g.places[b]] = uint16(i)
		g.places[b]++
	}
}

// maxBucket is the bucket of the longest message.
const maxBucket = (64 - bucketBits) << bucketBits

// bucketBits is how many bits after the first one tell lengths apart.
const bucketBits = 4

// bucket returns a number that never falls as blocks rises: blocks itself if
// it is small, else its magnitude and its bits after the first one.
func bucket(blocks int) int {
	shift := bits.Len(uint(blocks)) - 1 - bucketBits
	if shift <= 0 {
		return blocks
	}
	return shift<<bucketBits + blocks>>shift
}
