package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"fmt"
	"hash"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
	"github.com/sha256-simd/sha256-simd/internal/written"
)

// A foreign hash is one of another package. It notes its number in order each
// time that it is written to.
type foreign struct {
	hash.Hash
	number int
	order  *[]int
}

func (f *foreign) Write(p []byte) (int, error) {
	*f.order = append(*f.order, f.number)
	return f.Hash.Write(p)
}

// Sum returns memory of its own, which hash.Hash allows.
func (f *foreign) Sum(b []byte) []byte {
	return append(append([]byte(nil), b...), f.Hash.Sum(nil)...)
}

// pair is a hash and what crypto/sha256 has instead of it.
type pair struct{ h, want hash.Hash }

// newPair returns hashes of kind i, to which n bytes have been written.
func newPair(i, n int, order *[]int) pair {
	var p pair
	switch i % 5 {
	case 3:
		p = pair{sha256.New224(), stdsha256.New224()}
	case 4:
		p = pair{&foreign{stdsha256.New(), i, order}, stdsha256.New()}
	default:
		p = pair{sha256.New(), stdsha256.New()}
	}
	p.h.Write(hashtest.Data(n))
	p.want.Write(hashtest.Data(n))
	return p
}

func (p pair) check(t *testing.T, what string) {
	t.Helper()
	if got, want := p.h.Sum(nil), p.want.Sum(nil); !bytes.Equal(got, want) {
		t.Fatalf("%s: %x, want %x", what, got, want)
	}
}

func TestWriteHashes(t *testing.T) {
	for _, tt := range []struct {
		name         string
		kinds, begun int // of hashes, and the bytes in them
	}{
		{"fresh", 3, 1},
		{"begun", 4, 150},
		{"among foreign ones", 5, 150},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hashtest.ForEach(t, func(t *testing.T) {
				for n := range maxTestLanes + 1 {
					if testing.Short() && n%11 != 0 {
						continue
					}
					for _, length := range lengths {
						testWriteHashes(t, n, length, tt.kinds, tt.begun)
					}
				}
			})
		})
	}
}

// testWriteHashes writes to n hashes of several kinds, of which some bytes have
// been written to each, first length bytes and then up to two more.
func testWriteHashes(t *testing.T, n, length, kinds, begun int) {
	t.Helper()
	var order []int
	pairs := make([]pair, n)
	hs := make([]hash.Hash, n)
	for i := range pairs {
		pairs[i] = newPair(i%kinds, i*37%begun, &order)
		hs[i] = pairs[i].h
	}
	for round := range 2 {
		data := cut(n, func(i int) int { return length + i*round%3 })
		sha256.WriteHashes(hs, data)
		for i, p := range pairs {
			p.want.Write(data[i])
		}
	}
	for i, p := range pairs {
		p.check(t, fmt.Sprintf("%d writes of %d bytes, hash %d", n, length, i))
	}
}

// TestWriteHashesKeepsOrder lists hashes more than once, and hashes that stand on
// others of the list.
func TestWriteHashesKeepsOrder(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(8, 8))
		for round := range 100 {
			var order, wantOrder []int
			pairs := make([]pair, 1+r.IntN(40))
			for i := range pairs {
				pairs[i] = newPair(i, r.IntN(200), &order)
			}
			// One that writes through to another hash of the list.
			through := pair{&foreign{pairs[0].h, -1, &order}, pairs[0].want}
			order = nil
			var hs []hash.Hash
			var data [][]byte
			for i := range r.IntN(300) {
				p := through
				if k := r.IntN(len(pairs) + 1); k < len(pairs) {
					p = pairs[k]
				}
				length := r.IntN(1 << r.IntN(11))
				hs = append(hs, p.h)
				data = append(data, hashtest.Data(length + i)[i:])
				p.want.Write(data[i])
				if f, ok := p.h.(*foreign); ok {
					wantOrder = append(wantOrder, f.number)
				}
			}
			sha256.WriteHashes(hs, data)
			for i, p := range pairs {
				p.check(t, fmt.Sprintf("round %d, hash %d of %d in %d writes", round, i, len(pairs), len(hs)))
			}
			if fmt.Sprint(order) != fmt.Sprint(wantOrder) {
				t.Fatalf("round %d: foreign hashes were written to in the order %v, want %v", round, order, wantOrder)
			}
		}
	})
}

