package checklist_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/checklist"
)

// What Windows' tools print is read, as far as the lines have the names whole.
func TestListsOfWindows(t *testing.T) {
	upper := strings.ToUpper(abcHex)
	pairs := ""
	for i := 0; i < len(abcHex); i += 2 {
		pairs += abcHex[i:i+2] + " "
	}
	signed := []string{"-----BEGIN PGP SIGNED MESSAGE-----", "Hash: SHA256", "", abcHex + "  a",
		"-----BEGIN PGP SIGNATURE-----", "", "iQ", "-----END PGP SIGNATURE-----"}
	const bad = "improper"
	for _, test := range []struct {
		name  string
		lines []string
		want  []string // names, or bad
	}{
		{"table", []string{
			"", "Algorithm       Hash                                                                   Path           ",
			"---------       ----                                                                   ----           ",
			"SHA256          " + upper + `       C:\a b.txt   `, "SHA256          " + upper + "       /home/x  y", "   ", ""},
			[]string{`C:\a b.txt`, "/home/x  y"}},
		{"table without algorithm", []string{"Hash Path", "---- ----", upper + " a"}, []string{"a"}},
		{"two tables", []string{"Hash Path", upper + " a", "", "Algorithm Hash Path", "SHA256 " + upper + " b"}, []string{"a", "b"}},
		{"table with a path that is cut off", []string{"Hash Path", upper + ` C:\a...`, upper + " a…", upper + ` C:\a..`}, []string{bad, bad, `C:\a..`}},
		{"table of another algorithm", []string{"Algorithm Hash Path", "SHA1 " + upper + " a", "sha256 " + upper + " a"}, []string{bad, "a"}},
		{"table without a path", []string{"Algorithm Hash Path", "SHA256 " + upper}, []string{bad}},
		{"table with half a digest", []string{"Algorithm Hash Path", "SHA256 " + upper[1:] + " a"}, []string{bad}},
		{"path first is no table", []string{"Path Hash", "a " + upper}, []string{bad, bad}},
		{"other words are no table", []string{"Algorithm Hash Path Name", "Algorithm Hash", "Hash Hash Path", "- -"}, []string{bad, bad, bad, bad}},
		{"CSV", []string{"#TYPE Microsoft.PowerShell.Commands.FileHash", `"Algorithm","Hash","Path"`, `"SHA256","` + upper + `","C:\a, ""b"".txt"`},
			[]string{`C:\a, "b".txt`}},
		{"CSV, other columns", []string{"Path,Hash", "a," + upper, `"b",` + abcHex}, []string{"a", "b"}},
		{"CSV with semicolons", []string{`"Path";"Hash"`, `"a;b,c";"` + upper + `"`, `"a","` + upper + `"`}, []string{"a;b,c", bad}},
		{"CSV with tabs", []string{"Hash\tPath", upper + "\ta b"}, []string{"a b"}},
		{"CSV with both", []string{"Hash,Path", upper + ";a"}, []string{bad}},
		{"Format-List", []string{"", "", "Algorithm : SHA256", "Hash      : " + upper, `Path      : C:\a : b.txt`, "",
			"Algorithm : SHA256", "Hash      : " + upper, "Path      : b  ", "", ""}, []string{`C:\a : b.txt`, "b"}},
		{"Format-List of two properties", []string{"Hash : " + upper, "Path : a", "", "Hash : " + upper, "Path : b"}, []string{"a", "b"}},
		{"Format-List with base64", []string{"Hash : " + abcBase64, "Path : a"}, []string{"a"}},
		{"Format-List in another order", []string{"Path      : a", "Hash      : " + upper, "Algorithm : SHA256", "", "Path      : b", "Hash      : " + upper,
			"Algorithm : SHA256"}, []string{"a", "b"}},
		{"Format-List of another algorithm", []string{"Algorithm : SHA1", "Hash      : " + upper, "Path      : a"}, []string{bad}},
		{"Format-List with a path that goes on", []string{"Hash : " + upper, "Path : a", "       b", "", "Hash : " + upper, "Path : c"}, []string{"a", bad, "c"}},
		{"Format-List without a path", []string{"Algorithm : SHA256", "Hash      : " + upper, "", "Path      : a", "Hash      : " + upper}, []string{bad, "a"}},
		{"Format-List with two hashes", []string{"Hash : " + upper, "Hash : " + upper, "Path : a"}, []string{bad, "a"}},
		{"Format-List with an empty path", []string{"Hash : " + upper, "Path :"}, []string{bad}},
		{"Format-List with half a digest", []string{"Hash : " + upper[1:], "Path : a"}, []string{bad}},
		{"Format-List that ends early", []string{"Hash : " + upper, "Path : a", "Hash : " + upper}, []string{"a", "end of line 3"}},
		{"Format-List that ends early, with blank lines", []string{"Path : a", ""}, []string{"end of line 1"}},
		{"Format-List that ends early, with an algorithm", []string{"", "Algorithm : SHA256", "Hash : " + upper}, []string{"end of line 2"}},
		{"Format-List that ends early, with two hashes", []string{"Hash : " + upper, "Hash : " + upper}, []string{bad, "end of line 2"}},
		{"Format-List's words in others' lines", []string{"Hash of a : " + upper, "path : a", "Hash " + upper}, []string{bad, bad, bad}},
		{"certutil that ends early", []string{"", "SHA256 hash of a:"}, []string{"end of line 2"}},
		{"certutil's name twice", []string{"SHA256 hash of a:", "SHA256 hash of b:", abcHex}, []string{bad, "b"}},
		{"CSV of another algorithm", []string{`Algorithm,Hash,Path`, `MD5,` + upper + `,a`}, []string{bad}},
		{"CSV with more or fewer columns", []string{"Path,Hash", "a," + upper + ",b", "a", `"a`, "," + upper}, []string{bad, bad, bad, bad}},
		{"CSV without a digest", []string{"Path,Algorithm", "a,SHA256"}, []string{bad, bad}},
		{"certutil", []string{"SHA256 hash of a b.txt:", abcHex, "CertUtil: -hashfile command completed successfully.",
			"SHA256 hash of c:", pairs, "CertUtil: -hashfile command completed successfully."}, []string{"a b.txt", "c"}},
		{"early certutil", []string{"SHA256 hash of file a:", pairs}, []string{"a or file a"}},
		{"certutil without a digest", []string{"SHA256 hash of a:", "CertUtil: -hashfile command FAILED: 0x80070002", abcHex + "  b"}, []string{bad, "b"}},
		{"certutil of another algorithm", []string{"SHA1 hash of a:", abcHex[:40]}, []string{bad, bad}},
		// A line of coreutils is one, whatever stands above it.
		{"a heading like certutil's", []string{"SHA256 hash of all files:", abcHex + "  a", abcHex + " *b"}, []string{"a", "b", "end of line 1"}},
		{"headings like certutil's and a table's", []string{"SHA256 hash of all files:", abcHex + "  a", "Hash Path", abcHex + " b"}, []string{"a", "b", "end of line 1"}},
		{"headings like a table's", []string{"Algorithm Hash Path", abcHex + "  a", "Hash Path", abcHex + "  b...", abcHex + " c..."}, []string{"a", "b...", bad}},
		{"a line that is not CSV", []string{"Hash,Path", abcHex + `  a"`, `"`}, []string{`a"`, bad}},
		{"a line of the reversed format behind a header", []string{"Hash,Path", abcHex + " a"}, []string{bad}},
		{"lines of coreutils behind Format-List", []string{"Hash : " + upper, "Path : a", "", "  " + abcHex + "  b"}, []string{"a", "b"}},
		{"lines of coreutils behind CSV", []string{"Algorithm,Hash,Path", abcHex + "  a", abcHex + "  b, c", abcHex + "  b, c, d", "SHA256 (d) = " + abcHex, `"SHA256",` + abcHex + ",e"},
			[]string{"a", "b, c", "b, c, d", "d", "e"}},
		{"a heading like hashdeep's", []string{"%%%% Release 1.0, all files", abcHex + "  a"}, []string{bad, "a"}},
		{"lines of coreutils behind hashdeep's", []string{"%%%% size,sha256,filename", "3," + abcHex + ",a", abcHex + "  b", "3," + abcHex}, []string{"a", "b", bad}},
		{"a signed list", slices.Concat(signed, signed), []string{bad, bad, "a", bad, bad, bad, bad, bad, "a", bad, bad, bad}},
		{"a list signed with several algorithms", []string{"Hash: SHA256, RIPEMD160, SHA512", "", abcHex + "  a"}, []string{bad, "a"}},
		{"a signed Format-List", []string{"Hash: SHA512", "", "Algorithm : SHA256", "Hash      : " + upper, "Path      : a"}, []string{bad, "a"}},
		{"a heading like certutil's behind another", []string{"SHA256 hash of all files:", abcHex + "  a", "SHA256 hash of more files:", abcHex + "  b"},
			[]string{"a", "b", "end of line 1"}},
		{"lines of coreutils behind certutil and Format-List", []string{"SHA256 hash of a:", abcHex, "Hash : " + upper, "Path : b", "  " + abcHex + "  c"},
			[]string{"a", "b", "c"}},
		{"certutil with a blank before the digest", []string{"SHA256 hash of a:", " " + abcHex}, []string{"a"}},
		{"Format-List with an algorithm alone", []string{"Algorithm : SHA1", "", "Hash : " + upper, "Path : a"}, []string{"a"}},
		{"16 digits are no digest", []string{"Hash : " + upper[:16]}, []string{bad}},
		{"17 digits may be one", []string{"Hash : " + upper[:17]}, []string{"end of line 1"}},
		{"certutil's name alone", []string{"SHA256 hash of a", abcHex}, []string{bad, bad}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := checklist.Parser{}
			var got []string
			for _, line := range test.lines {
				if p.Comment(line + "\r") {
					continue
				}
				e, err := p.Parse(line + "\r")
				switch {
				case err != nil:
					got = append(got, bad)
				case fmt.Sprintf("%x", e.Digest) != abcHex:
					t.Errorf("%s: digest %x", line, e.Digest)
				case e.Or != "":
					got = append(got, e.Name+" or "+e.Or)
				default:
					got = append(got, e.Name)
				}
			}
			if line, err := p.End(); err != nil {
				got = append(got, fmt.Sprintf("end of line %d", line))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			p.Begin() // another list
			if e, err := p.Parse(abcHex + "  x"); err != nil || e.Name != "x" {
				t.Errorf("in the next list: %q, %v", e.Name, err)
			}
		})
	}
	for _, p := range []checklist.Parser{{Format: checklist.Coreutils}, {Format: checklist.Tagged}, {Format: checklist.BagIt}, {Zero: true}} {
		if p.Comment("Hash Path") || p.Comment("SHA256 hash of a:") {
			t.Errorf("format %d, NUL %v: headers are none", p.Format, p.Zero)
		}
	}
	// A parser for several algorithms gets the others' digests.
	p := checklist.Parser{Other: func(algorithm, digest string) (bool, error) {
		if algorithm == "" {
			return false, nil
		}
		return algorithm == "MD5", errors.Join()
	}}
	p.Comment("Algorithm,Hash,Path")
	if e, err := p.Parse("MD5,00,a"); err != nil || e.Name != "a" || e.Digest != nil {
		t.Errorf("%q, %x, %v", e.Name, e.Digest, err)
	}
	if e, err := p.Parse("SHA256," + abcHex + ",a"); err != nil || e.Digest == nil {
		t.Errorf("%q, %x, %v", e.Name, e.Digest, err)
	}
}
