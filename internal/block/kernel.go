package block

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// An Operation is what a kernel does side by side.
type Operation uint8

const (
	StreamOp Operation = iota // compress blocks of streams: Kernel
	NodeOp                    // hash nodes of Merkle trees: NodeKernel
	SearchOp                  // try nonces: SearchKernel
	ChainOp                   // iterate HMAC: ChainKernel
	WotsOp                    // follow chains of WOTS+: WotsKernel
)

// A Spec describes a kernel of any operation, without its code.
type Spec struct {
	// Name is lanes_isa for streams, operation_lanes_isa for other operations.
	Name string
	// Arch is its GOARCH.
	Arch string
	// Operation is what it does side by side.
	Operation Operation
	// Lanes is the number of streams, nodes, nonces or chains that it takes side by
	// side.
	Lanes int
	// Needs are the instruction set extensions that it uses, beyond the baseline of
	// Arch.
	Needs cpu.Features
}

// InstructionSets returns the instruction sets in the kernel's name, as words of
// SHA256SIMD_DISABLE.
func (s Spec) InstructionSets() []string {
	isa := s.Name[strings.LastIndexByte(s.Name, '_')+1:]
	if isa == "avx512shani" {
		return []string{"avx512", "shani"}
	}
	return []string{isa}
}

// Catalog returns the kernels of all architectures.
func Catalog() []Spec { return slices.Clone(catalog) }

// A Kernel is one way to run the compression function over Lanes streams.
type Kernel struct {
	Spec
	// MaxBlocks is the largest number of blocks that a lane does in one call of Blocks:
	// slice·turns. It keeps a call below about 50 µs.
	MaxBlocks int
	// Blocks compresses a ring of `ring` streams in several turns. states[i] points to
	// the state of stream i, updated in place; data[i] points to its block 0. A turn
	// compresses `slice` blocks of Lanes neighbours in the ring. Turn 1 starts with
	// stream `first` at block `at`; each further turn takes the next Lanes streams. After
	// stream ring-1 comes stream 0 again, `slice` blocks further on. So both lists repeat
	// their first Lanes-1 pointers behind the ring, those in data `slice` blocks further
	// on. If `turns` is 1, `ring` is ignored; else it is at least Lanes. A state that two
	// lanes share becomes undefined. A `slice` of 0 does nothing.
	//
	// With 4 lanes, ring 5, first 0, at 0, slice 2, turns 3, these blocks are done:
	//
	//	         stream 0  stream 1  stream 2  stream 3  stream 4
	//	turn 1     0, 1      0, 1      0, 1      0, 1
	//	turn 2     2, 3      2, 3      2, 3                0, 1
	//	turn 3     4, 5      4, 5                2, 3      2, 3
	Blocks func(states **State, data **byte, ring, first, at, slice, turns int)
	// Supported reports whether this machine can run the kernel.
	Supported bool
	// Enabled reports whether the kernel may be chosen.
	Enabled bool

	use *bool // whether it is the one-stream kernel in use
}

// Kernels returns this architecture's kernels for streams, by rising lanes. Among
// kernels with equal lanes, the preferred kernel comes first.
func Kernels() []Kernel { return slices.Clone(kernels) }

// Enabled returns the kernels of this architecture, of all operations, that may be
// chosen.
func Enabled() []Spec {
	var specs []Spec
	for _, t := range toggles() {
		if *t.enabled {
			specs = append(specs, t.spec)
		}
	}
	return specs
}

// A Selection says which kernels are in use.
type Selection struct {
	// Single compresses one stream: a kernel that is enabled, "x1_std" for
	// crypto/sha256, or "generic" for plain Go.
	Single string
	// Enabled names the kernels of all operations that may be chosen. Select leaves
	// out kernels that this machine cannot run.
	Enabled []string
}

// maxStream is MaxBlocks of the one-stream kernel in use, or MaxPlain.
var maxStream = MaxPlain

// selection is the selection in use. useStd and the kernels' fields `use` mirror its
// Single.
var (
	selection = Selection{Single: "generic"}
	useStd    bool
)

// hasAVX reports whether this CPU has the instruction VZEROUPPER. Assembly reads it.
var hasAVX bool

// epoch counts the selections.
var epoch uint32

