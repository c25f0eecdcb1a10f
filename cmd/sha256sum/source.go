package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A source yields the items that the command line asks for. All of it runs in
// one goroutine.
type source struct {
	*options
	opens  *descriptors
	emit   func(*item) bool
	leave  func(path string) bool // for trees: files to leave out
	stamps *stampReader           // with --update: what is known of files

	parser  lineParser
	last    map[fileID]*turn // of those that were emitted, the last one of each file
	reading *fileID          // the list that is being read, if it is a shared file
}

func (s *source) run() {
	files := s.files
	switch {
	case s.bag != "":
		s.validateBag(s.bag)
		return
	case s.files0From != "":
		s.namesFrom(s.files0From)
		return
	case s.check && s.recursive:
		roots := files[1:]
		if len(roots) == 0 {
			roots = []string{"."}
		}
		s.audit(files[0], s.baseOf(files[0]), roots)
		return
	case len(files) == 0 && s.recursive:
		files = []string{"."}
	case len(files) == 0:
		files = []string{"-"}
	}
	for _, name := range files {
		var more bool
		if s.check {
			more = s.list(name, s.baseOf(name))
		} else {
			more = s.operand(name)
		}
		if !more {
			return
		}
	}
}

// A short job is a few small files that are named. Other goroutines, their signals
// and timers would take longer to start than it takes to hash them.
const (
	shortFiles = 64
	shortBytes = 64 << 10
)

// short reports whether the options ask for a short job, which is over before
// anybody interrupts it, and how many bytes it has. A file of no size may be one
// that the kernel makes up, whose reader can have to wait.
func (o *options) short() (bytes int, ok bool) {
	if o.check || o.recursive || o.files0From != "" || o.output != "" || o.progress == "always" ||
		len(o.files) == 0 || len(o.files) > shortFiles {
		return 0, false
	}
	for _, name := range o.files {
		info, err := statRaw(under(o.base, name))
		if name == "-" || len(name) >= longName || err != nil || !info.regular || info.size == 0 || info.size > int64(shortBytes-bytes) {
			return 0, false
		}
		bytes += int(info.size)
	}
	return bytes, true
}

// baseOf returns the directory that the names of a list are relative to.
func (s *source) baseOf(list string) string {
	if s.baseSet && s.base == "" && list != "-" {
		return filepath.Dir(list)
	}
	return s.base
}

// under returns the path of what has a name below a directory.
func under(base, name string) string {
	if base == "" || name == "-" || filepath.IsAbs(name) {
		return name
	}
	return join(base, name)
}

// operand yields a name of the command line, or what is under it.
func (s *source) operand(name string) bool {
	path := under(s.base, name)
	emit := s.emit
	if s.stamps != nil {
		s.stamps.enter(name)
		emit = func(it *item) bool {
			it.known = s.stamps.find(it.name)
			return s.emit(it)
		}
	}
	if s.recursive && name != "-" {
		// A link that is named is followed, as a directory that is meant.
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return s.walk(name, path, emit)
		}
	}
	if name != "-" && !s.filters.keep(name, false) {
		return true
	}
	return s.file(newFileItem(name, path))
}

// walk hands what is under a directory to emit.
func (s *source) walk(name, path string, emit func(*item) bool) bool {
	w := walker{options: s.options, opens: s.opens, emit: emit, leave: s.leave}
	return w.walk(name, path)
}

// file yields a file.
func (s *source) file(it *item) bool {
	id, shared := sharedFile(it.path)
	if shared && s.links == "name" {
		_, err := os.Readlink(it.path)
		shared = err != nil // of a link, its own name is read
	}
	if shared {
		it.turn = &turn{after: s.before(id), done: make(chan struct{})}
		s.last[id] = it.turn
	}
	if !s.emit(it) {
		return false
	}
	if shared && s.reading != nil && id == *s.reading {
		<-it.turn.done // what it leaves is the rest of the list
	}
	return true
}

// sharedFile reports whether what one name reads of a file is lost to the others
// that it has, and which file it is.
func sharedFile(name string) (id fileID, shared bool) {
	if name == "-" {
		info, _ := stdin.info()
		return info.id, true
	}
	info, err := statRaw(name)
	return info.id, err == nil && !info.regular && !info.dir
}

// before returns the channel that is closed when all that was emitted of a file
// is done.
func (s *source) before(id fileID) <-chan struct{} {
	if s.last == nil {
		s.last = make(map[fileID]*turn)
	}
	if t := s.last[id]; t != nil {
		return t.done
	}
	return nobody
}

// nobody is whom the first in turn waits for.
var nobody = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// open opens a list; shown is its name in messages.
func (s *source) open(name string) (r io.ReadCloser, shown string, err error) {
	s.reading = nil
	if id, shared := sharedFile(name); shared {
		<-s.before(id)
		s.reading = &id
	}
	if shown = name; name == "-" {
		shown = "standard input"
	}
	var f rawFile
	err = s.opens.wait(func() {}, func() (err error) {
		f, _, err = openInput(name)
		return err
	})
	return f, shown, err
}

// namesFrom yields the files whose names stand in a file, each ended by NUL.
func (s *source) namesFrom(from string) bool {
	f, shown, err := s.open(from)
	if err != nil {
		return s.emit(&item{kind: noteItem, note: fmt.Sprintf("cannot open %s for reading: %s", quoteShellAlways(from), reason(err)), fail: true})
	}
	defer f.Close()
	names := newLineReader(f, 0)
	for n := 1; ; n++ {
		name, whole, err := names.next()
		var problem string
		switch {
		case err == io.EOF:
			return true
		case err != nil:
			return s.emit(&item{kind: noteItem, note: fmt.Sprintf("%s: read error: %s", quoteShell(shown), reason(err)), fail: true})
		case !whole:
			problem = "file name too long"
		case name == "":
			problem = "invalid zero-length file name"
		case name == "-" && from == "-":
			problem = "when reading file names from standard input, no file name of '-' allowed"
		}
		var more bool
		if problem != "" {
			more = s.emit(&item{kind: noteItem, note: fmt.Sprintf("%s:%d: %s", quoteShell(shown), n, problem), fail: true})
		} else {
			more = s.operand(name)
		}
		if !more {
			return false
		}
	}
}
