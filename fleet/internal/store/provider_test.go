package store

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"":                              0,
		"0":                             0,
		"7":                             7 * time.Second,
		"86400":                         maxRetryAfter,
		"99999999999999999999":          0,
		"-7":                            0,
		"soon":                          0,
		"Fri, 02 Jan 2026 03:04:35 GMT": 30 * time.Second,
		"Fri, 02 Jan 2026 03:04:00 GMT": 0,
		"Sat, 03 Jan 2026 03:04:00 GMT": maxRetryAfter,
	} {
		if got := retryAfter(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// No error has the query or the user of a URL, where credentials may be. A token may
// be one that makes no URL.
func TestErrorsHaveNoCredentials(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	address := strings.TrimPrefix(closed.URL, "http://")
	t.Setenv("AZURE_STORAGE_ACCOUNT", "fleet")
	t.Setenv("AZURE_STORAGE_KEY", "")
	for _, token := range []string{"sv=2024-01-01&sig=SECRET%2B", "sig=SECRET\n", `sig="SECRET?SECRET`} {
		t.Setenv("AZURE_STORAGE_SAS_TOKEN", token)
		s := newStore(t, "azblob://?protocol=http&domain="+url.QueryEscape(address))
		_, opened := s.Open(t.Context(), "azblob://c/k", "")
		listed := s.List(t.Context(), "azblob://c/k", false, func(Info) error { return nil })
		for _, err := range []error{opened, listed} {
			if err == nil || strings.Contains(err.Error(), "SECRET") || !strings.Contains(err.Error(), address) {
				t.Errorf("%q: %v", token, err)
			}
		}
	}
	for _, tt := range []struct{ url, want string }{
		{"https://h/k?sig=SECRET", "https://h/k"},
		{"https://u:SECRET@h/k@l", "https://h/k@l"},
		{"https://h/k#SECRET", "https://h/k"},
		{"https://h/\"k\n?sig=SECRET", "https://h/\"k\n"},
		{"https://h", "https://h"},
		{"", ""},
	} {
		one := &url.Error{Op: "Get", URL: tt.url, Err: syscall.ECONNREFUSED}
		want := (&url.Error{Op: "Get", URL: tt.want, Err: one.Err}).Error()
		for _, err := range []error{one, fmt.Errorf("%w", one), &url.Error{Op: "Get", URL: "https://h?SECRET", Err: one}} {
			got := s3Provider.failed(err)
			if !strings.HasSuffix(got.Error(), want) || strings.Contains(got.Error(), "SECRET") || !errors.Is(got, syscall.ECONNREFUSED) {
				t.Errorf("got %v, want %s", got, want)
			}
		}
	}
}
