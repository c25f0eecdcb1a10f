package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// costs are the library's costs of kernels on this class of CPUs, and what
// kernels cost here.
type costs struct {
	lanes.Description
	streams, nodes []*subject // of the candidates
}

// costBlocks is how many blocks of each lane a call takes.
const costBlocks = 32

// newCosts returns the costs of the kernels that are enabled, to be measured.
func newCosts() *costs {
	c := &costs{Description: lanes.Describe()}
	for _, k := range c.Streams {
		c.streams = append(c.streams, &subject{use: asIs, call: streamCall(k)})
	}
	for _, k := range c.Nodes {
		c.nodes = append(c.nodes, &subject{use: asIs, call: nodeCall(k)})
	}
	return c
}

func asIs() (restore func()) { return func() {} }

func (c *costs) subjects() []*subject { return slices.Concat(c.streams, c.nodes) }

// streamCall returns the compression of costBlocks blocks of each lane.
func streamCall(k lanes.Candidate) func() {
	// The one-stream code that no kernel stands for.
	compress, n := block.CompressLane, costBlocks
	for _, kernel := range block.Kernels() {
		if kernel.Name == k.Kernel {
			compress, n = kernel.Blocks, min(costBlocks, kernel.MaxBlocks)
		}
	}
	states := make([]block.State, k.Lanes)
	h, p := make([]*block.State, k.Lanes), make([]*byte, k.Lanes)
	// Lanes that begin at equal offsets of pages slow kernels down by some per
	// cent, and not all kernels alike.
	const stride = costBlocks*block.Size + block.Size
	data := randomBytes(k.Lanes * stride)
	for i := range h {
		h[i], p[i] = &states[i], &data[i*stride]
	}
	return func() {
		for done := 0; done < costBlocks; done += n {
			compress(&h[0], &p[0], n)
		}
	}
}

// nodeCall returns the hashing of a node in each lane. A call takes no more,
// since it is for the last few nodes that the choice of kernels counts.
func nodeCall(k lanes.Candidate) func() {
	src := randomBytes(k.Lanes * block.NodeSize)
	dst := make([]byte, len(src)/2)
	for _, kernel := range block.NodeKernels() {
		if kernel.Name == k.Kernel {
			return func() { kernel.Hash(dst, src) }
		}
	}
	return func() { block.HashNode((*[block.DigestSize]byte)(dst), (*[block.NodeSize]byte)(src)) }
}

func randomBytes(n int) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(p)
	return p
}

// streamsHere and nodesHere are the candidates with the costs measured.
func (c *costs) streamsHere() []lanes.Candidate { return measured(c.Streams, c.streams, costBlocks) }
func (c *costs) nodesHere() []lanes.Candidate   { return measured(c.Nodes, c.nodes, 1) }

// measured returns the candidates with the costs of subjects, of which a call
// is n times what a cost is for. Where cycles cannot be told, the unit is such
// that the first cost is the table's.
func measured(candidates []lanes.Candidate, subjects []*subject, n float64) []lanes.Candidate {
	here := slices.Clone(candidates)
	for i, s := range subjects {
		cycles := s.best.cycles() / n
		if !tellsCycles {
			cycles = float64(candidates[0].Cycles) * s.best.seconds / subjects[0].best.seconds
		}
		here[i].Cycles = max(1, int(math.Round(cycles)))
	}
	return here
}

// A loss is a number of live lanes for which the table's plan takes longer,
// by the costs measured, than the plan that these make.
type loss struct {
	lanes       int
	share       float64 // of the better plan's time, on top
	plan, other string
}

// tolerance is how much longer a plan may take before it counts as wrong:
// costs differ that much between two runs of this program.
const tolerance = 0.05

// losses returns those of more than the tolerance, for every number of lanes
// that either of the plans keeps alive.
func (c *costs) losses() []loss {
	here := c.streamsHere()
	var ls []loss
	for n := 1; n <= max(width(c.Streams), width(here)); n++ {
		plan, other := lanes.Steps(c.Streams, n), lanes.Steps(here, n)
		share := float64(total(here, plan))/float64(total(here, other)) - 1
		if share > tolerance {
			ls = append(ls, loss{n, share, names(here, plan), names(here, other)})
		}
	}
	return ls
}

// width returns how many lanes are kept alive by the costs of candidates.
func width(candidates []lanes.Candidate) int {
	return candidates[lanes.Steps(candidates, block.MaxLanes)[0]].Lanes
}

func total(candidates []lanes.Candidate, steps []int) int {
	sum := 0
	for _, i := range steps {
		sum += candidates[i].Cycles
	}
	return sum
}

func names(candidates []lanes.Candidate, steps []int) string {
	var words []string
	for _, i := range steps {
		words = append(words, candidates[i].Kernel)
	}
	return strings.Join(words, " + ")
}

// row returns candidates in the form of the library's table.
func row(candidates []lanes.Candidate) string {
	var b strings.Builder
	for _, k := range candidates {
		fmt.Fprintf(&b, "{%q, %d}, ", k.Kernel, k.Cycles)
	}
	return strings.TrimSuffix(b.String(), " ")
}
