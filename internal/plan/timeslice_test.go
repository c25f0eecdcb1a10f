package plan

import (
	"slices"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// TestRotationsFillKernels tests, by the costs of every microarchitecture, what
// package lanes relies on: jobs that rotate fill one kernel.
func TestRotationsFillKernels(t *testing.T) {
	for _, m := range cpu.Microarchs() {
		p := planOf(RowOf(m))
		for n := 1; n < 2*p.Width; n++ {
			lanes := p.cheapest[n]
			if lanes == n {
				continue
			}
			i := slices.IndexFunc(block.Catalog(), func(k block.Spec) bool { return k.Name == p.Kernels[lanes] })
			if i < 0 || block.Catalog()[i].Lanes != lanes {
				t.Errorf("%#v: %d of %d jobs rotate in %s", m, lanes, n, p.Kernels[lanes])
			}
		}
	}
}

// TestShortJobsDoNotRotate tests, by the costs of every microarchitecture, that jobs
// rotate from 8 blocks on, if other kernels than those for all of them cost less.
func TestShortJobsDoNotRotate(t *testing.T) {
	for _, m := range cpu.Microarchs() {
		p := planOf(RowOf(m))
		for n := 1; n < 2*p.Width; n++ {
			if p.Rotates(n, 7) {
				t.Errorf("%#v: %d jobs of 7 blocks rotate", m, n)
			}
			if want := p.cheapest[n] != n; p.Rotates(n, 8) != want {
				t.Errorf("%#v: %d jobs of 8 blocks rotate: %v", m, n, !want)
			}
		}
	}
}

// TestSlices tests how jobs go on by the costs of tests, for numbers of jobs and of
// blocks left.
func TestSlices(t *testing.T) {
	for _, tt := range []struct {
		row            Row
		jobs, blocks   int
		unequal, equal TimeSlice
	}{
		// x4_shani has as many lanes as there are jobs.
		{zen1, 4, 1000, TimeSlice{4, 1000}, TimeSlice{4, 1000}},
		// Five jobs rotate in its lanes: four slices each fill five turns.
		{zen1, 5, 1000, TimeSlice{4, 250}, TimeSlice{4, 250}},
		// Where each slice is a call, few blocks are divided into fewer slices.
		{zen1, 5, 16, TimeSlice{4, 8}, TimeSlice{4, 4}},
		{zen1, 7, 16, TimeSlice{4, 8}, TimeSlice{4, 4}},
		// 33 jobs in 32 lanes: calls for more than four slices would cost more than the
		// lanes that are in use for the last slices.
		{zen5, 33, 64, TimeSlice{32, 16}, TimeSlice{32, 4}},
		// 20 jobs cost least in x16_avx512.
		{zen5, 20, 64, TimeSlice{16, 16}, TimeSlice{16, 16}},
		// The cheapest kernel has two lanes.
		{shaOnly, 2, 64, TimeSlice{2, 64}, TimeSlice{2, 64}},
		{shaOnly, 3, 64, TimeSlice{2, 32}, TimeSlice{2, 32}},
	} {
		p := planOf(tt.row)
		if got := p.Slice(tt.jobs, tt.blocks); got != tt.unequal {
			t.Errorf("%#v, %d jobs of %d blocks and more: %+v, want %+v", tt.row.Microarch, tt.jobs, tt.blocks, got, tt.unequal)
		}
		if got := p.SliceEqual(tt.jobs, tt.blocks); got != tt.equal {
			t.Errorf("%#v, %d jobs of %d blocks: %+v, want %+v", tt.row.Microarch, tt.jobs, tt.blocks, got, tt.equal)
		}
	}
}
