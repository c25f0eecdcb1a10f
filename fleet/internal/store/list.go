package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// An Info describes an object that was listed.
type Info struct {
	Name string
	// Version is a version ID of S3, a generation of Google Cloud Storage, the time of
	// a snapshot of Azure's or, where only current versions are listed, "".
	Version  string
	Size     int64
	Modified time.Time
	ETag     string // as of Object
}

// SameTime reports whether two times can be one time at which an object of a name was last
// written. Stores that list fractions of a second read out whole seconds.
func SameTime(name string, a, b time.Time) bool {
	if Root(name) == FileRoot || a.Nanosecond() != 0 && b.Nanosecond() != 0 {
		return a.Equal(b)
	}
	return a.Truncate(time.Second).Equal(b.Truncate(time.Second))
}

// pageSize is how many objects are asked for at once: the most that S3 gives.
const pageSize = 1000

// ErrNone says that there are no objects of a pattern.
var ErrNone = errors.New("there are no such objects")

// List calls found with each object that a pattern names, in the order of its
// store. A pattern is a name that may hold *, ?, [a-z], {a,b} and, for any number
// of directories, **; a name without these means the object and all objects
// below it. Of files, regular ones are listed, and links are followed only
// where they are named. The error is ErrNone if there are none. With versions set, all
// versions of objects are listed, where a store has them, and not delete markers.
func (s *Store) List(ctx context.Context, pattern string, versions bool, found func(Info) error) error {
	return s.list(ctx, pattern, false, versions, found)
}

// ListBelow is List of a name that is no pattern, whatever is in it, and of current
// versions.
func (s *Store) ListBelow(ctx context.Context, name string, found func(Info) error) error {
	return s.list(ctx, name, true, false, found)
}

// list is List of a pattern or, literally, of a name.
func (s *Store) list(ctx context.Context, pattern string, literal, versions bool, found func(Info) error) error {
	p, err := parse(pattern)
	if err != nil {
		return err
	}
	any := false
	each := func(i Info) error {
		any = true
		return found(i)
	}
	if p.scheme == "" {
		err = listFiles(ctx, p.path, literal, strings.HasPrefix(pattern, "file://"), each)
	} else {
		err = s.listBucket(ctx, p, literal, versions, each)
	}
	if err == nil && !any {
		err = &fs.PathError{Op: "list", Path: pattern, Err: ErrNone}
	}
	return err
}

func listFiles(ctx context.Context, pattern string, literal, asURL bool, found func(Info) error) error {
	one := func(name string, d fs.DirEntry) error {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed since the directory was read
		}
		if err != nil {
			return err
		}
		if asURL {
			name = fileURL(name)
		}
		return found(Info{Name: name, Size: info.Size(), Modified: info.ModTime()})
	}
	info, err := os.Stat(pattern)
	if err == nil {
		if !info.IsDir() {
			return one(pattern, fs.FileInfoToDirEntry(info))
		}
		// A link to a directory is followed if it has a slash at its end.
		root := pattern
		if !os.IsPathSeparator(root[len(root)-1]) {
			root += string(filepath.Separator)
		}
		return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return one(name, d)
		})
	}
	if literal {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	base, rest := doublestar.SplitPattern(filepath.ToSlash(pattern))
	return doublestar.GlobWalk(os.DirFS(base), rest, func(name string, d fs.DirEntry) error {
		return one(filepath.Join(base, filepath.FromSlash(name)), d)
	}, doublestar.WithFailOnIOErrors(), doublestar.WithNoFollow())
}

func (s *Store) listBucket(ctx context.Context, p place, literal, versions bool, found func(Info) error) error {
	b, err := s.bucketOf(p)
	if err != nil {
		return err
	}
	prefix := p.key
	match := func(key string) bool {
		return p.key == "" || key == p.key || strings.HasPrefix(key, strings.TrimSuffix(p.key, "/")+"/")
	}
	if i := strings.IndexAny(p.key, `*?[{\`); i >= 0 && !literal {
		if !doublestar.ValidatePattern(p.key) {
			return fmt.Errorf("bad pattern %q: %w", p.key, doublestar.ErrBadPattern)
		}
		prefix = p.key[:i]
		match = func(key string) bool { return doublestar.MatchUnvalidated(p.key, key) }
	}
	l := listing{prefix: prefix, versions: versions, n: pageSize}
	for {
		page, next, err := s.listPage(ctx, b, p, l)
		if err != nil {
			return fmt.Errorf("listing %s: %w", p.root(), err)
		}
		for _, o := range page {
			if !match(o.key) {
				continue
			}
			if err := found(Info{p.written + "/" + o.key, o.version, o.size, o.modified, o.etag}); err != nil {
				return err
			}
		}
		switch next {
		case "":
			return nil
		case l.token:
			return fmt.Errorf("listing %s: the store sends the same page again", p.root())
		}
		l.token = next
	}
}

// listPage returns a page of a listing, and the token of the next one.
func (s *Store) listPage(ctx context.Context, b bucket, p place, l listing) (page []listed, next string, err error) {
	err = s.retry(ctx, func(ctx context.Context) error {
		if err := s.wait(ctx); err != nil {
			return err
		}
		return s.unlessStalled(ctx, func(ctx context.Context) error {
			page, next, err = b.list(ctx, l)
			return p.provider().failed(err)
		})
	})
	return page, next, err
}

// fileURL returns the URL of an absolute path.
func fileURL(name string) string { return FileRoot + EscapePath(filepath.ToSlash(name)) }

// EscapePath returns a path, or the end of one, as a file:// URL has it.
func EscapePath(path string) string { return (&url.URL{Path: path}).EscapedPath() }