// Epoch returns a number that changes with the choice of kernels. A caller that keeps a
// result of the choice compares epochs.
func Epoch() uint32 { return epoch }

// Select puts the kernels of s in use. Package lanes calls it when it is
// initialized; before that plain Go is in use, and no kernel counts as supported.
// Nothing may hash during the call. Select panics if this machine cannot run
// s.Single.
func Select(s Selection) {
	enables := func(k Spec) bool { return cpu.Usable().Has(k.Needs) && slices.Contains(s.Enabled, k.Name) }
	if s.Single != "generic" && s.Single != "x1_std" &&
		!slices.ContainsFunc(kernels, func(k Kernel) bool { return k.Name == s.Single && k.Lanes == 1 && enables(k.Spec) }) {
		panic("sha256: " + s.Single + " is selected for one stream, which it cannot compress here")
	}
	hasAVX = cpu.Usable().Has(cpu.AVX)
	maxStream = MaxPlain
	if i := slices.IndexFunc(kernels, func(k Kernel) bool { return k.Name == s.Single }); i >= 0 {
		maxStream = kernels[i].MaxBlocks
	}
	for _, t := range toggles() {
		*t.supported = cpu.Usable().Has(t.spec.Needs)
		*t.enabled = enables(t.spec)
		if t.use != nil {
			*t.use = *t.enabled && (s.Single == t.spec.Name || t.spec.Operation == NodeOp)
		}
	}
	selection = s
	useStd = s.Single == "x1_std"
	epoch++
}

// A toggle enables and disables a kernel of any operation.
type toggle struct {
	spec               Spec
	supported, enabled *bool
	use                *bool // or nil
}

// toggles returns the toggles of all kernels of this architecture.
func toggles() []toggle {
	ts := make([]toggle, 0, len(kernels)+len(nodeKernels)+len(searchKernels)+len(chainKernels)+len(wotsKernels))
	for i := range kernels {
		k := &kernels[i]
		ts = append(ts, toggle{k.Spec, &k.Supported, &k.Enabled, k.use})
	}
	for i := range nodeKernels {
		k := &nodeKernels[i]
		ts = append(ts, toggle{k.Spec, &k.Supported, &k.Enabled, k.use})
	}
	for i := range searchKernels {
		k := &searchKernels[i]
		ts = append(ts, toggle{k.Spec, &k.Supported, &k.Enabled, nil})
	}
	for i := range chainKernels {
		k := &chainKernels[i]
		ts = append(ts, toggle{k.Spec, &k.Supported, &k.Enabled, nil})
	}
	for i := range wotsKernels {
		k := &wotsKernels[i]
		ts = append(ts, toggle{k.Spec, &k.Supported, &k.Enabled, nil})
	}
	return ts
}

// Force makes the named kernel of any operation, or "generic" or "x1_std", the only
// one in use until restore is called. It is for tests and benchmarks that run
// nothing else meanwhile. If this machine cannot run the kernel, Force returns false
// and changes nothing.
func Force(name string) (restore func(), ok bool) {
	forced := Selection{Single: "generic", Enabled: []string{name}}
	switch {
	case name == "generic":
	case name == "x1_std", slices.ContainsFunc(kernels, func(k Kernel) bool { return k.Name == name && k.Lanes == 1 && k.Supported }):
		forced.Single = name
	case !slices.ContainsFunc(toggles(), func(t toggle) bool { return t.spec.Name == name && *t.supported }):
		return func() {}, false
	}
	was := selection
	Select(forced)
	return func() { Select(was) }, true
}

// Single returns the name of the kernel that compresses one stream, "x1_std" for
// crypto/sha256, or "generic" for plain Go.
func Single() string { return selection.Single }

// UsesStd reports whether crypto/sha256 compresses single streams.
func UsesStd() bool { return useStd }

// single adapts a one-stream kernel to the signature of Kernel.Blocks.
func single(blocks func(h *State, p *byte, n int)) func(states **State, data **byte, ring, first, at, slice, turns int) {
	return func(states **State, data **byte, ring, first, at, slice, turns int) {
		hs, ps := unsafe.Slice(states, ring), unsafe.Slice(data, ring)
		for ; turns > 0; turns-- {
			blocks(hs[first], Advance(ps[first], at), slice)
			if first++; first == ring {
				first, at = 0, at+slice
			}
		}
	}
}
