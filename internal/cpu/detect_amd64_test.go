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
	line := regexp.MustCompile(`(?m)^flags\s*: (.*)`).FindStringSubmatch(string(info))
	if line == nil {
		t.Skipf("this system does not say what the CPU can do: %v", err)
	}
	has := func(flag string) bool { return slices.Contains(strings.Fields(line[1]), flag) }
	x := cpu.X86
	if has("avx2") != x.HasAVX2 || has("avx512f") != x.HasAVX512F || has("aes") != x.HasAES {
		t.Skip("this CPU is emulated: Linux describes another one")
	}
	features := detect().Features
	if want := has("sha_ni"); features.Has(SHA) != want {
		t.Errorf("SHA: %v, want %v", !want, want)
	}
	// Before version 5.11, Linux does not know AVX512FP16.
	if has("avx512_fp16") && !features.Has(AVX512FP16) {
		t.Error("AVX512FP16 was not detected")
	}
}
