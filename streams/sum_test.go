package streams_test

import (
	"bytes"
	"context"
	stdsha256 "crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
	"github.com/sha256-simd/sha256-simd/streams"
)

// A stream counts how many of its kind are open.
type stream struct {
	io.Reader
	open   *atomic.Int32
	closes atomic.Int32
	err    error // of Close
}

func (s *stream) Close() error {
	s.closes.Add(1)
	s.open.Add(-1)
	return s.err
}

// readerFunc is a Read method.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestSum(t *testing.T) {
	source := hashtest.Data(1 << 20)
	hashtest.ForEach(t, func(t *testing.T) {
		for _, open := range []int{0, 1, 2, 7, 1000} {
			for _, n := range []int{0, 1, 3, 130} {
				msgs := make([][]byte, n)
				for i := range msgs {
					length := []int{0, 1, 63, 32<<10 - 1, 32 << 10, 32<<10 + 1, 64 << 10, 100_000, 1000 + i}[i*7%9]
					msgs[i] = source[i*101:][:length]
				}
				var opened, peak atomic.Int32
				opens := make([]*stream, n)
				dst := make([][sha256.Size]byte, n)
				var done int
				var total int64
				err := streams.Sum(t.Context(), dst, func(i int) (io.ReadCloser, error) {
					peak.Store(max(peak.Load(), opened.Add(1)))
					var r io.Reader = bytes.NewReader(msgs[i])
					switch i % 5 {
					case 1:
						r = iotest.DataErrReader(r)
					case 2:
						r = iotest.HalfReader(r)
					}
					opens[i] = &stream{Reader: r, open: &opened}
					return opens[i], nil
				}, streams.Options{MaxOpen: open, Progress: func(d int, b int64) {
					if d < done || b < total {
						t.Errorf("progress went from %d, %d to %d, %d", done, total, d, b)
					}
					done, total = d, b
				}})
				if err != nil {
					t.Fatal(err)
				}
				want := int64(0)
				for i, msg := range msgs {
					if dst[i] != stdsha256.Sum256(msg) {
						t.Fatalf("%d open, %d streams: wrong digest of stream %d", open, n, i)
					}
					if c := opens[i].closes.Load(); c != 1 {
						t.Errorf("stream %d was closed %d times", i, c)
					}
					want += int64(len(msg))
				}
				if done != n || total != want {
					t.Errorf("progress ends with %d streams and %d bytes, want %d and %d", done, total, n, want)
				}
				if limit := int32(max(open, 64*(1-min(open, 1)))); peak.Load() > limit {
					t.Errorf("%d streams were open at a time, want at most %d", peak.Load(), limit)
				}
			}
		}
	})
}

// TestSumErrors has one stream among good ones fail in each way.
func TestSumErrors(t *testing.T) {
	broken := errors.New("broken")
	data := hashtest.Data(200_000)
	for _, tt := range []struct {
		name   string
		open   error
		read   io.Reader // after some data; nil: open returns no stream
		closed error
		want   string
	}{
		{name: "open", open: broken, want: "broken"},
		{name: "no stream", want: "open returned neither a stream nor an error"},
		{name: "read", read: iotest.ErrReader(broken), want: "broken"},
		{name: "unexpected end", read: iotest.ErrReader(io.ErrUnexpectedEOF), want: "unexpected EOF"},
		{name: "close", read: strings.NewReader(""), closed: broken, want: "broken"},
		{name: "no progress", read: readerFunc(func([]byte) (int, error) { return 0, nil }), want: io.ErrNoProgress.Error()},
		{name: "negative count", read: readerFunc(func([]byte) (int, error) { return -1, nil }), want: "Read returned -1 bytes"},
		{name: "too many bytes", read: readerFunc(func(p []byte) (int, error) { return len(p) + 1, io.EOF }), want: "bytes for a buffer of"},
	} {
		for _, before := range []int{0, 100, 100_000} {
			const n, bad = 20, 13
			var opened atomic.Int32
			before0 := [sha256.Size]byte{1, 2, 3}
			dst := slices.Repeat([][sha256.Size]byte{before0}, n)
			err := streams.Sum(t.Context(), dst, func(i int) (io.ReadCloser, error) {
				if i == bad && (tt.open != nil || tt.read == nil) {
					return nil, tt.open
				}
				s := &stream{Reader: bytes.NewReader(data[i:]), open: &opened}
				opened.Add(1)
				if i == bad {
					s.Reader, s.err = io.MultiReader(bytes.NewReader(data[:before]), tt.read), tt.closed
				}
				return s, nil
			}, streams.Options{MaxOpen: 8})
			var one *streams.Error
			if !errors.As(err, &one) || one.Index != bad || !strings.Contains(one.Err.Error(), tt.want) {
				t.Errorf("%s: got %v", tt.name, err)
			}
			if tt.want == "broken" && !errors.Is(err, broken) {
				t.Errorf("%s: %v is not the stream's error", tt.name, err)
			}
			if want := fmt.Sprintf("stream %d: ", bad); !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %q does not begin with %q", tt.name, err, want)
			}
			for i := range dst {
				if i == bad && dst[i] != before0 {
					t.Errorf("%s: the failed stream has a digest", tt.name)
				}
				if i != bad && dst[i] != stdsha256.Sum256(data[i:]) {
					t.Errorf("%s: wrong digest of stream %d", tt.name, i)
				}
			}
			if opened.Load() != 0 {
				t.Errorf("%s: %d streams are open", tt.name, opened.Load())
			}
		}
	}
}

