package lanes

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
	"github.com/sha256-simd/sha256-simd/internal/race"
)

// The tests of this file run jobs on kernels that compress nothing. A state
// stands for the list of the blocks that it took in, so each job must get its blocks once
// and in order. These kernels are so fast that every list of some size can be tried, by
// the plan of every microarchitecture, whatever this machine can run.

// take has h take in the block at p. Lists of blocks that differ lead to states that
// differ, but for one case in 2^64.
func take(h *block.State, p *byte) {
	b := unsafe.Slice(p, block.Size)
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	pair := func(i int) uint64 { return uint64(h[i])<<32 | uint64(h[i+1]) }
	x := fold(word(0)^0x9e3779b97f4a7c15, word(1)^0xd6e8feb86659fd93) +
		fold(word(2)^0xa0761d6478bd642f, word(3)^0xe7037ed1a0b428db) +
		fold(word(4)^0x8ebc6af09c88c6e3, word(5)^0x589965cc75374cc3) +
		fold(word(6)^0x1d8e4e27c47d124f, word(7)^0xeb44accab455d165)
	x = fold(x^pair(0), pair(2)^0x2d358dccaa6c78a5) + fold(x^pair(4)^0x8bb84b93962eacc9, pair(6)^0x4b33a62ed433d4a3)
	for i := 0; i < len(h); i += 2 {
		h[i], h[i+1] = uint32(x>>32), uint32(x)
		x = bits.RotateLeft64(x, 23) * 0x9e3779b97f4a7c15
	}
}

func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// takeAll has h take in whole blocks.
func takeAll(h *block.State, p []byte) {
	for ; len(p) > 0; p = p[block.Size:] {
		take(h, &p[0])
	}
}

// takeMessage is the digest of messages one behind the other, of which the states have
// taken in `before` bytes.
func takeMessage(h block.State, before uint64, parts ...[]byte) (sum [block.DigestSize]byte) {
	var m []byte
	for _, p := range parts {
		m = append(m, p...)
	}
	length := before + uint64(len(m))
	m = append(m, 0x80)
	for len(m)%block.Size != block.Size-8 {
		m = append(m, 0)
	}
	takeAll(&h, binary.BigEndian.AppendUint64(m, length*8))
	block.PutDigest(&sum, &h)
	return sum
}

// outside begins the blocks that no kernel may read: a block of it follows each list of
// blocks.
const outside = "no kernel reads this block"

// A ledger is a plan whose kernels only take in blocks, and check that they are called as
// block.Kernel.Blocks says. What a state is after two lanes shared it is undefined.
type ledger struct {
	plan  *streamPlan
	wrong string // what was wrong first

	calls, turns, shared, wraps int
}

// newLedger returns a ledger of p, whose kernels do at most `most` blocks in a call.
func newLedger(p *streamPlan, most int) *ledger {
	l := &ledger{plan: p}
	p.replaceKernels(func(own *block.Kernel) {
		own.Max = most
		own.Blocks = func(states **block.State, data **byte, ring, first, at, slice, turns int) {
			l.blocks(own, states, data, ring, first, at, slice, turns)
		}
	})
	return l
}

// blocks is Blocks of the kernel k.
func (l *ledger) blocks(k *block.Kernel, states **block.State, data **byte, ring, first, at, slice, turns int) {
	l.calls++
	n := k.Lanes
	wraps := turns > 1 && first+turns*n > ring
	if slice < 1 || turns < 1 || slice*turns > k.Max || first < 0 || turns > 1 && (ring < n || first >= ring) {
		l.fail("%s is called for %d turns of %d blocks from %d on, of %d streams from %d on; Max is %d", k.Name, turns, slice, at, ring, first, k.Max)
		return
	}
	if wraps {
		l.wraps++
		h, p := unsafe.Slice(states, ring+n-1), unsafe.Slice(data, ring+n-1)
		for i := range n - 1 {
			if h[ring+i] != h[i] || p[ring+i] != block.Advance(p[i], slice) {
				l.fail("%s: the lists do not repeat stream %d behind %d", k.Name, i, ring)
			}
		}
	}
	for range turns {
		l.turns++
		h, p := unsafe.Slice(states, first+n)[first:], unsafe.Slice(data, first+n)[first:]
		for i, b := range p {
			for j := range slice {
				from := block.Advance(b, at+j)
				if string(unsafe.Slice(from, len(outside))) == outside {
					l.fail("%s: lane %d reads beyond its blocks", k.Name, i)
				}
				take(h[i], from)
			}
		}
		for i := range h {
			for j := range i {
				if h[i] == h[j] {
					l.shared++
					*h[i] = block.State{0xbad, uint32(l.shared)}
					break
				}
			}
		}
		if first += n; first >= ring {
			first -= ring
			at += slice
		}
	}
}

func (l *ledger) fail(format string, a ...any) {
	if l.wrong == "" {
		l.wrong = fmt.Sprintf(format, a...)
	}
}

