package lanes

import (
	"slices"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/block"
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
}

var current atomic.Pointer[plan]

// currentPlan returns the plan for what is enabled now.
func currentPlan() *plan {
	p := current.Load()
	if p == nil || p.epoch != block.Epoch() {
		p = newPlan(classOfThisCPU(), block.Kernels())
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

// newPlan finds the cheapest way to advance n lanes by a block, for every n, by
// the costs of the class: the best first kernel and the best for what it
// leaves.
func newPlan(c class, kernels []block.Kernel) *plan {
	type candidate struct {
		kernel *block.Kernel
		cycles int
	}
	var candidates []candidate
	single := false
	for i := range kernels {
		k := &kernels[i]
		cycles, known := costOf(costs, c, k.Name)
		if !k.Enabled || !known || k.Lanes == 1 && single {
			continue // the first one-stream kernel is the one in use
		}
		single = single || k.Lanes == 1
		candidates = append(candidates, candidate{k, cycles})
	}
	if !single {
		candidates = append(candidates, candidate{&oneStream, genericCost})
	}

	// Of equal plans the one with the widest kernel first: slots then never run
	// beyond MaxLanes.
	slices.SortStableFunc(candidates, func(a, b candidate) int { return b.kernel.Lanes - a.kernel.Lanes })

	p := &plan{width: 1}
	var best [block.MaxLanes + 1]int
	for n := 1; n <= block.MaxLanes; n++ {
		for _, k := range candidates {
			total := k.cycles + best[max(0, n-k.kernel.Lanes)]
			if p.kernels[n] == nil || total < best[n] {
				best[n], p.kernels[n] = total, k.kernel
			}
		}
	}
	cheapest := candidates[0]
	for _, k := range candidates {
		if k.cycles*cheapest.kernel.Lanes < cheapest.cycles*k.kernel.Lanes {
			cheapest = k
		}
	}
	p.width = cheapest.kernel.Lanes
	return p
}

// oneStream compresses a single stream by whatever does so without a kernel.
var oneStream = block.Kernel{
	Name: "generic", Lanes: 1, MaxBlocks: block.MaxStream / block.Size,
	Blocks: block.CompressLane, Enabled: true,
}
