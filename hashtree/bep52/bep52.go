// Package bep52 computes the Merkle trees of BitTorrent v2 (BEP 52): the pieces
// root of a file and its piece layer. Its blocks are read and hashed side by
// side, with AVX-512 1.6 to 2.9 times as fast as one SHA-256 over the file.
// Functions may be called concurrently.
package bep52

import (
	"context"
	"fmt"
	"io"
	"math/bits"

	"github.com/sha256-simd/sha256-simd/internal/merkle"
	"github.com/sha256-simd/sha256-simd/internal/parts"
)

const (
	// blockSize is the length of the blocks that the leaves are digests of.
	blockSize = 16 << 10
	// 2^windowLevel blocks are read at a time.
	windowLevel = 16
	window      = 1 << windowLevel
)

// A Tree has what a torrent records of a file.
type Tree struct {
	// Root is the pieces root. An empty file has no root: then Root is all zeros.
	Root [32]byte
	// Pieces is the piece layer: for each piece the node above its blocks. A file
	// of at most one piece has no piece layer.
	Pieces [][32]byte
	// Size is the length of the file in bytes.
	Size int64
	// PieceLength is the length of every piece but the last in bytes.
	PieceLength int64
}

// Sum reads size bytes of r, from offset 0 on, and returns their tree.
//
// It reads r as [github.com/sha256-simd/sha256-simd/streams.Parts] does, with GOMAXPROCS
// workers. A call needs 4 MiB for each worker, some 3 MiB for the tree, and up to 72 bytes
// for each piece while Pieces grows. For pieces of more than 1 GiB, it needs 72 bytes for each
// GiB.
//
// It is an error if size is below 0, or if pieceLength is not a power of two of at least
// 16 KiB.
func Sum(ctx context.Context, r io.ReaderAt, size, pieceLength int64) (Tree, error) {
	var wrong error
	if pieceLength < blockSize || pieceLength&(pieceLength-1) != 0 {
		wrong = fmt.Errorf("bep52: piece length %d; expected a power of two of at least %d", pieceLength, blockSize)
	}
	if err := parts.Check(ctx, "bep52", r, size, wrong); err != nil {
		return Tree{}, err
	}
	t := Tree{Size: size, PieceLength: pieceLength}
	if size == 0 {
		return t, nil
	}
	depth := bits.Len64(uint64(size-1) / blockSize)
	pieceLevel := min(bits.Len64(uint64(pieceLength/blockSize))-1, depth)
	level := min(pieceLevel, windowLevel) // to which each window is reduced
	var nodes, leaves [][32]byte
	for left := size; left > 0; left -= min(left, window*blockSize) {
		p := parts.Parts{R: r, Off: size - left, Size: min(left, window*blockSize), PartSize: blockSize, Package: "bep52"}
		if leaves == nil {
			leaves = make([][32]byte, p.Count())
		}
		leaves = leaves[:p.Count()]
		if err := p.Sum(ctx, leaves); err != nil {
			return Tree{}, err
		}
		nodes = append(nodes, merkle.Zeros.Climb(leaves, 0, level)...)
	}
	nodes = merkle.Zeros.Climb(nodes, level, pieceLevel)
	t.Root = merkle.Zeros.Root(nodes, pieceLevel, depth)
	if size > pieceLength {
		t.Pieces = nodes
	}
	return t, nil
}
