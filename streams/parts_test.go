package streams_test

import (
	"bytes"
	"context"
	stdsha256 "crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
	"github.com/sha256-simd/sha256-simd/streams"
)

// inOrder is the option of sumParts.
var inOrder bool

// sumParts is Parts, in order if the variable says so.
func sumParts(ctx context.Context, r io.ReaderAt, size, partSize int64) ([][32]byte, error) {
	return streams.Parts(ctx, r, size, partSize, streams.PartsOptions{InOrder: inOrder})
}

// A readerAtFunc is an io.ReaderAt.
type readerAtFunc func(p []byte, off int64) (int, error)

func (f readerAtFunc) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

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
	return parts
}

// withProcs runs f with several values of GOMAXPROCS, and with sumParts in order.
func withProcs(t *testing.T, f func(t *testing.T)) {
	t.Run("InOrder", func(t *testing.T) {
		inOrder = true
		defer func() { inOrder = false }()
		f(t)
	})
	for _, n := range []int{1, 2, 5} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", n), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
			f(t)
		})
	}
}

func TestPartsMatchPlainHashing(t *testing.T) {
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
			digests, err := sumParts(t.Context(), bytes.NewReader(b), int64(s.size), int64(s.part))
			if err != nil {
				t.Fatalf("%d bytes in parts of %d: %v", s.size, s.part, err)
			}
			if !slices.Equal(digests, plainly(b, s.part)) {
				t.Errorf("%d bytes in parts of %d: wrong digests", s.size, s.part)
			}
		}
	})
}

func TestPartsOfNonsense(t *testing.T) {
	untouched := readerAtFunc(func([]byte, int64) (int, error) {
		t.Error("something was read")
		return 0, io.EOF
	})
	withProcs(t, func(t *testing.T) {
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
			{"one part too many", untouched, 1 << 31, 1},
			{"far too many parts", untouched, math.MaxInt64, 1},
			{"no reader", nil, 1, 1},
		} {
			digests, err := sumParts(t.Context(), test.r, test.size, test.partSize)
			if err == nil || digests != nil || !strings.HasPrefix(err.Error(), "streams: ") {
				t.Errorf("%s: %x, error %v", test.name, digests, err)
			}
		}
	})
}

func TestShortReader(t *testing.T) {
	withProcs(t, func(t *testing.T) {
		for _, test := range []struct{ have, size, partSize int64 }{
			{0, 1, 1}, {99, 100, 10}, {1 << 20, 1<<20 + 1, 1 << 18}, {1 << 20, 1 << 40, 1 << 20}, {5, math.MaxInt64, math.MaxInt64},
		} {
			digests, err := sumParts(t.Context(), bytes.NewReader(object(int(test.have))), test.size, test.partSize)
			if !errors.Is(err, io.ErrUnexpectedEOF) || digests != nil {
				t.Errorf("%d bytes of %d: %x, error %v", test.have, test.size, digests, err)
			}
		}
	})
}

// TestSizeThatIsFarTooLarge has sizes whose digests take much memory. Before Parts takes it, the
// last byte shows that the object is shorter; in order, Parts takes memory as it reads.
func TestSizeThatIsFarTooLarge(t *testing.T) {
	for _, inOrder := range []bool{false, true} {
		for _, tt := range []struct {
			parts int64
			looks bool
		}{{1 << 20, false}, {1<<20 + 1, true}, {1 << 25, true}} {
			const partSize = 1 << 10
			size := tt.parts*partSize - 1
			var mu sync.Mutex
			looked, reads := false, 0
			r := readerAtFunc(func(p []byte, off int64) (int, error) {
				mu.Lock()
				defer mu.Unlock()
				looked = looked || len(p) == 1 && off == size-1
				reads++
				return 0, io.EOF
			})
			digests, err := streams.Parts(t.Context(), r, size, partSize, streams.PartsOptions{InOrder: inOrder})
			if !errors.Is(err, io.ErrUnexpectedEOF) || digests != nil {
				t.Errorf("%d parts, in order %v: %d digests, %v", tt.parts, inOrder, len(digests), err)
			}
			if want := tt.looks && !inOrder; looked != want || (want || inOrder) && reads != 1 {
				t.Errorf("%d parts, in order %v: the last byte was read: %v, want %v; %d reads", tt.parts, inOrder, looked, want, reads)
			}
		}
	}
}

