package lanes

import (
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// TestShortMessagesTakeNoTurns tests, by the costs of every microarchitecture, that
// messages of one or two blocks are not divided into slices: what that saves in
// blocks, it costs in calls. There is one call of each kernel for the blocks and
// one for the padding, and at most two more if jobs that wait go after the others.
func TestShortMessagesTakeNoTurns(t *testing.T) {
	for _, m := range cpu.Microarchs() {
		r := newRecorder(m)
		for n := 1; n <= r.plan.Width; n++ {
			kernels := 0
			for left := n; left > 0; left -= r.plan.kernels[left].Lanes {
				kernels++
			}
			for _, blocks := range []int{1, 2} {
				if r.sum(t, n, blocks); len(r.calls) > 2*kernels+2 {
					t.Errorf("%#v, %d messages of %d blocks: %d calls of %d kernels: %v", m, n, blocks, len(r.calls), kernels, r.calls)
				}
			}
		}
	}
}

// TestFullWaves tests that a wave fills the lanes as often as there are messages, slots and
// cache for them.
func TestFullWaves(t *testing.T) {
	for _, k := range block.Catalog() {
		if maxShortWave%k.Lanes != 0 {
			t.Errorf("%s: %d lanes do not divide a wave of %d", k.Name, k.Lanes, maxShortWave)
		}
	}
	for width := 1; width <= block.MaxLanes; width *= 2 {
		for even := width; even <= block.MaxLanes; even *= 2 {
			g := group{lanes: lanes{plan: &streamPlan{Streams: plan.Streams{Width: width, Even: even}}}}
			for n := width; n <= 2*block.MaxLanes+1; n++ {
				lanes := width
				if n >= even {
					lanes = even
				}
				for blocks := range 12 {
					want := lanes * max(1, min(n, maxShortWave, plan.WaveBlocks/max(1, blocks))/lanes)
					if plan.IsLong(blocks) {
						want = lanes
					}
					if got := g.fullWave(n, blocks); got != want {
						t.Errorf("%d messages of %d blocks, %d or %d lanes: a wave of %d, want %d", n, blocks, width, even, got, want)
					}
				}
			}
		}
	}
}

// TestEvenKernel tests that equal messages run on the kernel for even lists where they fill its
// lanes, but not where more of them can rotate. Unequal jobs do not run on it.
func TestEvenKernel(t *testing.T) {
	r := newRecorder(cpu.GoldenCove)
	const even = "x32_avx512"
	onEven := func() (blocks int) {
		for _, c := range r.calls {
			if c.kernel == even {
				blocks += c.blocks
			}
		}
		return blocks
	}
	for _, tt := range []struct {
		n, whole int // messages, and whole blocks of each
		waves    int // on that kernel
	}{
		{31, 0, 0}, {31, 9, 0},
		{32, 0, 1}, {32, 3, 1}, {32, 6, 1}, {32, 7, 1}, {32, 20, 1}, {32, 1000, 1},
		{33, 0, 1}, {33, 1, 1}, {33, 7, 1}, {33, 8, 0}, {47, 8, 0}, {47, 1000, 0},
		{48, 9, 1}, {64, 9, 2}, {79, 9, 1}, {80, 9, 2}, {96, 3, 3},
	} {
		r.sum(t, tt.n, tt.whole)
		if got, want := onEven(), tt.waves*(tt.whole+1); got != want {
			t.Errorf("%d messages of %d blocks and padding: %d blocks in each lane of %s, want %d: %v", tt.n, tt.whole, got, even, want, r.calls)
		}
	}
	r.run(newJobs(each(100, func(i int) [2]int { return [2]int{i % 40, 1} })), true)
	if onEven() > 0 {
		t.Errorf("unequal jobs run on %s: %v", even, r.calls)
	}
}

// TestChangedLengths tests that sorting panics if messages have other numbers of blocks than
// before, as when another goroutine changes them.
func TestChangedLengths(t *testing.T) {
	for _, length := range []int{20, 200, 300} { // one, four and five blocks, not two or three
		func() {
			g := acquire()
			defer func() {
				if recover() == nil {
					t.Errorf("a message of %d bytes was sorted", length)
				}
			}()
			g.sums.msgs = [][]byte{make([]byte, 100), make([]byte, 150), make([]byte, length)}
			g.base, g.count = 0, 3
			g.sortByBlocks(2, 3)
		}()
	}
}
