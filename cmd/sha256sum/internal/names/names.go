// Package names holds the names of lists in little memory.
package names

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/memory"
)

// A Key stands for a name: the first 16 bytes of its digest. Names that mean the same
// path have the same key.
type Key [16]byte

// KeyOf returns the key of a name.
func KeyOf(name string) Key { return hashed([]byte(clean(name))) }

func clean(name string) string { return path.Clean(filepath.ToSlash(name)) }

func hashed(b []byte) Key {
	digest := sha256.Sum256(b)
	return Key(digest[:16])
}

// Compare orders keys.
func Compare(a, b Key) int { return bytes.Compare(a[:], b[:]) }

// A Set holds the names of a list: a million of them take 16 MB, or 32 MB if their files
// are known.
type Set struct{ names, files []Key }

// Add adds a name.
func (s *Set) Add(name string) { s.names = memory.Append(s.names, KeyOf(name)) }

// AddFile adds which file a name opens.
func (s *Set) AddFile(name string, id file.ID) { s.files = memory.Append(s.files, fileKey(name, id)) }

// fileKey stands for all spellings of a name that open a file.
func fileKey(name string, id file.ID) Key {
	return hashed(id.AppendTo([]byte(fold(clean(name)) + "\x00")))
}

// fold gives spellings that a file system may take for one name the same form: those that
// differ in case, or in what is composed. Compatible characters, such as ² and 2, are others,
// and so are any bytes that are not UTF-8.
func fold(name string) string {
	if !utf8.ValidString(name) {
		return name
	}
	return strings.ToLower(strings.ToUpper(norm.NFD.String(name)))
}

// Sort makes the names ready for Has. It returns how many of them were added more
// than once.
func (s *Set) Sort() (repeated int) {
	before := len(s.names)
	sort(&s.names)
	sort(&s.files)
	return before - len(s.names)
}

func sort(keys *[]Key) {
	slices.SortFunc(*keys, Compare)
	*keys = slices.Compact(*keys)
}

// Has reports whether a name was added.
func (s *Set) Has(name string) bool { return has(s.names, KeyOf(name)) }

// HasFile reports whether a file was added that a name opens, with this name or one that
// differs from it in nothing but case and Unicode normalization.
func (s *Set) HasFile(name string, id file.ID) bool { return has(s.files, fileKey(name, id)) }

func has(keys []Key, k Key) bool {
	_, found := slices.BinarySearchFunc(keys, k, Compare)
	return found
}
