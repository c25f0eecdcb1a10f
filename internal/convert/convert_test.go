package convert_test

import (
	"slices"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/convert"
)

type id [32]byte

// TestResultsShareTheMemory converts lists of every kind there is, and writes to the
// results.
func TestResultsShareTheMemory(t *testing.T) {
	whole := make([]id, 5)
	for _, tt := range []struct {
		name string
		list []id
	}{
		{"all", whole},
		{"part", whole[1:3]},
		{"part without room", whole[1:3:3]},
		{"empty with room", whole[2:2]},
		{"empty", []id{}},
		{"nil", nil},
	} {
		plain := convert.Digests[[32]byte](tt.list)
		if len(plain) != len(tt.list) || cap(plain) != cap(tt.list) || (plain == nil) != (tt.list == nil) {
			t.Errorf("%s: length %d and capacity %d, want %d and %d; nil is %t", tt.name, len(plain), cap(plain), len(tt.list), cap(tt.list), plain == nil)
		}
		for i := range plain {
			plain[i][7]++
			if plain[i] != tt.list[i] {
				t.Errorf("%s: element %d has memory of its own", tt.name, i)
			}
		}
		mem := convert.Bytes(tt.list)
		if len(mem) != 32*len(tt.list) {
			t.Errorf("%s: %d bytes of %d digests", tt.name, len(mem), len(tt.list))
		}
		for i := range mem {
			mem[i]++
			if mem[i] != tt.list[i/32][i%32] {
				t.Errorf("%s: byte %d has memory of its own", tt.name, i)
			}
		}
		lists := convert.Lists[[32]byte]([][]id{nil, tt.list})
		if lists[0] != nil || !slices.Equal(lists[1], plain) || cap(lists[1]) != cap(plain) {
			t.Errorf("%s: list %x, want %x", tt.name, lists[1], plain)
		}
	}
	if convert.Lists[[32]byte]([][]id(nil)) != nil {
		t.Error("no lists are not nil")
	}
}
