package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"slices"
	"syscall"
	"time"
)

// ErrChanged says that an object was written to while it was being read: what
// was read may never have been its contents.
var ErrChanged = errors.New("changed while it was read")

// An Object is being read, by one goroutine.
type Object interface {
	// Read is as in io.Reader. It returns io.EOF only when Size bytes have been
	// read and the object is still the same. Close can be called again.
	io.ReadCloser
	// Size is the length of the object in bytes.
	Size() int64
	// ETag is what the store says of the contents, without quotation marks: other
	// contents have another. It is "" if the store does not say it, as for files.
	ETag() string
	// Modified is when the object was last written, or zero if the store does not say it. Of
	// stores it has whole seconds.
	Modified() time.Time
	// Local reports whether the object is a file.
	Local() bool
}

// Open opens an object, in a version as List returns them unless that is "". An error for
// which IsMissing is true says that there is no such object.
func (s *Store) Open(ctx context.Context, name, version string) (Object, error) {
	p, err := parse(name)
	if err != nil {
		return nil, err
	}
	if p.scheme == "" {
		if version != "" {
			return nil, errNoVersions
		}
		var f Object
		err := s.retry(ctx, func(ctx context.Context) (err error) {
			f, err = s.openFile(ctx, p.path)
			return err
		})
		return f, err
	}
	b, err := s.bucketOf(p)
	if err != nil {
		return nil, err
	}
	o := &remote{store: s, ctx: ctx, bucket: b, place: p, version: version}
	if err := s.retry(ctx, o.open); err != nil {
		if IsMissing(err) {
			if bucketErr := s.checkBucket(ctx, p); bucketErr != nil {
				err = fmt.Errorf("%w (%v)", bucketErr, err)
			}
		}
		return nil, err
	}
	o.size, o.etag, o.modified, o.identity = o.body.size, o.body.etag, o.body.modified, o.body.identity
	return o, nil
}

// IsMissing reports whether err says that there is no such object. IsDeleted may
// say why.
func IsMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || isKind(err, missing) || IsDeleted(err)
}

// IsDeleted reports whether err says that a delete marker has taken the object's
// place.
func IsDeleted(err error) bool { return isKind(err, deleted) }

// IsArchived reports whether err says that the object has to be restored from an
// archive before it can be read.
func IsArchived(err error) bool { return isKind(err, archived) }

// OfObject reports whether err concerns one object alone, and not its store.
func OfObject(err error) bool {
	var pathError *fs.PathError
	var name nameError
	return errors.Is(err, ErrChanged) || IsMissing(err) || IsArchived(err) || isKind(err, unfit) || errors.As(err, &name) ||
		errors.As(err, &pathError) && !slices.ContainsFunc(ofFileSystems, func(e error) bool { return errors.Is(err, e) }) && !outOfFiles(err)
}

// MayPass reports whether what could not be read with err may be readable later: because
// of credentials, the network, the load of the store, or a write.
func MayPass(err error) bool {
	var name nameError
	var pathError *fs.PathError
	switch {
	case errors.As(err, &name), errors.Is(err, errNoLength), isKind(err, unfit):
		return false
	case errors.As(err, &pathError):
		return !OfObject(err) || errors.Is(err, fs.ErrPermission)
	}
	return true
}

// ofFileSystems are the errors of files whose disk or server is gone.
var ofFileSystems = []error{syscall.EIO, syscall.ESTALE, syscall.ENOTCONN, syscall.ETIMEDOUT}

// outOfFiles reports whether err says that no more files can be open now.
func outOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// A remote is an object of a store, being read. Its body may be replaced by
// another when it breaks.
type remote struct {
	store    *Store
	ctx      context.Context
	bucket   bucket
	place    place
	version  string
	size     int64
	etag     string
	modified time.Time
	identity string

	body *body
	n    int64 // bytes that were returned
}

// A body is the body of one response.
type body struct {
	*response
	ctx    context.Context
	cancel context.CancelCauseFunc
	stall  *time.Timer
}

// reason returns why the request failed with err.
func (b *body) reason(err error) error {
	if errors.Is(context.Cause(b.ctx), errStalled) {
		return errStalled
	}
	return err
}

func (b *body) close() {
	b.stall.Stop()
	b.cancel(nil)
	b.response.Close()
}

var errStalled = errors.New("the store sent and took nothing for too long")

