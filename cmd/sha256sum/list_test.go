package main

import (
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd"
)

const abcHex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

var abcDigest = sha256.Sum256([]byte("abc"))

func TestLineParserReadsEveryFormat(t *testing.T) {
	for _, test := range []struct {
		line string
		name string
	}{
		{abcHex + "  name", "name"},
		{abcHex + " *name", "name"},
		{abcHex + "\t name", "name"},
		{strings.ToUpper(abcHex) + "  name", "name"},
		{" \t" + abcHex + "  name", "name"},
		{abcHex + "   name ", " name "},
		{abcHex + "  " + abcHex, abcHex},
		{abcHex + " name", "name"},
		{abcHex + " n", "n"},
		{abcHex + "  ", " "},
		{abcHex + " *", "*"},
		{`\` + abcHex + `  a\nb\rc\\d`, "a\nb\rc\\d"},
		{abcHex + `  a\nb`, `a\nb`},
		{abcHex + "  na\x00me", "na"},
		{"SHA256 (name) = " + abcHex, "name"},
		{"SHA256(name)= " + abcHex, "name"},
		{"SHA256 (name)\t=\t" + abcHex, "name"},
		{"SHA256 (a) = b) = " + abcHex, "a) = b"},
		{`\SHA256 (a\nb) = ` + abcHex, "a\nb"},
		{"SHA256 (name) = " + abcHex + "\x00more", "name"},
	} {
		name, digest, ok := new(lineParser).parse(test.line)
		if !ok || name != test.name || digest != abcDigest {
			t.Errorf("parse(%q) = %q, %x, %v; want %q", test.line, name, digest, ok, test.name)
		}
	}
}

func TestLineParserRefusesImproperLines(t *testing.T) {
	for _, line := range []string{
		"",
		"name",
		abcHex,
		abcHex + " ",
		abcHex + "name",
		abcHex[1:] + "  name",
		abcHex + "0  name",
		"g" + abcHex[1:] + "  name",
		`\` + abcHex + `  a\tb`,
		`\` + abcHex + `  a\`,
		`\` + abcHex + "  a\x00b",
		"SHA256",
		"SHA256 (",
		"SHA256 name = " + abcHex,
		"SHA256  (name) = " + abcHex,
		"SHA256 (name = " + abcHex,
		"SHA256 (name) " + abcHex,
		"SHA256 (name) = " + abcHex + "0",
		"SHA256 (name) = " + abcHex[1:],
		"SHA256 (name) = \x00" + abcHex,
		"SHA1 (name) = a9993e364706816aba3e25717850c26c9cd0d89d",
	} {
		if name, _, ok := new(lineParser).parse(line); ok {
			t.Errorf("parse(%q) = %q", line, name)
		}
	}
}

func TestLineParserKeepsToOneFormat(t *testing.T) {
	var p lineParser
	p.parse(abcHex + "  name")
	if name, _, ok := p.parse(abcHex + " name"); ok {
		t.Errorf("a reversed line among standard ones was read: %q", name)
	}
	p = lineParser{}
	p.parse(abcHex + " name")
	if name, _, ok := p.parse(abcHex + " *name"); !ok || name != "*name" {
		t.Errorf("among reversed lines, a name that begins with * was read as %q, %v", name, ok)
	}
}

// What is printed can be read again, in every format and for every name.
func FuzzPrintedLinesAreRead(f *testing.F) {
	for _, name := range []string{"name", "a\nb", "\\", "\r", " x", "*x", "a) = b", "\xff"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if name == "" || strings.Contains(name, "\x00") {
			t.Skip("no file has this name")
		}
		for _, o := range []options{{}, {mode: 'b'}, {tag: true}} {
			p := printer{options: &o}
			p.appendDigest(&item{name: name, digest: abcDigest})
			line, ended := strings.CutSuffix(string(p.line), "\n")
			if !ended || strings.ContainsAny(line, "\r\n") {
				t.Fatalf("%q is not one line", p.line)
			}
			got, digest, ok := new(lineParser).parse(line)
			if !ok || got != name || digest != abcDigest {
				t.Errorf("%q was read as %q, %x, %v", line, got, digest, ok)
			}
		}
	})
}

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", 3*maxLine)
	r := newLineReader(strings.NewReader("a\n\n"+long+"\nb\r\nlast"), '\n')
	for _, want := range []struct {
		line  string
		whole bool
	}{{"a", true}, {"", true}, {long[:maxLine], false}, {"b\r", true}, {"last", true}} {
		line, whole, err := r.next()
		if err != nil || line != want.line || whole != want.whole {
			t.Fatalf("got %.20q (%d bytes), %v, %v; want %.20q (%d bytes), %v",
				line, len(line), whole, err, want.line, len(want.line), want.whole)
		}
	}
	if _, _, err := r.next(); err == nil {
		t.Error("no end")
	}
}
