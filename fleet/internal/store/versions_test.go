package store

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// newStore returns a Store of what a server has.
func newStore(t *testing.T, params ...string) *Store {
	t.Helper()
	s, err := New(Options{Params: params})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// contents returns what an object has.
func contents(t *testing.T, s *Store, name, version string) string {
	t.Helper()
	o, err := s.Open(t.Context(), name, version)
	if err != nil {
		t.Fatalf("%s, version %q: %v", name, version, err)
	}
	defer o.Close()
	b, err := io.ReadAll(o)
	if err != nil {
		t.Fatalf("%s, version %q: %v", name, version, err)
	}
	return string(b)
}

// A listing of all versions has each once, by the name and version that open it.
func TestVersions(t *testing.T) {
	storetest.Each(t, func(t *testing.T, server *storetest.Server) {
		s := newStore(t, server.Params())
		var all, current []string
		for _, key := range []string{"a", "b c", "d/e"} {
			for i := range 3 {
				text := fmt.Sprint(key, " ", i)
				server.Put(key, []byte(text))
				server.Keep(key)
				all = append(all, text)
			}
			server.Put(key, []byte(key))
			all = append(all, key)
			current = append(current, key)
		}
		for versions, want := range map[bool][]string{true: all, false: current} {
			var got []string
			if err := s.List(t.Context(), server.Name(""), versions, func(i Info) error {
				text := contents(t, s, i.Name, i.Version)
				if int64(len(text)) != i.Size || !versions && i.Version != "" {
					t.Errorf("%+v has %q", i, text)
				}
				got = append(got, text)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(got)
			slices.Sort(want)
			// S3's null version was overwritten when versions began to be kept.
			if !slices.Equal(got, want) {
				t.Errorf("versions %v: got %q, want %q", versions, got, want)
			}
		}
		if _, err := s.Open(t.Context(), server.Name("a"), "nonsense"); err == nil {
			t.Error("a version that there is none of can be opened")
		}
	})
}

// A delete marker is no version of an object: it has no contents.
func TestVersionsOfDeletedObjects(t *testing.T) {
	server := storetest.New(t)
	server.Keep("k")
	server.Put("k", []byte("x"))
	server.Delete("k")
	s := newStore(t, server.Params())
	var got []string
	if err := s.List(t.Context(), server.Name(""), true, func(i Info) error {
		got = append(got, contents(t, s, i.Name, i.Version))
		return nil
	}); err != nil || !slices.Equal(got, []string{"x"}) {
		t.Errorf("got %q, %v", got, err)
	}
}

// What is stored compressed is read as it is stored: that is what its size is of.
func TestContentEncoding(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(strings.Repeat("text ", 1000)))
	w.Close()
	storetest.Each(t, func(t *testing.T, server *storetest.Server) {
		s := newStore(t, server.Params())
		for key, data := range map[string]string{"compressed": b.String(), "not compressed at all": "text", "empty": ""} {
			server.PutGzip(key, []byte(data))
			if got := contents(t, s, server.Name(key), ""); got != data {
				t.Errorf("%s: got %d bytes, want %d", key, len(got), len(data))
			}
			server.Faults(func(_ string, nth int) storetest.Fault {
				if nth == 0 && data != "" {
					return storetest.Fault{Cut: len(data) / 2}
				}
				return storetest.Fault{}
			})
			if got := contents(t, newRetrying(t, server), server.Name(key), ""); got != data {
				t.Errorf("%s, cut: got %d bytes, want %d", key, len(got), len(data))
			}
			server.Faults(nil)
		}
	})
}

// newRetrying returns a Store that makes some more requests.
func newRetrying(t *testing.T, server *storetest.Server) *Store {
	t.Helper()
	s, err := New(Options{Params: []string{server.Params()}, Retries: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
