package sha256_test

import (
	stdsha256 "crypto/sha256"
	"encoding"
	"hash"
	"strings"
	"testing"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

func TestOneMessageAllocatesNothing(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	for _, tt := range []struct {
		name string
		f    func()
	}{
		{"Sum256", func() {
			in := []byte("on the stack")
			sha256.Sum256(in)
		}},
		{"Sum224", func() {
			in := [200]byte{1}
			sha256.Sum224(in[:])
		}},
		{"New", func() {
			h := sha256.New()
			in := [200]byte{1}
			h.Write(in[:])
			h.Write(in[:7])
			var out [sha256.Size]byte
			h.Sum(out[:0])
			h.Reset()
			h.Write(in[:])
			h.Sum(out[:0])
		}},
		{"New224", func() {
			h := sha256.New224()
			in := [200]byte{1}
			h.Write(in[:])
			var out [sha256.Size224]byte
			h.Sum(out[:0])
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hashtest.ForEachSingle(t, func(t *testing.T) {
				if n := testing.AllocsPerRun(100, tt.f); n != 0 {
					t.Errorf("%v allocations", n)
				}
			})
		})
	}
}

// TestMarshalledStatesAllocateNoMore compares with crypto/sha256: whether a state
// stays on the stack is up to the compiler, and it does from Go 1.26.
func TestMarshalledStatesAllocateNoMore(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	got := testing.AllocsPerRun(100, func() {
		h := sha256.New()
		state, _ := h.(encoding.BinaryMarshaler).MarshalBinary()
		state, _ = h.(encoding.BinaryAppender).AppendBinary(state[:0])
		h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
	})
	want := testing.AllocsPerRun(100, func() {
		h := stdsha256.New()
		state, _ := h.(encoding.BinaryMarshaler).MarshalBinary()
		state, _ = h.(encoding.BinaryAppender).AppendBinary(state[:0])
		h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
	})
	if got > want {
		t.Errorf("%v allocations, crypto/sha256 makes %v", got, want)
	}
}

func TestManyMessagesAllocateNothingOnceWarm(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	usesStd := func() bool { return sha256.Selected().Single == "x1_std" }
	always := usesStd()
	for _, n := range []int{1, 2, 33, 600} {
		for _, length := range []func(i int) int{
			func(int) int { return 70 },
			func(i int) int { return i * 31 % 500 },
		} {
			msgs := cut(n, length)
			dst, ids := make([][sha256.Size]byte, n), make([]digestID, n)
			sums, data, std := make([]byte, 32*n), make([]byte, 70*n), stdsha256.New()
			hs, steps := make([]hash.Hash, n), make([]int, n)
			for i := range hs {
				hs[i], steps[i] = sha256.New(), 3+i%4
			}
			hashtest.ForEach(t, func(t *testing.T) {
				for _, tt := range []struct {
					name string
					f    func()
				}{
					{"SumMany", func() { sha256.SumMany(dst, msgs) }},
					{"WriteHashes", func() { sha256.WriteHashes(hs, msgs) }},
					{"SumHashes", func() { sha256.SumHashes(dst, hs) }},
					{"SumMany of a named type", func() { sha256.SumMany(ids, msgs) }},
					{"SumManyAfter of a named type", func() { sha256.SumManyAfter(ids, hs[0], msgs) }},
					{"SumHashes of a named type", func() { sha256.SumHashes(ids, hs) }},
					{"SumChains of a named type", func() { sha256.SumChains(ids, steps) }},
					{"SumRows of a named type", func() {
						sha256.SumRows(sha256.RowsOf(ids), nil, sha256.Rows{Data: data, Size: 70}, n)
					}},
					{"SumManyAfter", func() { sha256.SumManyAfter(dst, hs[0], msgs) }},
					{"SumManyAfter of crypto/sha256's", func() { sha256.SumManyAfter(dst, std, msgs) }},
					{"SumAfter", func() { sha256.SumAfter(hs[0], msgs[0]) }},
					{"SumAfter of crypto/sha256's", func() { sha256.SumAfter(std, msgs[0]) }},
					{"SumChains", func() { sha256.SumChains(dst, steps) }},
					{"SumRows", func() {
						sha256.SumRows(sha256.Rows{Data: sums, Size: 20}, hs[0], sha256.Rows{Data: data, Size: 70}, n)
					}},
					{"SumRows of crypto/sha256's", func() { sha256.SumRows(sha256.Rows{Data: sums, Size: 32}, std, sha256.Rows{Data: data, Size: 70}, n) }},
					{"SumRows without a prefix", func() { sha256.SumRows(sha256.Rows{Data: sums, Size: 32}, nil, sha256.Rows{Data: data, Size: 70}, n) }},
				} {
					if (always || usesStd()) && strings.Contains(tt.name, "crypto/sha256") {
						continue // its hashes are cloned or restored, which allocates
					}
					// A collection meanwhile empties the pool: one in 10 calls may.
					if allocs := testing.AllocsPerRun(10, tt.f); allocs != 0 {
						t.Errorf("%s of %d messages: %v allocations", tt.name, n, allocs)
					}
				}
			})
		}
	}
}
