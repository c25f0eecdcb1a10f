package sha256

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"encoding"
	"fmt"
	"hash"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// classData is what the tests of this file write: 8 KiB in which no two bytes 251 apart
// belong to equal blocks.
var classData = func() []byte {
	p := make([]byte, 8<<10)
	for i := range p {
		p[i] = byte(i%251 + i/251)
	}
	return p
}()

// state returns the marshalled form of h.
func state(t *testing.T, h hash.Hash) []byte {
	t.Helper()
	form, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return form
}

// begun returns a hash that has n bytes buffered, behind a block, and the same of
// crypto/sha256.
func begun(n int) (h, want hash.Hash) {
	h, want = New(), stdsha256.New()
	h.Write(classData[:BlockSize+n])
	want.Write(classData[:BlockSize+n])
	return h, want
}

// TestWritesByClasses writes every length up to three blocks, and some around a page, behind
// every number of bytes that may be buffered: by Write, and as lists write, whose jobs
// compress the blocks elsewhere.
func TestWritesByClasses(t *testing.T) {
	const page = 4096
	var lengths []int
	for n := range 3*BlockSize + 1 {
		lengths = append(lengths, n)
	}
	for n := page - 1; n <= page+BlockSize+1; n += 1 + 30*(n-page+1)%60 {
		lengths = append(lengths, n)
	}
	for buffered := range BlockSize {
		for _, length := range lengths {
			p := classData[7:][:length]
			h, want := begun(buffered)
			if n, err := h.Write(p); n != length || err != nil {
				t.Fatalf("%d bytes behind %d: Write returns %d, %v", length, buffered, n, err)
			}
			want.Write(p)
			if !bytes.Equal(state(t, h), state(t, want)) {
				t.Fatalf("%d bytes behind %d: another state by Write", length, buffered)
			}
			if buffered+length < BlockSize {
				continue
			}
			h, _ = begun(buffered)
			d := h.(*digest)
			before := d.h
			var j lanes.Job
			d.start(&j, p)
			j.H = d.h
			blocks := 0
			for _, s := range j.Segments {
				block.Compress(&j.H, s)
				blocks += len(s) / BlockSize
			}
			if d.h != before || j.State != &d.h || blocks != (buffered+length)/BlockSize {
				t.Fatalf("%d bytes behind %d: a job of %d blocks", length, buffered, blocks)
			}
			d.advance(&j.H, p)
			if !bytes.Equal(state(t, h), state(t, want)) {
				t.Fatalf("%d bytes behind %d: another state by start and take", length, buffered)
			}
		}
	}
}

// TestListsByClasses writes lists of two and three hashes, of which each has each class of
// bytes buffered and bytes written, and one may be there twice; then lists that fill lanes
// with two classes by turns.
func TestListsByClasses(t *testing.T) {
	type class struct{ buffered, length int }
	var classes []class
	for _, buffered := range []int{0, 1, 63} {
		for _, length := range []int{0, 1, 63, 64, 65, 128, 900} {
			classes = append(classes, class{buffered, length})
		}
	}
	check := func(list []class, again bool, write func(hs []hash.Hash, data [][]byte)) {
		hs, want, data := make([]hash.Hash, len(list)), make([]hash.Hash, len(list)), make([][]byte, len(list))
		for i, c := range list {
			hs[i], want[i] = begun(c.buffered)
			data[i] = classData[i:][:c.length]
		}
		if again { // the last is the first
			hs[len(hs)-1], want[len(hs)-1] = hs[0], want[0]
		}
		write(hs, data)
		for i, h := range want {
			h.Write(data[i])
		}
		for i, h := range hs {
			if h.(*digest).waiting || !bytes.Equal(state(t, h), state(t, want[i])) {
				t.Fatalf("%v, one twice: %t: another state of hash %d", list, again, i)
			}
		}
	}
	weighed := func(hs []hash.Hash, data [][]byte) { writeRuns(hs, data, false) }
	sideBySide := func(hs []hash.Hash, data [][]byte) { writeRuns(hs, data, true) }
	step := 1
	if testing.Short() {
		step = 5
	}
	for _, a := range classes {
		for i, b := range classes {
			check([]class{a, b}, false, weighed)
			check([]class{a, b}, false, sideBySide)
			for j := i % step; j < len(classes); j += step {
				check([]class{a, b, classes[j]}, false, sideBySide)
				check([]class{a, b, classes[j]}, true, sideBySide)
			}
			many := slices.Repeat([]class{a, b}, 33)
			check(many, false, WriteHashes)
			check(many, true, WriteHashes)
		}
	}
}

