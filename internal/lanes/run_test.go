package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// A call is a turn of a kernel for a group that has live lanes, of all kernels.
type call struct {
	kernel string
	live   int
	blocks int
	goesOn bool // from the turn before
}

// A recorder is a plan whose kernels record their calls, and compress.
type recorder struct {
	plan  *streamPlan
	jobs  *jobs
	calls []call
	// missed are the calls with fewer lanes live than possible.
	missed []call
}

// newRecorder returns a recorder of the plan by a microarchitecture's costs.
func newRecorder(m cpu.Microarch) *recorder { return record(planOf(m)) }

// record returns a recorder of p.
func record(p *streamPlan) *recorder {
	r := &recorder{plan: p}
	p.replaceKernels(func(own *block.Kernel) {
		own.Blocks = func(h **block.State, p **byte, streams, first, at, n, turns int) {
			if n < 1 || turns < 1 || n*turns > own.Max || first >= streams || turns > 1 && streams < own.Lanes {
				panic(fmt.Sprintf("%s is called for %d turns of %d blocks of %d streams from %d on, at most %d blocks in all",
					own.Name, turns, n, streams, first, own.Max))
			}
			for turn := range turns {
				r.compress(own, turn > 0, unsafe.Slice(h, first+own.Lanes)[first:], unsafe.Slice(p, first+own.Lanes)[first:], at, n)
				if first += own.Lanes; first >= streams {
					first -= streams
					at += n
				}
			}
		}
	})
	return r
}

// replaceKernels replaces the kernels of p by copies, which it changes by f.
func (p *streamPlan) replaceKernels(f func(own *block.Kernel)) {
	copies := map[*block.Kernel]*block.Kernel{nil: nil}
	replace := func(k **block.Kernel) {
		if _, ok := copies[*k]; !ok {
			own := **k
			f(&own)
			copies[*k] = &own
		}
		*k = copies[*k]
	}
	for n := range p.kernels {
		replace(&p.kernels[n])
	}
	replace(&p.even)
}

func (r *recorder) compress(k *block.Kernel, goesOn bool, states []*block.State, blocks []*byte, at, n int) {
	for i, s := range states {
		block.Compress(s, unsafe.Slice(block.Advance(blocks[i], at), n*block.Size))
	}
	c := call{k.Name, r.jobs.live, n, goesOn}
	r.calls = append(r.calls, c)
	if r.jobs.waiting() && c.live < r.plan.Width {
		r.missed = append(r.missed, c)
	}
}

// run has a group do jobs by the recorder's plan.
func (r *recorder) run(j *jobs, uneven bool) {
	r.jobs, r.calls, r.missed = j, nil, nil
	g := acquire()
	g.plan = r.plan
	g.run(len(j.blocks), j, uneven)
	g.release()
}

// jobs are Work whose jobs have blocks[i][0] whole blocks first and blocks[i][1]
// then, all different ones.
type jobs struct {
	blocks  [][2]int
	data    [][2][]byte
	states  []block.State
	started []int
	done    []int
	live    int
}

func newJobs(blocks [][2]int) *jobs {
	j := &jobs{blocks: blocks, states: make([]block.State, len(blocks))}
	total := 0
	for _, b := range blocks {
		total += b[0] + b[1]
	}
	data := randomBytes(total * block.Size)
	for i, b := range blocks {
		var parts [2][]byte
		for part, n := range b {
			parts[part], data = data[:n*block.Size], data[n*block.Size:]
		}
		j.data = append(j.data, parts)
		j.states[i] = block.IV256
	}
	return j
}

// waiting reports whether there are jobs to start in the window.
func (j *jobs) waiting() bool {
	return len(j.started)%window != 0 && len(j.started) < len(j.blocks)
}

func (j *jobs) total(i int) int { return j.blocks[i][0] + j.blocks[i][1] }

func (j *jobs) Blocks(i int) int { return j.total(i) }

func (js *jobs) Start(i int, j *Job) bool {
	js.started = append(js.started, i)
	if js.total(i) == 0 {
		return false
	}
	js.live++
	j.Set(&js.states[i], js.data[i][0], js.data[i][1], nil)
	return true
}

func (j *jobs) Done(i int, _ *Job) {
	j.live--
	j.done = append(j.done, i)
}

