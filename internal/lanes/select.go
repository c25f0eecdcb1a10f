package lanes

import (
	"crypto/fips140"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

func init() {
	block.Select(process{
		arch: runtime.GOARCH, usable: cpu.Usable(), microarch: cpu.This(),
		purego: purego, fips: fips140.Enabled(), disabled: disabled,
	}.selection())
}

// A process is what its kernels depend on.
type process struct {
	arch      string
	usable    cpu.Features
	microarch cpu.Microarch
	purego    bool     // it was built without assembly
	fips      bool     // it is in FIPS 140-3 mode
	disabled  []string // words of SHA256SIMD_DISABLE
}

// selection returns the kernels that may be used in p, and the cheapest for one
// stream. Where there are no kernels, and in FIPS 140-3 mode, where the
// validated module must do the work, it is crypto/sha256.
func (p process) selection() block.Selection { return p.selectionBy(rowOf(p.microarch)) }

// selectionBy is selection by the costs in r.
func (p process) selectionBy(r row) block.Selection {
	kernels := p.kernels()
	if p.fips || len(kernels) == 0 && !p.purego {
		return block.Selection{Single: "x1_std"}
	}
	s := block.Selection{Single: "generic", Enabled: make([]string, 0, len(kernels))}
	least := genericCost
	for _, k := range kernels {
		if !p.usable.Has(k.Needs) || isDisabled(k, p.disabled) {
			continue
		}
		s.Enabled = append(s.Enabled, k.Name)
		if !strings.HasPrefix(k.Name, "x1_") {
			continue
		}
		if cycles, _ := r.cost(k); cycles < least {
			s.Single, least = k.Name, cycles
		}
	}
	return s
}

// kernels returns those of p's build.
func (p process) kernels() []block.Spec {
	return slices.DeleteFunc(block.Catalog(), func(k block.Spec) bool { return p.purego || k.Arch != p.arch })
}

// isas are the words of SHA256SIMD_DISABLE that are no kernel's name.
var isas = []string{"ssse3", "avx", "avx2", "shani", "avx512", "sha2", "neon"}

// disabled and unknown are the words of SHA256SIMD_DISABLE that name kernels of
// any architecture, since one environment serves a mixed fleet, and those that
// name nothing.
var disabled, unknown = parseDisable(os.Getenv("SHA256SIMD_DISABLE"))

func parseDisable(s string) (known, unknown []string) {
	for word := range strings.SplitSeq(s, ",") {
		word = strings.TrimSpace(word)
		isName := func(k block.Spec) bool { return k.Name == word }
		switch {
		case word == "":
		case slices.Contains(isas, word), slices.ContainsFunc(block.Catalog(), isName):
			known = append(known, word)
		default:
			unknown = append(unknown, word)
		}
	}
	return known, unknown
}

func isDisabled(k block.Spec, words []string) bool {
	return slices.Contains(words, k.Name) ||
		slices.ContainsFunc(k.InstructionSets(), func(isa string) bool { return slices.Contains(words, isa) })
}

// Features returns the instruction sets, as words of SHA256SIMD_DISABLE, for
// which there are kernels that this machine can run.
func Features() []string {
	var words []string
	for _, isa := range isas {
		if slices.ContainsFunc(block.Kernels(), func(k block.Kernel) bool {
			return k.Supported && slices.Contains(k.InstructionSets(), isa)
		}) {
			words = append(words, isa)
		}
	}
	return words
}

// Unknown returns the words of SHA256SIMD_DISABLE that name nothing on any
// architecture.
func Unknown() []string { return slices.Clone(unknown) }
