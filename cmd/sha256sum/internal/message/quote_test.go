package message

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
)

func TestQuoteShell(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	for _, test := range []struct{ name, want string }{
		{"plain", "plain"},
		{"a/b-c_d.e,f%g@h+i]j", "a/b-c_d.e,f%g@h+i]j"},
		{"", "''"},
		{"a b", "'a b'"},
		{"a:b", "'a:b'"},
		{`a\b`, `'a\b'`},
		{"it's", `"it's"`},
		{`it's "x"`, `'it'\''s "x"'`},
		{"it's\x01", `'''it'\''s'$'\001'`},
		{"it's\x01 ", `'it'\''s'$'\001'' '`},
		{"\x01it's", `''$'\001''it'\''s'`},
		{"\x01it's\x01", `''$'\001''it'\''s'$'\001'`},
		{"'\x01", `''\'''$'\001'`},
		{"it's}", `'it'\''s}'`},
		{"#a", "'#a'"},
		{"a#", "a#"},
		{"~", "'~'"},
		{"{", "'{'"},
		{"{}", "{}"},
		{"a\nb", `'a'$'\n''b'`},
		{"\r", `''$'\r'`},
		{"\x7f\x01", `''$'\177\001'`},
		{"\xff", `''$'\377'`},
		{"é日", "é日"},
		{"a\u2028b", `'a'$'\342\200\250''b'`},
	} {
		if got := Quote(test.name); got != test.want {
			t.Errorf("quoteShell(%q) = %s, want %s", test.name, got, test.want)
		}
	}
}

func TestQuoteShellKeepsToASCIIInOtherLocales(t *testing.T) {
	t.Setenv("LC_ALL", "")
	t.Setenv("LC_CTYPE", "C")
	t.Setenv("LANG", "C.UTF-8")
	if got, want := Quote("é"), `''$'\303\251'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReason(t *testing.T) {
	_, missing := os.Stat("no/such/file")
	for _, test := range []struct {
		err  error
		want string
	}{
		{syscall.EISDIR, "Is a directory"},
		{&fs.PathError{Op: "read", Path: "x", Err: syscall.EIO}, "Input/output error"},
		{missing, "No such file or directory"},
		{file.ErrChanged, "file changed as it was read"},
		{errors.New("other"), "other"},
	} {
		if got := Reason(test.err); got != test.want && os.PathSeparator == '/' {
			t.Errorf("reason(%v) = %q, want %q", test.err, got, test.want)
		}
	}
}
