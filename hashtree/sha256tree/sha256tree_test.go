package sha256tree

import (
	"bytes"
	"context"
	stdsha256 "crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/bits"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"weak"

	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// A vector is a length and the digest of so many bytes.
type vector struct {
	n      int
	digest string
}

func (v *vector) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&v.n, &v.digest})
}

type vectors struct {
	ParentIV        []string `json:"parent_iv"`
	Official, Extra []vector
	Other           []struct {
		Data    string
		Vectors []vector
	}
	Parent []struct{ Left, Right, Parent string }
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	data, err := os.ReadFile("testdata/sha256tree.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Official) < 10 || len(v.Extra) < 50 || len(v.Other) < 2 || len(v.Parent) < 2 {
		t.Fatalf("%d official vectors, %d more, %d of other data, %d parents", len(v.Official), len(v.Extra), len(v.Other), len(v.Parent))
	}
	return v
}

// counting returns n bytes 0 to 250, again and again.
func counting(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i % 251)
	}
	return p
}

// ways are all ways to hash a message.
var ways = []struct {
	name string
	sum  func(t *testing.T, data []byte) [Size]byte
}{
	{"Sum256", func(_ *testing.T, data []byte) [Size]byte { return Sum256(data) }},
	{"Sum", func(t *testing.T, data []byte) [Size]byte {
		root, err := Sum(t.Context(), bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		return root
	}},
	{"Sum by windows of two chunks", func(t *testing.T, data []byte) [Size]byte {
		if len(data) > 200<<10 {
			t.Skip("too many windows")
		}
		root, err := sum(t.Context(), bytes.NewReader(data), int64(len(data)), 1)
		if err != nil {
			t.Fatal(err)
		}
		return root
	}},
	{"New, one write", func(_ *testing.T, data []byte) [Size]byte {
		h := New()
		h.Write(data)
		return [Size]byte(h.Sum(nil))
	}},
	{"New, many writes", func(_ *testing.T, data []byte) [Size]byte {
		h := New()
		r := rand.New(rand.NewPCG(1, uint64(len(data))))
		for len(data) > 0 {
			n := min(len(data), 1+r.IntN(1<<r.IntN(18)))
			h.Write(data[:n])
			data = data[n:]
		}
		return [Size]byte(h.Sum(nil))
	}},
}

func check(t *testing.T, data []byte, want string) {
	t.Helper()
	for _, way := range ways {
		t.Run(fmt.Sprintf("%d bytes/%s", len(data), way.name), func(t *testing.T) {
			if got := way.sum(t, data); hex.EncodeToString(got[:]) != want {
				t.Errorf("%x, want %s", got, want)
			}
		})
	}
}

func TestVectors(t *testing.T) {
	v := readVectors(t)
	for _, list := range [][]vector{v.Official, v.Extra} {
		for _, tt := range list {
			check(t, counting(tt.n), tt.digest)
		}
	}
	for _, other := range v.Other {
		for _, tt := range other.Vectors {
			check(t, otherData(t, other.Data, tt.n), tt.digest)
		}
	}
}

// otherData returns n bytes of a kind that the file has in words.
func otherData(t *testing.T, kind string, n int) []byte {
	t.Helper()
	p := make([]byte, n)
	for i := range p {
		switch kind {
		case "every byte 0x00":
		case "every byte 0xff":
			p[i] = 0xff
		case "byte i = (i*i + i/1024) & 0xff":
			p[i] = byte(i*i + i/1024)
		default:
			t.Fatalf("data of an unknown kind: %s", kind)
		}
	}
	return p
}

func TestParentVectors(t *testing.T) {
	v := readVectors(t)
	for i, want := range v.ParentIV {
		if got := fmt.Sprintf("%08x", parentIV[i]); got != want {
			t.Errorf("start word %d is %s, want %s", i, got, want)
		}
	}
	for _, tt := range v.Parent {
		var got [1][Size]byte
		tree.Nodes(got[:], [][Size]byte{node(t, tt.Left), node(t, tt.Right)})
		if got[0] != node(t, tt.Parent) {
			t.Errorf("the parent of %s and %s is %x, want %s", tt.Left, tt.Right, got[0], tt.Parent)
		}
	}
}

func node(t *testing.T, s string) [Size]byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != Size {
		t.Fatalf("%q is not a digest", s)
	}
	return [Size]byte(b)
}

// naive is the definition, by crypto/sha256.
func naive(data []byte) [Size]byte {
	if len(data) <= chunkSize {
		return stdsha256.Sum256(data)
	}
	split := 1 << (bits.Len(uint(len(data)-1)) - 1)
	left, right := naive(data[:split]), naive(data[split:])
	// A hash that begins with other start words.
	const magic = "sha\x03"
	state := []byte(magic)
	for _, word := range parentIV {
		state = binary.BigEndian.AppendUint32(state, word)
	}
	state = append(state, make([]byte, 64+8)...)
	h := stdsha256.New()
	if err := h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
		panic(err)
	}
	h.Write(left[:])
	h.Write(right[:])
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic(err)
	}
	var parent [Size]byte
	for i, word := range parentIV {
		binary.BigEndian.PutUint32(parent[4*i:], binary.BigEndian.Uint32(state[len(magic)+4*i:])-word)
	}
	return parent
}

