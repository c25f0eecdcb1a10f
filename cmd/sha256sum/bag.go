package main

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path"
	"strconv"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/bag"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/message"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/names"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/walk"
)

// A validation is of one bag.
type validation struct {
	*source
	*bag.Bag
	dir     string
	payload []manifest
}

// A manifest holds the names that it lists, once it was read.
type manifest struct {
	*list
	names names.Set
}

// validateBag yields the files of a bag, and what is wrong with it.
func (s *source) validateBag(dir string) iter.Seq[item] {
	return func(yield func(item) bool) {
		b, problems := bag.Open(dir)
		v := &validation{source: s, Bag: b, dir: dir}
		for _, p := range problems {
			if !yield(v.wrong(p.File, "%s", message.Reason(p.Err))) {
				return
			}
		}
		if b == nil {
			return
		}
		v.payload = v.manifests(b.Payload)
		var parts []iter.Seq[item]
		for i := range v.payload {
			v.payload[i].audit = i == 0 // what no manifest lists counts in the first
			parts = append(parts, v.read(&v.payload[i]))
		}
		parts = append(parts, v.unlisted(), v.fetched())
		for _, tags := range v.manifests(b.Tags) {
			parts = append(parts, v.read(&tags), v.unlistedManifests(&tags))
		}
		for _, part := range parts {
			if !each(part, yield) {
				return
			}
		}
	}
}

func (v *validation) manifests(of []bag.Manifest) []manifest {
	all := make([]manifest, len(of))
	for i, m := range of {
		l := &list{name: walk.Join(v.dir, m.File), bag: v.Bag, manifest: m}
		if m.Name != bag.SHA256 {
			l.algorithm = &l.manifest.Algorithm
		}
		all[i].list = l
	}
	return all
}

// wrong returns the item of what is wrong with a file of the bag.
func (v *validation) wrong(file, format string, args ...any) *noteItem {
	return errorItem("%s: %s", message.Quote(walk.Join(v.dir, file)), fmt.Sprintf(format, args...))
}

// read yields the files of a manifest, and its summary. The summary of the first manifest
// of the payload comes later, from unlisted.
func (v *validation) read(m *manifest) iter.Seq[item] {
	return func(yield func(item) bool) {
		if !each(v.listed(m.list, v.dir, v.enlist(&m.names)), yield) {
			return
		}
		if n := m.names.Sort(); n > 0 && !yield(v.repeated(m, n)) || m.unread || m.audit {
			return
		}
		yield(&summaryItem{m.list})
	}
}

// repeated returns the item of a manifest that lists n files twice. An early version of
// BagIt does not forbid that. If the digests of a file differ, one of them is wrong.
func (v *validation) repeated(m *manifest, n int) item {
	what := strconv.Itoa(n) + " files are listed more than once"
	if n == 1 {
		what = "1 file is listed more than once"
	}
	it := v.wrong(m.manifest.File, "%s", what)
	if !v.Strict {
		it.text, it.fail = "WARNING: "+it.text, false
	}
	return it
}

// unlisted yields the files of the payload that the manifests do not list. It compares
// the size of the payload with the size that the bag declares, and ends the first
// manifest.
func (v *validation) unlisted() iter.Seq[item] {
	return func(yield func(item) bool) {
		if len(v.payload) == 0 || v.payload[0].unread {
			return
		}
		summary := &summaryItem{v.payload[0].list}
		root := walk.Join(v.dir, bag.Payload)
		if info, err := os.Lstat(root); err != nil || !info.IsDir() {
			yield(summary) // what is wrong is said already; a link may lead out of the bag, and a pipe is not waited for
			return
		}
		w := v.walker(func(string) bool { return false })
		w.Links = "name"
		var size bag.Oxum
		for e := range w.Walk(bag.Payload, root) {
			if e.Kind == walk.Other {
				e.Kind, e.Err = walk.Failure, errors.New("a payload holds files only, not a "+e.What)
			}
			it := foundItem(e)
			if f, ok := it.(*fileItem); ok {
				if info, err := file.Stat(f.path); err == nil && info.Regular {
					size.Bytes += info.Size
					size.Files++
				}
				lacking := v.lacking(f)
				if len(lacking) < len(v.payload) {
					for _, l := range lacking {
						if v.Strict && !yield(errorItem("%s: %s does not list the file", message.Quote(f.name), path.Base(l.name))) {
							return
						}
					}
					continue
				}
				it = v.unlistedFile(f)
			}
			if !yield(it) {
				return
			}
		}
		if v.Oxum != nil && *v.Oxum != size && !yield(errorItem("%s: Payload-Oxum is %d.%d; the payload has %d.%d",
			message.Quote(v.dir), v.Oxum.Bytes, v.Oxum.Files, size.Bytes, size.Files)) {
			return
		}
		yield(summary)
	}
}

// lacking returns the manifests that do not list a file of the payload.
func (v *validation) lacking(f *fileItem) (lacking []*list) {
	for i := range v.payload {
		if m := &v.payload[i]; !v.isListed(&m.names, f.name, f.path) {
			lacking = append(lacking, m.list)
		}
	}
	return lacking
}

// unlistedFile returns the item of a file that no manifest lists.
func (v *validation) unlistedFile(f *fileItem) item {
	first := v.payload[0].list
	if !f.walked { // a link
		return &failureItem{name: f.name, err: errUnlistedLink, list: first}
	}
	f.check = &check{list: first}
	return v.bagFile(f)
}

var errUnlistedLink = errors.New("a symbolic link that no manifest lists")

// fetched yields what is wrong with fetch.txt: wrong sizes of files that are there, and
// files that the manifests do not list.
func (v *validation) fetched() iter.Seq[item] {
	return func(yield func(item) bool) {
		for _, f := range v.Fetch {
			at, err := v.Resolve(f.Name)
			if info, statErr := file.Stat(at); err == nil && statErr == nil && f.Size >= 0 && f.Size != info.Size &&
				!yield(v.wrong("fetch.txt", "%d: the length is %d; the file has %d bytes", f.Line, f.Size, info.Size)) {
				return
			}
			for i := range v.payload {
				m := &v.payload[i]
				if (v.Strict || i == 0) && !v.isListed(&m.names, f.Name, walk.Join(v.dir, f.Name)) &&
					!yield(v.wrong("fetch.txt", "%d: %s does not list the file", f.Line, m.manifest.File)) {
					return
				}
			}
		}
	}
}

// unlistedManifests yields the manifests of the payload that a tag manifest does not list.
func (v *validation) unlistedManifests(tags *manifest) iter.Seq[item] {
	return func(yield func(item) bool) {
		for _, p := range v.payload {
			file := p.manifest.File
			if v.Strict && !tags.unread && !v.isListed(&tags.names, file, walk.Join(v.dir, file)) &&
				!yield(v.wrong(file, "%s does not list the file", tags.manifest.File)) {
				return
			}
		}
	}
}

// bagFile returns the item of a file of a bag. With --fast, nobody reads it.
func (s *source) bagFile(it *fileItem) item {
	if s.fast && it.err == nil {
		info, err := file.Stat(it.path)
		it.size, it.err = info.Size, err
		it.done.Store(true)
	}
	return it
}
