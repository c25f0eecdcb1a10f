// Package walk finds the files under a directory in the order of their whole names,
// whatever their number, in bounded memory.
package walk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
)

// A Walker emits the files under a directory in the order of their whole
// names, byte by byte: what sort in the C locale makes of find's output.
type Walker struct {
	Filters       Filters
	Links         string // skip, follow or name: what is done with symbolic links
	OneFileSystem bool
	Opens         *file.Descriptors
	Leave         func(path string) bool // files that are none of the tree's

	// What is found. Each returns false when the walk should stop.
	File    func(name, path string, link bool) bool
	Failure func(name string, err error) bool
	Other   func(name, kind string) bool // what is neither a file, a directory nor a link
	Skipped func(name, why string) bool  // why holds no name

	device  uint64    // that the walk keeps to, with oneFileSystem
	inside  []file.ID // the directories from the root to here, with links followed
	omitted int       // symbolic links
}

// errLoop is the error of a directory that leads back to one that it is in.
var errLoop = errors.New("file system loop")

// Walk emits the files under a directory, which has a name in the results and a
// path. It reports false when it should stop.
func (w *Walker) Walk(name, path string) bool {
	if w.OneFileSystem {
		info, err := file.Stat(path)
		if err != nil {
			return w.Failure(name, err)
		}
		w.device = info.ID.Device()
	}
	if !w.walkDir(name, path, "") {
		return false
	}
	switch w.omitted {
	case 0:
		return true
	case 1:
		return w.Skipped(name, "1 symbolic link skipped")
	}
	return w.Skipped(name, fmt.Sprintf("%d symbolic links skipped", w.omitted))
}

// walkDir emits the files under a directory. below is the path from the root of
// the walk to it.
func (w *Walker) walkDir(name, path, below string) bool {
	d, id, err := readDirectory(w.Opens, path, func(base string) fs.FileMode {
		return w.typeOfLink(Join(path, base))
	})
	if err != nil && !w.Failure(name, err) {
		return false
	}
	defer d.release()
	if w.OneFileSystem && id.Device() != w.device {
		return w.Skipped(name, "skipped: another file system")
	}
	if w.Links == "follow" {
		for _, outer := range w.inside {
			if outer == id && id != (file.ID{}) {
				return w.Failure(name, errLoop)
			}
		}
		w.inside = append(w.inside, id)
		defer func() { w.inside = w.inside[:len(w.inside)-1] }()
	}
	for _, e := range d.entries {
		base := strings.TrimSuffix(string(d.key(e)), "/")
		if !w.entry(Join(name, base), Join(path, base), Join(below, base), e.mode()) {
			return false
		}
	}
	return true
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

// entry emits an entry of a directory.
func (w *Walker) entry(name, path, below string, mode fs.FileMode) bool {
	link := mode&fs.ModeSymlink != 0
	switch {
	case !w.Filters.Keep(below, mode.IsDir()):
		return true
	case mode.IsDir():
		return w.walkDir(name, path, below)
	case link && w.Links == "skip":
		w.omitted++
		return true
	case link: // if links are followed, one that leads nowhere: to open it says so
		return w.File(name, path, true)
	case !mode.IsRegular():
		return w.Other(name, kindOf(mode))
	case w.Leave(path):
		return true
	}
	return w.File(name, path, false)
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
