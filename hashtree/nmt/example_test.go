package nmt_test

import (
	"fmt"
	"slices"

	"github.com/sha256-simd/sha256-simd/hashtree/nmt"
	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
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
	fmt.Printf("from %x to %x: %x\n", root.Min[28:], root.Max[28:], root.Digest)
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

func ExampleNamespace_Compare() {
	namespaces := []nmt.Namespace{nmt.MaxNamespace(), {28: 5}, {27: 1}}
	slices.SortFunc(namespaces, nmt.Namespace.Compare) // the order of leaves
	for _, ns := range namespaces {
		fmt.Printf("%x\n", ns)
	}
	// Output:
	// 0000000000000000000000000000000000000000000000000000000005
	// 0000000000000000000000000000000000000000000000000000000100
	// ffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
}

// A proof is of the leaves of a namespace, of a namespace between those of the leaves,
// or of a namespace outside.
func ExampleProveNamespace() {
	nodes, _, _ := leaves()
	for _, ns := range []nmt.Namespace{{28: 1}, {28: 3}, {28: 7}} {
		p, err := nmt.ProveNamespace(nodes, ns, nmt.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("namespace %d: from leaf %d to before leaf %d, %d nodes, absent: %t\n", ns[28], p.Start, p.End, len(p.Nodes), p.Absent != nil)
	}
	// Output:
	// namespace 1: from leaf 0 to before leaf 2, 1 nodes, absent: false
	// namespace 3: from leaf 2 to before leaf 3, 1 nodes, absent: true
	// namespace 7: from leaf 0 to before leaf 0, 0 nodes, absent: false
}

// A light client gets the data of a namespace, and knows that it is all of it.
func ExampleProof_VerifyNamespace() {
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
	nodes, _, _ := leaves()
	proof, err := nmt.ProveRange(nodes, 1, 2, nmt.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Beside leaf 1 are leaves 0 and 2.
	fmt.Println(proof.Nodes[0] == nodes[0], proof.Nodes[1] == nodes[2])
	// Output:
	// true true
}

// A light client samples one leaf.
func ExampleProof_VerifyInclusion() {
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
	fmt.Println(proof.VerifyInclusion(root, namespaces[1], data[:1], nmt.Options{}) != nil)
	// Output:
	// <nil>
	// true
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
	fmt.Println(rows[0] == cols[0], rows[0].Max[28], rows[1].Min == nmt.MaxNamespace())
	// Output:
	// true 7 true
}

// The data root in the header of a block is the root over the roots of its square.
func ExampleNode_Bytes() {
	share := make([]byte, 64)
	rows, cols := make([]nmt.Node, 2), make([]nmt.Node, 2)
	if err := nmt.Square(rows, cols, [][]byte{share, share, share, share}, 2); err != nil {
		fmt.Println(err)
		return
	}
	var roots [][]byte
	for _, root := range slices.Concat(rows, cols) {
		roots = append(roots, root.Bytes())
	}
	fmt.Printf("%x\n", rfc6962.Root(roots))
	// Output:
	// a2624a737aa01897f9282ec8c534cbddb71d78fd82d9a3cba8b22b4426ccd9e4
}

// A client gets a root and the nodes of a proof as bytes.
func ExampleParseNode() {
	nodes, _, _ := leaves()
	received := nodes[2].Bytes()
	node, err := nmt.ParseNode(received)
	fmt.Println(node == nodes[2], err)
	_, err = nmt.ParseNode(received[:32])
	fmt.Println(err)
	// Output:
	// true <nil>
	// nmt: a node of 32 bytes; expected 90
}

func ExampleEmptyRoot() {
	root, err := nmt.Root(nil, nmt.Options{})
	fmt.Println(root == nmt.EmptyRoot(), err)
	// Output:
	// true <nil>
}
