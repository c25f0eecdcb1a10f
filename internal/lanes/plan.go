package lanes

import (
	"slices"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// A cache holds the plan for the kernels that are enabled, together with the kernels that
// the plan names. Where only one kernel is chosen, the cache holds that kernel, or nil, in
// place of a plan. Plans are made when they are first needed.
type cache[P any] struct {
	make func() *P
	last atomic.Pointer[cached[P]]
}

type cached[P any] struct {
	plan  *P
	epoch uint32
}

// current returns the plan for the kernels that are enabled now.
func (c *cache[P]) current() *P {
	if last := c.last.Load(); last != nil && last.epoch == block.Epoch() {
		return last.plan
	}
	return c.renew()
}

// renew makes the plan for the kernels that are enabled now. It takes more stack than
// a new goroutine has, so current avoids it where it can.
//
//go:noinline
func (c *cache[P]) renew() *P {
	p := c.make()
	c.last.Store(&cached[P]{p, block.Epoch()})
	return p
}

// named returns the kernel of that name, or nil if there is none.
func named[K interface{ HasName(string) bool }](kernels []K, name string) *K {
	if i := slices.IndexFunc(kernels, func(k K) bool { return k.HasName(name) }); i >= 0 {
		return &kernels[i]
	}
	return nil
}

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

var (
	searchKernels = cache[block.SearchKernel]{make: func() *block.SearchKernel {
		return named(block.SearchKernels(), plan.Search(plan.RowOf(cpu.This()), block.Enabled()))
	}}
	wotsKernels = cache[block.WotsKernel]{make: func() *block.WotsKernel {
		return named(block.WotsKernels(), plan.Wots(plan.RowOf(cpu.This()), block.Enabled(), block.Single()))
	}}
)

// SearchKernel returns the kernel that searches nonces. It returns nil if there is
// none; then nonces are tried as messages.
func SearchKernel() *block.SearchKernel { return searchKernels.current() }

// WotsKernel returns the kernel that follows chains of WOTS+, or nil if kernels for
// streams, or plain Go, do that.
func WotsKernel() *block.WotsKernel { return wotsKernels.current() }

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
