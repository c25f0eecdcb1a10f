//go:build !purego

package block

import (
	"github.com/klauspost/cpuid/v2"
)

var useSHANI bool

var hasSHANI = cpuid.CPU.Supports(cpuid.SHA, cpuid.SSSE3, cpuid.SSE4)

var kernels = []Kernel{
	{Name: "x1_shani", Lanes: 1, MaxBlocks: 1024, Blocks: single(x1_shani), Supported: hasSHANI, use: &useSHANI},
	{Name: "x2_shani", Lanes: 2, MaxBlocks: 1024, Blocks: x2_shani, Supported: hasSHANI},
	{Name: "x4_shani", Lanes: 4, MaxBlocks: 512, Blocks: x4_shani, Supported: hasSHANI},
}

// compress runs the blocks, at most MaxStream bytes of them, through the
// preferred one-stream kernel. It calls kernels directly, not through a
// variable, so that what h and p point to may stay on the caller's stack.
func compress(h *State, p *byte, n int) {
	switch {
	case useSHANI:
		x1_shani(h, p, n)
	case useStd:
		x1_std(h, p, n)
	default:
		generic(h, p, n)
	}
}
