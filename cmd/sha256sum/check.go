package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/message"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/names"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/walk"
	"github.com/sha256-simd/sha256-simd/internal/checklist"
)

// list yields the files of a checksum list, whose names are relative to base, and
// its summary.
func (s *source) list(name, base string) bool {
	l, more := s.lines(&list{name: name}, base, func(string) {})
	return more && (l == nil || s.emit(&summaryItem{l}))
}

// lines yields the files of a checksum list, and hands their names to see. The
// list is nil when it could not be read.
func (s *source) lines(l *list, base string, see func(name string)) (read *list, more bool) {
	name := l.name
	fail := func(text string) (*list, bool) { return nil, s.emit(&noteItem{text: text, fail: true}) }
	f, shown, err := s.openList(l)
	if err != nil && name == "-" {
		return fail("'standard input': read error")
	}
	if err != nil {
		return fail(message.Quote(name) + ": " + message.Reason(err))
	}
	defer f.Close()
	l.shown = message.Quote(shown)
	end := byte('\n')
	if s.zero {
		end = 0
	}
	parser, r := &s.parser, io.Reader(f)
	if l.bag != nil {
		parser, r = &checklist.Parser{Format: checklist.BagIt, DigestSize: l.manifest.Size}, l.bag.Decode(f)
	} else if name := filepath.Base(name); name == bagManifest || name == bagTagManifest {
		parser = &checklist.Parser{Format: checklist.BagIt}
	}
	lines := checklist.NewLines(r, end)
	parser.Begin()
	for n := 1; ; n++ {
		line, whole, err := lines.Next()
		if err == io.EOF {
			return l, true
		}
		if err != nil {
			return fail(l.shown + ": read error")
		}
		if parser.Comment(line) {
			continue
		}
		e, wrong := parser.Parse(line)
		switch {
		case !whole:
			wrong = errLongLine
		case wrong == nil && name == "-" && e.Name == "-":
			wrong = errStandardInput
		case wrong == nil && l.bag != nil:
			wrong = l.bag.Lists(l.manifest, e.Name)
		}
		if wrong != nil {
			l.malformed++
			if (s.warn || s.json || l.bag != nil) && !s.emit(&malformedItem{l, n, wrong}) {
				return nil, false
			}
			continue
		}
		l.proper++
		see(e.Name)
		if !s.filters.Keep(e.Name, false) {
			continue
		}
		if !s.listed(l, &e, base) {
			return nil, false
		}
	}
}

var (
	errLongLine      = fmt.Errorf("the line is longer than %d bytes", checklist.MaxLine)
	errStandardInput = errors.New("the list is standard input itself")
	errUnlistedLink  = errors.New("a symbolic link that no manifest lists")
)

// openList opens a list.
func (s *source) openList(l *list) (r io.ReadCloser, shown string, err error) {
	if l.bag == nil {
		return s.open(l.name)
	}
	f, err := l.bag.Open(l.manifest.File)
	return f, l.name, err
}

// listed yields a file that a list names.
func (s *source) listed(l *list, e *checklist.Entry, base string) bool {
	it := newFileItem(e.Name, under(base, e.Name))
	it.check = &check{list: l, listed: true, want: digestOf(e.Digest)}
	if l.bag == nil {
		return s.file(it)
	}
	// Here - is a file like any other, and pipes and devices are not waited
	// for.
	it.path = walk.Join(base, e.Name)
	if path, err := l.bag.Resolve(e.Name); err == nil {
		it.path = path
	} else {
		it.err = err
		it.done.Store(true)
	}
	return s.emit(it)
}

// audit yields the files of a list and those under the roots that it does not
// name. Both have names that are relative to base.
func (s *source) audit(name, base string, roots []string) bool {
	records, err := update.OpenIndex(name)
	if err != nil {
		return s.emit(&noteItem{text: message.Quote(name+update.Suffix) + ": " + message.Reason(err), fail: true})
	}
	var listed names.Set
	absolute := 0
	l, more := s.lines(&list{name: name, audit: true, records: records}, base, func(name string) {
		listed.Add(name)
		if filepath.IsAbs(name) {
			absolute++
		}
	})
	if l == nil || !more {
		return more
	}
	listed.Sort()
	s.leave = s.leaveToo(name, name+update.Suffix)
	for _, root := range roots {
		emit := func(it item) bool {
			if f, ok := it.(*fileItem); ok {
				if listed.Has(f.name) {
					return true
				}
				f.check = &check{list: l}
			}
			return s.emit(it)
		}
		at := under(base, root)
		info, err := os.Stat(at)
		switch {
		case filepath.IsAbs(root) && absolute == 0 && l.proper > 0:
			more = s.emit(&noteItem{text: message.Quote(root) + ": all names in " + l.shown + " are relative; expected a relative directory", fail: true})
		case !filepath.IsAbs(root) && absolute == l.proper && l.proper > 0:
			more = s.emit(&noteItem{text: message.Quote(root) + ": all names in " + l.shown + " are absolute; expected an absolute directory", fail: true})
		case err != nil:
			more = s.emit(&failureItem{name: root, err: err})
		case info.IsDir():
			more = s.walker(emit).Walk(root, at) // nothing goes unnoticed
		case s.filters.Keep(root, false) && !listed.Has(root):
			it := newFileItem(root, at)
			it.check = &check{list: l}
			more = s.file(it)
		}
		if !more {
			return false
		}
	}
	return s.emit(&summaryItem{l})
}

// leaveToo returns s.leave with some more files.
func (s *source) leaveToo(paths ...string) func(string) bool {
	leave := s.leave
	return func(path string) bool {
		return leave(path) || slices.ContainsFunc(paths, func(own string) bool { return sameFile(path, own) })
	}
}

// sameFile reports whether two paths with the same last element are of one file.
func sameFile(a, b string) bool {
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	infoA, err := os.Stat(a)
	if err != nil {
		return false
	}
	infoB, err := os.Stat(b)
	return err == nil && os.SameFile(infoA, infoB)
}

// The names of manifests (RFC 8493), which have a format of their own.
const (
	bagManifest    = "manifest-sha256.txt"
	bagTagManifest = "tagmanifest-sha256.txt"
)
