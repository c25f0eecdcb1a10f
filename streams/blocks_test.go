package streams_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"
	"weak"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
	"github.com/sha256-simd/sha256-simd/streams"
)

// collect returns Blocks that append their digests to the list.
func collect(size int, digests *[][32]byte) *streams.Blocks {
	return streams.NewBlocks(size, func(some [][32]byte) error {
		if len(some) == 0 {
			return errors.New("f was called without a digest")
		}
		*digests = append(*digests, some...)
		return nil
	})
}

// A feed gives data to Blocks.
type feed struct {
	name string
	to   func(b *streams.Blocks, data []byte) error
}

// feeds are the ways to give data to Blocks, in pieces of several sizes.
func feeds() []feed {
	all := []feed{
		{"ReadFrom", func(b *streams.Blocks, data []byte) error {
			_, err := b.ReadFrom(bytes.NewReader(data))
			return err
		}},
		{"ReadFrom of a reader with EOF and data", func(b *streams.Blocks, data []byte) error {
			_, err := b.ReadFrom(iotest.DataErrReader(bytes.NewReader(data)))
			return err
		}},
		{"ReadFrom of half of what is asked for", func(b *streams.Blocks, data []byte) error {
			_, err := b.ReadFrom(iotest.HalfReader(bytes.NewReader(data)))
			return err
		}},
		{"Write of a byte, then of the rest", func(b *streams.Blocks, data []byte) error {
			n := min(1, len(data))
			return cmp.Or(write(b, data[:n]), write(b, data[n:]))
		}},
		{"Write and ReadFrom in turn", func(b *streams.Blocks, data []byte) error {
			for i := 0; len(data) > 0; i++ {
				n := min(len(data), 1+i*7919%50_000)
				if err := write(b, data[:n]); err != nil {
					return err
				}
				m := min(len(data)-n, 1+i*104_729%90_000)
				got, err := b.ReadFrom(bytes.NewReader(data[n:][:m]))
				if err != nil {
					return err
				}
				if got != int64(m) {
					return fmt.Errorf("ReadFrom returned %d for %d bytes", got, m)
				}
				data = data[n+m:]
			}
			return nil
		}},
	}
	for _, piece := range []int{1000, 32 << 10, math.MaxInt} {
		all = append(all, feed{fmt.Sprintf("Write of %d", piece), func(b *streams.Blocks, data []byte) error {
			for p := range slices.Chunk(data, piece) {
				if err := write(b, p); err != nil {
					return err
				}
			}
			return nil
		}})
	}
	return all
}

// write writes a copy of p, which is overwritten then.
func write(b *streams.Blocks, p []byte) error {
	c := bytes.Clone(p)
	n, err := b.Write(c)
	clear(c)
	if err == nil && n != len(p) {
		return fmt.Errorf("Write returned %d for %d bytes", n, len(p))
	}
	return err
}

func TestBlocksMatchPlainHashing(t *testing.T) {
	data := object(9 << 20)
	hashtest.ForEach(t, func(t *testing.T) {
		selected := strings.HasSuffix(t.Name(), "/selected")
		for _, size := range []int{1, 64, 1000, 16 << 10, 128 << 10, 512 << 10, 512<<10 + 1, math.MaxInt} {
			for _, total := range []int{0, 1, size - 1, size, size + 1, 5 * size, 40 * size, 70*size + 9, 9 << 20} {
				if size == 1 {
					total = min(total, 5000)
				}
				if total < 0 || total > len(data) || total > 150_000 && !selected || total > 6<<20 && (size < 100_000 || testing.Short()) {
					continue
				}
				want := plainly(data[:total], size)
				for _, f := range feeds() {
					var got [][32]byte
					b := collect(size, &got)
					for _, again := range []string{"", ", again"} {
						got = nil
						if err := errors.Join(f.to(b, data[:total]), b.Close()); err != nil || !slices.Equal(got, want) {
							t.Fatalf("%d bytes in blocks of %d by %s%s: %d digests, of %d wrong or missing, error %v",
								total, size, f.name, again, len(got), len(want), err)
						}
						b.Reset()
					}
				}
			}
		}
	})
}