// skipInRaceBuilds skips a test that runs on one goroutine, but would take a minute.
func skipInRaceBuilds(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it twenty times as slow")
	}
}

// eachLedger runs f as a subtest for each plan that differs from the others, with the
// plan's ledger in use. Kernels do `most` blocks in a call at most.
func eachLedger(t *testing.T, most int, f func(t *testing.T, l *ledger)) {
	skipInRaceBuilds(t)
	streamPlans.current() // or the first choice of kernels would end the ledger's plan
	before := streamPlans.last.Load()
	defer streamPlans.last.Store(before)
	seen := map[string]bool{}
	for _, m := range cpu.Microarchs() {
		p := planOf(m)
		key := fmt.Sprint(p.Streams)
		if seen[key] {
			continue
		}
		seen[key] = true
		l := newLedger(p, most)
		t.Run(fmt.Sprintf("%#v", m), func(t *testing.T) {
			streamPlans.last.Store(&cached[streamPlan]{l.plan, block.Epoch()})
			f(t, l)
			if l.wrong != "" {
				t.Error(l.wrong)
			}
			if l.turns == 0 {
				t.Error("no kernel was called")
			}
		})
	}
}

// ok fails the test if something was wrong, and says with which list.
func (l *ledger) ok(t *testing.T, list string, a ...any) {
	t.Helper()
	if l.wrong != "" {
		t.Fatalf(list+": %s", append(a, l.wrong)...)
	}
}

// An arena is memory for lists of blocks, with a block behind each that nobody may read.
// All other blocks in it differ.
type arena struct {
	bytes []byte
	used  int
	were  [][block.Size]byte // what the blocks that nobody may read were before
	at    []int
}

func newArena(blocks int) *arena {
	return &arena{bytes: randomBytes(blocks * block.Size)}
}

// list returns the next n blocks, or none.
func (a *arena) list(n int) []byte {
	p := a.bytes[a.used:][: n*block.Size : n*block.Size]
	a.used += n * block.Size
	a.end()
	return p
}

// end makes the next block one that nobody may read.
func (a *arena) end() {
	b := (*[block.Size]byte)(a.bytes[a.used:])
	a.were, a.at = append(a.were, *b), append(a.at, a.used)
	copy(b[:], outside)
	a.used += block.Size
}

// reset gives up all lists.
func (a *arena) reset() {
	for i, at := range a.at {
		*(*[block.Size]byte)(a.bytes[at:]) = a.were[i]
	}
	a.used, a.were, a.at = 0, a.were[:0], a.at[:0]
}

// falling calls f with each list of 1 to n numbers from 1 to most that does not rise.
func falling(n, most int, f func(list []int)) {
	list := make([]int, 0, n)
	var add func(most int)
	add = func(most int) {
		for x := 1; x <= most; x++ {
			list = append(list, x)
			f(list)
			if len(list) < n {
				add(x)
			}
			list = list[:len(list)-1]
		}
	}
	add(most)
}

// classes calls f with falling lists for a plan: of one to three different numbers, each as
// often as lanes may be full, nearly full or left over.
func classes(p *streamPlan, numbers []int, f func(list []int)) {
	width := p.Width
	counts := []int{0, 1, width/2 + 1, width - 1, width, width + 1}
	if p.Even > width {
		counts = []int{0, 1, width - 1, width, p.Even, p.Even + 1, p.Even + width}
	}
	var list []int
	for x := range numbers {
		for y := range x {
			for z := range y + 1 {
				for _, a := range counts[1:] {
					for _, b := range counts {
						for _, c := range counts {
							list = list[:0]
							for i, n := range []int{a, b, c} {
								for range n {
									list = append(list, numbers[[]int{x, y, z}[i]])
								}
							}
							f(list)
						}
					}
				}
			}
		}
	}
}

// lists calls f with the lists of numbers that a test of a plan takes: all of 1 to 10
// numbers of at most 7 if the plan is narrow, else classes of them.
func lists(p *streamPlan, numbers []int, f func(list []int)) {
	switch width := p.Width; {
	case width > 4:
		if testing.Short() {
			numbers = numbers[len(numbers)-3:]
		}
		classes(p, numbers, f)
	case testing.Short():
		falling(min(6, 2*width+1), 5, f)
	default:
		falling(min(10, 2*width+2), 7, f)
	}
}

