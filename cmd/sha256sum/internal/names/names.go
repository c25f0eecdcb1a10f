// Package names holds the names of lists in little memory.
package names

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"

	"github.com/sha256-simd/sha256-simd"
)

// A Key stands for a name: the first 16 bytes of its digest. Names that mean the same
// path have the same key.
type Key [16]byte

// KeyOf returns the key of a name.
func KeyOf(name string) Key {
	digest := sha256.Sum256([]byte(path.Clean(filepath.ToSlash(name))))
	return Key(digest[:16])
}

// Compare orders keys.
func Compare(a, b Key) int { return bytes.Compare(a[:], b[:]) }

// A Set holds the names of a list: a million of them take 16 MB.
type Set []Key

// Add adds a name.
func (s *Set) Add(name string) { *s = append(*s, KeyOf(name)) }

// Sort makes the names ready for Has. It returns how many of them were added more
// than once.
func (s *Set) Sort() (repeated int) {
	slices.SortFunc(*s, Compare)
	before := len(*s)
	*s = slices.Compact(*s)
	return before - len(*s)
}

// Has reports whether a name was added.
func (s Set) Has(name string) bool {
	_, found := slices.BinarySearchFunc(s, KeyOf(name), Compare)
	return found
}
