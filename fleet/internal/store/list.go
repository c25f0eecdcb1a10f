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
	"gocloud.dev/blob"
)

// An Info describes an object that was listed.
type Info struct {
	Name     string
	Size     int64
	Modified time.Time
}

// pageSize is how many objects are asked for at once: the most that S3 gives.
const pageSize = 1000

// List calls found with each object that a pattern names, in the order of its
// store. A pattern is a name that may hold *, ?, [a-z], {a,b} and, for any number
// of directories, **; a name without these means the object and all objects
// below it. Of files, regular ones are listed, and links are followed only
// where they are named. It is an error if there is none.
func (s *Store) List(ctx context.Context, pattern string, found func(Info) error) error {
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
		err = listFiles(ctx, p.path, strings.HasPrefix(pattern, "file://"), each)
	} else {
		err = s.listBucket(ctx, p, each)
	}
	if err == nil && !any {
		err = &fs.PathError{Op: "list", Path: pattern, Err: fs.ErrNotExist}
	}
	return err
}

func listFiles(ctx context.Context, pattern string, asURL bool, found func(Info) error) error {
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
		return found(Info{name, info.Size(), info.ModTime()})
	}
	if info, err := os.Stat(pattern); err == nil {
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
	base, rest := doublestar.SplitPattern(filepath.ToSlash(pattern))
	return doublestar.GlobWalk(os.DirFS(base), rest, func(name string, d fs.DirEntry) error {
		return one(filepath.Join(base, filepath.FromSlash(name)), d)
	}, doublestar.WithFailOnIOErrors(), doublestar.WithNoFollow())
}

func (s *Store) listBucket(ctx context.Context, p place, found func(Info) error) error {
	b, err := s.bucketOf(p)
	if err != nil {
		return err
	}
	prefix := p.key
	match := func(key string) bool {
		return p.key == "" || key == p.key || strings.HasPrefix(key, strings.TrimSuffix(p.key, "/")+"/")
	}
	if i := strings.IndexAny(p.key, `*?[{\`); i >= 0 {
		if !doublestar.ValidatePattern(p.key) {
			return fmt.Errorf("bad pattern %q: %w", p.key, doublestar.ErrBadPattern)
		}
		prefix = p.key[:i]
		match = func(key string) bool { return doublestar.MatchUnvalidated(p.key, key) }
	}
	for token := blob.FirstPageToken; ; {
		page, next, err := s.listPage(ctx, b, p, token, pageSize, prefix)
		if err != nil {
			return fmt.Errorf("listing %s: %w", p.root(), err)
		}
		token = next
		for _, o := range page {
			key := p.provider().keyOf(o)
			// Consoles represent directories by empty objects.
			if o.IsDir || o.Size == 0 && strings.HasSuffix(key, "/") || !match(key) {
				continue
			}
			if err := found(Info{p.root() + "/" + key, o.Size, o.ModTime}); err != nil {
				return err
			}
		}
		if len(token) == 0 {
			return nil
		}
	}
}

// listPage returns up to n objects of a bucket, and the token of those that follow.
func (s *Store) listPage(ctx context.Context, b *blob.Bucket, p place, token []byte, n int, prefix string) (page []*blob.ListObject, next []byte, err error) {
	err = s.retry(ctx, func(ctx context.Context) error {
		if err := s.wait(ctx); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeoutCause(ctx, s.stall(), errStalled)
		defer cancel()
		page, next, err = b.ListPage(ctx, token, n, &blob.ListOptions{Prefix: prefix})
		if err != nil && errors.Is(context.Cause(ctx), errStalled) {
			return errStalled
		}
		return p.provider().failed(err)
	})
	return page, next, err
}

// fileURL returns the URL of an absolute path.
func fileURL(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(name)}).String()
}
