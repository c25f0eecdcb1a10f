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
)

// tree makes files and returns their directory.
func tree(t *testing.T, names ...string) string {
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

// TestDirectoryIsSorted come in the order of their keys, whatever they begin with and however
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
			dir := tree(t, want...)
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
			if n := directoryBytes.Load(); n != 0 {
				t.Errorf("%d bytes are still accounted for", n)
			}
		})
	}
}

func testDescriptors(t *testing.T) *file.Descriptors { return &file.Descriptors{Ctx: t.Context()} }

func TestWalkReportsWhatVanishes(t *testing.T) {
	dir := tree(t, "a/x", "b/x", "c/x")
	var names, failed []string
	w := testWalker(t)
	w.Failure = func(name string, err error) bool {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		failed = append(failed, name)
		return true
	}
	w.File = func(name, _ string, _ bool) bool {
		names = append(names, name)
		// The walk has read the directory and not yet come to b.
		os.RemoveAll(filepath.Join(dir, "b"))
		return true
	}
	if !w.Walk(dir, dir) {
		t.Error("the walk stopped")
	}
	if want := []string{dir + "/b"}; !slices.Equal(failed, want) {
		t.Errorf("errors of %q, want %q", failed, want)
	}
	if len(names) != 2 {
		t.Errorf("files %q", names)
	}
}

func TestWalkStops(t *testing.T) {
	dir := tree(t, "a/x", "b/x", "c/x")
	n := 0
	w := testWalker(t)
	w.File = func(string, string, bool) bool { n++; return n < 2 }
	if w.Walk(dir, dir) || n != 2 {
		t.Errorf("%d files after a stop at 2", n)
	}
}

func testWalker(t *testing.T) *Walker {
	return &Walker{Links: "skip", Opens: testDescriptors(t), Leave: func(string) bool { return false }}
}
