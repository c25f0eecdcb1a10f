package merkle

import "testing"

// TestRoots tests trees side by side, of every size whose levels differ in how they are
// odd, as many as fit and more, against trees one by one.
func TestRoots(t *testing.T) {
	sizes := []int{1023, 1024, 1025, 2047, 2048, 2049, 5000}
	for size := 1; size <= 70; size++ {
		sizes = append(sizes, size)
	}
	for _, tree := range []struct {
		name string
		*Tree
	}{{"without a sibling upward", &upward}, {"with zeros", &Zeros}} {
		for _, size := range sizes {
			for _, n := range []int{0, 1, 2, 3, 64, 2 * subtreeLeaves / size} {
				leaves, got := make([][32]byte, n*size), make([][32]byte, n)
				numbered(leaves, 0)
				tree.Roots(got, leaves, size)
				for i := range got {
					own := leaves[i*size:][:size]
					if want := tree.Root(own, 0, Depth(size)); got[i] != want {
						t.Fatalf("%s: tree %d of %d with %d leaves has the root %x, want %x", tree.name, i, n, size, got[i], want)
					}
				}
			}
		}
	}
}
