//go:build unix

package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// descriptors returns how many are open, or 0 where that is not known.
func descriptors() int {
	open, _ := os.ReadDir("/proc/self/fd")
	return len(open)
}
