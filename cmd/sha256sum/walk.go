package main

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// A walker emits the files under a directory in the order of their whole
// names, byte by byte: what sort in the C locale makes of find's output.
type walker struct {
	*options
	opens *descriptors
	emit  func(*item) bool
	leave func(path string) bool // files that are none of the tree's

	device  uint64   // that the walk keeps to, with --one-file-system
	inside  []fileID // the directories from the root to here, with --links=follow
	skipped int      // symbolic links
}

// walk emits the files under a directory, which has a name in the results and a
// path. It reports false when it should stop.
func (w *walker) walk(name, path string) bool {
	if w.oneFileSystem {
		info, err := statRaw(path)
		if err != nil {
			return w.emit(&item{kind: failedItem, name: name, err: err})
		}
		w.device = info.id.device()
	}
	if !w.walkDir(name, path, "") {
		return false
	}
	what := "symbolic links"
	switch w.skipped {
	case 0:
		return true
	case 1:
		what = "symbolic link"
	}
	return w.emit(&item{kind: noteItem, note: fmt.Sprintf("%s: %d %s skipped", quoteShell(name), w.skipped, what)})
}

// walkDir emits the files under a directory. below is the path from the root of
// the walk to it.
func (w *walker) walkDir(name, path, below string) bool {
	d, id, err := readDirectory(w.opens, path, func(base string) fs.FileMode {
		return w.typeOfLink(join(path, base))
	})
	if err != nil && !w.emit(&item{kind: failedItem, name: name, err: err}) {
		return false
	}
	defer d.release()
	if w.oneFileSystem && id.device() != w.device {
		return w.skip(name, "another file system")
	}
	if w.links == "follow" {
		for _, outer := range w.inside {
			if outer == id && id != (fileID{}) {
				return w.emit(&item{kind: failedItem, name: name, err: errLoop})
			}
		}
		w.inside = append(w.inside, id)
		defer func() { w.inside = w.inside[:len(w.inside)-1] }()
	}
	for _, e := range d.entries {
		base := strings.TrimSuffix(string(d.key(e)), "/")
		if !w.entry(join(name, base), join(path, base), join(below, base), e.mode()) {
			return false
		}
	}
	return true
}

// typeOfLink returns what a symbolic link counts as.
func (w *walker) typeOfLink(path string) fs.FileMode {
	if w.links == "follow" {
		if info, err := os.Stat(path); err == nil {
			return info.Mode().Type()
		}
	}
	return fs.ModeSymlink
}

// join returns the name of what stands in a directory. The directory keeps the
// name that it was given.
func join(dir, base string) string {
	if dir == "" || strings.HasSuffix(dir, "/") {
		return dir + base
	}
	return dir + "/" + base
}

// entry emits what stands in a directory.
func (w *walker) entry(name, path, below string, mode fs.FileMode) bool {
	link := mode&fs.ModeSymlink != 0
	switch {
	case !w.filters.keep(below, mode.IsDir()):
		return true
	case mode.IsDir():
		return w.walkDir(name, path, below)
	case link && w.links == "skip":
		w.skipped++
		return true
	case link: // with --links=follow, one that leads nowhere: to open it says so
		return w.emit(newFileItem(name, path))
	case !mode.IsRegular():
		return w.skip(name, kindOf(mode))
	case w.leave(path):
		return true
	case isTemporary(below[strings.LastIndexByte(below, '/')+1:]):
		return w.skip(name, "temporary file of sha256sum")
	}
	it := newFileItem(name, path)
	it.walked = true
	return w.emit(it)
}

// skip tells that a file is left out.
func (w *walker) skip(name, why string) bool {
	return w.emit(&item{kind: noteItem, note: quoteShell(name) + ": skipped: " + why})
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
