package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	gcaws "gocloud.dev/aws"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
)

// s3Provider is Amazon S3 and what speaks its protocol.
var s3Provider = provider{
	open:   openS3,
	read:   readS3,
	write:  writeByDriver,
	remove: removeS3,
	kindOf: kindOfS3,
	keyOf: func(o *blob.ListObject) string {
		var s types.Object
		if o.As(&s) {
			return aws.ToString(s.Key)
		}
		return o.Key
	},
}

// openS3 opens a bucket as the URL opener of s3blob does, with the parameters
// of that, but for connections, which it keeps open for all readers.
func openS3(ctx context.Context, name string, q url.Values, connections int) (*blob.Bucket, error) {
	var options []func(*s3.Options)
	flag := func(key string, set func(*s3.Options, bool)) error {
		if !q.Has(key) {
			return nil
		}
		on, err := strconv.ParseBool(q.Get(key))
		if err != nil {
			return fmt.Errorf("parameter %s: %w", key, err)
		}
		q.Del(key)
		options = append(options, func(o *s3.Options) { set(o, on) })
		return nil
	}
	if err := errors.Join(
		flag("use_path_style", func(o *s3.Options, on bool) { o.UsePathStyle = on }),
		flag("accelerate", func(o *s3.Options, on bool) { o.UseAccelerate = on }),
		flag("disable_https", func(o *s3.Options, on bool) { o.EndpointOptions.DisableHTTPS = on }),
	); err != nil {
		return nil, err
	}
	if !q.Has("response_checksum_validation") {
		// Every object is hashed anyway. The SDK would hash it a second time,
		// and a changed object would count as unreadable.
		q.Set("response_checksum_validation", "when_required")
	}
	cfg, err := gcaws.V2ConfigFromURLParams(ctx, q)
	if err != nil {
		return nil, err
	}
	cfg.HTTPClient = awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, max(connections, 10)
	})
	return s3blob.OpenBucket(ctx, s3.NewFromConfig(cfg, options...), name,
		&s3blob.Options{RequestChecksumCalculation: cfg.RequestChecksumCalculation})
}

var errNotS3 = errors.New("not a bucket of S3")

// readS3 asks the SDK itself: s3blob escapes some keys.
func readS3(ctx context.Context, b *blob.Bucket, p place, version string, from int64) (*response, error) {
	var client *s3.Client
	if !b.As(&client) {
		return nil, errNotS3
	}
	in := &s3.GetObjectInput{Bucket: aws.String(p.bucket), Key: aws.String(p.key)}
	if version != "" {
		in.VersionId = aws.String(version)
	}
	if from > 0 {
		in.Range = aws.String(fmt.Sprintf("bytes=%d-", from))
	}
	out, err := client.GetObject(ctx, in, func(o *s3.Options) { o.Retryer = aws.NopRetryer{} })
	if err != nil {
		return nil, describeS3(err)
	}
	raw, ok := middleware.GetRawResponse(out.ResultMetadata).(*smithyhttp.Response)
	if !ok {
		out.Body.Close()
		return nil, errors.New("the SDK does not show its response")
	}
	size, err := sizeOf(raw.Response, from)
	if err != nil {
		out.Body.Close()
		return nil, err
	}
	r := &response{ReadCloser: out.Body, size: size}
	if etag, version := aws.ToString(out.ETag), aws.ToString(out.VersionId); etag != "" || version != "" && version != "null" {
		r.identity = etag + " " + version
	}
	return r, nil
}

// removeS3 asks the SDK itself: s3blob first asks for headers, and S3 says nothing of
// why it has none.
func removeS3(ctx context.Context, b *blob.Bucket, p place) error {
	var client *s3.Client
	if !b.As(&client) {
		return errNotS3
	}
	_, err := client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: aws.String(p.bucket), Key: aws.String(p.key)})
	return err
}

// statusOfS3 returns the status of the response that err is about, or 0, with its
// headers.
func statusOfS3(err error) (int, http.Header) {
	var r *smithyhttp.ResponseError
	if errors.As(err, &r) && r.Response != nil && r.Response.Response != nil {
		return r.Response.StatusCode, r.Response.Header
	}
	return 0, nil
}

func codeOfS3(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// An s3Error is an error of the SDK with a text of its own.
type s3Error struct {
	text string
	error
}

func (e *s3Error) Error() string { return e.text }
func (e *s3Error) Unwrap() error { return e.error }

// describeS3 returns err with what S3 said. Of a bucket in another region it names
// that.
func describeS3(err error) error {
	_, header := statusOfS3(err)
	region := header.Get("X-Amz-Bucket-Region")
	var api smithy.APIError
	switch kind := kindOfS3(err); {
	case kind == noBucket && region != "":
		return &s3Error{fmt.Sprintf("the bucket is in region %s: set the parameter region: %v", region, err), err}
	case kind == missing && errors.As(err, &api):
		return &s3Error{strings.TrimSuffix(api.ErrorCode()+": "+api.ErrorMessage(), ": "), err}
	}
	return err
}

// kindOfS3 goes by S3's codes, and by a status where the code leaves no doubt. The
// word of a proxy, which has a status alone, is not S3's that an object is missing.
func kindOfS3(err error) kind {
	status, _ := statusOfS3(err)
	switch code := codeOfS3(err); {
	case status == http.StatusNotFound && (code == "NoSuchKey" || code == "NoSuchVersion"):
		return missing
	case status == http.StatusNotFound && code == "NoSuchBucket", status == http.StatusMovedPermanently, status == http.StatusTemporaryRedirect:
		return noBucket
	case status == http.StatusPreconditionFailed, status == http.StatusRequestedRangeNotSatisfiable:
		return replaced
	case status == http.StatusForbidden, status == http.StatusMethodNotAllowed:
		return refused
	}
	return passing
}
