package main

import (
	"bytes"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sha256-simd/sha256-simd"
)

// list yields the files of a checksum list, whose names are relative to base, and
// its summary.
func (s *source) list(name, base string) bool {
	l, more := s.lines(&list{name: name}, base, func(string) {})
	return more && (l == nil || s.emit(&item{kind: summaryItem, list: l}))
}

// lines yields the files of a checksum list, and hands their names to see. The
// list is nil when it could not be read.
func (s *source) lines(l *list, base string, see func(name string)) (read *list, more bool) {
	name := l.name
	f, shown, err := s.open(name)
	if err != nil && name == "-" {
		return nil, s.emit(&item{kind: noteItem, note: "'standard input': read error", fail: true})
	}
	if err != nil {
		return nil, s.emit(&item{kind: noteItem, note: quoteShell(name) + ": " + reason(err), fail: true})
	}
	defer f.Close()
	l.shown = quoteShell(shown)
	end := byte('\n')
	if s.zero {
		end = 0
	}
	lines := newLineReader(f, end)
	s.parser.begin(filepath.Base(name), s.zero)
	for n := 1; ; n++ {
		line, whole, err := lines.next()
		if err == io.EOF {
			return l, true
		}
		if err != nil {
			return nil, s.emit(&item{kind: noteItem, note: l.shown + ": read error", fail: true})
		}
		if s.parser.comment(n, line) {
			continue
		}
		it := &item{list: l, listed: true}
		ok := false
		if whole {
			it.name, it.want, ok = s.parser.parse(line)
		}
		if s.bag != "" && !filepath.IsLocal(it.name) {
			ok = false // a bag names its own files only
		}
		if !ok || name == "-" && it.name == "-" {
			l.malformed++
			if (s.warn || s.json) && !s.emit(&item{kind: malformedItem, list: l, line: n}) {
				return nil, false
			}
			continue
		}
		l.proper++
		see(it.name)
		if !s.filters.keep(it.name, false) {
			continue
		}
		it.path = under(base, it.name)
		if !s.file(it) {
			return nil, false
		}
	}
}

// audit yields the files of a list and those under the roots that it does not
// name. Both have names that are relative to base.
func (s *source) audit(name, base string, roots []string) bool {
	var listed nameSet
	l, more := s.lines(&list{name: name, audit: true}, base, listed.add)
	if l == nil {
		return more
	}
	listed.sort()
	s.leave = s.leaveToo(name, name+stampsSuffix)
	for _, root := range roots {
		emit := func(it *item) bool {
			switch {
			case it.kind != fileItem:
				return s.emit(it)
			case listed.has(it.name):
				return true
			}
			it.list = l
			return s.emit(it)
		}
		at := under(base, root)
		info, err := os.Stat(at)
		switch {
		case err != nil:
			more = s.emit(&item{kind: failedItem, name: root, err: err})
		case info.IsDir():
			more = s.walk(root, at, emit)
		case s.filters.keep(root, false) && !listed.has(root):
			it := newFileItem(root, at)
			it.list = l
			more = s.file(it)
		}
		if !more {
			return false
		}
	}
	return s.emit(&item{kind: summaryItem, list: l})
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

// A nameSet holds the names of a list, each as the first 16 bytes of its digest:
// a million of them take 16 MB.
type nameSet [][16]byte

func nameKey(name string) [16]byte {
	digest := sha256.Sum256([]byte(path.Clean(filepath.ToSlash(name))))
	return [16]byte(digest[:16])
}

func (n *nameSet) add(name string) { *n = append(*n, nameKey(name)) }

func (n nameSet) sort() { slices.SortFunc(n, compareKeys) }

func (n nameSet) has(name string) bool {
	_, found := slices.BinarySearchFunc(n, nameKey(name), compareKeys)
	return found
}

func compareKeys(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) }

// The names of RFC 8493.
const (
	bagDeclaration  = "bagit.txt"
	bagManifest     = "manifest-sha256.txt"
	bagTagManifest  = "tagmanifest-sha256.txt"
	bagPayload      = "data"
	maxDeclaration  = 4 << 10
	bagVersionLabel = "BagIt-Version:"
	bagCodingLabel  = "Tag-File-Character-Encoding:"
)

// validateBag yields the files of a bag, and what is wrong with it.
func (s *source) validateBag(dir string) bool {
	wrong := func(name, what string) bool {
		return s.emit(&item{kind: noteItem, note: quoteShell(join(dir, name)) + ": " + what, fail: true})
	}
	f, err := os.Open(join(dir, bagDeclaration))
	if err != nil {
		return wrong(bagDeclaration, reason(err))
	}
	declaration, err := io.ReadAll(io.LimitReader(f, maxDeclaration))
	f.Close()
	if err != nil {
		return wrong(bagDeclaration, reason(err))
	}
	version, rest, _ := strings.Cut(string(declaration), "\n")
	coding, _, _ := strings.Cut(rest, "\n")
	if !strings.HasPrefix(version, bagVersionLabel) || !strings.HasPrefix(coding, bagCodingLabel) {
		return wrong(bagDeclaration, "not the declaration of a bag")
	}
	if info, err := os.Stat(join(dir, bagPayload)); err != nil || !info.IsDir() {
		if !wrong(bagPayload, "the payload directory is missing") {
			return false
		}
	}
	if !s.audit(join(dir, bagManifest), dir, []string{bagPayload}) {
		return false
	}
	if _, err := os.Stat(join(dir, bagTagManifest)); err != nil {
		return true // a bag need not have one
	}
	return s.list(join(dir, bagTagManifest), dir)
}
