package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/bag"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/message"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/names"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/walk"
)

// validateBag yields the files of a bag, and what is wrong with it.
func (s *source) validateBag(dir string) bool {
	b, problems := bag.Open(dir)
	wrong := func(file, what string) bool {
		return s.emit(&noteItem{text: message.Quote(walk.Join(dir, file)) + ": " + what, fail: true})
	}
	for _, p := range problems {
		if !wrong(p.File, message.Reason(p.Err)) {
			return false
		}
	}
	if b == nil {
		return true
	}
	manifests := make([]payloadManifest, len(b.Payload))
	// An early version does not forbid to list a file twice. If the digests differ, one is
	// wrong.
	repeated := func(file string, n int) bool {
		switch {
		case n == 0:
			return true
		case b.Strict:
			return wrong(file, repeatedText(n))
		}
		return s.emit(&noteItem{text: "WARNING: " + message.Quote(walk.Join(dir, file)) + ": " + repeatedText(n)})
	}
	for i, m := range b.Payload {
		p := &manifests[i]
		p.list = s.bagList(dir, b, m)
		p.list.audit = i == 0
		read, more := s.lines(p.list, dir, s.enlist(&p.listed))
		p.unread = read == nil
		if !more || !repeated(m.File, p.listed.Sort()) {
			return false
		}
		if i > 0 && !p.unread && !s.emit(&summaryItem{p.list}) {
			return false
		}
	}
	if len(manifests) > 0 && !manifests[0].unread {
		if !s.payload(dir, b, manifests) || !s.emit(&summaryItem{manifests[0].list}) {
			return false
		}
	}
	for _, f := range b.Fetch {
		at, err := b.Resolve(f.Name)
		if info, statErr := os.Stat(at); err == nil && statErr == nil && f.Size >= 0 && f.Size != info.Size() &&
			!wrong("fetch.txt", fmt.Sprintf("%d: the length is %d; the file has %d bytes", f.Line, f.Size, info.Size())) {
			return false
		}
		for i, m := range b.Payload {
			if (b.Strict || i == 0) && !s.isListed(&manifests[i].listed, f.Name, walk.Join(dir, f.Name)) &&
				!wrong("fetch.txt", fmt.Sprintf("%d: %s does not list the file", f.Line, m.File)) {
				return false
			}
		}
	}
	for _, m := range b.Tags {
		var listed names.Set
		l, more := s.lines(s.bagList(dir, b, m), dir, s.enlist(&listed))
		if l != nil && more {
			more = s.emit(&summaryItem{l})
		}
		n := listed.Sort()
		more = more && repeated(m.File, n)
		for _, p := range b.Payload {
			if more && l != nil && b.Strict && !s.isListed(&listed, p.File, walk.Join(dir, p.File)) {
				more = wrong(p.File, m.File+" does not list the file")
			}
		}
		if !more {
			return false
		}
	}
	return true
}

// A payloadManifest is one that was read.
type payloadManifest struct {
	list   *list
	listed names.Set
	unread bool
}

func (s *source) bagList(dir string, b *bag.Bag, m bag.Manifest) *list {
	l := &list{name: walk.Join(dir, m.File), bag: b, manifest: m}
	if m.Name != bag.SHA256 {
		l.algorithm = &l.manifest.Algorithm
	}
	return l
}

// payload yields what the manifests do not list of the payload, and compares the
// size of the payload with what the bag says of it.
func (s *source) payload(dir string, b *bag.Bag, manifests []payloadManifest) bool {
	if info, err := os.Lstat(walk.Join(dir, bag.Payload)); err != nil || !info.IsDir() {
		return true // which is said already; a link may lead out of the bag, and a pipe is not waited for
	}
	first := manifests[0].list
	var size bag.Oxum
	emit := func(it item) bool {
		f, ok := it.(*fileItem)
		if !ok {
			return s.emit(it)
		}
		if info, err := file.Stat(f.path); err == nil && info.Regular {
			size.Bytes += info.Size
			size.Files++
		}
		lacking := slices.DeleteFunc(slices.Clone(manifests), func(m payloadManifest) bool { return s.isListed(&m.listed, f.name, f.path) })
		switch {
		case len(lacking) == len(manifests):
			if info, err := os.Lstat(f.path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return s.emit(&failureItem{name: f.name, err: errUnlistedLink, list: first})
			}
			f.check = &check{list: first}
			return s.bagFile(f)
		case b.Strict:
			for _, m := range lacking {
				if !s.emit(&noteItem{text: message.Quote(f.name) + ": " + path.Base(m.list.name) + " does not list the file", fail: true}) {
					return false
				}
			}
		}
		return true
	}
	w := s.walker(emit)
	w.Links = "name"
	w.Leave = func(string) bool { return false }
	w.Other = func(name, kind string) bool {
		return s.emit(&failureItem{name: name, err: errors.New("a payload holds files only, not a " + kind)})
	}
	if !w.Walk(bag.Payload, walk.Join(dir, bag.Payload)) {
		return false
	}
	if b.Oxum != nil && *b.Oxum != size {
		return s.emit(&noteItem{fail: true, text: fmt.Sprintf("%s: Payload-Oxum is %d.%d; the payload has %d.%d",
			message.Quote(dir), b.Oxum.Bytes, b.Oxum.Files, size.Bytes, size.Files)})
	}
	return true
}

// bagFile yields a file of a bag. With --fast, nobody reads it.
func (s *source) bagFile(it *fileItem) bool {
	if s.fast && it.err == nil {
		info, err := file.Stat(it.path)
		it.size, it.err = info.Size, err
		it.done.Store(true)
	}
	return s.emit(it)
}

func repeatedText(n int) string {
	if n == 1 {
		return "1 file is listed more than once"
	}
	return strconv.Itoa(n) + " files are listed more than once"
}
