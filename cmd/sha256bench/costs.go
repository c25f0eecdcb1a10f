package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/plan"
	"github.com/sha256-simd/sha256-simd/internal/test/timing"
)

// costs are what the library's choice of kernels rests on for this CPU, and what
// kernels cost here.
type costs struct {
	lanes.Description
	// subjects are the kernels that this machine can run, enabled or not, and
	// the candidates without a kernel of their own.
	subjects []costSubject
	overhead overhead // if a row is asked for
}

// A costSubject is something whose cost is measured.
type costSubject struct {
	kernel        string // or another candidate
	operation     block.Operation
	aNode         bool    // hashes a node by what compresses one stream
	units         float64 // how many times what a cost is for a call does
	call          func()
	timing.Timing // of a call
}

// costBlocks is how many blocks of each lane, or nonces in each, a call takes.
const costBlocks = 32

// newCosts returns the costs to be measured.
func newCosts() *costs {
	c := &costs{Description: lanes.Describe()}
	add := func(k block.Spec, units float64, call func()) {
		c.subjects = append(c.subjects, costSubject{kernel: k.Name, operation: k.Operation, units: units, call: call})
	}
	single := block.Kernel{Header: block.Header{Spec: block.Spec{Name: block.Single(), Lanes: 1}, Max: costBlocks}, Blocks: block.CompressLane}
	for _, k := range append(block.Kernels(), single) {
		if !c.has(k.Name) && (k.Supported || k.Name == single.Name) {
			add(k.Spec, costBlocks, streamCall(k))
		}
	}
	c.subjects = append(c.subjects, costSubject{kernel: single.Name, aNode: true, units: 1, call: blocksOfNode})
	for _, k := range block.NodeKernels() {
		if k.Supported {
			add(k.Spec, 1, nodeCall(k))
		}
	}
	for _, k := range block.SearchKernels() {
		if k.Supported {
			add(k.Spec, float64(min(costBlocks, k.Max)), searchCall(k))
		}
	}
	return c
}

func (c *costs) has(kernel string) bool {
	return slices.ContainsFunc(c.subjects, func(s costSubject) bool { return s.kernel == kernel })
}

// measure measures all of them, for about as long as the budget says.
func (c *costs) measure(ctx context.Context, budget time.Duration) error {
	// What is measured stays on one thread, and so mostly on one core.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	var calls []func()
	for _, s := range c.subjects {
		calls = append(calls, s.call)
	}
	timings, err := timing.InTurn(ctx, calls, budget)
	for i, t := range timings {
		c.subjects[i].Timing = t
	}
	return err
}

// streamCall returns the compression of costBlocks blocks of each lane.
func streamCall(k block.Kernel) func() {
	states := make([]block.State, k.Lanes)
	h, p := make([]*block.State, k.Lanes), make([]*byte, k.Lanes)
	// Lanes that begin at equal offsets of pages slow kernels down by some per
	// cent, and not all kernels alike.
	const stride = costBlocks*block.Size + block.Size
	data := randomBytes(k.Lanes * stride)
	for i := range h {
		h[i], p[i] = &states[i], &data[i*stride]
	}
	n := min(costBlocks, k.Max)
	return func() {
		for done := 0; done < costBlocks; done += n {
			k.Blocks(&h[0], &p[0], k.Lanes, 0, 0, n, 1)
		}
	}
}

// nodeCall returns the hashing of a node in each lane. A call takes no more,
// since it is for the last few nodes that the choice of kernels counts.
func nodeCall(k block.NodeKernel) func() {
	src := randomBytes(k.Lanes * block.NodeSize)
	dst := make([]byte, len(src)/2)
	return func() { k.Hash(dst, src) }
}

// blocksOfNode hashes a node as a message.
func blocksOfNode() {
	var tail [block.MaxTail]byte
	h := block.IV256
	n := block.Pad(&tail, nil, block.NodeSize)
	block.Compress(&h, zeroNode[:])
	block.Compress(&h, tail[:n])
}

var zeroNode [block.NodeSize]byte

// searchCall returns the trial of messages of 38 bytes, as Krist's are, none of
// which will do.
func searchCall(k block.SearchKernel) func() {
	const length = 38
	message := randomBytes(length)
	var tail [block.MaxTail]byte
	block.Pad(&tail, message, length)
	h := block.IV256
	nonces := new(block.Nonces)
	nonces.Reset(&h, (*[block.Size]byte)(tail[:]), length-1, nil, 0)
	groups := min(costBlocks, k.Max)
	return func() {
		if _, left := k.Search(nonces, 0, groups); left != 0 {
			panic("sha256bench: a nonce that was to take " + k.Name + "'s time will do")
		}
	}
}

// randomBytes returns bytes that were written: pages that never were are all
// the same one in memory, which would flatter and distort.
func randomBytes(n int) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(p)
	return p
}

// subject returns what was measured of a candidate, or of what hashes a node as
// a message.
func (c *costs) subject(kernel string, aNode bool) costSubject {
	return c.subjects[slices.IndexFunc(c.subjects, func(s costSubject) bool { return s.kernel == kernel && s.aNode == aNode })]
}

// cycles returns the cost measured. Where cycles are not known, the unit is such
// that the cost of the first candidate for streams is the table's: only ratios
// matter.
func (c *costs) cycles(s costSubject) int {
	cycles := s.Cycles / s.units
	if !timing.KnowsCycles {
		k := c.Streams[0]
		first := c.subject(k.Kernel, false)
		cycles = float64(k.Cycles) * (s.Best / s.units) / (first.Best / first.units)
	}
	return max(1, int(math.Round(cycles)))
}

