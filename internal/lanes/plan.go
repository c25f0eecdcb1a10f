package lanes

import (
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// A streamPlan is a plan for streams.
type streamPlan struct {
	plan.Streams
	kernels [block.MaxLanes + 1]*block.Kernel
	even    *block.Kernel // EvenKernel, or nil if Even is Width
}

var streamPlans = cache[streamPlan]{make: func() *streamPlan {
	return newStreamPlan(plan.NewStreams(plan.RowOf(cpu.This()), block.Enabled(), block.Single()), block.Kernels())
}}

// newStreamPlan returns p with its kernels.
func newStreamPlan(p *plan.Streams, kernels []block.Kernel) *streamPlan {
	sp := &streamPlan{Streams: *p}
	for n := 1; n < len(p.Kernels); n++ {
		if sp.kernels[n] = named(kernels, p.Kernels[n]); sp.kernels[n] == nil {
			sp.kernels[n] = &oneStream
		}
	}
	if p.Even > p.Width {
		sp.even = named(kernels, p.EvenKernel)
	}
	return sp
}

// oneStream compresses a single stream without a kernel.
var oneStream = block.Kernel{
	Header: block.Header{Spec: block.Spec{Name: "generic", Lanes: 1}, Max: block.MaxPlain, Enabled: true},
	Blocks: block.CompressLane,
}

// Width returns the number of messages that are hashed side by side while there are
// enough. It returns 1 where messages are hashed one at a time.
func Width() int { return streamPlans.current().Width }

// StreamKernel returns the name of the kernel that hashes Width messages side by side, or ""
// where messages are hashed one at a time.
func StreamKernel() string {
	p := streamPlans.current()
	if p.Width == 1 {
		return ""
	}
	return p.kernels[p.Width].Name
}

// HasLanes reports whether n messages can be hashed side by side. It makes no plan for
// one message: that would take longer than to hash a short one.
func HasLanes(n int) bool { return n > 1 && streamPlans.current().Width > 1 }

var searchKernels = cache[block.SearchKernel]{make: func() *block.SearchKernel {
	return named(block.SearchKernels(), plan.Search(plan.RowOf(cpu.This()), block.Enabled()))
}}

// SearchKernel returns the kernel that searches nonces. It returns nil if there is
// none; then nonces are tried as messages.
func SearchKernel() *block.SearchKernel { return searchKernels.current() }
