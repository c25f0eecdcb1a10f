package pow_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
	"github.com/sha256-simd/sha256-simd/pow"
)

// value is the oracle.
func value(prefix []byte, n uint64) uint64 {
	sum := sha256.Sum256(fmt.Appendf(slices.Clone(prefix), "%016x", n))
	return binary.BigEndian.Uint64(sum[:]) >> 16
}

// find is the oracle of Find, without a context.
func find(prefix []byte, work, start, count uint64) (uint64, error) {
	n := start
	for ; count > 0; count-- {
		if value(prefix, n) <= work {
			return n, nil
		}
		n++
		if n == 0 {
			return 0, pow.ErrExhausted
		}
	}
	return n, pow.ErrExhausted
}

// prefixes returns prefixes of the lengths at which something can change, and
// of many more.
func prefixes() [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	random := make([]byte, 1000)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	var ps [][]byte
	for n := range 131 {
		ps = append(ps, random[:n])
	}
	return append(ps, random[:200], random)
}

func TestValue(t *testing.T) {
	nonces := []uint64{0, 1, 9, 10, 15, 16, 0x0123456789abcdef, 0xfedcba9876543210, math.MaxUint64}
	hashtest.ForEachSearch(t, func(t *testing.T) {
		for _, p := range prefixes() {
			for _, n := range nonces {
				if got, want := (pow.Search{Prefix: p}).Value(n), value(p, n); got != want {
					t.Fatalf("prefix of %d bytes: Value(%#x) = %#x, want %#x", len(p), n, got, want)
				}
			}
		}
	})
}

// TestHugePrefix has a message of 2^32 bits and more.
func TestHugePrefix(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes 1 GiB")
	}
	prefix := guard.Zeros(t, 1<<29)
	h := sha256.New()
	h.Write(prefix)
	fmt.Fprintf(h, "%016x", 7)
	want := binary.BigEndian.Uint64(h.Sum(nil)) >> 16
	if got := (pow.Search{Prefix: prefix}).Value(7); got != want {
		t.Errorf("Value(7) = %#x, want %#x", got, want)
	}
}

func TestZeroSearch(t *testing.T) {
	var s pow.Search
	if got, want := s.Value(7), value(nil, 7); got != want {
		t.Errorf("Value(7) = %#x, want %#x", got, want)
	}
	if n, err := s.Find(t.Context(), math.MaxUint64, 7, 1); n != 7 || err != nil {
		t.Errorf("Find = %d, %v", n, err)
	}
}

// TestFindWinner makes every nonce of 100 the one that is found, by asking for
// its own value from where it is the first with so small a one; and then for
// one less, which it has not.
func TestFindWinner(t *testing.T) {
	count := uint64(100)
	hashtest.ForEachSearch(t, func(t *testing.T) {
		for i, p := range prefixes() {
			// Around a multiple of 16, 32, 256 and 65536; the last one ends with 2^64-1.
			start := []uint64{0x1230, 0x77fff0 - 3, 0x00ffffffffffffa7, math.MaxUint64 - count + 1}[i%4]
			values := make([]uint64, count)
			for j := range values {
				values[j] = value(p, start+uint64(j))
			}
			s := pow.Search{Prefix: p}
			for j, v := range values {
				first := j
				for first > 0 && values[first-1] > v {
					first--
				}
				n, err := s.Find(t.Context(), v, start+uint64(first), count-uint64(first))
				if want := start + uint64(j); n != want || err != nil {
					t.Fatalf("prefix of %d bytes, from %#x: Find(%#x) = %#x, %v, want %#x", len(p), start+uint64(first), v, n, err, want)
				}
				want, wantErr := start+count, error(pow.ErrExhausted)
				if k := slices.IndexFunc(values[first:], func(w uint64) bool { return w < v }); k >= 0 {
					want, wantErr = start+uint64(first+k), nil
				}
				if v == 0 {
					continue
				}
				n, err = s.Find(t.Context(), v-1, start+uint64(first), count-uint64(first))
				if n != want || err != wantErr {
					t.Fatalf("prefix of %d bytes, from %#x: Find(%#x) = %#x, %v, want %#x, %v", len(p), start+uint64(first), v-1, n, err, want, wantErr)
				}
			}
		}
	})
}

func TestFindCounts(t *testing.T) {
	counts := []uint64{1000}
	for n := range uint64(101) {
		counts = append(counts, n)
	}
	type space struct {
		prefix []byte
		start  uint64
		values []uint64 // of the nonces from start on, as far as there are any
	}
	var spaces []space
	for _, size := range []int{0, 22, 39, 40, 48, 49, 50, 53, 63, 64, 86} {
		for _, start := range []uint64{0, 1, 31, 0xfffffff3, math.MaxUint64 - 50} {
			s := space{prefix: prefixes()[size], start: start}
			for n := start; n >= start && len(s.values) < 1000; n++ {
				s.values = append(s.values, value(s.prefix, n))
			}
			spaces = append(spaces, s)
		}
	}
	hashtest.ForEachSearch(t, func(t *testing.T) {
		for _, s := range spaces {
			for _, count := range counts {
				if testing.Short() && count > 40 && count%13 != 0 {
					continue
				}
				values := s.values[:min(count, uint64(len(s.values)))]
				works := []uint64{math.MaxUint64}
				if len(values) > 0 {
					best := slices.Min(values)
					works = []uint64{best, best - 1}
				}
				for _, work := range works {
					want, wantErr := s.start+uint64(len(values)), pow.ErrExhausted
					if i := slices.IndexFunc(values, func(v uint64) bool { return v <= work }); i >= 0 {
						want, wantErr = s.start+uint64(i), nil
					}
					n, err := (pow.Search{Prefix: s.prefix}).Find(t.Context(), work, s.start, count)
					if n != want || err != wantErr {
						t.Fatalf("prefix of %d bytes: Find(%#x, %#x, %d) = %#x, %v, want %#x, %v", len(s.prefix), work, s.start, count, n, err, want, wantErr)
					}
				}
			}
		}
	})
}

