//go:build !purego

package block

import (
	"crypto/fips140"
	"runtime"
	"testing"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/cpu"
)

// TestSelection derives what must be supported and selected from another
// library's view of this CPU.
func TestSelection(t *testing.T) {
	x := cpu.X86
	has := map[string]bool{
		"ssse3":  x.HasSSSE3,
		"avx":    x.HasAVX,
		"avx2":   x.HasAVX2,
		"avx512": x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VL && runtime.GOOS != "darwin",
		// x/sys does not know SHA.
		"shani": cpuid.CPU.Supports(cpuid.SHA) && x.HasSSSE3 && x.HasSSE41,
	}
	for _, tg := range toggles() {
		want := true
		for _, isa := range InstructionSets(tg.name) {
			want = want && has[isa]
		}
		if tg.name == "x1_avx2" {
			want = want && x.HasBMI2
		}
		if tg.supported != want {
			t.Errorf("%s: supported %v, want %v", tg.name, tg.supported, want)
		}
	}
	if len(disabled) > 0 || fips140.Enabled() {
		t.Skip("this process does not select by the CPU alone")
	}
	want := "generic"
	for _, single := range []struct {
		name      string
		supported bool
	}{
		{"x1_avx512shani", has["avx512"] && has["shani"] && hasSlowSchedule},
		{"x1_shani", has["shani"]},
		{"x1_avx2", has["avx2"] && x.HasBMI2},
		{"x1_avx", has["avx"]},
		{"x1_ssse3", has["ssse3"]},
	} {
		if single.supported {
			want = single.name
			break
		}
	}
	if got := Single(); got != want {
		t.Errorf("one stream is compressed by %s, want %s", got, want)
	}
}
