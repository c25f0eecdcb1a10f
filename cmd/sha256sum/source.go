package main

import (
	"io"
	"iter"
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

// each hands items to yield, and reports whether there may be more.
func each(items iter.Seq[item], yield func(item) bool) bool {
	for it := range items {
		if !yield(it) {
			return false
		}
	}
	return true
}

// A source yields the items that the command line asks for. All of it runs in
// one goroutine.
type source struct {
	*options
	opens *file.Descriptors
	known *update.Reader    // with --update: what is known of files
	own   func(string) bool // reports whether a path is of a file that the results are written to
	seen  *replaced         // that is to know of the files that a file names, and of the manifests

	parser checklist.Parser
	last   map[file.ID]*turn // the turn that was yielded last for each file
}

func newSource(o *options, opens *file.Descriptors, w outputs) *source {
	own := func(path string) bool { return w.has(path, o.links == "follow") }
	return &source{options: o, opens: opens, known: w.known, own: own, seen: w.replaced, parser: checklist.Parser{Zero: o.zero}}
}

// items yields everything.
func (s *source) items() iter.Seq[item] {
	switch {
	case s.bag != "":
		return s.validateBag(s.bag)
	case s.files0From != "":
		return s.namesFrom(s.files0From)
	case s.check && s.recursive:
		return s.audit(s.files[0], s.files[1:])
	case s.check:
		return s.lists()
	}
	return s.operands()
}

// A short job is a few small files that are named. Other goroutines, their signals
// and timers would take longer to start than it takes to hash them.
const (
	shortFiles = 64
	shortBytes = 64 << 10
)

// short reports whether the options ask for a job that ends before an interrupt can
// matter, and how many bytes it has. A file of size 0 may be one that the kernel makes
// up: to read it may block.
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
	if s.baseSet && s.base == "" {
		return filepath.Dir(list)
	}
	return s.base
}

// under returns the path of a file from its name, which is relative to base.
func under(base, name string) string {
	if base == "" || name == "-" || filepath.IsAbs(name) {
		return name
	}
	return walk.Join(base, name)
}

// operands yields the files that the command line names.
func (s *source) operands() iter.Seq[item] {
	names := s.files
	switch {
	case s.recursive:
		names = s.roots()
	case len(names) == 0:
		names = []string{"-"}
	}
	return func(yield func(item) bool) {
		for _, name := range names {
			if !each(s.operand(name), yield) {
				return
			}
		}
	}
}

// operand yields the file of a name, or what is under it.
func (s *source) operand(name string) iter.Seq[item] {
	path := under(s.base, name)
	if s.recursive && name != "-" {
		// A link on the command line is followed: the directory is meant.
		if info, err := file.Stat(path); err == nil && info.Dir {
			return s.withRecords(name, s.tree(name, path))
		}
	}
	return s.withRecords(name, func(yield func(item) bool) {
		if s.isWanted(name) {
			yield(s.named(name, path))
		}
	})
}

// isWanted reports whether the filters keep an operand. They do not apply to standard input.
func (o *options) isWanted(name string) bool {
	return name == "-" || o.filters.Keep(name, false)
}

// withRecords yields the items under a root of --update, with what is known of the files.
func (s *source) withRecords(root string, items iter.Seq[item]) iter.Seq[item] {
	if s.known == nil {
		return items
	}
	return func(yield func(item) bool) {
		s.known.Enter(root)
		for it := range items {
			if f, ok := it.(*fileItem); ok {
				f.known = s.known.Find(f.name)
			}
			if !yield(it) {
				return
			}
		}
	}
}

// tree yields what is under a directory, but for what killed runs have left.
func (s *source) tree(name, path string) iter.Seq[item] {
	return func(yield func(item) bool) {
		for e := range s.walker(s.own).Walk(name, path) {
			if e.Kind == walk.File && output.IsTemporary(filepath.Base(e.Name)) {
				e.Kind, e.What = walk.Skipped, "skipped: temporary file of sha256sum"
			}
			if !yield(foundItem(e)) {
				return
			}
		}
	}
}

func (s *source) walker(leave func(path string) bool) *walk.Walker {
	return &walk.Walker{Filters: s.filters, Links: s.links, OneFileSystem: s.oneFileSystem, Opens: s.opens, Leave: leave}
}

// foundItem returns the item of what a walk found.
func foundItem(e walk.Entry) item {
	switch e.Kind {
	case walk.Failure:
		return &failureItem{name: e.Name, err: e.Err}
	case walk.Other:
		return &noteItem{text: message.Quote(e.Name) + ": skipped: " + e.What}
	case walk.Skipped:
		return &noteItem{text: message.Quote(e.Name) + ": " + e.What}
	}
	it := newFileItem(e.Name, e.Path)
	it.walked = e.Kind == walk.File
	return it
}

// named returns the item of a file that is named. The caller has to yield the item next.
func (s *source) named(name, path string) *fileItem {
	it := newFileItem(name, path)
	id, shared := sharedFile(path)
	if shared && s.links == "name" {
		_, err := file.Readlink(path)
		shared = err != nil // of a link, only the name that it holds is read
	}
	if shared {
		it.turn = &turn{after: s.before(id), done: make(chan struct{})}
		s.last[id] = it.turn
	}
	return it
}

// sharedFile returns the file that has a name. It also reports whether what is read from
// that file under one name is lost to its other names, as with a pipe.
func sharedFile(name string) (id file.ID, shared bool) {
	if name == "-" {
		info, _ := file.Stdin.Info()
		return info.ID, true
	}
	info, err := file.Stat(name)
	return info.ID, err == nil && !info.Regular && !info.Dir
}

// before returns the channel that is closed when all items of a file that were yielded
// before are done.
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

// An input is a list, or a file of names.
type input struct {
	io.ReadCloser
	shown string // its name in messages
	await func() // waits until all items of the same pipe that were yielded are done; what they leave is the input
}

// open opens an input.
func (s *source) open(name string) (in input, err error) {
	in = input{shown: name, await: func() {}}
	if name == "-" {
		in.shown = "standard input"
	}
	if id, shared := sharedFile(name); shared {
		in.await = func() { <-s.before(id) }
	}
	in.await()
	var f file.File
	err = s.opens.Wait(func() {}, func() (err error) {
		f, _, err = file.OpenInput(name)
		return err
	})
	in.ReadCloser = f
	return in, err
}

// namesFrom yields the files that a file names, each name ended by NUL.
func (s *source) namesFrom(from string) iter.Seq[item] {
	return func(yield func(item) bool) {
		in, err := s.open(from)
		if err != nil {
			yield(errorItem("cannot open %s for reading: %s", message.QuoteAlways(from), message.Reason(err)))
			return
		}
		defer in.Close()
		names := checklist.NewLines(in, 0)
		for n := 1; ; n++ {
			in.await()
			name, whole, err := names.Next()
			var problem string
			switch {
			case err == io.EOF:
				return
			case err != nil:
				yield(errorItem("%s: read error: %s", message.Quote(in.shown), message.Reason(err)))
				return
			case !whole:
				problem = "file name too long"
			case name == "":
				problem = "invalid zero-length file name"
			case name == "-" && from == "-":
				problem = "when reading file names from standard input, no file name of '-' allowed"
			}
			if problem != "" {
				if !yield(errorItem("%s:%d: %s", message.Quote(in.shown), n, problem)) {
					return
				}
				continue
			}
			if s.isWanted(name) {
				s.seen.see(under(s.base, name), s.links != "name")
			}
			// What is hashed would not be written: finish reports why.
			if s.seen.err() != nil || !each(s.operand(name), yield) {
				return
			}
		}
	}
}
