package lanes

import (
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// searchKernelsOf returns the search kernels of a class's CPUs, those of the
// disabled instruction sets switched off.
func searchKernelsOf(c class, disabled ...string) []block.SearchKernel {
	var kernels []block.SearchKernel
	for _, name := range []string{"x32_avx512", "x4_shani", "x8_avx2", "x4_avx", "x4_ssse3", "x4_sha2"} {
		lanes, isa := nameParts(name)
		if slices.Contains(isasOf[c], isa) {
			kernels = append(kernels, block.SearchKernel{
				Name: "search_" + name, Lanes: lanes, Supported: true, Enabled: !slices.Contains(disabled, isa),
			})
		}
	}
	return kernels
}

func TestPreferredSearch(t *testing.T) {
	for _, tt := range []struct {
		class          class
		disabled, want string
	}{
		{zen5, "", "search_x32_avx512"},
		{zen5, "avx512", "search_x4_shani"},
		{zen5, "avx512 shani", "search_x8_avx2"},
		{zen5, "avx512 shani avx2", "search_x4_avx"},
		{zen5, "avx512 shani avx2 avx", "search_x4_ssse3"},
		{zen5, "avx512 shani avx2 avx ssse3", ""},
		{zen4, "", "search_x4_shani"},
		{zen1, "", "search_x4_shani"},
		{iceLake, "", "search_x32_avx512"},
		{iceLake, "avx512", "search_x8_avx2"},
		{iceLake, "avx512 avx2", "search_x4_shani"},
		{intelAVX512SHA, "", "search_x32_avx512"},
		{intelAVX512SHA, "avx512", "search_x4_shani"},
		{intelAVX512, "", "search_x32_avx512"},
		{shaOnly, "", "search_x4_shani"},
		{avx2Only, "", "search_x8_avx2"},
		{older, "", "search_x4_avx"},
		{armSHA2, "", "search_x4_sha2"},
		{armSHA2v80, "", "search_x4_sha2"},
		{armNEON, "", ""},
		{unknown, "", "search_x32_avx512"},
	} {
		got := ""
		if k := preferredSearch(tt.class, searchKernelsOf(tt.class, strings.Fields(tt.disabled)...)); k != nil {
			got = k.Name
		}
		if got != tt.want {
			t.Errorf("%s without %q: %q, want %q", tt.class, tt.disabled, got, tt.want)
		}
	}
}

// TestEverySearchKernelHasACost tests that no kernel is left out because costs
// do not know it.
func TestEverySearchKernelHasACost(t *testing.T) {
	for c := range isasOf {
		for _, k := range searchKernelsOf(c) {
			if preferredSearch(c, []block.SearchKernel{k}) == nil {
				t.Errorf("%s: no cost of %s", c, k.Name)
			}
		}
	}
	for _, k := range block.SearchKernels() {
		if k.Enabled && preferredSearch(classOfThisCPU(), []block.SearchKernel{k}) == nil {
			t.Errorf("no cost of %s here", k.Name)
		}
	}
}
