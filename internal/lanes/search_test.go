package lanes

import (
	"strings"
	"testing"
)

func TestPreferredSearch(t *testing.T) {
	for _, tt := range []struct {
		row            row
		disabled, want string
	}{
		{zen5, "", "search_x32_avx512"},
		{zen5, "avx512", "search_x4_shani"},
		{zen5, "avx512 shani", "search_x8_avx2"},
		{zen5, "avx512 shani avx2", "search_x4_avx"},
		{zen5, "avx512 shani avx2 avx", "search_x4_ssse3"},
		{zen5, "avx512 shani avx2 avx ssse3", ""},
		{iceLake, "", "search_x32_avx512"},
		{iceLake, "avx512", "search_x8_avx2"},
		{iceLake, "avx512 avx2", "search_x4_shani"},
		// No costs of nonces: the kernel that stands first in the catalog.
		{zen4, "", "search_x32_avx512"},
		{zen1, "", "search_x4_shani"},
		{armSHA2, "", "search_x4_sha2"},
		{armNEON, "", ""},
	} {
		p := processOn(tt.row.microarch, strings.Fields(tt.disabled)...)
		got := ""
		if k := preferredSearch(tt.row, p.searches(p.selectionBy(tt.row))); k != nil {
			got = k.Name
		}
		if got != tt.want {
			t.Errorf("%s without %q: %q, want %q", tt.row.microarch, tt.disabled, got, tt.want)
		}
	}
}