// check tests that every job was started once, that it is done if it has
// blocks, and that its state took in these blocks, in order.
func (j *jobs) check(t *testing.T) {
	t.Helper()
	var all, withBlocks []int
	for i := range j.blocks {
		all = append(all, i)
		want := block.IV256
		for _, part := range j.data[i] {
			block.Compress(&want, part)
		}
		if j.total(i) > 0 {
			withBlocks = append(withBlocks, i)
		}
		if j.states[i] != want {
			t.Errorf("job %d of %d and %d blocks: %x, want %x", i, j.blocks[i][0], j.blocks[i][1], j.states[i], want)
		}
	}
	if got := slices.Sorted(slices.Values(j.started)); !slices.Equal(got, all) {
		t.Errorf("started are %d", got)
	}
	if got := slices.Sorted(slices.Values(j.done)); !slices.Equal(got, withBlocks) {
		t.Errorf("done are %d, want %d", got, withBlocks)
	}
}

// shapes are lists of jobs, of n each.
var shapes = []struct {
	name string
	of   func(n int) [][2]int
}{
	{"equal", func(n int) [][2]int { return each(n, func(int) [2]int { return [2]int{3, 1} }) }},
	{"rising", func(n int) [][2]int { return each(n, func(i int) [2]int { return [2]int{i, 1} }) }},
	{"falling", func(n int) [][2]int { return each(n, func(i int) [2]int { return [2]int{n - i, 2} }) }},
	{"some long", func(n int) [][2]int { return each(n, func(i int) [2]int { return [2]int{500 / (1 + i), 2} }) }},
	{"first parts only", func(n int) [][2]int { return each(n, func(i int) [2]int { return [2]int{1 + i%3, 0} }) }},
	{"rests only", func(n int) [][2]int { return each(n, func(i int) [2]int { return [2]int{0, 1 + i%2} }) }},
	{"some without blocks", func(n int) [][2]int { return each(n, func(i int) [2]int { return [2]int{i % 3 / 2, i % 2} }) }},
	{"none with blocks", func(n int) [][2]int { return each(n, func(int) [2]int { return [2]int{} }) }},
	{"any", func(n int) [][2]int {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		return each(n, func(int) [2]int { return [2]int{r.IntN(1 << r.IntN(8)), r.IntN(3)} })
	}},
}

func each(n int, blocks func(i int) [2]int) [][2]int {
	list := make([][2]int, n)
	for i := range list {
		list[i] = blocks(i)
	}
	return list
}

// TestRun does every shape and number of jobs by the plan of every microarchitecture: each
// job gets its blocks, as long as there are enough jobs all lanes are live, and
// it takes no longer, by its own costs, than one job at a time.
func TestRun(t *testing.T) {
	for _, m := range cpu.Microarchs() {
		t.Run(fmt.Sprintf("%#v", m), func(t *testing.T) {
			r := newRecorder(m)
			costs := cyclesOf(m)
			one := costs[r.plan.kernels[1].Name]
			for _, shape := range shapes {
				for n := range maxTestLanes + 1 {
					if testing.Short() && n%3 != 1 {
						continue
					}
					for _, uneven := range []bool{false, true} {
						j := newJobs(shape.of(n))
						r.run(j, uneven)
						j.check(t)
						blocks, cost := 0, 0
						for i := range j.blocks {
							blocks += j.total(i)
						}
						for _, call := range r.calls {
							cost += call.blocks * costs[call.kernel]
						}
						if cost > blocks*one {
							t.Errorf("costs %d, one at a time %d", cost, blocks*one)
						}
						if t.Failed() {
							t.Fatalf("%s, %d jobs, uneven %t: %v", shape.name, n, uneven, r.calls)
						}
					}
				}
			}
		})
	}
}

// TestNumbersOf64Bits tests that jobs keep their numbers in lists of any length.
func TestNumbersOf64Bits(t *testing.T) {
	first := math.MaxInt32
	if first++; first < 0 {
		t.Skip("an int has 32 bits")
	}
	j := newJobs(shapes[1].of(maxTestLanes))
	g := acquire()
	g.base, g.upcoming, g.count, g.sorted, g.used = first, 0, len(j.blocks), false, maxJobs
	g.runWindow(offset{j, first})
	g.release()
	j.check(t)
}

// offset are jobs whose numbers begin with first.
type offset struct {
	*jobs
	first int
}

func (o offset) Blocks(i int) int         { return o.jobs.Blocks(i - o.first) }
func (o offset) Start(i int, j *Job) bool { return o.jobs.Start(i-o.first, j) }
func (o offset) Done(i int, j *Job)       { o.jobs.Done(i-o.first, j) }

