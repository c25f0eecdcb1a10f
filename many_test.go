package sha256_test

import (
	"bytes"
	stdhmac "crypto/hmac"
	stdsha256 "crypto/sha256"
	"crypto/sha512"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
	"weak"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/hmac"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
	"github.com/sha256-simd/sha256-simd/internal/written"
)

// checkSumMany fails the test unless SumMany gives crypto/sha256's digests of
// msgs and leaves them, and the digests beside its own, alone.
func checkSumMany(t *testing.T, what string, msgs [][]byte) {
	t.Helper()
	untouched := [sha256.Size]byte{1, 2, 3}
	before := make([][]byte, len(msgs))
	for i, m := range msgs {
		before[i] = bytes.Clone(m)
	}
	dst := make([][sha256.Size]byte, len(msgs)+2)
	for i := range dst {
		dst[i] = untouched
	}
	sha256.SumMany(dst[1:len(dst)-1], msgs)
	for i, m := range before {
		if want := stdsha256.Sum256(m); dst[i+1] != want {
			t.Fatalf("%s: message %d of %d bytes: %x, want %x", what, i, len(m), dst[i+1], want)
		}
		if !bytes.Equal(msgs[i], m) {
			t.Fatalf("%s: message %d changed", what, i)
		}
	}
	if dst[0] != untouched || dst[len(dst)-1] != untouched {
		t.Fatalf("%s: wrote beside the digests", what)
	}
}

// maxTestLanes is more than twice the number of lanes of any kernel.
const maxTestLanes = 70

// lengths of messages around which padding and block counts change.
var lengths = []int{0, 1, 20, 55, 56, 63, 64, 65, 119, 120, 128, 1000, 4096}

// cut returns n distinct messages of the length that length(i) says, from one
// buffer.
func cut(n int, length func(i int) int) [][]byte {
	total := 0
	for i := range n {
		total += length(i)
	}
	data := hashtest.Data(total)
	msgs := make([][]byte, n)
	for i := range msgs {
		msgs[i], data = data[:length(i):length(i)], data[length(i):]
	}
	return msgs
}

func TestSumManyOfEqualLengths(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for n := range maxTestLanes + 1 {
			for _, length := range lengths {
				if testing.Short() && length > 128 && n%7 != 0 {
					continue
				}
				checkSumMany(t, fmt.Sprintf("%d of %d bytes", n, length), cut(n, func(int) int { return length }))
			}
		}
	})
}

func TestSumManyOfUnequalLengths(t *testing.T) {
	shapes := []struct {
		name   string
		length func(i int) int
	}{
		{"ascending", func(i int) int { return 17 * i }},
		{"descending", func(i int) int { return 17 * (maxTestLanes - i) }},
		{"one long", func(i int) int { return 100 + 20000*(1-min(i, 1)) }},
		{"long among short", func(i int) int { return 5 + 9000*max(0, i%11-9) }},
		{"every padding", func(i int) int { return 64 + i }},
		{"empty and not", func(i int) int { return 300 * (i % 2) }},
	}
	hashtest.ForEach(t, func(t *testing.T) {
		for _, s := range shapes {
			for n := range maxTestLanes + 1 {
				checkSumMany(t, fmt.Sprintf("%s, %d", s.name, n), cut(n, s.length))
			}
		}
		r := rand.New(rand.NewPCG(6, 6))
		for range 15 {
			n := 1 + r.IntN(2*maxTestLanes)
			sizes := make([]int, n)
			for i := range sizes {
				sizes[i] = r.IntN(1 << r.IntN(14))
			}
			checkSumMany(t, fmt.Sprint("lengths ", sizes), cut(n, func(i int) int { return sizes[i] }))
		}
	})
}

// id224 is a named digest.
type id224 [sha256.Size224]byte

func TestSumMany224(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 17, 33, maxTestLanes, 1023, 1024, 1025, 2100} {
			for _, length := range lengths {
				if n*length < 1<<20 {
					checkSumMany224(t, cut(n, func(int) int { return length }))
				}
			}
			checkSumMany224(t, cut(n, func(i int) int { return i * 31 % 500 }))
		}
		checkSumMany224(t, [][]byte{nil, {}, hashtest.Data(200_000), nil})
	})
}

func checkSumMany224(t *testing.T, msgs [][]byte) {
	t.Helper()
	dst := make([]id224, len(msgs)+1)
	sha256.SumMany224(dst[:len(msgs)], msgs)
	for i, m := range msgs {
		if want := stdsha256.Sum224(m); dst[i] != want {
			t.Fatalf("message %d of %d, %d bytes: %x, want %x", i, len(msgs), len(m), dst[i], want)
		}
	}
	if dst[len(msgs)] != (id224{}) {
		t.Fatal("SumMany224 writes behind dst")
	}
}

func TestSumManyOfLongLists(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{513, 4095, 4096, 4097, 8500} { // package lanes orders 4,096 at a time
			checkSumMany(t, fmt.Sprintf("%d equal", n), cut(n, func(int) int { return 40 }))
			checkSumMany(t, fmt.Sprintf("%d unequal", n), cut(n, func(i int) int { return i * 7919 % 300 }))
		}
	})
}

func TestSumManyOfSharedMemory(t *testing.T) {
	p := hashtest.Data(5000)
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{2, 5, 33, maxTestLanes} {
			same, overlapping, nils := make([][]byte, n), make([][]byte, n), make([][]byte, n)
			for i := range n {
				same[i] = p
				overlapping[i] = p[i : len(p)-2*i]
				if i%3 == 0 {
					nils[i] = p[:i*30]
				}
			}
			checkSumMany(t, "the same message", same)
			checkSumMany(t, "overlapping messages", overlapping)
			checkSumMany(t, "nil messages", nils)
		}
		checkSumMany(t, "no messages", nil)
		sha256.SumMany([][32]byte(nil), nil)
	})
}

func TestSumManyAtTheEdgeOfMemory(t *testing.T) {
	const most = 300
	bufs := make([]*guard.Buffer, maxTestLanes)
	for i := range bufs {
		bufs[i] = guard.New(t, most)
	}
	dstBuf := guard.New(t, maxTestLanes*sha256.Size)
	hashtest.ForEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 7))
		for i := range 300 {
			n := 1 + r.IntN(maxTestLanes)
			msgs := atEdges(r, bufs[:n], most, i%2 == 0)
			dst := digestsIn(edge(r, dstBuf, n*sha256.Size))
			if err := guard.Faults(func() { sha256.SumMany(dst, msgs) }); err != nil {
				t.Fatalf("%d messages: %v", n, err)
			}
			for j, m := range msgs {
				if want := stdsha256.Sum256(m); dst[j] != want {
					t.Fatalf("message %d of %d, %d bytes: %x, want %x", j, n, len(m), dst[j], want)
				}
			}
		}
	})
}

// atEdges returns a message at the start or the end of each of bufs, of less than
// most bytes, which is the length of all of them if alike.
func atEdges(r *rand.Rand, bufs []*guard.Buffer, most int, alike bool) [][]byte {
	msgs := make([][]byte, len(bufs))
	length := r.IntN(most)
	for i, b := range bufs {
		if !alike {
			length = r.IntN(most)
		}
		msgs[i] = edge(r, b, length)
		copy(msgs[i], hashtest.Data(length))
	}
	return msgs
}

// edge returns the first or the last n bytes of b.
func edge(r *rand.Rand, b *guard.Buffer, n int) []byte {
	if r.IntN(2) == 0 {
		return b.Head(n)
	}
	return b.Tail(n)
}

// digestsIn returns p as digests.
func digestsIn(p []byte) [][sha256.Size]byte {
	return unsafe.Slice((*[sha256.Size]byte)(unsafe.Pointer(unsafe.SliceData(p))), len(p)/sha256.Size)
}

