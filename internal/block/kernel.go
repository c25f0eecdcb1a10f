package block

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// A Spec is what there is to know of a kernel without its code, whatever its
// operation.
type Spec struct {
	// Name is lanes_isa, after the operation if it is not the compression of
	// streams.
	Name string
	// Arch is the GOARCH that it is for.
	Arch string
	// Lanes is how many streams, nodes or nonces it takes side by side.
	Lanes int
	// Needs are the extensions that its instructions are of, beyond what every
	// CPU of Arch has.
	Needs cpu.Features
}

// InstructionSets returns those in the name of a kernel, which are words of
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
	// MaxBlocks bounds the blocks of one call in a lane, n times turns, so that it
	// takes about 50 µs.
	MaxBlocks int
	// Blocks compresses blocks at to at+n-1 of streams first to first+Lanes-1, of
	// which h and p hold the pointers, one stream after the other: to its state, and
	// to where its block 0 is. The same memory may be there several times. States are
	// updated in place; one that several lanes share is undefined then. The pointers
	// stay as they are.
	//
	// That is one turn, and the only one if turns is 1: then streams counts for
	// nothing but that first is less. Each further turn takes the Lanes streams that
	// follow. There are so many streams, Lanes or more, and after the last one comes
	// the first again, n blocks further on. For turns that go around that end, h and p
	// hold the pointers of the first Lanes-1 streams once more, behind all others,
	// those in p n blocks further on. A turn that begins behind the end takes the
	// pointers at the beginning instead, and blocks from at+n on. With n 0 nothing is
	// done.
	Blocks func(h **State, p **byte, streams, first, at, n, turns int)
	// Supported says whether this machine can run it.
	Supported bool
	// Enabled says whether it may be chosen.
	Enabled bool

	use *bool // whether it is the one-stream kernel in use
}

// Kernels returns this architecture's kernels, those of one stream first and
// the preferred ones first among equals in lanes.
func Kernels() []Kernel { return slices.Clone(kernels) }

// A Selection says which kernels are in use.
type Selection struct {
	// Single compresses one stream: a kernel that is enabled, "x1_std" for
	// crypto/sha256, or "generic" for plain Go.
	Single string
	// Enabled names the kernels, of whatever operation, that may be chosen. What
	// this machine cannot run is not enabled all the same.
	Enabled []string
}

// maxStream is MaxBlocks of the one-stream kernel in use, or MaxPlain.
var maxStream = MaxPlain

// selection is what is in use; useStd and the kernels' use mirror its Single.
var (
	selection = Selection{Single: "generic"}
	useStd    bool
)

// epoch counts the selections.
var epoch uint32

// Epoch returns a number that changes when the choice of kernels does, for
// those who keep what they derived from it.
func Epoch() uint32 { return epoch }

// Select puts the kernels of s in use. Until package lanes has called it, which
// does so when it is initialized, plain Go is, and no kernel counts as supported.
// Nothing may hash meanwhile. It panics if Single cannot be.
func Select(s Selection) {
	enables := func(k Spec) bool { return cpu.Usable().Has(k.Needs) && slices.Contains(s.Enabled, k.Name) }
	if s.Single != "generic" && s.Single != "x1_std" &&
		!slices.ContainsFunc(kernels, func(k Kernel) bool { return k.Name == s.Single && k.Lanes == 1 && enables(k.Spec) }) {
		panic("sha256: " + s.Single + " is selected for one stream, which it cannot compress here")
	}
	maxStream = MaxPlain
	if i := slices.IndexFunc(kernels, func(k Kernel) bool { return k.Name == s.Single }); i >= 0 {
		maxStream = kernels[i].MaxBlocks
	}
	for _, t := range toggles() {
		*t.supported = cpu.Usable().Has(t.spec.Needs)
		*t.enabled = enables(t.spec)
		if t.use != nil {
			*t.use = *t.enabled && (s.Single == t.spec.Name || strings.HasPrefix(t.spec.Name, "node_"))
		}
	}
	selection = s
	useStd = s.Single == "x1_std"
	epoch++
}

// A toggle is how a kernel is enabled and disabled, whatever its operation.
type toggle struct {
	spec               Spec
	supported, enabled *bool
	use                *bool // or nil
}

// toggles returns those of all the kernels of this architecture.
func toggles() []toggle {
	ts := make([]toggle, 0, len(kernels)+len(nodeKernels)+len(searchKernels))
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
	return ts
}

// Force makes the named kernel, of whatever operation, the only one in use,
// "generic" and "x1_std" included, until restore is called. It is for tests and
// benchmarks that run nothing else meanwhile. It reports false, and changes
// nothing, when this machine cannot run such a kernel.
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

// Single names what compresses one stream: a kernel, "x1_std" for
// crypto/sha256, or "generic".
func Single() string { return selection.Single }

// UsesStd reports whether crypto/sha256 compresses single streams.
func UsesStd() bool { return useStd }

// single gives a one-stream kernel the form of the others.
func single(blocks func(h *State, p *byte, n int)) func(h **State, p **byte, streams, first, at, n, turns int) {
	return func(h **State, p **byte, streams, first, at, n, turns int) {
		hs, ps := unsafe.Slice(h, streams), unsafe.Slice(p, streams)
		for ; turns > 0; turns-- {
			blocks(hs[first], Advance(ps[first], at), n)
			if first++; first == streams {
				first, at = 0, at+n
			}
		}
	}
}
