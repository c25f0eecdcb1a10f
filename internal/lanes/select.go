package lanes

import (
	"crypto/fips140"
	"os"
	"runtime"
	"slices"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

func init() { block.Select(thisProcess().Selection()) }

// thisProcess returns what the choice of kernels in this process depends on.
func thisProcess() plan.Process {
	return plan.Process{
		Arch: runtime.GOARCH, Usable: cpu.Usable(), Microarch: cpu.This(),
		Purego: purego, FIPS: fips140.Enabled() || boringCrypto(), Disabled: disabled,
	}
}

// disabled are the words of SHA256SIMD_DISABLE that name kernels, unknown the words
// that name nothing.
var disabled, unknown = plan.ParseDisable(os.Getenv("SHA256SIMD_DISABLE"))

// Features returns the instruction sets of the kernels that this machine can run, as
// words of SHA256SIMD_DISABLE.
func Features() []string {
	var supported []block.Spec
	for _, k := range block.Kernels() {
		if k.Supported {
			supported = append(supported, k.Spec)
		}
	}
	return plan.InstructionSets(supported)
}

// Unknown returns the words of SHA256SIMD_DISABLE that name nothing on any
// architecture.
func Unknown() []string { return slices.Clone(unknown) }
