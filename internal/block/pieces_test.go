package block

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// forEachPieces runs f with the functions for pieces in Go and in vector registers.
func forEachPieces(t *testing.T, f func(t *testing.T)) {
	current() // sets inVectors
	defer inVectors.Store(inVectors.Load())
	t.Run("generic", func(t *testing.T) {
		inVectors.Store(false)
		f(t)
	})
	t.Run("avx512", func(t *testing.T) {
		if k := shortRoutines[inAVX512]; len(headers) == 0 || k.Arch != headers[0].Arch || !cpu.Usable().Has(k.Needs|cpu.SHA) {
			t.Skip("this machine cannot run write_avx512shani and finish_avx512shani")
		}
		inVectors.Store(true)
		f(t)
	})
}

// TestWrite compares states after blocks that a piece completes behind every number of bytes with those
// that plain Go compresses, and what is left. Pieces lie between guard pages, at the edges of which
// InOneCall is false: the routine is right there, too.
func TestWrite(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	buf := guard.New(t, MaxOneCall)
	randomBytes(r, buf.Bytes())
	var begun [Size]byte
	randomBytes(r, begun[:])
	forEachPieces(t, func(t *testing.T) {
		if !InVectors() {
			t.Skip("Write is for vector registers")
		}
		for _, place := range []func(*guard.Buffer, int) []byte{(*guard.Buffer).Head, (*guard.Buffer).Tail} {
			for n := 1; n < Size; n++ {
				for all := Size; all <= MaxOneCall; all++ {
					p := place(buf, all-n)
					whole := all &^ (Size - 1)
					message := slices.Concat(begun[:n], p)
					h := randomState(r)
					want, left := h, begun
					generic(&want, &message[0], whole/Size)
					if all > whole {
						left = [Size]byte{}
						copy(left[:], message[whole:])
					}
					held := begun
					if Write(&h, &held, n, p); h != want || held != left {
						t.Fatalf("%d and %d bytes: state %x, want %x; held %x, want %x", n, len(p), h, want, held, left)
					}
				}
			}
		}
	})
}

// TestOnTwoPages compares onTwoPages with the pages of the first and the last of 64 bytes.
func TestOnTwoPages(t *testing.T) {
	const page = 4096
	p := make([]byte, 3*page)
	for i := page; i < 2*page; i++ {
		at := uintptr(unsafe.Pointer(&p[i]))
		want := at/page != (at+Size-1)/page
		for _, behind := range []int{-Size, 0, Size} {
			if got := onTwoPages(p[i-behind:], behind); got != want {
				t.Fatalf("64 bytes at %d of a page, %d behind the beginning: %t", at%page, behind, got)
			}
		}
	}
}

// TestInOneCall tests that InOneCall refuses pieces whose first or last block is on two pages, and more
// bytes than the proofs have.
func TestInOneCall(t *testing.T) {
	const page = 4096
	buf := make([]byte, 4*page)
	start := page - int(uintptr(unsafe.Pointer(&buf[0]))%page) // of a page
	forEachPieces(t, func(t *testing.T) {
		for _, tt := range []struct {
			name         string
			n, at, bytes int // bytes begin `at` behind the start of a page
			want         bool
		}{
			{"in the middle of a page", 10, 1000, 100, true},
			{"as many as proofs have", 10, 1000, MaxOneCall - 10, true},
			{"one more", 10, 1000, MaxOneCall - 9, false},
			{"the first block ends with the page", 20, page - 44, 64, true},
			{"the first block ends behind the page", 20, page - 43, 43, false},
			{"the first block begins before the page", 20, 19, 64, false},
			{"the first block begins with the page", 20, 20, 100, true},
			{"the last block ends with the page", 0, page - 128, 70, true},
			{"the last block ends behind the page", 0, page - 127, 70, false},
			{"a middle block is on two pages", 0, page - 100, 200, true},
			{"nothing left, with the page's end", 0, page - 64, 64, true},
		} {
			if got := InOneCall(tt.n, buf[start+tt.at:][:tt.bytes]); got != (tt.want && InVectors()) {
				t.Errorf("%s: %t", tt.name, got)
			}
		}
	})
}

