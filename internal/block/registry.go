package block

import (
	"crypto/fips140"
	"os"
	"slices"
	"strings"
)

// A Kernel is one way to run the compression function over Lanes streams.
type Kernel struct {
	// Name is lanes_isa.
	Name string
	// Lanes is how many streams one call compresses.
	Lanes int
	// MaxBlocks bounds the blocks of one call, so that it takes about 50 µs.
	MaxBlocks int
	// Blocks compresses n blocks of each lane: h and p are the first of Lanes
	// consecutive pointers, to states and to the lanes' first blocks, which may
	// be the same memory. The states are updated in place; what several lanes
	// share of them is undefined then. The pointers stay as they are.
	Blocks func(h **State, p **byte, n int)
	// Supported says whether this CPU and operating system can run it.
	Supported bool
	// Loses says whether this CPU has a faster kernel of as many lanes, so that it
	// is not chosen unless it is forced.
	Loses bool
	// Enabled says whether it may be chosen: it is supported, does not lose, and
	// neither the environment nor FIPS 140-3 mode forbids it.
	Enabled bool

	use *bool // mirrors Enabled for the if-chain of compress
}

// isas are the words of SHA256SIMD_DISABLE, and names the kernels that exist,
// on any architecture: one environment serves a mixed fleet.
var (
	isas  = []string{"ssse3", "avx", "avx2", "shani", "avx512", "sha2", "neon"}
	names = []string{
		"x1_ssse3", "x1_avx", "x1_avx2", "x1_shani", "x1_avx512shani", "x1_sha2",
		"x2_shani", "x2_avx512shani", "x4_shani", "x2_sha2", "x4_sha2",
		"x4_ssse3", "x4_avx", "x4_neon", "x8_avx2", "x16_avx512", "x32_avx512",
		"node_x1_shani", "node_x2_shani", "node_x2_avx512shani", "node_x4_shani",
		"node_x1_sha2", "node_x2_sha2", "node_x4_sha2", "node_x4_neon",
		"node_x8_avx2", "node_x16_avx512", "node_x32_avx512",
		"search_x4_shani", "search_x4_sha2", "search_x4_ssse3", "search_x4_avx", "search_x8_avx2", "search_x32_avx512",
	}
)

// disabled and unknown are the words of SHA256SIMD_DISABLE that name kernels,
// and those that name nothing.
var disabled, unknown = parseDisable(os.Getenv("SHA256SIMD_DISABLE"))

// useStd sends the work of one stream to crypto/sha256.
var useStd = preferStd || fips140.Enabled()

// A toggle is how a kernel is switched on and off, whatever its operation.
type toggle struct {
	name             string
	supported, loses bool
	enabled          *bool
	use              *bool // or nil
}

// toggles returns those of all the kernels of this architecture.
func toggles() []toggle {
	var ts []toggle
	for i := range kernels {
		k := &kernels[i]
		ts = append(ts, toggle{k.Name, k.Supported, k.Loses, &k.Enabled, k.use})
	}
	for i := range nodeKernels {
		k := &nodeKernels[i]
		ts = append(ts, toggle{k.Name, k.Supported, k.Loses, &k.Enabled, k.use})
	}
	for i := range searchKernels {
		k := &searchKernels[i]
		ts = append(ts, toggle{k.Name, k.Supported, false, &k.Enabled, nil})
	}
	return ts
}

func (t toggle) set(on bool) {
	*t.enabled = on
	if t.use != nil {
		*t.use = on
	}
}

func init() {
	for _, t := range toggles() {
		t.set(t.supported && !t.loses && !fips140.Enabled() && !isDisabled(t.name))
	}
}

// epoch counts the changes that Force made to what is enabled.
var epoch uint32

// Epoch returns a number that changes when the choice of kernels does, for
// those who keep what they derived from it. Only Force changes the choice.
func Epoch() uint32 { return epoch }

func parseDisable(s string) (known, unknown []string) {
	for word := range strings.SplitSeq(s, ",") {
		word = strings.TrimSpace(word)
		switch {
		case word == "":
		case slices.Contains(isas, word), slices.Contains(names, word):
			known = append(known, word)
		default:
			unknown = append(unknown, word)
		}
	}
	return known, unknown
}

func isDisabled(name string) bool {
	return slices.Contains(disabled, name) ||
		slices.ContainsFunc(InstructionSets(name), func(isa string) bool { return slices.Contains(disabled, isa) })
}

// InstructionSets returns those in the name of a kernel, as words of
// SHA256SIMD_DISABLE.
func InstructionSets(name string) []string {
	isa := name[strings.LastIndexByte(name, '_')+1:]
	if isa == "avx512shani" {
		return []string{"avx512", "shani"}
	}
	return []string{isa}
}

// Kernels returns this architecture's kernels, those of one stream first and
// the preferred ones first among equals in lanes.
func Kernels() []Kernel { return slices.Clone(kernels) }

// Single names what compresses one stream: a kernel, "x1_std" for
// crypto/sha256, or "generic".
func Single() string {
	if useStd {
		return "x1_std"
	}
	for _, k := range kernels {
		if k.Lanes == 1 && k.Enabled {
			return k.Name
		}
	}
	return "generic"
}

// UsesStd reports whether crypto/sha256 compresses single streams.
func UsesStd() bool { return useStd }

// Features returns the instruction sets, as words of SHA256SIMD_DISABLE, for
// which there are kernels that this machine can run.
func Features() []string {
	var words []string
	for _, isa := range isas {
		if slices.ContainsFunc(kernels, func(k Kernel) bool { return k.Supported && slices.Contains(InstructionSets(k.Name), isa) }) {
			words = append(words, isa)
		}
	}
	return words
}

// Unknown returns the words of SHA256SIMD_DISABLE that name nothing on any
// architecture.
func Unknown() []string { return slices.Clone(unknown) }

// Force makes the named kernel, of whatever operation, the only one in use,
// "generic" and "x1_std" included, until restore is called. It is for tests and
// benchmarks that run nothing else meanwhile. It reports false, and changes
// nothing, when this machine cannot run such a kernel.
func Force(name string) (restore func(), ok bool) {
	ts := toggles()
	ok = name == "generic" || name == "x1_std" ||
		slices.ContainsFunc(ts, func(t toggle) bool { return t.name == name && t.supported })
	if !ok {
		return func() {}, false
	}
	was, wasStd := make([]bool, len(ts)), useStd
	for i, t := range ts {
		was[i] = *t.enabled
		t.set(t.name == name)
	}
	useStd = name == "x1_std"
	epoch++
	return func() {
		for i, t := range ts {
			t.set(was[i])
		}
		useStd = wasStd
		epoch++
	}, true
}

// single gives a one-stream kernel the form of the others.
func single(blocks func(h *State, p *byte, n int)) func(h **State, p **byte, n int) {
	return func(h **State, p **byte, n int) { blocks(*h, *p, n) }
}
