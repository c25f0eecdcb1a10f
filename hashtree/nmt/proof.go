package nmt

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"github.com/sha256-simd/sha256-simd/internal/merkle"
)

// A Proof proves the contents of leaves Start to End-1 of a tree. A proof of a
// namespace also proves that no other leaf of the tree has the namespace. It has the
// same nodes as a proof of celestiaorg/nmt, in the same order.
type Proof struct {
	// Start and End are the range. Both are 0 in a proof that a namespace is
	// outside the range of a tree's namespaces.
	Start, End int
	// Nodes are the roots of the largest subtrees beside the range, from left to
	// right.
	Nodes []Node
	// Absent is not nil in a proof that a namespace between others has no leaf. It
	// is the leaf at Start, the first leaf with a higher namespace.
	Absent *Node
}

// isEmpty reports whether p is a proof that a namespace is outside the range of a tree's
// namespaces.
func (p *Proof) isEmpty() bool {
	return p.Start == 0 && p.End == 0 && len(p.Nodes) == 0 && p.Absent == nil
}

// ProveRange returns the proof of leaves start to end-1 of the tree over leaves.
// It is an error if the range is empty, if the tree has no such leaves, or if the
// namespaces of leaves are out of order.
func ProveRange(leaves []Node, start, end int, o Options) (Proof, error) {
	if err := checkRange(leaves, start, end); err != nil {
		return Proof{}, err
	}
	if err := checkOrder(leaves); err != nil {
		return Proof{}, fmt.Errorf("nmt: %w", err)
	}
	return proveRange(leaves, start, end, o), nil
}

// checkRange returns an error if the range is empty, or if leaves has no such range.
func checkRange(leaves []Node, start, end int) error {
	if start >= end {
		return fmt.Errorf("nmt: an empty range, with start %d and end %d", start, end)
	}
	if start < 0 || end > len(leaves) {
		return fmt.Errorf("nmt: no leaves %d to %d in a tree of %d", start, end-1, len(leaves))
	}
	return nil
}

// proveRange is ProveRange without its checks.
func proveRange(leaves []Node, start, end int, o Options) Proof {
	p := Proof{Start: start, End: end}
	p.beside(leaves, 0, o.tree())
	return p
}

// beside appends to p.Nodes the roots of the subtrees of leaves that are beside the
// range. leaves[0] is leaf `first` of the tree.
func (p *Proof) beside(leaves []Node, first int, tree *merkle.TreeOf[Node]) {
	n := len(leaves)
	switch {
	case first+n <= p.Start || first >= p.End:
		p.Nodes = append(p.Nodes, tree.Root(leaves, 0, merkle.Depth(n)))
	case n > 1:
		split := splitOf(n)
		p.beside(leaves[:split], first, tree)
		p.beside(leaves[split:], first+split, tree)
	}
}

// splitOf returns the largest power of two below n. n is above 1.
func splitOf(n int) int { return 1 << (bits.Len(uint(n-1)) - 1) }

// errHidden is the error for proofs of [MaxNamespace] that prove nothing.
var errHidden = errors.New("nmt: with IgnoreMaxNamespace, nodes hide leaves of MaxNamespace, " +
	"so no proof names all that have it")

// ProveNamespace returns the proof of all leaves with a namespace, or of its
// absence, in the tree over leaves. It is an error if the namespaces of leaves are
// out of order.
//
// It is also an error to ask for [MaxNamespace] with IgnoreMaxNamespace, if a leaf has
// another namespace: no proof exists. There celestiaorg/nmt returns the empty proof of
// absence, even if leaves have MaxNamespace.
func ProveNamespace(leaves []Node, ns Namespace, o Options) (Proof, error) {
	if err := checkOrder(leaves); err != nil {
		return Proof{}, fmt.Errorf("nmt: %w", err)
	}
	if len(leaves) == 0 {
		return Proof{}, nil
	}
	lowest := leaves[0].Min
	if lowest != maxNamespace && o.hides(ns) {
		return Proof{}, errHidden
	}
	if ns.Compare(lowest) < 0 || ns.Compare(o.highest(leaves)) > 0 {
		return Proof{}, nil
	}
	start := sort.Search(len(leaves), func(i int) bool { return leaves[i].Min.Compare(ns) >= 0 })
	end := sort.Search(len(leaves), func(i int) bool { return leaves[i].Min.Compare(ns) > 0 })
	if start < end {
		return proveRange(leaves, start, end, o), nil
	}
	if err := checkRange(leaves, start, start+1); err != nil {
		return Proof{}, err // the last of leaves is an inner node: Min < ns <= Max
	}
	p := proveRange(leaves, start, start+1, o)
	absent := leaves[start]
	p.Absent = &absent
	return p, nil
}

