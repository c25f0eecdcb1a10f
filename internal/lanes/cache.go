package lanes

import (
	"slices"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/block"
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