// manyWith returns h and 40 other hashes, and p and data for the others: up to 11 blocks, so
// that some of each number of blocks are left over.
func manyWith(h hash.Hash, p []byte) (hs []hash.Hash, data [][]byte) {
	for i := range 41 {
		hs, data = append(hs, New()), append(data, classData[:BlockSize*(1+i%11)])
	}
	hs[20], data[20] = h, p
	return hs, data
}

// writeClasses writes to hs by lanes.RunByClasses, or by writeRuns if some data is too long.
func writeClasses(hs []hash.Hash, data [][]byte) {
	var t lanes.Tally
	for i, h := range hs {
		t = t.With(h.(*digest).blocksWith(data[i]))
	}
	if t.Longest() > 16 {
		writeRuns(hs, data, false)
		return
	}
	w := works.Get().(*work)
	defer w.release()
	w.hs, w.data, w.marked = hs, data, len(hs)
	for _, h := range hs {
		h.(*digest).waiting = true
	}
	lanes.RunByClasses(len(hs), (*equalWork)(w))
	for i, h := range hs {
		if d := h.(*digest); d.waiting { // the data completes no block
			d.waiting = false
			d.Write(data[i])
		}
	}
}

// TestFaultOnAnyPage writes, behind bytes that are buffered, memory of which one page cannot
// be read: the first, the last or one between. The hash has to stay as it was.
func TestFaultOnAnyPage(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	hashtest.ForEachSingle(t, func(t *testing.T) {
		page := os.Getpagesize()
		for hole := range 3 {
			b := guard.New(t, 3*page)
			b.Protect(t, hole)
			type span struct{ from, to int }
			var spans []span
			for _, begins := range []int{0, 1, page - 1} { // on the first page
				for _, ends := range []int{1, 64, page} { // on the last one
					if hole > 0 || begins == 0 {
						spans = append(spans, span{begins, 2*page + ends})
					}
				}
			}
			if hole > 0 { // short, over the beginning of the hole
				for _, before := range []int{1, 30, 63, 64, 65, 130} {
					for _, behind := range []int{1, 30, 63, 64, 65} {
						spans = append(spans, span{hole*page - before, hole*page + behind})
					}
				}
			}
			for _, s := range spans {
				p := b.Bytes()[s.from:s.to]
				for _, buffered := range []int{0, 1, 30, 63} {
					what := fmt.Sprintf("page %d of memory from %d to %d, behind %d", hole, s.from, s.to, buffered)
					h, _ := begun(buffered)
					before := *h.(*digest)
					others := []hash.Hash{New(), h, New()}
					many, manyData := manyWith(h, p)
					for name, write := range map[string]func(){
						"Write":       func() { h.Write(p) },
						"WriteHashes": func() { WriteHashes(others, [][]byte{classData, p, classData[:100]}) },
						"writeRuns":   func() { writeRuns(others, [][]byte{classData, p, classData[:100]}, true) },
						"classes":     func() { writeClasses(many, manyData) },
					} {
						if guard.Faults(write) == nil {
							t.Fatalf("%s, %s: no fault", name, what)
						}
						after := *h.(*digest)
						copy(after.x[before.n:], before.x[before.n:]) // it is no part of the state
						if after != before {
							t.Errorf("%s, %s: the hash changed", name, what)
						}
					}
				}
			}
		}
	})
}