// TestBlocksReset drops streams at every stage.
func TestBlocksReset(t *testing.T) {
	data := object(1 << 20)
	for _, size := range []int{1000, 16 << 10, 600_000} {
		var got [][32]byte
		b := collect(size, &got)
		for n := 0; n < len(data); n += 30_011 {
			if err := write(b, data[n/2:n]); err != nil {
				t.Fatal(err)
			}
			b.Reset()
			got = nil
			if err := errors.Join(write(b, data[:n]), b.Close()); err != nil || !slices.Equal(got, plainly(data[:n], size)) {
				t.Fatalf("blocks of %d, %d bytes after Reset: wrong digests, error %v", size, n, err)
			}
			b.Reset()
		}
	}
}

// TestBlocksHoldLittle looks how many bytes are held back.
func TestBlocksHoldLittle(t *testing.T) {
	zeros := make([]byte, 16<<20)
	hashtest.ForEach(t, func(t *testing.T) {
		lanes := sha256.Selected().Lanes
		for _, tt := range []struct{ size, most int }{
			{64, 64 << 10},
			{16 << 10, max(64<<10, lanes*16<<10)},
			{128 << 10, lanes * 128 << 10},
			{512 << 10, min(lanes*512<<10, 4<<20)},
			{1 << 20, 0},
			{2 << 20, 0},
		} {
			if lanes == 1 {
				tt.most = 0
			}
			written, hashed, most := 0, 0, 0
			b := streams.NewBlocks(tt.size, func(some [][32]byte) error {
				hashed += len(some) * tt.size
				return nil
			})
			// The first blocks, as many as are held later, are hashed as they come.
			n := 3*max(tt.most, 100_000) + 6*tt.size
			for piece := range slices.Chunk(zeros[:n], max(n/1000, 32)) {
				if _, err := b.Write(piece); err != nil {
					t.Fatal(err)
				}
				written += len(piece)
				most = max(most, (written-hashed)/tt.size*tt.size)
			}
			if limit := max(tt.most-tt.size, 0); most > limit || limit > 0 && most < limit/2 {
				t.Errorf("blocks of %d in %d lanes: up to %d whole bytes held back, want up to %d", tt.size, lanes, most, limit)
			}
		}
	})
}

// TestBlocksMemory counts all that is allocated.
func TestBlocksMemory(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	all := make([]byte, 64<<20)
	for _, size := range []int{64, 16 << 10, 128 << 10, 512 << 10, 1 << 20, 32 << 20} {
		data := all
		if testing.Short() {
			data = all[:size+12<<20] // behind a block, three times what may be allocated
		}
		for _, f := range feeds() {
			if strings.Contains(f.name, "Write") { // tests copy there
				continue
			}
			b := streams.NewBlocks(size, func([][32]byte) error { return nil })
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := errors.Join(f.to(b, data), b.Close()); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4<<20+200<<10 {
				t.Errorf("blocks of %d by %s: %d bytes were allocated", size, f.name, allocated)
			}
		}
	}
}

// TestBlocksOfLittleData counts allocations: none before the first byte.
func TestBlocksOfLittleData(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	data := make([]byte, 3000)
	f := func([][32]byte) error { return nil }
	for _, tt := range []struct{ size, length, want int }{
		{4096, 0, 0}, {4096, 1, 1}, {4096, 3000, 1}, {1 << 20, 3000, 1}, {1000, 3000, 2},
	} {
		if n := testing.AllocsPerRun(20, func() {
			b := streams.NewBlocks(tt.size, f)
			b.Write(data[:tt.length/2])
			b.Write(data[tt.length/2 : tt.length])
			b.Close()
		}); n > float64(tt.want) {
			t.Errorf("%d bytes in blocks of %d: %v allocations, want %d", tt.length, tt.size, n, tt.want)
		}
	}
}

