package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"encoding"
	"fmt"
	"hash"
	"math/rand/v2"
	"testing"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// TestMessagesThatAreNodes tests messages of 64 bytes, which kernels for nodes hash.
func TestMessagesThatAreNodes(t *testing.T) {
	hashtest.ForEachNode(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 3, 5, 31, 32, 33, 64, 70, 513, 3001} {
			data := hashtest.Data(n * 200)
			for _, l := range []struct {
				name string
				at   func(i int) int
			}{
				{"one behind the other", func(i int) int { return 64 * i }},
				{"odd addresses", func(i int) int { return 65*i + 1 }},
				{"apart", func(i int) int { return 137 * i }},
				{"backwards", func(i int) int { return 64 * (n - 1 - i) }},
				{"scattered", func(i int) int { return i * 7919 % n * 137 }},
				{"one and the same", func(i int) int { return 3 }},
			} {
				msgs := make([][]byte, n)
				for i := range msgs {
					msgs[i] = data[l.at(i):][:64:64]
				}
				checkSumMany(t, fmt.Sprintf("%d, %s", n, l.name), msgs)
			}
			if got, want := sha256.Sum256(data[3:][:64]), stdsha256.Sum256(data[3:][:64]); got != want {
				t.Fatalf("Sum256: %x, want %x", got, want)
			}
		}
	})
}

// TestRowsThatAreNodes tests rows of 64 bytes: every distance, with digests over the
// rows and beside them. 2,100 rows are fetched before they are hashed. Nothing follows
// the last row in Data.
func TestRowsThatAreNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 7))
	hashtest.ForEachNode(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 5, 32, 33, 70, 2100} {
			for _, l := range []struct{ stride, size, dstStride, shift int }{
				{64, 32, 32, 0}, {64, 32, 64, 0}, {64, 20, 64, 5}, {64, 32, 64, 32}, {64, 32, 32, -32}, {64, 32, 32, -100},
				{65, 32, 32, 0}, {90, 32, 90, 58}, {300, 32, 32, -32}, {300, 24, 300, 276}, {64, 31, 31, 0}, {64, 32, 33, 0},
			} {
				buf := hashtest.Data(400*n + 1000)
				first := 200 + r.IntN(64)
				src := sha256.Rows{Data: buf[first:][:(n-1)*l.stride+64], Size: 64, Stride: l.stride}
				dst := sha256.Rows{Data: buf[first+l.shift:], Size: l.size, Stride: l.dstStride}
				before, want := bytes.Clone(buf[:first+l.shift]), rowsOf(dst, stdsha256.New, nil, src, n)
				sha256.SumRows(dst, nil, src, n)
				if !bytes.Equal(dst.Data, want) || !bytes.Equal(buf[:first+l.shift], before) {
					t.Fatalf("%d rows %d apart, digests of %d bytes %d apart, %d bytes behind: wrong digests, or other bytes changed", n, l.stride, l.size, l.dstStride, l.shift)
				}
			}
		}
	})
}

// TestNodesBehindARestoredState tests a prefix that has no bytes, but not the initial
// hash value: crypto/sha256, too, restores any state.
func TestNodesBehindARestoredState(t *testing.T) {
	state, err := sha256.New().(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	state[10] ^= 0x40
	restored := func(h hash.Hash) hash.Hash {
		if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
			t.Fatal(err)
		}
		return h
	}
	std := restored(stdsha256.New())
	std.Write(hashtest.Data(64))
	want := [32]byte(std.Sum(nil))
	hashtest.ForEachNode(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 5, 40} {
			msgs, got, rows := make([][]byte, n), make([][32]byte, n), make([]byte, 32*n)
			for i := range msgs {
				msgs[i] = hashtest.Data(64)
			}
			prefix := restored(sha256.New())
			sha256.SumManyAfter(got, prefix, msgs)
			sha256.SumRows(sha256.Rows{Data: rows, Size: 32}, prefix, sha256.Rows{Data: bytes.Join(msgs, nil), Size: 64}, n)
			for i := range got {
				if got[i] != want || [32]byte(rows[32*i:]) != want {
					t.Fatalf("message %d of %d: SumManyAfter %x, SumRows %x, want %x", i, n, got[i], rows[32*i:][:32], want)
				}
			}
		}
	})
}

func TestNodesAtTheEdgeOfMemory(t *testing.T) {
	hashtest.ForEachNode(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 5, 33, 70} {
			in, out := guard.New(t, 64*n), guard.New(t, 32*n)
			for _, rows := range [][2][]byte{{in.Head(64 * n), out.Head(32 * n)}, {in.Tail(64 * n), out.Tail(32 * n)}} {
				copy(rows[0], hashtest.Data(64*n))
				src, dst := sha256.Rows{Data: rows[0], Size: 64, Stride: 64}, sha256.Rows{Data: rows[1], Size: 32, Stride: 32}
				want := rowsOf(dst, stdsha256.New, nil, src, n)
				if err := guard.Faults(func() { sha256.SumRows(dst, nil, src, n) }); err != nil {
					t.Fatalf("%d rows: %v", n, err)
				}
				if !bytes.Equal(rows[1], want) {
					t.Fatalf("%d rows: wrong digests", n)
				}
			}
		}
	})
}
