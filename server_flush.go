package sha256

import (
	"hash"
	"slices"

	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// flushMany flushes, side by side, each hash of hs that has data buffered.
func flushMany(hs []hash.Hash) {
	if !slices.ContainsFunc(hs, func(h hash.Hash) bool { return buffering(h) != nil }) {
		return
	}
	w := works.Get().(*work)
	w.hs = hs
	lanes.Run(len(hs), (*flushWork)(w), true)
	*w = work{}
	works.Put(w)
}

// buffering returns h if it has data buffered, else nil.
func buffering(h hash.Hash) *serverHash {
	if d, ok := h.(*serverHash); ok && d.buffered != nil {
		return d
	}
	return nil
}

// flushWork flushes each hash of hs that has data buffered. None is waiting.
type flushWork work

func (w *flushWork) Blocks(i int) int {
	if d := buffering(w.hs[i]); d != nil {
		return len(d.bufferedBlocks()) / BlockSize
	}
	return 0
}

func (w *flushWork) Start(i int, j *lanes.Job) bool {
	d := buffering(w.hs[i])
	if d == nil || d.waiting {
		return false
	}
	d.waiting = true
	j.Set(&d.h, d.bufferedBlocks(), nil, nil)
	return true
}

func (w *flushWork) Done(i int, _ *lanes.Job) {
	d := buffering(w.hs[i])
	d.waiting = false
	d.flushed()
}
