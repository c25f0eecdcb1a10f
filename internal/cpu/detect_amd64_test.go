package cpu

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
)

// TestDetect compares with another library's view of this CPU. It knows neither SHA nor
// AVX512FP16, nor vendors and models.
func TestDetect(t *testing.T) {
	x := cpu.X86
	got := detect()
	for _, tt := range []struct {
		feature Features
		want    bool
	}{
		{SSSE3, x.HasSSSE3}, {AVX, x.HasAVX}, {AVX2, x.HasAVX2}, {BMI2, x.HasBMI2},
		{AVX512F, x.HasAVX512F}, {AVX512BW, x.HasAVX512BW}, {AVX512VL, x.HasAVX512VL},
	} {
		if got.Features.Has(tt.feature) != tt.want {
			t.Errorf("%v: %v, want %v", tt.feature, !tt.want, tt.want)
		}
	}
}

// TestDetectAsLinux compares with Linux' view of this CPU.
func TestDetectAsLinux(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	flags := regexp.MustCompile(`(?m)^flags\s*: (.*)`).FindStringSubmatch(string(info))
	if flags == nil {
		t.Skipf("this system does not say what the CPU can do: %v", err)
	}
	got := detect()
	for _, tt := range []struct {
		feature Features
		flag    string
	}{
		{SSSE3, "ssse3"}, {AVX, "avx"}, {AVX2, "avx2"}, {BMI2, "bmi2"}, {SHA, "sha_ni"},
		{AVX512F, "avx512f"}, {AVX512BW, "avx512bw"}, {AVX512VL, "avx512vl"}, {AVX512FP16, "avx512_fp16"},
	} {
		if want := slices.Contains(strings.Fields(flags[1]), tt.flag); got.Features.Has(tt.feature) != want {
			t.Errorf("%v: %v, want %v", tt.feature, !want, want)
		}
	}
}
