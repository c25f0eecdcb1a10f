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
	budget  int                    // entries that the levels above leave
}

// Entries that are in memory at once: maxEntries in all, but for minEntries
// that each level may have. A directory of more is read several times.
const (
	maxEntries = 1 << 18
	minEntries = 1 << 9
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
		entries, err := readSorted(dir, after, limit)
		if err != nil && !w.emit(&item{kind: failedItem, name: dir, err: err}) {
			return false
		}
		w.budget -= len(entries)
		for _, e := range entries {
			if !w.entry(dir, below, e) {
				return false
			}
		}
		w.budget += len(entries)
		if err != nil || len(entries) < limit {
			return true
		}
		after = entries[limit-1].key
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
		return w.leave(name) || w.emit(&item{name: name, file: true})
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

func compareKeys(a, b entry) int { return strings.Compare(a.key, b.key) }

// readSorted returns the first entries of dir after the key after, at most
// limit. With an error it returns those that it could read.
func readSorted(dir, after string, limit int) ([]entry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var entries []entry
	sorted := func() []entry {
		slices.SortFunc(entries, compareKeys)
		return entries[:min(len(entries), limit)]
	}
	for {
		batch, err := f.ReadDir(512)
		for _, e := range batch {
			key, kind := e.Name(), e.Type()
			if kind.IsDir() {
				key += "/"
			}
			if key > after {
				entries = append(entries, entry{key, kind})
			}
		}
		if err == io.EOF {
			return sorted(), nil
		}
		if err != nil {
			return sorted(), err
		}
		if len(entries) >= 2*limit {
			entries = sorted()
		}
	}
}