func TestFailingReaderGivesItsErrorAndTheOffset(t *testing.T) {
	broken := errors.New("the disk is broken")
	data := object(3 << 20)
	good := bytes.NewReader(data)
	const bad = 2<<20 + 4711
	withProcs(t, func(t *testing.T) {
		for _, partSize := range []int64{1000, 1 << 20, 1 << 30} {
			r := readerAtFunc(func(p []byte, off int64) (int, error) {
				if off <= bad && bad < off+int64(len(p)) {
					n, _ := good.ReadAt(p[:bad-off], off)
					return n, broken
				}
				return good.ReadAt(p, off)
			})
			digests, err := sumParts(t.Context(), r, int64(len(data)), partSize)
			if want := fmt.Sprintf("streams: reading at offset %d: %v", bad, broken); !errors.Is(err, broken) || err.Error() != want || digests != nil {
				t.Errorf("parts of %d: %x, error %v, want %s", partSize, digests, err, want)
			}
		}
	})
}

func TestReadersAtTheEdgesOfTheContract(t *testing.T) {
	data := object(2<<20 + 5)
	good := bytes.NewReader(data)
	withProcs(t, func(t *testing.T) {
		for _, test := range []struct {
			name string
			read readerAtFunc
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
			digests, err := sumParts(t.Context(), test.read, int64(len(data)), 99999)
			if !errors.Is(err, test.want) || test.want == nil && !slices.Equal(digests, plainly(data, 99999)) {
				t.Errorf("%s: %d digests, error %v", test.name, len(digests), err)
			}
		}
		for _, n := range []int{-1, 1 << 30} {
			_, err := sumParts(t.Context(), readerAtFunc(func([]byte, int64) (int, error) { return n, nil }), 10, 10)
			if err == nil {
				t.Errorf("a count of %d of 10 bytes was believed", n)
			}
		}
		if inOrder {
			return // it ends the goroutine that called Parts
		}
		exits := readerAtFunc(func([]byte, int64) (int, error) { runtime.Goexit(); return 0, nil }) // as t.Fatal does
		if digests, err := sumParts(t.Context(), exits, int64(len(data)), 99999); err == nil || err.Error() != "streams: ReadAt ended its goroutine" || digests != nil {
			t.Errorf("a reader that never returns: %d digests, error %v", len(digests), err)
		}
	})
}

func TestPartsCanceled(t *testing.T) {
	zeros := readerAtFunc(func(p []byte, off int64) (int, error) {
		clear(p)
		return len(p), nil
	})
	withProcs(t, func(t *testing.T) {
		before := runtime.NumGoroutine()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Millisecond, cancel)
		start := time.Now()
		digests, err := sumParts(ctx, zeros, 1<<50, 1<<30)
		if err != context.Canceled || digests != nil {
			t.Errorf("cancelled: %x, error %v", digests, err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("returned %v after it began", d)
		}

		ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := sumParts(ctx, zeros, 1<<50, 1<<30); err != context.DeadlineExceeded {
			t.Errorf("timed out: error %v", err)
		}

		// A context that was done before: nothing is read.
		var reads atomic.Int32
		if _, err := sumParts(ctx, readerAtFunc(func([]byte, int64) (int, error) {
			reads.Add(1)
			return 0, io.EOF
		}), 100, 10); err != context.DeadlineExceeded || reads.Load() > 0 {
			t.Errorf("done before: error %v, %d reads", err, reads.Load())
		}
		if _, err := sumParts(ctx, nil, 0, 10); err != context.DeadlineExceeded {
			t.Errorf("done before, an empty object: error %v", err)
		}

		// A reader that fails because the context is done, as those of networks do.
		for _, size := range []int64{100, 64 << 20} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, cancel)
			if _, err := sumParts(ctx, readerAtFunc(func([]byte, int64) (int, error) {
				<-ctx.Done()
				return 0, net.ErrClosed
			}), size, 10); err != context.Canceled {
				t.Errorf("a reader of %d bytes that ends with the context: error %v", size, err)
			}
		}
		awaitGoroutines(t, before)
	})
}

