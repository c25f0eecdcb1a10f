package merkle

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"testing"
)

// upward is a definition of trees in which a node without a sibling goes up as it is.
var upward = Tree{
	Parent: func(dst *[32]byte, children *[2][32]byte) {
		*dst = sha256.Sum256(slices.Concat(children[0][:], children[1][:]))
	},
	Nodes: func(dst, src [][32]byte) {
		for i := range dst {
			dst[i] = sha256.Sum256(slices.Concat(src[2*i][:], src[2*i+1][:]))
		}
	},
	OneByOne: func(n int) bool { return n <= 3 },
	Odd:      func(last [32]byte, _ int) [32]byte { return last },
	Pool:     &Digests,
}

// numbered sets dst to leaves that differ, the first with number i.
func numbered(dst [][32]byte, i int) {
	for j := range dst {
		dst[j] = [32]byte{}
		binary.BigEndian.PutUint64(dst[j][:], uint64(i+j))
	}
}

// rootOf returns the root of n numbered leaves, by definition.
func rootOf(n int) [32]byte {
	level := make([][32]byte, n)
	numbered(level, 0)
	for len(level) > 1 {
		above := make([][32]byte, (len(level)+1)/2)
		upward.Nodes(above[:len(level)/2], level)
		if len(level)%2 == 1 {
			above[len(level)/2] = level[len(level)-1]
		}
		level = above
	}
	return level[0]
}

// TestPeaks adds leaves and whole subtrees, and has one root at the end with a last part
// that is not added.
func TestPeaks(t *testing.T) {
	type part struct {
		leaves int
		added  bool // as a subtree
	}
	for _, parts := range [][]part{
		{{1, false}}, {{1, true}}, {{3, false}}, {{32, true}, {32, true}, {32, true}, {1, false}},
		{{32, true}, {8, true}, {8, true}, {5, false}, {1, true}, {2000, false}, {3, false}},
		{{4096, true}, {1024, false}, {1024, true}, {1025, false}, {1, true}, {1, true}},
		{{1023, false}, {1, true}, {1024, true}, {2048, true}, {1 << 14, false}, {4095, false}},
		{{1, false}, {1 << 14, false}, {1 << 14, false}, {1 << 13, false}, {77, false}},
		{{1 << 16, true}, {1 << 16, true}, {1 << 16, true}, {5, false}, {1<<16 - 5, false}, {1, false}},
	} {
		var p Peaks
		n := 0
		before := make(map[[32]byte]Peaks) // copies, by their roots
		for _, part := range parts {
			first := n
			fill := func(dst [][32]byte, i int) { numbered(dst, first+i) }
			if part.added {
				level := Depth(part.leaves)
				root := upward.RootOf(part.leaves, level, fill)
				if got, want := p.RootWith(&upward, root), rootOf(n+part.leaves); got != want {
					t.Errorf("%v: the root with %d leaves behind %d is %x, want %x", parts, part.leaves, n, got, want)
				}
				p.Add(&upward, root, level)
			} else {
				p.Append(&upward, part.leaves, fill)
			}
			n += part.leaves
			if got, want := p.Root(&upward), rootOf(n); got != want || p.Leaves() != uint64(n) {
				t.Errorf("%v: %d leaves with the root %x, want %d with %x", parts, p.Leaves(), got, n, want)
			}
			before[p.Root(&upward)] = p
		}
		for want, p := range before {
			if got := p.Root(&upward); got != want {
				t.Errorf("%v: a copy of %d leaves has the root %x now, not %x", parts, p.Leaves(), got, want)
			}
		}
	}
}

// TestAppendThatPanics tests that leaves that cannot be read change nothing.
func TestAppendThatPanics(t *testing.T) {
	for _, n := range []int{1, 1024, 5000} {
		var p Peaks
		p.Append(&upward, 1027, numbered)
		before := p
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d leaves: no panic", n)
				}
			}()
			p.Append(&upward, n, func(dst [][32]byte, i int) {
				if numbered(dst, i); i+len(dst) == n {
					panic("unreadable")
				}
			})
		}()
		if p != before {
			t.Errorf("%d leaves that cannot be read have changed the tree", n)
		}
	}
}