// TestSumManyIntoMemoryBesideMessages has the digests right between messages.
func TestSumManyIntoMemoryBesideMessages(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for n := 2; n <= maxTestLanes; n += 3 {
			for _, length := range []int{1, 64, 100, 256} {
				memory := hashtest.Data(n*length + n*sha256.Size)
				half := n / 2 * length
				before, rest := memory[:half:half], memory[half:]
				dst, after := digestsIn(rest[:n*sha256.Size]), rest[n*sha256.Size:]
				var msgs [][]byte
				for _, part := range [][]byte{before, after} {
					for len(part) > 0 {
						msgs = append(msgs, part[:length:length])
						part = part[length:]
					}
				}
				want := make([][sha256.Size]byte, n)
				for i, m := range msgs {
					want[i] = stdsha256.Sum256(m)
				}
				sha256.SumMany(dst, msgs)
				for i, m := range msgs {
					if dst[i] != want[i] {
						t.Fatalf("%d messages of %d bytes: digest %d is %x, want %x", n, length, i, dst[i], want[i])
					}
					if stdsha256.Sum256(m) != want[i] {
						t.Fatalf("%d messages of %d bytes: message %d changed", n, length, i)
					}
				}
			}
		}
	})
}

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
	bufs := make([]*guard.Buffer, maxTestLanes)
	for i := range bufs {
		bufs[i] = guard.New(t, most)
	}
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

// TestMisuse tests that every misuse panics, and that nothing has been touched
// by then.
func TestMisuse(t *testing.T) {
	fresh := func() []hash.Hash { return []hash.Hash{sha256.New(), sha256.New(), sha256.New()} }
	with := func(i int, h hash.Hash) []hash.Hash {
		hs := fresh()
		hs[i] = h
		return hs
	}
	noServerHash := reflect.Zero(reflect.TypeOf((*sha256.Server)(nil).New())).Interface().(hash.Hash)
	data := func(n int) [][]byte { return cut(n, func(int) int { return 100 }) }
	for _, tt := range []struct {
		name string
		hs   []hash.Hash
		call func(dst [][sha256.Size]byte, hs []hash.Hash)
	}{
		{"SumMany, more messages", nil, func(dst [][sha256.Size]byte, _ []hash.Hash) { sha256.SumMany(dst, data(4)) }},
		{"SumMany, fewer messages", nil, func(dst [][sha256.Size]byte, _ []hash.Hash) { sha256.SumMany(dst, data(2)) }},
		{"SumMany, nil messages", nil, func(dst [][sha256.Size]byte, _ []hash.Hash) { sha256.SumMany(dst, nil) }},
		{"SumMany224, more messages", nil, func(dst [][sha256.Size]byte, _ []hash.Hash) { sha256.SumMany224(make([]id224, 3), data(4)) }},
		{"SumMany224, fewer messages", nil, func(dst [][sha256.Size]byte, _ []hash.Hash) { sha256.SumMany224(make([]id224, 3), data(2)) }},
		{"WriteHashes, more data", fresh(), func(_ [][sha256.Size]byte, hs []hash.Hash) { sha256.WriteHashes(hs, data(4)) }},
		{"WriteHashes, less data", fresh(), func(_ [][sha256.Size]byte, hs []hash.Hash) { sha256.WriteHashes(hs, data(2)) }},
		{"WriteHashes, nil last", with(2, nil), func(_ [][sha256.Size]byte, hs []hash.Hash) { sha256.WriteHashes(hs, data(3)) }},
		{"WriteHashes, nil hash of a Server last", with(2, noServerHash), func(_ [][sha256.Size]byte, hs []hash.Hash) { sha256.WriteHashes(hs, data(3)) }},
		{"WriteHashes, only a nil hash", []hash.Hash{nil}, func(_ [][sha256.Size]byte, hs []hash.Hash) { sha256.WriteHashes(hs, data(1)) }},
		{"WriteHashes, only a nil hash of a Server", []hash.Hash{noServerHash}, func(_ [][sha256.Size]byte, hs []hash.Hash) { sha256.WriteHashes(hs, data(1)) }},
		{"SumHashes, more hashes", fresh(), func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst[:2], hs) }},
		{"SumHashes, fewer hashes", fresh(), func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs[:2]) }},
		{"SumHashes, nil last", with(2, nil), func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs) }},
		{"SumHashes, nil hash of a Server last", with(2, noServerHash), func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs) }},
		{"SumHashes, SHA-224 last", with(2, sha256.New224()), func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs) }},
		{"SumHashes, nil behind foreign hashes", []hash.Hash{stdsha256.New(), stdsha256.New(), nil}, func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs) }},
		{"SumHashes, nil hash of a Server behind foreign hashes", []hash.Hash{stdsha256.New(), struct{ hash.Hash }{stdsha256.New()}, noServerHash}, func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs) }},
		{"SumHashes, SHA-224 behind foreign hashes", []hash.Hash{stdsha256.New(), stdsha256.New(), stdsha256.New224()}, func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs) }},
		{"SumHashes, SHA-512 behind foreign hashes", []hash.Hash{struct{ hash.Hash }{stdsha256.New()}, stdsha256.New(), sha512.New()}, func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs) }},
		{"WriteHashes, nil behind foreign hashes", []hash.Hash{stdsha256.New(), stdsha256.New(), nil}, func(_ [][sha256.Size]byte, hs []hash.Hash) { sha256.WriteHashes(hs, data(3)) }},
		{"WriteHashes, nil hash of a Server behind foreign hashes", []hash.Hash{stdsha256.New(), struct{ hash.Hash }{stdsha256.New()}, noServerHash}, func(_ [][sha256.Size]byte, hs []hash.Hash) { sha256.WriteHashes(hs, data(3)) }},
		{"SumHashes, SHA-512 last", with(2, sha512.New()), func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dst := make([][sha256.Size]byte, 3)
			func() {
				defer func() {
					if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "sha256: ") {
						t.Errorf("panic: %v", r)
					}
				}()
				tt.call(dst, tt.hs)
			}()
			for i, d := range dst {
				if d != [sha256.Size]byte{} {
					t.Errorf("digest %d was set", i)
				}
			}
			empty := stdsha256.Sum256(nil)
			for i, h := range tt.hs {
				if h != nil && h != noServerHash && h.Size() == sha256.Size && !bytes.Equal(h.Sum(nil), empty[:]) {
					t.Errorf("hash %d was written to", i)
				}
			}
			// What is pooled is none the worse.
			checkSumMany(t, "afterwards", cut(40, func(int) int { return 100 }))
		})
	}
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

