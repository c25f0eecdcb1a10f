package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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
// where they are named. After a directory that cannot be read, the others are listed, and the
// error is an UnreadError. The error is ErrNone if there are no objects. With versions set, all
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

// An UnreadError says what of a file system could not be listed. All else was.
type UnreadError struct {
	first []error
	more  int
}

// maxUnread is how many directories an UnreadError names.
const maxUnread = 10

func (u *UnreadError) add(err error) {
	if len(u.first) < maxUnread {
		u.first = append(u.first, err)
	} else {
		u.more++
	}
}

func (u *UnreadError) Error() string {
	var all []string
	for _, err := range u.first {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = fmt.Errorf("%s %s: %w", p.Op, Quote(p.Path), p.Err)
		}
		all = append(all, err.Error())
	}
	if u.more > 0 {
		all = append(all, fmt.Sprintf("%d more", u.more))
	}
	return "not all is listed: " + strings.Join(all, "; ")
}

// Quote returns a name as a message shows it: quoted if a terminal would not show all of it, or
// take it for more.
func Quote(name string) string {
	if strings.ContainsFunc(name, func(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }) {
		return strconv.Quote(name)
	}
	return name
}

// A tree has the files below a directory. Unlike os.DirFS it takes names that are not UTF-8. What
// cannot be read is noted, and counts as empty.
type tree struct {
	dir    string
	unread *UnreadError
}

func (t tree) path(name string) string {
	return t.dir + string(filepath.Separator) + filepath.FromSlash(name)
}

func (t tree) Open(name string) (fs.File, error) { return os.Open(t.path(name)) }

func (t tree) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(t.path(name))
	return entries, t.note(err)
}

func (t tree) Stat(name string) (fs.FileInfo, error) {
	info, err := os.Stat(t.path(name))
	if err != nil && t.note(err) == nil {
		err = fs.ErrNotExist
	}
	return info, err
}

func (t tree) note(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t.unread.add(err)
	return nil
}

func listFiles(ctx context.Context, pattern string, literal, asURL bool, found func(Info) error) error {
	unread := new(UnreadError)
	err := listTree(ctx, pattern, literal, asURL, found, unread)
	if err == nil && len(unread.first) > 0 {
		return unread
	}
	return err
}

func listTree(ctx context.Context, pattern string, literal, asURL bool, found func(Info) error, unread *UnreadError) error {
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
			unread.add(err)
			return nil
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
				unread.add(err)
				return nil
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
	return doublestar.GlobWalk(tree{base, unread}, rest, func(name string, d fs.DirEntry) error {
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
