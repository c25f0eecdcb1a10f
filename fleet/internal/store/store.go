// Package store reads, lists and writes objects by their names: paths, file://,
// s3://, gs:// and azblob:// URLs, and those of other schemes for the same stores. Reads are retried, resumed where they broke,
// and limited; a digest can rest on what they return.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Options are the options of a Store. The zero value has no limits and no
// retries.
type Options struct {
	// Params are URLs such as s3://bucket?region=eu-west-1 or, for all buckets of
	// a scheme, s3://?endpoint=…, whose queries say how to open buckets.
	Params []string
	// Connections is how many reads there may be at once.
	Connections int
	// BytesPerSecond and RequestsPerSecond limit reads if they are above 0.
	BytesPerSecond, RequestsPerSecond float64
	// Retries is how often in a row a request is tried again that brought nothing.
	Retries int
	// Backoff is how long the first retry waits; each further one waits twice as
	// long, up to 64 times as long, less a random part.
	Backoff time.Duration
	// Stall is how long a request may bring nothing, and take nothing, before it counts as
	// broken.
	Stall time.Duration
}

// A Store gives access to all stores. It is safe for concurrent use.
type Store struct {
	options  Options
	params   map[string]url.Values // by scheme://bucket or scheme://
	requests *rate.Limiter
	bytes    *rate.Limiter

	mu      sync.Mutex
	buckets map[string]*entry
}

// An entry is a bucket that is opened once.
type entry struct {
	once   sync.Once
	bucket bucket
	err    error

	checking sync.Mutex
	checked  bool
	missing  error // why there is no such bucket, if that is known
}

// minBurst is the most that Read returns under a limit of bytes.
const minBurst = 64 << 10

// New returns a Store.
func New(o Options) (*Store, error) {
	s := &Store{options: o, params: make(map[string]url.Values), buckets: make(map[string]*entry)}
	for _, p := range o.Params {
		root, q, err := parseParams(p)
		if err != nil {
			return nil, err
		}
		s.params[root] = q
	}
	if o.RequestsPerSecond > 0 {
		s.requests = rate.NewLimiter(rate.Limit(o.RequestsPerSecond), max(1, int(o.RequestsPerSecond/10)))
	}
	if o.BytesPerSecond > 0 {
		s.bytes = rate.NewLimiter(rate.Limit(o.BytesPerSecond), max(minBurst, int(o.BytesPerSecond/10)))
	}
	return s, nil
}

// Close closes what was opened.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, b := range s.buckets {
		if b.bucket != nil {
			errs = append(errs, b.bucket.Close())
		}
	}
	clear(s.buckets)
	return errors.Join(errs...)
}

// Root names the store that an object is in, for objects that can fail
// together: scheme and bucket or, for files, FileRoot.
func Root(name string) string {
	p, err := parse(name)
	if err != nil {
		return ""
	}
	return p.root()
}

// Join returns the name of an object below another name.
func Join(name, rest string) string {
	return strings.TrimSuffix(name, "/") + "/" + rest
}

// Dir returns what is before the last slash of a name, or "".
func Dir(name string) string {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return ""
	}
	return name[:i+1]
}

// entry returns the bucket of a place, which may be yet to be opened.
func (s *Store) entry(p place) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[p.root()]
	if b == nil {
		b = new(entry)
		s.buckets[p.root()] = b
	}
	return b
}

// checkBucket returns an error if the bucket of an object that is missing is
// missing itself, where the store does not say so, or if the store did not answer. It
// asks until it has an answer; a store that refuses to list has given one.
func (s *Store) checkBucket(ctx context.Context, p place) error {
	if !p.provider().hidesBuckets {
		return nil
	}
	b := s.entry(p)
	b.checking.Lock()
	defer b.checking.Unlock()
	if b.checked {
		return b.missing
	}
	_, _, err := s.listPage(ctx, b.bucket, p, listing{n: 1})
	if isKind(err, noBucket) {
		b.missing = err
	}
	b.checked = err == nil || isKind(err, noBucket) || isKind(err, refused)
	if b.checked {
		return b.missing
	}
	return err
}

// bucketOf opens the bucket of a place.
func (s *Store) bucketOf(p place) (bucket, error) {
	b := s.entry(p)
	b.once.Do(func() {
		q := url.Values{}
		for _, from := range []string{p.scheme + "://", p.root()} {
			for k, v := range s.params[from] {
				q[k] = v
			}
		}
		// The bucket outlives the request that opens it.
		b.bucket, b.err = p.provider().open(context.Background(), p, q, s.options.Connections)
		if b.err != nil {
			b.err = newFailure(refused, fmt.Errorf("opening %s: %w", p.root(), b.err))
		}
	})
	return b.bucket, b.err
}