func TestFindAnyWork(t *testing.T) {
	s := pow.Search{Prefix: []byte("easy")}
	hashtest.ForEachSearch(t, func(t *testing.T) {
		for _, work := range []uint64{1<<48 - 1, 1 << 48, math.MaxUint64} {
			if n, err := s.Find(t.Context(), work, 123, 1000); n != 123 || err != nil {
				t.Errorf("Find(%#x) = %d, %v, want 123", work, n, err)
			}
		}
		if n, err := s.Find(t.Context(), 0, 123, 1000); n != 1123 || err != pow.ErrExhausted {
			t.Errorf("Find(0) = %d, %v, want 1123 and ErrExhausted", n, err)
		}
	})
}

// TestFindEndsWithTheLastNonce asks for more nonces than there are.
func TestFindEndsWithTheLastNonce(t *testing.T) {
	p := []byte("the end")
	s := pow.Search{Prefix: p}
	const start = math.MaxUint64 - 299
	best, at := uint64(math.MaxUint64), uint64(0)
	for n := uint64(start); n != 0; n++ {
		if v := value(p, n); v < best {
			best, at = v, n
		}
	}
	hashtest.ForEachSearch(t, func(t *testing.T) {
		for _, count := range []uint64{300, 301, 1 << 63, math.MaxUint64} {
			if n, err := s.Find(t.Context(), best, start, count); n != at || err != nil {
				t.Errorf("%d nonces: %#x, %v, want %#x", count, n, err, at)
			}
			if n, err := s.Find(t.Context(), best-1, start, count); n != 0 || err != pow.ErrExhausted {
				t.Errorf("%d nonces: %#x, %v, want 0 and ErrExhausted", count, n, err)
			}
		}
		if n, err := s.Find(t.Context(), 0, math.MaxUint64, math.MaxUint64); n != 0 || err != pow.ErrExhausted {
			t.Errorf("the last nonce: %#x, %v, want 0 and ErrExhausted", n, err)
		}
	})
}

func TestFindCanceled(t *testing.T) {
	s := pow.Search{Prefix: []byte("patience")}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	hashtest.ForEachSearch(t, func(t *testing.T) {
		if n, err := s.Find(ctx, 1<<48, 77, 100); n != 77 || !errors.Is(err, context.Canceled) {
			t.Errorf("Find = %d, %v, want 77 and context.Canceled", n, err)
		}
	})
}

// TestFindGoesOn cancels a search without end again and again: it is noticed
// soon, and no nonce is left out or tried twice.
func TestFindGoesOn(t *testing.T) {
	p := []byte("patience")
	s := pow.Search{Prefix: p}
	const start = 0xfff0
	count := uint64(1 << 18)
	if testing.Short() {
		count = 1 << 15
	}
	hashtest.ForEachSearch(t, func(t *testing.T) {
		winner, best := uint64(0), uint64(math.MaxUint64)
		for n := uint64(start); n < start+count; n++ {
			if v := s.Value(n); v < best {
				winner, best = n, v
			}
		}
		tries := 0
		for n := uint64(start); ; tries++ {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Microsecond)
			var err error
			before := n
			n, err = s.Find(ctx, best, n, start+count-n)
			cancel()
			if err == nil {
				if n != winner {
					t.Fatalf("found %#x, want %#x", n, winner)
				}
				break
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			if n < before || n > winner {
				t.Fatalf("cancelled between %#x and %#x, where %#x wins", before, n, winner)
			}
		}
		t.Logf("cancelled %d times", tries)
	})
}

func TestFindNoticesCancellation(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	const limit = 5 * time.Millisecond
	s := pow.Search{Prefix: make([]byte, 45)} // two blocks a nonce
	hashtest.ForEachSearch(t, func(t *testing.T) {
		// On a busy machine one quiet attempt will do.
		best := time.Hour
		for tries := 0; best > limit && tries < 100; tries++ {
			ctx, cancel := context.WithCancel(t.Context())
			var canceled time.Time
			time.AfterFunc(5*time.Millisecond, func() { canceled = time.Now(); cancel() })
			n, err := s.Find(ctx, 0, 0, math.MaxUint64)
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("Find = %d, %v", n, err)
			}
			best = min(best, time.Since(canceled))
		}
		if best > limit {
			t.Errorf("noticed after %v, want at most %v", best, limit)
		}
	})
}

func FuzzFind(f *testing.F) {
	f.Add([]byte("prefix"), uint64(1)<<44, uint64(0), uint16(100))
	f.Add(make([]byte, 22), uint64(1)<<40, uint64(0xfffff), uint16(3000))
	f.Add(make([]byte, 49), uint64(1)<<42, uint64(math.MaxUint64), uint16(10))
	f.Add(make([]byte, 40), uint64(1)<<43, uint64(math.MaxUint64-20), uint16(300))
	f.Fuzz(func(t *testing.T, prefix []byte, work, start uint64, count uint16) {
		work >>= 12 // rarely all of them
		if start != 0 {
			count = uint16(min(uint64(count), -start))
		}
		want, wantErr := find(prefix, work, start, uint64(count))
		n, err := (pow.Search{Prefix: prefix}).Find(t.Context(), work, start, uint64(count))
		if n != want || err != wantErr {
			t.Fatalf("Find = %#x, %v, want %#x, %v", n, err, want, wantErr)
		}
	})
}
