package lanes

import (
	"fmt"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// TestChangedJobs has one job gain or lose blocks after they were counted, as a hash does that
// another goroutine uses. Then the call may panic; but a job that is done has its own blocks,
// no fewer and no more.
func TestChangedJobs(t *testing.T) {
	const n = 3*block.MaxLanes + 5
	equal, falling := make([]int, n), make([]int, n)
	for i := range n {
		equal[i], falling[i] = 7, maxClassed-i%maxClassed
	}
	for _, tt := range []struct {
		name   string
		blocks []int
		run    func(w ClassedWork)
		always bool // the call always panics
	}{
		{"RunEqual", equal, func(w ClassedWork) { RunEqual(n, 7, w) }, true},
		{"RunByClasses, one class", equal, func(w ClassedWork) { RunByClasses(n, w) }, true},
		{"RunByClasses, many classes", falling, func(w ClassedWork) { RunByClasses(n, w) }, false},
	} {
		for _, change := range []int{-maxClassed, -1, 1, 2, 30} {
			panics := 0
			for changed := range n {
				w := &changedJobs{t: t, what: fmt.Sprintf("%s, job %d changed by %d", tt.name, changed, change), blocks: tt.blocks, changed: changed, change: change}
				if w.panics(tt.run) {
					panics++
				}
			}
			if panics == 0 || tt.always && panics < n {
				t.Errorf("%s, a job changed by %d: %d of %d calls panic", tt.name, change, panics, n)
			}
		}
	}
}

// changedJobs are jobs of ClassedWork. One has `change` blocks more than Blocks says.
type changedJobs struct {
	t               *testing.T
	what            string
	blocks          []int
	changed, change int
}

var changedData = randomBytes(3 * maxClassed * block.Size)

func (w *changedJobs) panics(run func(w ClassedWork)) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	run(w)
	return false
}

func (w *changedJobs) Blocks(i int) int { return w.blocks[i] }

func (w *changedJobs) Start(i int) (h *block.State, first, blocks []byte) {
	n := w.blocks[i]
	if i == w.changed {
		n = max(n+w.change, 0)
	}
	p := changedData[i*block.Size%997:][:n*block.Size]
	if i%2 == 1 && n > 0 {
		return &block.IV256, p[:block.Size:block.Size], p[block.Size:]
	}
	return &block.IV256, nil, p
}

func (w *changedJobs) Done(i int, h *block.State) {
	_, first, blocks := w.Start(i)
	want := block.IV256
	block.Compress(&want, first)
	block.Compress(&want, blocks)
	if *h != want {
		w.t.Errorf("%s: job %d has other blocks than its own", w.what, i)
	}
}
