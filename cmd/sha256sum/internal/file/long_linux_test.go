package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A path that is longer than the system takes leads to the same file as a short one.
func TestEvalSymlinksOfLongPaths(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	name := strings.Repeat("d", 200)
	for _, depth := range []int{1, 30} {
		base, at := dir, must(os.OpenRoot(dir))(t)
		for range depth {
			if err := at.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
				t.Fatal(err)
			}
			base, at = base+"/"+name, must(at.OpenRoot(name))(t)
		}
		if err := errors.Join(
			at.WriteFile("file", nil, 0o666),
			at.Symlink("file", "link"),
			at.Symlink("../"+name+"/./link", "up"),
			at.Symlink(dir, "absolute"),
			at.Symlink("loop", "loop"),
			at.Symlink("none", "dangling"),
		); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			name, want string
			err        error
		}{
			{"file", base + "/file", nil},
			{"link", base + "/file", nil},
			{"up", base + "/file", nil},
			{"../" + name + "//up", base + "/file", nil},
			{"absolute", dir, nil},
			{"absolute/" + name, dir + "/" + name, nil},
			{"loop", "", unix.ELOOP},
			{"dangling", "", fs.ErrNotExist},
			{"none/file", "", fs.ErrNotExist},
			{"file/none", "", unix.ENOTDIR},
		} {
			got, err := EvalSymlinks(base + "/" + test.name)
			if got != test.want || depth > 1 && !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
				t.Errorf("depth %d: %.40s: %.40q, %v", depth, test.name, strings.TrimPrefix(got, dir), err)
			}
		}
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
