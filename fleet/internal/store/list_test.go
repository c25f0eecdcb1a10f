package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
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
	if err := s.List(ctx, "s3://bucket/", func(Info) error { return nil }); !errors.Is(err, errStalled) {
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
	if err := s.List(t.Context(), "s3://"+storetest.Bucket, func(i Info) error {
		if want := server.Name(fmt.Sprintf("%05d", next)); i.Name != want {
			t.Errorf("got %s, want %s", i.Name, want)
		}
		next++
		return nil
	}); err != nil || next != n {
		t.Errorf("%d objects of %d, %v", next, n, err)
	}
}
