package block

import (
	"crypto/sha256"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/noescape"
	"github.com/sha256-simd/sha256-simd/internal/race"
)

// NodeSize is the length of a node of a Merkle tree: two digests.
const NodeSize = 2 * DigestSize

// A NodeKernel is one way to hash nodes of Merkle trees, messages of exactly 64 bytes,
// Lanes at a time. The second block of a node is padding alone, the same for all nodes,
// so its schedule is a table.
type NodeKernel struct {
	Header // Max is a multiple of Lanes
	// hash reads 64·n bytes at src and writes 32·n at dst, n a multiple of Lanes. dst may be
	// src. Otherwise they do not overlap, unless n is 1: a kernel has read a node, and all
	// nodes in front of it, before it writes any part of the node's digest.
	hash func(dst, src *byte, n int)
}

// Hash sets the 32 bytes of dst at 32·i to the digest of the 64 bytes of src at 64·i,
// for every node i of src. The length of src is a multiple of 64·Lanes, the length of
// dst at least half of it. dst and src begin at the same place or do not overlap.
func (k *NodeKernel) Hash(dst, src []byte) {
	race.Read(src)
	race.Write(dst[:len(src)/2])
	for {
		d := noescape.Pointer(unsafe.Pointer(unsafe.SliceData(dst)))
		s := noescape.Pointer(unsafe.Pointer(unsafe.SliceData(src)))
		k.hash((*byte)(d), (*byte)(s), min(len(src)/NodeSize, k.Max))
		if len(src) <= k.Max*NodeSize {
			return
		}
		dst, src = dst[k.Max*DigestSize:], src[k.Max*NodeSize:]
	}
}

// nodePadding is the second block of a message of 64 bytes.
var nodePadding = [Size]byte{0: 0x80, Size - 2: NodeSize * 8 >> 8}

// HashNode sets dst to the digest of src. It uses the kernel for one node if it is in
// use, else the fastest one-stream kernel. dst may overlap src: src is read before dst is
// written.
func HashNode(dst *[DigestSize]byte, src *[NodeSize]byte) {
	race.Read(src[:])
	race.Write(dst[:])
	hashNode(current(), dst, src)
}

// hashNodeByBlocks is hashNode by what compresses one stream.
func hashNodeByBlocks(c *choice, dst *[DigestSize]byte, src *[NodeSize]byte) {
	if c.single == useStd {
		*dst = sha256.Sum256(src[:])
		return
	}
	h := IV256
	compress(c, &h, &src[0], 1)
	compress(c, &h, &nodePadding[0], 1)
	PutDigest(dst, &h)
}

// NodeKernels returns this architecture's node kernels, widest first.
func NodeKernels() []NodeKernel {
	return ofOperation(NodeOp, func(h Header) NodeKernel { return NodeKernel{h, nodeKernel(h.Name)} })
}
