package streams_test

import (
	"bytes"
	"context"
	stdsha256 "crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
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
		for _, open := range []int{0, 1, 7, 1000} {
			for _, n := range []int{0, 1, 3, 130} {
				testSum(t, source, n, open, -1)
			}
		}
		testSum(t, source, 130, 0, 0)
	})
	for _, blocks := range []int{0, 40, 600} { // the stream that blocks
		for _, open := range []int{0, 1, 2, 7, 1000} {
			for _, n := range []int{1, 2, 130, 700} {
				if blocks < n {
					testSum(t, source, n, open, blocks)
				}
			}
		}
	}
}

func testSum(t *testing.T, source []byte, n, open, blocks int) {
	msgs := make([][]byte, n)
	for i := range msgs {
		length := []int{0, 1, 63, 16<<10 - 1, 16 << 10, 32<<10 + 1, 64 << 10, 100_000, 1000 + i}[i*7%9]
		msgs[i] = source[i*101:][:length]
	}
	var opened, peak atomic.Int32
	opens := make([]*stream, n)
	dst := make([][sha256.Size]byte, n)
	var done int
	var total int64
	err := streams.Sum(t.Context(), dst, func(i int) (io.ReadCloser, error) {
		now := opened.Add(1)
		for p := peak.Load(); p < now && !peak.CompareAndSwap(p, now); p = peak.Load() {
		}
		var r io.Reader = bytes.NewReader(msgs[i])
		switch {
		case i == blocks:
			r = io.MultiReader(&pause{5 * time.Millisecond}, r)
		case i%5 == 1:
			r = iotest.DataErrReader(r)
		case i%5 == 2:
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
			t.Fatalf("%d open, %d streams, stream %d blocks: wrong digest of stream %d", open, n, blocks, i)
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

// A pause is an empty stream that takes its time.
type pause struct{ time.Duration }

func (p *pause) Read([]byte) (int, error) {
	time.Sleep(p.Duration)
	return 0, io.EOF
}

// TestSumOfStreamsThatWait has a stream wait, in each place, for streams behind it to be
// read: as many of them as may be open.
func TestSumOfStreamsThatWait(t *testing.T) {
	data := hashtest.Data(1 << 20)
	for _, procs := range []int{1, 2} {
		t.Run(fmt.Sprintf("procs=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			for _, where := range []string{"open", "Read", "later Read", "Close"} {
				for _, waiting := range []int{0, 1, 5} {
					for _, length := range []int{0, 1000, 1 << 20} {
						t.Run(fmt.Sprintf("%s/stream=%d/length=%d", where, waiting, length), func(t *testing.T) {
							const n = 12
							read := make(chan bool) // all that stand behind
							var left atomic.Int32
							left.Store(n - 1 - int32(waiting))
							wait := func(place string, i int) {
								if i == waiting && place == where {
									<-read
								}
							}
							var opened atomic.Int32
							dst := make([][sha256.Size]byte, n)
							err := streams.Sum(t.Context(), dst, func(i int) (io.ReadCloser, error) {
								wait("open", i)
								opened.Add(1)
								reads := 0
								var reading atomic.Bool
								r := bytes.NewReader(data[:length])
								return &closing{stream{open: &opened, Reader: readerFunc(func(p []byte) (int, error) {
									if reading.Swap(true) {
										t.Errorf("two goroutines read stream %d", i)
									}
									defer reading.Store(false)
									if reads++; reads == 1 {
										wait("Read", i)
									} else if reads == 2 {
										wait("later Read", i)
									}
									return r.Read(p)
								})}, func() {
									wait("Close", i)
									if i > waiting && left.Add(-1) == 0 {
										close(read)
									}
								}}, nil
							}, streams.Options{MaxOpen: n - waiting})
							if err != nil {
								t.Fatal(err)
							}
							for i, got := range dst {
								if got != stdsha256.Sum256(data[:length]) {
									t.Errorf("wrong digest of stream %d", i)
								}
							}
							if opened.Load() != 0 {
								t.Errorf("%d streams are open", opened.Load())
							}
						})
					}
				}
			}
		})
	}
}

// TestSumOpens64StreamsByDefault has all streams block: as many as may be open are open then.
func TestSumOpens64StreamsByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opened atomic.Int32
		release, ended := make(chan bool), make(chan error)
		go func() {
			ended <- streams.Sum(t.Context(), make([][sha256.Size]byte, 70), func(int) (io.ReadCloser, error) {
				opened.Add(1)
				return io.NopCloser(readerFunc(func([]byte) (int, error) {
					<-release
					return 0, io.EOF
				})), nil
			}, streams.Options{})
		}()
		time.Sleep(time.Second) // of the bubble: until Sum has seen that reading blocks
		synctest.Wait()
		if n := opened.Load(); n != 64 {
			t.Errorf("%d streams are open, want 64", n)
		}
		close(release)
		if err := <-ended; err != nil || opened.Load() != 70 {
			t.Errorf("%d streams were opened, error %v", opened.Load(), err)
		}
	})
}

