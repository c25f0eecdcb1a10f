package sha256_test

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

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
