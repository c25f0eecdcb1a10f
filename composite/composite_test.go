package composite_test

import (
	"bytes"
	"context"
	stdsha256 "crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/composite"
	"github.com/sha256-simd/sha256-simd/internal/guard"
	"github.com/sha256-simd/sha256-simd/internal/hashtest"
)

// object returns n bytes, the same for every run.
func object(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{24}).Read(b)
	return b
}

// plainly returns the digests of b's parts by crypto/sha256.
func plainly(b []byte, partSize int) [][32]byte {
	var parts [][32]byte
	for part := range slices.Chunk(b, partSize) {
		parts = append(parts, stdsha256.Sum256(part))
	}
	if len(parts) == 0 {
		parts = append(parts, stdsha256.Sum256(nil))
	}
	return parts
}

// withProcs runs f with several values of GOMAXPROCS.
func withProcs(t *testing.T, f func(t *testing.T)) {
	for _, n := range []int{1, 2, 5} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", n), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
			f(t)
		})
	}
}

func TestSumMatchesPlainHashing(t *testing.T) {
	type sizes struct{ size, part int }
	var all []sizes
	largest := 8 << 20
	if testing.Short() {
		largest = 1 << 20
	}
	// Around the boundaries of parts, of groups of them, of blocks, and of what
	// a step takes of a part: 64 KiB of each of 32, 2 MiB of one.
	for _, part := range []int{1, 7, 64, 100, 4096, 16<<10 - 1, 16 << 10, 16<<10 + 1, 50000, 64<<10 - 1, 64 << 10, 64<<10 + 1, 1 << 20} {
		for _, parts := range []int{0, 1, 2, 5, 31, 32, 33, 64, 65, 1025} {
			for _, more := range []int{-1, 0, 1} {
				if size := part*parts + more; size >= 0 && size <= largest {
					all = append(all, sizes{size, part})
				}
			}
		}
	}
	for _, size := range []int{2<<20 - 1, 2 << 20, 2<<20 + 1, 3<<20 + 77} {
		all = append(all, sizes{size, math.MaxInt}, sizes{size, size - 1}, sizes{size, size/2 + 1}, sizes{size, size / 3})
	}
	data := object(8 << 20)
	withProcs(t, func(t *testing.T) {
		for _, s := range all {
			b := data[:s.size]
			sum, err := composite.Sum(t.Context(), bytes.NewReader(b), int64(s.size), int64(s.part))
			if err != nil {
				t.Fatalf("%d bytes in parts of %d: %v", s.size, s.part, err)
			}
			if sum.Size != int64(s.size) || sum.PartSize != int64(s.part) {
				t.Errorf("%d bytes in parts of %d: sizes %d and %d", s.size, s.part, sum.Size, sum.PartSize)
			}
			if !slices.Equal(sum.Parts, plainly(b, s.part)) {
				t.Errorf("%d bytes in parts of %d: wrong digests", s.size, s.part)
			}
		}
	})
}

func TestStringIsWhatS3Writes(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		parts := plainly(object(10*n), 10)
		if n == 0 {
			parts = nil
		}
		h := stdsha256.New()
		for _, p := range parts {
			h.Write(p[:])
		}
		want := fmt.Sprintf("%s-%d", base64.StdEncoding.EncodeToString(h.Sum(nil)), n)
		if got := (composite.Checksum{Parts: parts}).String(); got != want {
			t.Errorf("%d parts: %s, want %s", n, got, want)
		}
	}
}

func TestEmptyObjectHasOneEmptyPart(t *testing.T) {
	for _, r := range []io.ReaderAt{nil, bytes.NewReader(nil)} {
		sum, err := composite.Sum(t.Context(), r, 0, 8<<20)
		if err != nil || len(sum.Parts) != 1 || sum.Parts[0] != stdsha256.Sum256(nil) {
			t.Errorf("parts %x, error %v", sum.Parts, err)
		}
	}
}

func TestNonsenseIsAnError(t *testing.T) {
	untouched := readerFunc(func([]byte, int64) (int, error) {
		t.Error("something was read")
		return 0, io.EOF
	})
	for _, test := range []struct {
		name           string
		r              io.ReaderAt
		size, partSize int64
	}{
		{"negative size", untouched, -1, 1},
		{"smallest size", untouched, math.MinInt64, 1},
		{"parts of nothing", untouched, 1, 0},
		{"empty object in parts of nothing", untouched, 0, 0},
		{"negative part size", untouched, 1, -5},
		{"one part too many", untouched, 1<<24 + 1, 1},
		{"far too many parts", untouched, math.MaxInt64, 1},
		{"no reader", nil, 1, 1},
	} {
		sum, err := composite.Sum(t.Context(), test.r, test.size, test.partSize)
		if err == nil || sum.Parts != nil || !strings.HasPrefix(err.Error(), "composite: ") {
			t.Errorf("%s: %v, error %v", test.name, sum, err)
		}
	}
}

