package walk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/memory"
)

// makeTree makes files and returns their directory.
func makeTree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Entries come in the order of their keys, whatever they begin with and however
// many blocks their names take.
func TestDirectoryIsSorted(t *testing.T) {
	for name, prefix := range map[string]string{"no prefix": "", "a prefix": strings.Repeat("p", 20)} {
		t.Run(name, func(t *testing.T) {
			var want []string
			for _, s := range []string{"a/x", "a-b", "a.txt", "a0", "same-beginning", "same-beginninh"} {
				want = append(want, prefix+s)
			}
			for i := range 3000 {
				want = append(want, fmt.Sprintf("%s%d%s", prefix, i, strings.Repeat("x", i%50)))
			}
			dir := makeTree(t, want...)
			d, _, err := readDirectory(testDescriptors(t), dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range d.entries {
				got = append(got, string(d.key(e)))
			}
			want[0] = prefix + "a/"
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%d entries, %d wanted", len(got), len(want))
			}
			if len(d.blocks) < 2 {
				t.Error("all names are in one block")
			}
			d.release()
			if n := memory.Held(); n != 0 {
				t.Errorf("%d bytes are still accounted for", n)
			}
		})
	}
}

func testDescriptors(t *testing.T) *file.Descriptors { return &file.Descriptors{Ctx: t.Context()} }

// A directory that is gone when the walk comes to it is one error, and nothing else is
// said of it.
func TestWalkReportsWhatVanishes(t *testing.T) {
	for _, oneFileSystem := range []bool{false, true} {
		dir := makeTree(t, "a/x", "b/x", "c/x")
		w := testWalker(t)
		w.OneFileSystem = oneFileSystem
		var got []string
		for e := range w.Walk(dir, dir) {
			if e.Kind == Failure && !errors.Is(e.Err, fs.ErrNotExist) {
				t.Errorf("%s: %v", e.Name, e.Err)
			}
			got = append(got, fmt.Sprint(e.Kind, strings.TrimPrefix(e.Name, dir)))
			// The walk has read the directory and not yet come to b.
			os.RemoveAll(filepath.Join(dir, "b"))
		}
		if want := []string{fmt.Sprint(File, "/a/x"), fmt.Sprint(Failure, "/b"), fmt.Sprint(File, "/c/x")}; !slices.Equal(got, want) {
			t.Errorf("one file system %v: found %q, want %q", oneFileSystem, got, want)
		}
	}
}

// A walk that stops gives back what its directories took.
func TestWalkStops(t *testing.T) {
	dir := t.TempDir()
	for i := range 6_000 {
		name := filepath.Join(dir, fmt.Sprintf("%0200d", i))
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for range testWalker(t).Walk(dir, dir) {
		if memory.Held() == 0 {
			t.Fatal("the directory is not accounted for")
		}
		if n++; n == 2 {
			break
		}
	}
	if held := memory.Held(); held != 0 {
		t.Errorf("%d bytes are still accounted for", held)
	}
	// Another walk begins anew.
	for range testWalker(t).Walk(dir, dir) {
		n++
	}
	if n != 2+6_000 {
		t.Errorf("%d files", n)
	}
}

func testWalker(t *testing.T) *Walker {
	return &Walker{Links: "skip", Opens: testDescriptors(t), Leave: func(string) bool { return false }}
}