// TestFaultsAmongMany hands over memory of which the end cannot be read, among
// other memory. When the caller survives that, by debug.SetPanicOnFault, later
// calls and the same hashes after Reset work.
func TestFaultsAmongMany(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	hashtest.ForEach(t, func(t *testing.T) {
		buf := guard.New(t, 10_000)
		for _, length := range []int{30, 300, 9000} {
			end := buf.Tail(length)
			broken := unsafe.Slice(unsafe.SliceData(end), length+sha256.BlockSize)
			for _, uneven := range []int{0, 100} {
				for _, n := range []int{1, 2, 5, 33, 70} {
					what := fmt.Sprintf("%d messages of %d bytes and up to %d more", n, len(broken), n*uneven)
					msgs := cut(n, func(i int) int { return len(broken) + i*uneven })
					hs := make([]hash.Hash, n)
					for i := range hs {
						hs[i] = newPair(0, i*uneven%150, nil).h
					}
					sums := make([][sha256.Size]byte, n)
					good := msgs[n/2]
					msgs[n/2] = broken
					if guard.Faults(func() { sha256.SumMany(sums, msgs) }) == nil {
						t.Fatalf("%s: SumMany reads what cannot be read", what)
					}
					if guard.Faults(func() {
						for range sha256.SumSeq(slices.All(msgs)) {
						}
					}) == nil {
						t.Fatalf("%s: SumSeq reads what cannot be read", what)
					}
					if guard.Faults(func() { sha256.SumManyAfter(sums, hs[n-1], msgs) }) == nil {
						t.Fatalf("%s: SumManyAfter reads what cannot be read", what)
					}
					if guard.Faults(func() { sha256.WriteHashes(hs, msgs) }) == nil {
						t.Fatalf("%s: WriteHashes reads what cannot be read", what)
					}
					msgs[n/2] = good
					checkSumMany(t, what, msgs)
					for _, h := range hs {
						h.Reset()
					}
					sha256.WriteHashes(hs, msgs)
					sha256.SumHashes(sums, hs)
					for i, m := range msgs {
						if want := stdsha256.Sum256(m); sums[i] != want {
							t.Fatalf("%s: after Reset hash %d gives %x, want %x", what, i, sums[i], want)
						}
					}
				}
			}
		}
	})
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

func TestManyFromManyGoroutines(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				n := 1 + (g*50+i)%maxTestLanes
				msgs := cut(n, func(j int) int { return (g + 1) * 31 * j % 500 })
				dst, sums := make([][sha256.Size]byte, n), make([][sha256.Size]byte, n)
				hs := make([]hash.Hash, n)
				for j := range hs {
					hs[j] = sha256.New()
				}
				sha256.SumMany(dst, msgs)
				sha256.WriteHashes(hs, msgs)
				sha256.SumHashes(sums, hs)
				for j, m := range msgs {
					if want := stdsha256.Sum256(m); dst[j] != want || sums[j] != want {
						t.Errorf("goroutine %d: %x and %x, want %x", g, dst[j], sums[j], want)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestManyStartsNoGoroutine counts the goroutines that were ever started.
func TestManyStartsNoGoroutine(t *testing.T) {
	const created = "/sched/goroutines-created:goroutines"
	sample := []metrics.Sample{{Name: created}}
	count := func() uint64 {
		metrics.Read(sample)
		if sample[0].Value.Kind() == metrics.KindBad {
			t.Skipf("this Go has no metric %s", created)
		}
		return sample[0].Value.Uint64()
	}
	const n = 100
	dst, hs := make([][sha256.Size]byte, n), make([]hash.Hash, n)
	for i := range hs {
		hs[i] = sha256.New()
	}
	msgs := cut(n, func(i int) int { return 50 * i })
	// The runtime starts some at times of its own.
	fewest := ^uint64(0)
	for range 10 {
		before := count()
		sha256.SumMany(dst, msgs)
		sha256.SumMany224(make([]id224, n), msgs)
		sha256.WriteHashes(hs, msgs)
		sha256.SumHashes(dst, hs)
		sha256.SumManyAfter(dst, hs[0], msgs)
		for range sha256.SumSeq(slices.All(msgs)) {
		}
		fewest = min(fewest, count()-before)
	}
	if fewest != 0 {
		t.Errorf("%d goroutines were started", fewest)
	}
}

// TestManyRetainsNothing tests that pooled scratch does not keep callers'
// memory from the garbage collector. What is in a sync.Pool survives one
// collection.
func TestManyRetainsNothing(t *testing.T) {
	for name, call := range map[string]func(dst [][sha256.Size]byte, msgs [][]byte, hs []hash.Hash){
		"SumMany": func(dst [][sha256.Size]byte, msgs [][]byte, _ []hash.Hash) { sha256.SumMany(dst, msgs) },
		"SumMany224": func(_ [][sha256.Size]byte, msgs [][]byte, _ []hash.Hash) {
			sha256.SumMany224(make([]id224, len(msgs)), msgs)
		},
		"WriteHashes": func(_ [][sha256.Size]byte, msgs [][]byte, hs []hash.Hash) { sha256.WriteHashes(hs, msgs) },
		"SumHashes":   func(dst [][sha256.Size]byte, _ [][]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs) },
		"SumManyAfter": func(dst [][sha256.Size]byte, msgs [][]byte, hs []hash.Hash) {
			sha256.SumManyAfter(dst, hs[len(hs)-1], msgs)
		},
	} {
		t.Run(name, func(t *testing.T) {
			hashtest.ForEach(t, func(t *testing.T) {
				// The short list finds the scratch as the long one left it.
				for _, n := range []int{70, 3} {
					reachable(t, n, call)
				}
			})
		})
	}
}

// reachable reports what of the arguments of call, lists of n, the garbage
// collector finds still in use afterwards.
func reachable(t *testing.T, n int, call func(dst [][sha256.Size]byte, msgs [][]byte, hs []hash.Hash)) {
	t.Helper()
	messages, hashes := make([]weak.Pointer[byte], n), make([]weak.Pointer[byte], n)
	var digests weak.Pointer[[sha256.Size]byte]
	server := sha256.NewServer()
	func() {
		msgs, hs := make([][]byte, n), make([]hash.Hash, n)
		dst := make([][sha256.Size]byte, n)
		digests = weak.Make(&dst[0])
		for i := range n {
			msgs[i], hs[i] = make([]byte, 960+37*i%n*100), sha256.New()
			if i%3 == 2 {
				hs[i] = server.New()
				hs[i].Write(msgs[i][:100])
				hs[i].Write(msgs[i][100:200]) // is held back
			}
			hs[i].Write(msgs[i][:i%sha256.BlockSize])
			messages[i], hashes[i] = weak.Make(&msgs[i][0]), weak.Make(pointerIn(hs[i]))
		}
		call(dst, msgs, hs)
	}()
	hashtest.Collect()
	for i := range n {
		if messages[i].Value() != nil {
			t.Errorf("message %d of %d is still reachable", i, n)
		}
		if hashes[i].Value() != nil {
			t.Errorf("hash %d of %d is still reachable", i, n)
		}
	}
	if digests.Value() != nil {
		t.Errorf("the digests of a list of %d are still reachable", n)
	}
}

// pointerIn returns the pointer that h holds.
func pointerIn(h hash.Hash) *byte {
	return (*byte)((*[2]unsafe.Pointer)(unsafe.Pointer(&h))[1])
}

// TestPauses tests that the garbage collector does not have to wait for a call
// into assembly that lasts: 64 MiB of one message take tens of milliseconds.
func TestPauses(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	const limit = time.Millisecond
	msgs := make([][]byte, 4)
	for i := range msgs {
		msgs[i] = make([]byte, 64<<20)
	}
	dst := make([][sha256.Size]byte, len(msgs))
	key := hmac.NewKey(hashtest.Data(32))
	for _, tt := range []struct {
		name string
		f    func()
	}{
		{"SumMany of 1", func() { sha256.SumMany(dst[:1], msgs[:1]) }},
		{"SumMany of 4", func() { sha256.SumMany(dst, msgs) }},
		{"Sum224", func() { sha256.Sum224(msgs[0]) }},
		{"hmac.Key.Sum", func() { key.Sum(msgs[0]) }},
		{"hmac.Key.SumMany", func() { key.SumMany(dst, msgs) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// Pauses depend on what else the machine does: one quiet attempt will do.
			var median time.Duration
			for start := time.Now(); time.Since(start) < time.Minute; {
				if median = medianPause(tt.f); median < limit {
					return
				}
			}
			t.Errorf("the world took %v to stop, want less than %v", median, limit)
		})
	}
}

// medianPause collects garbage eleven times while another goroutine calls f over
// and over, and returns an upper bound of the median time that it took to stop
// the world. A busy machine delays some of these stops by a time slice of its
// scheduler; a call that cannot be interrupted delays nearly all of them.
func medianPause(f func()) time.Duration {
	const name = "/sched/pauses/stopping/gc:seconds"
	read := func() *metrics.Float64Histogram {
		sample := []metrics.Sample{{Name: name}}
		metrics.Read(sample)
		return sample[0].Value.Float64Histogram()
	}
	running, stop, stopped := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		close(running)
		for {
			select {
			case <-stop:
				return
			default:
				f()
			}
		}
	}()
	<-running
	before := read()
	for range 11 {
		runtime.GC()
	}
	after := read()
	close(stop)
	<-stopped
	passed := uint64(0)
	for i, n := range after.Counts {
		if passed += n - before.Counts[i]; passed > 5 {
			return time.Duration(after.Buckets[i+1] * float64(time.Second))
		}
	}
	return 0
}

// TestDigestsOfANamedType has each function put digests into a list of a named type, and
// into the middle of it.
func TestDigestsOfANamedType(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 3, 40} {
			msgs, hs, steps := make([][]byte, n), make([]hash.Hash, n), make([]int, n)
			for i := range n {
				msgs[i], hs[i], steps[i] = hashtest.Data(50+i), sha256.New(), i%4
				hs[i].Write(msgs[i])
			}
			prefix := sha256.New()
			prefix.Write([]byte("prefix"))
			for name, f := range map[string]struct {
				named func(dst []digestID)
				want  func(i int) [32]byte
			}{
				"SumMany": {
					func(dst []digestID) { sha256.SumMany(dst, msgs) },
					func(i int) [32]byte { return stdsha256.Sum256(msgs[i]) },
				},
				"SumManyAfter": {
					func(dst []digestID) { sha256.SumManyAfter(dst, prefix, msgs) },
					func(i int) [32]byte { return stdsha256.Sum256(append([]byte("prefix"), msgs[i]...)) },
				},
				"SumHashes": {
					func(dst []digestID) { sha256.SumHashes(dst, hs) },
					func(i int) [32]byte { return stdsha256.Sum256(msgs[i]) },
				},
				"SumChains": {
					func(dst []digestID) { sha256.SumChains(dst, steps) },
					func(i int) (sum [32]byte) {
						sum[0] = 1
						for range steps[i] {
							sum = stdsha256.Sum256(sum[:])
						}
						return sum
					},
				},
			} {
				list := make([]digestID, n+2)
				for i := range list {
					list[i][0] = 1
				}
				f.named(list[1 : n+1])
				for i, got := range list {
					want := digestID{1} // at the ends
					if i > 0 && i <= n {
						want = f.want(i - 1)
					}
					if got != want {
						t.Errorf("%s of %d: element %d is %x, want %x", name, n, i, got, want)
					}
				}
			}
		}
	})
	sha256.SumMany([]digestID(nil), nil)
}

