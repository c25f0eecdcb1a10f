//go:build unix

package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Only regular files are read, and replaced. What is none does not stay open, and a
// pipe is not waited for.
func TestWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no named pipes: ", err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	open := descriptors()
	for _, name := range []string{dir, pipe, link} {
		before, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if o, err := s.Open(t.Context(), name, ""); err == nil {
				t.Errorf("%s is an object of %d bytes", name, o.Size())
			}
		}
		if err := s.Write(t.Context(), name, strings.NewReader("x")); err == nil {
			t.Errorf("%s is written to", name)
		}
		if now, err := os.Lstat(name); err != nil || !os.SameFile(before, now) {
			t.Errorf("%s is replaced: %v", name, err)
		}
	}
	if now := descriptors(); now != open {
		t.Errorf("%d open descriptors, not %d", now, open)
	}
}

// Whether a file can be written is known before there is anything to write, and why not. To ask
// changes nothing.
func TestCheckWrite(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, link, pipe, closed := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe"), filepath.Join(dir, "closed")
	dangling := filepath.Join(dir, "dangling")
	if err := errors.Join(os.Symlink("nosuch", dangling), os.WriteFile(file, []byte("old"), 0o600), os.Symlink(file, link), unix.Mkfifo(pipe, 0o600), os.Mkdir(closed, 0o500)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, want string }{
		{file, ""},
		{filepath.Join(dir, "new"), ""},
		{"file://" + file, ""},
		{filepath.Join(dir, strings.Repeat("x", 255)), ""}, // as long as names can be
		{filepath.Join(dir, strings.Repeat("x", 256)), "file name too long"},
		{filepath.Join(dir, "a", "b", "new"), ""},
		{filepath.Join(dir, "a", "b", strings.Repeat("x", 256)), "file name too long"},
		{filepath.Join(dangling, "new"), "file exists"},
		{dir, "it is a directory"},
		{link, "it is a symbolic link"},
		{pipe, "it is a named pipe"},
		{"/dev/null", "it is a device"},
		{filepath.Join(file, "below"), "not a directory"},
		{filepath.Join(closed, "new"), "permission denied"},
		{"ftp://host/file", "unknown kind of store ftp://"},
	} {
		if strings.HasPrefix(tt.name, closed) && os.Geteuid() == 0 {
			continue // may write everywhere
		}
		err := s.CheckWrite(tt.name)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasSuffix(err.Error(), tt.want)) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
		if text, err := os.ReadFile(file); string(text) != "old" || err != nil {
			t.Fatalf("%s: %q, %v", tt.name, text, err)
		}
		if all, err := os.ReadDir(dir); len(all) != 5 || err != nil {
			t.Fatalf("%s: there are %v, %v", tt.name, all, err)
		}
		if tt.want != "" {
			continue
		}
		if err := s.Write(t.Context(), tt.name, strings.NewReader("old")); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if !strings.HasSuffix(tt.name, "file") {
			os.RemoveAll(tt.name)
			os.RemoveAll(filepath.Join(dir, "a"))
		}
	}
}

// Files have times that 64 bits of nanoseconds do not hold.
func TestTimesOfFiles(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, want := range []time.Time{
		time.Date(1950, 1, 2, 3, 4, 5, 6, time.UTC),
		time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC),
		time.Date(2400, 1, 2, 3, 4, 5, 6, time.UTC),
	} {
		at, err := unix.TimeToTimespec(want)
		if err != nil {
			continue // 32 bits of seconds
		}
		if err := unix.UtimesNanoAt(unix.AT_FDCWD, name, []unix.Timespec{at, at}, 0); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || !info.ModTime().Equal(want) {
			t.Logf("the file system has no %v", want)
			continue
		}
		o, err := s.Open(t.Context(), name, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Modified(); !got.Equal(want) {
			t.Errorf("got %v, want %v", got, want)
		}
		o.Close()
	}
}

// A new file has the rights that the umask leaves, and one that replaces another has those
// of the other.
func TestRights(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Umask(unix.Umask(0o027))
	name := filepath.Join(t.TempDir(), "f")
	is := func(want os.FileMode) {
		t.Helper()
		if err := s.Write(t.Context(), name, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("got %v, %v, want %v", info.Mode(), err, want)
		}
	}
	is(0o640)
	for _, mode := range []os.FileMode{0o600, 0o666, 0o400} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		is(mode)
	}
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), name, &watcher{Reader: strings.NewReader("x"), t: t, dir: filepath.Dir(name)}); err != nil {
		t.Fatal(err)
	}
}

// A watcher demands that nobody else may read the files in a directory, while they are
// written.
type watcher struct {
	*strings.Reader
	t   *testing.T
	dir string
}

func (w *watcher) Read(p []byte) (int, error) {
	all, err := os.ReadDir(w.dir)
	if err != nil || len(all) != 2 {
		w.t.Errorf("there are %v, %v", all, err)
	}
	for _, e := range all {
		if info, err := e.Info(); err != nil || info.Mode() != 0o600 {
			w.t.Errorf("%s has %v, %v", e.Name(), info.Mode(), err)
		}
	}
	return w.Reader.Read(p)
}

// WriteTo would take the place of Read.
func (w *watcher) WriteTo(to io.Writer) (int64, error) { return io.Copy(to, struct{ io.Reader }{w}) }

// descriptors returns how many are open, or 0 where that is not known.
func descriptors() int {
	open, _ := os.ReadDir("/proc/self/fd")
	return len(open)
}
