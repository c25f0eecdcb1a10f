package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"gocloud.dev/blob"
)

// A provider gives access to one kind of object store. What a kind needs is in one
// file, and no file knows two kinds.
type provider struct {
	// open opens a bucket. It takes the parameters of gocloud.dev's URLs.
	open func(ctx context.Context, name string, q url.Values, connections int) (*blob.Bucket, error)
	// read requests an object from byte from on. It makes one request and leaves
	// retries to its caller.
	read func(ctx context.Context, b *blob.Bucket, p place, version string, from int64) (*response, error)
	// write writes an object: all of it, or nothing.
	write func(ctx context.Context, b *blob.Bucket, p place, from io.Reader) error
	// remove removes an object.
	remove func(ctx context.Context, b *blob.Bucket, p place) error
	// kindOf says what an error of the store means.
	kindOf func(error) kind
	// keyOf returns the key of a listed object as the store has it.
	keyOf func(*blob.ListObject) string
	// hidesBuckets says that the store reports a missing object where its bucket is
	// missing.
	hidesBuckets bool
}

// providers has the kinds of stores, by the schemes of their URLs.
var providers = map[string]*provider{"s3": &s3Provider, "gs": &gsProvider, "azblob": &azblobProvider}

// contentType is the type of the objects that Write writes.
const contentType = "text/plain; charset=utf-8"

// writeByDriver writes an object by gocloud.dev's driver.
func writeByDriver(ctx context.Context, b *blob.Bucket, p place, from io.Reader) error {
	// What is cancelled before Close does not appear.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := b.NewWriter(ctx, p.key, &blob.WriterOptions{ContentType: contentType})
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, from); err != nil {
		cancel()
		w.Close()
		return err
	}
	return w.Close()
}

// A response is an object's bytes from where they were requested.
type response struct {
	io.ReadCloser
	// size is the length of the whole object.
	size int64
	// identity stays the same while the object does. It is "" if the store does not
	// say.
	identity string
}

// A kind is what an error of a store means for the caller.
type kind int

const (
	passing  kind = iota // a later request may succeed
	refused              // all requests for the object fail like this
	missing              // the store has no such object
	noBucket             // the store has no such bucket, which is not the object's fault
	replaced             // the object is not what it was
)

// A failure is an error of a store.
type failure struct {
	kind kind
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// isKind reports whether err is a failure of a kind.
func isKind(err error, k kind) bool {
	var f *failure
	return errors.As(err, &f) && f.kind == k
}

// failed returns err as a failure, or nil if it is nil.
func (p *provider) failed(err error) error {
	if err == nil {
		return nil
	}
	return &failure{p.kindOf(err), err}
}

// errNoLength says that a body may end anywhere.
var errNoLength = errors.New("the store does not say how long the object is")

// sizeOf returns the length of the object that a response has from byte from on. It
// is an error if the response has other bytes.
func sizeOf(r *http.Response, from int64) (int64, error) {
	if r.ContentLength < 0 {
		return 0, errNoLength
	}
	text := r.Header.Get("Content-Range")
	switch r.StatusCode {
	case http.StatusOK:
		if from > 0 {
			return 0, fmt.Errorf("asked for bytes from %d on, got status 200 and the object from its beginning", from)
		}
		if text == "" {
			return r.ContentLength, nil
		}
	case http.StatusPartialContent:
	default:
		return 0, fmt.Errorf("status %d, want 200 or 206", r.StatusCode)
	}
	var first, last, size int64
	if n, err := fmt.Sscanf(text, "bytes %d-%d/%d", &first, &last, &size); n != 3 || err != nil ||
		first != from || last != size-1 || last-first+1 != r.ContentLength {
		return 0, fmt.Errorf("asked for bytes from %d on, got Content-Range %q with %d bytes", from, text, r.ContentLength)
	}
	return size, nil
}
