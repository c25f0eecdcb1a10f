package store

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

// A listing that is not answered ends as a read does.
func TestListingStalls(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer server.Close()
	s, err := New(Options{
		Params:  []string{"s3://?use_path_style=true&anonymous=true&region=us-east-1&endpoint=" + url.QueryEscape(server.URL)},
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