// streamsHere, nodesHere and noncesHere are the candidates with the costs
// measured.
func (c *costs) streamsHere() []plan.Candidate { return c.here(c.Streams, false) }
func (c *costs) nodesHere() []plan.Candidate   { return c.here(c.Nodes, true) }
func (c *costs) noncesHere() []plan.Candidate  { return c.here(c.Nonces, false) }

// here returns the candidates with the costs measured, the first one's for a node
// if firstIsNode.
func (c *costs) here(candidates []plan.Candidate, firstIsNode bool) []plan.Candidate {
	here := slices.Clone(candidates)
	for i, k := range candidates {
		here[i].Cycles, here[i].Basis = c.cycles(c.subject(k.Kernel, firstIsNode && i == 0)), plan.Measured
	}
	return here
}

// A loss is work for which the table's choice takes longer, by the measured
// costs, than the choice that follows from these costs.
type loss struct {
	work        string  // "live lanes", "messages of one length", "nodes" or "nonces"
	n           int     // how many of them, or 0 for any number
	share       float64 // of the better plan's time, on top
	plan, other string
}

func (l loss) String() string {
	work := l.work
	if l.n > 0 {
		work = fmt.Sprintf("%2d %s", l.n, l.work)
	}
	return fmt.Sprintf("%s: %s takes %.0f%% longer than %s", work, l.plan, 100*l.share, l.other)
}

// tolerance is how much longer a plan may take before it counts as wrong:
// costs differ that much between two runs of this program.
const tolerance = 0.05

// losses returns the losses of more than the tolerance, for every number of
// lanes that either of the plans keeps alive, for messages of one length if they
// fill more, for as many nodes, and for nonces.
func (c *costs) losses() []loss {
	var ls []loss
	add := func(work string, n int, here []plan.Candidate, plan, other []int, ratio float64) {
		if share := ratio - 1; share > tolerance {
			ls = append(ls, loss{work, n, share, names(here, plan), names(here, other)})
		}
	}
	here := c.streamsHere()
	for n := 1; n <= max(width(c.Streams), width(here)); n++ {
		plan, other := plan.Steps(c.Streams, n), plan.Steps(here, n)
		add("live lanes", n, here, plan, other, float64(total(here, plan))/float64(total(here, other)))
	}
	cheapest := func(work string, choice, here []plan.Candidate) {
		if chosen, best := plan.Cheapest(choice), plan.Cheapest(here); chosen >= 0 {
			each := func(i int) float64 { return float64(here[i].Cycles) / float64(here[i].Lanes) }
			add(work, 0, here, []int{chosen}, []int{best}, each(chosen)/each(best))
		}
	}
	if even := func(k []plan.Candidate) bool { return k[plan.Cheapest(k)].Lanes > width(k) }; even(c.Streams) || even(here) {
		cheapest("messages of one length", c.Streams, here)
	}
	here = c.nodesHere()
	for n := 1; n <= block.MaxLanes && len(here) > 0; n++ {
		plan, padded := c.NodeSteps(c.Nodes, n)
		other, best := c.NodeSteps(here, n)
		padding := padded - total(c.Nodes, plan)
		add("nodes", n, here, plan, other, float64(total(here, plan)+padding)/float64(best))
	}
	cheapest("nonces", c.Nonces, c.noncesHere())
	return ls
}

// width returns how many lanes are kept alive by the costs of candidates.
func width(candidates []plan.Candidate) int {
	return candidates[plan.Steps(candidates, block.MaxLanes)[0]].Lanes
}

func total(candidates []plan.Candidate, steps []int) int {
	sum := 0
	for _, i := range steps {
		sum += candidates[i].Cycles
	}
	return sum
}

func names(candidates []plan.Candidate, steps []int) string {
	var words []string
	for _, i := range steps {
		words = append(words, candidates[i].Kernel)
	}
	return strings.Join(words, " + ")
}

// writeRow prints the costs measured as a row of internal/plan/rows.go, in Go.
func (r *report) writeRow(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\t{\n\t\tMicroarch: %#v,\n\t\tOn:        %q,\n", r.costs.Microarch, r.machine)
	columns := r.costs.overhead.columns()
	fmt.Fprintf(&b, "\t\toverhead:  overhead{call: %d, callLane: %d, turnLane: %d, turnMax: %d, pointers: %d, rest: %d, padding: %d, generic: %d},", columns...)
	if columns[4] == 0 && columns[5] == 0 {
		fmt.Fprint(&b, " // pointers and rest were not measured: estimate them")
	}
	b.WriteByte('\n')
	fmt.Fprint(&b, "\t\tmeasured: []cost{\n")
	for _, operation := range []block.Operation{block.StreamOp, block.NodeOp, block.SearchOp} {
		var line []string
		for _, s := range r.costs.subjects {
			isKernel := s.kernel != "generic" && s.kernel != "x1_std" && !s.aNode
			if isKernel && s.operation == operation {
				line = append(line, fmt.Sprintf("{%q, %d},", s.kernel, r.costs.cycles(s)))
			}
		}
		for part := range slices.Chunk(line, 4) {
			fmt.Fprintf(&b, "\t\t\t%s\n", strings.Join(part, " "))
		}
	}
	b.WriteString("\t\t},\n\t},\n")
	_, err := io.WriteString(w, b.String())
	return err
}
