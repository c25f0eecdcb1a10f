package main

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"crypto/sha512"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/bag"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/memory"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

// An item is one thing to print, in its place in the order of printing. The
// source emits each item once.
type item interface {
	// ready reports whether the item can be printed.
	ready() bool
}

// A fileItem is a file and what became of it. The source fills in what is asked
// for. A worker fills in the result and calls pipeline.finish; after that only the
// printer touches it.
type fileItem struct {
	name   string         // as it is printed
	path   string         // that it is opened by
	check  *check         // nil when printing
	walked bool           // found in a tree, not named
	known  *update.Record // with --update: what the file was
	turn   *turn          // of a file that others may read from, too; nil if its contents are its own

	result
	done  atomic.Bool
	sized bool // its size counts in the pipeline's
}

// A check is what a list says of a file.
type check struct {
	list   *list
	listed bool   // otherwise the list does not name the file, and that is the result
	want   digest // of a file that is listed
}

// A result is what became of a file.
type result struct {
	digest    digest
	size      int64
	stamp     stamp.Stamp // of a regular file, when it was read
	composite string      // with --part-size
	err       error
}

// A failureItem is a directory that could not be read, or something that should be a file
// and is not.
type failureItem struct {
	name string
	err  error
	list *list // that is checked; nil when printing
}

// A noteItem is a message, without the name of the program.
type noteItem struct {
	text string
	fail bool // the message is of an error: the exit status becomes 1
}

// A malformedItem is a line of a list that is not properly formatted.
type malformedItem struct {
	list *list
	line int
	err  error // what is wrong with it
}

// A summaryItem ends a list.
type summaryItem struct{ list *list }

func (f *fileItem) ready() bool    { return f.done.Load() }
func (*failureItem) ready() bool   { return true }
func (*noteItem) ready() bool      { return true }
func (*malformedItem) ready() bool { return true }
func (*summaryItem) ready() bool   { return true }

// errorItem returns the item of an error.
func errorItem(format string, args ...any) *noteItem {
	return &noteItem{text: fmt.Sprintf(format, args...), fail: true}
}

func newFileItem(name, path string) *fileItem { return &fileItem{name: name, path: path} }

// A digest is one of any algorithm. Digests can be compared.
type digest struct {
	bytes [sha512.Size]byte
	size  int8
}

func sha256Digest(sum [sha256.Size]byte) (d digest) {
	d.size = int8(copy(d.bytes[:], sum[:]))
	return d
}

func digestOf(b []byte) (d digest) {
	d.size = int8(copy(d.bytes[:], b))
	return d
}

func (d *digest) slice() []byte { return d.bytes[:d.size] }

// A list is a checksum list that is being checked. The source counts its
// lines, the printer the results.
type list struct {
	name      string
	shown     string         // its name in messages
	audit     bool           // files that are not listed are reported
	roots     []string       // of an audit of directories
	bag       *bag.Bag       // whose manifest the list is; nil if it is of no bag
	manifest  bag.Manifest   // of a bag
	algorithm *bag.Algorithm // nil: SHA-256
	records   *update.Index  // of an audit; otherwise nil
	of        string         // the file of the digest, if the list is one digest alone; "" if it must not be
	tookOf    bool           // the list is one digest alone, of the file `of`
	unread    bool           // it could not be read, or not to its end
	hint      string         // how it would be read, if its lines end with NUL and --zero is not there, or the reverse
	noLinks   string         // of an audit: the directory, with a slash behind it, that was last found to be behind no link

	proper    int
	malformed int

	unreadable int
	mismatched int
	changed    int // according to the records, like damaged
	damaged    int
	matched    int
	unlisted   int
	moved      int
	missing    missingFiles // of an audit; otherwise they count as unreadable
}

// missingFiles are the files of a list that were not there, in its order. All are added
// before the first is taken.
type missingFiles struct {
	files  []missingFile
	blocks [][]byte      // of their names
	order  []int32       // indices of the files, sorted by want; nil until one is taken
	taken  map[int32]int // how many files with one want are taken, by the place of the first of them in order
}

// A missingFile takes 24 bytes, and those of its name. It has no pointers, which the garbage
// collector would follow.
type missingFile struct {
	want           wanted
	block          int32 // taken once the file was found elsewhere
	offset, length uint16
}

const taken = -1

// wanted is the beginning of a digest. It is as long as the shortest digests, those of
// MD5.
type wanted [md5.Size]byte

func (d *digest) wanted() wanted { return wanted(d.bytes[:md5.Size]) }

func (m *missingFiles) add(name string, want digest) {
	const size = 64 << 10 // of a block: no line, and so no name, is longer
	last := len(m.blocks) - 1
	if last < 0 || len(m.blocks[last])+len(name) >= size {
		m.blocks = append(m.blocks, make([]byte, 0, size))
		memory.Hold(size)
		last++
	}
	b := &m.blocks[last]
	m.files = memory.Append(m.files, missingFile{want.wanted(), int32(last), uint16(len(*b)), uint16(len(name))})
	*b = append(*b, name...)
}

// name returns the name of a file that was not taken.
func (m *missingFiles) name(f *missingFile) string {
	return string(m.blocks[f.block][f.offset:][:f.length])
}

// lost yields the names of the files that were not taken.
func (m *missingFiles) lost() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range m.files {
			if f := &m.files[i]; f.block != taken && !yield(m.name(f)) {
				return
			}
		}
	}
}

// take returns the name of the first file that should have a digest, and removes the
// file.
func (m *missingFiles) take(d digest) (name string, found bool) {
	if m.order == nil {
		m.sort()
	}
	want := d.wanted()
	first, found := slices.BinarySearchFunc(m.order, want, func(i int32, want wanted) int {
		return bytes.Compare(m.files[i].want[:], want[:])
	})
	next := first + m.taken[int32(first)]
	if !found || next == len(m.order) || m.files[m.order[next]].want != want {
		return "", false
	}
	m.taken[int32(first)]++
	f := &m.files[m.order[next]]
	name = m.name(f)
	f.block = taken
	return name, true
}

func (m *missingFiles) sort() {
	m.order = make([]int32, len(m.files))
	memory.Hold(4 * int64(len(m.files)))
	for i := range m.order {
		m.order[i] = int32(i)
	}
	slices.SortFunc(m.order, func(i, j int32) int {
		return cmp.Or(bytes.Compare(m.files[i].want[:], m.files[j].want[:]), cmp.Compare(i, j))
	})
	m.taken = make(map[int32]int)
}

// A turn is the place of a file among those that read from the same pipe,
// terminal or the like: each reads what those before it left.
type turn struct {
	after <-chan struct{} // closed when those before it are done
	done  chan struct{}   // closed when it is done
}