func TestShortReader(t *testing.T) {
	withProcs(t, func(t *testing.T) {
		for _, test := range []struct{ have, size, partSize int64 }{
			{0, 1, 1}, {99, 100, 10}, {1 << 20, 1<<20 + 1, 1 << 18}, {1 << 20, 1 << 40, 1 << 20}, {5, math.MaxInt64, math.MaxInt64},
		} {
			sum, err := composite.Sum(t.Context(), bytes.NewReader(object(int(test.have))), test.size, test.partSize)
			if !errors.Is(err, io.ErrUnexpectedEOF) || sum.Parts != nil {
				t.Errorf("%d bytes of %d: %v, error %v", test.have, test.size, sum, err)
			}
		}
	})
}

// A readerFunc is an io.ReaderAt.
type readerFunc func(p []byte, off int64) (int, error)

func (f readerFunc) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

func TestFailingReaderGivesItsErrorAndTheOffset(t *testing.T) {
	broken := errors.New("the disk is broken")
	data := object(3 << 20)
	good := bytes.NewReader(data)
	const bad = 2<<20 + 4711
	withProcs(t, func(t *testing.T) {
		for _, partSize := range []int64{1000, 1 << 20, 1 << 30} {
			r := readerFunc(func(p []byte, off int64) (int, error) {
				if off <= bad && bad < off+int64(len(p)) {
					n, _ := good.ReadAt(p[:bad-off], off)
					return n, broken
				}
				return good.ReadAt(p, off)
			})
			sum, err := composite.Sum(t.Context(), r, int64(len(data)), partSize)
			if !errors.Is(err, broken) || !strings.Contains(err.Error(), fmt.Sprint("offset ", bad)) || sum.Parts != nil {
				t.Errorf("parts of %d: %v, error %v", partSize, sum, err)
			}
		}
	})
}

func TestReadersAtTheEdgesOfTheContract(t *testing.T) {
	data := object(2<<20 + 5)
	good := bytes.NewReader(data)
	for _, test := range []struct {
		name string
		read readerFunc
		want error // nil: the right digests
	}{
		{"io.EOF with the last byte", func(p []byte, off int64) (int, error) {
			n, err := good.ReadAt(p, off)
			if off+int64(n) == int64(len(data)) {
				err = io.EOF
			}
			return n, err
		}, nil},
		{"fewer bytes than asked for and no error", func(p []byte, off int64) (int, error) {
			return good.ReadAt(p[:min(len(p), 1000)], off)
		}, nil},
		{"nothing and no error", func(p []byte, off int64) (int, error) { return 0, nil }, io.ErrNoProgress},
		{"an error with all bytes", func(p []byte, off int64) (int, error) {
			good.ReadAt(p, off)
			return len(p), io.ErrClosedPipe
		}, io.ErrClosedPipe},
	} {
		sum, err := composite.Sum(t.Context(), test.read, int64(len(data)), 99999)
		if !errors.Is(err, test.want) || test.want == nil && !slices.Equal(sum.Parts, plainly(data, 99999)) {
			t.Errorf("%s: %d digests, error %v", test.name, len(sum.Parts), err)
		}
	}
	exits := readerFunc(func([]byte, int64) (int, error) { runtime.Goexit(); return 0, nil }) // as t.Fatal does
	if sum, err := composite.Sum(t.Context(), exits, int64(len(data)), 99999); err == nil || sum.Parts != nil {
		t.Errorf("a reader that never returns: %d digests, error %v", len(sum.Parts), err)
	}
	for _, n := range []int{-1, 1 << 30} {
		_, err := composite.Sum(t.Context(), readerFunc(func([]byte, int64) (int, error) { return n, nil }), 10, 10)
		if err == nil {
			t.Errorf("a count of %d of 10 bytes was believed", n)
		}
	}
}

func TestCancel(t *testing.T) {
	zeros := readerFunc(func(p []byte, off int64) (int, error) {
		clear(p)
		return len(p), nil
	})
	withProcs(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Millisecond, cancel)
		start := time.Now()
		sum, err := composite.Sum(ctx, zeros, 1<<50, 1<<30)
		if err != context.Canceled || sum.Parts != nil {
			t.Errorf("cancelled: %v, error %v", sum, err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("returned %v after it began", d)
		}

		// One that is done already: as many parts as there may be.
		if _, err := composite.Sum(ctx, zeros, 1<<24, 1); err != context.Canceled {
			t.Errorf("2^24 parts: error %v", err)
		}

		ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := composite.Sum(ctx, zeros, 1<<50, 1<<30); err != context.DeadlineExceeded {
			t.Errorf("timed out: error %v", err)
		}

		// A context that was done before: nothing is read.
		var reads atomic.Int32
		if _, err := composite.Sum(ctx, readerFunc(func([]byte, int64) (int, error) {
			reads.Add(1)
			return 0, io.EOF
		}), 100, 10); err != context.DeadlineExceeded || reads.Load() > 0 {
			t.Errorf("done before: error %v, %d reads", err, reads.Load())
		}
		if _, err := composite.Sum(ctx, nil, 0, 10); err != context.DeadlineExceeded {
			t.Errorf("done before, an empty object: error %v", err)
		}
		awaitGoroutines(t, before)
	})
}

