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
