package store

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A provider gives access to one kind of object store. What a kind needs is in one
// file, and no file knows two kinds.
type provider struct {
	// open opens a bucket. It takes the parameters of gocloud.dev's URLs.
	open func(ctx context.Context, p place, q url.Values, connections int) (bucket, error)
	// kindOf says what an error of the store means.
	kindOf func(error) kind
	// headerOf returns the header of the response that an error is about, or nil.
	headerOf func(error) http.Header
	// hidesBuckets says that the store reports a missing object where its bucket is
	// missing.
	hidesBuckets bool
}

// providers has the kinds of stores, by the schemes of their URLs.
var providers = map[string]*provider{"s3": &s3Provider, "gs": &gsProvider, "azblob": &azblobProvider}

// A bucket is an open one. Each of its methods makes one request, and leaves retries
// to its caller. It is safe for concurrent use.
type bucket interface {
	// read requests an object from byte from on.
	read(ctx context.Context, key, version string, from int64) (*response, error)
	// list returns a page of a listing, and the token of the next one, or "".
	list(ctx context.Context, l listing) (page []listed, next string, err error)
	// write writes an object: all of it, or nothing. An error whose kind is replaced says
	// that the condition does not hold.
	write(ctx context.Context, key string, from io.ReadSeeker, how condition) error
	// remove removes an object.
	remove(ctx context.Context, key string) error
	// Close closes the bucket.
	io.Closer
}

// A listing says what to list.
type listing struct {
	prefix   string // of keys
	versions bool   // all of them, not only the current ones
	token    string // of the page, or "" for the first
	n        int    // objects of the page, at most
}

// A listed object is one of a page.
type listed struct {
	key      string // as the store has it
	version  string // if all versions are listed
	size     int64
	modified time.Time
	etag     string // as response has it
}

// contentType is the type of the objects that Write writes.
const contentType = "text/plain; charset=utf-8"

// A condition says when an object is written.
type condition int

const (
	always condition = iota
	ifNone           // if there is no object of that name
)

// A response is an object's bytes from where they were requested.
type response struct {
	io.ReadCloser
	// size is the length of the whole object.
	size int64
	// etag is as of Object, and identity stays the same while the object does: besides
	// the ETag it may have a version. They are "" if the store does not say.
	etag, identity string
	modified       time.Time // as of Object
}

// A kind is what an error of a store means for the caller.
type kind int

const (
	passing  kind = iota // a later request may succeed
	refused              // all requests to the store fail like this
	unfit                // all requests for this object fail like this
	missing              // the store has no such object
	deleted              // its place is taken by a delete marker
	archived             // the object can be read only after it has been restored
	noBucket             // the store has no such bucket, which is not the object's fault
	replaced             // the object is not as the request's condition says
)

// A failure is an error of a store.
type failure struct {
	kind kind
	// after is how long the store asks its clients to wait, or 0.
	after time.Duration
	err   error
	text  string // of err, without credentials
}

// newFailure returns err as a failure. If a file that a request needs is missing, such as
// one of credentials, the object is not: the failure does not have the types of an error
// of a file.
func newFailure(k kind, err error) *failure {
	f := &failure{kind: k, err: err, text: withoutCredentials(err)}
	var file *fs.PathError
	if errors.As(err, &file) || errors.Is(err, fs.ErrNotExist) {
		f.err = errors.New(f.text)
	}
	return f
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.err }

// withoutCredentials returns the text of err. Of its URLs it leaves out what may have
// credentials, as the query of a signed one: users, queries and fragments.
func withoutCredentials(err error) string {
	text := err.Error()
	var u *url.Error
	for ; errors.As(err, &u); err = u.Err {
		bare := u.URL
		if i := strings.IndexAny(bare, "?#"); i >= 0 {
			bare = bare[:i]
		}
		if scheme, rest, ok := strings.Cut(bare, "://"); ok {
			host, _, _ := strings.Cut(rest, "/")
			bare = scheme + "://" + rest[strings.LastIndexByte(host, '@')+1:]
		}
		text = strings.ReplaceAll(text, strconv.Quote(u.URL), strconv.Quote(bare))
	}
	return text
}

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
	f := newFailure(p.kindOf(err), err)
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		f.kind = refused
	case f.kind == passing:
		f.after = retryAfter(p.headerOf(err), time.Now())
	}
	return f
}

// kindOfStatus says what a status means that a store gives no word about. That of a
// missing object may be a proxy's.
func kindOfStatus(status int) kind {
	switch status {
	case http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable:
		return replaced
	case http.StatusNotFound, http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return passing
	}
	if status >= 400 && status < 500 {
		return refused
	}
	return passing
}

// maxRetryAfter is the longest that a store can have its clients wait between two
// requests.
const maxRetryAfter = 2 * time.Minute

// retryAfter returns how long the header of a response asks to wait, or 0.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, min(at.Sub(now), maxRetryAfter))
	}
	return 0
}

// errNoLength says that a body may end anywhere.
var errNoLength = errors.New("the store does not say how long the object is")

// bareETag returns an ETag without its quotation marks, which lists leave out.
func bareETag(etag string) string { return strings.Trim(etag, `"`) }

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