// TestSchedulesOfEqualJobs has every number of jobs that can rotate do every number of
// blocks up to 260, and longer lists some numbers of blocks.
func TestSchedulesOfEqualJobs(t *testing.T) {
	const most = 260
	data := randomBytes(3 * block.MaxLanes * (most + 1) * block.Size)
	at := func(i int) []byte { return data[i*(most+1)*block.Size:] }
	// want[i][n] is the state of job i after n blocks.
	var want [3*block.MaxLanes - 1][most + 1]block.State
	for i := range want {
		for n := range most {
			h := want[i][n]
			take(&h, &at(i)[n*block.Size])
			want[i][n+1] = h
		}
	}
	wraps, shared := 0, 0
	eachLedger(t, 100, func(t *testing.T, l *ledger) {
		for blocks := 1; blocks <= most; blocks++ {
			if testing.Short() && blocks > 20 && blocks%37 != 0 {
				continue
			}
			var kept [len(want)][block.Size]byte
			for i := range kept {
				end := (*[block.Size]byte)(at(i)[blocks*block.Size:])
				kept[i] = *end
				copy(end[:], outside)
			}
			jobs := &equalJobs{make([]block.State, len(want)), make([][]byte, len(want))}
			for i := range want {
				jobs.data[i] = at(i)[:blocks*block.Size]
			}
			g := acquire()
			for n := 1; n <= g.maxLive(); n++ {
				states := make([]block.State, n)
				for i := range states {
					g.state[i], g.next[i] = &states[i], &jobs.data[i][0]
				}
				g.compressEqual(n, blocks)
				for i, got := range states {
					if got != want[i][blocks] {
						l.fail("job %d took in other blocks", i)
					}
				}
				g.retire(0)
				l.ok(t, "%d jobs of %d blocks", n, blocks)
			}
			g.release()
			if blocks < 20 || blocks%61 == 0 {
				for n := 1; n <= len(want); n++ {
					if testing.Short() && n%7 != 1 {
						continue
					}
					list := &equalList{equalJobs: jobs, ledger: l}
					RunEqual(n, blocks, list)
					for i, got := range list.got {
						if got != want[i][blocks] {
							l.fail("job %d took in other blocks", i)
						}
					}
					if len(list.got) != n {
						l.fail("%d jobs are done", len(list.got))
					}
					l.ok(t, "RunEqual of %d jobs of %d blocks", n, blocks)
				}
			}
			for i, b := range kept {
				*(*[block.Size]byte)(at(i)[blocks*block.Size:]) = b
			}
		}
		wraps, shared = wraps+l.wraps, shared+l.shared
	})
	if wraps == 0 || shared == 0 {
		t.Errorf("%d rings were gone around, %d lanes were idle", wraps, shared)
	}
}

// equalList are jobs of EqualWork. It collects their states.
type equalList struct {
	*equalJobs
	ledger *ledger
	got    []block.State
}

func (e *equalList) Done(i int, h *block.State) {
	if i != len(e.got) {
		e.ledger.fail("job %d is done after %d others", i, len(e.got))
	}
	e.got = append(e.got, *h)
}

// TestSchedulesOfClasses has RunByClasses do random lists of short jobs, and RunEqual those
// that are equal.
func TestSchedulesOfClasses(t *testing.T) {
	a := newArena((2*window + 100) * (maxClassed + 3))
	r := rand.New(rand.NewPCG(1, 2))
	eachLedger(t, 6, func(t *testing.T, l *ledger) {
		for range 300 {
			n := 1 + r.IntN(100)
			if r.IntN(100) == 0 {
				n = 1 + r.IntN(2*window+100)
			}
			least, most := 0, 1+r.IntN(maxClassed)
			if r.IntN(3) == 0 {
				least = most
			}
			a.reset()
			list := a.newClassedJobs(l, n, least, most, r)
			if least == most {
				RunEqual(n, most, list)
			} else {
				RunByClasses(n, list)
			}
			for i, j := range list.jobs {
				h := j.h
				takeAll(&h, j.first)
				takeAll(&h, j.blocks)
				if j.done != (h != j.h) || j.done && j.got != h {
					l.fail("job %d of %d blocks took in others; done %t", i, list.Blocks(i), j.done)
				}
			}
			l.ok(t, "%d jobs of %d to %d blocks", n, least, most)
		}
	})
}

// TestClassesLeaveFew counts the calls of kernels for classes that each have one job fewer than
// there are lanes. These jobs fill the lanes together. Those with many blocks are fetched once.
func TestClassesLeaveFew(t *testing.T) {
	a, other := newArena(2000), randomBytes(16*block.Size)
	eachLedger(t, 100, func(t *testing.T, l *ledger) {
		w := l.plan.Width
		if w == 1 {
			l.turns = 1 // no kernel is called
			return
		}
		a.reset()
		list, numbers := &fetchedClasses{classedJobs: classedJobs{ledger: l}}, []int{}
		for b := minFetched - 3; b < minFetched+3; b++ {
			for range w - 1 {
				list.jobs = append(list.jobs, classedJob{blocks: a.list(b)})
				numbers = append(numbers, b)
			}
		}
		list.fetched = make([]int, len(list.jobs))
		l.calls = 0
		RunByClasses(len(list.jobs), list)
		got := l.calls
		for i, n := range list.fetched {
			if n > 1 || n == 0 && list.Blocks(i) >= minFetched {
				t.Errorf("job %d of %d blocks is fetched %d times", i, list.Blocks(i), n)
			}
		}

		l.calls = 0
		g := acquire()
		defer g.release()
		slices.SortFunc(numbers, func(a, b int) int { return b - a })
		for wave := range slices.Chunk(numbers, w) {
			var blocks fallingBlocks
			for i, b := range wave {
				blocks[i] = uint8(b)
				g.state[i], g.next[i] = &g.jobs[i].H, &other[0]
			}
			blocks.forEach(len(wave), 0, func(live, at, more int) {
				g.retire(live)
				g.compressAll(live, at, more)
			})
		}
		g.retire(0)
		if got != l.calls {
			t.Errorf("%d jobs in classes of %d: %d calls of kernels, want %d", len(list.jobs), w-1, got, l.calls)
		}
	})
}