// plain is a hash with nothing but the methods of [hash.Hash].
type plain struct{ hash.Hash }

// uncloned is a hash that says that it cannot be cloned.
type uncloned struct{ hashtest.Hash }

func (uncloned) Clone() (hash.Cloner, error) { return nil, errors.ErrUnsupported }

// marshaled is a hash that can be marshalled, but is no hash.Cloner.
type marshaled struct {
	plain
	state hashtest.State
}

func (m marshaled) MarshalBinary() ([]byte, error)     { return m.state.MarshalBinary() }
func (m marshaled) UnmarshalBinary(state []byte) error { return m.state.UnmarshalBinary(state) }

// A prefixKind is a kind of hashes that messages may stand behind.
type prefixKind struct {
	name string
	new  func() hash.Hash
}

// newHMAC returns a hash of crypto/hmac. With GOFIPS140=v1.0.0 it has no Clone, so
// that no message may stand behind it. GODEBUG=fips140=only refuses keys of less than
// 14 bytes.
func newHMAC() hash.Hash { return stdhmac.New(stdsha256.New, []byte("a key of 17 bytes")) }

var hasHMACClone = func() bool { _, ok := newHMAC().(hash.Cloner); return ok }()

var prefixes = slices.DeleteFunc([]prefixKind{
	{"New", sha256.New},
	{"Server", sha256.NewServer().New},
	{"closed Server", closed().New},
	{"zero Server", new(sha256.Server).New},
	{"zero Avx512Digest", func() hash.Hash { return new(sha256.Avx512Digest) }},
	{"crypto/sha256", stdsha256.New},
	{"crypto/hmac", newHMAC},
	{"sha512/256", sha512.New512_256},
	{"no Clone", func() hash.Hash { h := stdsha256.New(); return marshaled{plain{h}, h.(hashtest.State)} }},
	{"Clone fails", func() hash.Hash { return uncloned{hashtest.WithClone(stdsha256.New)().(hashtest.Hash)} }},
	{"Sum in other memory", func() hash.Hash {
		return clonedForeign{&foreign{Hash: hashtest.WithClone(stdsha256.New)(), order: new([]int)}}
	}},
}, func(p prefixKind) bool { return p.name == "crypto/hmac" && !hasHMACClone })

// clonedForeign is foreign with Clone.
type clonedForeign struct{ *foreign }

func (c clonedForeign) Clone() (hash.Cloner, error) {
	h, err := c.Hash.(hash.Cloner).Clone()
	return clonedForeign{&foreign{Hash: h, order: new([]int)}}, err
}

// after returns what each of msgs gives when it is written to what new returns
// behind begin.
func after(new func() hash.Hash, begin []byte, msgs [][]byte) [][sha256.Size]byte {
	want := make([][sha256.Size]byte, len(msgs))
	for i, m := range msgs {
		h := new()
		h.Write(begin)
		h.Write(m)
		copy(want[i][:], h.Sum(nil))
	}
	return want
}

// checkAfter fails the test unless SumManyAfter gives want and leaves alone all
// else: prefix, to which begin was written, msgs, and the digests beside its own.
func checkAfter(t *testing.T, what string, prefix hash.Hash, msgs [][]byte, want [][sha256.Size]byte) {
	t.Helper()
	untouched := [sha256.Size]byte{1, 2, 3}
	dst := make([][sha256.Size]byte, len(msgs)+2)
	for i := range dst {
		dst[i] = untouched
	}
	before := make([][]byte, len(msgs))
	for i, m := range msgs {
		before[i] = bytes.Clone(m)
	}
	sha256.SumManyAfter(dst[1:len(dst)-1], prefix, msgs)
	for i, m := range msgs {
		if dst[i+1] != want[i] {
			t.Fatalf("%s: message %d of %d, %d bytes: %x, want %x", what, i, len(msgs), len(m), dst[i+1], want[i])
		}
		if !bytes.Equal(m, before[i]) {
			t.Fatalf("%s: message %d changed", what, i)
		}
	}
	if dst[0] != untouched || dst[len(dst)-1] != untouched {
		t.Fatalf("%s: wrote beside the digests", what)
	}
}

// checkGoesOn fails the test unless prefix has the digest of begin, and of what
// is written to it then.
func checkGoesOn(t *testing.T, what string, prefix hash.Hash, new func() hash.Hash, begin []byte) {
	t.Helper()
	for _, more := range []int{0, 1, 100} {
		want := new()
		want.Write(begin)
		prefix.Write(hashtest.Data(more))
		begin = append(begin[:len(begin):len(begin)], hashtest.Data(more)...)
		want.Write(hashtest.Data(more))
		if !bytes.Equal(prefix.Sum(nil), want.Sum(nil)) {
			t.Fatalf("%s: the prefix changed: after %d more bytes it has another digest", what, more)
		}
	}
}

func TestSumManyAfterPrefixesOfEveryKind(t *testing.T) {
	msgs := cut(maxTestLanes, func(i int) int { return 5 * i })
	for _, p := range prefixes {
		t.Run(p.name, func(t *testing.T) {
			type example struct {
				begin []byte
				want  [][sha256.Size]byte
			}
			var examples []example
			for _, n := range []int{0, 1, 63, 64, 65, 130, 3000, 10_000} {
				begin := hashtest.Data(n)
				examples = append(examples, example{begin, after(p.new, begin, msgs)})
			}
			hashtest.ForEach(t, func(t *testing.T) {
				for _, e := range examples {
					prefix := p.new()
					// In two writes, which a Server's hash may hold back.
					prefix.Write(e.begin[:len(e.begin)/2])
					prefix.Write(e.begin[len(e.begin)/2:])
					for _, n := range []int{0, 1, 2, 3, 17, len(msgs)} {
						checkAfter(t, fmt.Sprintf("behind %d bytes", len(e.begin)), prefix, msgs[:n], e.want[:n])
					}
					checkGoesOn(t, fmt.Sprintf("%d bytes", len(e.begin)), prefix, p.new, e.begin)
				}
			})
		})
	}
}

func TestSumManyAfterAllLengths(t *testing.T) {
	const longest = 300
	unequal := cut(longest+1, func(i int) int { return i })
	for i := range unequal {
		j := i * 97 % len(unequal) // in no order
		unequal[i], unequal[j] = unequal[j], unequal[i]
	}
	step := 1
	if testing.Short() {
		step = 9
	}
	var begins [][]byte
	var wants [][][sha256.Size]byte
	for n := 0; n <= 200; n += step {
		begins = append(begins, hashtest.Data(n))
		wants = append(wants, after(stdsha256.New, hashtest.Data(n), unequal))
	}
	hashtest.ForEach(t, func(t *testing.T) {
		for i, begin := range begins {
			prefix := sha256.New()
			prefix.Write(begin)
			what := fmt.Sprintf("behind %d bytes", len(begin))
			checkAfter(t, what, prefix, unequal, wants[i])
			for j, m := range unequal { // alone, and of one length
				if (i+j)%11 != 0 {
					continue
				}
				checkAfter(t, what, prefix, [][]byte{m}, wants[i][j:j+1])
				equal, want := make([][]byte, 1+(i+j)%maxTestLanes), make([][sha256.Size]byte, maxTestLanes)
				for k := range equal {
					equal[k], want[k] = m, wants[i][j]
				}
				checkAfter(t, what+", all alike", prefix, equal, want)
			}
			checkGoesOn(t, what, prefix, stdsha256.New, begin)
		}
	})
}

