package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/bag"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/message"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/names"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/walk"
	"github.com/sha256-simd/sha256-simd/internal/checklist"
)

// list yields the files of a checksum list, whose names are relative to base, and
// its summary. If the list is one digest alone, it is of the file of, unless that is "".
func (s *source) list(name, base, of string) (l *list, more bool) {
	l, more = s.lines(&list{name: name, of: of}, base, func(name, path string) {})
	return l, more && (l == nil || s.emit(&summaryItem{l}))
}

// lines yields the files of a checksum list, and hands their names and paths to see. The
// list is nil when it could not be read.
func (s *source) lines(l *list, base string, see func(name, path string)) (read *list, more bool) {
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
		parser, r = &checklist.Parser{Format: l.bag.Format(), DigestSize: l.manifest.Size}, l.bag.Decode(f)
	} else if base := filepath.Base(name); base == bagManifest || base == bagTagManifest {
		parser = &checklist.Parser{Format: bag.FormatOf(filepath.Dir(name))}
	}
	if r, err = plainText(r); err != nil {
		return fail(l.shown + ": read error")
	}
	lines := checklist.NewLines(r, end)
	parser.Begin()
	improper := func(n int, wrong error) bool {
		l.malformed++
		return !(s.warn || s.json || l.bag != nil) || s.emit(&malformedItem{l, n, wrong})
	}
	var alone struct { // the first line, if it is a digest alone
		digest []byte
		line   int
		wrong  error
	}
	first := true
	for n := 1; ; n++ {
		line, whole, err := lines.Next()
		if alone.digest != nil && err == io.EOF {
			l.proper, l.tookOf = 1, true
			e := checklist.Entry{Name: l.of, Digest: alone.digest}
			return l, s.listed(l, &e, l.of)
		}
		if err == io.EOF {
			return l, true
		}
		if err != nil {
			return fail(l.shown + ": read error")
		}
		if parser.Comment(line) {
			continue
		}
		if alone.digest != nil { // it is not
			alone.digest = nil
			if !improper(alone.line, alone.wrong) {
				return nil, false
			}
		}
		e, wrong := parser.Parse(line)
		if first && wrong != nil && l.of != "" && whole {
			if alone.digest, _ = checklist.ParseDigest(strings.Trim(line, "\ufeff \t\r")); alone.digest != nil {
				alone.line, alone.wrong, first = n, wrong, false
				continue
			}
		}
		first = false
		switch {
		case !whole:
			wrong = errLongLine
		case wrong == nil && name == "-" && e.Name == "-":
			wrong = errStandardInput
		case wrong == nil && l.bag != nil:
			wrong = l.bag.Lists(l.manifest, e.Name)
		}
		if wrong != nil {
			if !improper(n, wrong) {
				return nil, false
			}
			continue
		}
		l.proper++
		e.Name = readingOf(l, &e, base)
		path := under(base, e.Name)
		if l.bag != nil {
			path = walk.Join(base, e.Name) // where - is a name like any other
		}
		see(e.Name, path)
		if !s.filters.Keep(e.Name, false) {
			continue
		}
		if !s.listed(l, &e, path) {
			return nil, false
		}
	}
}

var (
	errLongLine      = fmt.Errorf("the line is longer than %d bytes", checklist.MaxLine)
	errStandardInput = errors.New("the list is standard input itself")
	errUnlistedLink  = errors.New("a symbolic link that no manifest lists")
)

// plainText returns what a list holds in UTF-8, or in whatever is not UTF-16 with a byte order
// mark, as PowerShell writes it.
func plainText(r io.Reader) (io.Reader, error) {
	var mark [2]byte
	n, err := io.ReadFull(r, mark[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	r = io.MultiReader(bytes.NewReader(mark[:n]), r)
	if mark == [2]byte{0xff, 0xfe} || mark == [2]byte{0xfe, 0xff} {
		r = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(r)
	}
	return r, nil
}

// openList opens a list.
func (s *source) openList(l *list) (r io.ReadCloser, shown string, err error) {
	if l.bag == nil {
		return s.open(l.name)
	}
	f, err := l.bag.Open(l.manifest.File)
	return f, l.name, err
}

// readingOf returns which reading of its name an entry means.
func readingOf(l *list, e *checklist.Entry, base string) string {
	if l.bag != nil {
		return l.bag.Reading(e.Name, e.Or)
	}
	readings := []string{e.Or}
	if strings.Contains(e.Name, `\`) {
		readings = append(readings, strings.ReplaceAll(e.Name, `\`, "/"), strings.ReplaceAll(e.Or, `\`, "/"))
	}
	for _, r := range readings {
		if r != "" && isMissing(under(base, e.Name)) && isFile(under(base, r)) {
			return r
		}
	}
	return e.Name
}

func isFile(path string) bool {
	info, err := file.Stat(path)
	return err == nil && !info.Dir
}

func isMissing(path string) bool {
	_, err := file.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// listed yields a file that a list names.
func (s *source) listed(l *list, e *checklist.Entry, path string) bool {
	it := newFileItem(e.Name, path)
	it.check = &check{list: l, listed: true, want: digestOf(e.Digest)}
	if l.bag == nil {
		return s.file(it)
	}
	// Pipes and devices are not waited for.
	if path, err := l.bag.Resolve(e.Name); err == nil {
		it.path = path
	} else {
		it.err = err
		it.done.Store(true)
	}
	return s.bagFile(it)
}

// enlist returns a function that adds names to a set.
func (s *source) enlist(to *names.Set) func(name, path string) {
	return func(name, path string) {
		to.Add(name)
		if id, ok := file.Identity(path, s.follows()); ok {
			to.AddFile(name, id)
		}
	}
}

// isListed reports whether a set has a name, or another spelling of it that opens the same
// file.
func (s *source) isListed(set *names.Set, name, path string) bool {
	if set.Has(name) {
		return true
	}
	id, ok := file.Identity(path, s.follows())
	return ok && set.HasFile(name, id)
}

// follows reports whether a link counts as what it leads to.
func (s *source) follows() bool { return s.bag == "" && s.links != "name" }

// audit yields the files of a list and those under the roots that it does not
// name. Both have names that are relative to base.
func (s *source) audit(name, base string, roots []string) bool {
	records, err := update.OpenIndex(name)
	if err != nil {
		return s.emit(&noteItem{text: message.Quote(name+update.Suffix) + ": " + message.Reason(err), fail: true})
	}
	var listed names.Set
	absolute := 0
	enlist := s.enlist(&listed)
	l, more := s.lines(&list{name: name, audit: true, records: records}, base, func(name, path string) {
		enlist(name, path)
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
				if s.isListed(&listed, f.name, f.path) {
					return true
				}
				f.check = &check{list: l}
			}
			return s.emit(it)
		}
		at := under(base, root)
		info, err := file.Stat(at)
		switch {
		case filepath.IsAbs(root) && absolute == 0 && l.proper > 0:
			more = s.emit(&noteItem{text: message.Quote(root) + ": all names in " + l.shown + " are relative; expected a relative directory", fail: true})
		case !filepath.IsAbs(root) && absolute == l.proper && l.proper > 0:
			more = s.emit(&noteItem{text: message.Quote(root) + ": all names in " + l.shown + " are absolute; expected an absolute directory", fail: true})
		case err != nil:
			more = s.emit(&failureItem{name: root, err: err})
		case info.Dir:
			more = s.walker(emit).Walk(root, at) // nothing goes unnoticed
		case s.filters.Keep(root, false) && !s.isListed(&listed, root, at):
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
