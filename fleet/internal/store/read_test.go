package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// What is not one object's fault counts against its store. What lies in its name, or is
// no file, will not pass.
func TestOfObject(t *testing.T) {
	for err, want := range map[error]struct{ ofObject, mayPass bool }{
		ErrChanged:             {true, true},
		nameError("no bucket"): {true, false},
		errNoLength:            {false, false},
		errStalled:             {false, true},
		io.ErrUnexpectedEOF:    {false, true},
		newFailure(refused, errors.New("ExpiredToken")):  {false, true},
		newFailure(passing, errors.New("SlowDown")):      {false, true},
		newFailure(unfit, errors.New("KeyTooLongError")): {true, false},
		syscall.EACCES:    {true, true},
		syscall.EISDIR:    {true, false},
		syscall.ELOOP:     {true, false},
		syscall.EIO:       {false, true},
		syscall.ESTALE:    {false, true},
		syscall.ENOTCONN:  {false, true},
		syscall.ETIMEDOUT: {false, true},
		syscall.EMFILE:    {false, true},
		syscall.ENFILE:    {false, true},
		// These are missing, whatever a later run may find.
		syscall.ENOENT:  {true, false},
		syscall.ENOTDIR: {true, false},
	} {
		if _, isErrno := err.(syscall.Errno); isErrno {
			err = &fs.PathError{Op: "open", Path: "p", Err: err}
		}
		err = fmt.Errorf("reading: %w", err)
		if OfObject(err) != want.ofObject || MayPass(err) != want.mayPass {
			t.Errorf("%v: of the object %v, may pass %v, want %v", err, OfObject(err), MayPass(err), want)
		}
	}
}

// What the reader takes its time for is not the store's fault.
func TestSlowReader(t *testing.T) {
	server := storetest.New(t)
	data := storetest.Bytes(1, 5<<20) // more than is under way
	server.Put("k", data)
	s, err := New(Options{Params: []string{server.Params()}, Stall: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	o, err := s.Open(t.Context(), server.Name("k"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	got := make([]byte, 1000)
	if _, err := io.ReadFull(o, got); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	rest, err := io.ReadAll(o)
	if err != nil || !bytes.Equal(append(got, rest...), data) {
		t.Errorf("%d bytes, %v", 1000+len(rest), err)
	}
}

// What is cancelled ends at once, with the cause: in a request, in the pause before the
// next, between two reads of a file.
func TestCancel(t *testing.T) {
	requests := make(chan bool, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- true
		if r.URL.Path == "/bucket/unanswered" {
			<-r.Context().Done()
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	for _, tt := range []struct {
		name    string
		object  string
		retries int
	}{
		{"the only request", "s3://bucket/unanswered", 0},
		{"the first request", "s3://bucket/unanswered", 5},
		{"a pause", "s3://bucket/503", 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := New(Options{Params: []string{s3Params(server.URL)}, Retries: tt.retries, Backoff: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				<-requests
				time.Sleep(50 * time.Millisecond) // perhaps the pause has begun
				cancel(errBroken)
			}()
			start := time.Now()
			if _, err := s.Open(ctx, tt.object, ""); err != errBroken || time.Since(start) > time.Minute {
				t.Errorf("got %v after %v", err, time.Since(start))
			}
		})
	}
	t.Run("file", func(t *testing.T) {
		s, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		o, err := s.Open(ctx, storetest.WriteFile(t, t.TempDir(), "f", make([]byte, 10)), "")
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		b := make([]byte, 5)
		if _, err := io.ReadFull(o, b); err != nil {
			t.Fatal(err)
		}
		cancel(errBroken)
		if n, err := o.Read(b); n != 0 || !errors.Is(err, errBroken) {
			t.Errorf("%d bytes, %v", n, err)
		}
	})
}

// The parameters of one bucket count before those of all, whichever come first.
func TestParametersOfOneBucket(t *testing.T) {
	server := storetest.New(t)
	server.Put("k", []byte("x"))
	one, all := "s3://"+storetest.Bucket+server.Params()[len("s3://"):], s3Params("http://127.0.0.1:1")
	for _, params := range [][]string{{one, all}, {all, one}} {
		s, err := New(Options{Params: params})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		o, err := s.Open(t.Context(), server.Name("k"), "")
		if err != nil {
			t.Errorf("%q: %v", params, err)
			continue
		}
		o.Close()
	}
}

// Pauses grow, but not for ever: the longest is 64 times the first.
func TestPauses(t *testing.T) {
	s, err := New(Options{Retries: 100, Backoff: 10 * time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tries := 0
	if err := s.retry(ctx, func(context.Context) error { tries++; return errBroken }); err != errBroken || tries != 101 {
		t.Errorf("%d tries, %v", tries, err)
	}
}