func TestSumManyAfterOfEqualLengths(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, begun := range []int{0, 1, 8, 32, 55, 56, 63, 64, 65, 128, 191} {
			begin := hashtest.Data(begun)
			prefix := sha256.New()
			prefix.Write(begin)
			for n := range maxTestLanes + 1 {
				if (n+begun)%7 != 0 && n%16 > 1 {
					continue
				}
				for _, length := range []int{0, 1, 32, 54, 55, 63, 64, 65, 127, 250, 1000} {
					msgs := cut(n, func(int) int { return length })
					checkAfter(t, fmt.Sprintf("behind %d bytes", begun), prefix, msgs, after(stdsha256.New, begin, msgs))
				}
			}
		}
	})
}

func TestSumManyAfterOfLongLists(t *testing.T) {
	begin := hashtest.Data(77)
	hashtest.ForEach(t, func(t *testing.T) {
		prefix := sha256.New()
		prefix.Write(begin)
		for _, n := range []int{255, 256, 257, 600, 4097} {
			equal, unequal := cut(n, func(int) int { return 40 }), cut(n, func(i int) int { return i * 7919 % 300 })
			checkAfter(t, "equal", prefix, equal, after(stdsha256.New, begin, equal))
			checkAfter(t, "unequal", prefix, unequal, after(stdsha256.New, begin, unequal))
		}
		msgs := cut(40, func(i int) int { return i % 3 * 50_000 })
		checkAfter(t, "long messages", prefix, msgs, after(stdsha256.New, begin, msgs))
	})
}

// TestSumManyAfterStates has states that were marshalled: of prefixes at whose
// lengths counters of bytes and of bits overflow, and of none that are not the
// initial one.
func TestSumManyAfterStates(t *testing.T) {
	msgs := cut(40, func(i int) int { return 9 * i })
	hashtest.ForEach(t, func(t *testing.T) {
		for _, length := range []uint64{0, 1<<29 - 1, 1 << 32, 1<<32 + 63, 1<<61 - 200, 1<<61 - 1, 1 << 63, 1<<64 - 100} {
			begun := sha256.New()
			begun.Write(hashtest.Data(64 + int(length%64)))
			state := binary.BigEndian.AppendUint64(marshal(t, begun)[:100], length)
			prefix := sha256.New()
			unmarshal(t, prefix, state)
			want := make([][sha256.Size]byte, len(msgs))
			for i, m := range msgs {
				std := stdsha256.New()
				unmarshal(t, std, state)
				std.Write(m)
				std.Sum(want[i][:0])
			}
			checkAfter(t, fmt.Sprintf("behind %d bytes", length), prefix, msgs, want)
			if !bytes.Equal(marshal(t, prefix), state) {
				t.Errorf("%d bytes: the prefix changed", length)
			}
		}
	})
}

func TestSumManyAfterOfSharedMemory(t *testing.T) {
	p, begin := hashtest.Data(5000), hashtest.Data(33)
	hashtest.ForEach(t, func(t *testing.T) {
		prefix := sha256.New()
		prefix.Write(begin)
		for _, n := range []int{2, 5, 33, maxTestLanes} {
			same, overlapping, nils := make([][]byte, n), make([][]byte, n), make([][]byte, n)
			for i := range n {
				same[i] = p
				overlapping[i] = p[i : len(p)-2*i]
				if i%3 == 0 {
					nils[i] = p[:i*30]
				}
			}
			for what, msgs := range map[string][][]byte{"the same": same, "overlapping": overlapping, "nil": nils} {
				checkAfter(t, what+" messages", prefix, msgs, after(stdsha256.New, begin, msgs))
			}
		}
		sha256.SumManyAfter([][32]byte(nil), prefix, nil)
		sha256.SumManyAfter([][sha256.Size]byte{}, prefix, nil)
		checkGoesOn(t, "no messages", prefix, stdsha256.New, begin)
	})
}

func TestSumManyAfterIntoMemoryBesideMessages(t *testing.T) {
	begin := hashtest.Data(1)
	hashtest.ForEach(t, func(t *testing.T) {
		prefix := sha256.New()
		prefix.Write(begin)
		for _, n := range []int{1, 2, 33, maxTestLanes} {
			// A digest stands behind each 64 bytes of messages.
			memory := hashtest.Data(n * 96)
			var msgs [][]byte
			for i := range n {
				msgs = append(msgs, memory[64*i:64*i+64:64*i+64])
			}
			want := after(stdsha256.New, begin, msgs)
			dst := digestsIn(memory[64*n:])
			sha256.SumManyAfter(dst, prefix, msgs)
			for i := range want {
				if dst[i] != want[i] {
					t.Fatalf("%d messages before the digests: digest %d is %x, want %x", n, i, dst[i], want[i])
				}
			}
		}
	})
}

func TestSumManyAfterAtTheEdgeOfMemory(t *testing.T) {
	const most = 300
	bufs := make([]*guard.Buffer, maxTestLanes)
	for i := range bufs {
		bufs[i] = guard.New(t, most)
	}
	dstBuf := guard.New(t, maxTestLanes*sha256.Size)
	hashtest.ForEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(17, 17))
		for i := range 200 {
			begin := hashtest.Data(r.IntN(200))
			prefix := sha256.New()
			prefix.Write(begin)
			n := 1 + r.IntN(maxTestLanes)
			msgs := atEdges(r, bufs[:n], most, i%2 == 0)
			dst := digestsIn(edge(r, dstBuf, n*sha256.Size))
			if err := guard.Faults(func() { sha256.SumManyAfter(dst, prefix, msgs) }); err != nil {
				t.Fatalf("%d messages behind %d bytes: %v", n, len(begin), err)
			}
			for j, want := range after(stdsha256.New, begin, msgs) {
				if dst[j] != want {
					t.Fatalf("message %d of %d, %d bytes behind %d: %x, want %x", j, n, len(msgs[j]), len(begin), dst[j], want)
				}
			}
		}
	})
}

// TestSumAfter has one message behind prefixes of every kind, and of all lengths that a
// block can be begun with.
func TestSumAfter(t *testing.T) {
	for _, p := range prefixes {
		t.Run(p.name, func(t *testing.T) {
			hashtest.ForEachSingle(t, func(t *testing.T) {
				for begun := 0; begun < 130; begun += 1 + begun%7 {
					begin := hashtest.Data(begun)
					prefix := p.new()
					prefix.Write(begin)
					for _, n := range []int{0, 1, 32, 55, 56, 63, 64, 65, 127, 128, 300, 5000} {
						msg := hashtest.Data(n)
						want := after(p.new, begin, [][]byte{msg})[0]
						if got := sha256.SumAfter(prefix, msg); got != want {
							t.Fatalf("%d bytes behind %d: %x, want %x", n, begun, got, want)
						}
					}
					checkGoesOn(t, fmt.Sprintf("%d bytes", begun), prefix, p.new, begin)
				}
			})
		})
	}
}

// wrapped is a hash of crypto/sha256 whose Write means something else. Its other
// methods, MarshalBinary among them, are the methods of crypto/sha256.
type wrapped struct{ hashtest.Hash }

func (w wrapped) Write(p []byte) (int, error) {
	w.Hash.Write([]byte("salt"))
	return w.Hash.Write(p)
}

func (w wrapped) Clone() (hash.Cloner, error) {
	h, err := w.Hash.Clone()
	return wrapped{h.(hashtest.Hash)}, err
}

// TestWrapperIsWrittenTo tests that only crypto/sha256's own type has its state read: a
// type that wraps it gets the writes.
func TestWrapperIsWrittenTo(t *testing.T) {
	msgs := cut(40, func(i int) int { return 9 * i })
	new := func() hash.Hash { return wrapped{hashtest.WithClone(stdsha256.New)().(hashtest.Hash)} }
	want := after(new, []byte("begin"), msgs)
	prefix := new()
	prefix.Write([]byte("begin"))
	checkAfter(t, "a wrapper", prefix, msgs, want)
	if got := sha256.SumAfter(prefix, msgs[5]); got != want[5] {
		t.Errorf("SumAfter: %x, want %x", got, want[5])
	}
	got := make([][sha256.Size]byte, 1)
	sha256.SumRows(sha256.Rows{Data: got[0][:], Size: 32}, prefix, sha256.Rows{Data: msgs[6], Size: 54}, 1)
	if got[0] != want[6] {
		t.Errorf("SumRows: %x, want %x", got[0], want[6])
	}
}

