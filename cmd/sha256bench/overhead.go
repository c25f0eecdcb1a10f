package main

import (
	"context"
	"math"
	"runtime"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/plan"
	"github.com/sha256-simd/sha256-simd/internal/test/timing"
)

// An overhead is what work costs here beside the blocks that kernels compress, in
// cycles: the columns of a row of the table.
type overhead struct {
	call, callLane    float64
	turnLane, turnMax float64
	pointers, rest    float64 // 0 if the library rotates too few jobs to measure them
	padding           float64
	generic           float64
}

// measureOverhead measures it, for about as long as the budget says. The selection is
// the same before and afterwards.
func (c *costs) measureOverhead(ctx context.Context, budget time.Duration) (o overhead, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	var kernels []block.Kernel
	for _, k := range block.Kernels() {
		if k.Supported && k.Lanes > 1 {
			kernels = append(kernels, k)
		}
	}
	// under has fs measured while the named kernel is forced, or the selection is as
	// it was if the name is empty, and returns the cycles of their calls.
	share := budget / time.Duration(len(kernels)+3)
	under := func(name string, fs ...func()) []float64 {
		cycles := make([]float64, len(fs))
		if err != nil {
			return cycles
		}
		if name != "" {
			restore, _ := block.Force(name)
			defer restore()
		}
		var timings []timing.Timing
		timings, err = timing.InTurn(ctx, fs, share)
		for i, t := range timings {
			cycles[i] = c.inCycles(t)
		}
		return cycles
	}

	h := block.IV256
	message := randomBytes(costBlocks * block.Size)
	o.generic = under("generic", func() { block.Compress(&h, message) })[0] / costBlocks

	var calls, turns []point
	for _, k := range kernels {
		const segments = 3
		list, ring := newStreams(k.Lanes, segments), newStreams(k.Lanes, costBlocks)
		t := under(k.Name, list.runCall(segments), list.runCall(1), ring.ringCall(k, 1, costBlocks), ring.ringCall(k, costBlocks, 1))
		calls = append(calls, point{float64(k.Lanes), (t[0] - t[1]) / (segments - 1)})
		turns = append(turns, point{float64(k.Lanes), (t[2] - t[3]) / (costBlocks - 1)})
	}
	o.call, o.callLane = line(calls)
	for _, p := range turns {
		o.turnLane = max(o.turnLane, p.y/p.x)
		o.turnMax = max(o.turnMax, p.y)
	}
	o.pointers, o.rest = c.rotationOverhead(under, &o)
	o.padding = paddingOverhead(under)
	return o, err
}

// inCycles returns a timing in cycles, or, where cycles are not known, in the units of
// the table.
func (c *costs) inCycles(t timing.Timing) float64 {
	if timing.KnowsCycles {
		return t.Cycles
	}
	k := c.Streams[0]
	first := c.subject(k.Kernel, false)
	return float64(k.Cycles) * t.Best / (first.Best / first.units)
}

// streams are states and data. What is compared runs on the same ones: how they lie in
// memory makes a difference of its own.
type streams struct {
	states []block.State
	data   [][]byte
}

// newStreams returns n streams, each of the given number of blocks.
func newStreams(n, blocks int) *streams {
	s := &streams{make([]block.State, n), make([][]byte, n)}
	stride := (blocks + 1) * block.Size // see streamCall
	data := randomBytes(n * stride)
	for i := range n {
		s.data[i] = data[i*stride:][:blocks*block.Size]
	}
	return s
}

// runCall returns the running of the streams as jobs of some segments of equal length:
// a call for each segment.
func (s *streams) runCall(segments int) func() {
	j := &jobs{s, make([][3][]byte, len(s.data))}
	for i, data := range s.data {
		length := len(data) / segments
		for k := range segments {
			j.segments[i][k] = data[k*length:][:length]
		}
	}
	return func() { lanes.Run(len(s.data), j, false) }
}

// equalCall returns the running of the streams as jobs of equal length.
func (s *streams) equalCall() func() {
	return func() { lanes.RunEqual(len(s.data), len(s.data[0])/block.Size, equalJobs{s}) }
}

