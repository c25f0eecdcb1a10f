// Package crosscheck shows how programs that use cometbft/crypto/merkle or
// transparency-dev/merkle hash their trees with this library, and tests its trees
// against these and other implementations, which only this module depends on.
package crosscheck

import (
	"slices"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
)

// HashFromByteSlices does the same as cometbft's function of this name.
func HashFromByteSlices(items [][]byte) []byte {
	root := rfc6962.Root(items)
	return root[:]
}

// A Hasher does the same as transparency-dev's rfc6962.DefaultHasher, one hash at a
// time. For many hashes at a time, use [rfc6962.LeafHashes], [rfc6962.Root] or
// [rfc6962.Range].
type Hasher struct{}

// EmptyRoot returns the root of no leaves.
func (Hasher) EmptyRoot() []byte { return digest(nil) }

// HashLeaf returns the hash of a leaf.
func (Hasher) HashLeaf(leaf []byte) []byte {
	hash := rfc6962.LeafHash(leaf)
	return hash[:]
}

// HashChildren returns the node above two.
func (Hasher) HashChildren(l, r []byte) []byte { return digest([]byte{1}, l, r) }

// Size returns the length of a hash in bytes.
func (Hasher) Size() int { return sha256.Size }

func digest(parts ...[]byte) []byte {
	sum := sha256.Sum256(slices.Concat(parts...))
	return sum[:]
}

// AppendAll replaces transparency-dev's compact.Range, to which leaves are
// hashed and appended one by one: it appends leaves and returns the root.
func AppendAll(log *rfc6962.Range, leaves [][]byte) []byte {
	log.Append(leaves)
	root := log.Root()
	return root[:]
}
