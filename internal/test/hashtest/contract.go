package hashtest

import (
	"bytes"
	"encoding/hex"
	"hash"
	"math/rand/v2"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// MakeHash makes a hash that is to be tested.
type MakeHash func() hash.Hash

// TestHash tests what [hash.Hash], [hash.Cloner] and [io.Writer] promise. The
// hash may be of any kind.
func TestHash(t *testing.T, mh MakeHash) {
	t.Run("Size", func(t *testing.T) {
		h := mh()
		if h.Size() <= 0 || h.BlockSize() <= 0 {
			t.Errorf("Size %d, BlockSize %d", h.Size(), h.BlockSize())
		}
		if got := len(h.Sum(nil)); got != h.Size() {
			t.Errorf("a digest has %d bytes, Size says %d", got, h.Size())
		}
	})

	t.Run("SumAppends", func(t *testing.T) {
		h := mh()
		write(t, h, Data(100))
		want := h.Sum(nil)
		for _, n := range []int{0, 1, 31, 200} {
			for _, spare := range []int{0, 1, h.Size() - 1, h.Size(), h.Size() + 100} {
				prefix := append(make([]byte, 0, n+spare), Data(n)...)
				got := h.Sum(prefix)
				if !bytes.Equal(got[:n], Data(n)) {
					t.Errorf("Sum changes the %d bytes that it appends to", n)
				}
				if !bytes.Equal(got[n:], want) {
					t.Errorf("Sum appends %x to %d bytes with room for %d, and %x to none", got[n:], n, spare, want)
				}
			}
		}
	})

	t.Run("SumChangesNothing", func(t *testing.T) {
		for n := range 2*mh().BlockSize() + 2 {
			plain, interrupted := mh(), mh()
			write(t, plain, Data(n))
			write(t, interrupted, Data(n))
			if first, second := interrupted.Sum(nil), interrupted.Sum(nil); !bytes.Equal(first, second) {
				t.Errorf("%d bytes: Sum gives %x, then %x", n, first, second)
			}
			write(t, plain, Data(70))
			write(t, interrupted, Data(70))
			if got, want := interrupted.Sum(nil), plain.Sum(nil); !bytes.Equal(got, want) {
				t.Errorf("after a Sum at %d bytes the digest is %x, want %x", n, got, want)
			}
		}
	})

	t.Run("WriteInPieces", func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		for range 50 {
			whole, pieces := mh(), mh()
			n := r.IntN(5 * whole.BlockSize())
			write(t, whole, Data(n))
			for rest := Data(n); len(rest) > 0; {
				n := r.IntN(len(rest) + 1)
				write(t, pieces, rest[:n])
				rest = rest[n:]
			}
			if got, want := pieces.Sum(nil), whole.Sum(nil); !bytes.Equal(got, want) {
				t.Errorf("%d bytes in pieces: %x, want %x", n, got, want)
			}
		}
	})

	t.Run("WriteNothing", func(t *testing.T) {
		h := mh()
		want := h.Sum(nil)
		write(t, h, nil)
		write(t, h, []byte{})
		if got := h.Sum(nil); !bytes.Equal(got, want) {
			t.Errorf("empty writes: %x, want %x", got, want)
		}
	})

	t.Run("WriteKeepsNothing", func(t *testing.T) {
		for _, n := range []int{1, 63, 64, 65, 1000} {
			h, undisturbed := mh(), mh()
			p := Data(n)
			write(t, undisturbed, p)
			want := undisturbed.Sum(nil)
			write(t, h, p)
			clear(p)
			if got := h.Sum(nil); !bytes.Equal(got, want) {
				t.Errorf("%d bytes that change after Write: %x, want %x", n, got, want)
			}
		}
	})

	t.Run("WriteStaysInBounds", func(t *testing.T) {
		for n := range 3*mh().BlockSize() + 2 {
			buf := guard.New(t, n)
			plain := mh()
			write(t, plain, Data(n))
			want := plain.Sum(nil)
			for _, p := range [][]byte{buf.Head(n), buf.Tail(n)} {
				copy(p, Data(n))
				h := mh()
				if err := guard.Faults(func() { write(t, h, p) }); err != nil {
					t.Fatalf("%d bytes: %v", n, err)
				}
				if got := h.Sum(nil); !bytes.Equal(got, want) {
					t.Errorf("%d bytes beside a guard: %x, want %x", n, got, want)
				}
			}
		}
	})

	t.Run("Reset", func(t *testing.T) {
		fresh := mh()
		write(t, fresh, Data(80))
		want := fresh.Sum(nil)
		for n := range 2*fresh.BlockSize() + 2 {
			h := mh()
			write(t, h, Data(n))
			h.Reset()
			write(t, h, Data(80))
			if got := h.Sum(nil); !bytes.Equal(got, want) {
				t.Errorf("after %d bytes and Reset: %x, want %x", n, got, want)
			}
		}
	})

	t.Run("Clone", func(t *testing.T) {
		for n := range 2*mh().BlockSize() + 2 {
			h := mh()
			write(t, h, Data(n))
			cloner, ok := h.(hash.Cloner)
			if !ok {
				t.Fatalf("%T is no hash.Cloner", h)
			}
			clone, err := cloner.Clone()
			if err != nil {
				t.Fatalf("Clone: %v", err)
			}
			before := h.Sum(nil)
			write(t, clone, []byte("other"))
			if got := h.Sum(nil); !bytes.Equal(got, before) {
				t.Errorf("%d bytes: writing to the clone changes the hash", n)
			}
			write(t, h, []byte("other"))
			after := h.Sum(nil)
			if got := clone.Sum(nil); !bytes.Equal(got, after) {
				t.Errorf("%d bytes: the clone has %x, the hash %x", n, got, after)
			}
			h.Reset()
			if got := clone.Sum(nil); !bytes.Equal(got, after) {
				t.Errorf("%d bytes: resetting the hash changes the clone", n)
			}
		}
	})
}

// write writes p to h and tests what [io.Writer] and [hash.Hash] promise of it.
func write(t *testing.T, h hash.Hash, p []byte) {
	t.Helper()
	before := bytes.Clone(p)
	if n, err := h.Write(p); n != len(p) || err != nil {
		t.Errorf("Write of %d bytes: %d, %v", len(p), n, err)
	}
	if !bytes.Equal(p, before) {
		t.Errorf("Write of %d bytes changes them", len(p))
	}
}

// Data returns n bytes that look random and are the same every time.
func Data(n int) []byte {
	p := make([]byte, n)
	seed := [32]byte{1}
	rand.NewChaCha8(seed).Read(p)
	return p
}

// Unhex returns the bytes that s is the hexadecimal form of.
func Unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
