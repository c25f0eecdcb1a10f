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
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
	"github.com/sha256-simd/sha256-simd/internal/written"
)

// TestWriteHashesOfCryptoHashes has hashes of crypto/sha256, some more than once, between
// hashes of all other kinds, and data of all lengths. Some hashes write through to
// another hash of the list.
func TestWriteHashesOfCryptoHashes(t *testing.T) {
	server := sha256.NewServer()
	defer server.Close()
	kinds := []func() hash.Hash{
		stdsha256.New, stdsha256.New, stdsha256.New, stdsha256.New224, sha256.New, sha256.New224, server.New,
		func() hash.Hash { return wrapped{hashtest.WithClone(stdsha256.New)().(hashtest.Hash)} },
	}
	var order []int // of writes through
	r := rand.New(rand.NewPCG(29, 4))
	hashtest.ForEach(t, func(t *testing.T) {
		for range 30 {
			n := 2 + r.IntN(300)
			most := 1 + r.IntN(len(kinds)+1) // often crypto/sha256 alone
			distinct := 1 + r.IntN(n)
			got, want := make([]hash.Hash, distinct), make([]hash.Hash, distinct)
			for i := range got {
				switch k := r.IntN(most); {
				case k < len(kinds):
					got[i], want[i] = kinds[k](), kinds[k]()
				case i == 0:
					got[i], want[i] = stdsha256.New(), stdsha256.New()
				default:
					got[i], want[i] = &foreign{got[0], i, &order}, want[0]
				}
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
				sha256.WriteHashes(hs, data)
			}
			for i := range got {
				if g, w := got[i].Sum(nil), want[i].Sum(nil); !bytes.Equal(g, w) {
					t.Fatalf("%d writes, hash %d, a %T: %x, want %x", n, i, got[i], g, w)
				}
				switch got[i].(type) {
				case wrapped, *foreign:
				default:
					if !bytes.Equal(marshal(t, got[i]), marshal(t, want[i])) {
						t.Fatalf("%d writes, hash %d, a %T: another state", n, i, got[i])
					}
				}
			}
		}
	})
}

// TestFaultLeavesTakenHashes tests that a hash of crypto/sha256 whose state is taken
// stays as it is when data of another hash cannot be read. The hashes run side by side,
// also among hashes of this package: one at a time, the first would change.
func TestFaultLeavesTakenHashes(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	buf := guard.New(t, 5000).Bytes()
	broken := unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize())
	for _, tt := range []struct {
		name  string
		every int // hash is of crypto/sha256
	}{{"crypto/sha256 alone", 1}, {"alternating", 2}, {"every third", 3}} {
		t.Run(tt.name, func(t *testing.T) {
			hashtest.ForEach(t, func(t *testing.T) {
				if sha256.Selected().Lanes < 2 {
					t.Skip("hashes are written to one at a time")
				}
				hs, data := make([]hash.Hash, 40), make([][]byte, 40)
				for i := range hs {
					if hs[i] = sha256.New(); i%tt.every == 0 {
						hs[i] = stdsha256.New()
					}
					data[i] = hashtest.Data(2000)
					hs[i].Write([]byte("begin"))
				}
				data[30] = broken
				check := func(what string, want []byte) {
					for i := 0; i < len(hs); i += tt.every {
						if !bytes.Equal(hs[i].Sum(nil), want) {
							t.Fatalf("hash %d %s", i, what)
						}
					}
				}
				want := hs[0].Sum(nil)
				if guard.Faults(func() { sha256.WriteHashes(hs, data) }) == nil {
					t.Fatal("reading what cannot be read did not fault")
				}
				check("changed", want)
				data[30] = data[0]
				sha256.WriteHashes(hs, data)
				std := stdsha256.New()
				std.Write([]byte("begin"))
				std.Write(data[0])
				check("is wrong after a write that did not fault", std.Sum(nil))
			})
		})
	}
}

func TestWriteHashesOfCryptoHashesAllocatesNothingOnceWarm(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	for _, every := range []int{1, 2} {
		for _, n := range []int{2, 33, 600} {
			t.Run(fmt.Sprintf("%d, every %d", n, every), func(t *testing.T) {
				hs, data := make([]hash.Hash, n), cut(n, func(int) int { return 1500 })
				for i := range hs {
					if hs[i] = sha256.New(); i%every == 0 {
						hs[i] = stdsha256.New()
					}
				}
				if allocs := testing.AllocsPerRun(10, func() { sha256.WriteHashes(hs, data) }); allocs != 0 {
					t.Errorf("%v allocations", allocs)
				}
			})
		}
	}
}

// An inner is a hash of another package of this library: Write writes to the hash within.
type inner struct {
	hash.Hash
	t      *testing.T
	writes bool // Write may be called
}

func (h *inner) WritesTo(written.Here) hash.Hash { return h.Hash }

func (h *inner) Write(p []byte) (int, error) {
	if !h.writes {
		h.t.Error("WriteHashes called Write")
	}
	return h.Hash.Write(p)
}

// TestWriteHashesSeesThroughHashes has hashes of other packages of this library, one of
// them twice, between hashes of this package, of crypto/sha256 and of another library.
func TestWriteHashesSeesThroughHashes(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{2, 5, 40, 1500} {
			oneByOne := sha256.Selected().Lanes == 1
			hs, want := make([]hash.Hash, n), make([]hash.Hash, n)
			data := cut(n, func(i int) int { return i * 37 % 1900 })
			for i := range hs {
				want[i] = stdsha256.New()
				switch h := (&inner{sha256.New(), t, oneByOne}); i % 5 {
				default:
					hs[i] = h
				case 2:
					hs[i] = sha256.New()
				case 3:
					hs[i] = stdsha256.New()
				case 4:
					hs[i], want[i] = hs[i-3], want[i-3]
				}
			}
			if n > 40 {
				hs[17] = struct{ hash.Hash }{sha256.New()}
			}
			for range 3 {
				sha256.WriteHashes(hs, data)
				for i, h := range want {
					h.Write(data[i])
				}
			}
			for i, h := range hs {
				if got, want := h.Sum(nil), want[i].Sum(nil); !bytes.Equal(got, want) {
					t.Fatalf("hash %d of %d: %x, want %x", i, n, got, want)
				}
			}
		}
	})
}