// open requests the object from byte n on.
func (o *remote) open(ctx context.Context) error {
	if err := o.store.wait(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	b := &body{ctx: ctx, cancel: cancel}
	b.stall = time.AfterFunc(o.store.stall(), func() { cancel(errStalled) })
	var err error
	if b.response, err = o.bucket.read(ctx, o.place.key, o.version, o.n); err != nil {
		b.stall.Stop()
		err = b.reason(o.place.provider().failed(err))
		cancel(nil)
		return err
	}
	o.body = b
	return nil
}

func (o *remote) Size() int64 { return o.size }

func (o *remote) ETag() string { return o.etag }

func (o *remote) Modified() time.Time { return o.modified }

func (o *remote) Local() bool { return false }

func (o *remote) Close() error {
	if o.body != nil {
		o.body.close()
		o.body = nil
	}
	return nil
}

func (o *remote) Read(p []byte) (int, error) {
	if o.n == o.size {
		return 0, io.EOF
	}
	p = o.store.clip(p)
	p = p[:min(int64(len(p)), o.size-o.n)]
	var n int
	err := o.store.retry(o.ctx, func(ctx context.Context) (err error) {
		if o.body == nil {
			if err := o.reopen(ctx); err != nil {
				return fmt.Errorf("after %d of %d bytes: %w", o.n, o.size, err)
			}
		}
		o.body.stall.Reset(o.store.stall())
		n, err = o.body.Read(p)
		if n > 0 {
			return nil // an error comes again
		}
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		err = o.body.reason(err)
		o.Close()
		return fmt.Errorf("after %d of %d bytes: %w", o.n, o.size, err)
	})
	o.n += int64(n)
	if o.body != nil {
		// The reader may take its time.
		o.body.stall.Stop()
	}
	if n > 0 {
		err = o.store.charge(o.ctx, n)
	}
	return n, err
}

// reopen requests the rest of an object whose body broke, if it is still the
// same object.
func (o *remote) reopen(ctx context.Context) error {
	switch err := o.open(ctx); {
	case gone(err):
		return ErrChanged
	case err != nil:
		return err
	case o.identity == "":
		o.Close()
		return &permanent{errors.New("broken off, and the store does not say whether it is still the same object")}
	case o.body.identity != o.identity || o.body.size != o.size:
		o.Close()
		return ErrChanged
	}
	return nil
}

// gone reports whether err says that an object is not there any more as it was.
func gone(err error) bool {
	return IsMissing(err) || isKind(err, replaced)
}

// A permanent error is not tried again.
type permanent struct{ error }

func (p *permanent) Unwrap() error { return p.error }

// retry calls do until it succeeds, fails for good, or has failed too often.
func (s *Store) retry(ctx context.Context, do func(context.Context) error) error {
	for tries := 0; ; tries++ {
		err := do(ctx)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case tries >= s.options.Retries || !retryable(err):
			return err
		}
		wait := s.options.Backoff << min(tries, 6)
		wait -= time.Duration(rand.Float64() * float64(wait) / 2)
		var f *failure
		if errors.As(err, &f) {
			wait = max(wait, f.after)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// retryable reports whether a request that failed with err may succeed later.
func retryable(err error) bool {
	var p *permanent
	var name nameError
	var pathError *fs.PathError
	switch {
	case outOfFiles(err):
		return true
	case errors.As(err, &p), errors.As(err, &name), errors.As(err, &pathError), errors.Is(err, ErrChanged), errors.Is(err, errNoLength):
		return false
	}
	var f *failure
	return !errors.As(err, &f) || f.kind == passing
}

// stall returns how long a request may bring nothing.
func (s *Store) stall() time.Duration {
	if s.options.Stall <= 0 {
		return 1<<63 - 1
	}
	return s.options.Stall
}

// unlessStalled calls do, and ends its context when nothing has gone to the store or come
// from it for too long, as far as observe and observed see it.
func (s *Store) unlessStalled(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(s.stall(), func() { cancel(errStalled) })
	defer stall.Stop()
	err := do(context.WithValue(ctx, progressKey{}, func() { stall.Reset(s.stall()) }))
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		return errStalled
	}
	return err
}

// progressKey is the key of the function, in a context, that is called when bytes have gone
// to a store or come from it.
type progressKey struct{}

// observed is a reader of such bytes.
type observed struct {
	io.Reader
	progress func()
}

// observe returns a reader whose bytes are progress of what is done with a context.
func observe(ctx context.Context, r io.Reader) io.Reader {
	if progress, ok := ctx.Value(progressKey{}).(func()); ok {
		return observed{r, progress}
	}
	return r
}

func (o observed) Read(p []byte) (int, error) {
	n, err := o.Reader.Read(p)
	if n > 0 {
		o.progress()
	}
	return n, err
}

// observeHTTP has do make a request, whose bodies, and those of its response, are observed:
// an SDK reads much of what it writes before it sends it.
func observeHTTP(r *http.Request, do func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	ctx := r.Context()
	progress, ok := ctx.Value(progressKey{}).(func())
	if !ok {
		return do(r)
	}
	if r.Body != nil && r.Body != http.NoBody {
		r = r.WithContext(ctx) // a copy: r is the caller's
		r.Body = observedBody{observe(ctx, r.Body), r.Body}
		if again := r.GetBody; again != nil {
			r.GetBody = func() (io.ReadCloser, error) {
				b, err := again()
				return observedBody{observe(ctx, b), b}, err
			}
		}
	}
	response, err := do(r)
	if err == nil {
		progress()
		response.Body = observedBody{observe(ctx, response.Body), response.Body}
	}
	return response, err
}

type observedBody struct {
	io.Reader
	io.Closer
}

// wait waits until a request may be made. Opening a file counts as one.
func (s *Store) wait(ctx context.Context) error {
	if s.requests == nil {
		return nil
	}
	return s.requests.Wait(ctx)
}

// clip returns as much of p as may be read at once.
func (s *Store) clip(p []byte) []byte {
	if s.bytes == nil {
		return p
	}
	return p[:min(len(p), s.bytes.Burst())]
}

// charge waits until n bytes more may have been read.
func (s *Store) charge(ctx context.Context, n int) error {
	if s.bytes == nil {
		return nil
	}
	return s.bytes.WaitN(ctx, n)
}
