package block

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"
)

// TestLinkedKernels builds programs, and tests that they link the code of those kernels
// that they can run, and of no other.
func TestLinkedKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("programs are built only in a full run")
	}
	if len(headers) == 0 {
		t.Skip("this build has no kernels")
	}
	single := func(s Spec) bool { return s.Lanes == 1 && (s.Operation == StreamOp || s.Operation == NodeOp) }
	for _, tt := range []struct {
		program string
		links   func(Spec) bool
	}{
		{"sum256", single},
		{"summany", func(s Spec) bool { return single(s) || s.Operation == StreamOp || s.Operation == NodeOp }},
	} {
		t.Run(tt.program, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), tt.program)
			if out, err := exec.Command("go", "build", "-o", program, "./testdata/"+tt.program).CombinedOutput(); err != nil {
				t.Fatalf("building: %v\n%s", err, out)
			}
			symbols, err := exec.Command("go", "tool", "nm", program).Output()
			if err != nil {
				t.Fatalf("listing symbols: %v", err)
			}
			var got, want []string
			for _, m := range regexp.MustCompile(`/internal/block\.(\w+)\.abi0\n`).FindAllSubmatch(symbols, -1) {
				if name := string(m[1]); slices.ContainsFunc(catalog, func(s Spec) bool { return s.Name == name }) {
					got = append(got, name)
				}
			}
			for _, s := range catalog {
				if s.Arch == runtime.GOARCH && tt.links(s) {
					want = append(want, s.Name)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("links %q, want %q", got, want)
			}
		})
	}
}
