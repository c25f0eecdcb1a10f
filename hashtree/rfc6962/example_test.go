package rfc6962_test

import (
	"fmt"

	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
)

func Example() {
	leaves := [][]byte{[]byte("one"), []byte("two"), []byte("three")}
	root := rfc6962.Root(leaves)
	fmt.Printf("%x\n", root)

	// A log proves that it has a leaf.
	hashes := make([][32]byte, len(leaves))
	rfc6962.LeafHashes(hashes, leaves)
	proof, err := rfc6962.InclusionProof(hashes, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rfc6962.VerifyInclusion(root, 3, 1, hashes[1], proof))
	fmt.Println(rfc6962.VerifyInclusion(root, 3, 0, hashes[0], nil))
	// Output:
	// 5aac771c899ac292e74bf1afe2e6e302f8b55883b2d1bf197b46a6bea6dabca9
	// <nil>
	// rfc6962: a proof of 0 hashes for leaf 0 of 3, which takes 2
}

func ExampleRange() {
	var log rfc6962.Range
	log.Append([][]byte{[]byte("one"), []byte("two")})
	log.Append([][]byte{[]byte("three")})
	fmt.Printf("%d leaves: %x\n", log.Size(), log.Root())
	// Output:
	// 3 leaves: 5aac771c899ac292e74bf1afe2e6e302f8b55883b2d1bf197b46a6bea6dabca9
}

// hashesOf returns the hashes of leaves.
func hashesOf(leaves ...string) [][32]byte {
	data := make([][]byte, len(leaves))
	for i, leaf := range leaves {
		data[i] = []byte(leaf)
	}
	hashes := make([][32]byte, len(leaves))
	rfc6962.LeafHashes(hashes, data)
	return hashes
}

func ExampleRootOfHashes() {
	fmt.Printf("%x\n", rfc6962.RootOfHashes(hashesOf("one", "two", "three")))
	// Output:
	// 5aac771c899ac292e74bf1afe2e6e302f8b55883b2d1bf197b46a6bea6dabca9
}

func ExampleInclusionProofs() {
	hashes := hashesOf("one", "two", "three")
	root := rfc6962.RootOfHashes(hashes)
	for i, proof := range rfc6962.InclusionProofs(hashes) {
		err := rfc6962.VerifyInclusion(root, 3, uint64(i), hashes[i], proof)
		fmt.Printf("leaf %d: %d hashes, error %v\n", i, len(proof), err)
	}
	// Output:
	// leaf 0: 2 hashes, error <nil>
	// leaf 1: 2 hashes, error <nil>
	// leaf 2: 1 hashes, error <nil>
}

// A block's header has the root; each part of the block is sent with its proof.
func ExampleRootAndProofs() {
	hashes := hashesOf("one", "two", "three")
	root, proofs := rfc6962.RootAndProofs(hashes)
	fmt.Println(rfc6962.VerifyInclusion(root, 3, 2, hashes[2], proofs[2]))
	// Output: <nil>
}

func ExampleRootFromInclusionProof() {
	hashes := hashesOf("one", "two", "three")
	proof, err := rfc6962.InclusionProof(hashes, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	root, err := rfc6962.RootFromInclusionProof(3, 1, hashes[1], proof)
	fmt.Println(root == rfc6962.RootOfHashes(hashes), err)
	// Output: true <nil>
}

// A log shows that its tree of three leaves has grown from its tree of two.
func ExampleConsistencyProof() {
	hashes := hashesOf("one", "two", "three")
	proof, err := rfc6962.ConsistencyProof(hashes, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	oldRoot, root := rfc6962.RootOfHashes(hashes[:2]), rfc6962.RootOfHashes(hashes)
	fmt.Println(rfc6962.VerifyConsistency(oldRoot, 2, root, 3, proof))
	// Output: <nil>
}