// Every number of chunks around every width, and lengths around each chunk.
func TestAgainstDefinition(t *testing.T) {
	data := counting(140 * chunkSize)
	rand.NewChaCha8([32]byte{1}).Read(data)
	hashtest.ForEach(t, func(t *testing.T) {
		for chunks := range 140 {
			if testing.Short() && chunks > 5 && chunks%33 > 1 {
				continue
			}
			for _, n := range []int{chunks*chunkSize - 1, chunks * chunkSize, chunks*chunkSize + 1} {
				if n < 0 || n > len(data) {
					continue
				}
				want := naive(data[:n])
				h := New()
				h.Write(data[:n/3])
				h.Write(data[n/3 : n])
				if got := Sum256(data[:n]); got != want {
					t.Fatalf("Sum256 of %d bytes: %x, want %x", n, got, want)
				}
				if got := [Size]byte(h.Sum(nil)); got != want {
					t.Fatalf("New, %d bytes: %x, want %x", n, got, want)
				}
			}
		}
	})
}

func TestHash(t *testing.T) {
	data := counting(100_000)
	h := New()
	if h.Size() != 32 || h.BlockSize() != 1024 {
		t.Errorf("Size %d, BlockSize %d", h.Size(), h.BlockSize())
	}
	for i, n := range []int{0, 1, 1023, 1024, 1025, 32 << 10, 32<<10 + 1, 64 << 10, 64<<10 + 1, 99_999} {
		h.Reset()
		h.Write(data[:n])
		c, err := h.(hash.Cloner).Clone()
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Sum([]byte("x")); string(got) != "x"+string(sliceOf(Sum256(data[:n]))) {
			t.Errorf("%d: Sum of %d bytes is %x", i, n, got)
		}
		// Sum changes nothing, and the clone goes on by itself.
		h.Write(data[n:])
		c.Write(data)
		if got := [Size]byte(h.Sum(nil)); got != Sum256(data) {
			t.Errorf("%d bytes, Sum, then the rest: %x", n, got)
		}
		if got := [Size]byte(c.Sum(nil)); got != Sum256(append(data[:n:n], data...)) {
			t.Errorf("%d bytes, a clone, then all: %x", n, got)
		}
	}
}

// TestWritesOfOneLength writes pieces of one length. It looks at the digest after each write, and resets the hash within a chunk.
func TestWritesOfOneLength(t *testing.T) {
	data := counting(2*bufferSize + 1000)
	for _, n := range []int{29, 63, 64, 81, 200, 255, 256, 272, 700, 1023, 1024, 1025, 2048, 2500, 4097, 8192, 8193} {
		h := New() // without a buffer, but for the last two rounds
		for _, most := range []int{1500, 6000, 10_000, len(data)} {
			h.Reset()
			for at := 0; at+n <= most; at += n {
				h.Write(data[at : at+n])
				if most == len(data) && at < bufferSize-3000 {
					continue
				}
				if got, want := [Size]byte(h.Sum(nil)), Sum256(data[:at+n]); got != want {
					t.Fatalf("%d bytes in writes of %d: %x, want %x", at+n, n, got, want)
				}
			}
		}
	}
}

// TestUnequalWrites begins with writes of any length, while chunks are hashed as they come.
func TestUnequalWrites(t *testing.T) {
	all := counting(3*firstSize + 100)
	r := rand.New(rand.NewPCG(1, 2))
	h := New()
	for range 3000 {
		if h.Reset(); r.IntN(2) == 0 {
			h = New() // without a buffer
		}
		data := all[r.IntN(100):][:3*firstSize] // not what h has seen before
		longest := 1 + r.IntN(firstSize)
		at := 0
		for at < len(data) {
			n := min(r.IntN(longest+1), len(data)-at)
			h.Write(data[at : at+n])
			if at += n; r.IntN(8) == 0 {
				break
			}
		}
		if got, want := [Size]byte(h.Sum(nil)), Sum256(data[:at]); got != want {
			t.Fatalf("%d bytes in writes of up to %d: %x, want %x", at, longest, got, want)
		}
	}
}

func sliceOf(digest [Size]byte) []byte { return digest[:] }

func TestREADMEShowsAnExample(t *testing.T) {
	hashtest.PageShows(t, "README.md", "example_test.go")
}

func TestNothingIsRetained(t *testing.T) {
	hashtest.NothingRetained(t, func() map[string]weak.Pointer[byte] {
		inMemory, written := counting(70_000), counting(70_000)
		Sum256(inMemory)
		New().Write(written)
		return map[string]weak.Pointer[byte]{"a message": weak.Make(&inMemory[0]), "a write": weak.Make(&written[0])}
	})
}

