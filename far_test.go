package sha256_test

import (
	stdsha256 "crypto/sha256"
	"hash"
	"math/rand/v2"
	"testing"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// TestListsLargerThanTheCache tests lists so large that what comes next is fetched
// into the cache: messages of one length and of several, and hashes.
func TestListsLargerThanTheCache(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		data := hashtest.Data(70_000)
		for _, l := range []struct{ n, low, high int }{
			{5003, 64, 64}, {303, 1000, 1000}, {67, 5000, 5000},
			{3001, 20, 200}, {301, 1000, 3000}, {37, 100, 30_000}, {9, 30_000, 60_000},
		} {
			msgs, want := make([][]byte, l.n), make([][32]byte, l.n)
			for i := range msgs {
				at := r.IntN(1000)
				msgs[i] = data[at : at+l.low+r.IntN(l.high-l.low+1)]
				want[i] = stdsha256.Sum256(msgs[i])
			}
			check := func(what string, got [][32]byte) {
				t.Helper()
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("%s of %d × %d to %d bytes: digest %d is %x, want %x", what, l.n, l.low, l.high, i, got[i], want[i])
					}
				}
			}
			got := make([][32]byte, l.n)
			sha256.SumMany(got, msgs)
			check("SumMany", got)

			clear(got)
			hs := make([]hash.Hash, l.n)
			for i := range hs {
				hs[i] = sha256.New()
			}
			sha256.WriteHashes(hs, msgs)
			sha256.SumHashes(got, hs)
			check("WriteHashes", got)
		}
	})
}
