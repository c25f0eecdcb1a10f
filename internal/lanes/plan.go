package lanes

import (
	"slices"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// A streamPlan is a plan for streams with the kernels that it names, and the search
// and the WOTS kernel.
type streamPlan struct {
	plan.Streams
	epoch   uint32
	kernels [block.MaxLanes + 1]*block.Kernel
	search  *block.SearchKernel // or nil
	wots    *block.WotsKernel   // or nil
}

var current atomic.Pointer[streamPlan]

// currentPlan returns the plan for the kernels that are enabled now.
func currentPlan() *streamPlan {
	if p := current.Load(); p != nil && p.epoch == block.Epoch() {
		return p
	}
	return replan()
}

// replan makes the plan for the kernels that are enabled now. It takes more stack than
// a new goroutine has, so currentPlan avoids it where it can.
//
//go:noinline
func replan() *streamPlan {
	r := plan.RowOf(cpu.This())
	p := newStreamPlan(plan.NewStreams(r, block.Enabled(), block.Single()), block.Kernels())
	kernels := block.SearchKernels()
	name := plan.Search(r, block.Enabled())
	if i := slices.IndexFunc(kernels, func(k block.SearchKernel) bool { return k.Name == name }); i >= 0 {
		p.search = &kernels[i]
	}
	wots := block.WotsKernels()
	name = plan.Wots(r, block.Enabled(), block.Single())
	if i := slices.IndexFunc(wots, func(k block.WotsKernel) bool { return k.Name == name }); i >= 0 {
		p.wots = &wots[i]
	}
	p.epoch = block.Epoch()
	current.Store(p)
	return p
}

// newStreamPlan returns p with its kernels.
func newStreamPlan(p *plan.Streams, kernels []block.Kernel) *streamPlan {
	sp := &streamPlan{Streams: *p}
	for n := 1; n < len(p.Kernels); n++ {
		sp.kernels[n] = &oneStream
		if i := slices.IndexFunc(kernels, func(k block.Kernel) bool { return k.Name == p.Kernels[n] }); i >= 0 {
			sp.kernels[n] = &kernels[i]
		}
	}
	return sp
}

// oneStream compresses a single stream without a kernel.
var oneStream = block.Kernel{
	Header: block.Header{Spec: block.Spec{Name: "generic", Lanes: 1}, Max: block.MaxPlain, Enabled: true},
	Blocks: block.CompressLane,
}

// Width returns the number of messages that are hashed side by side while there are
// enough, and the name of the kernel. It returns 1 and "" where messages are hashed
// one at a time.
func Width() (lanes int, kernel string) {
	p := currentPlan()
	if p.Width == 1 {
		return 1, ""
	}
	return p.Width, p.kernels[p.Width].Name
}

// SideBySide reports whether n messages are hashed side by side. It makes no plan for
// one message: that would take longer than to hash a short one.
func SideBySide(n int) bool { return n > 1 && currentPlan().Width > 1 }

// SearchKernel returns the kernel that searches nonces. It returns nil if there is
// none; then nonces are tried as messages.
func SearchKernel() *block.SearchKernel { return currentPlan().search }

// WotsKernel returns the kernel that follows chains of WOTS+, or nil if kernels for
// streams do.
func WotsKernel() *block.WotsKernel { return currentPlan().wots }

// A Description has the facts on which the choice between kernels rests.
type Description struct {
	plan.Row
	// Streams, Nodes and Nonces are the enabled candidates for many messages, for
	// Merkle nodes and for searches.
	Streams, Nodes, Nonces []plan.Candidate
}

// Describe returns what the choice between kernels rests on in this process.
func Describe() Description {
	r := plan.RowOf(cpu.This())
	return Description{
		Row:     r,
		Streams: r.Streams(block.Enabled(), block.Single()),
		Nodes:   r.Nodes(block.Enabled(), block.Single()),
		Nonces:  r.Nonces(block.Enabled()),
	}
}
