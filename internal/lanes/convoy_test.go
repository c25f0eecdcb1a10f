package lanes_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/hashtest"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// TestConvoy has jobs of all kinds join and leave convoys at random.
func TestConvoy(t *testing.T) {
	data := hashtest.Data(1 << 16)
	hashtest.ForEach(t, func(t *testing.T) {
		width, _ := lanes.Width()
		r := rand.New(rand.NewPCG(1, 2))
		blocks := func(most int) []byte { return data[r.IntN(1<<15):][:r.IntN(most+1)*block.Size] }
		type job struct {
			lane  lanes.Lane
			state block.State
			want  block.State
		}
		for range 100 {
			c := lanes.NewConvoy()
			if len(c.Lanes()) != 0 || c.Room() != width {
				t.Fatalf("a new convoy has %d lanes, and room for %d of %d", len(c.Lanes()), c.Room(), width)
			}
			joined, left := 0, 0
			for joined < 100 || len(c.Lanes()) > 0 {
				for joined < 100 && c.Room() > 0 && r.IntN(4) > 0 {
					j := &job{state: block.IV256, want: block.IV256}
					j.lane.Job = j
					j.lane.State = &j.state
					j.lane.First, j.lane.Rest = blocks(1), blocks(1<<r.IntN(9))
					if len(j.lane.First)+len(j.lane.Rest) == 0 {
						j.lane.Rest = data[:block.Size]
					}
					block.Compress(&j.want, j.lane.First)
					block.Compress(&j.want, j.lane.Rest)
					c.Join(&j.lane)
					joined++
				}
				if len(c.Lanes()) == 0 {
					continue
				}
				live := len(c.Lanes())
				done := c.Step(1 + r.IntN(100))
				left += len(done)
				if len(c.Lanes())+len(done) != live {
					t.Errorf("of %d lanes %d left and %d stayed", live, len(done), len(c.Lanes()))
				}
				for _, l := range done {
					if j := l.Job.(*job); j.state != j.want {
						t.Fatalf("state %08x, want %08x", j.state, j.want)
					}
				}
			}
			if left != joined {
				t.Errorf("%d jobs joined, %d left", joined, left)
			}
			c.Release()
		}
	})
}

func TestConvoyLongest(t *testing.T) {
	data := make([]byte, 16*block.Size)
	var states [3]block.State
	jobs := [len(states)]lanes.Lane{
		{First: data[:3*block.Size]},
		{First: data[:2*block.Size], Rest: data[:9*block.Size]},
		{Rest: data[:10*block.Size]},
	}
	if width, _ := lanes.Width(); width < len(jobs) {
		t.Skipf("there are only %d lanes", width)
	}
	c := lanes.NewConvoy()
	for i := range jobs {
		jobs[i].State = &states[i]
		c.Join(&jobs[i])
	}
	for len(c.Lanes()) > 1 {
		if c.Longest() != &jobs[1] {
			t.Fatalf("the longest of %d lanes is not the one with 11 blocks", len(c.Lanes()))
		}
		c.Step(2)
	}
	c.Step(2)
	c.Release()
}
