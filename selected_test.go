package sha256_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// describe puts info on one line, which continuous integration looks at on
// emulated CPUs.
func describe(info sha256.Info) string {
	return fmt.Sprintf("selected single=%s many=%s lanes=%d features=%s ignored=%s", info.Single, info.Many, info.Lanes,
		strings.Join(info.Features, ","), strings.Join(info.Ignored, ","))
}

func TestSelected(t *testing.T) {
	info := sha256.Selected()
	fmt.Println(describe(info))
	if info.Single != block.Single() {
		t.Errorf("Single is %s, blocks are compressed by %s", info.Single, block.Single())
	}
	if info.Lanes == 1 && info.Many != info.Single {
		t.Errorf("one lane, but Single is %s and Many %s", info.Single, info.Many)
	}
	for _, k := range block.Kernels() {
		for _, isa := range k.InstructionSets() {
			if k.Supported && !slices.Contains(info.Features, isa) {
				t.Errorf("%s is supported, but Features are %q", k.Name, info.Features)
			}
		}
		if k.Name == info.Many && (k.Lanes != info.Lanes || !k.Enabled) {
			t.Errorf("%s: %d lanes, enabled %v; Lanes is %d", k.Name, k.Lanes, k.Enabled, info.Lanes)
		}
	}
}

// TestSelectedWhenForced tests that what is forced by name is what runs: other
// tests rely on it.
func TestSelectedWhenForced(t *testing.T) {
	features := sha256.Selected().Features
	for _, name := range hashtest.Implementations(block.MaxLanes) {
		restore, ok := block.Force(name)
		if !ok {
			continue
		}
		info := sha256.Selected()
		restore()
		want := sha256.Info{Single: "generic", Many: name, Lanes: 1, Features: features, Ignored: info.Ignored}
		for _, k := range block.Kernels() {
			if k.Name == name {
				want.Lanes = k.Lanes
			}
		}
		if want.Lanes == 1 {
			want.Single = name
		}
		if describe(info) != describe(want) {
			t.Errorf("forcing %s:\n%s, want\n%s", name, describe(info), describe(want))
		}
	}
}

// TestEnvironment runs this test binary in environments that disable kernels or
// demand FIPS 140-3 mode.
func TestEnvironment(t *testing.T) {
	if hashtest.BoringCrypto {
		if got := describe(sha256.Selected()); !strings.Contains(got, "single=x1_std many=x1_std lanes=1") {
			t.Errorf("with BoringCrypto: %s", got)
		}
		t.Skip("BoringCrypto does the work in each environment")
	}
	var isas, kernels []string
	for _, k := range block.Kernels() {
		for _, isa := range k.InstructionSets() {
			if !slices.Contains(isas, isa) {
				isas = append(isas, isa)
			}
		}
		kernels = append(kernels, k.Name)
	}
	plain := selectedIn(t)
	all := strings.Join(isas, ",")

	t.Run("FIPS 140-3", func(t *testing.T) {
		got := selectedIn(t, "GODEBUG=fips140=on")
		want := fmt.Sprintf("selected single=x1_std many=x1_std lanes=1 features=%s ignored=", field(t, plain, "features"))
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	t.Run("all disabled", func(t *testing.T) {
		for _, disable := range []string{all, strings.Join(kernels, ",")} {
			got := selectedIn(t, "SHA256SIMD_DISABLE="+disable)
			if single := field(t, got, "single"); len(kernels) > 0 && single != "generic" {
				t.Errorf("disabling %s: %s", disable, got)
			}
			if field(t, got, "lanes") != "1" || field(t, got, "ignored") != "" {
				t.Errorf("disabling %s: %s", disable, got)
			}
			if got, want := field(t, got, "features"), field(t, plain, "features"); got != want {
				t.Errorf("disabling %s: features %s, want %s", disable, got, want)
			}
		}
	})
	t.Run("each disabled", func(t *testing.T) {
		for _, word := range append(isas, kernels...) {
			got := selectedIn(t, "SHA256SIMD_DISABLE="+word)
			for _, use := range []string{"single", "many"} {
				if name := field(t, got, use); name == word || strings.HasSuffix(name, "_"+word) {
					t.Errorf("disabling %s: %s", word, got)
				}
			}
		}
	})
	t.Run("ignored words", func(t *testing.T) {
		got := selectedIn(t, "SHA256SIMD_DISABLE= avx3, ,AVX2,x9_avx2,neon,sha2,x4_neon,shani")
		if want := "avx3,AVX2,x9_avx2"; field(t, got, "ignored") != want {
			t.Errorf("ignored words %s, want %s", field(t, got, "ignored"), want)
		}
	})
}

// selectedIn returns what TestSelected prints in another process, outside of FIPS
// 140-3 mode unless env demands it: builds with GOFIPS140 would be in it.
func selectedIn(t *testing.T, env ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Skipf("finding the test binary: %v", err)
	}
	cmd := exec.Command(self, "-test.run=^TestSelected$")
	cmd.Env = append(append(os.Environ(), "SHA256SIMD_DISABLE=", "GODEBUG=fips140=off"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil && (strings.Contains(err.Error(), "exec format error") || errors.Is(err, errors.ErrUnsupported)) {
		t.Skipf("running the test binary: %v", err) // an emulator runs this one
	}
	if strings.Contains(string(out), "fips140: FIPS 140-3 mode is incompatible with") {
		t.Skipf("this build has no FIPS 140-3 mode")
	}
	if err != nil {
		t.Fatalf("%v with %q: %v\n%s", cmd, env, err, out)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}

// field returns the value of a field of describe's.
func field(t *testing.T, line, name string) string {
	t.Helper()
	for f := range strings.FieldsSeq(line) {
		if value, ok := strings.CutPrefix(f, name+"="); ok {
			return value
		}
	}
	t.Fatalf("no field %s in %q", name, line)
	return ""
}