// TestBlocksKeepNothingOfTheCaller has Blocks that are closed, and may be used again, keep no
// pointer to what was written.
func TestBlocksKeepNothingOfTheCaller(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		b := collect(1<<10, new([][32]byte))
		hashtest.NothingRetained(t, func() map[string]weak.Pointer[byte] {
			data := hashtest.Data(1 << 20)
			if _, err := b.Write(data); err != nil {
				t.Fatal(err)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			return map[string]weak.Pointer[byte]{"what was written": weak.Make(&data[0])}
		})
		runtime.KeepAlive(b)
	})
}

// TestBlocksErrorOfTheFunction has f fail at each of its calls. It is called no more.
func TestBlocksErrorOfTheFunction(t *testing.T) {
	full := errors.New("the disk is full")
	for _, tt := range []struct{ size, length int }{
		{1000, 200_000}, {16 << 10, 1_200_000}, {700_000, 3 << 20},
	} {
		if testing.Short() && sha256.Selected().Lanes == 1 { // each block is a call
			tt.length /= 4
		}
		size, data := tt.size, object(tt.length)
		for _, f := range feeds() {
			for at := 1; ; at++ {
				calls := 0
				b := streams.NewBlocks(size, func([][32]byte) error {
					if calls++; calls == at {
						return full
					}
					return nil
				})
				err := f.to(b, data)
				if err == nil {
					err = b.Close()
				}
				if err == nil && calls < at {
					break // all calls have failed once
				}
				_, later := b.Write(data)
				_, alsoLater := b.ReadFrom(bytes.NewReader(data))
				if err != full || later != full || alsoLater != full || b.Close() != full || calls != at {
					t.Fatalf("blocks of %d by %s: call %d fails: errors %v, %v, %v; %d calls", size, f.name, at, err, later, alsoLater, calls)
				}
			}
		}
	}
}

func TestBlocksErrorsOfReaders(t *testing.T) {
	broken := errors.New("the reader is broken")
	data := object(1 << 20)
	for _, size := range []int{1000, 16 << 10, 700_000} {
		for _, at := range []int{0, 1, 31_000, 400_000} {
			var got [][32]byte
			b := collect(size, &got)
			n, err := b.ReadFrom(io.MultiReader(bytes.NewReader(data[:at]), iotest.ErrReader(broken)))
			if err != broken || n != int64(at) {
				t.Fatalf("blocks of %d: %d bytes, error %v, want %d and %v", size, n, err, at, broken)
			}
			// It goes on.
			m, err := b.ReadFrom(bytes.NewReader(data[at:]))
			if err := errors.Join(err, b.Close()); err != nil || m != int64(len(data)-at) || !slices.Equal(got, plainly(data, size)) {
				t.Fatalf("blocks of %d after an error at %d: wrong digests, error %v", size, at, err)
			}
		}
	}
	for _, tt := range []struct {
		name string
		read func(p []byte) (int, error)
		want error
	}{
		{"nothing and no error", func([]byte) (int, error) { return 0, nil }, io.ErrNoProgress},
		{"a negative count", func([]byte) (int, error) { return -1, nil }, nil},
		{"too large a count", func(p []byte) (int, error) { return len(p) + 1, nil }, nil},
	} {
		b := collect(1000, new([][32]byte))
		if n, err := b.ReadFrom(readerFunc(tt.read)); err == nil || n != 0 || tt.want != nil && err != tt.want {
			t.Errorf("%s: %d bytes, error %v", tt.name, n, err)
		}
	}
}

