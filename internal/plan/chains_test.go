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
		{iceLake, "", 16, map[int]string{1: "chain_x1_shani", 16: "chain_x16_avx512", 32: "chain_x16_avx512"}}, // uneven
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

// TestChainWay has chains right before and right behind the points from which passes and
// kernels pay, by the costs of Granite Rapids.
func TestChainWay(t *testing.T) {
	noLanes := planOf(intelAVX512SHA, instructionSets...)
	if way := NewChains(intelAVX512SHA, nil, "generic").ChainWay(noLanes, 100, 500, 10, false); way != OneByOneWay {
		t.Errorf("without lanes: way %d, want %d", way, OneByOneWay)
	}
	p := processOn(intelAVX512SHA.Microarch)
	enabled := p.enabled(p.selectionBy(intelAVX512SHA))
	chains, streams := NewChains(intelAVX512SHA, enabled, "x1_shani"), NewStreams(intelAVX512SHA, enabled, "x1_shani")
	for _, tt := range []struct {
		n, steps, longest int
		even              bool
		want              ChainWay
	}{
		{1, 17, 17, true, OneByOneWay},
		{1, 18, 18, true, KernelWay},
		{1, 19, 19, true, KernelWay},
		{8, 24, 3, true, PassesWay},
		{8, 32, 4, true, KernelWay},
		{8, 8, 1, false, OneByOneWay},
		{3, 33, 31, false, OneByOneWay},
		{3, 3002, 3000, false, KernelWay}, // the longest is mostly alone
		{8, 76, 19, false, OneByOneWay},
		{8, 80, 20, false, KernelWay},
		{12, 60, 5, true, PassesWay}, // one step of each is odd
		{16, 16, 1, true, PassesWay},
		{32, 100, 10, false, PassesWay},
		{32, 40, 10, false, OneByOneWay}, // most passes have few chains
		{32, 240, 15, false, PassesWay},
		{32, 256, 16, false, KernelWay},
		{100, 1400, 14, true, KernelWay},
		{100, 1000, 10, true, PassesWay},
	} {
		if got := chains.ChainWay(streams, tt.n, tt.steps, tt.longest, tt.even); got != tt.want {
			t.Errorf("%d chains of up to %d steps, %d in all, even %t: way %d, want %d", tt.n, tt.longest, tt.steps, tt.even, got, tt.want)
		}
	}
}
