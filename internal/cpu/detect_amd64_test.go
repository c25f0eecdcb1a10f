//go:build !purego

package cpu

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
)

// TestDetect compares with another library's view of this CPU. It knows neither SHA nor
// AVX512FP16, nor vendors and models.
func TestDetect(t *testing.T) {
	if strings.Contains(os.Getenv("GODEBUG"), "cpu.") {
		t.Skip("GODEBUG changes what the other library sees")
	}
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
	field := func(name string) string {
		line := regexp.MustCompile(`(?m)^` + name + `\s*: (.*)`).FindStringSubmatch(string(info))
		if line == nil {
			t.Skipf("this system does not say what the CPU can do: %v", err)
		}
		return line[1]
	}
	flags := strings.Fields(field("flags"))
	got := detect()
	has := func(flag string) bool { return slices.Contains(flags, flag) }
	x := cpu.X86
	if has("avx2") != x.HasAVX2 || has("avx512f") != x.HasAVX512F || has("aes") != x.HasAES || has("adx") != x.HasADX {
		t.Skip("this CPU is emulated: Linux describes another one")
	}
	for _, tt := range []struct {
		feature Features
		flag    string
	}{
		{SSSE3, "ssse3"}, {AVX, "avx"}, {AVX2, "avx2"}, {BMI2, "bmi2"}, {SHA, "sha_ni"},
		{AVX512F, "avx512f"}, {AVX512BW, "avx512bw"}, {AVX512VL, "avx512vl"},
	} {
		if got.Features.Has(tt.feature) != has(tt.flag) {
			t.Errorf("%v: %v, want %v", tt.feature, !has(tt.flag), has(tt.flag))
		}
	}
	// Before version 5.11, Linux does not know AVX512FP16.
	if has("avx512_fp16") && !got.Features.Has(AVX512FP16) {
		t.Error("AVX512FP16 was not detected")
	}
	if want := field("vendor_id"); got.Vendor != want {
		t.Errorf("vendor %q, want %q", got.Vendor, want)
	}
	if got, want := strconv.Itoa(got.Family), field("cpu family"); got != want {
		t.Errorf("family %s, want %s", got, want)
	}
	if got, want := strconv.Itoa(got.Model), field("model"); got != want {
		t.Errorf("model %s, want %s", got, want)
	}
}

