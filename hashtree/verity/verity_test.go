package verity_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/hashtree/verity"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// A file is memory that grows as it is written.
type file []byte

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	if more := int(off) + len(p) - len(*f); more > 0 {
		*f = append(*f, make([]byte, more)...)
	}
	return copy((*f)[off:], p), nil
}

// plainly returns the root hash of data, padded to whole blocks, and the levels
// of its tree, the highest first.
func plainly(data []byte, blockSize int, prefix []byte) (root [32]byte, tree []byte) {
	pad := func(b []byte) []byte {
		return append(slices.Clip(b), make([]byte, (blockSize-len(b)%blockSize)%blockSize)...)
	}
	for level := pad(data); len(level) > 0; {
		var sums []byte
		for block := range slices.Chunk(level, blockSize) {
			root = sha256.Sum256(append(slices.Clip(prefix), block...))
			sums = append(sums, root[:]...)
		}
		if len(sums) == sha256.Size {
			break
		}
		level = pad(sums)
		tree = append(slices.Clip(level), tree...)
	}
	return root, tree
}

// fsPlainly returns the fs-verity digest of data.
func fsPlainly(data []byte, blockSize int, salt []byte) [32]byte {
	var prefix []byte
	if len(salt) > 0 {
		prefix = append(slices.Clip(salt), make([]byte, 64-len(salt))...)
	}
	root, _ := plainly(data, blockSize, prefix)
	d := []byte{1, 1, byte(bits.TrailingZeros(uint(blockSize))), byte(len(salt)), 0, 0, 0, 0}
	d = binary.LittleEndian.AppendUint64(d, uint64(len(data)))
	d = append(d, root[:]...)
	d = append(d, make([]byte, 32)...)
	d = append(d, salt...)
	return sha256.Sum256(append(d, make([]byte, 256-len(d))...))
}

// sizes are around whole blocks, around what fits a block of the tree, and
// around what is read at a time.
func sizes(blockSize, largest int) []int {
	perBlock := blockSize / 32
	var sizes []int
	for _, blocks := range []int{0, 1, 2, 3, perBlock, perBlock + 1, 2*perBlock - 1, 5*perBlock + 3, perBlock * perBlock, perBlock*perBlock + 1} {
		for _, more := range []int{-1, 0, 1} {
			if n := blocks*blockSize + more; n >= 0 && n <= largest {
				sizes = append(sizes, n)
			}
		}
	}
	return append(sizes, largest)
}

func largest() int {
	if testing.Short() {
		return 1 << 20
	}
	return 9 << 20
}

func TestTreesMatchTheDefinition(t *testing.T) {
	data := hashtest.Data(largest())
	for _, procs := range []int{1, 5} {
		t.Run(fmt.Sprintf("GOMAXPROCS=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			for _, blockSize := range []int{512, 1024, 4096, 64 << 10, 512 << 10} {
				for _, n := range sizes(blockSize, len(data)) {
					for _, salt := range [][]byte{nil, data[:1], data[:32], data[:256]} {
						b := data[:n]
						o := verity.Options{BlockSize: blockSize, Salt: salt}
						what := fmt.Sprintf("%d bytes, blocks of %d, salt of %d", n, blockSize, len(salt))
						if blockSize >= 1024 && blockSize <= 64<<10 && len(salt) <= 32 {
							got, err := verity.FS(t.Context(), bytes.NewReader(b), int64(n), o)
							if want := fsPlainly(b, blockSize, salt); err != nil || got != want {
								t.Fatalf("%s: fs-verity digest %x, error %v, want %x", what, got, err, want)
							}
						}
						if n == 0 || n%blockSize != 0 {
							continue
						}
						var tree file
						got, err := verity.DM(t.Context(), bytes.NewReader(b), int64(n), &tree, o)
						want, wantTree := plainly(b, blockSize, salt)
						if err != nil || got != want || !bytes.Equal(tree, wantTree) {
							t.Fatalf("%s: root hash %x, a tree of %d bytes, error %v, want %x and %d bytes", what, got, len(tree), err, want, len(wantTree))
						}
						if got, err := verity.DM(t.Context(), bytes.NewReader(b), int64(n), nil, o); err != nil || got != want {
							t.Fatalf("%s: without a tree: root hash %x, error %v, want %x", what, got, err, want)
						}
					}
				}
			}
		})
	}
}

