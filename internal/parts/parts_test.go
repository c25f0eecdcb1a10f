package parts_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/parts"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// Package composite tests what its checksums need; here is what they do not.
func TestStretchesPrefixesAndPadding(t *testing.T) {
	data := hashtest.Data(3<<20 + 100)
	for _, procs := range []int{1, 3} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		for _, partSize := range []int{1, 500, 512, 4096, 16 << 10, 64 << 10, 100_000, 512 << 10, 5 << 20} {
			for _, size := range []int{1, partSize - 1, partSize, partSize + 1, 40*partSize - 7, 3 << 20} {
				if size < 1 || size > 3<<20 || size/partSize > 2000 {
					continue
				}
				for _, prefix := range []int{0, 32, 64, 100} {
					for _, pad := range []bool{false, true} {
						const off = 77
						p := parts.Parts{
							R: bytes.NewReader(data), Off: off, Size: int64(size), PartSize: int64(partSize), Pad: pad, Prefix: data[:prefix],
						}
						got := make([][32]byte, p.Count())
						if err := p.Sum(t.Context(), got); err != nil {
							t.Fatal(err)
						}
						for i := range got {
							h := sha256.New()
							h.Write(data[:prefix])
							part := data[off+i*partSize : min(off+(i+1)*partSize, off+size)]
							h.Write(part)
							if pad {
								h.Write(make([]byte, partSize-len(part)))
							}
							if want := [32]byte(h.Sum(nil)); got[i] != want {
								t.Fatalf("part %d of %d bytes in parts of %d behind %d, padded %v: %x, want %x", i, size, partSize, prefix, pad, got[i], want)
							}
						}
					}
				}
			}
		}
	}
}

// Of two parts that take two steps each, of 1 MiB for each part, the last may end in the
// first step, where it ends, or in the second.
func TestTheLastPartEndsFirst(t *testing.T) {
	const partSize, stretch = 3 << 19, 1 << 20
	data := hashtest.Data(2 * partSize)
	for _, prefix := range []int{0, 1, 63, 64, 100} {
		rest := prefix % 64
		for _, last := range []int{1, 64 - rest, stretch - rest - 64, stretch - rest, stretch - rest + 64} {
			for size := max(last-1, 1); size <= last+1; size++ {
				counts := 0
				p := parts.Parts{
					R: bytes.NewReader(data), Size: int64(partSize + size), PartSize: partSize, Prefix: data[:prefix], Workers: 1,
					Progress: func(n int, _ int64) { counts = counts*10 + n },
				}
				got := make([][32]byte, p.Count())
				if err := p.Sum(t.Context(), got); err != nil {
					t.Fatal(err)
				}
				for i := range got {
					part := data[i*partSize : min((i+1)*partSize, partSize+size)]
					if want := sha256.Sum256(append(data[:prefix:prefix], part...)); got[i] != want {
						t.Errorf("part %d of %d bytes behind %d: %x, want %x", i, len(part), prefix, got[i], want)
					}
				}
				want := 2 // none, then both
				if width := lanes.Width(); width == 1 || size <= stretch-rest {
					want = 12
				}
				if counts != want {
					t.Errorf("last part of %d bytes behind %d: counts of parts %d, want %d", size, prefix, counts, want)
				}
			}
		}
	}
}

// failing reads zeros, but fails at an offset.
type failing struct {
	at  int64
	err error
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off <= f.at && f.at < off+int64(len(p)) {
		return 0, f.err
	}
	clear(p)
	return len(p), nil
}

// TestTheFirstErrorIsTheReaders has many workers fail because one did: the error is
// never what ended the others.
func TestTheFirstErrorIsTheReaders(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	errBroken := errors.New("broken")
	for i := range 300 {
		const n = 256
		p := parts.Parts{R: failing{int64(i%n) * 20_000, errBroken}, Size: n * 20_000, PartSize: 20_000, Package: "some"}
		if err := p.Sum(t.Context(), make([][32]byte, n)); !errors.Is(err, errBroken) {
			t.Fatalf("run %d: error %v, want %v", i, err, errBroken)
		}
	}
}

func TestErrorsNameThePackageAndTheOffset(t *testing.T) {
	p := parts.Parts{R: bytes.NewReader(make([]byte, 150)), Off: 100, Size: 100, PartSize: 100, Package: "some"}
	err := p.Sum(t.Context(), make([][32]byte, 1))
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(fmt.Sprint(err), "some: reading at offset 150, at or behind the end: ") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Sum(ctx, make([][32]byte, 1)); err != context.Canceled {
		t.Errorf("error %v of a context that is done", err)
	}
}