// ringCall returns a call of k for the streams, in slices.
func (s *streams) ringCall(k block.Kernel, slice, turns int) func() {
	n := len(s.data)
	h, p := make([]*block.State, 2*n), make([]*byte, 2*n)
	for i := range h {
		h[i], p[i] = &s.states[i%n], block.Advance(&s.data[i%n][0], i/n*slice)
	}
	return func() { k.Blocks(&h[0], &p[0], n, 0, 0, slice, turns) }
}

// jobs are streams as lanes.Work.
type jobs struct {
	*streams
	segments [][3][]byte
}

func (*jobs) Blocks(int) int { return 1 }

func (j *jobs) Start(i int, job *lanes.Job) bool {
	s := &j.segments[i]
	job.Set(&j.states[i], s[0], s[1], s[2])
	return true
}

func (*jobs) Done(int, *lanes.Job) {}

// equalJobs are streams as lanes.EqualWork.
type equalJobs struct{ *streams }

func (j equalJobs) Start(i int) (*block.State, []byte, []byte) { return &j.states[i], nil, j.data[i] }
func (equalJobs) Done(int, *block.State)                       {}

// rotationOverhead returns what jobs of equal length cost when they rotate, beside
// the turns of the kernel: for each of them, and for time slices at the end that other
// kernels do.
func (c *costs) rotationOverhead(under func(string, ...func()) []float64, o *overhead) (pointers, rest float64) {
	p := plan.NewStreams(c.Row, block.Enabled(), block.Single())
	if p.Width == 1 {
		return 0, 0
	}
	var wide block.Kernel
	for _, k := range block.Kernels() {
		if k.Name == p.Kernels[p.Width] {
			wide = k
		}
	}
	n := p.Width + 1
	// What a list costs that does not rotate, in a single call of the kernel.
	together := newStreams(p.Width, costBlocks)
	fs := []func(){together.equalCall(), together.ringCall(wide, costBlocks, 1)}
	var last float64 // of the slices that are left over, beside rest
	for blocks := range 256 {
		if !p.Rotates(n, blocks) || len(fs) == 6 {
			continue
		}
		s := p.SliceEqual(n, blocks)
		slices, isWhole := blocks/s.Blocks, blocks%s.Blocks == 0
		turns, left := n*slices/s.Lanes, n*slices%s.Lanes
		if !isWhole || s.Lanes != p.Width || slices == 1 || (left > 0) != (len(fs) == 4) {
			continue
		}
		streams := newStreams(n, blocks)
		fs = append(fs, streams.equalCall(), streams.ringCall(wide, s.Blocks, turns))
		if left > 0 {
			steps := plan.Steps(c.Streams, left)
			last = float64(s.Blocks*total(c.streamsHere(), steps)) + o.call + o.callLane*float64(left)
		}
	}
	if len(fs) < 6 {
		return 0, 0
	}
	t := under("", fs...)
	list := t[0] - t[1]
	pointers = (t[2] - t[3] - list) / float64(n)
	return pointers, t[4] - t[5] - last - list - float64(n)*pointers
}

// paddingOverhead returns what a node kernel costs more for one node less than it has
// lanes.
func paddingOverhead(under func(string, ...func()) []float64) float64 {
	for _, k := range block.NodeKernels() { // the widest first
		if k.Supported && k.Lanes > 2 {
			src := randomBytes(k.Lanes * block.NodeSize)
			dst := make([]byte, len(src)/2)
			fewer := src[block.NodeSize:]
			t := under(k.Name, func() { lanes.HashNodes(dst, fewer) }, func() { k.Hash(dst, src) })
			return t[0] - t[1]
		}
	}
	return 0
}

// A point is a measurement y for x lanes.
type point struct{ x, y float64 }

// line returns the line through points, a + b·x, whose squared differences are least.
func line(points []point) (a, b float64) {
	var n, sx, sy, sxx, sxy float64
	for _, p := range points {
		n, sx, sy, sxx, sxy = n+1, sx+p.x, sy+p.y, sxx+p.x*p.x, sxy+p.x*p.y
	}
	if d := n*sxx - sx*sx; d > 0 {
		b = (n*sxy - sx*sy) / d
	}
	return (sy - b*sx) / max(1, n), b
}

// columns returns o as the table has it.
func (o overhead) columns() []any {
	var cs []any
	for _, x := range []float64{o.call, o.callLane, o.turnLane, o.turnMax, o.pointers, o.rest, o.padding, o.generic} {
		cs = append(cs, int(math.Round(max(0, x))))
	}
	return cs
}
