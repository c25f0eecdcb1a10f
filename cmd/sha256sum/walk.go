package main

import (
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A walker emits the files under a directory in the order of their whole
// names, byte by byte: what sort in the C locale makes of find's output.
type walker struct {
	emit    func(*item) bool
	exclude []string
	leave   func(name string) bool // files that are none of the tree's
	budget  int                    // bytes of entries that the levels above leave
}

// Bytes of entries that are in memory at once: maxEntries in all, but for
// minEntries that each level may have. A directory of more is read several
// times.
const (
	maxEntries = 8 << 20
	minEntries = 16 << 10
)

// walk emits the files under dir. It reports false when it should stop.
func (w *walker) walk(dir string) bool {
	w.budget = maxEntries
	return w.walkDir(dir, "")
}

// walkDir emits the files under dir. below is the path from the root of the
// walk to dir, if there are patterns to match it with.
func (w *walker) walkDir(dir, below string) bool {
	limit := max(w.budget/2, minEntries)
	after := ""
	for {
		entries, more, err := readSorted(dir, after, limit)
		if err != nil && !w.emit(&item{kind: failedItem, name: dir, err: err}) {
			return false
		}
		size := 0
		for _, e := range entries {
			size += e.size()
		}
		w.budget -= size
		for _, e := range entries {
			if !w.entry(dir, below, e) {
				return false
			}
		}
		w.budget += size
		if err != nil || !more {
			return true
		}
		after = entries[len(entries)-1].key
	}
}

// entry emits what stands in a directory.
func (w *walker) entry(dir, below string, e entry) bool {
	base := strings.TrimSuffix(e.key, "/")
	name := dir + base
	if !strings.HasSuffix(dir, "/") {
		name = dir + "/" + base
	}
	if len(w.exclude) > 0 {
		below = path.Join(below, base)
		if w.excluded(below) {
			return true
		}
	}
	switch {
	case e.kind.IsDir():
		return w.walkDir(name, below)
	case e.kind.IsRegular():
		return w.leave(name) || w.emit(&item{name: name})
	case e.kind&fs.ModeSymlink != 0:
		return true
	}
	return w.emit(&item{kind: noteItem, note: quoteShell(name) + ": skipped: " + kindOf(e.kind)})
}

// excluded reports whether a pattern of --exclude matches: one without a slash
// the last element, one with a slash the whole path.
func (w *walker) excluded(below string) bool {
	for _, pattern := range w.exclude {
		s := below
		switch {
		case strings.HasPrefix(pattern, "./"):
			s = "./" + below
		case !strings.Contains(pattern, "/"):
			s = path.Base(below)
		}
		// The pattern was found valid when the options were read.
		if ok, _ := doublestar.Match(pattern, s); ok {
			return true
		}
	}
	return false
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

// An entry stands in a directory. Its key is its name, with a slash behind
// that of a directory: keys sort as the whole names of the files do.
type entry struct {
	key  string
	kind fs.FileMode
}

// size is about how much memory e takes.
func (e entry) size() int { return 32 + len(e.key) }

func compareKeys(a, b entry) int { return strings.Compare(a.key, b.key) }

// readSorted returns the first entries of dir after the key after, at least one
// and at most limit bytes of them, and whether there are more. With an error it
// returns those that it could read.
func readSorted(dir, after string, limit int) (entries []entry, more bool, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	size := 0
	end := "" // the first key that is left to another time, if there are more
	// shorten sorts the entries and drops those beyond the limit.
	shorten := func() {
		slices.SortFunc(entries, compareKeys)
		size = 0
		for i, e := range entries {
			if size+e.size() > limit && i > 0 {
				end, more = e.key, true
				clear(entries[i:])
				entries = entries[:i]
				break
			}
			size += e.size()
		}
	}
	for {
		batch, err := f.ReadDir(512)
		for _, d := range batch {
			e := entry{d.Name(), d.Type()}
			if e.kind.IsDir() {
				e.key += "/"
			}
			if e.key > after && (!more || e.key < end) {
				entries = append(entries, e)
				size += e.size()
			}
		}
		if err != nil || size >= 2*limit {
			shorten()
		}
		if err == io.EOF {
			return entries, more, nil
		}
		if err != nil {
			return entries, more, err
		}
	}
}
