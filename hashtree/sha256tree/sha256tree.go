// Package sha256tree computes SHA256TREE, a digest of Bazel's Remote Execution API. A
// large message is cut into chunks of 1024 bytes, the leaves of a Merkle tree. One core
// hashes many chunks side by side.
//
// The digest of a message of at most 1024 bytes is its SHA-256 digest. A longer message
// is split into two parts. The length of the first part is the largest power of two
// below the message's length. The digest is the parent of the digests of both parts: 64
// rounds of SHA-256 over the two digests, with other start words and without the
// addition at the end. The message's length is not hashed.
//
// Functions may be called concurrently.
package sha256tree

import (
	"context"
	"io"
	"math"
	"runtime"
	"sync"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/merkle"
	"github.com/sha256-simd/sha256-simd/internal/parts"
)

// Size is the length of a digest in bytes.
const Size = sha256.Size

// chunkSize is the length of every leaf but the last, which may be shorter.
const chunkSize = 1024

// parentIV are the start words of parents: the first 32 bits of the fractional
// parts of the square roots of the ninth to the sixteenth prime.
var parentIV = func() (iv block.State) {
	for i, p := range [...]float64{23, 29, 31, 37, 41, 43, 47, 53} {
		_, fraction := math.Modf(math.Sqrt(p))
		iv[i] = uint32(fraction * (1 << 32))
	}
	return iv
}()

// tree is the definition: a node without a sibling goes up as it is, which comes
// to the same as splitting at powers of two.
var tree = merkle.Tree{
	Parent:   parent,
	Nodes:    func(dst, src [][Size]byte) { lanes.CompressPairs(dst, parentIV, src) },
	OneByOne: func(n int) bool { return lanes.RowsOneByOne(n, Size, 0) }, // a parent takes one block, like a row of Size bytes
	Odd:      func(last [Size]byte, _ int) [Size]byte { return last },
	Pool:     &merkle.Digests,
}

// parent sets dst to the node above two.
func parent(dst *[Size]byte, children *[2][Size]byte) {
	h := parentIV
	block.Compress(&h, convert.Bytes(children[:]))
	lanes.PutDifference(dst, &h, &parentIV)
}

// maxSlices is the largest number of chunks that are hashed in one call.
const maxSlices = 1024

// chunkLists are for the chunks of a call, which SumMany takes as slices.
var chunkLists = sync.Pool{New: func() any { return new([maxSlices][]byte) }}

// leaves sets dst to the leaves of data, which has at least one byte for each.
func leaves(dst [][Size]byte, data []byte) {
	chunks := chunkLists.Get().(*[maxSlices][]byte)
	for len(dst) > 0 {
		n := min(len(dst), len(chunks))
		for i := range n {
			end := min(chunkSize, len(data))
			chunks[i], data = data[:end:end], data[end:]
		}
		sha256.SumMany(dst[:n], chunks[:n])
		clear(chunks[:n])
		dst = dst[n:]
	}
	chunkLists.Put(chunks)
}

// count returns how many chunks a message of `size` bytes has: at least one.
func count(size int64) int64 { return max(1, parts.CeilDiv(size, chunkSize)) }

// Sum256 returns the SHA256TREE digest of data. It hashes on the calling
// goroutine, and above 1 MiB of data allocates little more than 1/1024 of its
// length.
func Sum256(data []byte) [Size]byte {
	n := int(count(int64(len(data))))
	if n == 1 {
		return sha256.Sum256(data)
	}
	return tree.RootOf(n, merkle.Depth(n), func(dst [][Size]byte, i int) { leaves(dst, data[i*chunkSize:]) })
}

// windowLevel is the level of the roots of the windows that [Sum] reads: 2^18
// chunks, 256 MiB.
const windowLevel = 18

// Sum reads size bytes of r, from offset 0 on, and returns their SHA256TREE
// digest.
//
// It reads r as [github.com/sha256-simd/sha256-simd/streams.Parts] does, with GOMAXPROCS
// workers, but hashes more than 128 KiB on other goroutines even if one worker can read
// them at once. A call needs 4 MiB for each worker, and 8 MiB for the tree, whatever the
// size. It is an error if size is below 0.
func Sum(ctx context.Context, r io.ReaderAt, size int64) ([Size]byte, error) {
	if err := parts.Check(ctx, "sha256tree", r, size, nil); err != nil {
		return [Size]byte{}, err
	}
	return sum(ctx, r, size, windowLevel)
}

// groupLevel returns the level of the roots of groups, if there are n chunks. A group has
// 32 to 1024 chunks. Within these bounds it is so small that each P gets eight groups.
func groupLevel(n int) int {
	level := 10
	for level > 5 && n>>level < 8*runtime.GOMAXPROCS(0) {
		level--
	}
	return level
}

// sum is Sum by windows of 2^level chunks.
func sum(ctx context.Context, r io.ReaderAt, size int64, level int) ([Size]byte, error) {
	window := int64(chunkSize) << level
	var (
		p       merkle.Peaks
		digests = make([][Size]byte, count(min(size, window)))
		// A group is a subtree of 2^low chunks. The goroutine that hashes a group also
		// reduces it to its root.
		low   = groupLevel(len(digests))
		roots = make([][Size]byte, (len(digests)-1)>>low+1)
	)
	for off := int64(0); ; off += window {
		n := min(size-off, window)
		digests = digests[:count(n)]
		roots = roots[:(len(digests)-1)>>low+1]
		stretch := parts.Parts{
			R: r, Off: off, Size: n, PartSize: chunkSize, Package: "sha256tree", GroupSize: 1 << low,
			Done: func(first int, digests [][Size]byte) { roots[first>>low] = tree.Root(digests, 0, low) },
		}
		if err := stretch.Sum(ctx, digests); err != nil {
			return [Size]byte{}, err
		}
		root := tree.Root(roots, low, max(low, merkle.Depth(len(digests))))
		if off+n == size {
			return p.RootWith(&tree, root), nil
		}
		p.Add(&tree, root, level)
	}
}