// fetchedClasses counts how often each job is fetched.
type fetchedClasses struct {
	classedJobs
	fetched []int
}

func (w *fetchedClasses) Fetch(i int) { w.fetched[i]++ }

// classedJobs are jobs of ClassedWork.
type classedJobs struct {
	ledger *ledger
	jobs   []classedJob
}

type classedJob struct {
	h, got        block.State
	first, blocks []byte
	started, done bool
}

// newClassedJobs returns jobs of `least` to `most` blocks: all with the first block apart, or
// none, or some.
func (a *arena) newClassedJobs(l *ledger, n, least, most int, r *rand.Rand) *classedJobs {
	c := &classedJobs{ledger: l, jobs: make([]classedJob, n)}
	apart := r.IntN(3)
	for i := range c.jobs {
		j := &c.jobs[i]
		j.h = block.State{uint32(i)}
		b := least + r.IntN(most-least+1)
		if b > 0 && (apart == 1 || apart == 2 && r.IntN(2) == 0) {
			j.first = a.list(1)
			b--
		}
		j.blocks = a.list(b)
	}
	return c
}

func (c *classedJobs) Blocks(i int) int {
	return (len(c.jobs[i].first) + len(c.jobs[i].blocks)) / block.Size
}

func (c *classedJobs) Start(i int) (h *block.State, first, blocks []byte) {
	j := &c.jobs[i]
	if j.started || c.Blocks(i) == 0 {
		c.ledger.fail("job %d of %d blocks starts; had started: %t", i, c.Blocks(i), j.started)
	}
	j.started = true
	return &j.h, j.first, j.blocks
}

func (c *classedJobs) Done(i int, h *block.State) {
	j := &c.jobs[i]
	if !j.started || j.done {
		c.ledger.fail("job %d is done; had started %t, had been done %t", i, j.started, j.done)
	}
	j.got, j.done = *h, true
}

// blockJobs are Work: each job takes in blocks, of up to three segments.
type blockJobs struct {
	ledger   *ledger
	segments [][segments][]byte
	states   []block.State
	started  []bool
	done     []bool
}

// newBlockJobs returns jobs with these numbers of blocks. How a job's blocks make up
// segments depends on its place in the list, and on where the list has its first segments.
func (a *arena) newBlockJobs(l *ledger, list []int, shift int) *blockJobs {
	a.reset()
	w := &blockJobs{l, make([][segments][]byte, len(list)), make([]block.State, len(list)), make([]bool, len(list)), make([]bool, len(list))}
	for i, n := range list {
		parts := [segments]int{n, 0, 0}
		switch (i + shift) % 5 {
		case 1:
			parts = [...]int{min(n, 1), max(0, n-1), 0}
		case 2:
			parts = [...]int{0, n - n/2, n / 2}
		case 3:
			parts = [...]int{n / 3, 0, n - n/3}
		case 4:
			parts = [...]int{n / 3, (n + 1) / 3, n - n/3 - (n+1)/3}
		}
		for j, p := range parts {
			if p > 0 {
				w.segments[i][j] = a.list(p)
			}
		}
		w.states[i] = block.State{uint32(i)}
	}
	return w
}

func (w *blockJobs) Blocks(i int) (n int) {
	for _, p := range w.segments[i] {
		n += len(p) / block.Size
	}
	return n
}

func (w *blockJobs) Start(i int, j *Job) bool {
	if w.started[i] {
		w.ledger.fail("job %d starts twice", i)
	}
	w.started[i] = true
	s := &w.segments[i]
	j.Set(&w.states[i], s[0], s[1], s[2])
	return w.Blocks(i) > 0
}

func (w *blockJobs) Done(i int, j *Job) {
	if w.done[i] || !w.started[i] || j.State != &w.states[i] {
		w.ledger.fail("job %d is done twice, or too early", i)
	}
	w.done[i] = true
}

// fetchedJobs are blockJobs that are fetched, each once, before they start.
type fetchedJobs struct {
	*blockJobs
	fetched []bool
}

