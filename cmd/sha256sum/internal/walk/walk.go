// Package walk finds the files under a directory in the order of their whole names,
// whatever their number, in bounded memory.
package walk

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
)

// A Walker finds what is under directories.
type Walker struct {
	Filters       Filters
	Links         string // skip, follow or name: what is done with symbolic links
	OneFileSystem bool
	Opens         *file.Descriptors
	Leave         func(path string) bool // files that are none of the tree's
}

// An Entry is something that a walk finds.
type Entry struct {
	Kind Kind
	Name string // in the results
	Path string // that opens it
	What string // it is, if it is Other; why it is left out, if it is Skipped
	Err  error  // of a Failure
}

// A Kind is one of entries.
type Kind int

const (
	File    Kind = iota
	Link         // a symbolic link that counts as a file; where links are followed, one that leads nowhere
	Other        // neither a file, a directory nor a link
	Skipped      // files, links or directories that are left out
	Failure      // a directory that cannot be read, or not to its end
)

// errLoop is the error of a directory that leads back to one that it is in.
var errLoop = errors.New("file system loop")

// Walk yields what is under a directory, which has a name in the results and a path, in the
// order of the whole names, byte by byte: what sort in the C locale makes of find's output.
func (w *Walker) Walk(name, path string) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		t := tree{Walker: w, root: name}
		defer t.leave()
		if e, wrong := t.enter(name, path, ""); wrong && !yield(e) {
			return
		}
		for e, found := t.next(); found; e, found = t.next() {
			if !yield(e) {
				return
			}
		}
	}
}

// A tree is one that a Walker is in.
type tree struct {
	*Walker
	root    string  // its name
	top     file.ID // of the root, whose file system the walk keeps to with OneFileSystem
	inside  []level // the directories from the root to here
	omitted int     // symbolic links
}

// A level is a directory with the entries that are still to come.
type level struct {
	*directory
	id         file.ID
	name, path string
	below      string // its path from the root of the walk
}

// next returns the next entry. It reports false behind the last.
func (t *tree) next() (e Entry, found bool) {
	for len(t.inside) > 0 {
		l := &t.inside[len(t.inside)-1]
		if len(l.entries) == 0 {
			l.release()
			*l = level{} // the room behind inside keeps nothing
			t.inside = t.inside[:len(t.inside)-1]
			continue
		}
		base, mode := strings.TrimSuffix(string(l.key(l.entries[0])), "/"), l.entries[0].mode()
		l.entries = l.entries[1:]
		if e, found = t.entry(Join(l.name, base), Join(l.path, base), Join(l.below, base), mode); found {
			return e, true
		}
	}
	n := t.omitted
	t.omitted = 0
	what := fmt.Sprintf("%d symbolic links skipped", n)
	if n == 1 {
		what = "1 symbolic link skipped"
	}
	return Entry{Kind: Skipped, Name: t.root, What: what}, n > 0
}

// leave ends the walk wherever it is.
func (t *tree) leave() {
	for _, l := range t.inside {
		l.release()
	}
}

// entry returns what the walk finds in an entry of a directory. It reports false if that is
// nothing, or a directory that was entered.
func (t *tree) entry(name, path, below string, mode fs.FileMode) (e Entry, found bool) {
	link := mode&fs.ModeSymlink != 0
	switch {
	case !t.Filters.Keep(below, mode.IsDir()):
		return Entry{}, false
	case mode.IsDir():
		return t.enter(name, path, below)
	case link && t.Links == "skip":
		t.omitted++
		return Entry{}, false
	case link:
		return Entry{Kind: Link, Name: name, Path: path}, true
	case !mode.IsRegular():
		return Entry{Kind: Other, Name: name, Path: path, What: kindOf(mode)}, true
	}
	return Entry{Name: name, Path: path}, !t.Leave(path)
}

// enter makes the entries of a directory those that come next. It returns what is wrong with
// the directory, and reports whether something is.
func (t *tree) enter(name, path, below string) (e Entry, found bool) {
	d, id, err := readDirectory(t.Opens, path, func(base string) fs.FileMode {
		return t.typeOfLink(Join(path, base))
	})
	if below == "" {
		t.top = id
	}
	switch known := id != (file.ID{}); {
	case known && t.OneFileSystem && t.top != (file.ID{}) && id.Device() != t.top.Device():
		d.release()
		return Entry{Kind: Skipped, Name: name, What: "skipped: another file system"}, true
	case known && t.Links == "follow" && slices.ContainsFunc(t.inside, func(l level) bool { return l.id == id }):
		d.release()
		return Entry{Kind: Failure, Name: name, Err: errLoop}, true
	}
	t.inside = append(t.inside, level{d, id, name, path, below})
	if err != nil {
		return Entry{Kind: Failure, Name: name, Err: err}, true // what could be read comes next
	}
	return Entry{}, false
}

// typeOfLink returns what a symbolic link counts as.
func (w *Walker) typeOfLink(path string) fs.FileMode {
	if w.Links == "follow" {
		if info, err := os.Stat(path); err == nil {
			return info.Mode().Type()
		}
	}
	return fs.ModeSymlink
}

// Join returns the name of an entry of a directory. The directory keeps the
// name that it was given.
func Join(dir, base string) string {
	if dir == "" || strings.HasSuffix(dir, "/") {
		return dir + base
	}
	return dir + "/" + base
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "not a regular file"
}
