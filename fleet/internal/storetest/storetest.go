// Package storetest runs object stores on loopback that fail on request.
package storetest

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Bucket is the one that a Server has.
const Bucket = "bucket"

// A Server is an object store with one bucket.
type Server struct {
	// URL is its address.
	URL string
	// Requests counts the reads of objects, and Bytes what was sent of them.
	Requests, Bytes atomic.Int64

	objects   objects
	scheme    string
	params    func(address string) string
	handler   http.Handler
	path      string // of objects: what is before their keys
	fault     atomic.Pointer[func(key string, nth int) Fault]
	failPages atomic.Bool
	mu        sync.Mutex
	reads     map[string]int
}

// objects are those in the bucket, past the server and its faults.
type objects interface {
	put(key string, data []byte) error
	// putGzip writes an object with the header Content-Encoding: gzip.
	putGzip(key string, data []byte) error
	get(key string) ([]byte, error)
	delete(key string) error
	// keep has the store keep what an object is now, whatever is written to it later.
	keep(key string) error
}

// A Fault is what befalls one read of an object. The zero Fault is none.
type Fault struct {
	// Latency passes before the response begins.
	Latency time.Duration
	// Status, if not 0, is the status of the response, which has no object.
	Status int
	// Cut, if not 0, is after how many bytes the connection ends; below 0, before
	// any.
	Cut int
	// Stall, if not 0, passes after half of the object.
	Stall time.Duration
	// Then, if not nil, is called before the response ends.
	Then func()
}

// New starts a server of S3, for as long as the test runs.
func New(tb testing.TB) *Server {
	tb.Helper()
	s := Start()
	s.serve(tb)
	return s
}

// Start returns a server of S3 with an empty bucket, which is yet to be served.
func Start() *Server {
	b := &backend{Backend: s3mem.New()}
	if err := b.CreateBucket(Bucket); err != nil {
		panic(err) // it is the first
	}
	return &Server{
		objects: b,
		scheme:  "s3",
		params: func(address string) string {
			return "use_path_style=true&anonymous=true&region=us-east-1&endpoint=" + url.QueryEscape("http://"+address)
		},
		handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			gofakes3.New(b, gofakes3.WithTimeSkewLimit(0)).Server().ServeHTTP(w, r)
		}),
		path:  "/" + Bucket + "/",
		reads: make(map[string]int),
	}
}

// serve gives the server its address, for as long as the test runs.
func (s *Server) serve(tb testing.TB) {
	server := httptest.NewServer(s)
	s.URL = server.URL
	tb.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
}

// Params is what the option --store needs to reach the server.
func (s *Server) Params() string {
	return s.scheme + "://?" + s.params(strings.TrimPrefix(s.URL, "http://"))
}

// Name returns the URL of an object.
func (s *Server) Name(key string) string { return s.scheme + "://" + Bucket + "/" + key }

// Faults has reads fail: fault says how, of a key and the number of its reads
// since. It is called concurrently. nil means no faults.
func (s *Server) Faults(fault func(key string, nth int) Fault) {
	s.mu.Lock()
	clear(s.reads)
	s.mu.Unlock()
	if fault == nil {
		s.fault.Store(nil)
		return
	}
	s.fault.Store(&fault)
}

// FailPages says whether a server of S3 answers with 403 to requests for the second
// and later pages of listings.
func (s *Server) FailPages(on bool) { s.failPages.Store(on) }

// PutVersion writes an object as a new version, to a server of S3, and returns the
// version's ID.
func (s *Server) PutVersion(key string, data []byte) string {
	b := s.objects.(*backend)
	if err := b.SetVersioningConfiguration(Bucket, gofakes3.VersioningConfiguration{Status: gofakes3.VersioningEnabled}); err != nil {
		panic(err)
	}
	r, err := b.PutObject(Bucket, key, map[string]string{}, bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		panic(err)
	}
	return string(r.VersionID)
}

// Put writes an object.
func (s *Server) Put(key string, data []byte) {
	if err := s.objects.put(key, data); err != nil {
		panic(err)
	}
}

// PutGzip writes an object with the header Content-Encoding: gzip, of which data may be
// the contents.
func (s *Server) PutGzip(key string, data []byte) {
	if err := s.objects.putGzip(key, data); err != nil {
		panic(err)
	}
}

// Keep has the store keep what an object is now, as a version of it, whatever is
// written to it later.
func (s *Server) Keep(key string) {
	if err := s.objects.keep(key); err != nil {
		panic(err)
	}
}

// PutZeros writes an object of zeros to a server of S3. It takes no memory and is
// not listed.
func (s *Server) PutZeros(key string, size int64) { s.objects.(*backend).zeros.Store(key, size) }

// Get returns an object, or nil.
func (s *Server) Get(key string) []byte {
	data, err := s.objects.get(key)
	if err != nil {
		return nil
	}
	return data
}

