//go:build unix

package names

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
)

// A file is in the set under each spelling that opens it, and under no other name.
func TestSpellings(t *testing.T) {
	dir := t.TempDir()
	ids := make([]file.ID, 2)
	for i := range ids {
		name := filepath.Join(dir, string(rune('a'+i)))
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		ids[i], _ = file.Identity(name, false)
	}
	for _, test := range []struct {
		listed, found string
		want          bool
	}{
		{"data/x", "data/x", true},
		{"data/x", "./data//x", true},
		{"data/x", "Data/X", true},
		{"data/\u00e9", "data/e\u0301", true},
		{"data/e\u0301", "data/\u00c9", true},
		{"\u03c3", "\u03c2", true},  // two small letters of one capital
		{"\u212b", "a\u030a", true}, // the sign of an \u00e5ngstr\u00f6m
		{"\u1e9b\u0323", "\u1e69", true},
		{"data/x", "data/y", false},
		{"a\u00b2", "a2", false},
		{"\ufb01", "fi", false},
		{"\uff21", "A", false},
		{"\u2460", "1", false},
		{"a\xff", "a\xfe", false},
		{"a\xff", "a\ufffd", false},
		{"a\xff", "A\xff", false},
		{"a\xff", "./a\xff", true},
		{"data/\u00e9", "data/e", false},
		{"data/x", "x", false},
	} {
		var s Set
		s.Add(test.listed)
		s.AddFile(test.listed, ids[0])
		s.Sort()
		if got := s.HasFile(test.found, ids[0]); got != test.want {
			t.Errorf("%q is listed: HasFile(%q) is %v", test.listed, test.found, got)
		}
		if s.HasFile(test.found, ids[1]) {
			t.Errorf("%q is listed: another file has the name %q", test.listed, test.found)
		}
	}
}

// A link is another file than the one that it leads to, unless it is followed.
func TestIdentityOfLinks(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", link); err != nil {
		t.Fatal(err)
	}
	for _, follow := range []bool{false, true} {
		a, ok := file.Identity(name, follow)
		b, ok2 := file.Identity(link, follow)
		if !ok || !ok2 || (a == b) != follow {
			t.Errorf("follow %v: %v, %v", follow, a, b)
		}
	}
	if _, ok := file.Identity(filepath.Join(dir, "none"), false); ok {
		t.Error("a file that is not there has an identity")
	}
}
