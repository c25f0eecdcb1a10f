package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

func TestSelection(t *testing.T) {
	x86, arm := processOn(cpu.Zen5), processOn(cpu.ArmSHA2)
	with := func(p Process, change func(*Process)) Process {
		change(&p)
		return p
	}
	for _, tt := range []struct {
		name    string
		process Process
		single  string
		enabled string // of streams: "all" that it can run, or these
	}{
		{"Zen 5", x86, "x1_shani", "all"},
		{"Zen 4", processOn(cpu.Zen4), "x1_shani", "all"},
		{"Ice Lake", processOn(cpu.IceLake), "x1_avx512shani", "all"},
		{"Ice Lake without AVX-512", processOn(cpu.IceLake, "avx512"), "x1_shani", "x1_shani x1_avx2 x1_avx x1_ssse3 x2_shani x4_shani x4_avx x4_ssse3 x8_avx2"},
		{"Ice Lake without SHA", processOn(cpu.IceLake, "shani"), "x1_avx2", "x1_avx2 x1_avx x1_ssse3 x4_avx x4_ssse3 x8_avx2 x8_avx512 x16_avx512 x32_avx512"},
		{"Zen 5 without x1_shani", processOn(cpu.Zen5, "x1_shani", "avx512"), "x1_avx2", "x1_avx2 x1_avx x1_ssse3 x2_shani x4_shani x4_avx x4_ssse3 x8_avx2"},
		{"Zen 5 without all that it has costs of", processOn(cpu.Zen5, "x1_shani", "avx2", "avx", "ssse3"), "x1_avx512shani", "x1_avx512shani x2_avx512shani x2_shani x4_shani x8_avx512 x16_avx512 x32_avx512"},
		{"Haswell", processOn(cpu.AVX2Only), "x1_avx2", "all"},
		{"Haswell without BMI2", with(processOn(cpu.AVX2Only), func(p *Process) { p.Usable &^= cpu.BMI2 }), "x1_avx", "all"},
		{"Nehalem", with(processOn(cpu.Older), func(p *Process) { p.Usable = cpu.SSSE3 }), "x1_ssse3", "x1_ssse3 x4_ssse3"},
		{"K8", with(processOn(cpu.Older), func(p *Process) { p.Usable = 0 }), "generic", ""},
		{"arm64", arm, "x1_sha2", "all"},
		{"arm64 without SHA2", processOn(cpu.ArmSHA2, "sha2"), "generic", "x4_neon"},
		{"all disabled", processOn(cpu.Zen5, instructionSets...), "generic", ""},
		{"purego", with(x86, func(p *Process) { p.Purego = true }), "generic", ""},
		{"purego, no kernels", Process{Arch: "s390x", Purego: true}, "generic", ""},
		{"no kernels", Process{Arch: "s390x"}, "x1_std", ""},
		{"FIPS 140-3", with(x86, func(p *Process) { p.FIPS = true }), "x1_std", ""},
		{"FIPS 140-3, all disabled", with(processOn(cpu.Zen5, instructionSets...), func(p *Process) { p.FIPS = true }), "x1_std", ""},
	} {
		s := tt.process.Selection()
		var got, all []string
		for _, k := range tt.process.kernels() {
			if k.Operation != block.StreamOp || !tt.process.Usable.Has(k.Needs) {
				continue
			}
			all = append(all, k.Name)
			if s.Allows(k) {
				got = append(got, k.Name)
			}
		}
		want := strings.Fields(tt.enabled)
		if tt.enabled == "all" {
			want = all
		}
		if s.Single != tt.single || !slices.Equal(got, want) {
			t.Errorf("%s: %s and %q, want %s and %q", tt.name, s.Single, got, tt.single, want)
		}
		NewStreams(RowOf(tt.process.Microarch), tt.process.enabled(s), s.Single) // panics without a candidate of one lane
	}
}

func TestParseDisable(t *testing.T) {
	for _, tt := range []struct {
		in             string
		known, unknown []string
	}{
		{"", nil, nil},
		{",, ,", nil, nil},
		{"avx2", []string{"avx2"}, nil},
		{"ssse3,avx,avx2,shani,avx512,sha2,neon", []string{"ssse3", "avx", "avx2", "shani", "avx512", "sha2", "neon"}, nil},
		{" shani , x8_avx2\t", []string{"shani", "x8_avx2"}, nil},
		{"x4_neon,x1_shani", []string{"x4_neon", "x1_shani"}, nil}, // of two architectures
		{"AVX2", nil, []string{"AVX2"}},
		{"avx3,shani,x9_avx2", []string{"shani"}, []string{"avx3", "x9_avx2"}},
		{"avx;shani", nil, []string{"avx;shani"}},
		{"generic,x1_std", nil, []string{"generic", "x1_std"}}, // they cannot be disabled
	} {
		known, unknown := ParseDisable(tt.in)
		if !slices.Equal(known, tt.known) || !slices.Equal(unknown, tt.unknown) {
			t.Errorf("%q: known %q and unknown %q, want %q and %q", tt.in, known, unknown, tt.known, tt.unknown)
		}
	}
}

func TestDisableMatchesWholeWords(t *testing.T) {
	for _, tt := range []struct{ word, kernel string }{
		{"avx", "x4_avx"}, {"avx2", "x8_avx2"}, {"avx512", "x32_avx512"},
		{"shani", "x1_shani"}, {"shani", "node_x4_shani"}, {"sha2", "x1_sha2"},
		{"avx512", "x2_avx512shani"}, {"shani", "node_x2_avx512shani"},
		{"x4_shani", "x4_shani"}, {"node_x4_shani", "node_x4_shani"},
	} {
		for _, k := range block.Catalog() {
			isa := k.Name[strings.LastIndexByte(k.Name, '_')+1:]
			want := k.Name == tt.word || isa == tt.word ||
				isa == "avx512shani" && (tt.word == "avx512" || tt.word == "shani")
			if k.Name == tt.kernel && !want {
				t.Fatalf("the table is wrong about %s and %s", tt.word, tt.kernel)
			}
			if got := isDisabled(k, []string{tt.word}); got != want {
				t.Errorf("%s disables %s: %v, want %v", tt.word, k.Name, got, want)
			}
		}
	}
}

// TestWords tests that SHA256SIMD_DISABLE knows the instruction sets of all
// kernels, and no others.
func TestWords(t *testing.T) {
	var used []string
	for _, k := range block.Catalog() {
		used = append(used, k.InstructionSets()...)
	}
	for _, isa := range instructionSets {
		if !slices.Contains(used, isa) {
			t.Errorf("no kernel is disabled by %s", isa)
		}
	}
	for _, isa := range used {
		if !slices.Contains(instructionSets, isa) {
			t.Errorf("SHA256SIMD_DISABLE does not know %s", isa)
		}
	}
}