// Delete removes an object, if it is there.
func (s *Server) Delete(key string) {
	if err := s.objects.delete(key); err != nil {
		panic(err)
	}
}

// ServeHTTP serves the store.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, ok := strings.CutPrefix(r.URL.Path, s.path)
	fault := s.fault.Load()
	if s.failPages.Load() && r.URL.Query().Has("continuation-token") {
		fail(w, http.StatusForbidden)
		return
	}
	if r.Method != http.MethodGet || !ok || key == "" {
		s.handler.ServeHTTP(w, r)
		return
	}
	s.Requests.Add(1)
	var f Fault
	if fault != nil {
		s.mu.Lock()
		nth := s.reads[key]
		s.reads[key]++
		s.mu.Unlock()
		f = (*fault)(key, nth)
	}
	wait(r.Context(), f.Latency)
	switch {
	case f.Cut < 0:
		panic(http.ErrAbortHandler)
	case f.Status != 0:
		fail(w, f.Status)
		return
	}
	s.handler.ServeHTTP(&failing{ResponseWriter: w, server: s, fault: f, ctx: r.Context()}, r)
	if f.Then != nil {
		f.Then()
	}
}

// fail answers with a status and what S3 says with it.
func fail(w http.ResponseWriter, status int) {
	w.WriteHeader(status)
	io.WriteString(w, "<Error><Code>"+strings.ReplaceAll(http.StatusText(status), " ", "")+"</Code></Error>")
}

func wait(ctx context.Context, d time.Duration) {
	if d > 0 {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
}

// failing is a response to which a fault happens.
type failing struct {
	http.ResponseWriter
	server *Server
	fault  Fault
	ctx    context.Context
	n      int
}

func (f *failing) Write(p []byte) (int, error) {
	if f.fault.Cut > 0 && f.n+len(p) >= f.fault.Cut {
		f.ResponseWriter.Write(p[:f.fault.Cut-f.n])
		http.NewResponseController(f.ResponseWriter).Flush()
		if f.fault.Then != nil {
			f.fault.Then()
		}
		panic(http.ErrAbortHandler)
	}
	if f.fault.Stall > 0 && len(p) > 1 {
		half := len(p) / 2
		n, err := f.write(p[:half])
		if err != nil {
			return n, err
		}
		http.NewResponseController(f.ResponseWriter).Flush()
		wait(f.ctx, f.fault.Stall)
		m, err := f.write(p[half:])
		return n + m, err
	}
	return f.write(p)
}

func (f *failing) write(p []byte) (int, error) {
	n, err := f.ResponseWriter.Write(p)
	f.n += n
	f.server.Bytes.Add(int64(n))
	return n, err
}

// A backend is a backend of S3 that also has objects of zeros.
type backend struct {
	*s3mem.Backend
	zeros sync.Map // of int64, by key
}

func (b *backend) put(key string, data []byte) error {
	_, err := b.PutObject(Bucket, key, map[string]string{}, bytes.NewReader(data), int64(len(data)), nil)
	return err
}

func (b *backend) putGzip(key string, data []byte) error {
	_, err := b.PutObject(Bucket, key, map[string]string{"Content-Encoding": "gzip"}, bytes.NewReader(data), int64(len(data)), nil)
	return err
}

func (b *backend) keep(string) error {
	return b.SetVersioningConfiguration(Bucket, gofakes3.VersioningConfiguration{Status: gofakes3.VersioningEnabled})
}

func (b *backend) get(key string) ([]byte, error) {
	o, err := b.GetObject(Bucket, key, nil)
	if err != nil {
		return nil, err
	}
	defer o.Contents.Close()
	return io.ReadAll(o.Contents)
}

func (b *backend) delete(key string) error {
	_, err := b.DeleteObject(Bucket, key)
	return err
}

func (b *backend) GetObject(bucket, key string, r *gofakes3.ObjectRangeRequest) (*gofakes3.Object, error) {
	size, ok := b.zeros.Load(key)
	if !ok {
		return b.Backend.GetObject(bucket, key, r)
	}
	o := &gofakes3.Object{Name: key, Size: size.(int64), Hash: []byte("zeros"), Metadata: map[string]string{}}
	var err error
	if o.Range, err = r.Range(o.Size); err != nil {
		return nil, err
	}
	left := o.Size
	if o.Range != nil {
		left = o.Range.Length
	}
	o.Contents = io.NopCloser(io.LimitReader(zeros{}, left))
	return o, nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Bytes returns n bytes that are the same for the same seed.
func Bytes(seed uint64, n int) []byte {
	r := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16), byte(seed >> 24)})
	b := make([]byte, n)
	r.Read(b) // never fails
	return b
}

// WriteFile writes a file in a directory and returns its path.
func WriteFile(tb testing.TB, dir, name string, data []byte) string {
	tb.Helper()
	path := dir + "/" + name
	if err := os.WriteFile(path, data, 0o666); err != nil {
		tb.Fatal(err)
	}
	return path
}
