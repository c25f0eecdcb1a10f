package main

import (
	"slices"
	"testing"
)

func TestKernels(t *testing.T) {
	for _, tt := range []struct {
		arch       string
		extensions []string
		others     bool
		has, lacks string
		err        string
	}{
		{"amd64", []string{"SSSE3", "AVX"}, false, "x4_avx", "x8_avx2", ""},
		{"amd64", []string{"FPU", "SSSE3", "AVX"}, true, "x4_avx", "x8_avx2", ""},
		{"amd64", nil, false, "", "x4_ssse3", ""},
		{"arm64", nil, false, "x4_neon", "x4_sha2", ""},
		{"arm64", []string{"SHA2"}, false, "x4_sha2", "x4_ssse3", ""},
		{"amd65", []string{"SSSE3"}, true, "", "", `no kernel is for "amd65", only for amd64, arm64`},
		{"arm64", []string{"SHA"}, false, "", "", `no kernel of arm64 needs "SHA", only SHA2`},
		{"amd64", []string{"SSSE3", "AVX", "BMI"}, false, "", "",
			`no kernel of amd64 needs "BMI", only AVX, AVX2, AVX512BW, AVX512F, AVX512VL, BMI2, SHA, SSSE3`},
	} {
		got, err := kernels(tt.arch, tt.extensions, tt.others)
		if (err != nil || tt.err != "") && (err == nil || err.Error() != tt.err) {
			t.Errorf("%s %v: error %v, want %q", tt.arch, tt.extensions, err, tt.err)
		}
		if tt.has != "" && !slices.Contains(got, tt.has) || slices.Contains(got, tt.lacks) {
			t.Errorf("%s %v: %v, want %q and not %q", tt.arch, tt.extensions, got, tt.has, tt.lacks)
		}
	}
}
