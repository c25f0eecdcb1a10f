package lanes

import (
	"crypto/fips140"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

func init() {
	block.SelectFirst(func() block.Selection { return thisProcess().Selection() })
}

// thisProcess returns what the choice of kernels in this process depends on.
func thisProcess() plan.Process {
	return plan.Process{
		Arch: runtime.GOARCH, Usable: cpu.Usable(), Microarch: cpu.This(),
		Purego: purego, FIPS: fips140.Enabled() || boringCrypto(), Disabled: disabled(),
	}
}

// environment returns the words of SHA256SIMD_DISABLE that name kernels, and the words
// that name nothing. It reads the environment at first use: that takes longer than to
// hash a short message, and a program may hash none.
var environment = sync.OnceValues(func() (known, ignored []string) {
	return plan.ParseDisable(os.Getenv("SHA256SIMD_DISABLE"))
})

func disabled() []string {
	known, _ := environment()
	return known
}

// Features returns the instruction sets of the kernels that this machine can run, as
// words of SHA256SIMD_DISABLE.
func Features() []string {
	return plan.InstructionSets(slices.DeleteFunc(block.Supported(), func(k block.Spec) bool { return k.Operation != block.StreamOp }))
}

// Ignored returns the words of SHA256SIMD_DISABLE that name nothing on any
// architecture.
func Ignored() []string {
	_, ignored := environment()
	return slices.Clone(ignored)
}