// TestPieces compares what Append and Hold write with appending to the bytes held, for every number
// of them and every piece, between guard pages.
func TestPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	buf := guard.New(t, Size)
	randomBytes(r, buf.Bytes())
	var begun [Size]byte
	randomBytes(r, begun[:])
	forEachPieces(t, func(t *testing.T) {
		for _, place := range []func(*guard.Buffer, int) []byte{(*guard.Buffer).Head, (*guard.Buffer).Tail} {
			for n := range Size {
				for all := n; all <= Size; all++ {
					held, p := begun, place(buf, all-n)
					if Append(&held, n, p); !bytes.Equal(held[:], slices.Concat(begun[:n], p, begun[all:])) {
						t.Fatalf("Append of %d and %d bytes: %x", n, len(p), held)
					}
					// At the edge of a page, Append copies. The routine is right there, too.
					held = begun
					if InVectors() && len(p) > 0 {
						if appendInVectors(&held, n, p); !bytes.Equal(held[:], slices.Concat(begun[:n], p, begun[all:])) {
							t.Fatalf("Append of %d and %d bytes in vector registers: %x", n, len(p), held)
						}
					}
				}
				held, p := begun, place(buf, n)
				if Hold(&held, p); !bytes.Equal(held[:], slices.Concat(p, begun[n:])) {
					t.Fatalf("Hold of %d bytes: %x", n, held)
				}
			}
			held := begun
			if Hold(&held, nil); held != begun {
				t.Errorf("Hold of nil: %x", held)
			}
			if Append(&held, Size, nil); held != begun {
				t.Errorf("Append of nil to a block: %x", held)
			}
		}
	})
}

// TestPiecesThatFault tests that the state and the bytes held stay as they are if reading a piece
// faults.
func TestPiecesThatFault(t *testing.T) {
	if !guard.Guarded {
		t.Skip("no memory of this port faults")
	}
	page := len(guard.New(t, 1).Bytes())
	buf := guard.New(t, 2*page)
	for i := range page {
		buf.Bytes()[i] = 0xa5
	}
	buf.Protect(t, 1)
	// torn returns n bytes, of which only the first `good` can be read.
	torn := func(good, n int) []byte { return buf.Bytes()[page-good:][:n] }
	begun, h := [Size]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, IV256
	forEachPieces(t, func(t *testing.T) {
		for _, tt := range []struct {
			name  string
			write func(held *[Size]byte)
			kept  int // bytes
		}{
			{"Write in the first block", func(held *[Size]byte) { Write(&h, held, 10, torn(20, 100)) }, Size},
			{"Write in the second block", func(held *[Size]byte) { Write(&h, held, 10, torn(100, 150)) }, Size},
			{"Write in the rest", func(held *[Size]byte) { Write(&h, held, 10, torn(136, 140)) }, Size},
			{"Append", func(held *[Size]byte) { Append(held, 10, torn(40, 54)) }, 10}, // on two pages, so it copies
			{"appendInVectors", func(held *[Size]byte) { appendInVectors(held, 10, torn(40, 54)) }, Size},
			{"Hold", func(held *[Size]byte) { Hold(held, torn(40, 54)) }, Size},
		} {
			if !InVectors() && (strings.HasPrefix(tt.name, "Write") || tt.name == "appendInVectors") {
				continue
			}
			held := begun
			if guard.Faults(func() { tt.write(&held) }) == nil {
				t.Errorf("%s: no fault", tt.name)
			}
			if !bytes.Equal(held[:tt.kept], begun[:tt.kept]) {
				t.Errorf("%s: what was held is now %x", tt.name, held)
			}
			if h != IV256 {
				t.Fatalf("%s: the state is now %x", tt.name, h)
			}
		}
	})
}

// TestUsesVectors tests beside which kernels, and with which routines, vector registers are used.
func TestUsesVectors(t *testing.T) {
	for _, tt := range []struct {
		in     shortRoutine
		single cpu.Features
		want   bool
	}{
		{inAVX512, ^cpu.Features(0), true},
		{inAVX512, ^cpu.SHA, false},
		{inSSSE3, ^cpu.Features(0), false},
		{inNEON, ^cpu.Features(0), false},
		{inGo, ^cpu.Features(0), false},
	} {
		if got := usesVectors(tt.in, tt.single); got != tt.want {
			t.Errorf("with %q and %v: %t", shortRoutines[tt.in].Name, tt.single, got)
		}
	}
	inUse := func(t *testing.T) {
		var needs cpu.Features
		for _, k := range Kernels() {
			if k.Name == Single() {
				needs = k.Needs
			}
		}
		if want := usesVectors(current().short, needs); InVectors() != want {
			t.Errorf("in use: %t", InVectors())
		}
	}
	forEachSingle(t, inUse)
	forEachShort(t, inUse) // each beside plain Go
}
