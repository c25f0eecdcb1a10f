package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// A listing that is not answered ends as a read does.
func TestListingStalls(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer server.Close()
	s, err := New(Options{
		Params:  []string{s3Params(server.URL)},
		Retries: 1, Backoff: time.Millisecond, Stall: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.List(ctx, "s3://bucket/", false, func(Info) error { return nil }); !errors.Is(err, errStalled) {
		t.Errorf("got %v, want %v", err, errStalled)
	}
}

// A listing has all objects, however many pages it takes.
func TestListingOfPages(t *testing.T) {
	server := storetest.New(t)
	const n = 2*pageSize + 1
	for i := range n {
		server.Put(fmt.Sprintf("%05d", i), nil)
	}
	s, err := New(Options{Params: []string{server.Params()}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	next := 0
	if err := s.List(t.Context(), "s3://"+storetest.Bucket, false, func(i Info) error {
		if want := server.Name(fmt.Sprintf("%05d", next)); i.Name != want {
			t.Errorf("got %s, want %s", i.Name, want)
		}
		next++
		return nil
	}); err != nil || next != n {
		t.Errorf("%d objects of %d, %v", next, n, err)
	}
}

// A listing has the ETags that reads have, and other contents have others.
func TestListedETags(t *testing.T) {
	storetest.Each(t, func(t *testing.T, server *storetest.Server) {
		s, err := New(Options{Params: []string{server.Params()}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		seen := map[string]bool{}
		for _, data := range []string{"a", "b"} {
			server.Put("k", []byte(data))
			if err := s.List(t.Context(), server.Name("k"), false, func(i Info) error {
				o, err := s.Open(t.Context(), i.Name, "")
				if err != nil {
					return err
				}
				defer o.Close()
				if i.ETag == "" || i.ETag != o.ETag() || seen[i.ETag] || strings.Contains(i.ETag, `"`) {
					t.Errorf("%q is listed, and %q read; before: %v", i.ETag, o.ETag(), seen)
				}
				seen[i.ETag] = true
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// What a listing names can be opened by that name, whatever is in it. Objects without
// contents that stand for directories are objects, too.
func TestListedNamesCanBeOpened(t *testing.T) {
	server := storetest.New(t)
	s, err := New(Options{Params: []string{server.Params()}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir()
	var want []string
	for _, name := range []string{"50%", "50%25", "a b", "c#d", "e?f", "g+h", "é"} {
		server.Put("dir/"+name, []byte(name))
		storetest.WriteFile(t, dir, name, []byte(name))
		want = append(want, name)
	}
	server.Put("dir/empty/", nil)
	server.Put("dir/slash/", []byte("slash/"))
	for pattern, want := range map[string][]string{
		server.Name("dir"): append(slices.Clone(want), "slash/", ""), server.Name("d*/**"): append(slices.Clone(want), "slash/", ""), dir: want, "file://" + dir: want,
	} {
		var got []string
		if err := s.List(t.Context(), pattern, false, func(i Info) error {
			o, err := s.Open(t.Context(), i.Name, "")
			if err != nil {
				return err
			}
			defer o.Close()
			b, err := io.ReadAll(o)
			if int64(len(b)) != i.Size {
				t.Errorf("%s: %d bytes, not %d", i.Name, len(b), i.Size)
			}
			got = append(got, string(b))
			return err
		}); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
}

// Below a name is what it names, whatever pattern it looks like.
func TestListBelow(t *testing.T) {
	server := storetest.New(t)
	s := newStore(t, server.Params())
	roots := []string{server.Name(""), t.TempDir() + "/"}
	for _, root := range roots {
		for _, name := range []string{"run[1]/results", "run1/results", "a{b,c}/results", "ab/results"} {
			if err := s.Write(t.Context(), root+name+"/x", strings.NewReader("x")); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, want := range map[string]bool{"run[1]/results": true, "a{b,c}/results": true, "run[1-9]/results": false, "{ab,a}/results": false} {
		for _, root := range roots {
			got := ""
			err := s.ListBelow(t.Context(), root+name, func(i Info) error { got += i.Name; return nil })
			if want && (err != nil || got != root+name+"/x") || !want && !errors.Is(err, ErrNone) {
				t.Errorf("%s: got %q, %v", root+name, got, err)
			}
		}
	}
}
