package crosscheck_test

import (
	"io"
	"math/rand/v2"
	"testing"

	"github.com/anacrolix/torrent/merkle"

	"github.com/sha256-simd/sha256-simd/hashtree/bep52"
)

// A file of blocks of which some are equal, the last one shorter.
type file struct {
	blocks [][]byte
	order  []int
	size   int64
}

func (f file) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) && off < f.size {
		b := f.blocks[f.order[off/merkle.BlockSize]]
		from := off % merkle.BlockSize
		c := copy(p[n:], b[from:min(int64(len(b)), from+f.size-off)])
		n, off = n+c, off+int64(c)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func TestBEP52AgainstAnacrolix(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 1))
	f := file{blocks: make([][]byte, 16)}
	for i := range f.blocks {
		f.blocks[i] = random(r, merkle.BlockSize)
	}
	hash := func(b []byte) [32]byte {
		h := merkle.NewHash()
		h.Write(b)
		return [32]byte(h.Sum(nil))
	}
	hashes := make([][32]byte, len(f.blocks))
	for i, b := range f.blocks {
		hashes[i] = hash(b)
	}
	for _, n := range sizes(t, r) {
		if n == 0 { // an empty file has no root
			if tree, err := bep52.Sum(t.Context(), nil, 0, merkle.BlockSize); err != nil || tree.Root != [32]byte{} || tree.Pieces != nil {
				t.Fatalf("an empty file: %+v, error %v", tree, err)
			}
			continue
		}
		f.order = make([]int, n)
		leaves := make([][32]byte, n)
		for i := range f.order {
			f.order[i] = r.IntN(len(f.blocks))
			leaves[i] = hashes[f.order[i]]
		}
		last := 1 + r.IntN(merkle.BlockSize)
		f.size = int64(n-1)*merkle.BlockSize + int64(last)
		leaves[n-1] = hash(f.blocks[f.order[n-1]][:last])

		perPiece := 1 << r.IntN(13)
		tree, err := bep52.Sum(t.Context(), f, f.size, int64(perPiece)*merkle.BlockSize)
		if err != nil {
			t.Fatal(err)
		}
		if want := merkle.RootWithPadHash(leaves, [32]byte{}); tree.Root != want {
			t.Fatalf("%d bytes: root %x, theirs %x", f.size, tree.Root, want)
		}
		if f.size <= tree.PieceLength {
			if tree.Pieces != nil {
				t.Fatalf("%d bytes in a piece of %d: %d pieces", f.size, tree.PieceLength, len(tree.Pieces))
			}
			continue
		}
		// The layer's hashes, each of a piece, lead to the root with the hash of a
		// piece of zeros beside them.
		none := merkle.RootWithPadHash(make([][32]byte, perPiece), [32]byte{})
		if got := merkle.RootWithPadHash(append([][32]byte(nil), tree.Pieces...), none); got != tree.Root {
			t.Fatalf("%d bytes: the layer leads to %x, not to %x", f.size, got, tree.Root)
		}
		for i, got := range tree.Pieces {
			piece := append([][32]byte(nil), leaves[i*perPiece:min(n, (i+1)*perPiece)]...)
			piece = append(piece, make([][32]byte, perPiece-len(piece))...)
			if want := merkle.Root(piece); got != want {
				t.Fatalf("%d bytes: piece %d of %d blocks is %x, theirs %x", f.size, i, perPiece, got, want)
			}
		}
		if (n-1)/perPiece+1 != len(tree.Pieces) {
			t.Fatalf("%d bytes: %d pieces of %d blocks", f.size, len(tree.Pieces), perPiece)
		}
	}
}
