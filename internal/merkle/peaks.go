package merkle

import "math/bits"

// Peaks are a tree that grows: the roots of its largest whole subtrees, from left to
// right. The zero Peaks have no leaves. Assignment copies Peaks. Their methods take the
// definition of the tree, in which a node without a sibling goes up as it is.
type Peaks struct {
	leaves uint64
	// low and high have a root for each level whose bit is set in leaves. Few trees need
	// high; inline, it would make Peaks slow to clear. Copies of Peaks share the array
	// that high points to, so this array does not change.
	low  [lowLevels][32]byte
	high *[topLevel - lowLevels][32]byte
}

const (
	lowLevels = 16
	topLevel  = 64
)

// PeaksOf returns the Peaks of so many leaves that have these Roots, one for each bit that
// is set in leaves.
func PeaksOf(leaves uint64, roots [][32]byte) Peaks {
	p := Peaks{leaves: leaves}
	for i := range roots {
		level := bits.Len64(leaves) - 1
		p.setRoot(level, &roots[i])
		leaves &^= 1 << level
	}
	return p
}

// Roots returns the roots of the largest whole subtrees, from left to right.
func (p *Peaks) Roots() [][32]byte {
	roots := make([][32]byte, 0, bits.OnesCount64(p.leaves))
	for left := p.leaves; left != 0; {
		level := bits.Len64(left) - 1
		roots = append(roots, *p.root(level))
		left &^= 1 << level
	}
	return roots
}

// root returns the root on a level whose bit is set in leaves.
func (p *Peaks) root(level int) *[32]byte {
	if level < lowLevels {
		return &p.low[level]
	}
	return &p.high[level-lowLevels]
}

// setRoot sets the root on a level.
func (p *Peaks) setRoot(level int, root *[32]byte) {
	if level < lowLevels {
		p.low[level] = *root
		return
	}
	high := new([topLevel - lowLevels][32]byte)
	if p.high != nil {
		*high = *p.high
	}
	high[level-lowLevels] = *root
	p.high = high
}

// Leaves returns the number of leaves.
func (p *Peaks) Leaves() uint64 { return p.leaves }

// Reset drops all leaves.
func (p *Peaks) Reset() { p.leaves = 0 }

// Append adds n leaves. fill sets dst to the leaves from leaf i on. If fill panics, p
// stays as it is. Above 1024 leaves Append allocates one and a half bytes for each leaf.
func (p *Peaks) Append(t *Tree, n int, fill func(dst [][32]byte, i int)) {
	const (
		window = subtreeLeaves / 2 // what there is room for
		levels = subtreeLevels - 1
	)
	s := t.Pool.get()
	defer t.Pool.put(s)
	if n <= window {
		leaves := s.wide[1:][:n]
		fill(leaves, 0)
		if t.byParent(n) {
			for i := range leaves {
				p.Add(t, leaves[i], 0)
			}
			return
		}
		p.lift(t, s.wide[:], s.narrow[:], leaves, p.leaves, 0, topLevel)
		p.leaves += uint64(n)
		return
	}
	next := *p
	most := n>>levels + 1
	wide, narrow := make([][32]byte, 1, 1+most), make([][32]byte, 1+(most+1)/2)
	for i := 0; i < n; i += window {
		leaves := s.wide[1:][:min(n-i, window)]
		fill(leaves, i)
		wide = append(wide, next.lift(t, s.wide[:], s.narrow[:], leaves, next.leaves, 0, levels)...)
		next.leaves += uint64(len(leaves))
	}
	next.lift(t, wide, narrow, wide[1:], p.leaves, levels, topLevel)
	*p = next
}

// Add adds the whole subtree with that root, which is on `level`. No subtree of p is
// smaller.
func (p *Peaks) Add(t *Tree, root [32]byte, level int) {
	at := level
	for ; p.leaves>>at&1 == 1; at++ {
		children := [2][32]byte{*p.root(at), root}
		t.parent(&root, &children, nil)
	}
	p.setRoot(at, &root)
	p.leaves += 1 << level
}

// lift adds nodes to a tree of `leaves` leaves, from `level` up to the level `to`. It
// returns the nodes that are then on the level `to`. A node that has no sibling yet stays
// below, as a peak. nodes begins at the second element of buf.
func (p *Peaks) lift(t *Tree, buf, other, nodes [][32]byte, leaves uint64, level, to int) [][32]byte {
	for ; level < to && len(nodes) > 0; level++ {
		if leaves>>level&1 == 1 {
			buf[0] = *p.root(level)
			nodes = buf[:1+len(nodes)]
		}
		n := len(nodes)
		if n%2 == 1 {
			p.setRoot(level, &nodes[n-1])
		}
		above := other[1:][:n/2]
		t.Nodes(above, nodes[:n&^1])
		nodes = above
		buf, other = other, buf
	}
	return nodes
}

// Root returns the root of the tree, which has at least one leaf.
func (p *Peaks) Root(t *Tree) [32]byte {
	return p.fold(t, p.leaves&(p.leaves-1), *p.root(bits.TrailingZeros64(p.leaves)))
}

// RootWith returns the root of the tree with one more part at its end. The root of that
// part is `last`. The part is no larger than the smallest subtree of p.
func (p *Peaks) RootWith(t *Tree, last [32]byte) [32]byte { return p.fold(t, p.leaves, last) }

// fold returns the root over the subtrees on the levels set in `levels`, followed by a
// subtree whose root is `last`.
func (p *Peaks) fold(t *Tree, levels uint64, last [32]byte) [32]byte {
	for ; levels != 0; levels &= levels - 1 {
		children := [2][32]byte{*p.root(bits.TrailingZeros64(levels)), last}
		t.parent(&last, &children, nil)
	}
	return last
}
