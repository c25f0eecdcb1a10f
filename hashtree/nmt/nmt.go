// Package nmt computes the namespaced Merkle trees of Celestia's
// celestiaorg/nmt with SHA-256 and namespaces of 29 bytes, many leaves and
// nodes side by side.
//
// A node consists of the lowest and the highest namespace below it, and a digest. The
// digest of a leaf is SHA-256 of a byte 0, its namespace and its data. The digest of
// any other node is SHA-256 of a byte 1 and both of its children, 90 bytes each. A tree
// of n leaves is split at the largest power of two below n. From a leaf to the next,
// the namespace never falls.
//
// All functions work on the calling goroutine, write to nothing but dst, rows and cols,
// and may be called concurrently.
package nmt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/internal/merkle"
)

// NamespaceSize is the length of a namespace in bytes.
const NamespaceSize = 29

// A Namespace orders the leaves of a tree.
type Namespace [NamespaceSize]byte

// Compare returns -1, 0 or +1 if n is below, the same as or above other.
func (n Namespace) Compare(other Namespace) int { return bytes.Compare(n[:], other[:]) }

// below reports whether n is below other: the difference of two numbers of 29 bytes
// borrows. It takes pointers, since trees compare all of their namespaces.
func (n *Namespace) below(other *Namespace) bool {
	be := binary.BigEndian
	_, borrow := bits.Sub64(be.Uint64(n[21:]), be.Uint64(other[21:]), 0)
	_, borrow = bits.Sub64(be.Uint64(n[13:]), be.Uint64(other[13:]), borrow)
	_, borrow = bits.Sub64(be.Uint64(n[5:]), be.Uint64(other[5:]), borrow)
	_, borrow = bits.Sub64(be.Uint64(n[:])>>24, be.Uint64(other[:])>>24, borrow)
	return borrow != 0
}

// MaxNamespace returns the highest namespace, the namespace of parity shares.
func MaxNamespace() Namespace { return maxNamespace }

var maxNamespace = func() (n Namespace) {
	for i := range n {
		n[i] = 0xff
	}
	return n
}()

// A Node is a leaf or an inner node: the lowest and the highest namespace below it, and its
// digest. The digest of a parent is that of a byte 1 and the memory of its two children.
type Node struct {
	Min, Max Namespace
	Digest   [sha256.Size]byte
}

const nodeSize = int(unsafe.Sizeof(Node{}))

// Bytes returns the 90 bytes of n as in celestiaorg/nmt, its proofs and data availability
// headers: Min, Max and Digest.
func (n Node) Bytes() []byte { return slices.Concat(n.Min[:], n.Max[:], n.Digest[:]) }

// ParseNode returns the node whose [Node.Bytes] are b. It is an error if b is not 90 bytes
// long, or if the node's Max is below its Min; celestiaorg/nmt refuses such nodes, too.
func ParseNode(b []byte) (Node, error) {
	if len(b) != nodeSize {
		return Node{}, fmt.Errorf("nmt: a node of %d bytes; expected %d", len(b), nodeSize)
	}
	n := Node{Min: Namespace(b), Max: Namespace(b[NamespaceSize:]), Digest: [sha256.Size]byte(b[2*NamespaceSize:])}
	if n.Max.below(&n.Min) {
		return Node{}, fmt.Errorf("nmt: a node from namespace %x down to %x", n.Min, n.Max)
	}
	return n, nil
}

// A Node has no padding: if it had, this would not compile.
var _ [2*NamespaceSize + sha256.Size]byte = [nodeSize]byte{}

// Options are the parameters of a tree.
type Options struct {
	// IgnoreMaxNamespace makes a node leave MaxNamespace out of its Max if a leaf below it
	// has another namespace. So a node hides whether leaves below it have MaxNamespace. If
	// any leaf of a tree has another namespace, no proof can show all leaves that have
	// MaxNamespace, or that there are none: ProveNamespace and Proof.VerifyNamespace
	// return an error. Proof.VerifyInclusion still proves that a leaf has it.
	IgnoreMaxNamespace bool
}

// hides reports whether nodes hide leaves of ns.
func (o Options) hides(ns Namespace) bool { return o.IgnoreMaxNamespace && ns == maxNamespace }

