package lanes

import (
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
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
