//go:build !purego

package block

import (
	"runtime"

	"github.com/klauspost/cpuid/v2"
)

var useAVX512SHANI, useSHANI, useAVX2, useAVX, useSSSE3 bool

// cpuid answers for AVX and AVX-512 only if the operating system saves their
// registers. darwin does so for AVX-512 too, but Go's signal handling there
// loses part of them: golang.org/issue/49233.
var (
	hasSSSE3  = cpuid.CPU.Supports(cpuid.SSSE3)
	hasAVX    = cpuid.CPU.Supports(cpuid.AVX)
	hasAVX2   = cpuid.CPU.Supports(cpuid.AVX2)
	hasBMI2   = cpuid.CPU.Supports(cpuid.BMI2)
	hasSHANI  = cpuid.CPU.Supports(cpuid.SHA, cpuid.SSSE3, cpuid.SSE4)
	hasAVX512 = cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512VL) && runtime.GOOS != "darwin"

	hasAVX512SHANI  = hasAVX512 && hasSHANI
	hasSlowSchedule = cpuid.CPU.VendorID == cpuid.Intel && IceLake(cpuid.CPU.Family, cpuid.CPU.Model)
)

var kernels = []Kernel{
	{Name: "x1_avx512shani", Lanes: 1, MaxBlocks: 1024, Blocks: single(x1_avx512shani), Supported: hasAVX512SHANI, Loses: !hasSlowSchedule, use: &useAVX512SHANI},
	{Name: "x1_shani", Lanes: 1, MaxBlocks: 1024, Blocks: single(x1_shani), Supported: hasSHANI, use: &useSHANI},
	{Name: "x1_avx2", Lanes: 1, MaxBlocks: 512, Blocks: single(x1_avx2), Supported: hasAVX2 && hasBMI2, use: &useAVX2},
	{Name: "x1_avx", Lanes: 1, MaxBlocks: 512, Blocks: single(x1_avx), Supported: hasAVX, use: &useAVX},
	{Name: "x1_ssse3", Lanes: 1, MaxBlocks: 512, Blocks: single(x1_ssse3), Supported: hasSSSE3, use: &useSSSE3},
	{Name: "x2_avx512shani", Lanes: 2, MaxBlocks: 1024, Blocks: x2_avx512shani, Supported: hasAVX512SHANI, Loses: !hasSlowSchedule},
	{Name: "x2_shani", Lanes: 2, MaxBlocks: 1024, Blocks: x2_shani, Supported: hasSHANI},
	{Name: "x4_shani", Lanes: 4, MaxBlocks: 512, Blocks: x4_shani, Supported: hasSHANI},
	{Name: "x4_avx", Lanes: 4, MaxBlocks: 128, Blocks: x4_avx, Supported: hasAVX},
	{Name: "x4_ssse3", Lanes: 4, MaxBlocks: 128, Blocks: x4_ssse3, Supported: hasSSSE3},
	{Name: "x8_avx2", Lanes: 8, MaxBlocks: 128, Blocks: x8_avx2, Supported: hasAVX2},
	{Name: "x16_avx512", Lanes: 16, MaxBlocks: 192, Blocks: x16_avx512, Supported: hasAVX512},
	{Name: "x32_avx512", Lanes: 32, MaxBlocks: 128, Blocks: x32_avx512, Supported: hasAVX512},
}

// compress runs the blocks, at most MaxStream bytes of them, through the
// preferred one-stream kernel. It calls kernels directly, not through a
// variable, so that what h and p point to may stay on the caller's stack.
func compress(h *State, p *byte, n int) {
	switch {
	case useAVX512SHANI:
		x1_avx512shani(h, p, n)
	case useSHANI:
		x1_shani(h, p, n)
	case useAVX2:
		x1_avx2(h, p, n)
	case useAVX:
		x1_avx(h, p, n)
	case useSSSE3:
		x1_ssse3(h, p, n)
	case useStd:
		x1_std(h, p, n)
	default:
		generic(h, p, n)
	}
}
