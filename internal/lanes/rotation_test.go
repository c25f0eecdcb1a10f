package lanes

import (
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// A model predicts what plans take, by a microarchitecture's costs.
type model struct {
	plan   *streamPlan
	row    plan.Row
	cycles map[string]int
}

func newModel(m cpu.Microarch) model {
	return model{planOf(m), plan.RowOf(m), cyclesOf(m)}
}

// call is what a call of a kernel takes.
func (m model) call(k *block.Kernel, blocks int) int {
	calls := (blocks + k.Max - 1) / k.Max
	return blocks*m.cycles[k.Name] + calls*m.row.Call(k.Lanes)
}

// together is what it takes to advance n lanes by so many blocks.
func (m model) together(n, blocks int) int {
	total := 0
	for n > 0 {
		k := m.plan.kernels[n]
		total += m.call(k, blocks)
		n -= k.Lanes
	}
	return total
}

// withoutRotation is what jobs of these segments take if as many as there are lanes,
// the longest first, advance together by the shortest segment, and those that end
// are followed by others: the plan before jobs rotated.
func (m model) withoutRotation(jobs [][2]int) int {
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b [2]int) int { return b[0] + b[1] - a[0] - a[1] })
	var live [][2]int
	total := 0
	for {
		for len(live) < m.plan.Width && len(jobs) > 0 {
			if j := jobs[0]; j[0] > 0 {
				live = append(live, j)
			} else if j[1] > 0 {
				live = append(live, [2]int{j[1], 0})
			}
			jobs = jobs[1:]
		}
		if len(live) == 0 {
			return total
		}
		step := math.MaxInt
		for _, j := range live {
			step = min(step, j[0])
		}
		total += m.together(len(live), step)
		next := live[:0]
		for _, j := range live {
			if j[0] -= step; j[0] == 0 {
				j = [2]int{j[1], 0}
			}
			if j[0] > 0 {
				next = append(next, j)
			}
		}
		live = next
	}
}

// recorded is what the calls of a recorder take.
func (m model) recorded(r *recorder) int {
	kernels := append(slices.Clone(m.plan.kernels[1:]), m.plan.even)
	total := 0
	for _, c := range r.calls {
		k := kernels[slices.IndexFunc(kernels, func(k *block.Kernel) bool { return k.Name == c.kernel })]
		total += m.call(k, c.blocks)
		if c.goesOn {
			total -= m.row.Call(k.Lanes) - m.row.Turn(k.Lanes)
		}
	}
	return total
}

// least is the least that jobs can take: the longest alone, or all of them at the
// rate of the best kernels that they fill, or fill in part.
func (m model) least(jobs [][2]int) int {
	longest, sum := 0, 0
	for _, j := range jobs {
		longest, sum = max(longest, j[0]+j[1]), sum+j[0]+j[1]
	}
	rate := math.Inf(1)
	for n := 1; n <= min(len(jobs), m.plan.Width); n++ {
		cycles := 0
		for left := n; left > 0; left -= m.plan.kernels[left].Lanes {
			cycles += m.cycles[m.plan.kernels[left].Name]
		}
		rate = min(rate, float64(cycles)/float64(n))
	}
	return max(longest*m.cycles[m.plan.kernels[1].Name], int(float64(sum)*rate))
}

// sum has SumMany's way with messages of one length record its calls.
func (r *recorder) sum(t *testing.T, n, blocks int) {
	t.Helper()
	r.jobs, r.calls = new(jobs), nil
	msgs, dst := make([][]byte, n), make([][block.DigestSize]byte, n)
	for i := range msgs {
		msgs[i] = randomBytes(blocks*block.Size + i)[i:]
	}
	g := acquire()
	g.plan = r.plan
	g.sums.prefix.H = block.IV256
	g.sumEqual(rowsOf(dst), messagesOf(msgs))
	g.release()
	for i, m := range msgs {
		if want := sha256.Sum256(m); dst[i] != want {
			t.Errorf("%d messages of %d blocks: digest %d is %x, want %x", n, blocks, i, dst[i], want)
		}
	}
}

// TestRotationOfEqualMessages tests, by the costs of every microarchitecture, that
// SumMany never takes longer for messages of one length than without rotation, and
// how close to the least it stays, calls aside.
func TestRotationOfEqualMessages(t *testing.T) {
	var (
		archs     = cpu.Microarchs()
		models    []model
		recorders []*recorder
	)
	for _, arch := range archs {
		models, recorders = append(models, newModel(arch)), append(recorders, newRecorder(arch))
	}
	for blocks, most := range map[int]float64{64: 1.02, 1024: 1.005} {
		if testing.Short() && blocks > 64 {
			continue
		}
		for n := 1; n <= 64; n++ {
			for i, m := range models {
				r := recorders[i]
				r.sum(t, n, blocks)
				list := each(n, func(int) [2]int { return [2]int{blocks, 1} })
				got, before, least := m.recorded(r), m.withoutRotation(list), m.least(list)
				if got > before {
					t.Errorf("%#v, %d messages of %d blocks: %d cycles, without rotation %d: %v", archs[i], n, blocks, got, before, r.calls)
				}
				if cycles := got - m.overhead(r); float64(cycles) > most*float64(least) {
					t.Errorf("%#v, %d messages of %d blocks: %d cycles beside calls, the least is %d: %v", archs[i], n, blocks, cycles, least, r.calls)
				}
			}
		}
	}
}

