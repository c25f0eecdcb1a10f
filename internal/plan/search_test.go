package plan

import (
	"strings"
	"testing"
)

func TestSearch(t *testing.T) {
	for _, tt := range []struct {
		row            Row
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
		{zen3, "", "search_x4_shani"},
		{zen3, "shani", "search_x8_avx2"},
		{zen1, "", "search_x4_shani"},
		{armSHA2, "", "search_x4_sha2"},
		{armNEON, "", ""},
	} {
		p := processOn(tt.row.Microarch, strings.Fields(tt.disabled)...)
		got := Search(tt.row, p.enabled(p.selectionBy(tt.row)))
		if got != tt.want {
			t.Errorf("%s without %q: %q, want %q", tt.row.Microarch, tt.disabled, got, tt.want)
		}
	}
}
