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

// forEachJoin runs f with the functions for pieces in Go and in vector registers.
func forEachJoin(t *testing.T, f func(t *testing.T)) {
	current() // sets inVectors
	defer inVectors.Store(inVectors.Load())
	t.Run("generic", func(t *testing.T) {
		inVectors.Store(false)
		f(t)
	})
	t.Run("avx512", func(t *testing.T) {
		if k := shortRoutines[inAVX512]; len(headers) == 0 || k.Arch != headers[0].Arch || !cpu.Usable().Has(k.Needs|cpu.SHA) {
			t.Skip("this machine cannot run join_avx512 and finish_avx512shani")
		}
		inVectors.Store(true)
		f(t)
	})
}

// TestPieces compares what Join, Append and Hold write with appending to the bytes held, for
// every number of them and every piece, between guard pages.
func TestPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	buf, blocks := guard.New(t, 3*Size), guard.New(t, 2*Size)
	for i := range buf.Bytes() {
		buf.Bytes()[i] = byte(r.Uint32())
	}
	var begun [Size]byte
	for i := range begun {
		begun[i] = byte(r.Uint32())
	}
	forEachJoin(t, func(t *testing.T) {
		for _, place := range []func(*guard.Buffer, int) []byte{(*guard.Buffer).Head, (*guard.Buffer).Tail} {
			for n := range Size {
				for all := Size; all < 3*Size && InVectors(); all++ {
					p := place(buf, all-n)
					whole := all &^ (Size - 1)
					message := slices.Concat(begun[:n], p)
					// Behind x is a guard page, even if x has room for fewer blocks than its type says.
					held, x := begun, blocks.Tail(whole)
					Join((*[2 * Size]byte)(unsafe.Pointer(&x[0])), &held, n, p)
					if !bytes.Equal(x, message[:whole]) {
						t.Fatalf("Join of %d and %d bytes: %x, want %x", n, len(p), x, message[:whole])
					}
					want := begun
					if len(message) > whole {
						want = [Size]byte{}
						copy(want[:], message[whole:])
					}
					if held != want {
						t.Fatalf("Join of %d and %d bytes leaves %x, want %x", n, len(p), held, want)
					}
				}
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

// TestPiecesThatFault tests that the bytes held stay as they are if reading a piece faults.
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
	begun := [Size]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	forEachJoin(t, func(t *testing.T) {
		for _, tt := range []struct {
			name  string
			write func(held *[Size]byte)
			kept  int // bytes
		}{
			{"Join in the first block", func(held *[Size]byte) { Join(new([2 * Size]byte), held, 10, torn(20, 100)) }, Size},
			{"Join in the second block", func(held *[Size]byte) { Join(new([2 * Size]byte), held, 10, torn(100, 150)) }, Size},
			{"Join in the rest", func(held *[Size]byte) { Join(new([2 * Size]byte), held, 10, torn(90, 100)) }, Size},
			{"Append", func(held *[Size]byte) { Append(held, 10, torn(40, 54)) }, 10}, // on two pages, so it copies
			{"appendInVectors", func(held *[Size]byte) { appendInVectors(held, 10, torn(40, 54)) }, Size},
			{"Hold", func(held *[Size]byte) { Hold(held, torn(40, 54)) }, Size},
		} {
			if !InVectors() && (strings.HasPrefix(tt.name, "Join") || tt.name == "appendInVectors") {
				continue
			}
			held := begun
			if guard.Faults(func() { tt.write(&held) }) == nil {
				t.Errorf("%s: no fault", tt.name)
			}
			if !bytes.Equal(held[:tt.kept], begun[:tt.kept]) {
				t.Errorf("%s: what was held is now %x", tt.name, held)
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
