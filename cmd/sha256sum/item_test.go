package main

import (
	"fmt"
	"testing"
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
	for _, f := range m.files {
		if f.name != "" {
			t.Errorf("%q is left", f.name)
		}
	}
	var none missingFiles
	if name, found := none.take(at(1)); found {
		t.Errorf("%q of no files", name)
	}
}