// TestBlocksEmptyReads tests how many reads in a row may return neither bytes nor an error.
func TestBlocksEmptyReads(t *testing.T) {
	for empty, ok := range map[int]bool{0: true, 1: true, 99: true, 100: false, 1000: false} {
		for _, before := range []int{0, 1, 3} {
			reads := 0
			b := collect(1000, new([][32]byte))
			n, err := b.ReadFrom(readerFunc(func(p []byte) (int, error) {
				switch reads++; {
				case reads <= before:
					return 1, nil
				case reads <= before+empty:
					return 0, nil
				}
				return 0, io.EOF
			}))
			want, wantReads := error(nil), before+empty+1
			if !ok {
				want, wantReads = io.ErrNoProgress, before+100
			}
			if n != int64(before) || err != want || reads != wantReads {
				t.Errorf("%d empty reads behind %d bytes: %d bytes after %d reads, error %v, want %d reads and %v",
					empty, before, n, reads, err, wantReads, want)
			}
		}
	}
}

// TestBlocksReaderThatNeverEnds ends by the error of f.
func TestBlocksReaderThatNeverEnds(t *testing.T) {
	enough, blocks := errors.New("enough"), 0
	b := streams.NewBlocks(4096, func(some [][32]byte) error {
		if blocks += len(some); blocks > 3000 {
			return enough
		}
		return nil
	})
	zeros := readerFunc(func(p []byte) (int, error) { return len(p), nil })
	if n, err := b.ReadFrom(zeros); err != enough || n < 3000*4096 || n > 3500*4096 {
		t.Errorf("%d bytes, error %v", n, err)
	}
}

func TestBlocksMisuse(t *testing.T) {
	nothing := func([][32]byte) error { return nil }
	for _, tt := range []struct {
		name, want string
		call       func()
	}{
		{"size 0", "streams: NewBlocks: size is 0; expected at least 1", func() { streams.NewBlocks(0, nothing) }},
		{"negative size", "streams: NewBlocks: size is -5; expected at least 1", func() { streams.NewBlocks(-5, nothing) }},
		{"no function", "streams: NewBlocks: f is nil", func() { streams.NewBlocks(1, nil) }},
		{"zero Blocks", "streams: Blocks that NewBlocks did not make", func() { new(streams.Blocks).Write([]byte{1}) }},
	} {
		if got := panicOf(tt.call); got != tt.want {
			t.Errorf("%s: panic %q, want %q", tt.name, got, tt.want)
		}
	}

	b := streams.NewBlocks(1000, nothing)
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	n, err := b.Write([]byte("x"))
	m, alsoErr := b.ReadFrom(strings.NewReader("x"))
	if err == nil || n != 0 || alsoErr == nil || m != 0 || b.Close() == nil {
		t.Errorf("after Close: Write returns %d, %v; ReadFrom %d, %v", n, err, m, alsoErr)
	}
}

// TestBlocksInThemselves calls every method from f and from a reader, and has both panic.
func TestBlocksInThemselves(t *testing.T) {
	data := object(300_000)
	var b *streams.Blocks
	calls := func() error {
		_, err := b.Write(data)
		_, alsoErr := b.ReadFrom(bytes.NewReader(data))
		if err == nil || alsoErr == nil || b.Close() == nil {
			return errors.New("a call in a call did not fail")
		}
		return nil
	}
	for _, size := range []int{1000, 16 << 10, 200_000} {
		var got [][32]byte
		b = streams.NewBlocks(size, func(some [][32]byte) error {
			got = append(got, some...)
			return calls()
		})
		good := bytes.NewReader(data)
		_, err := b.ReadFrom(readerFunc(func(p []byte) (int, error) {
			if err := calls(); err != nil {
				return 0, err
			}
			return good.Read(p)
		}))
		if err := errors.Join(err, b.Close()); err != nil || !slices.Equal(got, plainly(data, size)) {
			t.Errorf("blocks of %d: wrong digests, error %v", size, err)
		}

		b = streams.NewBlocks(size, func([][32]byte) error { panic("f is broken") })
		message := panicOf(func() { b.Write(data) })
		if err := calls(); message != "f is broken" || err != nil {
			t.Errorf("blocks of %d: f panics: %q; later: %v", size, message, err)
		}
		b = streams.NewBlocks(size, func([][32]byte) error { return nil })
		message = panicOf(func() { b.ReadFrom(readerFunc(func([]byte) (int, error) { panic("a reader is broken") })) })
		if err := calls(); message != "a reader is broken" || err != nil {
			t.Errorf("blocks of %d: a reader panics: %q; later: %v", size, message, err)
		}
		b.Reset()
		if err := errors.Join(write(b, data), b.Close()); err != nil {
			t.Errorf("blocks of %d: after a panic and Reset: %v", size, err)
		}
	}
}

