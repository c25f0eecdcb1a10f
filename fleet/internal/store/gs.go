package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"cloud.google.com/go/storage"
	"gocloud.dev/blob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/gcp"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"
)

// gsProvider is Google Cloud Storage.
var gsProvider = provider{
	open:         openGS,
	kindOf:       kindOfGS,
	hidesBuckets: true,
	headerOf: func(err error) http.Header {
		var api *googleapi.Error
		if errors.As(err, &api) {
			return api.Header
		}
		return nil
	},
}

// A gsBucket is a bucket.
type gsBucket struct {
	*blob.Bucket
	handle *storage.BucketHandle
}

// openGS opens a bucket. The parameters are anonymous, universe_domain and user_project.
func openGS(ctx context.Context, p place, q url.Values, _ int) (bucket, error) {
	for name := range q {
		if name != "anonymous" && name != "universe_domain" && name != "user_project" {
			return nil, fmt.Errorf("unknown parameter %s", name)
		}
	}
	anonymous := false
	if q.Has("anonymous") {
		var err error
		if anonymous, err = strconv.ParseBool(q.Get("anonymous")); err != nil {
			return nil, fmt.Errorf("parameter anonymous: %w", err)
		}
	}
	project := q.Get("user_project")
	// gcsblob's own URL opener prints a warning on standard output if there are no
	// credentials, and goes on with a key that fails in each request.
	var options gcsblob.Options
	transport := gsTransport{gcp.DefaultTransport()}
	client := gcp.NewAnonymousHTTPClient(transport)
	if !anonymous && os.Getenv("STORAGE_EMULATOR_HOST") == "" {
		found, err := gcp.DefaultCredentialsWithParams(ctx, google.CredentialsParams{UniverseDomain: q.Get("universe_domain")})
		if err != nil {
			return nil, err
		}
		domain, err := found.GetUniverseDomain()
		if err != nil {
			return nil, err
		}
		options.ClientOptions = append(options.ClientOptions, option.WithUniverseDomain(domain))
		if client, err = gcp.NewHTTPClient(transport, found.TokenSource); err != nil {
			return nil, err
		}
	}
	b, err := gcsblob.OpenBucket(ctx, client, p.bucket, &options)
	if err != nil {
		return nil, err
	}
	var sdk *storage.Client
	if !b.As(&sdk) {
		b.Close()
		return nil, errors.New("not a bucket of Google's")
	}
	// The SDK would try again for ever.
	sdk.SetRetry(storage.WithPolicy(storage.RetryNever))
	handle := sdk.Bucket(p.bucket)
	if project != "" {
		handle = handle.UserProject(project)
	}
	return &gsBucket{b, handle}, nil
}

// A gsTransport makes requests whose progress can be seen.
type gsTransport struct{ http.RoundTripper }

func (t gsTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	return observeHTTP(r, t.RoundTripper.RoundTrip)
}