// highest returns the Max of the root of leaves, of which there is at least one. It takes
// the child that span takes, from the root down, and hashes nothing.
func (o Options) highest(leaves []Node) Namespace {
	for len(leaves) > 1 {
		split := splitOf(len(leaves))
		if o.hides(leaves[split].Min) {
			leaves = leaves[:split]
		} else {
			leaves = leaves[split:]
		}
	}
	return leaves[0].Max
}

// VerifyInclusion returns nil if p proves that leaves Start to End-1 of the
// tree with this root have the given namespace and data. Other leaves may have
// the namespace too.
//
// A root does not fix the number of leaves. So Start and End are proved only if the
// number is known, is a power of two and is at least End. Otherwise the leaves are in
// the tree, but possibly elsewhere.
func (p Proof) VerifyInclusion(root Node, ns Namespace, leaves [][]byte, o Options) error {
	if p.Absent != nil {
		return fmt.Errorf("nmt: a proof of absence proves no inclusion")
	}
	return p.verify(root, leafNodes(ns, leaves), o)
}

// VerifyNamespace returns nil if p proves that, in the tree with this root, exactly the
// given leaves have the namespace. If leaves is empty, p proves that no leaf has it.
//
// With IgnoreMaxNamespace, leaves of [MaxNamespace] can be hidden below any node of a
// proof. Then VerifyNamespace accepts two proofs of MaxNamespace: of a tree whose
// leaves all have it, and of a tree of no leaves. celestiaorg/nmt accepts others too,
// though leaves may be missing.
func (p Proof) VerifyNamespace(root Node, ns Namespace, leaves [][]byte, o Options) error {
	if o.hides(ns) && (len(p.Nodes) > 0 || p.isEmpty() && root != EmptyRoot()) {
		return errHidden
	}
	if p.isEmpty() {
		switch {
		case len(leaves) > 0:
			return fmt.Errorf("nmt: an empty proof proves no leaves; %d were given", len(leaves))
		case ns.Compare(root.Min) < 0 || ns.Compare(root.Max) > 0 || root == EmptyRoot():
			return nil
		}
		return fmt.Errorf("nmt: an empty proof for namespace %x, which is inside of the root's, %x to %x", ns, root.Min, root.Max)
	}
	nodes := leafNodes(ns, leaves)
	if p.Absent != nil {
		if len(leaves) > 0 {
			return fmt.Errorf("nmt: a proof of absence proves no leaves; %d were given", len(leaves))
		}
		if p.Absent.Min.Compare(ns) <= 0 {
			return fmt.Errorf("nmt: a proof of absence of namespace %x has a leaf of %x, which is not above it", ns, p.Absent.Min)
		}
		nodes = []Node{*p.Absent}
	}
	// The nodes left of the range are below the namespace, the nodes right of
	// it above.
	left, err := p.left()
	if err != nil {
		return err
	}
	for i, n := range p.Nodes[:left] {
		if n.Max.Compare(ns) >= 0 {
			return fmt.Errorf("nmt: node %d of the proof, left of the range, reaches up to namespace %x", i, n.Max)
		}
	}
	for i, n := range p.Nodes[left:] {
		if n.Min.Compare(ns) <= 0 {
			return fmt.Errorf("nmt: node %d of the proof, right of the range, reaches down to namespace %x", left+i, n.Min)
		}
	}
	return p.verify(root, nodes, o)
}

