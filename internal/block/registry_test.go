package block

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestKernelNames(t *testing.T) {
	form := regexp.MustCompile(`^(?:node_|search_)?x([0-9]+)_([a-z0-9]+)$`)
	lanes := map[string]int{}
	for _, k := range Kernels() {
		lanes[k.Name] = k.Lanes
	}
	for _, k := range NodeKernels() {
		lanes[k.Name] = k.Lanes
	}
	for _, k := range SearchKernels() {
		lanes[k.Name] = k.Lanes
	}
	if len(lanes) != len(toggles()) {
		t.Errorf("%d kernels have %d names", len(toggles()), len(lanes))
	}
	for name, n := range lanes {
		parts := form.FindStringSubmatch(name)
		if parts == nil {
			t.Errorf("%s is not of the form lanes_isa", name)
			continue
		}
		if parts[1] != strconv.Itoa(n) {
			t.Errorf("%s has %d lanes", name, n)
		}
		for _, isa := range InstructionSets(name) {
			if !slices.Contains(isas, isa) {
				t.Errorf("%s: SHA256SIMD_DISABLE does not know %s", name, isa)
			}
		}
		if !slices.Contains(names, name) {
			t.Errorf("SHA256SIMD_DISABLE does not know %s", name)
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
		if k.MaxBlocks < 1 || k.MaxBlocks*Size > MaxStream {
			t.Errorf("%s: one call may take %d blocks of each stream", k.Name, k.MaxBlocks)
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
		{"generic,x1_std", nil, []string{"generic", "x1_std"}}, // they cannot be switched off
	} {
		known, unknown := parseDisable(tt.in)
		if !slices.Equal(known, tt.known) || !slices.Equal(unknown, tt.unknown) {
			t.Errorf("%q: known %q and unknown %q, want %q and %q", tt.in, known, unknown, tt.known, tt.unknown)
		}
	}
}

func TestDisableMatchesWholeWords(t *testing.T) {
	defer func(was []string) { disabled = was }(disabled)
	for _, tt := range []struct{ word, kernel string }{
		{"avx", "x4_avx"}, {"avx2", "x8_avx2"}, {"avx512", "x32_avx512"},
		{"shani", "x1_shani"}, {"shani", "node_x4_shani"}, {"sha2", "x1_sha2"},
		{"avx512", "x2_avx512shani"}, {"shani", "node_x2_avx512shani"},
		{"x4_shani", "x4_shani"}, {"node_x4_shani", "node_x4_shani"},
	} {
		disabled = []string{tt.word}
		for _, name := range names {
			isa := name[strings.LastIndexByte(name, '_')+1:]
			want := name == tt.word || isa == tt.word ||
				isa == "avx512shani" && (tt.word == "avx512" || tt.word == "shani")
			if name == tt.kernel && !want {
				t.Fatalf("the table is wrong about %s and %s", tt.word, tt.kernel)
			}
			if got := isDisabled(name); got != want {
				t.Errorf("%s disables %s: %v, want %v", tt.word, name, got, want)
			}
		}
	}
}

func TestFeaturesAreThoseOfSupportedKernels(t *testing.T) {
	var want []string
	for _, isa := range isas {
		for _, tg := range toggles() {
			if tg.supported && strings.HasSuffix(tg.name, "_"+isa) && !slices.Contains(want, isa) {
				want = append(want, isa)
			}
		}
	}
	if got := Features(); !slices.Equal(got, want) {
		t.Errorf("Features() = %q, want %q", got, want)
	}
}

// enabledNames returns the kernels in use, of all operations.
func enabledNames() []string {
	var names []string
	for _, tg := range toggles() {
		if *tg.enabled {
			names = append(names, tg.name)
		}
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

func TestKernelsReturnsACopy(t *testing.T) {
	if len(kernels) == 0 {
		t.Skip("no kernels on this architecture")
	}
	Kernels()[0].Name = "changed"
	if kernels[0].Name == "changed" {
		t.Error("a caller can change the registry")
	}
}