// overhead is what the calls of a recorder take beside their blocks.
func (m model) overhead(r *recorder) int {
	total := m.recorded(r)
	for _, c := range r.calls {
		total -= c.blocks * m.cycles[c.kernel]
	}
	return total
}

// TestRotationOfUnequalJobs tests that lists of random jobs take no longer than
// without rotation on the whole, and none takes 3% longer: ways are compared as if
// all jobs ended at once, and each end cuts slices short.
func TestRotationOfUnequalJobs(t *testing.T) {
	lists := 1000
	if testing.Short() {
		lists = 100
	}
	for _, arch := range cpu.Microarchs() {
		m, r := newModel(arch), newRecorder(arch)
		random := rand.New(rand.NewPCG(8, 8))
		total, before := 0, 0
		for range lists {
			n := 1 + random.IntN(64)
			list := each(n, func(int) [2]int { return [2]int{random.IntN(1 << random.IntN(9)), 1 + random.IntN(2)} })
			r.run(newJobs(list), true)
			got, old := m.recorded(r), m.withoutRotation(list)
			if got > old+old/33 {
				t.Errorf("%#v, %v: %d cycles, without rotation %d: %v", arch, list, got, old, r.calls)
			}
			total, before = total+got, before+old
		}
		if total > before+before/1000 {
			t.Errorf("%#v: %d cycles in all, without rotation %d", arch, total, before)
		}
	}
}

// TestRotationGains tests that jobs of nearly one length gain by rotation, by the costs of
// every microarchitecture, for one number of them or another.
func TestRotationGains(t *testing.T) {
	for _, arch := range cpu.Microarchs() {
		m, r := newModel(arch), newRecorder(arch)
		if m.plan.Width == 1 {
			continue
		}
		best := 0.0
		for n := 2; n < 2*m.plan.Width; n++ {
			list := each(n, func(i int) [2]int { return [2]int{72 + i%3, 1} })
			r.run(newJobs(list), true)
			best = max(best, float64(m.withoutRotation(list))/float64(m.recorded(r)))
		}
		if best < 1.05 {
			t.Errorf("%#v: %.3f times as fast as without rotation at best", arch, best)
		}
	}
}

// TestEqualOfAnyLength tests messages of one length for every number of them that
// can rotate and every number of blocks up to some, whatever slices divide. Lists
// follow each other in a random order, and then by numbers of blocks, so that what was
// weighed for a list meets others of as many messages and others of as many blocks.
func TestEqualOfAnyLength(t *testing.T) {
	const maxBlocks = 40
	data := randomBytes((maxJobs + maxBlocks) * block.Size)
	sum := func(n, blocks int) {
		msgs, dst := make([][]byte, n), make([][block.DigestSize]byte, n)
		for i := range msgs {
			msgs[i] = data[i*block.Size:][:blocks*block.Size]
		}
		SumMany(dst, msgs)
		for i, m := range msgs {
			if want := sha256.Sum256(m); dst[i] != want {
				t.Fatalf("%d messages of %d blocks: digest %d is %x, want %x", n, blocks, i, dst[i], want)
			}
		}
	}
	for _, i := range rand.Perm((maxJobs - 1) * maxBlocks) {
		sum(1+i/maxBlocks, 1+i%maxBlocks)
	}
	for blocks := range maxBlocks {
		for _, i := range rand.Perm(maxJobs - 1) {
			sum(1+i, 1+blocks)
		}
	}
}

// TestAnySlices has jobs rotate in more short slices than fit in a call, and in
// slices each of which does not.
func TestAnySlices(t *testing.T) {
	for _, arch := range cpu.Microarchs() {
		g, r := acquire(), newRecorder(arch)
		g.plan, r.jobs = r.plan, new(jobs)
		width := g.Width()
		live := min(width+1, g.maxLive())
		most := g.plan.kernels[width].Max
		for _, tt := range []struct{ slice, slices int }{{1, most + most/2}, {most + 1, 2}} {
			blocks := tt.slice*tt.slices + tt.slice/2
			data := randomBytes((live + blocks) * block.Size)
			states := make([]block.State, live)
			for i := range states {
				g.state[i], g.next[i] = &states[i], &data[i*block.Size]
			}
			g.rotateEqual(live, blocks, plan.TimeSlice{Lanes: width, Blocks: tt.slice})
			g.retire(0)
			for i, got := range states {
				var want block.State
				block.Compress(&want, data[i*block.Size:][:blocks*block.Size])
				if got != want {
					t.Errorf("%#v, job %d of %d, slices of %d blocks: state %x, want %x", arch, i, live, tt.slice, got, want)
				}
			}
		}
		g.release()
	}
}

// TestGroupIsAligned tests what the states of jobs rely on, and that what a
// goroutine holds is small.
func TestGroupIsAligned(t *testing.T) {
	g := acquire()
	defer g.release()
	if size := unsafe.Sizeof(*g); size >= 64<<10 {
		t.Errorf("a group takes %d bytes", size)
	}
	if g.Width() == 1 {
		return // no kernel, and perhaps pointers of 32 bits
	}
	const line = 64
	for i := range g.jobs {
		if at := uintptr(unsafe.Pointer(&g.jobs[i].H)); at%line != 0 {
			t.Fatalf("the state of job %d is %d bytes into a cache line", i, at%line)
		}
	}
}
