package nmt

import "fmt"

// Square sets rows and cols to the roots of the rows and the columns of an extended data
// square of width × width shares, in row-major order. Each share is hashed once, as a leaf
// of its row and of its column. The namespace of a share in the first quadrant is its first
// 29 bytes, and the namespace of every other share is [MaxNamespace]. Nodes are computed
// with IgnoreMaxNamespace. Square allocates 90 bytes for each share, and up to 220 KB, or 120
// bytes for each column, more.
//
// It is an error if the namespaces of a row or a column of the first quadrant
// fall, or if a share there is shorter than a namespace; then rows and cols stay
// as they are.
//
// It panics, before it touches anything, if width is not positive and even, or if
// there are not width rows, width columns and width² shares.
func Square(rows, cols []Node, shares [][]byte, width int) error {
	if width < 2 || width%2 != 0 || len(rows) != width || len(cols) != width || len(shares)/width != width || len(shares)%width != 0 {
		panic(fmt.Sprintf("nmt: Square: %d rows, %d columns and %d shares for an extended width of %d", len(rows), len(cols), len(shares), width))
	}
	original := width / 2
	for row := range original {
		for col := range original {
			if n := len(shares[row*width+col]); n < NamespaceSize {
				return fmt.Errorf("nmt: share in row %d, column %d has %d bytes, less than a namespace's %d", row, col, n, NamespaceSize)
			}
		}
	}
	namespace := func(row, col int) *Namespace {
		if row < original && col < original {
			return (*Namespace)(shares[row*width+col])
		}
		return &maxNamespace
	}
	for row := range original {
		for col := range original {
			ns := namespace(row, col)
			if col > 0 && ns.below(namespace(row, col-1)) {
				return fmt.Errorf("nmt: row %d: namespace %x in column %d is below %x before it", row, *ns, col, *namespace(row, col-1))
			}
			if row > 0 && ns.below(namespace(row-1, col)) {
				return fmt.Errorf("nmt: column %d: namespace %x in row %d is below %x above it", col, *ns, row, *namespace(row-1, col))
			}
		}
	}
	leaves := make([]Node, len(shares))
	// As many rows at a time as are hashed in one call.
	group := min(width, max(1, leavesPerCall/width))
	namespaces := make([]Namespace, group*width)
	for first := 0; first < width; first += group {
		n := min(group, width-first)
		for row := range n {
			for col := range width {
				namespaces[row*width+col] = *namespace(first+row, col)
			}
		}
		from, to := first*width, (first+n)*width
		leafHashes(leaves[from:to], namespaces, shares[from:to])
	}
	tree := Options{IgnoreMaxNamespace: true}.tree()
	tree.Roots(rows, leaves, width)
	// As many columns at a time as are climbed side by side.
	group = min(width, max(1, 2*leavesPerCall/width))
	columns := make([]Node, group*width)
	for first := 0; first < width; first += group {
		n := min(group, width-first)
		for row := range width {
			for i := range n {
				columns[i*width+row] = leaves[row*width+first+i]
			}
		}
		tree.Roots(cols[first:first+n], columns[:n*width], width)
	}
	return nil
}
