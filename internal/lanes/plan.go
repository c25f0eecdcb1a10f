package lanes

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// A plan says which kernels run a number of live lanes on this machine.
type plan struct {
	epoch uint32
	// width is how many lanes are kept alive while there are messages left: 1
	// where no kernel beats one message at a time.
	width int
	// kernels[n] is the kernel for the first of n live lanes; the lanes that it
	// leaves are planned again.
	kernels [block.MaxLanes + 1]*block.Kernel
	// cycles[n] is what it takes to advance n lanes by a block.
	cycles [block.MaxLanes + 1]int
	// cheapest[n] is how many of n jobs take turns at a time, rotations[n] are the
	// ways to advance them.
	cheapest  [maxJobs]int
	rotations [maxJobs][]rotation
	// search is the kernel for nonces, or nil.
	search *block.SearchKernel
}

var current atomic.Pointer[plan]

// currentPlan returns the plan for what is enabled now.
func currentPlan() *plan {
	p := current.Load()
	if p == nil || p.epoch != block.Epoch() {
		r := rowOf(cpu.This())
		p = newPlan(r, block.Kernels(), block.Single())
		p.search = preferredSearch(r, block.SearchKernels())
		p.epoch = block.Epoch()
		current.Store(p)
	}
	return p
}

// Width returns how many messages are hashed side by side while there are
// enough of them, and the kernel that does it. It is 1, and "", where messages
// are hashed one at a time.
func Width() (lanes int, kernel string) {
	p := currentPlan()
	if p.width == 1 {
		return 1, ""
	}
	return p.width, p.kernels[p.width].Name
}

// SideBySide reports whether n messages are hashed side by side. To plan takes
// longer than a short message does: for one, there is no need to.
func SideBySide(n int) bool { return n > 1 && currentPlan().width > 1 }

// newPlan finds the cheapest way to advance n lanes by a block, for every n, by
// the costs in r. single is the one-stream kernel in use.
func newPlan(r row, kernels []block.Kernel, single string) *plan {
	choice, of := candidates(r, kernels, single)
	first, cycles := choose(choice, 0)
	p := &plan{width: choice[Cheapest(choice)].Lanes, cycles: cycles}
	for n := 1; n < len(p.kernels); n++ {
		p.kernels[n] = of[first[n]]
	}
	for n := 1; n < 2*p.width; n++ {
		p.cheapest[n] = cheapest(n, p.width, cycles[:])
		p.rotations[n] = rotations(n, p.width, p.cheapest[n], cycles[:])
	}
	return p
}

// A Candidate is a kernel that may be chosen, and its cost by the table: the
// time that it takes for one block, one node or one nonce in each of its lanes,
// in cycles.
type Candidate struct {
	Kernel        string
	Lanes, Cycles int
	Basis         Basis
}

// candidate returns a kernel with its cost.
func (r row) candidate(k block.Spec) Candidate {
	cycles, basis := r.cost(k)
	return Candidate{k.Name, k.Lanes, cycles, basis}
}

// candidates returns what may be chosen for streams, and the kernels that it
// stands for. single is the one-stream kernel in use.
func candidates(r row, kernels []block.Kernel, single string) (choice []Candidate, of []*block.Kernel) {
	for i := range kernels {
		if k := &kernels[i]; k.Enabled && (k.Lanes > 1 || k.Name == single) {
			choice, of = append(choice, r.candidate(k.Spec)), append(of, k)
		}
	}
	if !slices.ContainsFunc(choice, func(k Candidate) bool { return k.Lanes == 1 }) {
		choice = append(choice, Candidate{oneStream.Name, oneStream.Lanes, genericCost, Derived})
		of = append(of, &oneStream)
	}
	return choice, of
}

// choose returns, as indices, which candidate is the first to run for n lanes,
// if those that it leaves are planned again, for every n; and what all of them
// cost. Lanes that stay unused cost padding once. There is a candidate of one
// lane.
func choose(candidates []Candidate, padding int) (first, best [block.MaxLanes + 1]int) {
	// By rising lanes. Of equal plans the one with the widest kernel first is
	// taken: slots then never run beyond MaxLanes.
	order := make([]int, len(candidates))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return candidates[a].Lanes - candidates[b].Lanes })

	for n := 1; n < len(best); n++ {
		best[n] = math.MaxInt
		for _, i := range order {
			k := candidates[i]
			total := k.Cycles + best[max(0, n-k.Lanes)]
			if k.Lanes > n {
				total += padding
			}
			if total < best[n] || total == best[n] && k.Lanes <= n {
				best[n], first[n] = total, i
			}
		}
	}
	return first, best
}

// Cheapest returns, as an index, which of the candidates costs least for a lane,
// the first if there are several, and -1 if there are none.
func Cheapest(candidates []Candidate) int {
	cheapest := -1
	for i, k := range candidates {
		if cheapest < 0 || k.Cycles*candidates[cheapest].Lanes < candidates[cheapest].Cycles*k.Lanes {
			cheapest = i
		}
	}
	return cheapest
}

// Steps returns which of the candidates advance n live lanes by a block
// together, as indices. Of more lanes than the cheapest candidate has, as many
// as it has are kept alive at a time.
func Steps(candidates []Candidate, n int) []int {
	first, _ := choose(candidates, 0)
	width := candidates[Cheapest(candidates)].Lanes
	var steps []int
	for n > 0 {
		i := first[min(n, width)]
		steps = append(steps, i)
		n -= candidates[i].Lanes
	}
	return steps
}

// NodeSteps returns which of the candidates hash n nodes, as indices, and what
// that costs. Of MaxLanes nodes and more the cheapest takes as many as fill it.
func NodeSteps(candidates []Candidate, n int) (steps []int, cycles int) {
	first, _ := choose(candidates, paddingCost)
	for n > 0 {
		i := Cheapest(candidates)
		if n < block.MaxLanes {
			i = first[n]
		}
		steps = append(steps, i)
		cycles += candidates[i].Cycles
		if n < candidates[i].Lanes {
			cycles += paddingCost
		}
		n -= candidates[i].Lanes
	}
	return steps, cycles
}

// A Description says what the choice between kernels rests on.
type Description struct {
	// Microarch is the set of CPUs that this one is counted among.
	Microarch cpu.Microarch
	// MeasuredOn is where costs of it were measured, "" if they never were.
	MeasuredOn string
	// Streams, Nodes and Nonces are the candidates for many messages, for Merkle
	// nodes and for searches that are enabled.
	Streams, Nodes, Nonces []Candidate
}

// Describe returns what the choice between kernels rests on in this process.
func Describe() Description {
	r := rowOf(cpu.This())
	d := Description{Microarch: r.microarch, MeasuredOn: r.on}
	d.Streams, _ = candidates(r, block.Kernels(), block.Single())
	for i := range d.Streams {
		if d.Streams[i].Kernel == oneStream.Name {
			d.Streams[i].Kernel = block.Single() // which may be crypto/sha256
		}
	}
	d.Nodes, _ = nodeCandidates(r, block.NodeKernels(), block.Single())
	d.Nonces, _ = searchCandidates(r, block.SearchKernels())
	return d
}

// oneStream compresses a single stream by whatever does so without a kernel.
var oneStream = block.Kernel{
	Spec: block.Spec{Name: "generic", Lanes: 1}, MaxBlocks: block.MaxPlain,
	Blocks: block.CompressLane, Enabled: true,
}
