package block

import (
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// TestCatalog ties the list of all kernels to this build's, and names to what
// they stand for.
func TestCatalog(t *testing.T) {
	form := regexp.MustCompile(`^(?:node_|search_|chain_|wots_)?x([0-9]+)_[a-z0-9]+$`)
	var here []Spec
	seen := map[string]bool{}
	for _, s := range Catalog() {
		if parts := form.FindStringSubmatch(s.Name); parts == nil || parts[1] != strconv.Itoa(s.Lanes) {
			t.Errorf("%s has %d lanes", s.Name, s.Lanes)
		}
		if seen[s.Name] {
			t.Errorf("%s is there twice", s.Name)
		}
		seen[s.Name] = true
		if s.Arch == runtime.GOARCH {
			here = append(here, s)
		}
	}
	var registry []Spec
	for _, h := range headers {
		registry = append(registry, h.Spec)
	}
	if len(registry) > 0 && !slices.Equal(registry, here) { // but with purego
		t.Errorf("the registry has %v, the catalog %v", registry, here)
	}
}

// TestNeeds says which kernels CPUs can run, under an operating system. What a
// kernel needs was derived from its instructions: TestInstructionSets.
func TestNeeds(t *testing.T) {
	const (
		ssse3  = cpu.SSSE3
		avx    = ssse3 | cpu.AVX
		avx2   = avx | cpu.AVX2 | cpu.BMI2
		shani  = avx2 | cpu.SHA
		avx512 = avx2 | cpu.AVX512
	)
	const (
		ofNone     = "search_x4_ssse3" // SSE2
		ofSSSE3    = " x1_ssse3 x4_ssse3"
		ofAVX      = " x1_avx x4_avx search_x4_avx"
		ofAVX2     = " x8_avx2 node_x8_avx2 search_x8_avx2 chain_x8_avx2"
		ofSHA      = " x1_shani x2_shani x4_shani node_x1_shani node_x2_shani node_x4_shani search_x4_shani chain_x1_shani chain_x2_shani chain_x4_shani wots_x4_shani"
		ofAVX512   = " x8_avx512 x16_avx512 x32_avx512 node_x8_avx512 node_x16_avx512 node_x32_avx512"
		ofAVX512F  = " search_x32_avx512 chain_x16_avx512 chain_x32_avx512"
		ofAVX512VL = " chain_x8_avx512"
		ofBoth     = " x1_avx512shani x2_avx512shani node_x2_avx512shani"
		throughAVX = ofNone + ofSSSE3 + ofAVX
	)
	for _, tt := range []struct {
		name     string
		arch     string
		goos     string
		features cpu.Features
		want     string
	}{
		{"K8", "amd64", "linux", 0, ofNone},
		{"Nehalem", "amd64", "linux", ssse3, ofNone + ofSSSE3},
		{"Goldmont", "amd64", "linux", ssse3 | cpu.SHA, ofNone + ofSSSE3 + ofSHA},
		{"Sandy Bridge", "amd64", "linux", avx, throughAVX},
		{"Haswell", "amd64", "linux", avx2, throughAVX + ofAVX2 + " x1_avx2"},
		{"Haswell without BMI2", "amd64", "linux", avx2 &^ cpu.BMI2, throughAVX + ofAVX2},
		{"Zen", "amd64", "windows", shani, throughAVX + ofAVX2 + " x1_avx2" + ofSHA},
		{"Skylake-X", "amd64", "linux", avx512, throughAVX + ofAVX2 + " x1_avx2" + ofAVX512 + ofAVX512F + ofAVX512VL},
		{"Knights Landing", "amd64", "linux", avx2 | cpu.AVX512F, throughAVX + ofAVX2 + " x1_avx2" + ofAVX512F},
		{"AVX-512 without VL", "amd64", "linux", avx512 &^ cpu.AVX512VL, throughAVX + ofAVX2 + " x1_avx2" + ofAVX512F},
		{"AVX-512 without BW", "amd64", "linux", avx512 &^ cpu.AVX512BW, throughAVX + ofAVX2 + " x1_avx2" + ofAVX512F + ofAVX512VL},
		{"Ice Lake", "amd64", "linux", avx512 | cpu.SHA, throughAVX + ofAVX2 + " x1_avx2" + ofSHA + ofAVX512 + ofAVX512F + ofAVX512VL + ofBoth},
		{"Ice Lake, macOS", "amd64", "darwin", avx512 | cpu.SHA, throughAVX + ofAVX2 + " x1_avx2" + ofSHA},
		{"Raspberry Pi 4", "arm64", "linux", 0, "x4_neon node_x4_neon"},
		{"Apple M1", "arm64", "darwin", cpu.SHA2 | cpu.LSE, "x4_neon node_x4_neon x1_sha2 x2_sha2 x4_sha2 node_x1_sha2 node_x2_sha2 node_x4_sha2 search_x4_sha2 chain_x1_sha2 chain_x2_sha2 chain_x4_sha2"},
		{"z15", "s390x", "linux", 0, ""},
	} {
		var got []string
		for _, s := range Catalog() {
			if s.Arch == tt.arch && (cpu.CPU{Features: tt.features}).Usable(tt.goos).Has(s.Needs) {
				got = append(got, s.Name)
			}
		}
		want := strings.Fields(tt.want)
		for _, name := range got {
			if !slices.Contains(want, name) {
				t.Errorf("%s runs %s, which is not listed here", tt.name, name)
			}
		}
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("%s does not run %s", tt.name, name)
			}
		}
	}
	for _, h := range current().headers {
		if h.Supported != cpu.Usable().Has(h.Needs) {
			t.Errorf("%s needs %v: supported %v with %v", h.Name, h.Needs, h.Supported, cpu.Usable())
		}
	}
}