func (b *gsBucket) read(ctx context.Context, key, version string, from int64) (*response, error) {
	object := b.handle.Object(key)
	if version != "" {
		generation, err := strconv.ParseInt(version, 10, 64)
		if err != nil {
			return nil, nameError(fmt.Sprintf("not a generation: %q", version))
		}
		object = object.Generation(generation)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	r, err := object.ReadCompressed(true).Retryer(storage.WithPolicy(storage.RetryNever)).
		NewRangeReader(oneRequest(ctx, cancel), from, -1)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	body := &response{ReadCloser: &canceler{r, ctx, cancel}, size: r.Attrs.Size, modified: r.Attrs.LastModified}
	switch {
	case r.Attrs.Size < 0 || r.Remain() < 0:
		err = errNoLength
	case r.Attrs.StartOffset != from || r.Remain() != r.Attrs.Size-from:
		err = fmt.Errorf("asked for bytes from %d on, got %d of %d bytes from %d on", from, r.Remain(), r.Attrs.Size, r.Attrs.StartOffset)
	}
	if err != nil {
		body.Close()
		return nil, err
	}
	if r.Attrs.Generation > 0 {
		// Reads have no ETag, and what has another generation has other contents.
		body.etag = strconv.FormatInt(r.Attrs.Generation, 10)
		body.identity = body.etag
	}
	return body, nil
}

func (b *gsBucket) list(ctx context.Context, l listing) (page []listed, next string, err error) {
	q := &storage.Query{Prefix: l.prefix, Versions: l.versions, Projection: storage.ProjectionNoACL}
	if err := q.SetAttrSelection([]string{"Name", "Size", "Updated", "Generation"}); err != nil {
		return nil, "", err
	}
	var objects []*storage.ObjectAttrs
	if next, err = iterator.NewPager(b.handle.Objects(ctx, q), l.n, l.token).NextPage(&objects); err != nil {
		return nil, "", err
	}
	for _, o := range objects {
		one := listed{key: o.Name, size: o.Size, modified: o.Updated, etag: strconv.FormatInt(o.Generation, 10)}
		if l.versions {
			one.version = one.etag
		}
		page = append(page, one)
	}
	return page, next, nil
}

func (b *gsBucket) write(ctx context.Context, key string, from io.ReadSeeker, how condition) error {
	o := b.handle.Object(key)
	if how == ifNone {
		o = o.If(storage.Conditions{DoesNotExist: true})
	}
	// What is cancelled before Close does not appear.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := o.NewWriter(ctx)
	w.ContentType = contentType
	if _, err := io.Copy(w, from); err != nil {
		cancel()
		w.Close()
		return err
	}
	return w.Close()
}

func (b *gsBucket) remove(ctx context.Context, key string) error {
	return b.handle.Object(key).Delete(ctx)
}

var errBroke = errors.New("the body ended early")

// oneRequest returns a context that a second request cancels. When a body breaks
// the SDK asks for the rest by itself, and looks neither at where that begins nor,
// if there was no generation, whether it is of the same object.
func oneRequest(ctx context.Context, cancel context.CancelCauseFunc) context.Context {
	var answered atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotFirstResponseByte: func() { answered.Store(true) },
		GetConn: func(string) {
			if answered.Load() {
				cancel(errBroke)
			}
		},
	})
}

// A canceler is a reader whose context ends with it.
type canceler struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// Read drops what it read while the body broke. The answer to a canceled request
// may still arrive, and its bytes would be among them.
func (c *canceler) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if errors.Is(context.Cause(c.ctx), errBroke) {
		return 0, errBroke
	}
	return n, err
}

func (c *canceler) Close() error {
	defer c.cancel(nil)
	return c.ReadCloser.Close()
}

func kindOfGS(err error) kind {
	var api *googleapi.Error
	var token *oauth2.RetrieveError
	switch {
	case errors.Is(err, storage.ErrBucketNotExist):
		return noBucket
	case errors.Is(err, storage.ErrObjectNotExist):
		return missing
	case errors.As(err, &token) && token.Response != nil:
		return kindOfStatus(token.Response.StatusCode)
	case !errors.As(err, &api):
		return passing
	}
	reasons := reasonsOfGS(api)
	switch {
	case slices.ContainsFunc(reasons, func(r string) bool { return slices.Contains(unfitReasons, strings.ToLower(r)) }):
		return unfit
	case slices.ContainsFunc(reasons, func(r string) bool { return strings.HasSuffix(r, "ateLimitExceeded") }):
		return passing
	}
	return kindOfStatus(api.Code)
}

// unfitReasons say that an object is encrypted by a customer's key, or that its name is
// none.
var unfitReasons = []string{"customerencryptionkeyrequired", "resourceisencryptedwithcustomerencryptionkey", "keytoolong", "invalidobjectname"}

// reasonsOfGS returns the words that say what is wrong: of the API in JSON, or of the
// one in XML, which the SDK does not read.
func reasonsOfGS(err *googleapi.Error) (reasons []string) {
	for _, e := range err.Errors {
		reasons = append(reasons, e.Reason)
	}
	for _, m := range xmlCode.FindAllStringSubmatch(err.Body, -1) {
		reasons = append(reasons, m[1])
	}
	return reasons
}

var xmlCode = regexp.MustCompile(`<Code>(\w+)</Code>`)
