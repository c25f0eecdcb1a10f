package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
)

// A manifest in any format is one, and nothing else is replaced. Its objects count once.
func TestReadFormer(t *testing.T) {
	j := newJournal(t)
	line := func(name string) string { return zeros + "  " + name + "\n" }
	for _, tt := range []struct {
		name, text   string
		now          []string // names of the new manifest
		removed, all int64
		err          error
	}{
		{"nothing removed", line("a") + line("b"), []string{"a", "b", "c"}, 0, 2, nil},
		{"the first removed", line("a") + line("b"), []string{"b"}, 1, 2, nil},
		{"the last removed", line("a") + line("b"), []string{"a"}, 1, 2, nil},
		{"all removed", line("b") + line("d"), []string{"a", "c", "e"}, 2, 2, nil},
		{"nothing new", line("a") + line("b"), nil, 2, 2, nil},
		{"not sorted, and named twice", line("c") + line("a") + line("c"), []string{"b", "c"}, 1, 2, nil},
		{"other digests of versions", line("s3://b/k?versionId=1") + line("s3://b/k"), []string{"s3://b/k"}, 1, 2, nil},
		{"of another tool", "SHA256 (a\n) = " + zeros + "\nMD5 (b) = " + zeros[:32] + "\n", []string{"b"}, 0, 1, nil},
		{"escaped", `\` + zeros + `  a\nb` + "\n", []string{"a\nb"}, 0, 1, nil},
		{"results", `{"line":1,"name":"a","outcome":"new","sha256":"` + zeros + `","expected":"","size":1,"error":""}` + "\n", []string{"a"}, 0, 1, nil},
		{"with other lines", "# comment\nx\n" + line("a"), []string{"a"}, 0, 1, nil},
		{"a text", "a\nb\n", nil, 0, 0, ErrNoManifest},
		{"an image", "\x89PNG\r\n\x1a\n\x00\x00\x00", nil, 0, 0, ErrNoManifest},
		{"a listing without digests", `{"name":"a","size":1}` + "\n", nil, 0, 0, ErrNoManifest},
		{"other lines after the first", line("a") + strings.Repeat("# comment\n", searched/5) + line("b"), []string{"a"}, 1, 2, nil},
		{"a line after many comments", strings.Repeat("# comment\n", searched/5) + line("a"), nil, 0, 0, ErrNoManifest},
		{"a line after a long text", strings.Repeat("x\n", searched) + line("a"), nil, 0, 0, ErrNoManifest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := t.TempDir() + "/f"
			if err := os.WriteFile(name, []byte(tt.text), 0o666); err != nil {
				t.Fatal(err)
			}
			if f, err := ReadFormer(t.Context(), j.Store, name, true); f != nil || !errors.Is(err, tt.err) {
				t.Errorf("if any may be replaced: got %v, %v, want %v", f, err, tt.err)
			}
			f, err := ReadFormer(t.Context(), j.Store, name, false)
			if !errors.Is(err, tt.err) {
				t.Fatalf("got %v, want %v", err, tt.err)
			}
			if err != nil {
				return
			}
			defer f.Close()
			if removed, all, err := f.Removed(manifestOf(t, tt.now)); removed != tt.removed || all != tt.all || err != nil {
				t.Errorf("%d of %d removed, %v, want %d of %d", removed, all, err, tt.removed, tt.all)
			}
		})
	}
	empty := t.TempDir() + "/empty"
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{empty, empty + "/none", empty + "-none"} {
		if f, err := ReadFormer(t.Context(), j.Store, name, false); f != nil || err != nil {
			t.Errorf("%s: got %v, %v", name, f, err)
		}
	}
}

// More names than are sorted in memory are compared.
func TestReadLongFormer(t *testing.T) {
	j := newJournal(t)
	const n = 2*manifestChunk + 5
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%08d", i))
	}
	name := t.TempDir() + "/f"
	text, err := io.ReadAll(manifestOf(t, names))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFormer(t.Context(), j.Store, name, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if removed, all, err := f.Removed(manifestOf(t, names[:1000])); removed != n-1000 || all != n || err != nil {
		t.Errorf("%d of %d removed, %v", removed, all, err)
	}
}

// manifestOf returns a manifest of objects.
func manifestOf(t *testing.T, names []string) io.Reader {
	t.Helper()
	m := NewManifest(t.Context())
	defer m.Close()
	for _, name := range slices.Backward(names) {
		m.Add(&fixity.Result{Name: name, Outcome: fixity.New, SHA256: ones})
	}
	var text strings.Builder
	if err := m.Write(&text, noConflict); err != nil {
		t.Fatal(err)
	}
	return strings.NewReader(text.String())
}
