package lanes

import (
	"math"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// newRecordedBatch returns a batch, by the plan of a microarchitecture, of n jobs
// that have blocks(i) blocks each.
func newRecordedBatch(m cpu.Microarch, n int, blocks func(i int) int) (*Batch, []Job) {
	r := newRecorder(m)
	r.jobs = new(jobs)
	b := NewBatch()
	b.plan = r.plan
	jobs, states := make([]Job, n), make([]block.State, n)
	for i := range jobs {
		jobs[i].Set(&states[i], nil, make([]byte, blocks(i)*block.Size), nil)
		b.Join(&jobs[i])
	}
	return b, jobs
}

// TestStepsAreFair tests, by the costs of every microarchitecture, that no step
// goes beyond its limit, and that of equal jobs none falls behind the others by
// more than one step: where kernels are not to run part-filled all pause in turn.
func TestStepsAreFair(t *testing.T) {
	const limit = 4
	paused := 0
	for _, m := range cpu.Microarchs() {
		for n := 1; n <= planOf(m).Width; n++ {
			b, _ := newRecordedBatch(m, n, func(int) int { return 100 })
			for range 20 {
				before := map[*Job]int{}
				for i, j := range b.Jobs() {
					before[j] = b.total(i)
				}
				for _, j := range b.Step(limit) {
					if before[j] > limit {
						t.Fatalf("%#v, %d jobs: a step of at most %d blocks ends one of %d", m, n, limit, before[j])
					}
				}
				least, most := b.total(0), b.total(0)
				for i, j := range b.Jobs() {
					left := b.total(i)
					least, most = min(least, left), max(most, left)
					switch advanced := before[j] - left; {
					case advanced > limit:
						t.Fatalf("%#v, %d jobs: a step of %d blocks, of at most %d", m, n, advanced, limit)
					case advanced == 0:
						paused++
					}
				}
				if most-least > 2*limit {
					t.Fatalf("%#v, %d jobs: one has %d blocks left, another %d", m, n, most, least)
				}
			}
			for len(b.Jobs()) > 0 {
				b.Step(limit)
			}
			b.Release()
		}
	}
	if paused == 0 {
		t.Error("no job has ever paused")
	}
}

// TestNobodyWaitsForOthers tests, by the costs of every microarchitecture, that a
// job pauses no more than a few steps in a row, though each job that ends is
// followed by another at once.
func TestNobodyWaitsForOthers(t *testing.T) {
	const most = block.MaxLanes / 2 // jobs wait for two others at least
	for _, m := range cpu.Microarchs() {
		for n := 2; n <= planOf(m).Width; n++ {
			b, _ := newRecordedBatch(m, n, func(i int) int { return 32 + 5*i })
			paused := map[*Job]int{}
			for step := range 300 {
				before := map[*Job]int{}
				for i, j := range b.Jobs() {
					before[j] = b.total(i)
				}
				done := b.Step(64)
				for i, j := range b.Jobs() {
					paused[j]++
					if b.total(i) < before[j] {
						paused[j] = 0
					}
					if paused[j] > most {
						t.Fatalf("%#v, %d jobs: one has paused for %d steps", m, n, paused[j])
					}
				}
				for range done {
					j := new(Job)
					j.Set(new(block.State), nil, make([]byte, (32+step%7)*block.Size), nil)
					b.Join(j)
				}
			}
			for len(b.Jobs()) > 0 {
				b.Step(math.MaxInt)
			}
			b.Release()
		}
	}
}

// TestBatchForgets tests that a batch holds nothing of the jobs that have left
// it, but for what Step has just returned, and nothing at all when it is given up.
func TestBatchForgets(t *testing.T) {
	b, _ := newRecordedBatch(cpu.Zen5, 20, func(i int) int { return 1 + i/3 })
	for len(b.Jobs()) > 0 {
		b.Step(2)
		for i := len(b.Jobs()); i < len(b.next); i++ {
			if b.next[i] != nil || b.state[i] != &b.unused {
				t.Fatalf("with %d jobs lane %d points into memory of one that has left", len(b.Jobs()), i)
			}
		}
	}
	b.Release()
	for i, j := range b.job {
		if j != nil || b.next[i] != nil {
			t.Errorf("lane %d is kept", i)
		}
	}
	for i, j := range b.done {
		if j != nil {
			t.Errorf("job %d that was done is kept", i)
		}
	}
}
