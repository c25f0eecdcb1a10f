package plan

import (
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// TestListsOf tests which costs of lists hold with kernels disabled: those with AVX-512 hold only
// beside SHA extensions.
func TestListsOf(t *testing.T) {
	intel, zen3 := RowOf(cpu.IntelAVX512SHA), RowOf(cpu.Zen3)
	for _, tt := range []struct {
		row      Row
		disabled string
		want     *kindCosts
	}{
		{intel, "", intel.listsAVX512},
		{intel, "avx512", intel.lists},
		{intel, "shani", intel.lists},
		{intel, "avx512 shani", intel.lists},
		{zen3, "", &defaultLists},
	} {
		p := processOn(tt.row.Microarch, strings.Fields(tt.disabled)...)
		if got := tt.row.listsOf(p.enabled(p.selectionBy(tt.row))); got != tt.want {
			t.Errorf("%s without %q: other costs", tt.row.Microarch, tt.disabled)
		}
	}
}
