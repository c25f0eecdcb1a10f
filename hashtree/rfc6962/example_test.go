package rfc6962_test

import (
	"crypto/sha256"
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

// A log signs its size and its root after each batch of leaves.
func ExampleRange() {
	var log rfc6962.Range
	for _, batch := range [][][]byte{{[]byte("one"), []byte("two")}, {[]byte("three")}} {
		log.Append(batch)
		fmt.Printf("%d leaves: %x\n", log.Size(), log.Root())
	}
	// Output:
	// 2 leaves: 4f55f619d9215235778b2b9f17d6f4915b16171214d152381293669764de722e
	// 3 leaves: 5aac771c899ac292e74bf1afe2e6e302f8b55883b2d1bf197b46a6bea6dabca9
}

// A log that also serves proofs stores its leaves' hashes and, with each root that it signs,
// the hashes of its range. After a restart it goes on from there.
func ExampleRangeOf() {
	leaves := [][]byte{[]byte("one"), []byte("two"), []byte("three")}
	hashes := make([][32]byte, len(leaves))
	rfc6962.LeafHashes(hashes, leaves)
	var log rfc6962.Range
	log.AppendHashes(hashes)
	size, stored := log.Size(), log.Hashes()

	again, err := rfc6962.RangeOf(size, stored)
	if err != nil {
		fmt.Println(err)
		return
	}
	again.Append([][]byte{[]byte("four")})
	fmt.Println(again.Root() == rfc6962.Root(append(leaves, []byte("four"))))
	// Output:
	// true
}

// The header of a block has the root over its transactions.
func ExampleRoot() {
	fmt.Printf("%x\n", rfc6962.Root([][]byte{[]byte("alice pays bob"), []byte("bob pays carol")}))
	fmt.Printf("%x\n", rfc6962.Root(nil))
	// Output:
	// 085a9405e9234424bcf2cf98091257d2b4a4723681795447bdedf8e949d27693
	// e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
}

func ExampleLeafHashes() {
	leaves := [][]byte{[]byte("one"), []byte("two")}
	hashes := make([][32]byte, len(leaves))
	rfc6962.LeafHashes(hashes, leaves)
	fmt.Println(hashes[0] == sha256.Sum256([]byte("\x00one")))
	fmt.Println(rfc6962.RootOfHashes(hashes) == rfc6962.Root(leaves))
	// Output:
	// true
	// true
}

// A client that gets one leaf hashes it, to verify its proof.
func ExampleLeafHash() {
	hash := rfc6962.LeafHash([]byte("one"))
	fmt.Println(hash == sha256.Sum256([]byte("\x00one")))
	fmt.Println(hash == rfc6962.Root([][]byte{[]byte("one")})) // of a tree of one leaf
	// Output:
	// true
	// true
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

// The last of three leaves has one sibling: the node above the first two.
func ExampleInclusionProof() {
	hashes := hashesOf("one", "two", "three")
	proof, err := rfc6962.InclusionProof(hashes, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(proof), proof[0] == rfc6962.RootOfHashes(hashes[:2]))
	_, err = rfc6962.InclusionProof(hashes, 3)
	fmt.Println(err)
	// Output:
	// 1 true
	// rfc6962: no leaf 3 in a tree of 3
}

// A client trusts a root, and gets a leaf and its proof from a server.
func ExampleVerifyInclusion() {
	hashes := hashesOf("one", "two", "three")
	root := rfc6962.RootOfHashes(hashes)
	proof, err := rfc6962.InclusionProof(hashes, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rfc6962.VerifyInclusion(root, 3, 0, rfc6962.LeafHash([]byte("one")), proof))
	fmt.Println(rfc6962.VerifyInclusion(root, 3, 0, rfc6962.LeafHash([]byte("another leaf")), proof) != nil)
	// Output:
	// <nil>
	// true
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

// A monitor keeps the last root of a log. The log cannot replace a leaf unnoticed.
func ExampleVerifyConsistency() {
	oldRoot := rfc6962.RootOfHashes(hashesOf("one", "two"))
	for _, log := range [][][32]byte{hashesOf("one", "two", "three"), hashesOf("one", "2", "three")} {
		proof, err := rfc6962.ConsistencyProof(log, 2)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rfc6962.VerifyConsistency(oldRoot, 2, rfc6962.RootOfHashes(log), 3, proof) == nil)
	}
	// Output:
	// true
	// false
}

// The tree over four leaves, level by level.
func ExampleNodes() {
	hashes := hashesOf("one", "two", "three", "four")
	root := rfc6962.RootOfHashes(hashes)
	for len(hashes) > 1 {
		if err := rfc6962.Nodes(hashes, hashes); err != nil {
			fmt.Println(err)
			return
		}
		hashes = hashes[:len(hashes)/2]
	}
	fmt.Println(hashes[0] == root)
	// Output: true
}
