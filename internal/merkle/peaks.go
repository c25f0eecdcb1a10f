package merkle

import "math/bits"

// Peaks are a tree that grows: the roots of its largest whole subtrees, from left to
// right. The zero Peaks have no leaves. Assignment copies Peaks. Their methods take the
// definition of the tree, in which a node without a sibling goes up as it is.
type Peaks struct {
	leaves uint64
	roots  [64][32]byte // on each level that is a bit of leaves
}

// Leaves returns the number of leaves.
func (p *Peaks) Leaves() uint64 { return p.leaves }

// Reset drops all leaves.
func (p *Peaks) Reset() { p.leaves = 0 }

// Append adds n leaves. fill sets dst to the leaves from leaf i on. If it panics, p stays
// as it is. Above 1024 leaves Append allocates one and a half bytes for each.
func (p *Peaks) Append(t *Tree, n int, fill func(dst [][32]byte, i int)) {
	const (
		window = subtreeLeaves / 2 // what there is room for
		levels = subtreeLevels - 1
	)
	s := t.Pool.get()
	defer t.Pool.put(s)
	next := *p
	wide, narrow := s.wide[:], s.narrow[:]
	top := len(p.roots)
	if n > window {
		most := n>>levels + 1
		wide, narrow = make([][32]byte, 1, 1+most), make([][32]byte, 1+(most+1)/2)
		top = levels
	}
	for i := 0; i < n; i += window {
		leaves := s.wide[1:][:min(n-i, window)]
		fill(leaves, i)
		upper := next.lift(t, s.wide[:], s.narrow[:], leaves, next.leaves, 0, top)
		if n > window {
			wide = append(wide, upper...)
		}
		next.leaves += uint64(len(leaves))
	}
	if n > window {
		next.lift(t, wide, narrow, wide[1:], p.leaves, levels, len(p.roots))
	}
	*p = next
}

// Add adds the whole subtree with that root, which is on `level`. No subtree of p is
// smaller.
func (p *Peaks) Add(t *Tree, root [32]byte, level int) {
	s := t.Pool.get()
	defer t.Pool.put(s)
	s.wide[1] = root
	p.lift(t, s.wide[:], s.narrow[:], s.wide[1:2], p.leaves, level, len(p.roots))
	p.leaves += 1 << level
}

// lift adds nodes to a tree of that many leaves, from level up to the level `to`. It
// returns what is on that level then. What has no sibling yet stays below, as a peak.
// Nodes begin at the second place of buf.
func (p *Peaks) lift(t *Tree, buf, other, nodes [][32]byte, leaves uint64, level, to int) [][32]byte {
	for ; level < to && len(nodes) > 0; level++ {
		if leaves>>level&1 == 1 {
			buf[0] = p.roots[level]
			nodes = buf[:1+len(nodes)]
		}
		n := len(nodes)
		if n%2 == 1 {
			p.roots[level] = nodes[n-1]
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
	return p.fold(t, p.leaves&(p.leaves-1), p.roots[bits.TrailingZeros64(p.leaves)])
}

// RootWith returns the root of the tree with a last part that has the root last. The part
// is smaller than every subtree of p, or as large as the smallest.
func (p *Peaks) RootWith(t *Tree, last [32]byte) [32]byte { return p.fold(t, p.leaves, last) }

// fold returns the root of the subtrees on the levels that are bits of `levels`, with one
// behind them that has the root last.
func (p *Peaks) fold(t *Tree, levels uint64, last [32]byte) [32]byte {
	if levels == 0 {
		return last
	}
	s := t.Pool.get()
	defer t.Pool.put(s)
	s.wide[1] = last
	for ; levels != 0; levels &= levels - 1 {
		s.wide[0] = p.roots[bits.TrailingZeros64(levels)]
		t.Nodes(s.narrow[:1], s.wide[:2])
		s.wide[1] = s.narrow[0]
	}
	return s.wide[1]
}