func TestWriteHashesKeepsNothing(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		const n = 40
		hs, want := make([]hash.Hash, n), make([]hash.Hash, n)
		data := cut(n, func(i int) int { return 10 * i })
		for i := range hs {
			hs[i], want[i] = sha256.New(), stdsha256.New()
			want[i].Write(data[i])
		}
		sha256.WriteHashes(hs, data)
		for _, p := range data {
			clear(p)
		}
		for i := range hs {
			pair{hs[i], want[i]}.check(t, fmt.Sprintf("%d bytes that change after WriteHashes", len(data[i])))
		}
	})
}

func TestWriteHashesAtTheEdgeOfMemory(t *testing.T) {
	const most = 300
	bufs := guarded(t, most)
	hashtest.ForEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 9))
		for range 100 {
			n := 1 + r.IntN(maxTestLanes)
			pairs, hs, data := make([]pair, n), make([]hash.Hash, n), make([][]byte, n)
			for i := range pairs {
				pairs[i] = newPair(i%4, r.IntN(100), nil)
				hs[i] = pairs[i].h
				length := r.IntN(most)
				data[i] = bufs[i].Tail(length)
				if r.IntN(2) == 0 {
					data[i] = bufs[i].Head(length)
				}
				copy(data[i], hashtest.Data(length))
				pairs[i].want.Write(data[i])
			}
			if err := guard.Faults(func() { sha256.WriteHashes(hs, data) }); err != nil {
				t.Fatalf("%d writes: %v", n, err)
			}
			for i, p := range pairs {
				p.check(t, fmt.Sprintf("hash %d of %d, %d bytes", i, n, len(data[i])))
			}
		}
	})
}

func TestSumHashes(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for n := range maxTestLanes + 1 {
			pairs := make([]pair, n)
			hs := make([]hash.Hash, n)
			for i := range pairs {
				kind := i % 5
				if kind == 3 {
					kind = 4 // no New224
				}
				pairs[i] = newPair(kind, i*i%400, new([]int))
				hs[i] = pairs[i].h
				if i%7 == 6 {
					hs[i], pairs[i] = hs[i-1], pairs[i-1] // more than once
				}
			}
			for range 2 {
				dst := make([][sha256.Size]byte, n)
				sha256.SumHashes(dst, hs)
				for i, p := range pairs {
					if want := p.want.Sum(nil); !bytes.Equal(dst[i][:], want) {
						t.Fatalf("hash %d of %d: %x, want %x", i, n, dst[i], want)
					}
					p.check(t, "after SumHashes") // the hashes go on unchanged
				}
				for i, p := range pairs {
					if i%7 != 6 {
						p.h.Write(hashtest.Data(i))
						p.want.Write(hashtest.Data(i))
					}
				}
			}
		}
	})
}

func TestForgedLengthsSideBySide(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		var hs, wants []hash.Hash
		for _, length := range boundaries {
			h, want := forge(t, sha256.New, stdsha256.New, uint64(length))
			hs, wants = append(hs, h), append(wants, want)
		}
		for _, more := range []int{0, 1, 63, 64, 1000} {
			data := cut(len(hs), func(int) int { return more })
			sha256.WriteHashes(hs, data)
			dst, ofCrypto := make([][sha256.Size]byte, len(hs)), make([][sha256.Size]byte, len(hs))
			sha256.SumHashes(dst, hs)
			for i, want := range wants {
				want.Write(data[i])
			}
			sha256.SumHashes(ofCrypto, wants)
			for i, want := range wants {
				if want := want.Sum(nil); !bytes.Equal(dst[i][:], want) || !bytes.Equal(ofCrypto[i][:], want) {
					t.Errorf("%d bytes and up to %d more: %x, of crypto/sha256 %x, want %x", boundaries[i], more, dst[i], ofCrypto[i], want)
				}
			}
		}
	})
}

// panics is a foreign hash that cannot be written to.
type panics struct{ hash.Hash }

func (panics) Write([]byte) (int, error) { panic("a foreign hash panics") }

// TestPanicOfAForeignHash lets a foreign hash panic among ours.
func TestPanicOfAForeignHash(t *testing.T) {
	hs := []hash.Hash{sha256.New(), sha256.New(), nil, sha256.New()}
	hs[2] = panics{stdsha256.New()}
	data := cut(len(hs), func(int) int { return 200 })
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic got lost")
			}
		}()
		sha256.WriteHashes(hs, data)
	}()
	hs[2] = sha256.New()
	for i, h := range hs {
		want := stdsha256.New()
		if i < 2 { // before the panic
			want.Write(data[i])
		}
		pair{h, want}.check(t, fmt.Sprintf("hash %d", i))
	}
	sha256.WriteHashes(hs, data)
	for i, h := range hs {
		want := stdsha256.New()
		if i < 2 {
			want.Write(data[i])
		}
		want.Write(data[i])
		pair{h, want}.check(t, fmt.Sprintf("hash %d written again", i))
	}
}

