package main

import (
	"errors"
	"iter"
	"path"
	"path/filepath"
	"strings"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/message"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/names"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/output"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/walk"
	"github.com/sha256-simd/sha256-simd/internal/checklist"
)

// lists yields the files of the lists that the command line names, and the lists'
// summaries. If two files are named, and the first holds one digest alone, that digest is
// of the second file.
func (s *source) lists() iter.Seq[item] {
	names := s.files
	if len(names) == 0 {
		names = []string{"-"}
	}
	return func(yield func(item) bool) {
		for i, name := range names {
			l := &list{name: name}
			if len(names) == 2 && i == 0 && names[1] != name {
				l.of = names[1]
			}
			if !each(s.listed(l, s.baseOf(name), func(name, path string) {}), yield) || !l.unread && !yield(&summaryItem{l}) || l.tookOf {
				return
			}
		}
	}
}

// listed yields the files of a list. The names in the list are relative to base. listed
// calls see with each name and its path.
func (s *source) listed(l *list, base string, see func(name, path string)) iter.Seq[item] {
	return func(yield func(item) bool) {
		for e, err := range s.entries(l) {
			var bad *lineError
			switch {
			case errors.As(err, &bad):
				l.malformed++
				if (s.warn || s.json || l.bag != nil) && !yield(&malformedItem{l, bad.line, bad.err}) {
					return
				}
				continue
			case err != nil:
				l.unread = true
				yield(errorItem("%v", err))
				return
			}
			l.proper++
			path := l.of
			if !l.tookOf {
				e.Name = readingOf(l, &e, base)
				if path = under(base, e.Name); l.bag != nil {
					path = walk.Join(base, e.Name) // where - is a name like any other
				}
				see(e.Name, path)
				if !s.keeps(l, e.Name) {
					continue
				}
			}
			if !yield(s.listedFile(l, &e, base, path)) {
				return
			}
		}
	}
}

// keeps reports whether the filters leave in a file that a list names. In an audit they
// see what the walk of a root sees.
func (s *source) keeps(l *list, name string) bool {
	found := false
	for _, root := range l.roots {
		if path.Clean(root) == path.Clean(name) { // a file, which the command line names
			if s.filters.Keep(root, false) {
				return true
			}
			found = true
			continue
		}
		if below, ok := belowRoot(root, name); ok {
			if s.filters.KeepPath(below) {
				return true
			}
			found = true
		}
	}
	return !found && s.filters.KeepPath(name)
}

// belowRoot returns the path of a file below a directory. It reports false if the file is
// not there.
func belowRoot(root, name string) (below string, ok bool) {
	name = path.Clean(name)
	if root = path.Clean(root); root == "." {
		return name, !path.IsAbs(name) && name != ".." && !strings.HasPrefix(name, "../")
	}
	return strings.CutPrefix(name, walk.Join(root, ""))
}

// listedFile returns the item of a file that a list names. The caller has to yield the
// item next.
func (s *source) listedFile(l *list, e *checklist.Entry, base, path string) item {
	check := &check{list: l, listed: true, want: digestOf(e.Digest)}
	if l.bag == nil && (!l.audit || path == "-") {
		it := s.named(e.Name, path)
		it.check = check
		return it
	}
	// Pipes and devices are not waited for.
	it := newFileItem(e.Name, path)
	it.check = check
	if l.bag == nil {
		it.err = s.auditable(l, e.Name, base, path)
	} else if path, err := l.bag.Resolve(e.Name); err == nil {
		it.path = path
	} else {
		it.err = err
	}
	it.done.Store(it.err != nil)
	return s.bagFile(it)
}

var (
	errBehindLink = errors.New("behind a symbolic link: --links=follow reads it")
	errNotRegular = errors.New("not a regular file")
)

// auditable returns an error if an audit does not read a file that a list names: one that is
// not regular, or that the walk leaves out because of a link.
func (s *source) auditable(l *list, name, base, at string) error {
	if s.links == "name" {
		if _, err := file.Readlink(at); err == nil {
			if l.isBehindLink(path.Dir(name), base) {
				return errBehindLink
			}
			return nil // only the name that it holds is read
		}
	}
	info, err := file.Stat(at)
	switch {
	case err != nil:
		return nil // who opens it says why
	case s.links != "follow" && (l.isBehindLink(name, base) || leadsElsewhere(name, base, info)):
		return errBehindLink
	case !info.Regular && !info.Dir:
		return errNotRegular
	}
	return nil
}

