package lanes_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// TestBatch has jobs of all kinds join and leave batches at random.
func TestBatch(t *testing.T) {
	data := hashtest.Data(1 << 16)
	hashtest.ForEach(t, func(t *testing.T) {
		width := lanes.Width()
		r := rand.New(rand.NewPCG(1, 2))
		blocks := func(most int) []byte { return data[r.IntN(1<<15):][:r.IntN(most+1)*block.Size] }
		type job struct {
			job   lanes.Job
			state block.State
			want  block.State
		}
		for range 100 {
			b := lanes.NewBatch()
			if len(b.Jobs()) != 0 || b.Room() != width {
				t.Fatalf("a new batch has %d lanes, and room for %d of %d", len(b.Jobs()), b.Room(), width)
			}
			joined, left := 0, 0
			for joined < 100 || len(b.Jobs()) > 0 {
				for joined < 100 && b.Room() > 0 && r.IntN(4) > 0 {
					j := &job{state: block.IV256, want: block.IV256}
					j.job.Owner = j
					j.job.State = &j.state
					j.job.Segments = [...][]byte{blocks(1), blocks(1 << r.IntN(9)), nil}
					if len(j.job.Segments[0])+len(j.job.Segments[1]) == 0 {
						j.job.Segments[2] = data[:block.Size]
					}
					for _, p := range j.job.Segments {
						block.Compress(&j.want, p)
					}
					b.Join(&j.job)
					joined++
				}
				if len(b.Jobs()) == 0 {
					continue
				}
				before := slices.Clone(b.Jobs())
				done := b.Step(1 + r.IntN(100))
				left += len(done)
				if len(b.Jobs())+len(done) != len(before) {
					t.Errorf("of %d lanes %d left and %d stayed", len(before), len(done), len(b.Jobs()))
				}
				if order := func(d, e *lanes.Job) int { return slices.Index(before, d) - slices.Index(before, e) }; !slices.IsSortedFunc(done, order) {
					t.Error("jobs left in another order than they had")
				}
				for _, d := range done {
					if j := d.Owner.(*job); j.state != j.want {
						t.Fatalf("state %08x, want %08x", j.state, j.want)
					}
				}
			}
			if left != joined {
				t.Errorf("%d jobs joined, %d left", joined, left)
			}
			b.Release()
		}
	})
}

func TestBatchLongest(t *testing.T) {
	data := make([]byte, 16*block.Size)
	var states [3]block.State
	jobs := [len(states)]lanes.Job{
		{Segments: [...][]byte{data[:3*block.Size], nil, nil}},
		{Segments: [...][]byte{data[:2*block.Size], nil, data[:14*block.Size]}},
		{Segments: [...][]byte{nil, data[:4*block.Size], nil}},
	}
	if width := lanes.Width(); width < len(jobs) {
		t.Skipf("there are only %d lanes", width)
	}
	b := lanes.NewBatch()
	for i := range jobs {
		jobs[i].State = &states[i]
		b.Join(&jobs[i])
	}
	for len(b.Jobs()) > 1 {
		if b.Longest() != &jobs[1] {
			t.Fatalf("the longest of %d lanes is not the one with 16 blocks", len(b.Jobs()))
		}
		b.Step(2)
	}
	b.Step(2)
	b.Release()
}