// TestLongestFirst tests that uneven jobs start by falling length, but for the
// few per cent that the order does not tell apart, and others as they come.
func TestLongestFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	list := each(500, func(int) [2]int { return [2]int{random.IntN(1 << random.IntN(12)), 1} })
	j := newJobs(list)
	newRecorder(cpu.Zen5).run(j, true)
	for i := 1; i < len(j.started); i++ {
		earlier, later := j.total(j.started[i-1]), j.total(j.started[i])
		if later > earlier+earlier>>bucketBits {
			t.Errorf("a job of %d blocks starts after one of %d", later, earlier)
		}
	}
	j = newJobs(list)
	newRecorder(cpu.Zen5).run(j, false)
	if !slices.IsSorted(j.started) {
		t.Errorf("even jobs start in the order %d", j.started)
	}
}

// TestRefill tests that no kernel runs with a lane missing while there are jobs
// to start.
func TestRefill(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for _, m := range cpu.Microarchs() {
		r := newRecorder(m)
		for _, n := range []int{40, 500, window + 50} {
			for _, uneven := range []bool{false, true} {
				j := newJobs(each(n, func(int) [2]int { return [2]int{random.IntN(9), random.IntN(2)} }))
				r.run(j, uneven)
				j.check(t)
				if len(r.missed) > 0 {
					t.Errorf("%#v, %d jobs, uneven %t: of %d lanes %v", m, n, uneven, r.plan.Width, r.missed)
				}
			}
		}
	}
}

// TestLongJobsAreBounded tests that no call takes more blocks than its kernel
// may, which the recorder asserts, and that lanes of different kernels advance
// together.
func TestLongJobsAreBounded(t *testing.T) {
	r := newRecorder(cpu.Zen5)
	for n := 1; n <= block.MaxLanes; n++ {
		j := newJobs(each(n, func(int) [2]int { return [2]int{1001, 1} }))
		r.run(j, true)
		j.check(t)
	}
}

// CheckScratch fails the test if what calls leave in the pool holds anything of
// the caller's, or a lane in use: kernels write to the states of lanes that are
// not live, too. A test outside of this package calls it, for each kernel.
func CheckScratch(t *testing.T) {
	const n = 61
	data := randomBytes(n * 100)
	equal, unequal, short := make([][]byte, n), make([][]byte, n), make([][]byte, n)
	for i := range n {
		equal[i], unequal[i], short[i] = data[i:][:20*block.Size], data[i:][:17*i], data[i:][:70]
	}
	dst, states := make([][block.DigestSize]byte, n), make([]block.State, n)
	a := &equalJobs{states, equal}
	whole := Prefix{H: block.IV256, Len: block.Size}
	after := Prefix{H: block.IV256, Rest: data[:7], Len: 7}
	for _, tt := range []struct {
		name string
		call func()
	}{
		{"SumMany", func() { SumMany(dst, equal) }},
		{"SumMany of short messages", func() { SumMany(dst, short) }},
		{"SumMany of unequal lengths", func() { SumMany(dst, unequal) }},
		{"SumManyAfter", func() { SumManyAfter(dst, &after, equal) }},
		{"SumManyAfter of unequal lengths", func() { SumManyAfter(dst, &after, unequal) }},
		{"SumNested", func() { SumNested(dst, &whole, &whole, equal) }},
		{"SumNested of short messages", func() { SumNested(dst, &whole, &whole, short) }},
		{"SumNestedEach", func() { SumNestedEach(dst, sameKeys{&states[0]}, equal) }},
		{"SumNestedEach of short messages", func() { SumNestedEach(dst, sameKeys{&states[0]}, short) }},
		{"SumNestedEach of unequal lengths", func() { SumNestedEach(dst, sameKeys{&states[0]}, unequal) }},
		{"SumNested of unequal lengths", func() { SumNested(dst, &whole, &whole, unequal) }},
		{"Run", func() { j := newJobs(shapes[1].of(n)); Run(n, j, true) }},
		{"RunEqual", func() { RunEqual(n, 20, a) }},
		{"RunByClasses", func() { RunByClasses(n, &unequalJobs{a, unequal}) }},
		{"SumEnds", func() { SumEnds(dst, a) }},
		{"SumDigests", func() { SumDigests(dst[:n/2], after, dst[:n/2*2]) }},
	} {
		tt.call()
		g := acquire() // of all that this P has pooled, the last one
		for i, s := range g.state {
			isKept := func(segment []byte) bool { return segment != nil }
			if outer := g.outer[i]; outer != nil && outer != &g.sums.outer.H {
				t.Fatalf("%s: the caller's state is kept", tt.name)
			}
			if s != &g.unused || g.next[i] != nil || g.job[i].State != nil || slices.ContainsFunc(g.job[i].Segments[:], isKept) {
				t.Fatalf("%s: lane %d is in use", tt.name, i)
			}
		}
		if r := &g.rotating; *r != (rotating{order: r.order, merged: r.merged}) || g.sums.msgs != nil {
			t.Fatalf("%s: the caller's memory is kept", tt.name)
		}
		g.release()
	}
}

