package bep52_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/hashtree/bep52"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

const blockSize = 16 << 10

// root returns the root of leaves, to which leaves of zeros are added up to n, a
// power of two.
func root(leaves [][32]byte, n int) [32]byte {
	level := append(slices.Clone(leaves), make([][32]byte, n-len(leaves))...)
	for len(level) > 1 {
		for i := range len(level) / 2 {
			level[i] = sha256.Sum256(slices.Concat(level[2*i][:], level[2*i+1][:]))
		}
		level = level[:len(level)/2]
	}
	return level[0]
}

// plainly returns what Sum should, as BEP 52 defines it.
func plainly(data []byte, pieceLength int64) (tree bep52.Tree) {
	tree.Size, tree.PieceLength = int64(len(data)), pieceLength
	var leaves [][32]byte
	for b := range slices.Chunk(data, blockSize) {
		leaves = append(leaves, sha256.Sum256(b))
	}
	if len(leaves) == 0 {
		return tree
	}
	tree.Root = root(leaves, 1<<bits.Len(uint(len(leaves)-1)))
	if int64(len(data)) > pieceLength {
		perPiece := int(pieceLength / blockSize)
		for piece := range slices.Chunk(leaves, perPiece) {
			tree.Pieces = append(tree.Pieces, root(piece, perPiece))
		}
	}
	return tree
}

func equal(a, b bep52.Tree) bool {
	return a.Root == b.Root && slices.Equal(a.Pieces, b.Pieces) && (a.Pieces == nil) == (b.Pieces == nil) && a.Size == b.Size && a.PieceLength == b.PieceLength
}

func TestSumMatchesTheDefinition(t *testing.T) {
	largest := 9 << 20
	if testing.Short() {
		largest = 3 << 20
	}
	data := hashtest.Data(largest)
	for _, procs := range []int{1, 2, 5} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			for _, pieceLength := range []int64{blockSize, 2 * blockSize, 64 * blockSize, 1 << 40} {
				for _, n := range []int{0, 1, blockSize, 2 * blockSize, 3 * blockSize, 7 * blockSize, 64 * blockSize, 65 * blockSize, 130 * blockSize, largest - 1} {
					for _, size := range []int{n - 1, n, n + 1} {
						if size < 0 || size > largest {
							continue
						}
						got, err := bep52.Sum(t.Context(), bytes.NewReader(data[:size]), int64(size), pieceLength)
						if want := plainly(data[:size], pieceLength); err != nil || !equal(got, want) {
							t.Fatalf("%d bytes in pieces of %d: %+v, error %v, want %+v", size, pieceLength, got, err, want)
						}
					}
				}
			}
		})
	}
}

// same is a reader of one byte, over and over.
type same byte

func (b same) ReadAt(p []byte, _ int64) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
}

// halves is a reader of bytes that change at an offset.
type halves struct {
	at            int64
	before, after byte
}

func (h halves) ReadAt(p []byte, off int64) (int, error) {
	n := int(min(max(h.at-off, 0), int64(len(p))))
	fill(p[:n], h.before)
	fill(p[n:], h.after)
	return len(p), nil
}

func fill(p []byte, b byte) {
	if len(p) == 0 {
		return
	}
	p[0] = b
	for n := 1; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
}

// TestSumOfALargeFile takes more than one window, which differ, with pieces shorter
// and longer than that.
func TestSumOfALargeFile(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes gigabytes")
	}
	const size = 1<<30 + 3<<20 + 5
	const blocks = (size-1)/blockSize + 1
	file := halves{1 << 30, 7, 8}
	leaf, other := sha256.Sum256(bytes.Repeat([]byte{7}, blockSize)), sha256.Sum256(bytes.Repeat([]byte{8}, blockSize))
	leaves := append(slices.Repeat([][32]byte{leaf}, 1<<30/blockSize), slices.Repeat([][32]byte{other}, blocks-1-1<<30/blockSize)...)
	leaves = append(leaves, sha256.Sum256(bytes.Repeat([]byte{8}, size%blockSize)))
	want := root(leaves, 1<<17)
	for _, pieceLength := range []int64{1 << 20, 1 << 29, 1 << 30, 1 << 31} {
		got, err := bep52.Sum(t.Context(), file, size, pieceLength)
		if err != nil || got.Root != want {
			t.Errorf("pieces of %d: root %x, error %v, want %x", pieceLength, got.Root, err, want)
		}
		wantPieces := int((size-1)/pieceLength + 1)
		if wantPieces == 1 {
			wantPieces = 0
		}
		if len(got.Pieces) != wantPieces {
			t.Fatalf("pieces of %d: %d of them, want %d", pieceLength, len(got.Pieces), wantPieces)
		}
		for i, piece := range got.Pieces {
			n := int(pieceLength / blockSize)
			if want := root(leaves[i*n:min(len(leaves), (i+1)*n)], n); piece != want {
				t.Fatalf("pieces of %d: piece %d is %x, want %x", pieceLength, i, piece, want)
			}
		}
	}
}

func TestNonsenseIsAnErrorWithItsNumbers(t *testing.T) {
	for _, tt := range []struct {
		name              string
		r                 io.ReaderAt
		size, pieceLength int64
		want              string
	}{
		{"negative size", same(0), -3, blockSize, "negative size -3"},
		{"no piece length", same(0), 1, 0, "piece length 0"},
		{"negative piece length", same(0), 1, math.MinInt64, "piece length -9223372036854775808"},
		{"piece length below a block", same(0), 1, 8 << 10, "piece length 8192"},
		{"piece length no power of two", same(0), 0, 48 << 10, "piece length 49152"},
		{"no reader", nil, 1, blockSize, "nil reader"},
	} {
		got, err := bep52.Sum(t.Context(), tt.r, tt.size, tt.pieceLength)
		if err == nil || !strings.HasPrefix(err.Error(), "bep52: ") || !strings.Contains(err.Error(), tt.want) || !equal(got, bep52.Tree{}) {
			t.Errorf("%s: %+v, error %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestReadersThatEndOrAreGivenUp(t *testing.T) {
	got, err := bep52.Sum(t.Context(), bytes.NewReader(make([]byte, 20_000)), 20_001, blockSize)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(fmt.Sprint(err), "bep52: reading at offset 20000") || !equal(got, bep52.Tree{}) {
		t.Errorf("a short reader: %+v, error %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, size := range []int64{0, 1, math.MaxInt64} {
		if got, err := bep52.Sum(ctx, same(1), size, blockSize); err != context.Canceled || !equal(got, bep52.Tree{}) {
			t.Errorf("a context that is done: %+v, error %v", got, err)
		}
	}
}
