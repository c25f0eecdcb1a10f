package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

var errBroken = errors.New("broken")

// A brokenReader fails after some bytes.
type brokenReader struct{ io.ReadSeeker }

func (b brokenReader) Read(p []byte) (int, error) {
	n, err := b.ReadSeeker.Read(p)
	if err == io.EOF {
		err = errBroken
	}
	return n, err
}

// What could not be written whole does not appear, in the place of what was there
// neither.
func TestWriteAllOrNothing(t *testing.T) {
	server := storetest.New(t)
	dir := t.TempDir()
	s, err := New(Options{Params: []string{server.Params()}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{server.Name("new"), server.Name("old"), dir + "/new", dir + "/old"} {
		if strings.HasSuffix(name, "old") {
			if err := s.Write(t.Context(), name, strings.NewReader("old")); err != nil {
				t.Fatal(err)
			}
		}
		// More than the SDK sends in one part.
		if err := s.Write(t.Context(), name, brokenReader{strings.NewReader(strings.Repeat("x", 6<<20))}); !errors.Is(err, errBroken) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if got := server.Get("new"); got != nil {
		t.Errorf("%d bytes appeared", len(got))
	}
	if got := server.Get("old"); string(got) != "old" {
		t.Errorf("%d bytes are in the place of what was there", len(got))
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file appeared: %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "old")); string(got) != "old" || err != nil {
		t.Errorf("%d bytes are in the place of what was there, %v", len(got), err)
	}
}

// Remove removes, and has nothing to do where there is nothing.
func TestRemove(t *testing.T) {
	server := storetest.New(t)
	s, err := New(Options{Params: []string{server.Params()}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{server.Name("k"), t.TempDir() + "/k"} {
		if err := s.Write(t.Context(), name, strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Remove(t.Context(), name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := s.Open(t.Context(), name, ""); !IsMissing(err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestKeysAreTheStores writes, reads and removes objects by the names that other tools
// give them.
func TestKeysAreTheStores(t *testing.T) {
	storetest.Each(t, func(t *testing.T, server *storetest.Server) {
		s, err := New(Options{Params: []string{server.Params()}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, key := range []string{"plain", "a b+c", "50%é", "what? #1", `"quoted"`} {
			if err := s.Write(t.Context(), server.Name(key), strings.NewReader(key)); err != nil {
				t.Errorf("writing %q: %v", key, err)
			}
			if got := server.Get(key); string(got) != key {
				t.Errorf("the store has %q as %q", key, got)
			}
			o, err := s.Open(t.Context(), server.Name(key), "")
			if err != nil {
				t.Errorf("opening %q: %v", key, err)
				continue
			}
			o.Close()
			if err := s.Remove(t.Context(), server.Name(key)); err != nil || server.Get(key) != nil {
				t.Errorf("removing %q: %v", key, err)
			}
		}
	})
}
