package plan

import (
	"strings"
	"testing"
)

func TestChains(t *testing.T) {
	for _, tt := range []struct {
		row      Row
		disabled string
		width    int
		want     map[int]string // by the number of chains
	}{
		{zen5, "", 32, map[int]string{
			1: "chain_x1_shani", 2: "chain_x2_shani", 3: "chain_x4_shani", 4: "chain_x4_shani", 16: "chain_x16_avx512",
			17: "chain_x16_avx512", 32: "chain_x32_avx512",
		}},
		{zen5, "avx512", 4, map[int]string{1: "chain_x1_shani", 4: "chain_x4_shani", 32: "chain_x4_shani"}},
		{zen5, "avx512 shani", 8, map[int]string{1: "x1_avx2", 8: "chain_x8_avx2", 32: "chain_x8_avx2"}},
		{zen5, "avx512 shani avx2", 4, map[int]string{1: "x1_avx", 4: "x4_avx"}},
		{zen4, "", 4, map[int]string{1: "chain_x1_shani", 16: "chain_x4_shani"}},
		{zen3, "", 4, map[int]string{1: "chain_x1_shani", 5: "chain_x4_shani"}},
		{intelAVX512SHA, "", 16, map[int]string{
			1: "chain_x1_shani", 2: "chain_x2_shani", 4: "chain_x4_shani", 7: "chain_x8_avx512", 8: "chain_x8_avx512", 16: "chain_x16_avx512",
		}},
		{iceLake, "", 32, map[int]string{1: "chain_x1_shani", 32: "chain_x32_avx512"}},
		{armSHA2, "", 4, map[int]string{1: "chain_x1_sha2", 2: "chain_x2_sha2", 4: "chain_x4_sha2"}},
		{armNEON, "", 4, map[int]string{1: "generic", 4: "x4_neon"}},
	} {
		p := processOn(tt.row.Microarch, strings.Fields(tt.disabled)...)
		s := p.selectionBy(tt.row)
		got := NewChains(tt.row, p.enabled(s), s.Single)
		if got.Width != tt.width {
			t.Errorf("%s without %q: %d lanes, want %d", tt.row.Microarch, tt.disabled, got.Width, tt.width)
		}
		for n, want := range tt.want {
			if got.Kernels[n] != want {
				t.Errorf("%s without %q: %d chains run on %s, want %s", tt.row.Microarch, tt.disabled, n, got.Kernels[n], want)
			}
		}
	}
}

// TestChainsOneByOne has chains right before and right behind the point from which lanes
// pay, by the costs of Granite Rapids.
func TestChainsOneByOne(t *testing.T) {
	p := processOn(intelAVX512SHA.Microarch)
	plan := NewChains(intelAVX512SHA, p.enabled(p.selectionBy(intelAVX512SHA)), "x1_shani")
	for _, tt := range []struct {
		n, steps, longest int
		even, want        bool
	}{
		{0, 0, 0, true, true},
		{1, 12, 12, true, true},
		{1, 40, 40, true, false},
		{2, 10, 5, true, true},
		{2, 20, 10, true, false},
		{2, 16, 8, false, true},
		{2, 60, 30, false, false},
		{8, 16, 2, true, true},
		{8, 24, 3, true, false},
		{16, 32, 2, true, false},
		{16, 16, 1, true, true},
		{32, 64, 2, true, false},
	} {
		if got := plan.OneByOne(tt.n, tt.steps, tt.longest, tt.even); got != tt.want {
			t.Errorf("%d chains of up to %d steps, %d in all, even %t: %t, want %t", tt.n, tt.longest, tt.steps, tt.even, got, tt.want)
		}
	}
}
