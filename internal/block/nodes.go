package block

import (
	"crypto/sha256"
	"slices"
	"unsafe"
)

// NodeSize is the length of a node of a Merkle tree: two digests.
const NodeSize = 2 * DigestSize

// A NodeKernel is one way to hash nodes of Merkle trees, messages of exactly
// 64 bytes, Lanes at a time. The second block of such a message is the same
// for all of them, padding only, so that its schedule is a table.
type NodeKernel struct {
	// Name is node_ and lanes_isa.
	Name string
	// Lanes is how many nodes are hashed side by side.
	Lanes int
	// Supported and Enabled are as in Kernel.
	Supported, Enabled bool

	// hash reads 64·n bytes at src and writes 32·n at dst, n a multiple of
	// Lanes. dst may be src, else they do not overlap: a kernel has read all of
	// a group before it writes the group's digests.
	hash func(dst, src *byte, n int)
}

// Hash sets the 32 bytes of dst at 32·i to the digest of the 64 of src at 64·i,
// for every node of src, whose length is a multiple of 64·Lanes. dst holds half
// of src at least. They begin at the same place or do not overlap.
func (k *NodeKernel) Hash(dst, src []byte) {
	RaceRead(src)
	RaceWrite(dst[:len(src)/2])
	for {
		d := noescape(unsafe.Pointer(unsafe.SliceData(dst)))
		s := noescape(unsafe.Pointer(unsafe.SliceData(src)))
		k.hash((*byte)(d), (*byte)(s), min(len(src)/NodeSize, maxNodes))
		if len(src) <= maxNodes*NodeSize {
			return
		}
		dst, src = dst[maxNodes*DigestSize:], src[maxNodes*NodeSize:]
	}
}

// nodePadding is the second block of a message of 64 bytes.
var nodePadding = [Size]byte{0: 0x80, Size - 2: NodeSize * 8 >> 8}

// HashNodes does what NodeKernel.Hash does, one node at a time by the fastest
// one-stream kernel in use, whatever the number of nodes.
func HashNodes(dst, src []byte) {
	for len(src) >= NodeSize {
		sum := (*[DigestSize]byte)(dst)
		if useStd {
			*sum = sha256.Sum256(src[:NodeSize])
		} else {
			h := IV256
			Compress(&h, src[:NodeSize])
			Compress(&h, nodePadding[:])
			PutDigest(sum, &h)
		}
		dst, src = dst[DigestSize:], src[NodeSize:]
	}
}

// NodeKernels returns this architecture's node kernels, widest first.
func NodeKernels() []NodeKernel { return slices.Clone(nodeKernels) }