func (w *fetchedJobs) Fetch(i int) {
	if w.fetched[i] {
		w.ledger.fail("job %d is fetched twice", i)
	}
	w.fetched[i] = true
}

func (w *fetchedJobs) Start(i int, j *Job) bool {
	if !w.fetched[i] {
		w.ledger.fail("job %d starts and was not fetched", i)
	}
	return w.blockJobs.Start(i, j)
}

// check checks that each job was done, once, and took in its blocks.
func (w *blockJobs) check() {
	for i := range w.states {
		want := block.State{uint32(i)}
		for _, p := range w.segments[i] {
			takeAll(&want, p)
		}
		if w.states[i] != want {
			w.ledger.fail("job %d took in other blocks", i)
		}
		if !w.started[i] || w.done[i] != (w.Blocks(i) > 0) {
			w.ledger.fail("job %d has started: %t, is done: %t", i, w.started[i], w.done[i])
		}
	}
}

// TestSchedulesOfUnequalJobs runs lists of jobs of unequal lengths, sorted and as they
// come.
func TestSchedulesOfUnequalJobs(t *testing.T) {
	a := newArena(16 << 10)
	eachLedger(t, 100, func(t *testing.T, l *ledger) {
		shift := 0
		lists(l.plan, []int{1, 2, 7, 8, 9, 24, 101}, func(list []int) {
			shift++
			order := make([]int, len(list))
			for i, n := range list {
				order[i] = n
				if shift%2 == 0 { // the shortest first
					order[len(list)-1-i] = n
				}
				if shift%16 == 0 && i%3 == 0 {
					order[i] = 0
				}
			}
			w := a.newBlockJobs(l, order, shift)
			if shift%4 == 0 {
				Run(len(order), &fetchedJobs{w, make([]bool, len(order))}, shift%3 != 0)
			} else {
				Run(len(order), w, shift%3 != 0)
			}
			w.check()
			l.ok(t, "jobs of %v blocks", order)
		})
	})
}

// TestSchedulesOfLongLists runs lists around the length of a window.
func TestSchedulesOfLongLists(t *testing.T) {
	a := newArena(32 << 10)
	eachLedger(t, 100, func(t *testing.T, l *ledger) {
		for _, n := range []int{window - 1, window, window + 1, window + l.plan.Width} {
			list := make([]int, n)
			for i := range list {
				list[i] = i * i % 5
			}
			for _, uneven := range []bool{false, true} {
				w := a.newBlockJobs(l, list, n)
				Run(n, &fetchedJobs{w, make([]bool, n)}, uneven)
				w.check()
				l.ok(t, "%d jobs, uneven %t", n, uneven)
			}
		}
	})
}

// TestSchedulesOfBatches has jobs join a batch as soon as there is room, in steps of one
// to ten blocks.
func TestSchedulesOfBatches(t *testing.T) {
	a := newArena(16 << 10)
	eachLedger(t, 100, func(t *testing.T, l *ledger) {
		count := 0
		lists(l.plan, []int{1, 2, 9, 24, 101}, func(list []int) {
			if count++; count%3 != 0 {
				return
			}
			w := a.newBlockJobs(l, list, count)
			jobs := make([]Job, len(list))
			b := NewBatch()
			for started, done := 0, 0; done < len(list); {
				for ; started < len(list) && b.Room() > 0; started++ {
					j := &jobs[started]
					w.Start(started, j)
					j.Owner = started
					b.Join(j)
				}
				for _, j := range b.Step(1 + count/3%10) {
					w.Done(j.Owner.(int), j)
					done++
				}
				if len(b.Jobs()) != started-done {
					l.fail("%d jobs are left of %d", len(b.Jobs()), started-done)
				}
				l.ok(t, "jobs of %v blocks", list)
			}
			b.Release()
			w.check()
			l.ok(t, "jobs of %v blocks", list)
		})
	})
}

// sumKinds are what precedes messages: the length of a prefix's rest, the length of heads,
// and whether digests are hashed again, behind one state or, with keys, many.
var sumKinds = []struct {
	rest, head   int
	nested, keys bool
}{
	{}, {rest: 1}, {rest: 20}, {rest: 55}, {rest: 63}, {head: 29}, {rest: 1, head: 29}, {nested: true}, {nested: true, keys: true},
}

// eachKey are states for messages.
type eachKey struct{ states [][2]block.State }

func (k *eachKey) States(i int) (inner, outer *block.State) { return &k.states[i][0], &k.states[i][1] }