// TestBlocksResetInTheirCalls has f, and readers, call Reset, and then write or not. The
// call that is under way has to fail, and those that follow until the next Reset.
func TestBlocksResetInTheirCalls(t *testing.T) {
	data := object(300_000)
	for _, size := range []int{1000, 16 << 10, 200_000} {
		for _, writes := range []bool{false, true} {
			for at := 1; at <= 3; at++ {
				var b *streams.Blocks
				var ofF, ofReader int // calls until one resets b
				reset := func(calls *int) {
					if *calls--; *calls == 0 {
						b.Reset()
						if writes {
							b.Write(data[:1])
						}
					}
				}
				b = streams.NewBlocks(size, func([][32]byte) error {
					reset(&ofF)
					return nil
				})
				for _, tt := range []struct {
					name  string
					calls *int
					call  func() error
				}{
					{"f in Write", &ofF, func() error { _, err := b.Write(data); return errors.Join(err, b.Close()) }},
					{"f in ReadFrom", &ofF, func() error { _, err := b.ReadFrom(bytes.NewReader(data)); return errors.Join(err, b.Close()) }},
					{"a reader", &ofReader, func() error {
						good := bytes.NewReader(data)
						_, err := b.ReadFrom(readerFunc(func(p []byte) (int, error) {
							reset(&ofReader)
							return good.Read(p)
						}))
						return err
					}},
				} {
					b.Reset()
					*tt.calls = at
					err := tt.call()
					if *tt.calls > 0 {
						continue // f gets all digests in fewer calls
					}
					n, later := b.Write(data)
					if err == nil || n != 0 || later == nil || b.Close() == nil {
						t.Errorf("blocks of %d, call %d of %s resets them, then writes: %t: error %v; later: %v", size, at, tt.name, writes, err, later)
					}
				}
			}
		}
	}
}

// A Reset in f is not undone by another one, in an f that the first has called.
func TestBlocksResetTwice(t *testing.T) {
	data := make([]byte, 3<<20)
	calls := 0
	var b *streams.Blocks
	b = streams.NewBlocks(1<<20, func([][32]byte) error {
		switch calls++; calls {
		case 1:
			b.Reset()
			b.Write(data[:1<<20])
		case 2:
			b.Reset()
		}
		return nil
	})
	if n, err := b.Write(data); err == nil || calls != 2 {
		t.Errorf("%d bytes, %d calls of f, error %v", n, calls, err)
	}
}