// TestFaultsLeaveHashes writes, among other memory, memory of which the end cannot
// be read, by WriteHashes and by Write. Each hash has to be as it was before, or as it is
// after its write, and to go on.
func TestFaultsLeaveHashes(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	const unreadable = 10
	most := max(maxTestLanes, 4*sha256.Selected().Lanes) // each of four classes fills the lanes
	hashtest.ForEach(t, func(t *testing.T) {
		buf := guard.New(t, 10_000)
		copy(buf.Bytes(), hashtest.Data(10_000))
		for _, begun := range []int{0, 63, 100} {
			for _, length := range []int{1, 64 - unreadable, 64, 300, 3000} {
				for uneven, more := range map[string]func(i int) int{
					"alike":           func(int) int { return 0 },
					"in four classes": func(i int) int { return i % 4 * 64 },
					"unlike":          func(i int) int { return i * 100 },
				} {
					for _, n := range []int{1, 2, 33, most} {
						what := fmt.Sprintf("%d writes of %d bytes and more, %s, behind %d", n, length, uneven, begun)
						writes := cut(n, func(i int) int { return length + unreadable + more(i) })
						hs, states := make([]hash.Hash, n), make([][2]pair, n)
						for i := range hs {
							before, after := newPair(0, begun, nil), newPair(0, begun, nil)
							after.h.Write(writes[i])
							after.want.Write(writes[i])
							hs[i], states[i] = newPair(0, begun, nil).h, [2]pair{before, after}
						}
						end := buf.Tail(length)
						writes[n/2] = unsafe.Slice(unsafe.SliceData(end), length+unreadable)
						if guard.Faults(func() { sha256.WriteHashes(hs, writes) }) == nil {
							t.Fatalf("%s: WriteHashes reads what cannot be read", what)
						}
						for i, h := range hs {
							p := pair{h, states[i][0].want}
							if i != n/2 && bytes.Equal(h.Sum(nil), states[i][1].want.Sum(nil)) {
								p.want = states[i][1].want
							}
							p.check(t, fmt.Sprintf("%s: hash %d", what, i))
							sha256.WriteHashes([]hash.Hash{h}, [][]byte{{1}})
							p.want.Write([]byte{1})
							p.check(t, fmt.Sprintf("%s: hash %d, and a byte", what, i))
						}
						sha256.WriteHashes(hs, cut(n, func(int) int { return 200 }))
					}
				}
			}
		}
	})
}

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
					data[i] = hashtest.Data(20_000) // enough for side by side to pay
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

// TestSumHashesOfAll has hashes of this package, of crypto/sha256 and of another package, of
// one kind or several, in every order.
func TestSumHashesOfAll(t *testing.T) {
	kinds := []func() hash.Hash{sha256.New, sha256.NewServer().New, stdsha256.New, func() hash.Hash { return struct{ hash.Hash }{sha256.New()} }}
	hashtest.ForEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 1000 {
			n, among := r.IntN(150), r.Perm(len(kinds))[:1+r.IntN(len(kinds))]
			hs, want := make([]hash.Hash, n), make([][sha256.Size]byte, n)
			for i := range hs {
				hs[i] = kinds[among[r.IntN(len(among))]]()
				data := hashtest.Data(r.IntN(200))
				hs[i].Write(data)
				want[i] = stdsha256.Sum256(data)
			}
			got := make([][sha256.Size]byte, n)
			for range 2 { // the hashes stay as they are
				sha256.SumHashes(got, hs)
				if !slices.Equal(got, want) {
					t.Fatalf("%d hashes of the kinds %v: wrong digests", n, among)
				}
			}
		}
	})
}

// TestWriteHashesSeesThroughHashes has hashes of other packages of this library, one of
// them twice, between hashes of this package, of crypto/sha256 and of another library.
func TestWriteHashesSeesThroughHashes(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{2, 5, 60, 61, 1500} {
			oneByOne := sha256.Selected().Lanes == 1 || n <= 5 // these may be too few
			hs, want := make([]hash.Hash, n), make([]hash.Hash, n)
			data := cut(n, func(i int) int { return i * 74 % 8000 })
			for i := range hs {
				want[i] = stdsha256.New()
				kind := i % 5
				if n == 61 { // nothing but hashes that write to others
					kind = 0
				}
				switch h := (&inner{sha256.New(), t, oneByOne}); kind {
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
			if n > 40 && n != 61 {
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