// checkSums hashes messages of these lengths behind what kind k says.
func (l *ledger) checkSums(k int, data []byte, lengths []int) {
	kind := sumKinds[k]
	n := len(lengths)
	msgs, dst := make([][]byte, n), make([][block.DigestSize]byte, n)
	for i, length := range lengths {
		msgs[i] = data[i%997*40:][:length]
	}
	rest := data[len(data)-block.Size:][:kind.rest]
	s := sumMany{dst: dst, msgs: msgs, prefix: Prefix{H: block.State{1, 2, 3}, Rest: rest, Len: uint64(3*block.Size + kind.rest)}, nested: kind.nested}
	var heads []byte
	if kind.head > 0 {
		heads = data[7:][: n*kind.head : n*kind.head]
		var room [block.Size]byte
		s.heads, s.headAt = heads, kind.rest
		s.prefix.Rest = room[:copy(room[:], rest)+kind.head]
		s.prefix.Len += uint64(kind.head)
	}
	s.outer = Prefix{H: block.State{4, 5, 6}, Len: block.Size}
	keys := &eachKey{make([][2]block.State, n)}
	if kind.keys {
		for i := range keys.states {
			keys.states[i] = [2]block.State{{7, uint32(i)}, {8, uint32(i)}}
		}
		s.keys = keys
	}
	s.lengths = lengthsOf(msgs, len(s.prefix.Rest))
	if n > block.MaxLanes && n <= maxUneven && s.lengths.oneByOneInRotation(n, len(s.prefix.Rest), s.nesting()) {
		return // one after the other, on no kernel of the plan
	}
	sumSideBySide(dst, &s)
	for i, m := range msgs {
		inner, outer := block.State{1, 2, 3}, block.State{4, 5, 6}
		if kind.keys {
			inner, outer = keys.states[i][0], keys.states[i][1]
		}
		want := takeMessage(inner, 3*block.Size, rest, heads[min(len(heads), i*kind.head):][:kind.head], m)
		if kind.nested {
			want = takeMessage(outer, block.Size, want[:])
		}
		if dst[i] != want {
			l.fail("digest %d, of %d bytes behind %+v, is of other blocks", i, len(m), kind)
			return
		}
	}
}

// TestSchedulesOfSums hashes messages of one length and of unequal lengths.
func TestSchedulesOfSums(t *testing.T) {
	data := randomBytes(1 << 17)
	// Lengths of which the padded message has some number of blocks, the least and the
	// largest ones.
	sizes := []int{0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 128, 183, 184, 247, 248, 256, 311, 312, 640, 2000}
	eachLedger(t, 100, func(t *testing.T, l *ledger) {
		w := l.plan.Width
		counts := []int{1, 2, 3, w - 1, w, w + 1, 2*w - 1, 2 * w, 2*w + 1, 32, 33, 48, 64, 65}
		if testing.Short() {
			counts = []int{1, w, w + 1, 2*w - 1, 33}
		}
		lengths := make([]int, 0, 200)
		for _, n := range counts {
			for _, size := range sizes {
				lengths = lengths[:0]
				for range n {
					lengths = append(lengths, size)
				}
				for k := range sumKinds {
					if n > 0 {
						l.checkSums(k, data, lengths)
						l.ok(t, "%d messages of %d bytes", n, size)
					}
				}
			}
		}
		count := 0
		sum := func(list []int) {
			count++
			k := count % len(sumKinds)
			rest := sumKinds[k].rest + sumKinds[k].head
			lengths = lengths[:0]
			for i, blocks := range list {
				n := blocks*block.Size - 9 - rest // the longest with so many blocks
				if (i+count)%2 == 0 {
					n -= block.Size - 1
				}
				lengths = append(lengths, max(0, n))
			}
			if last := len(list) - 1; count%2 == 0 { // another order
				for i := range len(list) / 3 {
					lengths[i], lengths[last-i] = lengths[last-i], lengths[i]
				}
			}
			l.checkSums(k, data, lengths)
			l.ok(t, "messages of %v bytes", lengths)
		}
		calls := 0
		var many []int
		lists(l.plan, []int{1, 2, 3, 4, 5, 9, 70}, func(list []int) {
			if calls++; calls%5 != 0 {
				return
			}
			sum(list)
			// As many of these messages as go by their numbers of blocks.
			most, least := list[0], list[len(list)-1]
			if most > 9 || most == least {
				return
			}
			for many = many[:0]; len(many) < (most-least+1)*w; {
				many = append(many, list...)
			}
			sum(many)
		})
		for _, least := range []int{maxSeen - 1, maxSeen - 5, 1} {
			for range sumKinds {
				list := make([]int, (maxSeen-least+1)*w+1)
				for i := range list {
					list[i] = maxSeen - i%(maxSeen-least+1)
				}
				if len(list) < 1000 || !testing.Short() {
					sum(list)
				}
			}
		}
		for _, n := range []int{block.MaxLanes, block.MaxLanes + 1} { // the most blocks by blocks, and one more
			for most := maxByBlocks; most <= maxByBlocks+1; most++ {
				for range sumKinds {
					list := make([]int, n)
					for i := range list {
						list[i] = 1 + (i*37+most-1)%most
					}
					sum(list)
				}
			}
		}
	})
}