// TestBlocksOfOddReaders mixes writes of all lengths near the size with readers that
// return nothing many times, data with an error, or wrong counts. Each call says how much
// it has added, so that the next one can go on.
func TestBlocksOfOddReaders(t *testing.T) {
	data := object(4 << 20)
	broken := errors.New("the reader is broken")
	sizes := []int{1, 63, 64, 65, 1000, 16 << 10, 64 << 10, 64<<10 + 1, 512 << 10, 512<<10 + 1}
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 48))
		size := sizes[r.IntN(len(sizes))]
		rest := data[:r.IntN(min(len(data), 90*size)+1)]
		want := plainly(rest, size)
		var got [][32]byte
		b := collect(size, &got)
		read := func(p []byte) (n int) {
			n = copy(p, rest[:min(len(rest), r.IntN(3*size+2))])
			rest = rest[n:]
			return n
		}
		for len(rest) > 0 {
			if r.IntN(4) == 0 {
				lengths := []int{0, 1, size - 1, size, size + 1, 2*size + 3, r.IntN(50 * size)}
				n := min(len(rest), lengths[r.IntN(len(lengths))])
				if err := write(b, rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
				continue
			}
			before, empty, calls := len(rest), 0, r.IntN(30)
			var wrong error // what ReadFrom has to return; errAny if that is not said
			n, err := b.ReadFrom(readerFunc(func(p []byte) (int, error) {
				if empty < 99 && r.IntN(3) == 0 {
					empty++
					return 0, nil
				}
				empty = 0
				if calls--; calls == 0 {
					switch r.IntN(4) {
					case 0:
						wrong = broken
						return read(p), broken
					case 1:
						wrong = errAny
						return -1 - r.IntN(5), nil
					case 2:
						wrong = errAny
						return len(p) + 1, io.EOF
					default:
						return read(p), io.EOF
					}
				}
				n := read(p)
				if len(rest) == 0 {
					return n, io.EOF
				}
				return n, nil
			}))
			if n != int64(before-len(rest)) || (err == nil) != (wrong == nil) || wrong == broken && err != broken {
				t.Fatalf("seed %d, blocks of %d: ReadFrom returned %d, %v; want %d, %v", seed, size, n, err, before-len(rest), wrong)
			}
		}
		if err := b.Close(); err != nil || !slices.Equal(got, want) {
			t.Fatalf("seed %d, blocks of %d: wrong digests, error %v", seed, size, err)
		}
	}
}

var errAny = errors.New("any error")

// TestBlocksFault writes what cannot be read. After Reset all is well.
func TestBlocksFault(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	buf := guard.New(t, 1<<20)
	tail := buf.Tail(100_000)
	broken := unsafe.Slice(unsafe.SliceData(tail), len(tail)+1000)
	data := object(500_000)
	for _, size := range []int{1000, 16 << 10, 40_000, 600_000} {
		var got [][32]byte
		b := collect(size, &got)
		if err := write(b, data[:400_000]); err != nil {
			t.Fatal(err)
		}
		if guard.Faults(func() { b.Write(broken) }) == nil {
			t.Errorf("blocks of %d: Write reads what cannot be read", size)
		}
		// How much of it was added is unknown.
		if n, err := b.Write(data); n != 0 || err == nil || b.Close() == nil {
			t.Errorf("blocks of %d: after a fault: Write returned %d, error %v", size, n, err)
		}
		b.Reset()
		got = nil
		if err := errors.Join(write(b, data), b.Close()); err != nil || !slices.Equal(got, plainly(data, size)) {
			t.Errorf("blocks of %d: after a fault and Reset: wrong digests, error %v", size, err)
		}
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add([]byte("hello"), 2, []byte{1, 2})
	f.Add(object(70000), 1000, []byte{255, 0, 9, 130})
	f.Fuzz(func(t *testing.T, data []byte, size int, steps []byte) {
		if size < 1 {
			return
		}
		data = slices.Repeat(data, 1+1<<20/(len(data)+1)) // enough for a buffer
		var got [][32]byte
		b := collect(size, &got)
		rest := data
		for i := 0; len(rest) > 0; i++ {
			n := len(rest)
			if i < len(steps) {
				n = min(n, 1+int(steps[i])*997)
			}
			var err error
			if i%2 == 0 {
				err = write(b, rest[:n])
			} else {
				_, err = b.ReadFrom(bytes.NewReader(rest[:n]))
			}
			if err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := b.Close(); err != nil || !slices.Equal(got, plainly(data, size)) {
			t.Errorf("%d bytes in blocks of %d: wrong digests, error %v", len(data), size, err)
		}
	})
}