// TestNoReadIsInFlightAfterParts has one read fail, of an object that would take
// hours. The others end at once, but before Parts returns.
func TestNoReadIsInFlightAfterParts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	var inFlight atomic.Int32
	r := readerAtFunc(func(p []byte, off int64) (int, error) {
		inFlight.Add(1)
		defer inFlight.Add(-1)
		if off == 0 {
			return 0, io.ErrClosedPipe
		}
		time.Sleep(time.Millisecond)
		return len(p), nil
	})
	for range 20 {
		if _, err := sumParts(t.Context(), r, 1<<44, 1<<30); !errors.Is(err, io.ErrClosedPipe) {
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
	zeros := readerAtFunc(func(p []byte, off int64) (int, error) { return len(p), nil })
	defer func() { inOrder = false }()
	for i, partSize := range []int64{100, 16 << 10, 1 << 20, 1 << 26, 100, 100_000, 512 << 10, 1 << 20} {
		inOrder = i > 3
		size := int64(1 << 26)
		if testing.Short() {
			size /= 2 // still three times what may be allocated
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		digests, err := sumParts(t.Context(), zeros, size, partSize)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		// All that was ever allocated, beside the digests.
		if got := int64(after.TotalAlloc-before.TotalAlloc) - int64(32*len(digests)); got > 10<<20 {
			t.Errorf("parts of %d: allocated %d bytes", partSize, got)
		}
	}
}

func FuzzParts(f *testing.F) {
	f.Add([]byte("hello"), int64(2), false)
	f.Add(object(70000), int64(1000), true)
	f.Fuzz(func(t *testing.T, b []byte, partSize int64, inOrder bool) {
		digests, err := streams.Parts(t.Context(), bytes.NewReader(b), int64(len(b)), partSize, streams.PartsOptions{InOrder: inOrder})
		if partSize < 1 {
			if err == nil {
				t.Fatalf("parts of %d bytes were accepted", partSize)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if want := plainly(b, int(min(partSize, math.MaxInt32))); !slices.Equal(digests, want) {
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
		digests, err := sumParts(t.Context(), r, size, partSize)
		t.Errorf("parts of %d: %d digests, error %v", partSize, len(digests), err)
		return nil
	}
	withProcs(t, func(t *testing.T) {
		for _, partSize := range []int64{100, 50_000, 1 << 20} {
			before := runtime.NumGoroutine()
			r := readerAtFunc(func(p []byte, off int64) (int, error) {
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
				t.Error("Parts has left SetPanicOnFault set")
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
	r := readerAtFunc(func(p []byte, off int64) (int, error) {
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
	digests, err := sumParts(t.Context(), r, 2<<20, 1<<20)
	t.Errorf("%d digests, error %v", len(digests), err)
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

// TestPartsWithOptions has Progress tell of every part and every byte, on the calling
// goroutine, and has no more reads at a time than workers.
func TestPartsWithOptions(t *testing.T) {
	data := object(3<<20 + 77)
	good := bytes.NewReader(data)
	for _, workers := range []int{0, 1, 3, 100, -1} { // -1: in order
		for _, partSize := range []int64{1000, 64 << 10, 1 << 20, 1 << 40} {
			var reading, most atomic.Int32
			r := readerAtFunc(func(p []byte, off int64) (int, error) {
				now := reading.Add(1)
				defer reading.Add(-1)
				for m := most.Load(); m < now && !most.CompareAndSwap(m, now); m = most.Load() {
				}
				time.Sleep(200 * time.Microsecond) // other reads begin
				return good.ReadAt(p, off)
			})
			done, hashed, calls := 0, int64(0), 0
			digests, err := streams.Parts(t.Context(), r, int64(len(data)), partSize, streams.PartsOptions{
				Workers: max(0, workers),
				InOrder: workers < 0,
				Progress: func(d int, b int64) { // on this goroutine, or the race detector reports calls
					if d < done || b <= hashed {
						t.Errorf("%d workers, parts of %d: progress went from %d, %d to %d, %d", workers, partSize, done, hashed, d, b)
					}
					if workers < 0 && b-int64(d)*partSize >= partSize {
						t.Errorf("parts of %d in order: %d bytes hashed of %d parts", partSize, b, d)
					}
					done, hashed = d, b
					calls++
				},
			})
			if err != nil || !slices.Equal(digests, plainly(data, int(min(partSize, math.MaxInt32)))) {
				t.Fatalf("%d workers, parts of %d: wrong digests, error %v", workers, partSize, err)
			}
			if done != len(digests) || hashed != int64(len(data)) || calls < 2 {
				t.Errorf("%d workers, parts of %d: progress ends with %d parts and %d bytes after %d calls, want %d and %d",
					workers, partSize, done, hashed, calls, len(digests), len(data))
			}
			if limit := max(workers, -workers); limit > 0 && int(most.Load()) > limit {
				t.Errorf("%d workers, parts of %d: %d reads at a time", workers, partSize, most.Load())
			}
		}
	}
}

// TestPartsWhoseProgressPanics has no read and no goroutine go on.
func TestPartsWhoseProgressPanics(t *testing.T) {
	for _, inOrder := range []bool{false, true} {
		testPartsWhoseProgressPanics(t, inOrder)
	}
}

func testPartsWhoseProgressPanics(t *testing.T, inOrder bool) {
	before := runtime.NumGoroutine()
	var inFlight, reads atomic.Int32
	zeros := readerAtFunc(func(p []byte, off int64) (int, error) {
		inFlight.Add(1)
		defer inFlight.Add(-1)
		reads.Add(1)
		return len(p), nil
	})
	message := panicOf(func() {
		streams.Parts(t.Context(), zeros, 1<<44, 1<<30, streams.PartsOptions{Workers: 3, InOrder: inOrder, Progress: func(int, int64) { panic("on purpose") }})
	})
	if message != "on purpose" || inFlight.Load() != 0 || reads.Load() == 0 {
		t.Errorf("panic %q, %d reads of %d are in flight", message, inFlight.Load(), reads.Load())
	}
	awaitGoroutines(t, before)
}

// TestPartsReadInOrder looks at the offsets that are read.
func TestPartsReadInOrder(t *testing.T) {
	lanes := int64(min(32, sha256.Selected().Lanes))
	data := object(9 << 20)
	good := bytes.NewReader(data)
	for _, tt := range []struct {
		name     string
		partSize int64
		o        streams.PartsOptions
		inOrder  bool
	}{
		{"short parts", 1000, streams.PartsOptions{Workers: 1}, true},
		{"parts that just fill the lanes", 2 << 20 / lanes, streams.PartsOptions{Workers: 1}, true},
		{"longer parts", 2<<20/lanes + 1, streams.PartsOptions{Workers: 1}, lanes == 1},
		{"short parts, InOrder", 1000, streams.PartsOptions{InOrder: true}, true},
		{"the longest parts that are held, InOrder", 512 << 10, streams.PartsOptions{InOrder: true}, true},
		{"longer parts, InOrder", 3 << 20, streams.PartsOptions{InOrder: true, Workers: 5}, true},
		{"one part, InOrder", 1 << 40, streams.PartsOptions{InOrder: true}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			next, inOrder := int64(0), true
			digests, err := streams.Parts(t.Context(), readerAtFunc(func(p []byte, off int64) (int, error) {
				inOrder = inOrder && off == next
				next = off + int64(len(p))
				return good.ReadAt(p, off)
			}), int64(len(data)), tt.partSize, tt.o)
			if err != nil || !slices.Equal(digests, plainly(data, int(min(tt.partSize, math.MaxInt32)))) {
				t.Fatalf("wrong digests, error %v", err)
			}
			if inOrder != tt.inOrder {
				t.Errorf("read in order: %t, want %t", inOrder, tt.inOrder)
			}
		})
	}
}

func TestPartsMisuse(t *testing.T) {
	message := panicOf(func() {
		streams.Parts(t.Context(), nil, 1, 1, streams.PartsOptions{Workers: -1})
	})
	if want := "streams: Parts: Workers is -1; expected 0 or more"; message != want {
		t.Errorf("panic %q, want %q", message, want)
	}
}

func TestNothingHasNoParts(t *testing.T) {
	for _, r := range []io.ReaderAt{nil, bytes.NewReader(nil)} {
		if digests, err := sumParts(t.Context(), r, 0, 8<<20); err != nil || len(digests) != 0 {
			t.Errorf("digests %x, error %v", digests, err)
		}
	}
}

// panicOf returns what f panics with, if it is a string.
func panicOf(f func()) (message string) {
	defer func() { message, _ = recover().(string) }()
	f()
	return ""
}