// EmptyRoot returns the root of no leaves.
func EmptyRoot() Node { return Node{Digest: sha256.Sum256(nil)} }

// Prefixes of leaves and of other nodes.
var (
	leafPrefix = lanes.Prefix{H: block.IV256, Rest: []byte{0}, Len: 1}
	nodePrefix = lanes.Prefix{H: block.IV256, Rest: []byte{nodeByte}, Len: 1}
)

const nodeByte = 1

// leavesPerCall is the number of leaves that are hashed in one call.
const leavesPerCall = 1024

// scratch has the digests of a call.
type scratch [leavesPerCall][sha256.Size]byte

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// LeafHashes sets dst[i] to the node of leaves[i], whose namespace is namespaces[i].
// leaves[i] is the data alone, without the namespace that Push of celestiaorg/nmt expects
// before it. (In Celestia's squares the data is the whole share, which begins with a
// namespace of its own.) A nil leaf is an empty leaf. It is an error if a namespace is below
// the namespace before it; then dst stays as it is. dst must not overlap any leaf.
//
// It panics, before it touches anything, if the slices differ in length.
func LeafHashes(dst []Node, namespaces []Namespace, leaves [][]byte) error {
	if len(dst) != len(leaves) || len(namespaces) != len(leaves) {
		panic(fmt.Sprintf("nmt: LeafHashes: %d nodes and %d namespaces for %d leaves", len(dst), len(namespaces), len(leaves)))
	}
	for i := 1; i < len(namespaces); i++ {
		if namespaces[i].below(&namespaces[i-1]) {
			return fmt.Errorf("nmt: namespace %x of leaf %d is below namespace %x of leaf %d", namespaces[i], i, namespaces[i-1], i-1)
		}
	}
	leafHashes(dst, namespaces, leaves)
	return nil
}

// leafHashes is LeafHashes without a look at the order.
func leafHashes(dst []Node, namespaces []Namespace, leaves [][]byte) {
	if lanes.OneByOne(leaves, 1+NamespaceSize, lanes.NotNested) {
		for i := range leaves {
			n := &dst[i]
			n.Min = namespaces[i]
			n.Max = namespaces[i]
			var head [1 + NamespaceSize]byte
			copy(head[1:], namespaces[i][:])
			block.HashBehind(&n.Digest, head[:], leaves[i])
		}
		return
	}
	digests := scratches.Get().(*scratch)
	for len(leaves) > 0 {
		n := min(len(leaves), leavesPerCall)
		heads := unsafe.Slice((*byte)(unsafe.Pointer(&namespaces[0])), n*NamespaceSize)
		lanes.SumHeaded(digests[:n], leafPrefix, heads, NamespaceSize, leaves[:n])
		for i := range n {
			dst[i].Min = namespaces[i]
			dst[i].Max = namespaces[i]
			dst[i].Digest = digests[i]
		}
		dst, namespaces, leaves = dst[n:], namespaces[n:], leaves[n:]
	}
	scratches.Put(digests)
}

// checkOrder returns an error if a node's namespaces are out of order, or fall
// from a node to the next. The caller puts the package's name before it.
func checkOrder(nodes []Node) error {
	for i := range nodes {
		n := &nodes[i]
		if n.Max.below(&n.Min) || i > 0 && n.Min.below(&nodes[i-1].Max) {
			return orderError(nodes, i)
		}
	}
	return nil
}

// orderError returns the error that node i is out of order.
func orderError(nodes []Node, i int) error {
	n := nodes[i]
	if n.Max.below(&n.Min) {
		return fmt.Errorf("node %d goes from namespace %x down to %x", i, n.Min, n.Max)
	}
	return fmt.Errorf("node %d begins with namespace %x, below %x of node %d", i, n.Min, nodes[i-1].Max, i-1)
}

// span sets the namespaces of the parent of two nodes. The parent may be the left one.
func (o Options) span(parent, left, right *Node) {
	parent.Min = left.Min
	if o.IgnoreMaxNamespace && right.Min == maxNamespace {
		parent.Max = left.Max
	} else {
		parent.Max = right.Max
	}
}

// bytesOf returns the memory of nodes.
func bytesOf(nodes []Node) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(nodes))), len(nodes)*nodeSize)
}