// leadsElsewhere reports whether a name with "..", as it is opened, is not the file of the name
// without: there is a link in front of "..".
func leadsElsewhere(name, base string, opened file.Info) bool {
	if !strings.Contains("/"+name+"/", "/../") {
		return false
	}
	info, err := file.Stat(under(base, path.Clean(name)))
	return err != nil || info.ID != opened.ID
}

// isBehindLink reports whether a file that an audit comes to below its roots is a symbolic
// link, or behind one. Links in and above a root are followed.
func (l *list) isBehindLink(name, base string) (behind bool) {
	for _, root := range l.roots {
		if path.Clean(root) == path.Clean(name) {
			return false // the command line names it
		}
		if below, ok := belowRoot(root, name); ok {
			if behind = l.hasLink(under(base, root), below); !behind {
				return false
			}
		}
	}
	return behind
}

// hasLink reports whether a path below a directory is one of a symbolic link, or leads
// through one.
func (l *list) hasLink(dir, below string) bool {
	at := dir
	for element := range strings.SplitSeq(below, "/") {
		at = walk.Join(at, element)
		if strings.HasPrefix(l.noLinks, at+"/") {
			continue
		}
		if _, err := file.Readlink(at); err == nil {
			return true
		}
	}
	l.noLinks = at[:strings.LastIndexByte(at, '/')+1]
	return false
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

// audit yields the files of a list, and the files under the roots that the list does not
// name. The names of both are relative to the list's base.
func (s *source) audit(name string, roots []string) iter.Seq[item] {
	if len(roots) == 0 {
		roots = []string{"."}
	}
	return func(yield func(item) bool) {
		records, err := update.OpenIndex(name)
		if err != nil && !yield(errorItem("%s: %s", message.Quote(update.StampsOf(name)), message.Reason(err))) {
			return
		}
		a := auditing{list: &list{name: name, audit: true, roots: roots, records: records}, base: s.baseOf(name), stamps: update.StampsOf(name)}
		if a.file, err = filepath.EvalSymlinks(name); err != nil {
			a.file = name
		}
		enlist := s.enlist(&a.listed)
		see := func(name, path string) {
			enlist(name, path)
			if filepath.IsAbs(name) {
				a.absolute++
			}
		}
		if !each(s.listed(a.list, a.base, see), yield) || a.unread {
			return
		}
		a.listed.Sort()
		for _, root := range roots {
			if !each(s.unlisted(&a, root), yield) {
				return
			}
		}
		yield(&summaryItem{a.list})
	}
}

// An auditing is a list that is audited, and the names in it.
type auditing struct {
	*list
	base     string
	file     string // of the list, whatever links lead to it
	stamps   string // the file of its records
	listed   names.Set
	absolute int // names
}

// unlisted yields the files under a root that the list does not name.
func (s *source) unlisted(a *auditing, root string) iter.Seq[item] {
	return func(yield func(item) bool) {
		at := under(a.base, root)
		info, err := file.Stat(at)
		switch {
		case filepath.IsAbs(root) && a.absolute == 0 && a.proper > 0:
			yield(errorItem("%s: all names in %s are relative; expected a relative directory", message.Quote(root), a.shown))
		case !filepath.IsAbs(root) && a.absolute == a.proper && a.proper > 0:
			yield(errorItem("%s: all names in %s are absolute; expected an absolute directory", message.Quote(root), a.shown))
		case err != nil:
			yield(&failureItem{name: root, err: err})
		case info.Dir:
			follow := s.links == "follow"
			leave := func(path string) bool {
				return s.own(path) || output.Same(path, a.file, follow) || output.Same(path, a.stamps, follow)
			}
			for e := range s.walker(leave).Walk(root, at) { // nothing goes unnoticed
				it := foundItem(e)
				if f, ok := it.(*fileItem); ok {
					if s.isListed(&a.listed, f.name, f.path) {
						continue
					}
					f.check = &check{list: a.list}
				}
				if !yield(it) {
					return
				}
			}
		case s.filters.Keep(root, false) && !s.isListed(&a.listed, root, at):
			it := s.named(root, at)
			it.check = &check{list: a.list}
			yield(it)
		}
	}
}
