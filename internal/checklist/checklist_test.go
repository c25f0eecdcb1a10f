package checklist_test

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/checklist"
)

var (
	abc       = sha256.Sum256([]byte("abc"))
	abcHex    = hex.EncodeToString(abc[:])
	abcBase64 = base64.StdEncoding.EncodeToString(abc[:])
)

func TestAutoReadsEveryFormat(t *testing.T) {
	for _, test := range []struct{ line, name string }{
		{abcHex + "  name", "name"},
		{abcHex + " *name", "name"},
		{abcHex + "\t name", "name"},
		{strings.ToUpper(abcHex) + "  name", "name"},
		{" \t" + abcHex + "  name", "name"},
		{"\ufeff" + abcHex + "  name", "name"},
		{abcHex + "  name\r", "name"},
		{abcHex + "   name ", " name "},
		{abcHex + "  " + abcHex, abcHex},
		{abcHex + " name", "name"},
		{abcHex + " n", "n"},
		{abcHex + "  ", " "},
		{abcHex + " *", "*"},
		{`\` + abcHex + `  a\nb\rc\\d`, "a\nb\rc\\d"},
		{abcHex + `  a\nb`, `a\nb`},
		{abcHex + "  na\x00me", "na"},
		{abcBase64 + "  name", "name"},
		{"SHA256 (name) = " + abcHex, "name"},
		{"SHA256(name)= " + abcHex, "name"},
		{"SHA2-256(name)= " + abcHex, "name"},
		{"SHA256 (name)\t=\t" + abcHex, "name"},
		{"SHA256 (a) = b) = " + abcHex, "a) = b"},
		{`\SHA256 (a\nb) = ` + abcHex, "a\nb"},
		{"SHA256 (name) = " + abcHex + "\x00more", "name"},
		{"SHA256 (name) = " + abcBase64, "name"},
		{"SHA256 () = " + abcHex, ""},
	} {
		e, err := new(checklist.Parser).Parse(test.line)
		if err != nil || e.Name != test.name || string(e.Digest) != string(abc[:]) || e.Size != -1 {
			t.Errorf("Parse(%q) = %q, %v; want %q", test.line, e, err, test.name)
		}
	}
}

func TestImproperLinesAreRefused(t *testing.T) {
	wrongBits := abcBase64[:42] + "1=" // the last digit's two lowest bits have to be 0
	for _, test := range []struct {
		format checklist.Format
		lines  []string
	}{
		{checklist.Auto, []string{
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
			abcBase64[:43] + "A  name",
			wrongBits + "  name",
			abcBase64[:20] + "\r" + abcBase64[20:43] + "  name",
			"SHA256 (name) = " + abcBase64[:40] + "\n" + abcBase64[40:43],
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
		}},
		{checklist.Coreutils, []string{"SHA256 (name) = " + abcHex, abcHex + " name"}},
		{checklist.Tagged, []string{abcHex + "  name", "name"}},
		{checklist.BagIt, []string{
			"SHA256 (data/x) = " + abcHex,
			`\` + abcHex + "  data/x",
			" " + abcHex + "  data/x",
			abcBase64 + "  data/x",
			abcHex + "  ",
			abcHex + "  *",
			abcHex + "  data/\x00x",
			"# a comment",
			abcHex[2:] + "  data/x",
		}},
	} {
		for _, line := range test.lines {
			p := checklist.Parser{Format: test.format}
			if p.Comment(line) {
				if line != "" {
					t.Errorf("format %d: %q is a comment", test.format, line)
				}
				continue
			}
			if e, err := p.Parse(line); err == nil {
				t.Errorf("format %d: Parse(%q) = %q", test.format, line, e)
			}
		}
	}
}

// TestErrorsSayWhatIsWrong has lines, behind headers, of which the last is improper.
func TestErrorsSayWhatIsWrong(t *testing.T) {
	const (
		noDigest = "the line has no digest and name; expected 'DIGEST  NAME' or 'SHA256 (NAME) = DIGEST'"
		noDigits = "the digest has 0 characters; expected 64 hexadecimal digits"
		noHex    = "the digest is neither hexadecimal nor base64: encoding/hex: invalid byte: U+0067 'g'"
		noColumn = "the header names no column sha256"
		isCutOff = "the path is cut off; PowerShell's Export-Csv keeps it"
		noPair   = "the line is not 'DIGEST NAME'"
		noName   = "the line has no name"
	)
	for _, test := range []struct {
		format checklist.Format
		lines  []string
		want   string
	}{
		{checklist.Auto, []string{"name"}, noDigest},
		{checklist.Auto, []string{`\ ` + abcHex + "  name"}, noDigits},
		{checklist.Auto, []string{"g" + abcHex[1:] + "  name"}, noHex},
		{checklist.Auto, []string{"%%%% size,md5,filename", "3,x,name"}, noColumn},
		{checklist.Auto, []string{"%%%% size,sha256,filename", "3," + abcHex + ","}, noName},
		{checklist.Auto, []string{"Hash : " + abcHex, "Path : a", "       b"}, isCutOff},
		{checklist.Auto, []string{"Hash Path", abcHex + " a..."}, isCutOff},
		{checklist.BagIt, []string{abcHex}, noPair},
		{checklist.BagIt, []string{" " + abcHex + "  data/x"}, noDigits},
		{checklist.BagIt, []string{"g" + abcHex[1:] + "  data/x"}, noHex},
		{checklist.BagIt, []string{abcHex + " *"}, noName},
	} {
		p := checklist.Parser{Format: test.format}
		var got error
		for _, line := range test.lines {
			if !p.Comment(line) {
				_, got = p.Parse(line)
			}
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("format %d, %q: %v, want %s", test.format, test.lines, got, test.want)
		}
	}
}

// Editors of Windows put a byte order mark in front of the first line, whatever it is.
func TestCommentsBehindAByteOrderMark(t *testing.T) {
	for _, test := range []struct{ comment, line string }{
		{"", abcHex + "  name"},
		{"\r", abcHex + "  name"},
		{"# comment", abcHex + "  name"},
		{"%%%% HASHDEEP-1.0", abcHex + "  name"},
		{"%%%% sha256,filename", abcHex + ",name"},
		{`"Algorithm","Hash","Path"`, `"SHA256","` + abcHex + `","name"`},
		{"Hash Path", abcHex + " name"},
		{"SHA256 hash of name:", abcHex},
	} {
		var p checklist.Parser
		if !p.Comment("\ufeff" + test.comment) {
			t.Errorf("%q is not a comment", test.comment)
		}
		if p.Comment(test.line) {
			t.Errorf("%q is a comment", test.line)
		}
		if e, err := p.Parse(test.line); err != nil || e.Name != "name" || string(e.Digest) != string(abc[:]) {
			t.Errorf("behind %q, Parse(%q) = %+v, %v", test.comment, test.line, e, err)
		}
	}
}

func TestBagItNames(t *testing.T) {
	for line, name := range map[string]string{
		abcHex + " data/x":                  "data/x",
		abcHex + "\t  data/a b":             "data/a b",
		abcHex + " *data/x":                 "data/x",
		abcHex + " data/%0A%0a%0D%0d%25%41": "data/\n\n\r\r%%41",
		abcHex + ` data/a\nb`:               `data/a\nb`,
		strings.ToUpper(abcHex) + " data/x": "data/x",
	} {
		p := checklist.Parser{Format: checklist.BagIt}
		if e, err := p.Parse(line); err != nil || e.Name != name {
			t.Errorf("Parse(%q) = %q, %v; want %q", line, e.Name, err, name)
		}
	}
}

// Before version 1.0, %25 is no escape. A name with escapes may be one without.
func TestBagItEscapes(t *testing.T) {
	for _, test := range []struct {
		format         checklist.Format
		text, name, or string
	}{
		{checklist.BagIt, "data/100%", "data/100%", ""},
		{checklist.BagIt, "data/100%25", "data/100%", "data/100%25"},
		{checklist.BagIt, "data/%250A", "data/%0A", "data/%250A"},
		{checklist.BagIt, "data/a%0Ab", "data/a\nb", "data/a%0Ab"},
		{checklist.EarlyBagIt, "data/100%25", "data/100%25", ""},
		{checklist.EarlyBagIt, "data/%250A", "data/%250A", ""},
		{checklist.EarlyBagIt, "data/a%0Ab%0ac%0Dd%0de", "data/a\nb\nc\rd\re", "data/a%0Ab%0ac%0Dd%0de"},
		{checklist.EarlyBagIt, "data/a%20b", "data/a%20b", ""},
	} {
		p := checklist.Parser{Format: test.format}
		if e, err := p.Parse(abcHex + "  " + test.text); err != nil || e.Name != test.name || e.Or != test.or {
			t.Errorf("format %d, %s: %q or %q, %v", test.format, test.text, e.Name, e.Or, err)
		}
		if p.Comment("#") || !p.Comment("") {
			t.Errorf("format %d has comments", test.format)
		}
	}
}

func TestDigestsOfOtherLengths(t *testing.T) {
	sum := sha512.Sum512(nil)
	p := checklist.Parser{Format: checklist.BagIt, DigestSize: sha512.Size}
	if e, err := p.Parse(fmt.Sprintf("%x  data/x", sum)); err != nil || string(e.Digest) != string(sum[:]) {
		t.Errorf("a digest of 64 bytes: %v", err)
	}
	if e, err := p.Parse(abcHex + "  data/x"); err == nil {
		t.Errorf("a digest of 32 bytes instead of 64 was read: %x", e.Digest)
	}
}

func TestAutoKeepsToOneFormat(t *testing.T) {
	var p checklist.Parser
	p.Parse(abcHex + "  name")
	p.Begin() // another list
	if e, err := p.Parse(abcHex + " name"); err == nil {
		t.Errorf("a reversed line among standard ones was read: %q", e.Name)
	}
	p = checklist.Parser{}
	p.Parse(abcHex + " name")
	if e, err := p.Parse(abcHex + " *name"); err != nil || e.Name != "*name" {
		t.Errorf("among reversed lines, a name that begins with * was read as %q, %v", e.Name, err)
	}
}

func TestHashdeep(t *testing.T) {
	var p checklist.Parser
	for _, header := range []string{"%%%% HASHDEEP-1.0\r", "%%%% size,md5,sha256,filename", "## Invoked from: /"} {
		if !p.Comment(header) {
			t.Errorf("%q is not a header", header)
		}
	}
	line := "3,900150983cd24fb0d6963f7d28e17f72," + abcHex + ",a,b"
	if e, err := p.Parse(line); err != nil || e.Name != "a,b" || e.Size != 3 || string(e.Digest) != string(abc[:]) {
		t.Errorf("Parse(%q) = %+v, %v", line, e, err)
	}
	for size, want := range map[string]int64{"0": 0, "-5": -1, "-1": -1, "x": -1, "": -1, "9223372036854775808": -1} {
		line := size + ",x," + abcHex + ",name"
		if e, err := p.Parse(line); err != nil || e.Size != want {
			t.Errorf("Parse(%q) = %+v, %v; want size %d", line, e, err, want)
		}
	}
	for _, line := range []string{"3,900150983cd24fb0d6963f7d28e17f72," + abcHex, "3,x,y,name", "3,x," + abcHex + ","} {
		if e, err := p.Parse(line); err == nil {
			t.Errorf("Parse(%q) = %+v", line, e)
		}
	}
	p.Begin() // another list has no columns
	if e, err := p.Parse(line); err == nil {
		t.Errorf("without a header, Parse(%q) = %+v", line, e)
	}
	p.Comment("%%%% size,md5,filename")
	if e, err := p.Parse("3,x,name"); err == nil {
		t.Errorf("without a column of SHA-256, an entry: %+v", e)
	}
}

// What Other takes is no digest of SHA-256, and what it leaves has to be one.
func TestOtherAlgorithms(t *testing.T) {
	const md5Hex = "900150983cd24fb0d6963f7d28e17f72"
	var taken []string
	p := checklist.Parser{Other: func(algorithm, digest string) (bool, error) {
		switch {
		case len(digest) == 1:
			return false, errors.New("one digit")
		case algorithm == "MD5" || algorithm == "md5" || algorithm == "" && len(digest) == 32:
			taken = append(taken, algorithm+" "+digest)
			return true, nil
		}
		return false, nil
	}}
	parse := func(p *checklist.Parser, line string) string {
		taken = nil
		e, err := p.Parse(line)
		if err != nil {
			return "error: " + err.Error()
		}
		return fmt.Sprintf("%s %x %q", e.Name, e.Digest, taken)
	}
	for line, want := range map[string]string{
		md5Hex + "  name":                 fmt.Sprintf("name  %q", []string{" " + md5Hex}),
		`\` + md5Hex + `  a\nb`:           fmt.Sprintf("a\nb  %q", []string{" " + md5Hex}),
		"MD5 (name) = " + md5Hex:          fmt.Sprintf("name  %q", []string{"MD5 " + md5Hex}),
		"MD5(name)= " + md5Hex:            fmt.Sprintf("name  %q", []string{"MD5 " + md5Hex}),
		abcHex + "  name":                 "name " + abcHex + " []",
		"SHA2-256(name)= " + abcHex:       "name " + abcHex + " []",
		"BLAKE2s (name) = " + abcHex:      "error: unknown algorithm BLAKE2s",
		"x  name":                         "error: one digit",
		abcHex[:40] + "  name":            "error: the digest has 40 characters; expected 64 hexadecimal digits",
		"A line that is (no) = algorithm": "error: one digit",
	} {
		if got := parse(&p, line); got != want {
			t.Errorf("%q: got %s, want %s", line, got, want)
		}
	}
	p.Begin()
	p.Comment("%%%% size,md5,sha256,tiger,filename")
	if got, want := parse(&p, "3,"+md5Hex+","+abcHex+",x2,a,b"), fmt.Sprintf("a,b %s %q", abcHex, []string{"md5 " + md5Hex}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p.Comment("%%%% size,md5,filename")
	if got, want := parse(&p, "3,"+md5Hex+",a"), fmt.Sprintf("a  %q", []string{"md5 " + md5Hex}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p.Comment("%%%% size,tiger,filename")
	if got, want := parse(&p, "3,x2,a"), "error: the header names no column sha256"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestZero(t *testing.T) {
	p := checklist.Parser{Zero: true}
	if e, err := p.Parse(abcHex + "  a\n\r"); err != nil || e.Name != "a\n\r" {
		t.Errorf("%q, %v", e.Name, err)
	}
	if e, err := p.Parse(`\` + abcHex + `  a\n`); err == nil {
		t.Errorf("an escape was read: %q", e.Name)
	}
}

// What is written can be read again, in every format and for every name.
func FuzzWrittenLinesAreRead(f *testing.F) {
	for _, name := range []string{"name", "a\nb", "\\", "\r", " x", "*x", "a) = b", "\xff"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if name == "" || strings.Contains(name, "\x00") {
			t.Skip("no file has this name")
		}
		for _, line := range [][]byte{
			checklist.AppendStandard(nil, abc[:], ' ', name),
			checklist.AppendStandard(nil, abc[:], '*', name),
			checklist.AppendTagged(nil, abc[:], name),
		} {
			if strings.ContainsAny(string(line), "\r\n") {
				t.Fatalf("%q is not one line", line)
			}
			e, err := new(checklist.Parser).Parse(string(line))
			if err != nil || e.Name != name || string(e.Digest) != string(abc[:]) {
				t.Errorf("%q was read as %q, %v", line, e, err)
			}
		}
	})
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 3*checklist.MaxLine)
	r := checklist.NewLines(strings.NewReader("a\n\n"+long+"\nb\r\nlast"), '\n')
	for _, want := range []struct {
		line         string
		whole, ended bool
	}{{"a", true, true}, {"", true, true}, {long[:checklist.MaxLine], false, true}, {"b\r", true, true}, {"last", true, false}} {
		line, whole, err := r.Next()
		if err != nil || line != want.line || whole != want.whole || r.Ended() != want.ended {
			t.Fatalf("got %.20q (%d bytes), %v, %v, %v; want %.20q (%d bytes), %v, %v",
				line, len(line), whole, r.Ended(), err, want.line, len(want.line), want.whole, want.ended)
		}
	}
	if _, _, err := r.Next(); err != io.EOF {
		t.Errorf("behind the last line: %v", err)
	}
}

// The last line is one, however long it is, and though nothing ends it.
func TestLongLastLine(t *testing.T) {
	for _, length := range []int{checklist.MaxLine, checklist.MaxLine + 1, 3 * checklist.MaxLine} {
		long := strings.Repeat("x", length)
		r := checklist.NewLines(strings.NewReader(long), '\n')
		if line, whole, err := r.Next(); err != nil || line != long[:checklist.MaxLine] || whole || r.Ended() {
			t.Errorf("%d bytes: got %d, %v, %v", length, len(line), whole, err)
		}
		if _, _, err := r.Next(); err != io.EOF {
			t.Errorf("behind %d bytes: %v", length, err)
		}
	}
}

func Example() {
	list := "SHA256 (one) = ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\nnonsense\n"
	var p checklist.Parser
	lines := checklist.NewLines(strings.NewReader(list), '\n')
	for {
		line, whole, err := lines.Next()
		if err != nil {
			break
		}
		if p.Comment(line) {
			continue
		}
		if e, err := p.Parse(line); err == nil && whole {
			fmt.Printf("%s %x\n", e.Name, e.Digest[:4])
		} else {
			fmt.Println("improper:", line)
		}
	}
	// Output:
	// one ba7816bf
	// improper: nonsense
}
