package nmt_test

import (
	"fmt"

	"github.com/sha256-simd/sha256-simd/hashtree/nmt"
)

// leaves returns three leaves in two namespaces.
func leaves() (nodes []nmt.Node, namespaces []nmt.Namespace, data [][]byte) {
	namespaces = []nmt.Namespace{{28: 1}, {28: 1}, {28: 5}}
	data = [][]byte{[]byte("one"), []byte("two"), []byte("three")}
	nodes = make([]nmt.Node, len(data))
	if err := nmt.LeafHashes(nodes, namespaces, data); err != nil {
		panic(err)
	}
	return nodes, namespaces, data
}

func ExampleRoot() {
	nodes, _, _ := leaves()
	root, err := nmt.Root(nodes, nmt.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("from %x to %x: %x\n", root.Min[28:], root.Max[28:], root.Hash)
	// Output:
	// from 01 to 05: 0dde6262574dcfe527b9d6ee9891e1bf1bcc95209c224bfb86b6d53cb2bd6f9e
}

func ExampleLeafHashes() {
	nodes := make([]nmt.Node, 2)
	err := nmt.LeafHashes(nodes, []nmt.Namespace{{28: 2}, {28: 1}}, [][]byte{[]byte("one"), []byte("two")})
	fmt.Println(err)
	// Output:
	// nmt: namespace 0000000000000000000000000000000000000000000000000000000001 of leaf 1 is below namespace 0000000000000000000000000000000000000000000000000000000002 of leaf 0
}

func ExampleRoots() {
	nodes, _, _ := leaves()
	roots := make([]nmt.Node, 2)
	if err := nmt.Roots(roots, append(nodes, nodes...), 3, nmt.Options{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(roots[0] == roots[1])
	// Output:
	// true
}

func ExampleProveNamespace() {
	nodes, namespaces, data := leaves()
	root, err := nmt.Root(nodes, nmt.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	proof, err := nmt.ProveNamespace(nodes, namespaces[0], nmt.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("leaves 0 and 1:", proof.VerifyNamespace(root, namespaces[0], data[:2], nmt.Options{}))
	fmt.Println("leaf 0 alone:", proof.VerifyNamespace(root, namespaces[0], data[:1], nmt.Options{}))

	absent := nmt.Namespace{28: 3}
	proof, err = nmt.ProveNamespace(nodes, absent, nmt.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("none of namespace 3:", proof.VerifyNamespace(root, absent, nil, nmt.Options{}))
	// Output:
	// leaves 0 and 1: <nil>
	// leaf 0 alone: nmt: proof is of leaves 0 to 1; 1 leaves were given
	// none of namespace 3: <nil>
}

func ExampleProveRange() {
	nodes, namespaces, data := leaves()
	root, err := nmt.Root(nodes, nmt.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	proof, err := nmt.ProveRange(nodes, 1, 2, nmt.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(proof.VerifyInclusion(root, namespaces[1], data[1:2], nmt.Options{}))
	// Output:
	// <nil>
}

func ExampleSquare() {
	// One share and its parity shares, which are the same bytes.
	share := make([]byte, 64)
	share[28] = 7 // its namespace
	rows, cols := make([]nmt.Node, 2), make([]nmt.Node, 2)
	if err := nmt.Square(rows, cols, [][]byte{share, share, share, share}, 2); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rows[0] == cols[0], rows[0].Max[28], rows[1].Min == nmt.MaxNamespace)
	// Output:
	// true 7 true
}

func ExampleEmptyRoot() {
	root, err := nmt.Root(nil, nmt.Options{})
	fmt.Println(root == nmt.EmptyRoot(), err)
	// Output:
	// true <nil>
}