// parent sets p, which may be the first of two nodes, to their parent.
func (o Options) parent(p *Node, children *[2]Node) {
	const size = 1 + 2*nodeSize
	if block.InVectors() {
		block.FinishBehind(&p.Digest, &block.IV256, nodePrefix.Rest, bytesOf(children[:]), uint64(size))
		o.span(p, &children[0], &children[1])
		return
	}
	padded := [3 * sha256.BlockSize]byte{0: nodeByte, size: 0x80, 3*sha256.BlockSize - 2: byte(size * 8 >> 8), 3*sha256.BlockSize - 1: byte(size * 8 & 0xff)}
	*(*[2 * nodeSize]byte)(padded[1:]) = [2 * nodeSize]byte(bytesOf(children[:]))
	o.span(p, &children[0], &children[1])
	block.HashPadded(&p.Digest, padded[:], size)
}

var (
	pool merkle.Pool[Node]
	// trees are the definitions without and with IgnoreMaxNamespace. A node without a
	// sibling goes up as it is, which comes to the same as splitting at powers of two.
	trees = [2]merkle.TreeOf[Node]{definition(Options{}), definition(Options{IgnoreMaxNamespace: true})}
)

func definition(o Options) merkle.TreeOf[Node] {
	return merkle.TreeOf[Node]{
		Parent:   o.parent,
		Nodes:    o.parents,
		OneByOne: oneByOne,
		Odd:      func(last Node, _ int) Node { return last },
		Pool:     &pool,
	}
}

// parents sets dst[i] to the parent of src[2i] and src[2i+1], which dst does not overlap.
func (o Options) parents(dst, src []Node) {
	if oneByOne(len(dst)) {
		for i := range dst {
			o.parent(&dst[i], (*[2]Node)(src[2*i:]))
		}
		return
	}
	for i := range dst {
		children := (*[2]Node)(src[2*i:])
		o.span(&dst[i], &children[0], &children[1])
	}
	hashes := lanes.Rows{Data: bytesOf(dst)[2*NamespaceSize:], Size: sha256.Size, Stride: nodeSize}
	lanes.SumRows(&hashes, &nodePrefix, &lanes.Rows{Data: bytesOf(src), Size: 2 * nodeSize, Stride: 2 * nodeSize}, len(dst))
}

// oneByOne reports whether n parents take less time one by one than side by side.
func oneByOne(n int) bool { return lanes.RowsOneByOne(n, 2*nodeSize, 1) }

// tree returns the definition of trees with these options.
func (o Options) tree() *merkle.TreeOf[Node] {
	if o.IgnoreMaxNamespace {
		return &trees[1]
	}
	return &trees[0]
}

// Root returns the root of the tree over leaves, or [EmptyRoot] if there are
// none. It is an error if the namespaces of leaves are out of order.
func Root(leaves []Node, o Options) (root Node, err error) {
	err = setRoot(&root, leaves, o) // no copy of the root where Root is inlined
	return root, err
}

// setRoot sets dst to what Root returns.
func setRoot(dst *Node, leaves []Node, o Options) error {
	if len(leaves) == 0 {
		*dst = EmptyRoot()
		return nil
	}
	if err := checkOrder(leaves); err != nil {
		return fmt.Errorf("nmt: %w", err)
	}
	o.tree().SetRoot(dst, leaves, 0, merkle.Depth(len(leaves)), nil)
	return nil
}

// Roots sets dst[i] to the root of the tree over leaves[i*size : (i+1)*size]. It hashes
// all trees side by side, level by level. It is an error if the namespaces of a tree's
// leaves are out of order; then dst stays as it is. dst must not overlap leaves.
//
// It panics, before it touches anything, if size is below 1 or if len(leaves)
// is not size·len(dst).
func Roots(dst, leaves []Node, size int, o Options) error {
	if size < 1 || len(leaves)%size != 0 || len(leaves)/size != len(dst) {
		panic(fmt.Sprintf("nmt: Roots: %d leaves for %d trees of %d leaves", len(leaves), len(dst), size))
	}
	for i := range dst {
		if err := checkOrder(leaves[i*size : (i+1)*size]); err != nil {
			return fmt.Errorf("nmt: tree %d: %w", i, err)
		}
	}
	o.tree().Roots(dst, leaves, size)
	return nil
}