func TestBlocksHave4096BytesUnlessToldOtherwise(t *testing.T) {
	data := hashtest.Data(40 * 4096)
	got, err := verity.DM(t.Context(), bytes.NewReader(data), int64(len(data)), nil, verity.Options{})
	if want, _ := plainly(data, 4096, nil); err != nil || got != want {
		t.Errorf("root hash %x, error %v, want %x", got, err, want)
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

// TestWindowsDiffer has data of two windows of blocks that differ.
func TestWindowsDiffer(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes much")
	}
	const perBlock, blockSize, window = 16, 512, 1 << 18
	level := slices.Repeat([][32]byte{sha256.Sum256(bytes.Repeat([]byte{1}, blockSize))}, window)
	level = append(level, slices.Repeat([][32]byte{sha256.Sum256(bytes.Repeat([]byte{2}, blockSize))}, window)...)
	for len(level) > 1 {
		var above [][32]byte
		for digests := range slices.Chunk(level, perBlock) {
			block := make([]byte, 0, blockSize)
			for _, d := range digests {
				block = append(block, d[:]...)
			}
			above = append(above, sha256.Sum256(block[:blockSize]))
		}
		level = above
	}
	got, err := verity.DM(t.Context(), halves{window * blockSize, 1, 2}, 2*window*blockSize, nil, verity.Options{BlockSize: blockSize})
	if err != nil || got != level[0] {
		t.Errorf("root hash %x, error %v, want %x", got, err, level[0])
	}
}

// writes are how much was written at which offsets.
type writes map[int64]int

func (w writes) WriteAt(p []byte, off int64) (int, error) {
	if w[off] > 0 {
		return 0, fmt.Errorf("offset %d is written to twice", off)
	}
	w[off] = len(p)
	return len(p), nil
}

// TestTreesOfManyWindows has more blocks than are hashed before the level above
// them is: all are equal, and so are the blocks of each level.
func TestTreesOfManyWindows(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes much")
	}
	const perBlock, blockSize = 16, 512
	const blocks = 1 << 20 // 16^5
	size := int64(blocks * blockSize)
	want := sha256.Sum256(bytes.Repeat([]byte{9}, blockSize))
	written := writes{}
	for n := blocks; n > 1; n /= perBlock {
		want = sha256.Sum256(bytes.Repeat(want[:], perBlock))
	}
	got, err := verity.DM(t.Context(), same(9), size, written, verity.Options{BlockSize: blockSize})
	if err != nil || got != want {
		t.Errorf("root hash %x, error %v, want %x", got, err, want)
	}
	end := int64(0)
	for _, off := range slices.Sorted(maps.Keys(written)) {
		if off != end {
			t.Errorf("a write at offset %d, after what ends at %d", off, end)
		}
		end = off + int64(written[off])
	}
	if want := int64(512 * (1 + 16 + 256 + 4096 + 65536)); end != want {
		t.Errorf("%d bytes of tree, want %d", end, want)
	}
}

