package main

import (
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd"
)

// An item is one thing to print, in its place in the order of printing: the
// result of a file, a message, or the summary of a checksum list.
//
// The source fills in what is asked for and emits the item once. For a file, a
// worker fills in the result and calls pipeline.finish; after that only the
// printer touches it.
type item struct {
	kind itemKind

	name   string            // of the file, as it is printed
	path   string            // that it is opened by
	want   [sha256.Size]byte // the digest that list expects
	list   *list             // the checksum list that names the file or is summed up; nil when printing
	note   string            // a message, without the name of the program
	fail   bool              // the message is of an error: the exit status becomes 1
	walked bool              // found in a tree, not named
	listed bool              // list names it; otherwise list does not, and that is the result
	line   int               // of a malformedItem
	known  *record           // with --update: what the file was
	turn   *turn             // of a file that others may read from, too; nil if its contents are its own

	digest    [sha256.Size]byte
	size      int64
	stamp     stamp  // of a regular file, when it was read
	composite string // with --part-size
	err       error
	done      atomic.Bool
	sized     bool // its size counts in the pipeline's
}

// newFileItem returns the item of a file.
func newFileItem(name, path string) *item { return &item{name: name, path: path} }

type itemKind byte

const (
	fileItem   itemKind = iota
	failedItem          // a directory that could not be read, with its err
	noteItem
	malformedItem // a line of list that could not be read
	summaryItem
)

// A list is a checksum list that is being checked. The source counts its
// lines, the printer the results.
type list struct {
	name  string
	shown string // its name in messages
	audit bool   // files that are not listed are told

	proper    int
	malformed int

	unreadable int
	mismatched int
	matched    int
	unlisted   int
	moved      int
	missing    missingFiles // of an audit; otherwise they count as unreadable
}

// missingFiles are the files of a list that were not there, in its order.
type missingFiles struct {
	names []string                    // "" once the file was found elsewhere
	by    map[[sha256.Size]byte][]int // their indices by what they should be
}

func (m *missingFiles) add(name string, want [sha256.Size]byte) {
	if m.by == nil {
		m.by = make(map[[sha256.Size]byte][]int)
	}
	m.by[want] = append(m.by[want], len(m.names))
	m.names = append(m.names, name)
}

// take returns the first name of a digest, and removes it.
func (m *missingFiles) take(digest [sha256.Size]byte) (name string, found bool) {
	indices := m.by[digest]
	if len(indices) == 0 {
		return "", false
	}
	i := indices[0]
	m.by[digest] = indices[1:]
	name, m.names[i] = m.names[i], ""
	return name, true
}

// A turn is the place of a file among those that read from the same pipe,
// terminal or the like: each reads what those before it left.
type turn struct {
	after <-chan struct{} // closed when those before it are done
	done  chan struct{}   // closed when it is done
}
