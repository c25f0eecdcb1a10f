package block

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// A Selection says which kernels are in use.
type Selection struct {
	// Single compresses one stream: a kernel that is enabled, "x1_std" for
	// crypto/sha256, or "generic" for plain Go.
	Single string
	// Allowed reports whether a kernel may be chosen, if the machine can run it. If Allowed
	// is nil, no kernel may be chosen.
	Allowed func(Spec) bool
}

// Allows reports whether k may be chosen, if the machine can run it.
func (s *Selection) Allows(k Spec) bool { return s.Allowed != nil && s.Allowed(k) }

// A routine is a number that identifies a function that compress or hashNode calls
// directly. The generator numbers the kernels from firstKernel on.
type routine uint8

const (
	plainGo routine = iota
	useStd
	firstKernel
)

// A choice is a Selection in use and what follows from that Selection. A choice is
// immutable.
type choice struct {
	Selection
	headers      []Header // this architecture's
	single, node routine  // what compress and hashNode call
	maxStream    int      // Max of the kernel for one stream, or MaxPlain
	atOnce       bool     // compress changes a state when it has read all blocks, not after each
	short        shortRoutine
}

// inUse is the choice in use. It is nil until it is first needed: a program that hashes
// nothing pays nothing at its start.
var inUse atomic.Pointer[choice]

var (
	selects sync.Mutex // held while inUse changes
	first   = func() Selection { return Selection{Single: "generic"} }
	epoch   atomic.Uint32 // the number of choices so far
)

// SelectFirst makes f the function that chooses the first Selection, when one is needed.
// Package lanes calls SelectFirst during its initialization. Without that call, the first
// Selection is plain Go.
func SelectFirst(f func() Selection) { first = f }

// current returns the choice in use.
func current() *choice {
	if c := inUse.Load(); c != nil {
		return c
	}
	return choose()
}

// choose makes the first choice. It takes more stack than a new goroutine has, so
// current avoids it where it can.
//
//go:noinline
func choose() *choice {
	selects.Lock()
	defer selects.Unlock()
	if inUse.Load() == nil {
		use(first())
	}
	return inUse.Load()
}

// hasAVX reports whether this CPU has the instruction VZEROUPPER. Assembly reads it.
var hasAVX bool

// selectKernels puts the kernels of s in use. Nothing may hash during the call. If this machine
// cannot run s.Single, or s does not allow s.Single, selectKernels panics and changes nothing.
func selectKernels(s Selection) {
	selects.Lock()
	defer selects.Unlock()
	use(s)
}

// use is selectKernels for a caller that holds selects.
func use(s Selection) {
	usable := cpu.Usable()
	c := &choice{Selection: s, headers: slices.Clone(headers), maxStream: MaxPlain}
	found := s.Single == "generic"
	var single cpu.Features // what the kernel for one stream needs
	if s.Single == "x1_std" {
		found, c.single, c.atOnce = true, useStd, true
	}
	for i := range c.headers {
		h := &c.headers[i]
		h.Supported = usable.Has(h.Needs)
		h.Enabled = h.Supported && s.Allows(h.Spec)
		switch {
		case !h.Enabled:
		case h.isSingle() && h.Name == s.Single:
			found, c.single, c.maxStream, single = true, h.routine, h.Max, h.Needs
			// SHA extensions keep the state in registers. Other kernels need the registers for
			// the message schedule.
			c.atOnce = single.Has(cpu.SHA) || single.Has(cpu.SHA2)
		case h.Operation == NodeOp && h.Lanes == 1:
			c.node = h.routine
		}
	}
	if !found {
		panic("sha256: " + s.Single + " is selected for one stream, which it cannot compress here")
	}
	c.short = s.short(usable)
	inVectors.Store(usesVectors(c.short, single))
	hasAVX = usable.Has(cpu.AVX)
	inUse.Store(c)
	epoch.Add(1)
}

// Force makes the named kernel the only one in use until restore is called. The name is
// that of a kernel of any operation, or "generic" or "x1_std". Force is for tests and
// benchmarks that run nothing else meanwhile. If this machine cannot run the kernel, Force
// returns false and changes nothing. With an assembly kernel, Force also enables the
// routines for short messages that every CPU with this kernel can run. CPUs with AVX have
// SSSE3, too.
func Force(name string) (restore func(), ok bool) {
	was := current()
	forced := Selection{Single: "generic", Allowed: func(k Spec) bool {
		isa, short := strings.CutPrefix(k.Name, "short_")
		return k.Name == name || short && name != "generic" && name != "x1_std" && (isa != "avx512" || strings.Contains(name, isa))
	}}
	switch i := slices.IndexFunc(was.headers, func(h Header) bool { return h.Name == name && h.Supported }); {
	case name == "generic":
	case name == "x1_std", i >= 0 && headers[i].isSingle():
		forced.Single = name
	case i < 0:
		return func() {}, false
	}
	selectKernels(forced)
	return func() { selectKernels(was.Selection) }, true
}

// Supported returns the kernels, of all operations, that this machine can run.
func Supported() []Spec { return specs(func(h Header) bool { return h.Supported }) }

// Enabled returns the kernels, of all operations, that may be chosen.
func Enabled() []Spec { return specs(func(h Header) bool { return h.Enabled }) }

func specs(has func(Header) bool) []Spec {
	var list []Spec
	for _, h := range current().headers {
		if has(h) {
			list = append(list, h.Spec)
		}
	}
	return list
}

// Single returns the name of the kernel that compresses one stream, "x1_std" for
// crypto/sha256, or "generic" for plain Go.
func Single() string { return current().Single }

// UsesStd reports whether crypto/sha256 compresses single streams.
func UsesStd() bool { return current().single == useStd }

// Epoch returns a number that changes with each choice of kernels. A caller that caches a
// result of the choice recomputes the result when Epoch has changed.
func Epoch() uint32 { return epoch.Load() }