// Write writes an object: all of it, or nothing if it fails or is killed. The
// directories of a file are made.
func (s *Store) Write(ctx context.Context, name string, from io.ReadSeeker) error {
	return s.write(ctx, name, from, always)
}

// Create is Write, but it writes nothing and reports false if there is an object of that
// name. Some stores of S3's protocol know no such condition, and write over it.
func (s *Store) Create(ctx context.Context, name string, from io.ReadSeeker) (bool, error) {
	err := s.write(ctx, name, from, ifNone)
	if errors.Is(err, fs.ErrExist) || isKind(err, replaced) {
		return false, nil
	}
	return err == nil, err
}

func (s *Store) write(ctx context.Context, name string, from io.ReadSeeker, how condition) error {
	p, err := parse(name)
	if err != nil {
		return err
	}
	if p.scheme == "" {
		return writeFile(p.path, from, how)
	}
	b, err := s.bucketOf(p)
	if err != nil {
		return err
	}
	return s.retry(ctx, func(ctx context.Context) error {
		if _, err := from.Seek(0, io.SeekStart); err != nil {
			return err
		}
		err := s.unlessStalled(ctx, func(ctx context.Context) error { return p.provider().failed(b.write(ctx, p.key, from, how)) })
		if err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		return nil
	})
}

// Remove removes an object. It is no error if there is none.
func (s *Store) Remove(ctx context.Context, name string) error {
	p, err := parse(name)
	if err != nil {
		return err
	}
	if p.scheme == "" {
		if err := os.Remove(p.path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	b, err := s.bucketOf(p)
	if err != nil {
		return err
	}
	err = s.retry(ctx, func(ctx context.Context) error {
		return s.unlessStalled(ctx, func(ctx context.Context) error { return p.provider().failed(b.remove(ctx, p.key)) })
	})
	if err != nil && !IsMissing(err) {
		return fmt.Errorf("removing %s: %w", name, err)
	}
	return nil
}

// CheckWrite returns an error if Write of a name is known to fail. It changes nothing: what it
// makes to find out, it removes. A store is not asked.
func (s *Store) CheckWrite(name string) error {
	p, err := parse(name)
	if err != nil {
		return err
	}
	if p.scheme != "" {
		_, err := s.bucketOf(p)
		return err
	}
	var made []string // directories, the innermost first
	for dir := filepath.Dir(p.path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, dir)
	}
	defer func() {
		for _, dir := range made {
			os.Remove(dir) // fails if another program has used it
		}
	}()
	f, _, _, err := prepareFile(p.path)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// prepareFile creates the file that is to take the place of a name, and returns its mode and
// whether it replaces another.
func prepareFile(name string) (f *os.File, mode fs.FileMode, replaces bool, err error) {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, 0, false, err
	}
	// The umask counts. A file that replaces another has its mode, but not its owner and
	// group.
	mode = 0o666
	info, err := os.Lstat(name)
	replaces = err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, false, err
	}
	if replaces && !info.Mode().IsRegular() {
		return nil, 0, false, &fs.PathError{Op: "write", Path: name, Err: errors.New("it is " + kindOf(info.Mode()))}
	}
	if replaces {
		mode = info.Mode().Perm()
	}
	f, err = createTemp(dir, mode)
	return f, mode, replaces, err
}

// kindOf says what is no regular file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	}
	return "not a regular file"
}

func writeFile(name string, from io.ReadSeeker, how condition) (err error) {
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	f, mode, replaces, err := prepareFile(name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = io.Copy(f, from)
	if err == nil && replaces {
		err = f.Chmod(mode) // the umask may have taken from it
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if how == ifNone {
		if err := os.Link(f.Name(), name); err == nil || errors.Is(err, fs.ErrExist) {
			return errors.Join(err, os.Remove(f.Name()))
		}
		// A file system without links.
		if _, err := os.Lstat(name); err == nil {
			return &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
		}
	}
	return os.Rename(f.Name(), name)
}

// createTemp creates a file in a directory. Unlike os.CreateTemp it takes the mode. The name
// does not have that of the file to come, which may have the greatest length allowed.
func createTemp(dir string, mode fs.FileMode) (*os.File, error) {
	for {
		f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf(".tmp-%08x", rand.Uint32())), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// A Temp is a temporary file, which Close removes.
type Temp struct{ *os.File }

// TempFile returns a temporary file. Where the system allows it, it has no name
// any more: nothing of it stays if the program is killed.
func TempFile() (Temp, error) {
	f, err := os.CreateTemp("", "fleetsum-")
	if err != nil {
		return Temp{}, err
	}
	os.Remove(f.Name()) // fails on Windows
	return Temp{f}, nil
}

// Close closes and removes the file.
func (t Temp) Close() error {
	err := t.File.Close()
	os.Remove(t.Name())
	return err
}
