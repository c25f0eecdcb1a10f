package lanes

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

func TestSelection(t *testing.T) {
	x86, arm := processOn(cpu.Zen5), processOn(cpu.ArmSHA2)
	with := func(p process, change func(*process)) process {
		change(&p)
		return p
	}
	for _, tt := range []struct {
		name    string
		process process
		single  string
		enabled string // of streams: "all" that it can run, or these
	}{
		{"Zen 5", x86, "x1_shani", "all"},
		{"Zen 4", processOn(cpu.Zen4), "x1_shani", "all"},
		{"Ice Lake", processOn(cpu.IceLake), "x1_avx512shani", "all"},
		{"Ice Lake without AVX-512", processOn(cpu.IceLake, "avx512"), "x1_shani", "x1_shani x1_avx2 x1_avx x1_ssse3 x2_shani x4_shani x4_avx x4_ssse3 x8_avx2"},
		{"Ice Lake without SHA", processOn(cpu.IceLake, "shani"), "x1_avx2", "x1_avx2 x1_avx x1_ssse3 x4_avx x4_ssse3 x8_avx2 x16_avx512 x32_avx512"},
		{"Zen 5 without x1_shani", processOn(cpu.Zen5, "x1_shani", "avx512"), "x1_avx2", "x1_avx2 x1_avx x1_ssse3 x2_shani x4_shani x4_avx x4_ssse3 x8_avx2"},
		{"Zen 5 without all that it has costs of", processOn(cpu.Zen5, "x1_shani", "avx2", "avx", "ssse3"), "x1_avx512shani", "x1_avx512shani x2_avx512shani x2_shani x4_shani x16_avx512 x32_avx512"},
		{"Haswell", processOn(cpu.AVX2Only), "x1_avx2", "all"},
		{"Haswell without BMI2", with(processOn(cpu.AVX2Only), func(p *process) { p.usable &^= cpu.BMI2 }), "x1_avx", "all"},
		{"Nehalem", with(processOn(cpu.Older), func(p *process) { p.usable = cpu.SSSE3 }), "x1_ssse3", "x1_ssse3 x4_ssse3"},
		{"K8", with(processOn(cpu.Older), func(p *process) { p.usable = 0 }), "generic", ""},
		{"arm64", arm, "x1_sha2", "all"},
		{"arm64 without SHA2", processOn(cpu.ArmSHA2, "sha2"), "generic", "x4_neon"},
		{"all disabled", processOn(cpu.Zen5, isas...), "generic", ""},
		{"purego", with(x86, func(p *process) { p.purego = true }), "generic", ""},
		{"purego, no kernels", process{arch: "s390x", purego: true}, "generic", ""},
		{"no kernels", process{arch: "s390x"}, "x1_std", ""},
		{"FIPS 140-3", with(x86, func(p *process) { p.fips = true }), "x1_std", ""},
		{"FIPS 140-3, all disabled", with(processOn(cpu.Zen5, isas...), func(p *process) { p.fips = true }), "x1_std", ""},
	} {
		s := tt.process.selection()
		var got, all []string
		for _, k := range tt.process.streams(s) {
			all = append(all, k.Name)
			if k.Enabled {
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
		if single := tt.process.streams(s); len(single) > 0 {
			newPlan(rowOf(tt.process.microarch), single, s.Single) // panics without a candidate of one lane
		}
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
		known, unknown := parseDisable(tt.in)
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
	for _, isa := range isas {
		if !slices.Contains(used, isa) {
			t.Errorf("no kernel is disabled by %s", isa)
		}
	}
	for _, isa := range used {
		if !slices.Contains(isas, isa) {
			t.Errorf("SHA256SIMD_DISABLE does not know %s", isa)
		}
	}
}

func TestFeaturesAreThoseOfSupportedKernels(t *testing.T) {
	var want []string
	for _, isa := range isas {
		for _, k := range block.Kernels() {
			if k.Supported && strings.HasSuffix(k.Name, "_"+isa) && !slices.Contains(want, isa) {
				want = append(want, isa)
			}
		}
	}
	if got := Features(); !slices.Equal(got, want) {
		t.Errorf("Features() = %q, want %q", got, want)
	}
}

// TestThisProcess tests that what is in use here is what a process like this one
// has to use.
func TestThisProcess(t *testing.T) {
	p := process{arch: runtime.GOARCH, usable: cpu.Usable(), microarch: cpu.This(), purego: purego, disabled: disabled}
	s := p.selection()
	if block.UsesStd() {
		t.Skip("crypto/sha256 compresses")
	}
	if block.Single() != s.Single {
		t.Errorf("%s compresses one stream, want %s", block.Single(), s.Single)
	}
	for _, k := range block.Kernels() {
		if k.Supported != p.usable.Has(k.Needs) || k.Enabled != slices.Contains(s.Enabled, k.Name) {
			t.Errorf("%s: supported %v, enabled %v; the CPU has %v, selected are %q", k.Name, k.Supported, k.Enabled, p.usable, s.Enabled)
		}
	}
}
