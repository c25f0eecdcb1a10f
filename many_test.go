package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/metrics"
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
			dst := make([][sha256.Size]byte, len(hs))
			sha256.SumHashes(dst, hs)
			for i, want := range wants {
				want.Write(data[i])
				if want := want.Sum(nil); !bytes.Equal(dst[i][:], want) {
					t.Errorf("%d bytes and up to %d more: %x, want %x", boundaries[i], more, dst[i], want)
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
		{"WriteHashes, more data", fresh(), func(_ [][sha256.Size]byte, hs []hash.Hash) { sha256.WriteHashes(hs, data(4)) }},
		{"WriteHashes, less data", fresh(), func(_ [][sha256.Size]byte, hs []hash.Hash) { sha256.WriteHashes(hs, data(2)) }},
		{"WriteHashes, nil last", with(2, nil), func(_ [][sha256.Size]byte, hs []hash.Hash) { sha256.WriteHashes(hs, data(3)) }},
		{"WriteHashes, nil hash of a Server last", with(2, noServerHash), func(_ [][sha256.Size]byte, hs []hash.Hash) { sha256.WriteHashes(hs, data(3)) }},
		{"SumHashes, more hashes", fresh(), func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst[:2], hs) }},
		{"SumHashes, fewer hashes", fresh(), func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs[:2]) }},
		{"SumHashes, nil last", with(2, nil), func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs) }},
		{"SumHashes, nil hash of a Server last", with(2, noServerHash), func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs) }},
		{"SumHashes, SHA-224 last", with(2, sha256.New224()), func(dst [][sha256.Size]byte, hs []hash.Hash) { sha256.SumHashes(dst, hs) }},
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
	hashtest.ForEach(t, func(t *testing.T) {
		buf := guard.New(t, 10_000)
		copy(buf.Bytes(), hashtest.Data(10_000))
		for _, begun := range []int{0, 63, 100} {
			for _, length := range []int{1, 64 - unreadable, 64, 300, 3000} {
				for _, uneven := range []int{0, 100} {
					for _, n := range []int{1, 2, 33, 70} {
						what := fmt.Sprintf("%d writes of %d bytes and up to %d more, behind %d", n, length, n*uneven, begun)
						writes := cut(n, func(i int) int { return length + unreadable + i*uneven })
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
		sha256.WriteHashes(hs, msgs)
		sha256.SumHashes(dst, hs)
		sha256.SumManyAfter(dst, hs[0], msgs)
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
		"SumMany":     func(dst [][sha256.Size]byte, msgs [][]byte, _ []hash.Hash) { sha256.SumMany(dst, msgs) },
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
