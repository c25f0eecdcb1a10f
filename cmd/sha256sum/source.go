package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/message"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/output"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/terminal"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/walk"
	"github.com/sha256-simd/sha256-simd/internal/checklist"
)

// A source yields the items that the command line asks for. All of it runs in
// one goroutine.
type source struct {
	*options
	opens  *file.Descriptors
	emit   func(item) bool
	leave  func(path string) bool // for trees: files to leave out
	stamps *update.Reader         // with --update: what is known of files

	parser  checklist.Parser
	last    map[file.ID]*turn // of those that were emitted, the last one of each file
	reading *file.ID          // the list that is being read, if it is a shared file
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
	for i, name := range files {
		if !s.check {
			if !s.operand(name) {
				return
			}
			continue
		}
		of := ""
		if len(files) == 2 && i == 0 && files[1] != name {
			of = files[1]
		}
		if l, more := s.list(name, s.baseOf(name), of); !more || l != nil && l.tookOf {
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

// short reports whether the options ask for a job that ends before an interrupt
// can matter, and how many bytes it has. A file of no size may be one that the
// kernel makes up, whose reader can have to wait.
func (o *options) short() (bytes int, ok bool) {
	if o.check || o.recursive || o.files0From != "" || o.output != "" || o.progress == "always" ||
		len(o.files) == 0 || len(o.files) > shortFiles {
		return 0, false
	}
	for _, name := range o.files {
		info, err := file.Stat(under(o.base, name))
		if name == "-" || len(name) >= longName || err != nil || !info.Regular || info.Size == 0 || info.Size > int64(shortBytes-bytes) {
			return 0, false
		}
		bytes += int(info.Size)
	}
	return bytes, true
}

// typedInto reports whether the options make the program read a terminal.
func typedInto(o *options) bool {
	if !terminal.IsTyped() {
		return false
	}
	names := append(slices.Clone(o.files), o.files0From)
	reads := len(o.files) == 0 && o.files0From == "" && !o.recursive && o.bag == ""
	return reads || slices.ContainsFunc(names, func(name string) bool {
		return name == "-" || strings.HasPrefix(name, "/dev/")
	})
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
	return walk.Join(base, name)
}

// operand yields a name of the command line, or what is under it.
func (s *source) operand(name string) bool {
	path := under(s.base, name)
	emit := s.emit
	if s.stamps != nil {
		s.stamps.Enter(name)
		emit = func(it item) bool {
			f, ok := it.(*fileItem)
			if ok {
				f.known = s.stamps.Find(f.name)
			}
			if s.emit(it) {
				return true
			}
			if ok && f.known != nil {
				s.stamps.Keep(f.known)
			}
			return false
		}
	}
	if s.recursive && name != "-" {
		// A link that is named is followed, as a directory that is meant.
		if info, err := file.Stat(path); err == nil && info.Dir {
			return s.walk(name, path, emit)
		}
	}
	if name != "-" && !s.filters.Keep(name, false) {
		return true
	}
	return s.file(newFileItem(name, path))
}

// walk hands what is under a directory to emit, but for what killed runs have left.
func (s *source) walk(name, path string, emit func(item) bool) bool {
	w := s.walker(emit)
	file := w.File
	w.File = func(name, path string, link bool) bool {
		if !link && output.IsTemporary(filepath.Base(name)) {
			return w.Skipped(name, "skipped: temporary file of sha256sum")
		}
		return file(name, path, link)
	}
	return w.Walk(name, path)
}

// walker returns a walker that hands all that it finds to emit.
func (s *source) walker(emit func(item) bool) *walk.Walker {
	skipped := func(name, why string) bool {
		return emit(&noteItem{text: message.Quote(name) + ": " + why})
	}
	return &walk.Walker{
		Filters: s.filters, Links: s.links, OneFileSystem: s.oneFileSystem, Opens: s.opens, Leave: s.leave,
		File: func(name, path string, link bool) bool {
			it := newFileItem(name, path)
			it.walked = !link
			return emit(it)
		},
		Failure: func(name string, err error) bool { return emit(&failureItem{name: name, err: err}) },
		Other:   func(name, kind string) bool { return skipped(name, "skipped: "+kind) },
		Skipped: skipped,
	}
}

// file yields a file.
func (s *source) file(it *fileItem) bool {
	id, shared := sharedFile(it.path)
	if shared && s.links == "name" {
		_, err := file.Readlink(it.path)
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
func sharedFile(name string) (id file.ID, shared bool) {
	if name == "-" {
		info, _ := file.Stdin.Info()
		return info.ID, true
	}
	info, err := file.Stat(name)
	return info.ID, err == nil && !info.Regular && !info.Dir
}

// before returns the channel that is closed when all that was emitted of a file
// is done.
func (s *source) before(id file.ID) <-chan struct{} {
	if s.last == nil {
		s.last = make(map[file.ID]*turn)
	}
	if t := s.last[id]; t != nil {
		return t.done
	}
	return noTurn
}

// noTurn is what the first in turn waits for.
var noTurn = func() chan struct{} {
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
	var f file.File
	err = s.opens.Wait(func() {}, func() (err error) {
		f, _, err = file.OpenInput(name)
		return err
	})
	return f, shown, err
}

// namesFrom yields the files that a file names, each name ended by NUL.
func (s *source) namesFrom(from string) bool {
	f, shown, err := s.open(from)
	if err != nil {
		return s.emit(&noteItem{text: fmt.Sprintf("cannot open %s for reading: %s", message.QuoteAlways(from), message.Reason(err)), fail: true})
	}
	defer f.Close()
	names := checklist.NewLines(f, 0)
	for n := 1; ; n++ {
		name, whole, err := names.Next()
		var problem string
		switch {
		case err == io.EOF:
			return true
		case err != nil:
			return s.emit(&noteItem{text: fmt.Sprintf("%s: read error: %s", message.Quote(shown), message.Reason(err)), fail: true})
		case !whole:
			problem = "file name too long"
		case name == "":
			problem = "invalid zero-length file name"
		case name == "-" && from == "-":
			problem = "when reading file names from standard input, no file name of '-' allowed"
		}
		var more bool
		if problem != "" {
			more = s.emit(&noteItem{text: fmt.Sprintf("%s:%d: %s", message.Quote(shown), n, problem), fail: true})
		} else {
			more = s.operand(name)
		}
		if !more {
			return false
		}
	}
}
