package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"

	"cloud.google.com/go/storage"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/gcsblob" // gs://
	"google.golang.org/api/googleapi"
)

// gsProvider is Google Cloud Storage.
var gsProvider = provider{
	open: func(ctx context.Context, name string, q url.Values, _ int) (*blob.Bucket, error) {
		b, err := blob.OpenBucket(ctx, (&url.URL{Scheme: "gs", Host: name, RawQuery: q.Encode()}).String())
		var client *storage.Client
		if err == nil && b.As(&client) {
			// The SDK would try again for ever.
			client.SetRetry(storage.WithPolicy(storage.RetryNever))
		}
		return b, err
	},
	read:   readGS,
	write:  writeByDriver,
	remove: func(ctx context.Context, b *blob.Bucket, p place) error { return b.Delete(ctx, p.key) },
	kindOf: kindOfGS,
	keyOf: func(o *blob.ListObject) string {
		var g storage.ObjectAttrs
		if o.As(&g) {
			return g.Name
		}
		return o.Key
	},
	hidesBuckets: true,
}

func readGS(ctx context.Context, b *blob.Bucket, p place, version string, from int64) (*response, error) {
	if version != "" {
		return nil, errNoVersions
	}
	var client *storage.Client
	if !b.As(&client) {
		return nil, errors.New("not a bucket of Google's")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	r, err := client.Bucket(p.bucket).Object(p.key).ReadCompressed(true).Retryer(storage.WithPolicy(storage.RetryNever)).
		NewRangeReader(oneRequest(ctx, cancel), from, -1)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	body := &response{ReadCloser: &canceler{r, ctx, cancel}, size: r.Attrs.Size}
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
		body.identity = strconv.FormatInt(r.Attrs.Generation, 10)
	}
	return body, nil
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
	isAPI := errors.As(err, &api)
	switch {
	case errors.Is(err, storage.ErrBucketNotExist):
		return noBucket
	case errors.Is(err, storage.ErrObjectNotExist):
		return missing
	case isAPI && (api.Code == http.StatusPreconditionFailed || api.Code == http.StatusRequestedRangeNotSatisfiable):
		return replaced
	case isAPI && (api.Code == http.StatusForbidden || api.Code == http.StatusUnauthorized):
		return refused
	}
	return passing
}
