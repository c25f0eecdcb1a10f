package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/checklist"
)

// Missing files are found elsewhere in the order of the list, each once, by what they
// should be.
func TestMissingFiles(t *testing.T) {
	var m missingFiles
	of := func(c byte) digest { return digestOf([]byte{31: c}) }
	at := func(c byte) (d digest) { return digestOf([]byte{0: c, 31: 0}) }
	for i, d := range []digest{at(2), at(1), at(2), at(3), at(2)} {
		m.add(fmt.Sprint("f", i), d)
	}
	for _, test := range []struct {
		of   digest
		want string
	}{
		{at(2), "f0"}, {at(9), ""}, {at(0), ""}, {at(2), "f2"}, {at(1), "f1"}, {at(1), ""},
		{at(2), "f4"}, {at(2), ""}, {at(3), "f3"}, {at(3), ""}, {of(1), ""},
	} {
		if name, found := m.take(test.of); name != test.want || found != (test.want != "") {
			t.Errorf("%q, %v; want %q", name, found, test.want)
		}
	}
	for name := range m.lost() {
		t.Errorf("%q is left", name)
	}
	var none missingFiles
	if name, found := none.take(at(1)); found {
		t.Errorf("%q of no files", name)
	}
}

// Names of any length are kept whole, in the order of the list, and the empty one too.
func TestNamesOfMissingFiles(t *testing.T) {
	var m missingFiles
	var want []string
	for i := range 3000 {
		length := i % 200
		if i%500 == 0 {
			length = checklist.MaxLine - 66 - i
		}
		name := strings.Repeat(string(rune('a'+i%26)), length)
		m.add(name, digestOf([]byte{byte(i >> 8), byte(i), 31: 0}))
		if i%7 != 3 {
			want = append(want, name)
		}
	}
	for i := 3; i < 3000; i += 7 {
		if _, found := m.take(digestOf([]byte{byte(i >> 8), byte(i), 31: 0})); !found {
			t.Fatalf("file %d is not found", i)
		}
	}
	got := slices.Collect(m.lost())
	if !slices.Equal(got, want) {
		t.Errorf("%d names, not the %d that are left", len(got), len(want))
	}
}