// TestNoReadIsInFlightAfterSum has one read fail, of an object that would take
// hours. The others end at once, but before Sum returns.
func TestNoReadIsInFlightAfterSum(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var inFlight atomic.Int32
	r := readerFunc(func(p []byte, off int64) (int, error) {
		inFlight.Add(1)
		defer inFlight.Add(-1)
		if off == 0 {
			return 0, io.ErrClosedPipe
		}
		time.Sleep(time.Millisecond)
		return len(p), nil
	})
	for range 20 {
		if _, err := composite.Sum(t.Context(), r, 1<<44, 1<<30); !errors.Is(err, io.ErrClosedPipe) {
			t.Fatal(err)
		}
		if n := inFlight.Load(); n != 0 {
			t.Fatalf("%d reads in flight", n)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	zeros := readerFunc(func(p []byte, off int64) (int, error) { return len(p), nil })
	for _, partSize := range []int64{100, 16 << 10, 1 << 20, 1 << 26} {
		const size = 1 << 26
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		sum, err := composite.Sum(t.Context(), zeros, size, partSize)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		// All that was ever allocated, beside the digests.
		if got := int64(after.TotalAlloc-before.TotalAlloc) - int64(32*len(sum.Parts)); got > 10<<20 {
			t.Errorf("parts of %d: allocated %d bytes", partSize, got)
		}
	}
}

func FuzzSum(f *testing.F) {
	f.Add([]byte("hello"), int64(2))
	f.Add(object(70000), int64(1000))
	f.Fuzz(func(t *testing.T, b []byte, partSize int64) {
		sum, err := composite.Sum(t.Context(), bytes.NewReader(b), int64(len(b)), partSize)
		if partSize < 1 {
			if err == nil {
				t.Fatalf("parts of %d bytes were accepted", partSize)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if want := plainly(b, int(min(partSize, math.MaxInt32))); !slices.Equal(sum.Parts, want) {
			t.Errorf("%d bytes in parts of %d: wrong digests", len(b), partSize)
		}
	})
}

// TestPanicsReachTheCaller has reading panic, and has it fault where the caller
// wants a panic of that.
func TestPanicsReachTheCaller(t *testing.T) {
	broken := errors.New("the reader is broken")
	data := object(1 << 20)
	good := bytes.NewReader(data)
	sum := func(r io.ReaderAt, size, partSize int64) (recovered any) {
		defer func() { recovered = recover() }()
		sum, err := composite.Sum(t.Context(), r, size, partSize)
		t.Errorf("parts of %d: %d digests, error %v", partSize, len(sum.Parts), err)
		return nil
	}
	withProcs(t, func(t *testing.T) {
		for _, partSize := range []int64{100, 50_000, 1 << 20} {
			before := runtime.NumGoroutine()
			r := readerFunc(func(p []byte, off int64) (int, error) {
				if off+int64(len(p)) > 1<<19 {
					panic(broken)
				}
				return good.ReadAt(p, off)
			})
			if got := sum(r, int64(len(data)), partSize); got != broken {
				t.Errorf("parts of %d: panic with %v, want %v", partSize, got, broken)
			}
			if guard.Guarded {
				buf := guard.New(t, 1<<19).Bytes()
				truncated := bytes.NewReader(unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize()))
				if guard.Faults(func() {
					if got := sum(truncated, truncated.Size(), partSize); got != nil {
						panic(got)
					}
				}) == nil {
					t.Errorf("parts of %d: reading what cannot be read did not fault", partSize)
				}
			}
			if debug.SetPanicOnFault(false) {
				t.Error("Sum has left SetPanicOnFault set")
			}
			awaitGoroutines(t, before)
		}
	})
}

// TestPanicsCountMoreThanErrors has a read panic after another one has failed.
func TestPanicsCountMoreThanErrors(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("there is one P only, and so one read at a time")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	broken := errors.New("the reader is broken")
	begun, failed := make(chan bool), make(chan bool)
	r := readerFunc(func(p []byte, off int64) (int, error) {
		if off == 0 {
			<-begun
			close(failed)
			return 0, io.ErrClosedPipe
		}
		close(begun)
		<-failed
		time.Sleep(10 * time.Millisecond) // until that is known
		panic(broken)
	})
	defer func() {
		if got := recover(); got != broken {
			t.Errorf("panic with %v, want %v", got, broken)
		}
	}()
	sum, err := composite.Sum(t.Context(), r, 2<<20, 1<<20)
	t.Errorf("%d digests, error %v", len(sum.Parts), err)
}

// awaitGoroutines waits until there are at most n goroutines.
func awaitGoroutines(t *testing.T, n int) {
	t.Helper()
	for wait := 0; runtime.NumGoroutine() > n; wait++ {
		if wait == 100 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), n)
		}
		time.Sleep(10 * time.Millisecond) // until those have ended that are done
	}
}