func TestAllocations(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	data := counting(1 << 20)
	if n := testing.AllocsPerRun(20, func() { Sum256(data[:100_000]) }); n > 0 {
		t.Errorf("Sum256 of 100,000 bytes allocates %v times", n)
	}
	h := New()
	sum := make([]byte, 0, Size)
	if n := testing.AllocsPerRun(20, func() { h.Reset(); h.Write(data); h.Sum(sum) }); n > 0 {
		t.Errorf("a hash that is reused allocates %v times", n)
	}
}

// TestHashAllocatesForWhatIsWritten writes byte by byte, and all at once.
func TestHashAllocatesForWhatIsWritten(t *testing.T) {
	for _, n := range []int{0, 1, 100, 1024, 1025, 20_000, bufferSize, bufferSize + 1, 3*bufferSize + 5} {
		data := counting(n)
		a, b := New().(*digest), New().(*digest)
		a.Write(data)
		for i := range data {
			b.Write(data[i:][:1])
		}
		for _, d := range []*digest{a, b} {
			if limit := min(max(2*n, 8), bufferSize); cap(d.buf) > limit {
				t.Errorf("%d bytes were written, the buffer has %d", n, cap(d.buf))
			}
			if got := [Size]byte(d.Sum(nil)); got != Sum256(data) {
				t.Errorf("%d bytes: %x", n, got)
			}
		}
	}
}

// TestClonesAreApart writes to a hash and to its clone in turn.
func TestClonesAreApart(t *testing.T) {
	for _, n := range []int{1, 1000, 4000, bufferSize + 1, 3*bufferSize + 5} {
		data := counting(n + 2*bufferSize)
		a := New().(*digest)
		for i := range 3 { // which leaves room in the buffer
			a.Write(data[i*n/3 : (i+1)*n/3])
		}
		c, err := a.Clone()
		if err != nil {
			t.Fatal(err)
		}
		ones := bytes.Repeat([]byte{1}, 2*bufferSize)
		for i := 0; i < len(ones); i += bufferSize / 2 {
			a.Write(data[n+i:][:bufferSize/2])
			c.Write(ones[i:][:bufferSize/2])
		}
		if got := [Size]byte(a.Sum(nil)); got != Sum256(data) {
			t.Errorf("%d bytes, then those of its own: %x", n, got)
		}
		if got := [Size]byte(c.Sum(nil)); got != Sum256(append(data[:n:n], ones...)) {
			t.Errorf("%d bytes, then those of the clone: %x", n, got)
		}
		a.Reset()
		if got := [Size]byte(a.Sum(nil)); got != Sum256(nil) {
			t.Errorf("%d bytes and Reset: %x", n, got)
		}
	}
}

// failing fails at an offset.
type failing struct {
	io.ReaderAt
	at  int64
	err error
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off <= f.at && f.at < off+int64(len(p)) {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, off)
}

func TestSumErrors(t *testing.T) {
	ctx := t.Context()
	done, cancel := context.WithCancel(ctx)
	cancel()
	errBroken := errors.New("broken")
	data := counting(1 << 20)
	for _, tt := range []struct {
		name string
		ctx  context.Context
		r    io.ReaderAt
		size int64
		is   error
		text string
	}{
		{"negative size", ctx, bytes.NewReader(data), -1, nil, "sha256tree: negative size -1"},
		{"nil reader", ctx, nil, 1, nil, "sha256tree: nil reader"},
		{"too short", ctx, bytes.NewReader(data), 1<<20 + 1, io.ErrUnexpectedEOF, "sha256tree: reading at offset 1048576, at or behind the end: unexpected EOF"},
		{"broken", ctx, failing{bytes.NewReader(data), 70_000, errBroken}, 1 << 20, errBroken, "sha256tree: reading at offset "},
		{"context done", done, bytes.NewReader(data), 1 << 20, context.Canceled, "context canceled"},
		{"context done, no reader", done, nil, 0, context.Canceled, "context canceled"},
		{"context done, no bytes", done, bytes.NewReader(nil), 0, context.Canceled, "context canceled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, err := Sum(tt.ctx, tt.r, tt.size)
			if err == nil || !strings.HasPrefix(err.Error(), tt.text) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %v, want %s", err, tt.text)
			}
			if root != [Size]byte{} {
				t.Errorf("a digest beside the error: %x", root)
			}
		})
	}
	if root, err := Sum(ctx, nil, 0); err != nil || root != stdsha256.Sum256(nil) {
		t.Errorf("no bytes of no reader: %x, %v", root, err)
	}
}

// zeros is a reader of as many zeros as are wanted.
type zeros struct{}

func (zeros) ReadAt(p []byte, _ int64) (int, error) { clear(p); return len(p), nil }

// More than one window of Sum as it is.
func TestWindows(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes 513 MiB twice")
	}
	const size = 2*chunkSize<<windowLevel + 1<<20 + 1
	got, err := Sum(t.Context(), zeros{}, size)
	if err != nil {
		t.Fatal(err)
	}
	h := New()
	if _, err := io.Copy(h, io.NewSectionReader(zeros{}, 0, size)); err != nil {
		t.Fatal(err)
	}
	if want := [Size]byte(h.Sum(nil)); got != want {
		t.Errorf("%x, by New %x", got, want)
	}
}