// TestShortListsRunTogether counts the calls of kernels for few short messages with unequal
// numbers of blocks. All messages advance together until the shortest ends, and so on.
func TestShortListsRunTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	eachLedger(t, 100, func(t *testing.T, l *ledger) {
		if l.plan.Width == 1 {
			l.turns = 1 // no kernel is called
			return
		}
		g := acquire()
		defer g.release()
		for range 300 {
			n := 2 + r.IntN(maxTogether-1)
			msgs, numbers := make([][]byte, n), make([]int, n)
			for i := range msgs {
				numbers[i] = 1 + r.IntN(block.MaxShort)
				msgs[i] = make([]byte, numbers[i]*block.Size-9)
			}
			if slices.Min(numbers) == slices.Max(numbers) {
				continue
			}
			dst := make([][block.DigestSize]byte, n)
			l.calls = 0
			sumSideBySide(dst, &sumMany{dst: dst, msgs: msgs, lengths: lengthsOf(msgs, 0)})
			got := l.calls
			l.calls = 0
			var blocks fallingBlocks
			slices.SortFunc(numbers, func(a, b int) int { return b - a })
			for i, b := range numbers {
				blocks[i] = uint8(b)
				g.state[i], g.next[i] = &g.jobs[i].H, &g.jobs[i].Scratch[0]
			}
			blocks.forEach(n, 0, func(live, at, more int) {
				g.retire(live)
				g.compressAll(live, at, more)
			})
			if got != l.calls {
				t.Fatalf("messages of %v blocks: %d calls of kernels, want %d", numbers, got, l.calls)
			}
		}
	})
}

// TestSchedulesOfRows hashes rows into rows, and ends of messages.
func TestSchedulesOfRows(t *testing.T) {
	data := randomBytes(1 << 16)
	eachLedger(t, 100, func(t *testing.T, l *ledger) {
		prefix := Prefix{H: block.State{1, 2, 3}, Rest: data[:9], Len: 9}
		for _, n := range []int{1, 2, l.plan.Width - 1, l.plan.Width, l.plan.Width + 1, 2*l.plan.Width - 1, 2*l.plan.Width + 1, 65} {
			for _, size := range []int{0, 1, 46, 47, 100, 200, 300, 900} {
				src, dst := Rows{data, size, size + 3}, Rows{make([]byte, 40*n), 30, 40}
				g := acquire()
				g.sums.prefix = prefix
				m := &messages{rows: src, n: n, size: size}
				if blocks := block.PaddedBlocks(len(prefix.Rest) + size); blocks <= block.MaxShort && size%2 == 0 {
					g.sumShortRows(dst, m, blocks)
				} else if n > 0 {
					g.sumEqual(dst, m)
				}
				g.release()
				for i := range n {
					want := takeMessage(prefix.H, 0, prefix.Rest, src.row(i))
					if string(dst.row(i)) != string(want[:dst.Size]) || string(dst.Data[i*40+30:][:10]) != string(make([]byte, 10)) {
						l.fail("row %d is of other blocks", i)
					}
				}
				l.ok(t, "%d rows of %d bytes", n, size)
			}
		}
		// Every pattern of ends that take one block and two, by 9 of them; then more.
		for n := range 70 {
			patterns := 1
			if n < 10 {
				patterns = 1 << n
			}
			for pattern := range patterns {
				e := &endList{n: n, pattern: int(uint32(pattern) * 0x9e3779b9), data: data}
				if n < 10 {
					e.pattern = pattern
				}
				dst := make([][block.DigestSize]byte, n)
				SumEnds(dst, e)
				for i, got := range dst {
					h, rest, length := e.end(i)
					if want := takeMessage(*h, length-uint64(len(rest)), rest); got != want {
						l.fail("digest %d is of other blocks", i)
					}
				}
				l.ok(t, "%d ends, pattern %#x", n, pattern)
			}
		}
	})
}

// endList are ends of messages, those of two blocks where pattern has a bit.
type endList struct {
	n, pattern int
	data       []byte
	h          [70]block.State
}

func (e *endList) End(i int, j *Job) (at, blocks int) { return j.SetEnd(e.end(i)) }

func (e *endList) end(i int) (*block.State, []byte, uint64) {
	e.h[i] = block.State{9, uint32(i)}
	n := i % 56
	if e.pattern>>(i%32)&1 == 1 {
		n = 56 + i%8
	}
	return &e.h[i], e.data[i*70:][:n], uint64(640 + n)
}