// left returns the number of nodes left of the range. It is an error if p has fewer
// nodes.
func (p Proof) left() (int, error) {
	left := bits.OnesCount(uint(p.Start))
	if p.Start < 0 || left > len(p.Nodes) {
		return 0, fmt.Errorf("nmt: proof has %d nodes; a range from leaf %d on needs %d or more", len(p.Nodes), p.Start, left)
	}
	return left, nil
}

// maxEnd is the highest end of a range. Up to maxEnd, twice the largest power of two
// below the end fits an int.
const maxEnd = 1 << (bits.UintSize - 2)

func leafNodes(ns Namespace, leaves [][]byte) []Node {
	nodes := make([]Node, len(leaves))
	leafHashes(nodes, slices.Repeat([]Namespace{ns}, len(leaves)), leaves)
	return nodes
}

// verify returns nil if the range has these leaves.
func (p Proof) verify(root Node, leaves []Node, o Options) error {
	if p.End <= p.Start {
		return fmt.Errorf("nmt: proof is of an empty range, with start %d and end %d", p.Start, p.End)
	}
	if p.Start < 0 || p.End-p.Start != len(leaves) {
		return fmt.Errorf("nmt: proof is of leaves %d to %d; %d leaves were given", p.Start, p.End-1, len(leaves))
	}
	if p.End > maxEnd {
		return fmt.Errorf("nmt: proof is of leaves up to %d; there are at most %d", p.End-1, maxEnd)
	}
	// If the proof had fewer nodes left of the range, a node could pass for the root.
	// Then the leaves would not count.
	if _, err := p.left(); err != nil {
		return err
	}
	v := verifier{proof: &p, leaves: leaves, nodes: p.Nodes, options: o}
	width := 1
	if p.End > 1 {
		width = 2 * splitOf(p.End)
	}
	got, ok := v.subtree(0, width)
	// The nodes that remain are right of the subtree that has the range.
	for ok && len(v.nodes) > 0 {
		right := v.next()
		got, ok = v.join(got, right)
	}
	switch {
	case v.err != nil:
		return v.err
	case !ok:
		return fmt.Errorf("nmt: proof has %d nodes, too few for leaves %d to %d", len(p.Nodes), p.Start, p.End-1)
	case got != root:
		return fmt.Errorf("nmt: the proof leads to root %x of namespaces %x to %x, not to %x of %x to %x",
			got.Digest, got.Min, got.Max, root.Digest, root.Min, root.Max)
	}
	return nil
}

// A verifier computes the root from a proof.
type verifier struct {
	proof   *Proof
	leaves  []Node
	nodes   []Node // of the proof, those not used yet
	options Options
	err     error
}

func (v *verifier) next() (n Node) {
	n, v.nodes = v.nodes[0], v.nodes[1:]
	return n
}

// subtree returns the root of the leaves from first to end-1, as many of them as the tree
// has. end-first is a power of two. subtree returns false if the tree has none of these
// leaves, if the proof has too few nodes, or if v.err is set.
func (v *verifier) subtree(first, end int) (Node, bool) {
	p := v.proof
	switch {
	case v.err != nil:
		return Node{}, false
	case end <= p.Start || first >= p.End:
		if len(v.nodes) == 0 {
			return Node{}, false
		}
		return v.next(), true
	case end-first == 1:
		return v.leaves[first-p.Start], true
	}
	middle := first + (end-first)/2
	left, ok := v.subtree(first, middle)
	if !ok {
		return Node{}, false
	}
	right, ok := v.subtree(middle, end)
	if !ok {
		return left, v.err == nil // the tree has no leaf from middle on
	}
	return v.join(left, right)
}

// join returns the parent of two nodes, or false and sets err if their namespaces
// are out of order.
func (v *verifier) join(left, right Node) (parent Node, ok bool) {
	children := [...]Node{left, right}
	if err := checkOrder(children[:]); err != nil {
		v.err = fmt.Errorf("nmt: proof: %w", err)
		return Node{}, false
	}
	v.options.parent(&parent, &children)
	return parent, true
}
