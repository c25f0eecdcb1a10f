package plan

import (
	"strings"
	"testing"
)

func TestWots(t *testing.T) {
	for _, tt := range []struct {
		row            Row
		disabled, want string
	}{
		{zen5, "", ""}, // 32 lanes of AVX-512
		{zen5, "avx512", "wots_x4_shani"},
		{zen5, "avx512 shani", ""},
		{zen4, "", "wots_x4_shani"},
		{zen3, "", "wots_x4_shani"},
		{armSHA2, "", ""},
	} {
		p := processOn(tt.row.Microarch, strings.Fields(tt.disabled)...)
		s := p.selectionBy(tt.row)
		if got := Wots(tt.row, p.enabled(s), s.Single); got != tt.want {
			t.Errorf("%s without %q: %q, want %q", tt.row.Microarch, tt.disabled, got, tt.want)
		}
	}
}
