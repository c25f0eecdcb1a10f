package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"crypto/sha512"
	"encoding"
	"fmt"
	"hash"
	"math/rand/v2"
	"reflect"
	"runtime"
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

// guarded returns maxTestLanes buffers of up to `most` bytes at the edge of memory.
func guarded(t *testing.T, most int) []*guard.Buffer {
	bufs := make([]*guard.Buffer, maxTestLanes)
	for i := range bufs {
		bufs[i] = guard.New(t, most)
	}
	return bufs
}

func TestSumManyAtTheEdgeOfMemory(t *testing.T) {
	const most = 300
	bufs := guarded(t, most)
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
	rows := sha256.Rows{Data: hashtest.Data(20 * n), Size: 20}
	steps := make([]int, n)
	for i := range steps {
		steps[i] = i
	}
	// The runtime starts some at times of its own.
	fewest := ^uint64(0)
	for range 10 {
		before := count()
		sha256.SumMany(dst, msgs)
		sha256.SumMany224(make([]id224, n), msgs)
		sha256.WriteHashes(hs, msgs)
		sha256.SumHashes(dst, hs)
		sha256.SumManyAfter(dst, hs[0], msgs)
		sha256.SumAfter(hs[0], msgs[n-1])
		sha256.SumRows(sha256.RowsOf(dst), nil, rows, n)
		sha256.SumChains(dst, steps)
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
		"SumAfter": func(_ [][sha256.Size]byte, msgs [][]byte, hs []hash.Hash) {
			for i, m := range msgs {
				sha256.SumAfter(hs[i], m)
			}
		},
		"SumRows": func(dst [][sha256.Size]byte, msgs [][]byte, hs []hash.Hash) {
			for i, m := range msgs {
				rows := sha256.Rows{Data: m, Size: 20}
				sha256.SumRows(sha256.RowsOf(dst), hs[i], rows, min(len(dst), len(m)/rows.Size))
			}
		},
		"SumChains": func(dst [][sha256.Size]byte, _ [][]byte, _ []hash.Hash) {
			steps := make([]int, len(dst))
			for i := range steps {
				steps[i] = i
			}
			sha256.SumChains(dst, steps)
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
