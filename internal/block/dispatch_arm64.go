//go:build !purego

package block

import "golang.org/x/sys/cpu"

var useSHA2 bool

// MaxBlocks are for 50 µs, by llvm-mca, on a Cortex-A53 at 1.4 GHz or, without
// SHA2, a Cortex-A72 at 1.5 GHz.
var kernels = []Kernel{
	{Name: "x1_sha2", Lanes: 1, MaxBlocks: 512, Blocks: single(x1_sha2), Supported: cpu.ARM64.HasSHA2, use: &useSHA2},
	{Name: "x2_sha2", Lanes: 2, MaxBlocks: 256, Blocks: x2_sha2, Supported: cpu.ARM64.HasSHA2},
	{Name: "x4_sha2", Lanes: 4, MaxBlocks: 128, Blocks: x4_sha2, Supported: cpu.ARM64.HasSHA2},
	// Advanced SIMD is part of every arm64 that Go runs on.
	{Name: "x4_neon", Lanes: 4, MaxBlocks: 32, Blocks: x4_neon, Supported: true},
}

// compress runs the blocks, at most MaxStream bytes of them, through the
// preferred one-stream kernel. It calls kernels directly, not through a
// variable, so that what h and p point to may stay on the caller's stack.
func compress(h *State, p *byte, n int) {
	switch {
	case useSHA2:
		x1_sha2(h, p, n)
	case useStd:
		x1_std(h, p, n)
	default:
		generic(h, p, n)
	}
}