// TestWriteOfMaxInt writes as many bytes as a slice can have. With those that the hash holds,
// there are more than an int can count. Not all can be read, so the call has to fault, or to
// find that the slice is longer than its capacity.
func TestWriteOfMaxInt(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	b := guard.New(t, 2*os.Getpagesize())
	b.Protect(t, 1)
	p := b.Bytes()
	*(*int)(unsafe.Add(unsafe.Pointer(&p), unsafe.Sizeof(uintptr(0)))) = math.MaxInt
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, buffered := range []int{0, 1, 63} {
		h, _ := begun(buffered)
		before := state(t, h)
		failed := func() (failed bool) {
			defer func() { _, failed = recover().(runtime.Error) }()
			h.Write(p)
			return false
		}()
		if !failed {
			t.Errorf("behind %d bytes: no fault", buffered)
		}
		if !bytes.Equal(state(t, h), before) {
			t.Errorf("behind %d bytes: the hash changed", buffered)
		}
	}
}

// TestOverlapBeyond2GiB tests rows that a 32-bit port can map. Digests that begin inside src
// end up to 2.5 GB after its beginning, which is more than 2 GiB.
func TestOverlapBeyond2GiB(t *testing.T) {
	const n = 25_000_000
	for _, tt := range []struct {
		offset      int64
		dst, src    Rows
		i, j        int
		overlapping bool
	}{
		{1_500_000_000, Rows{Size: 32, Stride: 40}, Rows{Size: 64, Stride: 64}, 0, 23_437_500, true},
		{1_500_000_032, Rows{Size: 32, Stride: 40}, Rows{Size: 64, Stride: 64}, 0, 23_437_500, true},
		{1_600_000_000, Rows{Size: 32, Stride: 40}, Rows{Size: 64, Stride: 64}, 0, 0, false},
		{-1_500_000_000, Rows{Size: 32, Stride: 64}, Rows{Size: 64, Stride: 64}, 0, 0, false},
		{2_500_000_000, Rows{Size: 32, Stride: 32}, Rows{Size: 64, Stride: 64}, 0, 0, false},
		{-2_500_000_000, Rows{Size: 32, Stride: 32}, Rows{Size: 64, Stride: 64}, 0, 0, false},
	} {
		if i, j, ok := overlap(tt.offset, &tt.dst, &tt.src, n); ok != tt.overlapping || i != tt.i || j != tt.j {
			t.Errorf("offset %d: row %d overlaps row %d: %t, want row %d, row %d, %t", tt.offset, i, j, ok, tt.i, tt.j, tt.overlapping)
		}
	}
}

// TestWriteToASpoiledHash tests that Write reads nothing but the piece if two goroutines have
// written to the hash, both into the same block. The digest is wrong then, and Write may panic.
func TestWriteToASpoiledHash(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	buf := guard.New(t, 4*BlockSize)
	hashtest.ForEachSingle(t, func(t *testing.T) {
		for held := BlockSize; held < 2*BlockSize; held++ {
			for n := range 4 * BlockSize {
				for _, p := range [][]byte{buf.Head(n), buf.Tail(n)} {
					d := New().(*digest)
					d.n, d.len = uint8(held), uint64(held)
					err := guard.Faults(func() {
						defer func() {
							if r, ok := recover().(interface{ Addr() uintptr }); ok {
								panic(r)
							}
						}()
						d.Write(p)
						if d.n >= BlockSize && n >= BlockSize {
							t.Fatalf("%d bytes behind %d: holds %d", n, held, d.n)
						}
					})
					if err != nil {
						t.Fatalf("%d bytes behind %d: %v", n, held, err)
					}
				}
			}
		}
	})
}

// TestPrefixOfAWholeBlock tests that no message is hashed behind a hash that two goroutines have
// written to, both into the same block: padding would read before the message.
func TestPrefixOfAWholeBlock(t *testing.T) {
	d := New().(*digest)
	d.n, d.len = BlockSize, BlockSize
	for name, call := range map[string]func(){
		"SumAfter":     func() { SumAfter(d, nil) },
		"SumManyAfter": func() { SumManyAfter(make([][Size]byte, 40), d, make([][]byte, 40)) },
		"SumRows":      func() { SumRows(Rows{Data: make([]byte, 40*Size), Size: Size}, d, Rows{}, 40) },
	} {
		func() {
			defer func() {
				if message := recover(); message != writtenTwice {
					t.Errorf("%s: panic %v, want %q", name, message, writtenTwice)
				}
			}()
			call()
		}()
	}
}
