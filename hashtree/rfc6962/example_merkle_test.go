package rfc6962_test

import (
	"fmt"

	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
)

// prove returns the root over the parts of a block, and a proof for each part.
func prove(parts [][]byte) (root [32]byte, proofs [][][32]byte) {
	hashes := make([][32]byte, len(parts))
	rfc6962.LeafHashes(hashes, parts)
	return rfc6962.RootAndProofs(hashes)
}

// verify returns nil if a block of size parts has this root, and part is the
// one at index.
func verify(root [32]byte, size, index uint64, part []byte, proof [][32]byte) error {
	return rfc6962.VerifyInclusion(root, size, index, rfc6962.LeafHash(part), proof)
}

// A node proposes a block. It signs the root and sends each part with its proof, so
// that others can check a part before they have the rest.
func Example_merkleTree() {
	parts := [][]byte{[]byte("transactions 0 to 9"), []byte("10 to 19"), []byte("20 to 22")}
	root, proofs := prove(parts)

	fmt.Println(verify(root, 3, 1, parts[1], proofs[1]))
	fmt.Println(verify(root, 3, 1, []byte("forged"), proofs[1]) != nil)
	// Output:
	// <nil>
	// true
}