func TestSumManyAfterPanicsBeforeItTouchesAnything(t *testing.T) {
	begun := func(h hash.Hash) hash.Hash {
		h.Write(hashtest.Data(100))
		return h
	}
	type misuse struct {
		name    string
		digests int
		prefix  hash.Hash
		msgs    int
		want    string
	}
	misuses := []misuse{
		{"more messages", 2, begun(sha256.New()), 3, "slices of different lengths, 2 and 3"},
		{"fewer messages", 3, begun(sha256.New()), 2, "slices of different lengths, 3 and 2"},
		{"no messages, digests", 1, begun(sha256.NewServer().New()), 0, "slices of different lengths, 1 and 0"},
		{"nil", 3, nil, 3, "prefix is nil"},
		{"nil, no messages", 0, nil, 0, "prefix is nil"},
		{"nil Avx512Digest", 3, (*sha256.Avx512Digest)(nil), 3, "prefix is nil"},
		{"copy by value", 3, copied(sha256.NewServer().New()), 3, "prefix was copied by value"},
		{"SHA-224", 3, begun(sha256.New224()), 3, "prefix has digests of 28 bytes, not 32"},
		{"SHA-224 of crypto/sha256", 1, begun(stdsha256.New224()), 1, "prefix has digests of 28 bytes, not 32"},
		{"SHA-512", 3, begun(sha512.New()), 3, "prefix has digests of 64 bytes, not 32"},
		{"neither Clone nor MarshalBinary", 3, begun(plain{stdsha256.New()}), 3, "can be neither cloned nor restored"},
		{"MarshalBinary, but no state is accepted", 3, begun(unrestorable{stdsha256.New().(marshaler)}), 3, "can be neither cloned nor restored"},
		{"neither, no messages", 0, begun(plain{stdsha256.New()}), 0, "can be neither cloned nor restored"},
	}
	if !hasHMACClone {
		misuses = append(misuses, misuse{"crypto/hmac without Clone", 3, begun(newHMAC()), 3, "can be neither cloned nor restored"})
	}
	for _, tt := range misuses {
		t.Run(tt.name, func(t *testing.T) {
			isNil := tt.want == "prefix is nil"
			var before []byte
			if !isNil {
				before = digestOf(tt.prefix)
			}
			dst, msgs := make([][sha256.Size]byte, tt.digests), cut(tt.msgs, func(int) int { return 100 })
			func() {
				defer func() {
					if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "sha256: SumManyAfter: ") || !strings.Contains(r, tt.want) {
						t.Errorf("panic %q, want %q", r, tt.want)
					}
				}()
				sha256.SumManyAfter(dst, tt.prefix, msgs)
			}()
			if strings.HasPrefix(tt.want, "slices") {
				return
			}
			func() {
				defer func() {
					if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "sha256: SumAfter: ") || !strings.Contains(r, tt.want) {
						t.Errorf("SumAfter panics with %q, want %q", r, tt.want)
					}
				}()
				sha256.SumAfter(tt.prefix, nil)
			}()
			for i, d := range dst {
				if d != [sha256.Size]byte{} {
					t.Errorf("digest %d was set", i)
				}
			}
			if !isNil && !bytes.Equal(digestOf(tt.prefix), before) {
				t.Error("the prefix changed")
			}
		})
	}
}

// marshaler has the methods of the hashes of crypto/sha256, without Clone.
type marshaler interface {
	hash.Hash
	encoding.BinaryMarshaler
}

// unrestorable is a hash that refuses every state.
type unrestorable struct{ marshaler }

func (unrestorable) UnmarshalBinary([]byte) error { return errors.New("refused") }

// digestOf returns the digest of h, or nil if Sum panics.
func digestOf(h hash.Hash) (digest []byte) {
	defer func() { recover() }()
	return h.Sum(nil)
}

// TestSumManyAfterSharedPrefix has goroutines use one hash as a prefix: it is only read.
// The race detector would tell.
func TestSumManyAfterSharedPrefix(t *testing.T) {
	t.Run("New", func(t *testing.T) { testSharedPrefix(t, sha256.New()) })
	t.Run("crypto/sha256", func(t *testing.T) {
		if sha256.Selected().Single == "x1_std" {
			t.Skip("where crypto/sha256 compresses, its hashes may have to be written to and restored")
		}
		testSharedPrefix(t, stdsha256.New())
	})
}

