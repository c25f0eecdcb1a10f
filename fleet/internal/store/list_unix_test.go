//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A pattern finds files below directories of any name.
func TestListNamesThatAreNotUTF8(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("file systems may refuse such names")
	}
	s, dir := newStore(t), t.TempDir()
	for _, name := range []string{"a/1.txt", "b\xff/c/2.txt", "b\xff/3\xfe.txt"} {
		if err := s.Write(t.Context(), filepath.Join(dir, name), strings.NewReader("")); err != nil {
			t.Fatal(err)
		}
	}
	all := []string{"a/1.txt", "b\xff/3\xfe.txt", "b\xff/c/2.txt"}
	for pattern, want := range map[string][]string{
		"":            all,
		"/**":         all,
		"/*/*.txt":    {"a/1.txt", "b\xff/3\xfe.txt"},
		"/b\xff/*/2*": {"b\xff/c/2.txt"},
		"/b?/?*.txt":  {"b\xff/3\xfe.txt"},
		"/{a,z}/*":    {"a/1.txt"},
	} {
		got, err := namesBelow(t, s, dir, pattern)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v, want %q", pattern, got, err, want)
		}
	}
}

// What cannot be read does not end a listing: what comes after it is listed, too, and the
// error says where the listing has gaps, however many there are.
func TestListPastDirectoriesThatCannotBeRead(t *testing.T) {
	s, dir := newStore(t), t.TempDir()
	for _, name := range []string{"a/1", "m\x1b/2", "z/3"} {
		if err := s.Write(t.Context(), filepath.Join(dir, name), strings.NewReader("")); err != nil {
			t.Fatal(err)
		}
	}
	tooDeep(t, filepath.Join(dir, "m\x1b"))
	for _, pattern := range []string{"", "/**", "/{a,m\x1b,z}/**"} {
		got, err := namesBelow(t, s, dir, pattern)
		if unread := new(UnreadError); !errors.As(err, &unread) || !strings.Contains(err.Error(), "file name too long") || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: got %v", pattern, err)
		}
		if want := []string{"a/1", "m\x1b/2", "z/3"}; !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", pattern, got, want)
		}
	}
	if err := s.ListBelow(t.Context(), dir, func(Info) error { return nil }); !errors.As(err, new(*UnreadError)) {
		t.Errorf("below: got %v", err)
	}
	unread := new(UnreadError)
	for range maxUnread + 5 {
		unread.add(unix.EIO)
	}
	if text := unread.Error(); strings.Count(text, "input/output error") != maxUnread || !strings.HasSuffix(text, "; 5 more") {
		t.Errorf("got %s", text)
	}
}

// namesBelow returns the names that a pattern finds below dir, sorted.
func namesBelow(t *testing.T, s *Store, dir, pattern string) (names []string, err error) {
	t.Helper()
	err = s.List(t.Context(), dir+pattern, false, func(i Info) error {
		name, err := filepath.Rel(dir, i.Name)
		names = append(names, name)
		return err
	})
	slices.Sort(names)
	return names, err
}

// tooDeep makes directories below dir whose paths are longer than the system takes.
func tooDeep(t *testing.T, dir string) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.Repeat("d", 200)
	for range 25 {
		err := root.Mkdir(name, 0o777)
		if err != nil {
			t.Fatal(err)
		}
		below, err := root.OpenRoot(name)
		if err != nil {
			t.Fatal(err)
		}
		root.Close()
		root = below
	}
	root.Close()
}
