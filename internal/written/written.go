// Package written shows the root package the hash that another hash of this library
// writes to.
package written

import "hash"

// A Hash is a hash whose method Write does nothing but write to another hash, which
// WritesTo returns.
type Hash interface {
	hash.Hash
	WritesTo(Here) hash.Hash
}

// Here is a type that other modules cannot name, so that none of their hashes is a Hash.
type Here struct{}
