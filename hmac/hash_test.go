package hmac_test

import (
	"bytes"
	stdhmac "crypto/hmac"
	"crypto/sha256"
	"errors"
	"hash"
	"math/rand/v2"
	"testing"
	"weak"

	simd "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/hmac"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// TestHashDoesWhatCryptoHMACDoes writes, sums, resets and clones at random.
func TestHashDoesWhatCryptoHMACDoes(t *testing.T) {
	data := hashtest.Data(5000)
	hashtest.ForEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 50 {
			key := data[:14+r.IntN(150)]
			h, want := hmac.New(key), stdhmac.New(sha256.New, key)
			if h.Size() != want.Size() || h.BlockSize() != want.BlockSize() {
				t.Fatalf("Size %d, BlockSize %d", h.Size(), h.BlockSize())
			}
			for step := range 40 {
				switch r.IntN(8) {
				default:
					p := data[:r.IntN(1<<r.IntN(13))%len(data)]
					if n, err := h.Write(p); n != len(p) || err != nil {
						t.Fatalf("Write of %d bytes: %d, %v", len(p), n, err)
					}
					want.Write(p)
				case 0:
					h.Reset()
					want.Reset()
				case 1:
					c, err := h.(hash.Cloner).Clone()
					if errors.Is(err, errors.ErrUnsupported) {
						continue // crypto/hmac does the work, and cannot
					}
					if err != nil {
						t.Fatal(err)
					}
					h.Write(data[:70]) // which the clone does not take in
					h = c
				}
				if got, want := h.Sum([]byte("in")), want.Sum([]byte("in")); !bytes.Equal(got, want) {
					t.Fatalf("key of %d bytes, step %d: %x, want %x", len(key), step, got, want)
				}
			}
		}
	})
}

func TestEqual(t *testing.T) {
	mac := hmac.Sum([]byte("a key of 17 bytes"), []byte("message"))
	other := mac
	other[31] ^= 1
	for _, tt := range []struct {
		a, b []byte
		want bool
	}{
		{nil, nil, true}, {nil, []byte{}, true}, {mac[:], bytes.Clone(mac[:]), true}, {mac[:16], bytes.Clone(mac[:16]), true},
		{mac[:], other[:], false}, {mac[:16], other[:16], true},
		{mac[:], mac[:31], false}, {mac[:31], mac[:], false}, {mac[:], nil, false}, {nil, mac[:], false},
	} {
		if got := hmac.Equal(tt.a, tt.b); got != tt.want {
			t.Errorf("%x equals %x: %v", tt.a, tt.b, got)
		}
	}
}

// TestWriteHashesToMACs writes to MACs and digests side by side.
func TestWriteHashesToMACs(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 33, 100} {
			msgs := cut(n, func(i int) int { return i * 91 % 3000 })
			hs, want := make([]hash.Hash, n), make([]hash.Hash, n)
			for i := range hs {
				key := hashtest.Data(14 + i)
				hs[i], want[i] = hmac.New(key), stdhmac.New(sha256.New, key)
				if i%3 == 2 {
					hs[i], want[i] = simd.New(), sha256.New()
				}
			}
			for range 2 {
				simd.WriteHashes(hs, msgs)
				for i, h := range want {
					h.Write(msgs[i])
				}
			}
			sums := make([][32]byte, n)
			simd.SumHashes(sums, hs)
			for i, h := range want {
				if want := [32]byte(h.Sum(nil)); sums[i] != want {
					t.Fatalf("hash %d of %d: %x, want %x", i, n, sums[i], want)
				}
			}
		}
	})
}

// TestMessagesBehindAMAC has a MAC as the prefix of many messages.
func TestMessagesBehindAMAC(t *testing.T) {
	key := hashtest.Data(32)
	prefix := hmac.New(key)
	if _, err := prefix.(hash.Cloner).Clone(); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("crypto/hmac does the work, and cannot clone")
	}
	prefix.Write([]byte("prefix"))
	msgs, sums := cut(20, func(i int) int { return 50 * i }), make([][32]byte, 20)
	simd.SumManyAfter(sums, prefix, msgs)
	for i, m := range msgs {
		if want := plainly(key, append([]byte("prefix"), m...)); sums[i] != want {
			t.Errorf("message %d: %x, want %x", i, sums[i], want)
		}
	}
}

func TestHashAllocatesNothingOnceWarm(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	if block.UsesStd() {
		t.Skip("crypto/hmac allocates")
	}
	key, msg := hashtest.Data(32), hashtest.Data(1000)
	hs, msgs := make([]hash.Hash, 40), make([][]byte, 40)
	for i := range hs {
		hs[i], msgs[i] = hmac.New(key), msg
	}
	h, sum, sums := hmac.New(key), make([]byte, 0, 32), make([][32]byte, 40)
	for name, f := range map[string]func(){
		"Sum":         func() { hmac.Sum(key, msg) },
		"a hash":      func() { h.Reset(); h.Write(msg); h.Sum(sum) },
		"WriteHashes": func() { simd.WriteHashes(hs, msgs) },
		"SumHashes":   func() { simd.SumHashes(sums, hs) },
	} {
		if allocs := testing.AllocsPerRun(20, f); allocs > 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

func TestHashRetainsNeitherKeyNorMessages(t *testing.T) {
	for _, n := range []int{70, 3} {
		var hs []hash.Hash
		hashtest.NothingRetained(t, func() map[string]weak.Pointer[byte] {
			key, msgs := hashtest.Data(32), cut(n, func(i int) int { return 100 + i })
			for range n {
				hs = append(hs, hmac.New(key))
			}
			simd.WriteHashes(hs, msgs)
			return map[string]weak.Pointer[byte]{"the key": weak.Make(&key[0]), "a message": weak.Make(&msgs[n-1][0])}
		})
		if len(hs) != n {
			t.Errorf("%d hashes, want %d", len(hs), n)
		}
	}
}
