package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

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
	if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
		t.Errorf("there are %v, %v", left, err)
	}
}

// A write that failed begins again from the beginning.
func TestWriteAgain(t *testing.T) {
	var writes []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPut {
			t.Errorf("%s, %v", r.Method, err)
		}
		if writes = append(writes, string(body)); len(writes) == 1 {
			w.WriteHeader(http.StatusConflict) // which the SDK does not repeat by itself
		}
	}))
	defer server.Close()
	s, err := New(Options{Params: []string{s3Params(server.URL)}, Retries: 1, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Write(t.Context(), "s3://bucket/k", strings.NewReader("all of it")); err != nil {
		t.Fatal(err)
	}
	if len(writes) != 2 || !strings.Contains(writes[1], "all of it") {
		t.Errorf("wrote %q", writes)
	}
}

// s3Params is the option --store for a server of S3.
func s3Params(serverURL string) string {
	return "s3://?use_path_style=true&anonymous=true&region=us-east-1&endpoint=" + url.QueryEscape(serverURL)
}

// Of many that create an object one does, and what it wrote stays.
func TestCreate(t *testing.T) {
	storetest.Each(t, func(t *testing.T, server *storetest.Server) {
		s, err := New(Options{Params: []string{server.Params()}, Retries: 3})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, name := range []string{server.Name("k"), filepath.Join(t.TempDir(), "new", "k")} {
			var created atomic.Int64
			var winner atomic.Pointer[string]
			var all sync.WaitGroup
			for i := range 20 {
				all.Go(func() {
					text := fmt.Sprint(i)
					ok, err := s.Create(t.Context(), name, strings.NewReader(text))
					if err != nil {
						t.Error(err)
					}
					if ok {
						created.Add(1)
						winner.Store(&text)
					}
				})
			}
			all.Wait()
			o, err := s.Open(t.Context(), name, "")
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(o)
			o.Close()
			if err != nil || created.Load() != 1 || string(got) != *winner.Load() {
				t.Errorf("%s: %d were created; got %q, %v", name, created.Load(), got, err)
			}
			if !strings.Contains(name, "://") {
				if left, err := os.ReadDir(filepath.Dir(name)); err != nil || len(left) != 1 {
					t.Errorf("there are %v, %v", left, err)
				}
			}
		}
	})
}

// A store that knows no conditions writes.
func TestCreateWithoutConditions(t *testing.T) {
	var writes []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotImplemented)
			io.WriteString(w, "<Error><Code>NotImplemented</Code></Error>")
			return
		}
		body, _ := io.ReadAll(r.Body)
		writes = append(writes, string(body))
	}))
	defer server.Close()
	s, err := New(Options{Params: []string{s3Params(server.URL)}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if ok, err := s.Create(t.Context(), "s3://bucket/k", strings.NewReader("all of it")); !ok || err != nil {
		t.Errorf("got %v, %v", ok, err)
	}
	if len(writes) != 1 || !strings.Contains(writes[0], "all of it") {
		t.Errorf("wrote %q", writes)
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
		for _, key := range []string{"plain", "a b+c", "50%é", "what? #1", `"quoted"`, "a//b", "./a", "a/..", "/a"} {
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

// A removal is one request, which only the caller repeats.
func TestRemovalsAreNotRepeated(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	t.Setenv("STORAGE_EMULATOR_HOST", address)
	t.Setenv("AZURE_STORAGE_ACCOUNT", "fleet")
	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "sv=2024-01-01")
	for name, param := range map[string]string{
		"s3://bucket/k":     s3Params(server.URL),
		"gs://bucket/k":     "gs://?anonymous=true",
		"azblob://bucket/k": "azblob://?protocol=http&domain=" + url.QueryEscape(address),
	} {
		s := newStore(t, param)
		requests.Store(0)
		if err := s.Remove(t.Context(), name); err == nil || requests.Load() != 1 {
			t.Errorf("%s: %d requests, %v", name, requests.Load(), err)
		}
	}
}

// What is too long for one request is written in parts: all of it, from its beginning.
func TestWriteInParts(t *testing.T) {
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	parts := gofakes3.New(backend, gofakes3.WithTimeSkewLimit(0)).Server()
	var requests atomic.Int64
	s := newStore(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		parts.ServeHTTP(w, r)
	}))
	data := storetest.Bytes(1, 40<<20+5)
	from := bytes.NewReader(data)
	io.CopyN(io.Discard, from, 1000)
	if ok, err := s.Create(t.Context(), "s3://bucket/a/../k", from); !ok || err != nil {
		t.Fatalf("got %v, %v", ok, err)
	}
	if n := requests.Load(); n < 4 {
		t.Errorf("%d requests", n)
	}
	if got := contents(t, s, "s3://bucket/a/../k", ""); got != string(data) {
		t.Errorf("%d bytes of %d", len(got), len(data))
	}
}

// TestStalledUploadIsRemoved tests that the parts of an upload that stalls do not stay.
func TestStalledUploadIsRemoved(t *testing.T) {
	backend := s3mem.New()
	if err := backend.CreateBucket("bucket"); err != nil {
		t.Fatal(err)
	}
	parts := gofakes3.New(backend, gofakes3.WithTimeSkewLimit(0)).Server()
	var begun, removed atomic.Int64
	ended := make(chan bool)
	params := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch q := r.URL.Query(); {
		case r.Method == http.MethodPost && q.Has("uploads"):
			begun.Add(1)
		case r.Method == http.MethodPut && q.Get("partNumber") == "2":
			<-ended
		case r.Method == http.MethodDelete && q.Has("uploadId"):
			removed.Add(1)
		}
		parts.ServeHTTP(w, r)
	})
	t.Cleanup(func() { close(ended) }) // before the server is closed
	s, err := New(Options{Params: []string{params}, Stall: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Write(t.Context(), "s3://bucket/k", bytes.NewReader(make([]byte, 40<<20))); !errors.Is(err, errStalled) {
		t.Errorf("got %v, want %v", err, errStalled)
	}
	if begun.Load() == 0 || removed.Load() != begun.Load() {
		t.Errorf("of %d uploads, the parts of %d were removed", begun.Load(), removed.Load())
	}
}

// hanging returns stores of each kind whose server answers nothing, and perhaps reads what
// it is sent.
func hanging(t *testing.T, readsBody bool) map[string]*Store {
	t.Helper()
	ended := make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if readsBody {
			io.Copy(io.Discard, r.Body)
		}
		<-ended // a server that does not read does not see its client go
	}))
	t.Cleanup(func() {
		close(ended)
		server.CloseClientConnections()
		server.Close()
	})
	address := strings.TrimPrefix(server.URL, "http://")
	t.Setenv("STORAGE_EMULATOR_HOST", address)
	t.Setenv("AZURE_STORAGE_ACCOUNT", "fleet")
	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "sv=2024-01-01")
	stores := make(map[string]*Store)
	for scheme, param := range map[string]string{
		"s3":     s3Params(server.URL),
		"gs":     "gs://?anonymous=true",
		"azblob": "azblob://?protocol=http&domain=" + url.QueryEscape(address),
	} {
		s, err := New(Options{Params: []string{param}, Retries: 1, Backoff: time.Millisecond, Stall: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		stores[scheme] = s
	}
	return stores
}

// A write or a removal that a store does not answer ends as a read does, whatever is written.
func TestWritesAndRemovalsStall(t *testing.T) {
	for _, readsBody := range []bool{false, true} {
		for scheme, s := range hanging(t, readsBody) {
			for name, do := range map[string]func(ctx context.Context, name string) error{
				"remove":           s.Remove,
				"write":            func(ctx context.Context, name string) error { return s.Write(ctx, name, strings.NewReader("x")) },
				"write of nothing": func(ctx context.Context, name string) error { return s.Write(ctx, name, strings.NewReader("")) },
				"write of many MiB": func(ctx context.Context, name string) error {
					return s.Write(ctx, name, bytes.NewReader(make([]byte, 40<<20)))
				},
				"create": func(ctx context.Context, name string) error {
					_, err := s.Create(ctx, name, strings.NewReader("x"))
					return err
				},
			} {
				t.Run(fmt.Sprint(scheme, "/", name, "/", readsBody), func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
					defer cancel()
					object := scheme + "://bucket/k"
					if err := do(ctx, object); !errors.Is(err, errStalled) || !strings.Contains(err.Error(), object) {
						t.Errorf("got %v, want %v of %s", err, errStalled, object)
					}
				})
			}
		}
	}
}

// A write that is slow goes on as long as the store takes bytes, however long that is, and
// however it ends.
func TestSlowWrite(t *testing.T) {
	const size = 12 << 20
	const stall = time.Second
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := make([]byte, 128<<10)
		for {
			if _, err := io.ReadFull(r.Body, b); err != nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		// Whitespace before the end of an answer, as S3 sends it, is progress.
		w.WriteHeader(http.StatusOK)
		for range 6 {
			io.WriteString(w, " ")
			http.NewResponseController(w).Flush()
			time.Sleep(stall / 4)
		}
	}))
	server.Listener = narrow{server.Listener}
	server.Start()
	defer server.Close()
	s, err := New(Options{Params: []string{s3Params(server.URL)}, Stall: stall})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	start := time.Now()
	if err := s.Write(t.Context(), "s3://bucket/k", bytes.NewReader(make([]byte, size))); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took < stall {
		t.Errorf("took %v, which shows nothing", took)
	}
}

// narrow gives connections a small buffer: what a server does not read is not taken either.
type narrow struct{ net.Listener }

func (n narrow) Accept() (net.Conn, error) {
	c, err := n.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetReadBuffer(64 << 10)
	}
	return c, err
}
