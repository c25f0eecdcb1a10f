package lanes_test

import (
	"slices"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/plan"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

func TestDescribe(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		d := lanes.Describe()
		if d.Microarch != cpu.This() {
			t.Errorf("microarchitecture %#v, want %#v", d.Microarch, cpu.This())
		}
		width, kernel := lanes.Width(), lanes.StreamKernel()
		steps := plan.Steps(d.Streams, block.MaxLanes)
		if first := d.Streams[steps[0]]; first.Lanes != width || width > 1 && first.Kernel != kernel {
			t.Errorf("%v is described as first, %q with %d lanes selected", first, kernel, width)
		}
		if !slices.ContainsFunc(d.Streams, func(k plan.Candidate) bool { return k.Lanes == 1 && k.Kernel == block.Single() }) {
			t.Errorf("streams %v: none is %s", d.Streams, block.Single())
		}
		if len(d.Nodes) == 0 || d.Nodes[0].Kernel != block.Single() {
			t.Errorf("nodes %v: the first is not %s", d.Nodes, block.Single())
		}
		if best := plan.Cheapest(d.Nonces); best >= 0 != (lanes.SearchKernel() != nil) || best >= 0 && d.Nonces[best].Kernel != lanes.SearchKernel().Name {
			t.Errorf("nonces %v: %+v is selected", d.Nonces, lanes.SearchKernel())
		}
	})
}

func TestRunAllocatesNothingOnceWarm(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	lanes.CheckAllocations(t)
}

func TestScratchGoesBackUnused(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) { lanes.CheckScratch(t) })
}
