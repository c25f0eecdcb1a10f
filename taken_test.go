package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"fmt"
	"hash"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"
	"unsafe"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/guard"
	"github.com/sha256-simd/sha256-simd/internal/hashtest"
)

// TestWriteManyOfCryptoHashes has hashes of crypto/sha256, some more than once, between
// hashes of all other kinds, and data of all lengths.
func TestWriteManyOfCryptoHashes(t *testing.T) {
	kinds := []func() hash.Hash{
		stdsha256.New, stdsha256.New, stdsha256.New, stdsha256.New224, sha256.New,
		func() hash.Hash { return wrapped{hashtest.WithClone(stdsha256.New)().(hashtest.Hash)} },
	}
	r := rand.New(rand.NewPCG(29, 4))
	hashtest.ForEach(t, func(t *testing.T) {
		for range 30 {
			n := 2 + r.IntN(300)
			most := 1 + r.IntN(len(kinds)) // often crypto/sha256 alone
			distinct := 1 + r.IntN(n)
			got, want := make([]hash.Hash, distinct), make([]hash.Hash, distinct)
			for i := range got {
				k := r.IntN(most)
				got[i], want[i] = kinds[k](), kinds[k]()
			}
			for range 2 {
				hs, data := make([]hash.Hash, n), make([][]byte, n)
				for i := range hs {
					h := r.IntN(distinct)
					if r.IntN(2) == 0 {
						h = i % distinct
					}
					hs[i], data[i] = got[h], hashtest.Data(r.IntN(1+r.IntN(5000)))
					want[h].Write(data[i])
				}
				sha256.WriteMany(hs, data)
			}
			for i := range got {
				if g, w := got[i].Sum(nil), want[i].Sum(nil); !bytes.Equal(g, w) {
					t.Fatalf("%d writes, hash %d, a %T: %x, want %x", n, i, got[i], g, w)
				}
				if _, ok := got[i].(wrapped); !ok && !bytes.Equal(marshal(t, got[i]), marshal(t, want[i])) {
					t.Fatalf("%d writes, hash %d, a %T: another state", n, i, got[i])
				}
			}
		}
	})
}

// TestFaultLeavesTakenHashes tests that a hash of crypto/sha256 whose state is taken
// stays as it is when data of another hash cannot be read.
func TestFaultLeavesTakenHashes(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	buf := guard.New(t, 5000).Bytes()
	broken := unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize())
	hashtest.ForEach(t, func(t *testing.T) {
		if sha256.Selected().Lanes < 2 {
			t.Skip("hashes are written to one at a time")
		}
		hs, data := make([]hash.Hash, 40), make([][]byte, 40)
		for i := range hs {
			hs[i], data[i] = stdsha256.New(), hashtest.Data(2000)
			hs[i].Write([]byte("begin"))
		}
		data[30] = broken
		want := hs[0].Sum(nil)
		if guard.Faults(func() { sha256.WriteMany(hs, data) }) == nil {
			t.Fatal("reading what cannot be read did not fault")
		}
		for i, h := range hs {
			if !bytes.Equal(h.Sum(nil), want) {
				t.Fatalf("hash %d changed", i)
			}
		}
		data[30] = data[0]
		sha256.WriteMany(hs, data)
		std := stdsha256.New()
		std.Write([]byte("begin"))
		std.Write(data[0])
		for i, h := range hs {
			if !bytes.Equal(h.Sum(nil), std.Sum(nil)) {
				t.Fatalf("hash %d is wrong after a write that did not fault", i)
			}
		}
	})
}

func TestWriteManyOfCryptoHashesAllocatesNothingOnceWarm(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	for _, n := range []int{2, 33, 600} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			hs, data := make([]hash.Hash, n), cut(n, func(int) int { return 1500 })
			for i := range hs {
				hs[i] = stdsha256.New()
			}
			if allocs := testing.AllocsPerRun(10, func() { sha256.WriteMany(hs, data) }); allocs != 0 {
				t.Errorf("%v allocations", allocs)
			}
		})
	}
}