// sameKeys are keys of one state.
type sameKeys struct{ h *block.State }

func (k sameKeys) States(int) (inner, outer *block.State) { return k.h, k.h }

// equalJobs are jobs of EqualWork, and messages of Ends.
type equalJobs struct {
	states []block.State
	data   [][]byte
}

func (a *equalJobs) Start(i int) (*block.State, []byte, []byte) { return &a.states[i], nil, a.data[i] }
func (a *equalJobs) Done(int, *block.State)                     {}

// unequalJobs are jobs of ClassedWork, of which every second has its first block apart.
type unequalJobs struct {
	*equalJobs
	data [][]byte
}

func (u *unequalJobs) Blocks(i int) int { return len(u.data[i]) / block.Size }
func (u *unequalJobs) Start(i int) (*block.State, []byte, []byte) {
	p := u.data[i][:u.Blocks(i)*block.Size]
	if i%2 == 1 {
		return &u.states[i], p[:block.Size], p[block.Size:]
	}
	return &u.states[i], nil, p
}

func (a *equalJobs) End(i int, j *Job) (at, blocks int) {
	return j.SetEnd(&a.states[i], a.data[i][:i], uint64(i))
}

// TestHasClasses tests lists at the bounds of those that RunByClasses does: by the plan of Zen
// 3, and by one of which lanes gain less.
func TestHasClasses(t *testing.T) {
	for m, few := range map[cpu.Microarch]bool{cpu.Zen3: true, cpu.Zen1: false, cpu.Zen5: false} {
		width := usePlanOf(t, m).Width
		for _, tt := range []struct {
			least, most, n int
			want           bool
		}{
			{1, 1, width, true},
			{1, 1, 2, true},
			{maxClassed, maxClassed, 2, true},
			{maxClassed + 1, maxClassed + 1, 2 * width, false},
			{1, 3, 3 * width, true},
			{1, 3, 3*width - 1, few},
			{1, maxClassed, width + 1, few},
			{1, maxClassed, width, false},
			{maxClassed - 1, maxClassed, 2 * width, true},
			{maxClassed, maxClassed + 1, 20 * width, false},
		} {
			var tally Tally
			for i := range tt.n {
				tally = tally.With([]int{tt.least, tt.most}[i%2]).With(0)
			}
			if got := tally.HasClasses(); got != tt.want {
				t.Errorf("%#v: %d jobs of %d and %d blocks: %t, want %t", m, tt.n, tt.least, tt.most, got, tt.want)
			}
		}
	}
}

func TestBucketsNeverFall(t *testing.T) {
	last := -1
	for _, blocks := range []int{0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 1 << 10, 1<<10 + 63, 1<<10 + 64, math.MaxInt / 64, math.MaxInt} {
		b := bucket(blocks)
		if b < last || b > maxBucket {
			t.Errorf("bucket(%d) = %d after %d, of at most %d", blocks, b, last, maxBucket)
		}
		last = b
	}
	for blocks := range 1 << 16 {
		if bucket(blocks+1) < bucket(blocks) {
			t.Fatalf("bucket(%d) = %d, bucket(%d) = %d", blocks, bucket(blocks), blocks+1, bucket(blocks+1))
		}
	}
}

// CheckAllocations fails the test if Run allocates once it is warm. A test
// outside of this package calls it, which knows what builds allocate anyway.
func CheckAllocations(t *testing.T) {
	for _, shape := range shapes {
		j := newJobs(shape.of(maxTestLanes))
		j.started, j.done = make([]int, 0, 1<<14), make([]int, 0, 1<<14)
		for _, uneven := range []bool{false, true} {
			run := func() {
				j.started, j.done = j.started[:0], j.done[:0]
				Run(len(j.blocks), j, uneven)
			}
			// A collection meanwhile empties the pool: one in 20 runs may.
			if n := testing.AllocsPerRun(20, run); n != 0 {
				t.Errorf("%s, uneven %t: %v allocations", shape.name, uneven, n)
			}
		}
	}
}