func TestEachGroupIsDoneOnce(t *testing.T) {
	data := hashtest.Data(3<<20 + 100)
	for _, tt := range []struct{ partSize, size, group int }{
		{1024, 1, 32},
		{1024, 32 << 10, 32},
		{1024, 32<<10 + 1, 32},
		{1024, 3 << 20, 1024},
		{1024, 1<<20 + 1, 1024},
		{1 << 20, 3<<20 + 100, 4}, // two steps for a group
	} {
		for _, procs := range []int{1, 3} {
			t.Run(fmt.Sprintf("partSize=%d/size=%d/group=%d/procs=%d", tt.partSize, tt.size, tt.group, procs), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				p := parts.Parts{R: bytes.NewReader(data), Size: int64(tt.size), PartSize: int64(tt.partSize), GroupSize: tt.group}
				digests := make([][32]byte, p.Count())
				var mu sync.Mutex
				done := make([]int, len(digests))
				p.Done = func(first int, group [][32]byte) {
					mu.Lock()
					defer mu.Unlock()
					if want := min(tt.group, len(digests)-first); first%tt.group != 0 || len(group) != want {
						t.Errorf("a group of %d parts from part %d on, want %d", len(group), first, want)
					}
					for i, digest := range group {
						done[first+i]++
						begin := (first + i) * tt.partSize
						if want := sha256.Sum256(data[begin:min(begin+tt.partSize, tt.size)]); digest != want {
							t.Errorf("part %d: %x when its group is done, want %x", first+i, digest, want)
						}
					}
				}
				if err := p.Sum(t.Context(), digests); err != nil {
					t.Fatal(err)
				}
				for i, n := range done {
					if n != 1 {
						t.Errorf("part %d was done %d times, want once", i, n)
					}
				}
			})
		}
	}
}

// readerAtFunc is a ReadAt method.
type readerAtFunc func(p []byte, off int64) (int, error)

func (f readerAtFunc) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

// TestSmallStretches reads up to 128 KiB on the calling goroutine, and one byte more on
// others.
func TestSmallStretches(t *testing.T) {
	data := hashtest.Data(2<<20 + 1)
	for _, tt := range []struct {
		size, partSize, group int
		workers               int
		pad                   bool
		goroutines            bool
		reads                 int // 0: any number
	}{
		{size: 1, partSize: 1000},
		{size: 100_000, partSize: 1000},
		{size: 100_000, partSize: 1000, group: 32},
		{size: 100_000, partSize: 3 << 20, pad: true}, // takes two steps
		{size: 128 << 10, partSize: 4096},
		{size: 128 << 10, partSize: 4096, group: 16},             // takes two steps
		{size: 128 << 10, partSize: 4096, workers: 64, reads: 1}, // the parts go side by side all the same
		{size: 128<<10 + 1, partSize: 4096, workers: 2, goroutines: true},
		// One step for one worker.
		{size: 128<<10 + 1, partSize: 4096, workers: 1},
		{size: 128<<10 + 1, partSize: 4096, workers: 1, group: 32, goroutines: true},
		{size: 2 << 20, partSize: 2 << 20},
		{size: 2<<20 + 1, partSize: 3 << 20, goroutines: true},
	} {
		t.Run(fmt.Sprintf("size=%d/part=%d/group=%d/workers=%d", tt.size, tt.partSize, tt.group, tt.workers), func(t *testing.T) {
			before := runtime.NumGoroutine()
			var mu sync.Mutex
			started, reads := false, 0
			r := readerAtFunc(func(p []byte, off int64) (int, error) {
				mu.Lock()
				defer mu.Unlock()
				started = started || runtime.NumGoroutine() > before
				reads++
				return bytes.NewReader(data[:tt.size]).ReadAt(p, off)
			})
			done, read := 0, int64(0)
			p := parts.Parts{
				R: r, Size: int64(tt.size), PartSize: int64(tt.partSize), Pad: tt.pad, GroupSize: tt.group, Workers: tt.workers,
				Progress: func(d int, n int64) {
					if d < done || n < read {
						t.Errorf("progress goes from %d parts and %d bytes to %d and %d", done, read, d, n)
					}
					done, read = d, n
				},
			}
			got := make([][32]byte, p.Count())
			if err := p.Sum(t.Context(), got); err != nil {
				t.Fatal(err)
			}
			for i := range got {
				part := data[i*tt.partSize : min((i+1)*tt.partSize, tt.size)]
				if tt.pad {
					part = append(part[:len(part):len(part)], make([]byte, tt.partSize-len(part))...)
				}
				if got[i] != sha256.Sum256(part) {
					t.Fatalf("wrong digest of part %d", i)
				}
			}
			if done != len(got) || read != int64(tt.size) {
				t.Errorf("progress ends with %d parts and %d bytes", done, read)
			}
			if started != tt.goroutines {
				t.Errorf("reading on other goroutines: %v, want %v", started, tt.goroutines)
			}
			if tt.reads > 0 && reads != tt.reads {
				t.Errorf("%d reads, want %d", reads, tt.reads)
			}
		})
	}
}

