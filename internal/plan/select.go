package plan

import (
	"slices"
	"strings"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// A Process has everything on which the choice of kernels in a process depends.
type Process struct {
	Arch      string
	Usable    cpu.Features
	Microarch cpu.Microarch
	Purego    bool     // it was built without assembly
	FIPS      bool     // it is in FIPS 140-3 mode, or built with BoringCrypto
	Disabled  []string // words of SHA256SIMD_DISABLE
}

// Selection returns the kernels that p may use, and the cheapest kernel for one stream.
// The latter is crypto/sha256 if p.FIPS is set: in FIPS 140-3 mode the validated module
// must do the work. It is crypto/sha256 on an architecture without kernels, too, unless
// p.Purego is set.
func (p Process) Selection() block.Selection { return p.selectionBy(RowOf(p.Microarch)) }

// selectionBy is Selection by the costs in r.
func (p Process) selectionBy(r Row) block.Selection {
	all := block.Catalog()
	isHere := func(k block.Spec) bool { return k.Arch == p.Arch }
	if p.FIPS || !p.Purego && !slices.ContainsFunc(all, isHere) {
		return block.Selection{Single: "x1_std"}
	}
	s := block.Selection{Single: "generic", Allowed: p.allows}
	least := r.overhead.generic
	for _, k := range all {
		if k.Operation == block.StreamOp && k.Lanes == 1 && p.allows(k) {
			if cycles, _ := r.Cost(k); cycles < least {
				s.Single, least = k.Name, cycles
			}
		}
	}
	return s
}

// allows reports whether p may use a kernel, if p.FIPS is not set.
func (p Process) allows(k block.Spec) bool {
	return !p.Purego && k.Arch == p.Arch && p.Usable.Has(k.Needs) && !isDisabled(k, p.Disabled)
}

// instructionSets are the words of SHA256SIMD_DISABLE that are not a kernel's name.
var instructionSets = []string{"ssse3", "avx", "avx2", "shani", "avx512", "sha2", "neon"}

// ParseDisable splits a value of SHA256SIMD_DISABLE into the words that name kernels
// and the words that name nothing. Kernels of all architectures count: one environment
// may serve machines of several architectures.
func ParseDisable(value string) (known, unknown []string) {
	for word := range strings.SplitSeq(value, ",") {
		word = strings.TrimSpace(word)
		isName := func(k block.Spec) bool { return k.Name == word }
		switch {
		case word == "":
		case slices.Contains(instructionSets, word), slices.ContainsFunc(block.Catalog(), isName):
			known = append(known, word)
		default:
			unknown = append(unknown, word)
		}
	}
	return known, unknown
}

func isDisabled(k block.Spec, words []string) bool {
	return len(words) > 0 && (slices.Contains(words, k.Name) ||
		slices.ContainsFunc(k.InstructionSets(), func(isa string) bool { return slices.Contains(words, isa) }))
}

// InstructionSets returns the instruction sets of some kernels, as words of
// SHA256SIMD_DISABLE, always in the same order.
func InstructionSets(kernels []block.Spec) []string {
	var words []string
	for _, isa := range instructionSets {
		if slices.ContainsFunc(kernels, func(k block.Spec) bool { return slices.Contains(k.InstructionSets(), isa) }) {
			words = append(words, isa)
		}
	}
	return words
}