func TestNonsenseIsAnErrorWithItsNumbersAndWritesNothing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		r      io.ReaderAt
		size   int64
		o      verity.Options
		fs, dm string // what the errors say; "" if there is none
	}{
		{"negative size", same(0), -4096, verity.Options{}, "negative size -4096", "negative size -4096"},
		{"nothing", same(0), 0, verity.Options{}, "", "size 0; expected a positive multiple"},
		{"part of a block", same(0), 4097, verity.Options{}, "", "size 4097; expected a positive multiple of the block size 4096"},
		{"no power of two", same(0), 4096, verity.Options{BlockSize: 3000}, "block size 3000", "block size 3000"},
		{"negative block size", same(0), 4096, verity.Options{BlockSize: -4096}, "block size -4096", "block size -4096"},
		{"small blocks", same(0), 4096, verity.Options{BlockSize: 512}, "block size 512", ""},
		{"tiny blocks", same(0), 4096, verity.Options{BlockSize: 256}, "block size 256", "block size 256"},
		{"large blocks", same(0), 1 << 20, verity.Options{BlockSize: 128 << 10}, "block size 131072", ""},
		{"huge blocks", same(0), 1 << 20, verity.Options{BlockSize: 1 << 20}, "block size 1048576", "block size 1048576"},
		{"long salt", same(0), 4096, verity.Options{Salt: make([]byte, 33)}, "salt of 33 bytes; expected at most 32", ""},
		{"too long a salt", same(0), 4096, verity.Options{Salt: make([]byte, 257)}, "salt of 257 bytes; expected at most 32", "salt of 257 bytes; expected at most 256"},
		{"no reader", nil, 4096, verity.Options{}, "nil reader", "nil reader"},
	} {
		check := func(function string, got [32]byte, err error, want string) {
			t.Helper()
			if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), "verity: ") || !strings.Contains(err.Error(), want) || got != [32]byte{}) {
				t.Errorf("%s: %s: %x, error %v, want %q", tt.name, function, got, err, want)
			}
		}
		got, err := verity.FS(t.Context(), tt.r, tt.size, tt.o)
		check("FS", got, err, tt.fs)
		var tree file
		got, err = verity.DM(t.Context(), tt.r, tt.size, &tree, tt.o)
		check("DM", got, err, tt.dm)
		if err != nil && tree != nil {
			t.Errorf("%s: %d bytes of tree were written", tt.name, len(tree))
		}
	}
}

// broken fails to be written to.
type broken struct{}

func (broken) WriteAt([]byte, int64) (int, error) { return 0, io.ErrClosedPipe }

// lazy writes a part of what it is given, and says so, but not why.
type lazy struct{}

func (lazy) WriteAt(p []byte, _ int64) (int, error) { return len(p) / 2, nil }

func TestReadersAndWritersThatFail(t *testing.T) {
	short := bytes.NewReader(make([]byte, 10_000))
	for what, err := range map[string]error{
		"FS": second(verity.FS(t.Context(), short, 10_001, verity.Options{})),
		"DM": second(verity.DM(t.Context(), short, 3*4096, nil, verity.Options{})),
	} {
		if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(fmt.Sprint(err), "verity: reading at offset 10000") {
			t.Errorf("%s of a short reader: error %v", what, err)
		}
	}
	err := second(verity.DM(t.Context(), same(1), 1<<20, broken{}, verity.Options{}))
	if !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(fmt.Sprint(err), "verity: writing the hash tree at offset 4096") {
		t.Errorf("a writer that fails: error %v", err)
	}
	err = second(verity.DM(t.Context(), same(1), 1<<20, lazy{}, verity.Options{}))
	if !errors.Is(err, io.ErrShortWrite) || !strings.Contains(fmt.Sprint(err), "verity: writing the hash tree at offset 4096") {
		t.Errorf("a writer that writes too little: error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for what, err := range map[string]error{
		"FS":            second(verity.FS(ctx, same(1), math.MaxInt64, verity.Options{})),
		"FS of nothing": second(verity.FS(ctx, nil, 0, verity.Options{})),
		"DM":            second(verity.DM(ctx, same(1), 1<<50, nil, verity.Options{})),
	} {
		if err != context.Canceled {
			t.Errorf("%s, a context that is done: error %v", what, err)
		}
	}
}

func second(_ [32]byte, err error) error { return err }