// TestNamesSayWhatIsNeeded compares what a kernel needs with the instruction sets in its name:
// whoever disables an instruction set disables all kernels that use it.
func TestNamesSayWhatIsNeeded(t *testing.T) {
	const (
		avx2   = cpu.SSSE3 | cpu.AVX | cpu.AVX2 | cpu.BMI2
		avx512 = avx2 | cpu.AVX512
	)
	uses := map[string]cpu.Features{
		"ssse3": cpu.SSSE3, "avx": cpu.SSSE3 | cpu.AVX, "avx2": avx2, "shani": cpu.SSSE3 | cpu.SHA, "avx512": avx512,
		"sha2": cpu.SHA2, "neon": 0,
	}
	for _, s := range Catalog() {
		var named cpu.Features
		for _, word := range s.InstructionSets() {
			features, ok := uses[word]
			if !ok {
				t.Errorf("%s: what is %s?", s.Name, word)
			}
			named |= features
		}
		if s.Needs&^named != 0 {
			t.Errorf("%s needs %v, which its name does not say", s.Name, s.Needs&^named)
		}
	}
}

func TestKernelOrderAndBounds(t *testing.T) {
	lanes := 1
	for _, k := range Kernels() {
		if k.Lanes < lanes {
			t.Errorf("%s comes after a kernel of %d lanes", k.Name, lanes)
		}
		lanes = k.Lanes
		if k.Lanes > MaxLanes {
			t.Errorf("%s has more than %d lanes", k.Name, MaxLanes)
		}
		if k.Max < 1 || k.Max > 1024 {
			t.Errorf("%s: one call may take %d blocks of each stream", k.Name, k.Max)
		}
	}
}

// enabledNames returns the kernels in use, of all operations.
func enabledNames() []string {
	var names []string
	for _, s := range Enabled() {
		names = append(names, s.Name)
	}
	return names
}

func TestForce(t *testing.T) {
	before, single := enabledNames(), Single()
	for _, s := range subjects() {
		restore, ok := Force(s.name)
		if ok != s.supported {
			t.Errorf("Force(%s) = %v, want %v", s.name, ok, s.supported)
		}
		if ok {
			var want []string
			wantSingle := "generic"
			if s.name == "x1_std" || strings.HasPrefix(s.name, "x1_") {
				wantSingle = s.name
			}
			if s.name != "generic" && s.name != "x1_std" {
				want = []string{s.name}
			}
			if got := enabledNames(); !slices.Equal(got, want) {
				t.Errorf("Force(%s) enables %q", s.name, got)
			}
			if got := Single(); got != wantSingle {
				t.Errorf("Force(%s): one stream is compressed by %s", s.name, got)
			}
		}
		restore()
		if got := enabledNames(); !slices.Equal(got, before) || Single() != single {
			t.Fatalf("after Force(%s) and restore: %q and %s, before: %q and %s", s.name, got, Single(), before, single)
		}
	}
	for _, name := range []string{"", "x9_none", "avx2", "X1_SHANI"} {
		if restore, ok := Force(name); ok {
			restore()
			t.Errorf("Force(%q) succeeds", name)
		}
		if got := enabledNames(); !slices.Equal(got, before) {
			t.Errorf("a failing Force(%q) leaves %q enabled", name, got)
		}
	}
}

func TestSelectKernelsRefuses(t *testing.T) {
	was := current().Selection
	defer selectKernels(was)
	all := func(Spec) bool { return true }
	before := enabledNames()
	for _, s := range []Selection{{}, {Single: "x9_none", Allowed: all}, {Single: "x1_shani"}, {Single: "x4_avx", Allowed: all}, {Single: "node_x1_shani", Allowed: all}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s can be selected", s.Single)
				}
			}()
			selectKernels(s)
		}()
		if got := enabledNames(); !slices.Equal(got, before) || Single() != was.Single {
			t.Errorf("refusing %s leaves %s and %q", s.Single, Single(), got)
		}
	}
}

func TestKernelsReturnsACopy(t *testing.T) {
	if len(headers) == 0 {
		t.Skip("no kernels on this architecture")
	}
	Kernels()[0].Name, Catalog()[0].Name = "changed", "changed"
	if Kernels()[0].Name == "changed" || catalog[0].Name == "changed" {
		t.Error("a caller can change the registry")
	}
}