func testSharedPrefix(t *testing.T, prefix hash.Hash) {
	begin := hashtest.Data(70)
	prefix.Write(begin)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			msgs := cut(1+9*g, func(i int) int { return (g + 1) * 31 * i % 500 })
			want := after(stdsha256.New, begin, msgs)
			dst := make([][sha256.Size]byte, len(msgs))
			for range 50 {
				clear(dst)
				sha256.SumManyAfter(dst, prefix, msgs)
				dst[0] = sha256.SumAfter(prefix, msgs[0])
				for i := range dst {
					if dst[i] != want[i] {
						t.Errorf("goroutine %d, message %d: %x, want %x", g, i, dst[i], want[i])
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestFaultLeavesThePrefix tests that a prefix stays as it is when a message
// behind it cannot be read.
func TestFaultLeavesThePrefix(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	buf := guard.New(t, 5000).Bytes()
	broken := unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize())
	for _, p := range prefixes {
		prefix := p.new()
		prefix.Write(hashtest.Data(100))
		want := prefix.Sum(nil)
		for _, msgs := range [][][]byte{{broken}, {{1}, broken}} {
			dst := make([][sha256.Size]byte, len(msgs))
			if guard.Faults(func() { sha256.SumManyAfter(dst, prefix, msgs) }) == nil {
				t.Errorf("%s: reading what cannot be read did not fault", p.name)
			}
			if got := prefix.Sum(nil); !bytes.Equal(got, want) {
				t.Errorf("%s: after a fault among %d messages: %x, want %x", p.name, len(msgs), got, want)
			}
		}
	}
}

// FuzzSumManyAfter has messages of any lengths behind prefixes of all kinds.
func FuzzSumManyAfter(f *testing.F) {
	f.Add([]byte{})
	f.Add(hashtest.Data(30))
	f.Add(hashtest.Data(300))
	f.Add(bytes.Repeat([]byte{1, 0, 60, 0}, 100))
	f.Fuzz(func(t *testing.T, input []byte) {
		p := program(input)
		p.force(t)
		kind := prefixes[p.number(len(prefixes))]
		begin := p.bytes(p.number(9000))
		prefix := kind.new()
		prefix.Write(begin)
		var msgs [][]byte
		for len(p) > 0 {
			longest := 200
			if p.number(10) == 0 {
				longest = 1 << 16
			}
			msgs = append(msgs, p.bytes(p.number(longest)))
		}
		what := fmt.Sprintf("%s behind %d bytes", kind.name, len(begin))
		checkAfter(t, what, prefix, msgs, after(kind.new, begin, msgs))
		checkGoesOn(t, what, prefix, kind.new, begin)
	})
}

// rowsOf returns what SumRows shall make of dst: its memory with the first bytes of
// the digests of begin followed by the rows of src, as src was before.
func rowsOf(dst sha256.Rows, new func() hash.Hash, begin []byte, src sha256.Rows, n int) []byte {
	msgs := make([][]byte, n)
	for i := range msgs {
		msgs[i] = src.Data[i*src.Stride:][:src.Size]
	}
	want := bytes.Clone(dst.Data)
	for i, sum := range after(new, begin, msgs) {
		copy(want[i*dst.Stride:][:dst.Size], sum[:])
	}
	return want
}

func TestSumRows(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, begun := range []int{0, 1, 22, 63, 64, 65, 128} {
			begin := hashtest.Data(begun)
			prefix := sha256.New()
			prefix.Write(begin)
			for i, size := range []int{0, 1, 16, 31, 32, 55, 56, 64, 65, 90, 128, 200, 300, 1000} {
				for j, n := range []int{0, 1, 2, 3, 8, 31, 33, maxTestLanes} {
					if testing.Short() && (i+j)%3 != 0 {
						continue
					}
					src := sha256.Rows{Data: hashtest.Data(1100 * maxTestLanes), Size: size, Stride: size + i%3*7}
					dst := sha256.Rows{Data: hashtest.Data(50 * maxTestLanes), Size: 32, Stride: 32 + i%4}
					if i%2 != 0 {
						dst.Size = []int{1, 16, 20, 24, 28, 31}[j%6]
					}
					want := rowsOf(dst, stdsha256.New, begin, src, n)
					before := bytes.Clone(src.Data)
					sha256.SumRows(dst, prefix, src, n)
					if what := fmt.Sprintf("%d rows of %d bytes, %d apart, behind %d bytes", n, size, src.Stride, begun); !bytes.Equal(dst.Data, want) {
						t.Fatalf("%s: wrong digests, or bytes between them changed", what)
					} else if !bytes.Equal(src.Data, before) {
						t.Fatalf("%s: src changed", what)
					}
				}
			}
			checkGoesOn(t, fmt.Sprintf("%d bytes", begun), prefix, stdsha256.New, begin)
		}
	})
}

func TestSumRowsOfFarRows(t *testing.T) {
	src := sha256.Rows{Data: hashtest.Data(1 << 20), Size: 1000, Stride: 1024}
	const n = 1 << 20 / 1024
	dst := sha256.Rows{Data: make([]byte, n*32), Size: 32, Stride: 32}
	want := rowsOf(dst, stdsha256.New, nil, src, n)
	hashtest.ForEach(t, func(t *testing.T) {
		clear(dst.Data)
		sha256.SumRows(dst, nil, src, n)
		if !bytes.Equal(dst.Data, want) {
			t.Error("wrong digests")
		}
	})
}

func TestSumRowsZeroStrideIsTheSize(t *testing.T) {
	data := hashtest.Data(40 * 70)
	got, want := make([]byte, 40*20), make([]byte, 40*20)
	sha256.SumRows(sha256.Rows{Data: got, Size: 20}, nil, sha256.Rows{Data: data, Size: 70}, 40)
	sha256.SumRows(sha256.Rows{Data: want, Size: 20, Stride: 20}, nil, sha256.Rows{Data: data, Size: 70, Stride: 70}, 40)
	if !bytes.Equal(got, want) {
		t.Error("a stride of 0 is not the size")
	}
	sha256.SumRows(sha256.Rows{Data: got[:64], Size: 32}, nil, sha256.Rows{}, 2)
	if empty := stdsha256.Sum256(nil); !bytes.Equal(got[:64], append(empty[:], empty[:]...)) {
		t.Error("wrong digests of rows of no bytes")
	}
}

func TestSumRowsPrefixesOfEveryKind(t *testing.T) {
	src := sha256.Rows{Data: hashtest.Data(40 * 100), Size: 70, Stride: 100}
	for _, p := range prefixes {
		t.Run(p.name, func(t *testing.T) {
			begin := hashtest.Data(100)
			hashtest.ForEach(t, func(t *testing.T) {
				prefix := p.new()
				prefix.Write(begin)
				for _, n := range []int{0, 1, 2, 40} {
					dst := sha256.Rows{Data: make([]byte, 40*40), Size: 24, Stride: 40}
					want := rowsOf(dst, p.new, begin, src, n)
					sha256.SumRows(dst, prefix, src, n)
					if !bytes.Equal(dst.Data, want) {
						t.Fatalf("%d rows: wrong digests", n)
					}
				}
				checkGoesOn(t, p.name, prefix, p.new, begin)
			})
		})
	}
}

// A digestID is a digest of a named type.
type digestID [32]byte

// TestRowsOf writes digests into a list of a named type, and reads them as rows.
func TestRowsOf(t *testing.T) {
	for _, n := range []int{0, 1, 2, 33} {
		ids, msgs := make([]digestID, n, n+1), hashtest.Data(50*n)
		rows := sha256.RowsOf(ids)
		if len(rows.Data) != 32*n || cap(rows.Data) != 32*n || rows.Size != 32 || rows.Stride != 0 {
			t.Fatalf("rows of %d digests: %d bytes of %d, Size %d, Stride %d", n, len(rows.Data), cap(rows.Data), rows.Size, rows.Stride)
		}
		sha256.SumRows(rows, nil, sha256.Rows{Data: msgs, Size: 50}, n)
		for i, id := range ids {
			if want := stdsha256.Sum256(msgs[50*i:][:50]); id != want {
				t.Errorf("%d messages: digest %d is %x, want %x", n, i, id, want)
			}
		}
		pairs := make([][32]byte, n/2)
		sha256.SumRows(sha256.RowsOf(pairs), nil, sha256.Rows{Data: rows.Data, Size: 64}, n/2)
		for i, got := range pairs {
			if want := stdsha256.Sum256(slices.Concat(ids[2*i][:], ids[2*i+1][:])); got != want {
				t.Errorf("%d messages: node %d is %x, want %x", n, i, got, want)
			}
		}
	}
	if rows := sha256.RowsOf[digestID](nil); rows.Data != nil {
		t.Errorf("rows of nil: Data %x, want nil", rows.Data)
	}
}

// TestSumRowsInPlace has rows of dst that overlap rows of src with the same number, or
// rows before that: all layouts of one buffer that are allowed give the right digests,
// and the others panic.
func TestSumRowsInPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 6))
	allowed, refused := 0, 0
	hashtest.ForEach(t, func(t *testing.T) {
		for range 400 {
			n := 1 + r.IntN(maxTestLanes)
			src := sha256.Rows{Size: 1 + r.IntN(130)}
			src.Stride = src.Size + r.IntN(2)*r.IntN(100)
			dst := sha256.Rows{Size: 1 + r.IntN(32)}
			dst.Stride = src.Stride
			if dst.Stride < dst.Size || r.IntN(3) == 0 {
				dst.Stride = dst.Size + r.IntN(2)*r.IntN(150)
			}
			buf := hashtest.Data(n*300 + 2000)
			s, d := r.IntN(1000), r.IntN(1000)
			if r.IntN(3) > 0 {
				d = s + r.IntN(src.Stride) - dst.Size/2
			}
			d = max(d, 0)
			src.Data, dst.Data = buf[s:], buf[d:]
			safe := true
			for i := range n {
				for j := i + 1; j < n; j++ {
					at, row := d+i*dst.Stride, s+j*src.Stride
					safe = safe && (at+dst.Size <= row || row+src.Size <= at)
				}
			}
			before, want := bytes.Clone(buf), rowsOf(dst, stdsha256.New, nil, src, n)
			panicked := func() (p any) {
				defer func() { p = recover() }()
				sha256.SumRows(dst, nil, src, n)
				return nil
			}()
			what := fmt.Sprintf("%d rows: dst of %d, %d apart from %d on; src of %d, %d apart from %d on", n, dst.Size, dst.Stride, d, src.Size, src.Stride, s)
			switch {
			case safe && panicked != nil:
				t.Fatalf("%s: %v", what, panicked)
			case safe && !bytes.Equal(dst.Data, want):
				t.Fatalf("%s: wrong digests", what)
			case !safe && (panicked == nil || !strings.Contains(panicked.(string), "overlaps row")):
				t.Fatalf("%s: no panic, but %v", what, panicked)
			case !safe && !bytes.Equal(buf, before):
				t.Fatalf("%s: panicked when something had changed", what)
			}
			if safe {
				allowed++
			} else {
				refused++
			}
		}
	})
	if allowed == 0 || refused == 0 {
		t.Errorf("%d layouts allowed, %d refused", allowed, refused)
	}
}

// TestSumRowsOfNoBytes puts digests where empty rows lie: nothing is overwritten.
func TestSumRowsOfNoBytes(t *testing.T) {
	for _, stride := range []int{0, 8} {
		for _, at := range []int{0, 1, 100} {
			const n = 64
			buf := hashtest.Data(n*sha256.Size + at)
			dst := sha256.Rows{Data: buf, Size: sha256.Size}
			sha256.SumRows(dst, nil, sha256.Rows{Data: buf[at:], Stride: stride}, n)
			want := stdsha256.Sum256(nil)
			for i := range n {
				if got := buf[i*sha256.Size:][:sha256.Size]; !bytes.Equal(got, want[:]) {
					t.Fatalf("at %d, %d apart: row %d is %x, want %x", at, stride, i, got, want)
				}
			}
		}
	}
}

