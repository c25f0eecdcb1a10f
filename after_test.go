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
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

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

func (m marshaled) MarshalBinary() ([]byte, error) { return m.state.MarshalBinary() }

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
	bufs := guarded(t, most)
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

// clonedOnce is a hash that can be cloned once, and restored. It counts what is written to
// the hash and to its clone.
type clonedOnce struct {
	marshaler
	cloned *bool
	writes *int
}

func (c clonedOnce) Clone() (hash.Cloner, error) {
	if *c.cloned {
		return nil, errors.New("cloned before")
	}
	*c.cloned = true
	clone := stdsha256.New().(marshaler)
	state, err := c.MarshalBinary()
	if err == nil {
		err = clone.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
	}
	return clonedOnce{clone, c.cloned, c.writes}, err
}

func (c clonedOnce) Write(p []byte) (int, error) {
	*c.writes++
	return c.marshaler.Write(p)
}

func (c clonedOnce) UnmarshalBinary(state []byte) error {
	return c.marshaler.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
}

// TestHashThatIsClonedOnce tests that a hash whose Clone fails behind the first message is
// restored for the others.
func TestHashThatIsClonedOnce(t *testing.T) {
	writes := 0
	prefix := clonedOnce{stdsha256.New().(marshaler), new(bool), &writes}
	begin, msgs := hashtest.Data(100), cut(5, func(i int) int { return 40 * i })
	prefix.marshaler.Write(begin)
	dst := make([][sha256.Size]byte, len(msgs))
	sha256.SumManyAfter(dst, prefix, msgs)
	for i, m := range msgs {
		if want := stdsha256.Sum256(slices.Concat(begin, m)); dst[i] != want {
			t.Errorf("digest %d: %x, want %x", i, dst[i], want)
		}
	}
	if writes != len(msgs) {
		t.Errorf("%d writes of %d messages", writes, len(msgs))
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