// TestWorkersAreBounded asks for far too many workers. On 32-bit ports, so many would take
// more parts at a time than an int can count.
func TestWorkersAreBounded(t *testing.T) {
	rows := []struct{ parts, partSize, workers int }{{5000, 1024, 40}, {1 << 22, 1, 32}}
	if !testing.Short() {
		rows = append(rows, struct{ parts, partSize, workers int }{parts.MaxWorkers*128 + 129, 1024, parts.MaxWorkers})
	}
	for _, tt := range rows {
		// While goroutines start and end, NumGoroutine may return too many: three calls must agree.
		for tries := 3; ; tries-- {
			before := runtime.NumGoroutine()
			var most atomic.Int64
			p := parts.Parts{
				R: readerAtFunc(func(b []byte, _ int64) (int, error) {
					now := int64(runtime.NumGoroutine())
					for m := most.Load(); m < now && !most.CompareAndSwap(m, now); m = most.Load() {
					}
					clear(b)
					time.Sleep(time.Millisecond) // meanwhile, the other workers start
					return len(b), nil
				}),
				Size: int64(tt.parts * tt.partSize), PartSize: int64(tt.partSize), Workers: 1 << 30,
			}
			digests := make([][32]byte, tt.parts)
			if err := p.Sum(t.Context(), digests); err != nil {
				t.Fatal(err)
			}
			want := sha256.Sum256(make([]byte, tt.partSize))
			if i := slices.IndexFunc(digests, func(d [32]byte) bool { return d != want }); i >= 0 {
				t.Errorf("part %d of %d: %x, want %x", i, tt.parts, digests[i], want)
			}
			// A worker is two goroutines; one more waits for all of them.
			limit := int64(before + 2*tt.workers + 1)
			if most.Load() <= limit {
				break
			}
			if tries == 1 {
				t.Fatalf("%d parts: %d goroutines, want at most %d", tt.parts, most.Load(), limit)
			}
		}
	}
}

// TestBuffersAreUsedAgain: a call reads into the buffers of one that has ended, unless that
// one has failed: its reader might still write there.
func TestBuffersAreUsedAgain(t *testing.T) {
	hashtest.SkipTestAllocations(t) // it skips where pools drop what they are given
	data := hashtest.Data(300_000)
	for _, p := range []parts.Parts{
		{Size: 50_000, PartSize: 1 << 20},
		{Size: 300_000, PartSize: 100_000, GroupSize: 1, Workers: 1}, // starts a worker
	} {
		// sum returns where the buffers are.
		sum := func(err error) (bufs []*byte) {
			p.R = readerAtFunc(func(b []byte, off int64) (int, error) {
				bufs = append(bufs, &b[0])
				n, _ := bytes.NewReader(data).ReadAt(b, off)
				return n, err
			})
			if got := p.Sum(t.Context(), make([][32]byte, p.Count())); !errors.Is(got, err) {
				t.Fatal(got)
			}
			return bufs
		}
		again := false
		for range 100 {
			before := sum(nil)
			again = again || slices.Contains(before, sum(nil)[0])
			broken := sum(errors.New("broken"))
			if slices.Contains(sum(nil), broken[0]) {
				t.Fatalf("%d bytes: a call reads into the buffer of a call that has failed", p.Size)
			}
		}
		if !again {
			t.Errorf("%d bytes: each call has a new buffer", p.Size)
		}
	}
}

func TestNothingIsRetained(t *testing.T) {
	hashtest.NothingRetained(t, func() map[string]weak.Pointer[byte] {
		object := hashtest.Data(50_000)
		p := parts.Parts{R: bytes.NewReader(object), Size: int64(len(object)), PartSize: 1 << 20}
		digests := make([][32]byte, 1)
		if err := p.Sum(t.Context(), digests); err != nil {
			t.Fatal(err)
		}
		return map[string]weak.Pointer[byte]{"an object": weak.Make(&object[0]), "digests": weak.Make(&digests[0][0])}
	})
}