func TestSumRowsAtTheEdgeOfMemory(t *testing.T) {
	const n, size, stride = 40, 90, 97
	in, out := guard.New(t, (n-1)*stride+size), guard.New(t, (n-1)*40+20)
	hashtest.ForEach(t, func(t *testing.T) {
		for _, begun := range []int{0, 1, 64} {
			prefix := sha256.New()
			prefix.Write(hashtest.Data(begun))
			src := sha256.Rows{Data: in.Bytes(), Size: size, Stride: stride}
			dst := sha256.Rows{Data: out.Bytes(), Size: 20, Stride: 40}
			want := rowsOf(dst, stdsha256.New, hashtest.Data(begun), src, n)
			if err := guard.Faults(func() { sha256.SumRows(dst, prefix, src, n) }); err != nil {
				t.Fatalf("behind %d bytes: %v", begun, err)
			}
			if !bytes.Equal(dst.Data, want) {
				t.Fatalf("behind %d bytes: wrong digests", begun)
			}
		}
	})
}

func TestSumRowsPanicsBeforeItTouchesAnything(t *testing.T) {
	// There is memory behind Data, which counts for nothing.
	rows := func(length, size, stride int) sha256.Rows {
		return sha256.Rows{Data: make([]byte, length, length+1000), Size: size, Stride: stride}
	}
	for _, tt := range []struct {
		name     string
		dst, src sha256.Rows
		n        int
		want     string
	}{
		{"n negative", rows(64, 32, 32), rows(128, 64, 64), -1, "n is -1; expected 0 or more"},
		{"digests of 33 bytes", rows(128, 33, 40), rows(128, 64, 64), 2, "dst has Size 33; expected 1 to 32"},
		{"digests of no bytes", rows(128, 0, 0), rows(128, 64, 64), 2, "dst has Size 0; expected 1 to 32"},
		{"size negative", rows(64, 32, 32), rows(128, -1, 64), 2, "src has Size -1 and Stride 64; expected 0 or more"},
		{"stride negative", rows(64, 32, -32), rows(128, 64, 64), 2, "dst has Size 32 and Stride -32; expected 0 or more"},
		{"stride of dst too short", rows(64, 32, 31), rows(128, 64, 64), 2, "dst has Size 32 and Stride 31; expected a Stride of at least Size"},
		{"stride of src too short", rows(64, 32, 32), rows(128, 64, 63), 2, "src has Size 64 and Stride 63; expected a Stride of at least Size"},
		{"dst too short", rows(63, 32, 32), rows(128, 64, 64), 2, "dst has 63 bytes of Data, too few for 2 rows of Size 32 and Stride 32"},
		{"src too short", rows(64, 32, 32), rows(127, 64, 64), 2, "src has 127 bytes of Data, too few for 2 rows of Size 64 and Stride 64"},
		{"one row of src, too short", rows(32, 32, 32), rows(63, 64, 64), 1, "src has 63 bytes of Data, too few for 1 rows of Size 64 and Stride 64"},
		{"no data", rows(0, 32, 32), rows(64, 64, 64), 1, "dst has 0 bytes of Data, too few for 1 rows of Size 32 and Stride 32"},
		{"one row, too short", rows(31, 32, 32), rows(64, 64, 64), 1, "dst has 31 bytes of Data, too few for 1 rows of Size 32 and Stride 32"},
		{"sizes overflow", rows(64, 32, math.MaxInt), rows(128, 64, 64), 3, "dst has 64 bytes of Data, too few for 3 rows"},
		{"n overflows", rows(64, 32, 32), rows(128, 64, 64), math.MaxInt, "dst has 64 bytes of Data, too few for"},
		{"last row one byte short", rows(95, 32, 64), rows(128, 64, 64), 2, "dst has 95 bytes of Data, too few for 2 rows of Size 32 and Stride 64"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			prefix := sha256.New()
			defer func() {
				if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "sha256: SumRows: ") || !strings.Contains(r, tt.want) {
					t.Errorf("panic %q, want %q", r, tt.want)
				}
				if slices.ContainsFunc(tt.dst.Data, func(b byte) bool { return b != 0 }) {
					t.Error("dst changed")
				}
			}()
			sha256.SumRows(tt.dst, prefix, tt.src, tt.n)
		})
	}
}

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
		for _, n := range []int{1, 2, 3, 4, 5, 32, 33, 70, 2100} {
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
		for _, n := range []int{1, 2, 3, 4, 5, 40} {
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
		for _, n := range []int{1, 2, 3, 4, 5, 33, 70} {
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

// chainEnds returns the ends of the chains, in the simplest way.
func chainEnds(digests [][sha256.Size]byte, steps []int) [][sha256.Size]byte {
	ends := slices.Clone(digests)
	for i, n := range steps {
		for range n {
			ends[i] = stdsha256.Sum256(ends[i][:])
		}
	}
	return ends
}

func TestSumChains(t *testing.T) {
	lengths := []struct {
		name  string
		steps func(i int) int
	}{
		{"no steps", func(int) int { return 0 }},
		{"one step", func(int) int { return 1 }},
		{"two steps", func(int) int { return 2 }},
		{"an odd number", func(int) int { return 33 }},
		{"an even number", func(int) int { return 34 }},
		{"odd and even in turn", func(i int) int { return 4 + i%2 }},
		{"three odd, one even", func(i int) int { return 5 + i%4/3 }},
		{"growing from none", func(i int) int { return i }},
		{"falling to none", func(i int) int { return max(0, 2*maxTestLanes-i) }},
		{"one long", func(i int) int { return 2 + max(0, 2000*(1-i)) }},
		{"one very long", func(i int) int { return i%3 + max(0, 4100*(1-i)) }},
	}
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 5, 8, 17, maxTestLanes, 2*maxTestLanes + 1} {
			for _, tt := range lengths {
				digests, steps := make([][sha256.Size]byte, n), make([]int, n)
				for i := range digests {
					digests[i] = stdsha256.Sum256([]byte{byte(i), byte(n)})
					steps[i] = tt.steps(i)
				}
				want := chainEnds(digests, steps)
				sha256.SumChains(digests, steps)
				if !slices.Equal(digests, want) {
					t.Fatalf("%d chains, %s: %x, want %x", n, tt.name, digests, want)
				}
			}
		}
	})
}

// TestSumChainsOfManyLists has more chains than one list of a round holds.
func TestSumChainsOfManyLists(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{255, 256, 257, 512, 600} {
			for _, most := range []int{1, 2, 5} {
				digests, steps := make([][sha256.Size]byte, n), make([]int, n)
				for i := range digests {
					digests[i], steps[i] = stdsha256.Sum256([]byte{byte(i), byte(i >> 8)}), i%(most+1)
				}
				want := chainEnds(digests, steps)
				if sha256.SumChains(digests, steps); !slices.Equal(digests, want) {
					t.Fatalf("%d chains of up to %d steps: wrong digests", n, most)
				}
			}
		}
	})
}

// A call that panics has touched nothing.
func TestSumChainsPanics(t *testing.T) {
	for _, tt := range []struct {
		steps []int
		want  string
	}{
		{nil, "3 digests and 0 numbers of steps"},
		{[]int{1, 2}, "3 digests and 2 numbers of steps"},
		{[]int{1, 2, 3, 4}, "3 digests and 4 numbers of steps"},
		{[]int{1, 2, -1}, "chain 2 has -1 steps; expected 0 or more"},
	} {
		digests := make([][sha256.Size]byte, 3)
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasSuffix(got, "SumChains: "+tt.want) {
					t.Errorf("%v: panic %q, want %q", tt.steps, got, tt.want)
				}
			}()
			sha256.SumChains(digests, tt.steps)
		}()
		if !slices.Equal(digests, make([][sha256.Size]byte, 3)) {
			t.Errorf("%v: the digests changed", tt.steps)
		}
	}
}

func TestSumChainsNil(t *testing.T) { sha256.SumChains([][32]byte(nil), nil) }

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
			data := cut(n, func(i int) int { return i * 37 % 4000 })
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
