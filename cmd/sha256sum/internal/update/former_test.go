package update

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

// plain is the text of a list in UTF-8.
func plain(r io.Reader) (io.Reader, error) { return r, nil }

// A list as it was tells which files are new, changed and gone, whatever its order and form.
func TestFormer(t *testing.T) {
	then := stamp.Stamp{Size: 3, Modified: 4, Changed: 5, Inode: 6}
	record := func(name string, digest []byte) *Record {
		return &Record{Name: name, Digest: [32]byte(digest), Stamp: then}
	}
	one, two := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	h1, h2 := hex.EncodeToString(one), hex.EncodeToString(two)
	for _, test := range []struct {
		name, list string
	}{
		{"standard", h1 + "  b\n" + h2 + "  a\n\nnonsense\n# comment\n\\" + h1 + "  c\\nd\n"},
		{"tagged", "SHA256 (b) = " + h1 + "\nSHA256 (a) = " + h2 + "\n\\SHA256 (c\\nd) = " + h1},
		{"NUL", h1 + "  b\x00" + h2 + "  a\x00" + h1 + "  c\nd\x00"},
		{"NUL, with a newline first", h1 + "  c\nd\x00" + h2 + "  a\x00" + h1 + "  b\x00"},
		{"JSON", fmt.Sprintf(`{"name":"b","digest":%q}`+"\n"+`{"name":"a","digest":%q}`+"\n{\"error\":1}\n{\"name\":\"e\",\"digest\":\"00\"}\n"+`{"name":"c\nd","digest":%q}`, h1, h2, h1)},
		{"JSON behind text", "\ufeff" + h1 + "  b\n" + h2 + "  a\n" + fmt.Sprintf(`{"name":"c\nd","digest":%q}`, h1)},
		{"twice", h1 + "  b\n" + h2 + "  ./b\n" + h2 + "  a\n\\" + h1 + "  c\\nd\n\\" + h1 + "  c\\nd\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "LIST")
			if err := os.WriteFile(name, []byte(test.list), 0o666); err != nil {
				t.Fatal(err)
			}
			f, err := ReadFormer(name, plain)
			if err != nil || f.Lines() != 3 || f.Removed() != 3 {
				t.Fatalf("%d lines, %d removed, %v", f.Lines(), f.Removed(), err)
			}
			for _, known := range []struct {
				record *Record
				now    stamp.Stamp
				want   Origin
			}{
				{record("b", one), then, Damaged},
				{record("b", one), stamp.Stamp{Size: 3, Modified: 4, Changed: 9, Inode: 9}, Damaged},
				{record("b", one), stamp.Stamp{Size: 3, Modified: 9, Changed: 5, Inode: 6}, Written},
				{record("b", one), stamp.Stamp{Size: 9, Modified: 4, Changed: 5, Inode: 6}, Written},
				{record("b", two), then, Unknown}, // the list has another digest
				{record("x", one), then, Damaged}, // the list has no such file, and the record is all that is known
				{record("x", one), stamp.Stamp{Size: 3, Modified: 9}, Written},
				{nil, then, Unknown},
				{&Record{Name: "b", Digest: [32]byte(one), Stamp: stamp.Stamp{Inode: 6}}, stamp.Stamp{}, Written}, // no regular file
			} {
				if got := f.Origin(known.record, known.now); got != known.want {
					t.Errorf("%+v, now %+v: %v, want %v", known.record, known.now, got, known.want)
				}
			}
			for _, see := range []struct {
				name   string
				digest []byte
				want   Difference
			}{{"a", two, Same}, {"x", one, Added}, {"b", two, Changed}} {
				if got := f.See(see.name, see.digest); got != see.want {
					t.Errorf("%s: %v, want %v", see.name, got, see.want)
				}
			}
			var removed []string
			if n := f.Removed(); n != 1 {
				t.Errorf("%d removed", n)
			}
			if err := f.EachRemoved(func(name string) error { removed = append(removed, name); return nil }); err != nil || !slices.Equal(removed, []string{"c\nd"}) {
				t.Errorf("%q, %v", removed, err)
			}
		})
	}
	if f, err := ReadFormer(filepath.Join(t.TempDir(), "nosuch"), plain); err != nil || f.Lines() != 0 {
		t.Errorf("%v", err)
	}
	if f, err := ReadFormer(os.DevNull, plain); err != nil || f.Lines() != 0 {
		t.Errorf("%v", err)
	}
}

// What has no line of a list is none, unless it is empty: nobody knows what would be lost.
func TestFormerThatIsNoList(t *testing.T) {
	for _, test := range []struct{ list, seems string }{
		{"", ""},
		{`{"name":"a","error":"Permission denied"}` + "\n", ""},
		{"#!/bin/sh\nexit\n", "text"},
		{"\n", "text"},
		{`{"list":"a"}` + "\n", "JSON"},
		{"{}\n{", "JSON"},
		{"\x7fELF\x00\n", "binary, or lines that end with NUL"},
		{"\x00", "binary, or lines that end with NUL"},
	} {
		name := filepath.Join(t.TempDir(), "LIST")
		if err := os.WriteFile(name, []byte(test.list), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := ReadFormer(name, plain)
		if test.seems == "" {
			if err != nil || f.Lines() != 0 {
				t.Errorf("%q: %v", test.list, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "it seems to be "+test.seems+", but has no line of a list") {
			t.Errorf("%q: %v", test.list, err)
		}
	}
}

// A list that is one digest alone has a line, and only as much as it takes to find one is read.
func TestCheckReplaced(t *testing.T) {
	digest := strings.Repeat("01", 32)
	for _, test := range []struct {
		name, list string
		is         bool
	}{
		{"digest alone", digest, true},
		{"digest alone, as Windows writes it", "\ufeff" + digest + " \r\n", true},
		{"digest alone behind a comment", "# comment\n" + digest + "\n\n", true},
		{"digests", digest + "\n" + digest + "\n", false},
		{"digest behind text", "text\n" + digest + "\n", false},
		{"JSON behind a byte order mark", fmt.Sprintf("\ufeff{\"name\":\"a\",\"digest\":%q}\n", digest), true},
		{"byte order mark", "\ufeff", true},
		{"line at the end of what is read", strings.Repeat("text\n", checked/5-20) + digest + "  a\n", true},
		{"line behind what is read", strings.Repeat("text\n", checked/5+1) + digest + "  a\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "LIST")
			if err := os.WriteFile(name, []byte(test.list), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := CheckReplaced(name, plain); (err == nil) != test.is {
				t.Errorf("%v", err)
			}
		})
	}
}