// TestSumReadsSlowStreamsTogether has each Read take a millisecond. On a busy machine, a try
// may take longer than all of them one by one.
func TestSumReadsSlowStreamsTogether(t *testing.T) {
	const n = 256
	for _, procs := range []int{1, 2} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			took := time.Duration(math.MaxInt64)
			for try := 0; try < 5 && took > n*time.Millisecond/2; try++ {
				begin := time.Now()
				err := streams.Sum(t.Context(), make([][sha256.Size]byte, n), func(int) (io.ReadCloser, error) {
					return io.NopCloser(io.MultiReader(strings.NewReader("some"), &pause{time.Millisecond})), nil
				}, streams.Options{})
				if err != nil {
					t.Fatal(err)
				}
				took = min(took, time.Since(begin))
			}
			if took > n*time.Millisecond/2 {
				t.Errorf("GOMAXPROCS %d: %d streams that take 1 ms each took %v", procs, n, took)
			}
		}()
	}
}

// TestSumReadsFastStreamsItself counts the goroutines that read streams in memory.
func TestSumReadsFastStreamsItself(t *testing.T) {
	data := hashtest.Data(1 << 20)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, length := range []int{0, 100, 20_000} {
		// A neighbour of this process may hold the goroutine up.
		for try := 0; ; try++ {
			before := runtime.NumGoroutine()
			var most atomic.Int32
			err := streams.Sum(t.Context(), make([][sha256.Size]byte, 50), func(i int) (io.ReadCloser, error) {
				if now := int32(runtime.NumGoroutine() - before); now > most.Load() {
					most.Store(now)
				}
				return io.NopCloser(bytes.NewReader(data[:length])), nil
			}, streams.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if most.Load() <= 1 { // the timer's
				break
			}
			if try == 50 {
				t.Errorf("streams of %d bytes: %d goroutines", length, most.Load())
				break
			}
		}
	}
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

// TestEmptyReads tests how many reads in a row may return neither bytes nor an error.
func TestEmptyReads(t *testing.T) {
	for empty, ok := range map[int]bool{1: true, 99: true, 100: false} {
		for _, before := range []int{0, 1} {
			reads := 0
			dst := make([][sha256.Size]byte, 1)
			err := streams.Sum(t.Context(), dst, func(int) (io.ReadCloser, error) {
				return io.NopCloser(readerFunc(func(p []byte) (int, error) {
					switch reads++; {
					case reads <= before:
						p[0] = 'a'
						return 1, nil
					case reads <= before+empty:
						return 0, nil
					}
					return 0, io.EOF
				})), nil
			}, streams.Options{})
			if (err == nil) != ok || !ok && !errors.Is(err, io.ErrNoProgress) {
				t.Errorf("%d empty reads behind %d bytes: %v", empty, before, err)
			}
			if want := stdsha256.Sum256([]byte("a")[:before]); ok && dst[0] != want {
				t.Errorf("%d empty reads behind %d bytes: %x, want %x", empty, before, dst[0], want)
			}
		}
	}
}

// TestSumOfFailingStreams fails all streams but those in between, on the goroutine that
// hashes and on others.
func TestSumOfFailingStreams(t *testing.T) {
	broken := errors.New("broken")
	for _, blocks := range []bool{false, true} {
		for _, maxOpen := range []int{1, 4} {
			for _, length := range []int{0, 1000, 40_000} {
				const n = 30
				data := hashtest.Data(length)
				dst := make([][sha256.Size]byte, n)
				done := 0
				err := streams.Sum(t.Context(), dst, func(i int) (io.ReadCloser, error) {
					r := iotest.OneByteReader(bytes.NewReader(data))
					switch {
					case i == 0 && blocks:
						r = io.MultiReader(&pause{5 * time.Millisecond}, r)
					case i%10 == 1:
						return nil, broken
					case i%10 > 2:
						r = io.MultiReader(r, iotest.ErrReader(broken))
					}
					return io.NopCloser(r), nil
				}, streams.Options{MaxOpen: maxOpen, Progress: func(d int, _ int64) { done = d }})
				failed := err.(interface{ Unwrap() []error }).Unwrap()
				for i, got := range dst {
					if i%10 == 0 || i%10 == 2 {
						if got != stdsha256.Sum256(data) {
							t.Errorf("wrong digest of stream %d", i)
						}
						continue
					}
					if one, ok := failed[0].(*streams.Error); !ok || one.Index != i || !errors.Is(one, broken) {
						t.Fatalf("%v, want an error of stream %d", failed[0], i)
					}
					failed = failed[1:]
				}
				if len(failed) > 0 || done != n {
					t.Errorf("%d streams done, want %d; more errors: %v", done, n, failed)
				}
			}
		}
	}
}

// TestSumUsesBuffersAgain: a call reads into the buffers of one that has ended, unless that
// one has not read all streams: a stream might still write to its buffer.
func TestSumUsesBuffersAgain(t *testing.T) {
	hashtest.SkipTestAllocations(t) // it skips where pools drop what they are given
	// sum returns where the buffers are of a stream that ends as end says.
	sum := func(end func(cancel func()) error) (bufs []*byte) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		defer func() {
			if cause := recover(); cause != nil && cause != "on purpose" {
				panic(cause)
			}
		}()
		streams.Sum(ctx, make([][sha256.Size]byte, 1), func(int) (io.ReadCloser, error) {
			return io.NopCloser(readerFunc(func(p []byte) (int, error) {
				bufs = append(bufs, &p[0])
				return 1, end(cancel)
			})), nil
		}, streams.Options{})
		return bufs
	}
	good := func(func()) error { return io.EOF }
	for name, bad := range map[string]func(cancel func()) error{
		"failed":    func(func()) error { return errors.New("broken") },
		"panicked":  func(func()) error { panic("on purpose") },
		"cancelled": func(cancel func()) error { cancel(); return nil },
	} {
		again := false
		for range 100 {
			before := sum(good)
			again = again || slices.Contains(before, sum(good)[0])
			broken := sum(bad)
			if slices.Contains(broken, sum(good)[0]) {
				t.Fatalf("a call reads into the buffer of a call that was or has %s", name)
			}
		}
		if !again {
			t.Error("each call has a new buffer")
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
// opened, while they are read without an end. Streams that were not done keep what dst had.
func TestSumCanceled(t *testing.T) {
	endless := readerFunc(func(p []byte) (int, error) { return len(p), nil })
	for _, at := range []int{-1, 0, 5, 40} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if at < 0 {
			cancel()
		}
		var opened atomic.Int32
		old := slices.Repeat([][sha256.Size]byte{{1}}, 1000)
		dst := slices.Clone(old)
		err := streams.Sum(ctx, dst, func(i int) (io.ReadCloser, error) {
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
		for i, got := range dst[:max(0, at)] {
			if got != old[i] && got != sha256.Sum256(nil) {
				t.Errorf("canceled at stream %d: digest %d is %x", at, i, got)
			}
		}
		if !slices.Equal(dst[max(0, at):], old[max(0, at):]) {
			t.Errorf("canceled at stream %d: digests of streams that were not done", at)
		}
	}
	opening, cancel := context.WithCancel(t.Context())
	reads := 0
	err := streams.Sum(opening, make([][sha256.Size]byte, 3), func(int) (io.ReadCloser, error) {
		cancel()
		return io.NopCloser(readerFunc(func([]byte) (int, error) { reads++; return 0, io.EOF })), nil
	}, streams.Options{})
	if !errors.Is(err, context.Canceled) || reads > 0 {
		t.Errorf("canceled while the first stream is opened: %d reads, %v", reads, err)
	}
	// Streams whose opening fails because the context is done are no failed streams.
	for _, slow := range []time.Duration{0, 20 * time.Millisecond} {
		canceled, cancel := context.WithCancel(t.Context())
		err := streams.Sum(canceled, make([][sha256.Size]byte, 30), func(i int) (io.ReadCloser, error) {
			if i < 10 {
				time.Sleep(slow) // so that goroutines open the streams
				return io.NopCloser(strings.NewReader("short")), nil
			}
			cancel()
			return nil, fmt.Errorf("opening: %w", canceled.Err())
		}, streams.Options{MaxOpen: 4})
		var one *streams.Error
		if !errors.Is(err, context.Canceled) || errors.As(err, &one) {
			t.Errorf("canceled while streams are opened, each in %v: %v", slow, err)
		}
	}
	if err := streams.Sum(t.Context(), [][sha256.Size]byte(nil), func(int) (io.ReadCloser, error) { return nil, nil }, streams.Options{}); err != nil {
		t.Errorf("no streams: %v", err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := streams.Sum(done, [][sha256.Size]byte(nil), func(int) (io.ReadCloser, error) { return nil, nil }, streams.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("no streams, canceled: %v", err)
	}
}

// TestSumPanics has open, Read, Close and Progress panic or end their goroutine, before
// and after a stream has blocked: all streams are closed, and no goroutine is left.
func TestSumPanics(t *testing.T) {
	before := runtime.NumGoroutine()
	const n = 2000
	for _, blocks := range []int{-1, 2, 7} { // the stream that blocks, in Read
		for _, where := range []string{"open", "Read", "Close", "Progress"} {
			var opened, opens atomic.Int32
			at := func(place string, i int) {
				switch {
				case place == "Read" && i == blocks:
					time.Sleep(5 * time.Millisecond)
				case place == "Read" && i > 100 && blocks >= 0:
					time.Sleep(time.Millisecond) // until all have heard of the panic
				}
				if place == where && i == 7 {
					panic("on purpose")
				}
			}
			message := panicOf(func() {
				streams.Sum(t.Context(), make([][sha256.Size]byte, n), func(i int) (io.ReadCloser, error) {
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
			if opens.Load() == n {
				t.Errorf("%s panics, and all further streams are opened", where)
			}
		}
	}
	for _, reads := range []bool{true, false} { // a Read panics, then a Close; a Close alone
		var opened atomic.Int32
		ctx, cancel := context.WithCancel(t.Context())
		message := panicOf(func() {
			streams.Sum(ctx, make([][sha256.Size]byte, 8), func(i int) (io.ReadCloser, error) {
				opened.Add(1)
				return &closing{stream{Reader: readerFunc(func(p []byte) (int, error) {
					if i == 7 {
						cancel()
						if reads {
							panic("of Read")
						}
					}
					return len(p), nil
				}), open: &opened}, func() {
					if i == 3 {
						panic("of Close")
					}
				}}, nil
			}, streams.Options{})
		})
		if message != "of Read" && message != "of Close" || opened.Load() != 0 {
			t.Errorf("a panic of Close, behind one of Read: %t: panic %q, %d streams are open", reads, message, opened.Load())
		}
	}
	for _, blocks := range []int{-1, 0, 2} {
		ended := make(chan error, 1)
		go func() {
			err := errors.New("the goroutine that called Sum has ended") // as a stream wants it
			defer func() { ended <- err }()
			err = streams.Sum(context.Background(), make([][sha256.Size]byte, 3), func(i int) (io.ReadCloser, error) {
				if i == blocks {
					time.Sleep(5 * time.Millisecond)
				} else if i == 1 {
					runtime.Goexit()
				}
				return io.NopCloser(strings.NewReader("")), nil
			}, streams.Options{})
		}()
		if err := <-ended; err == nil {
			t.Errorf("stream %d blocks: no error where open ended its goroutine", blocks)
		}
	}
	failed := errors.New("failed")
	ended := make(chan error, 1)
	go func() {
		err := failed // if Sum's own goroutine ends
		defer func() { ended <- err }()
		err = streams.Sum(context.Background(), make([][sha256.Size]byte, 3), func(i int) (io.ReadCloser, error) {
			switch i {
			case 0:
				return nil, failed
			case 1:
				time.Sleep(20 * time.Millisecond) // the streams are taken over
			case 2:
				runtime.Goexit()
			}
			return io.NopCloser(strings.NewReader("")), nil
		}, streams.Options{})
	}()
	if err := <-ended; !errors.Is(err, failed) {
		t.Errorf("a stream failed before another ended its goroutine: %v", err)
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

// TestSumToMemoryThatFaults tests that Sum panics, and ends, if writing a digest faults, even
// when another stream waits for buffers that the goroutine that hashes was about to give back.
func TestSumToMemoryThatFaults(t *testing.T) {
	if !guard.Guarded {
		t.Skip("no memory of this port faults")
	}
	mem := guard.New(t, 1)
	mem.Protect(t, 0)
	dst := unsafe.Slice((*[sha256.Size]byte)(unsafe.Pointer(unsafe.SliceData(mem.Bytes()))), 2)
	var opened atomic.Int32
	// Stream 0 ends when the first batch has been hashed, and the next batch begins when stream 1
	// has no buffer left: when its reads have stopped.
	var reads atomic.Int64 // of stream 1
	holding, ending := make(chan struct{}), make(chan struct{})
	hold := sync.OnceFunc(func() {
		close(holding)
		select {
		case <-ending:
		case <-time.After(5 * time.Second):
			t.Error("the streams were not taken over")
		}
		for n := int64(-1); n != reads.Load(); time.Sleep(20 * time.Millisecond) {
			n = reads.Load()
		}
	})
	open := func(i int) (io.ReadCloser, error) {
		opened.Add(1)
		first := true
		return &stream{open: &opened, Reader: readerFunc(func(p []byte) (int, error) {
			switch {
			case first:
				time.Sleep(20 * time.Millisecond) // the streams are taken over
			case i == 0:
				<-holding
				close(ending)
				return 0, io.EOF
			}
			if first = false; i == 1 {
				reads.Add(1)
			}
			return len(p), nil
		})}, nil
	}
	ended := make(chan error, 1)
	go func() {
		ended <- guard.Faults(func() {
			streams.Sum(context.Background(), dst, open, streams.Options{Progress: func(int, int64) { hold() }})
		})
	}()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("no fault")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Sum has not ended")
	}
	if opened.Load() != 0 {
		t.Errorf("%d streams are open", opened.Load())
	}
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