// TestSchedulesOfOneBlock hashes every number of messages of one block, again and again,
// and pairs of digests.
func TestSchedulesOfOneBlock(t *testing.T) {
	const at = block.WotsAt + 1 // no kernel for WOTS+ does it
	data := randomBytes(4 * MaxOneBlock * block.Size)
	eachLedger(t, 6, func(t *testing.T, l *ledger) {
		o := new(OneBlock)
		o.Init(at)
		var from [3]block.State
		var want [MaxOneBlock][block.Size]byte
		for n := range MaxOneBlock + 1 {
			steps := make([]uint8, n)
			for i := range o.Blocks {
				o.Blocks[i] = [block.Size]byte(data[i*block.Size:])
				from[i%3] = block.State{uint32(i % 3)}
				o.From[i], o.Sizes[i] = &from[i%3], uint8(16+i%3*8)
				want[i] = o.Blocks[i]
				if i >= n {
					continue
				}
				if n%2 == 0 {
					steps[i] = uint8((n - i) * 15 / n) // falling, from 15
				} else {
					steps[i] = 1
				}
				for range steps[i] {
					h := from[i%3]
					take(&h, &want[i][0])
					var digest [block.DigestSize]byte
					block.PutDigest(&digest, &h)
					copy(want[i][at:at+int(o.Sizes[i])], digest[:])
					if n%2 == 0 {
						count := want[i][at-2 : at]
						binary.BigEndian.PutUint16(count, binary.BigEndian.Uint16(count)+1)
					}
				}
			}
			if n%2 == 0 {
				o.Follow(steps)
			} else {
				o.Sum(n)
			}
			if o.Blocks != want {
				l.fail("a message is another one")
			}
			for i := range from {
				if from[i] != (block.State{uint32(i)}) {
					l.fail("a midstate changed")
				}
			}
			l.ok(t, "%d messages", n)
			if n == 0 {
				continue
			}
			src, dst := make([][block.DigestSize]byte, 2*n), make([][block.DigestSize]byte, n)
			copy(convert.Bytes(src), data)
			CompressPairs(dst, block.State{1, 2}, src)
			for i, got := range dst {
				before := block.State{1, 2}
				after := before
				take(&after, &src[2*i][0])
				var want [block.DigestSize]byte
				if PutDifference(&want, &after, &before); got != want {
					l.fail("pair %d is another one", i)
				}
			}
			l.ok(t, "%d pairs", n)
		}
	})
}

// TestSchedulesOfChains iterates chains on the kernels for streams.
func TestSchedulesOfChains(t *testing.T) {
	skipInRaceBuilds(t)
	chainPlans.current() // kernels are selected before block.Epoch is read
	before := chainPlans.last.Load()
	defer chainPlans.last.Store(before)
	for _, m := range cpu.Microarchs() {
		var streams []block.Spec
		specs, single := specsOn(m)
		for _, k := range specs {
			if k.Operation == block.StreamOp {
				streams = append(streams, k)
			}
		}
		l := newLedger(planFor(m, streams, single), 100)
		p := &chainPlan{Chains: *plan.NewChains(plan.RowOf(m), streams, single)}
		kernelOf := func(name string) *block.Kernel {
			for _, k := range append(l.plan.kernels[1:], l.plan.even) {
				if k != nil && k.Name == name {
					return k
				}
			}
			own := oneStream // no plan for streams has it, or it is for one stream
			for _, k := range streams {
				if k.Name == name {
					own.Spec, own.Max = k, 100
				}
			}
			own.Blocks = func(states **block.State, data **byte, ring, first, at, slice, turns int) {
				l.blocks(&own, states, data, ring, first, at, slice, turns)
			}
			return &own
		}
		for n, name := range p.Kernels {
			p.streams[n] = kernelOf(name)
		}
		p.evenStreams = kernelOf(p.EvenKernel)
		chainPlans.last.Store(&cached[chainPlan]{p, block.Epoch()})
		count := 0
		lists(l.plan, []int{1, 2, 7, 9, 24}, func(list []int) {
			if count++; count%7 != 0 {
				return
			}
			ended := make([]int, len(list))
			begin := func(i int) Chain {
				return Chain{Inner: block.State{1, uint32(i)}, Outer: block.State{2, uint32(i)}, U: block.State{3, uint32(i)}, Sum: block.State{4}, Left: list[i]}
			}
			RunChains(len(list), &block.KeyedPadding, func(i int) int { return list[i] },
				func(ch *Chain, i int) { *ch = begin(i) },
				func(ch *Chain, i int) {
					ended[i]++
					want := begin(i)
					for ; want.Left > 0; want.Left-- {
						for _, h := range []block.State{want.Inner, want.Outer} {
							var b [block.Size]byte
							block.PutDigest((*[block.DigestSize]byte)(b[:]), &want.U)
							for j, w := range block.KeyedPadding {
								binary.BigEndian.PutUint32(b[block.DigestSize+4*j:], w)
							}
							take(&h, &b[0])
							want.U = h
						}
						for j, w := range want.U {
							want.Sum[j] ^= w
						}
					}
					if *ch != want {
						l.fail("chain %d is another one", i)
					}
				})
			for i, n := range ended {
				if n != 1 {
					l.fail("chain %d ends %d times", i, n)
				}
			}
			l.ok(t, "%#v: chains of %v iterations", m, list)
		})
		if l.calls == 0 {
			t.Errorf("%#v: no kernel was called", m)
		}
	}
}