// TestDecode has what CPUID and XCR0 say of real CPUs, and of CPUs whose registers the
// operating system does not save.
func TestDecode(t *testing.T) {
	const (
		ssse3, osxsave, avx = 1 << 9, 1 << 27, 1 << 28
		avx2, bmi2          = 1 << 5, 1 << 8
		avx512f, sha        = 1 << 16, 1 << 29
		avx512bw, avx512vl  = 1 << 30, 1 << 31
		allExt              = avx2 | bmi2 | avx512f | sha | avx512bw | avx512vl
		fp16                = 1 << 23
	)
	amd := [3]uint32{0x68747541, 0x69746e65, 0x444d4163}   // Auth enti cAMD
	intel := [3]uint32{0x756e6547, 0x49656e69, 0x6c65746e} // Genu ineI ntel
	for _, tt := range []struct {
		name                     string
		maxLeaf                  uint32
		vendor                   [3]uint32
		version, basic, ext, edx uint32
		xcr0                     uint32
		want                     CPU
	}{
		{"Granite Rapids", 0x24, intel, 0x000a06d1, ssse3 | osxsave | avx, allExt, fp16, 0x602e7,
			CPU{"amd64", "GenuineIntel", 6, 0xad, upToAVX2 | SHA | AVX512 | AVX512FP16}},
		{"Zen 5", 16, amd, 0x00b00f21, ssse3 | osxsave | avx, allExt, 0, 0x2e7,
			CPU{"amd64", "AuthenticAMD", 0x1a, 2, upToAVX2 | SHA | AVX512}},
		{"Zen 3", 16, amd, 0x00a00f11, ssse3 | osxsave | avx, avx2 | bmi2 | sha, 0, 7,
			CPU{"amd64", "AuthenticAMD", 0x19, 1, upToAVX2 | SHA}},
		{"Nehalem", 0xb, intel, 0x000106a5, ssse3, 0, 0, 0, CPU{"amd64", "GenuineIntel", 6, 0x1a, SSSE3}},
		{"K8: the model of family 15 is extended", 1, amd, 0x00020f51, 0, allExt, fp16, 0, CPU{"amd64", "AuthenticAMD", 15, 0x25, 0}},
		{"no leaf 1", 0, amd, 0x00b00f21, ssse3, allExt, fp16, 7, CPU{"amd64", "AuthenticAMD", 0, 0, 0}},
		{"leaf 6 is the last", 6, intel, 0x000106a5, ssse3 | osxsave | avx, allExt, fp16, 0xe7, CPU{"amd64", "GenuineIntel", 6, 0x1a, upToAVX}},
		{"leaf 7 is the last", 7, intel, 0x000106a5, ssse3 | osxsave | avx, avx2, 0, 0xe7, CPU{"amd64", "GenuineIntel", 6, 0x1a, upToAVX | AVX2}},
		{"family 5 has no extended model", 1, intel, 0x00010543, 0, 0, 0, 0, CPU{"amd64", "GenuineIntel", 5, 4, 0}},
		{"without OSXSAVE", 7, intel, 0x000806f8, ssse3 | avx, allExt, fp16, 0xe7, CPU{"amd64", "GenuineIntel", 6, 0x8f, SSSE3 | BMI2 | SHA}},
		{"xmm is not saved", 7, intel, 0x000806f8, ssse3 | osxsave | avx, allExt, fp16, 0xe5, CPU{"amd64", "GenuineIntel", 6, 0x8f, SSSE3 | BMI2 | SHA}},
		{"ymm is not saved", 7, intel, 0x000806f8, ssse3 | osxsave | avx, allExt, fp16, 0xe3, CPU{"amd64", "GenuineIntel", 6, 0x8f, SSSE3 | BMI2 | SHA}},
		{"opmask is not saved", 7, intel, 0x000806f8, ssse3 | osxsave | avx, allExt, fp16, 0xc7, CPU{"amd64", "GenuineIntel", 6, 0x8f, upToAVX2 | SHA}},
		{"upper zmm is not saved", 7, intel, 0x000806f8, ssse3 | osxsave | avx, allExt, fp16, 0xa7, CPU{"amd64", "GenuineIntel", 6, 0x8f, upToAVX2 | SHA}},
		{"zmm16 is not saved", 7, intel, 0x000806f8, ssse3 | osxsave | avx, allExt, fp16, 0x67, CPU{"amd64", "GenuineIntel", 6, 0x8f, upToAVX2 | SHA}},
	} {
		asked := map[uint32]int{}
		got := decode(func(leaf, subleaf uint32) (a, b, c, d uint32) {
			asked[leaf]++
			switch {
			case leaf == 0:
				return tt.maxLeaf, tt.vendor[0], tt.vendor[2], tt.vendor[1]
			case leaf > tt.maxLeaf || subleaf != 0:
				t.Errorf("%s: leaf %d.%d was asked for", tt.name, leaf, subleaf)
			case leaf == 1:
				return tt.version, 0, tt.basic, 0
			}
			return 0, tt.ext, 0, tt.edx
		}, func() uint32 {
			if tt.basic&osxsave == 0 {
				t.Errorf("%s: XCR0 was read without OSXSAVE", tt.name)
			}
			return tt.xcr0
		})
		if got != tt.want {
			t.Errorf("%s: %+v (%v), want %+v (%v)", tt.name, got, got.Features, tt.want, tt.want.Features)
		}
		for leaf, n := range asked {
			if n > 1 || len(asked) > 3 {
				t.Errorf("%s: leaf %d was asked for %d times, %d leaves in all", tt.name, leaf, n, len(asked))
			}
		}
	}
}

// TestDecodeEachBit clears each bit of the leaves in turn: a feature has one bit.
func TestDecodeEachBit(t *testing.T) {
	const all = upToAVX2 | SHA | AVX512 | AVX512FP16
	const osxsave = 27
	lost := map[[2]int]Features{ // by word and bit
		{0, 9}: SSSE3, {0, osxsave}: AVX | AVX2 | AVX512 | AVX512FP16, {0, 28}: AVX,
		{1, 5}: AVX2, {1, 8}: BMI2, {1, 29}: SHA, {1, 16}: AVX512F, {1, 30}: AVX512BW, {1, 31}: AVX512VL,
		{2, 23}: AVX512FP16,
	}
	for word := range 3 {
		for bit := range 32 {
			words := [3]uint32{^uint32(0), ^uint32(0), ^uint32(0)}
			words[word] &^= 1 << bit
			got := decode(func(leaf, _ uint32) (a, b, c, d uint32) {
				return 7, words[1], words[0], words[2]
			}, func() uint32 { return 0xe7 }).Features
			if want := all &^ lost[[2]int{word, bit}]; got != want {
				t.Errorf("without bit %d of word %d: %v, want %v", bit, word, got, want)
			}
		}
	}
}