// TestSumErrorsAreInOrder fails all streams.
func TestSumErrorsAreInOrder(t *testing.T) {
	dst := make([][sha256.Size]byte, 100)
	failed := make([]chan bool, len(dst)+1) // the last one first
	for i := range failed {
		failed[i] = make(chan bool)
	}
	close(failed[len(dst)])
	err := streams.Sum(t.Context(), dst, func(i int) (io.ReadCloser, error) {
		<-failed[i+1]
		close(failed[i])
		return nil, fmt.Errorf("no %d", i)
	}, streams.Options{MaxOpen: len(dst)})
	for i, err := range err.(interface{ Unwrap() []error }).Unwrap() {
		if want := fmt.Sprintf("stream %d: no %d", i, i); err.Error() != want {
			t.Errorf("error %d is %q, want %q", i, err, want)
		}
	}
}

// TestSumCanceled cancels at each of several places: before, while streams are
// opened, while they are read without an end.
func TestSumCanceled(t *testing.T) {
	endless := readerFunc(func(p []byte) (int, error) { return len(p), nil })
	for _, at := range []int{-1, 0, 5, 40} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if at < 0 {
			cancel()
		}
		var opened atomic.Int32
		err := streams.Sum(ctx, make([][sha256.Size]byte, 1000), func(i int) (io.ReadCloser, error) {
			if i == at {
				time.AfterFunc(5*time.Millisecond, cancel)
			}
			opened.Add(1)
			s := &stream{Reader: bytes.NewReader(nil), open: &opened}
			if i >= at {
				s.Reader = endless
			}
			return s, nil
		}, streams.Options{MaxOpen: 16})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("canceled at stream %d: got %v", at, err)
		}
		var one *streams.Error
		if errors.As(err, &one) {
			t.Errorf("canceled at stream %d: %v is no stream's fault", at, one)
		}
		if opened.Load() != 0 {
			t.Errorf("canceled at stream %d: %d streams are open", at, opened.Load())
		}
	}
	if err := streams.Sum(t.Context(), [][sha256.Size]byte(nil), func(int) (io.ReadCloser, error) { return nil, nil }, streams.Options{}); err != nil {
		t.Errorf("no streams: %v", err)
	}
}

// TestSumPanics has open, Read, Close and Progress panic or end their goroutine:
// all streams are closed, and no goroutine is left.
func TestSumPanics(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, where := range []string{"open", "Read", "Close", "Progress"} {
		var opened, opens atomic.Int32
		at := func(place string, i int) {
			if place == where && i == 7 {
				panic("on purpose")
			}
		}
		message := panicOf(func() {
			streams.Sum(t.Context(), make([][sha256.Size]byte, 100), func(i int) (io.ReadCloser, error) {
				at("open", i)
				opens.Add(1)
				opened.Add(1)
				return &closing{stream{Reader: readerFunc(func([]byte) (int, error) {
					at("Read", i)
					return 0, io.EOF
				}), open: &opened}, func() { at("Close", i) }}, nil
			}, streams.Options{MaxOpen: 3, Progress: func(int, int64) { at("Progress", 7) }})
		})
		if message != "on purpose" {
			t.Errorf("%s: panic %q", where, message)
		}
		if opened.Load() != 0 {
			t.Errorf("%s: %d streams are open", where, opened.Load())
		}
		if where == "Progress" && opens.Load() == 100 {
			t.Error("Progress panics, and all further streams are opened")
		}
	}
	err := streams.Sum(t.Context(), make([][sha256.Size]byte, 3), func(int) (io.ReadCloser, error) {
		runtime.Goexit()
		return nil, nil
	}, streams.Options{})
	if err == nil {
		t.Error("no error where open ended its goroutine")
	}
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines are left", runtime.NumGoroutine()-before)
		}
	}
}

// closing calls a function when it was closed.
type closing struct {
	stream
	after func()
}

func (c *closing) Close() error {
	defer c.after()
	return c.stream.Close()
}

func TestSumMisuse(t *testing.T) {
	touched := func(int) (io.ReadCloser, error) {
		t.Error("a stream was opened")
		return nil, nil
	}
	dst := make([][sha256.Size]byte, 2)
	for _, tt := range []struct {
		want string
		f    func()
	}{
		{"open is nil", func() { streams.Sum(t.Context(), dst, nil, streams.Options{}) }},
		{"MaxOpen is -1; expected 0 or more", func() { streams.Sum(t.Context(), dst, touched, streams.Options{MaxOpen: -1}) }},
	} {
		if message := panicOf(tt.f); !strings.Contains(message, tt.want) {
			t.Errorf("panic %q, want %q", message, tt.want)
		}
	}
}

// A digestID is a digest of a named type.
type digestID [sha256.Size]byte

func TestSumOfANamedType(t *testing.T) {
	ids := make([]digestID, 5)
	err := streams.Sum(t.Context(), ids, func(i int) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(hashtest.Data(20_000 * i))), nil
	}, streams.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		if want := stdsha256.Sum256(hashtest.Data(20_000 * i)); id != want {
			t.Errorf("stream %d: %x, want %x", i, id, want)
		}
	}
}
