package main

import (
	"io/fs"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A walker emits the files under a directory in the order of their whole
// names, byte by byte: what sort in the C locale makes of find's output.
type walker struct {
	opens   *descriptors
	emit    func(*item) bool
	exclude []string
	leave   func(name string) bool // files that are none of the tree's
}

// walk emits the files under dir. It reports false when it should stop.
func (w *walker) walk(dir string) bool { return w.walkDir(dir, "") }

// walkDir emits the files under dir. below is the path from the root of the
// walk to dir, if there are patterns to match it with.
func (w *walker) walkDir(dir, below string) bool {
	d, err := readDirectory(w.opens, dir)
	if err != nil && !w.emit(&item{kind: failedItem, name: dir, err: err}) {
		return false
	}
	defer d.release()
	for _, e := range d.entries {
		if !w.entry(dir, below, string(d.key(e)), e.mode) {
			return false
		}
	}
	return true
}

// entry emits what stands in a directory.
func (w *walker) entry(dir, below, key string, mode fs.FileMode) bool {
	base := strings.TrimSuffix(key, "/")
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
	case mode.IsDir():
		return w.walkDir(name, below)
	case mode.IsRegular() && w.leave(name):
		return true
	case mode.IsRegular() && isTemporary(base):
		return w.skip(name, "temporary file of sha256sum")
	case mode.IsRegular():
		return w.emit(&item{name: name})
	case mode&fs.ModeSymlink != 0:
		return true
	}
	return w.skip(name, kindOf(mode))
}

// skip tells that a file is left out.
func (w *walker) skip(name, why string) bool {
	return w.emit(&item{kind: noteItem, note: quoteShell(name) + ": skipped: " + why})
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
