package slhdsa

import (
	"cmp"
	"slices"

	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// Trees of FORS and of XMSS: FIPS 205, sections 6 and 8.

// A forest is trees of equal height, of which a signature reveals one path each. The
// nodes of each height are numbered from the first tree to the last: so node t has the
// children 2t and 2t+1.
type forest struct {
	*seed
	height int
	// adrs returns the address of node t.
	adrs func(height, t int) address
	// leaf returns the number, within tree i, of the leaf where the path begins. path
	// returns the place for the authentication path. A nil path keeps none.
	leaf func(i int) int
	path func(i int) []byte
	// whole, if not nil, takes the nodes of each height, in order.
	whole func(height int, nodes []byte)
}

// keep copies those of nodes that are in authentication paths. All nodes have one height.
// Their numbers go from first on.
func (f *forest) keep(height, first int, nodes []byte) {
	if f.whole != nil {
		f.whole(height, nodes)
	}
	if f.path == nil || height == f.height {
		return
	}
	up := f.height - height
	for tree := first >> up; tree<<up < first+len(nodes)/f.n; tree++ {
		sibling := tree<<up + (f.leaf(tree)>>height ^ 1) - first
		if sibling >= 0 && sibling < len(nodes)/f.n {
			copy(f.path(tree)[height*f.n:], nodes[sibling*f.n:][:f.n])
		}
	}
}

// reduce reduces nodes of one height, from number first on, to nodes of the height `to`,
// in place, and returns them. It keeps the parts of the authentication paths from height
// `from` up to `to` - 1.
func (s *scratch) reduce(f *forest, nodes []byte, from, to, first int) []byte {
	for height := from; height < to; height++ {
		f.keep(height, first, nodes)
		first /= 2
		nodes = s.parents(f, nodes, height+1, first)
	}
	return nodes
}

// parents replaces nodes by their parents, by H of FIPS 205. The parents have the given
// height, and numbers from first on.
func (s *scratch) parents(f *forest, nodes []byte, height, first int) []byte {
	n := len(nodes) / (2 * f.n)
	if f.usesSHA512() {
		input := s.input[:messageAt+2*f.n]
		for i := range n {
			a := f.adrs(height, first+i)
			copy(input, a[:])
			copy(input[messageAt:], nodes[2*i*f.n:])
			s.sum512(nodes[i*f.n:], f.seed, input)
		}
		return nodes[:n*f.n]
	}
	for done := 0; done < n; {
		live := min(n-done, lanes.MaxOneBlock)
		for i := range live {
			a := f.adrs(height, first+done+i)
			b := &s.one.Blocks[i]
			putBlock(b, &a, 2*f.n)
			copy(b[messageAt:], nodes[2*(done+i)*f.n:][:2*f.n])
		}
		s.useSeed(f.seed, live)
		s.one.Sum(live)
		for i := range live {
			copy(nodes[(done+i)*f.n:], s.value(i, f.seed))
		}
		done += live
	}
	return nodes[:n*f.n]
}

// A climb is the way from a leaf to the root of its tree.
type climb struct {
	*seed
	adrs   address // of the tree
	index  int     // of the leaf, as in a forest
	height int
	path   []byte // the authentication path
	node   []byte // the leaf, then the root
}

// climbAll does climbs side by side, at most one for each lane.
func (s *scratch) climbAll(climbs []climb) {
	// Climbs with SHA-256 come first, the highest before the others. So the climbs that
	// are left are always the first.
	slices.SortStableFunc(climbs, func(a, b climb) int {
		return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(b.height, a.height))
	})
	live := len(climbs)
	for live > 0 && climbs[live-1].usesSHA512() {
		live--
		s.climb512(&climbs[live])
	}
	for i, c := range climbs[:live] {
		putBlock(&s.one.Blocks[i], &c.adrs, 2*c.n)
		copy(s.one.Blocks[i][messageAt:], c.node[:c.n])
		s.one.From[i], s.one.Sizes[i] = &c.after256, uint8(c.n)
	}
	for height := 1; ; height++ {
		for live > 0 && climbs[live-1].height < height {
			live--
			copy(climbs[live].node, s.value(live, climbs[live].seed))
		}
		if live == 0 {
			return
		}
		for i := range climbs[:live] {
			c := &climbs[i]
			c.putChildren(s.one.Blocks[i][:], height, s.one.Blocks[i][messageAt:])
		}
		s.one.Sum(live)
	}
}

// climb512 does a climb with SHA-512.
func (s *scratch) climb512(c *climb) {
	input := s.input[:messageAt+2*c.n]
	copy(input, c.adrs[:])
	for height := 1; height <= c.height; height++ {
		c.putChildren(input, height, c.node)
		s.sum512(c.node, c.seed, input)
	}
}

// putChildren makes b the message of H for the node at a height: its address
// and its children. known is one of the children, and may lie in b.
func (c *climb) putChildren(b []byte, height int, known []byte) {
	setWord(b, heightAt, uint32(height))
	setWord(b, indexAt, uint32(c.index>>height))
	left, right := b[messageAt:][:c.n], b[messageAt+c.n:][:c.n]
	sibling := c.path[(height-1)*c.n:][:c.n]
	if c.index>>(height-1)&1 == 0 {
		copy(left, known)
		copy(right, sibling)
	} else {
		copy(right, known)
		copy(left, sibling)
	}
}
