package store

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	gcaws "gocloud.dev/aws"
)

// s3Provider is Amazon S3 and what speaks its protocol.
var s3Provider = provider{
	open:   openS3,
	kindOf: kindOfS3,
	headerOf: func(err error) http.Header {
		_, header := statusOfS3(err)
		return header
	},
}

// An s3Bucket is a bucket, or an access point.
type s3Bucket struct {
	client *s3.Client
	name   string
	key    *customerKey // or nil
}

// openS3 opens a bucket with the parameters of s3blob's URLs, and requester_pays and
// sse_customer_key_file. It keeps connections open for all readers. All requests are the
// SDK's: s3blob escapes some keys.
func openS3(ctx context.Context, p place, q url.Values, connections int) (bucket, error) {
	options := []func(*s3.Options){func(o *s3.Options) { o.UseARNRegion = true }}
	flag := func(key string, set func(*s3.Options)) error {
		if !q.Has(key) {
			return nil
		}
		on, err := strconv.ParseBool(q.Get(key))
		if err != nil {
			return fmt.Errorf("parameter %s: %w", key, err)
		}
		q.Del(key)
		if on {
			options = append(options, set)
		}
		return nil
	}
	if err := errors.Join(
		flag("use_path_style", func(o *s3.Options) { o.UsePathStyle = true }),
		flag("accelerate", func(o *s3.Options) { o.UseAccelerate = true }),
		flag("disable_https", func(o *s3.Options) { o.EndpointOptions.DisableHTTPS = true }),
		flag("requester_pays", func(o *s3.Options) {
			o.APIOptions = append(o.APIOptions, smithyhttp.AddHeaderValue("X-Amz-Request-Payer", "requester"))
		}),
	); err != nil {
		return nil, err
	}
	b := &s3Bucket{name: p.bucket}
	if file := q.Get("sse_customer_key_file"); file != "" {
		q.Del("sse_customer_key_file")
		var err error
		if b.key, err = readCustomerKey(file); err != nil {
			return nil, fmt.Errorf("parameter sse_customer_key_file: %w", err)
		}
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
	// The client that is there trusts the certificates of ca_bundle.
	client, ok := cfg.HTTPClient.(*awshttp.BuildableClient)
	if !ok {
		client = awshttp.NewBuildableClient()
	}
	cfg.HTTPClient = client.WithTransportOptions(func(t *http.Transport) {
		t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, max(connections, 10)
	})
	if !aws.IsCredentialsProvider(cfg.Credentials, aws.AnonymousCredentials{}) && cfg.Credentials != nil {
		cfg.Credentials = credentials{cfg.Credentials}
	}
	// The SDK sets timeouts of its own kind of client before options.
	b.client = s3.NewFromConfig(cfg, append(options, func(o *s3.Options) { o.HTTPClient = s3Client{o.HTTPClient} })...)
	return b, nil
}

// An s3Client makes requests whose progress can be seen.
type s3Client struct{ s3.HTTPClient }

func (c s3Client) Do(r *http.Request) (*http.Response, error) {
	return observeHTTP(r, c.HTTPClient.Do)
}

// Close has nothing to close.
func (b *s3Bucket) Close() error { return nil }

// credentials are those of the SDK, with errors that show what they are.
type credentials struct{ aws.CredentialsProvider }

func (c credentials) Retrieve(ctx context.Context) (aws.Credentials, error) {
	found, err := c.CredentialsProvider.Retrieve(ctx)
	if err != nil && ctx.Err() == nil {
		err = &credentialsError{err}
	}
	return found, err
}

// A credentialsError says why there are no credentials. The SDK has tried again.
type credentialsError struct{ error }

func (e *credentialsError) Unwrap() error { return e.error }

// s3Once has the SDK make one request.
func s3Once(o *s3.Options) { o.Retryer = aws.NopRetryer{} }

func (b *s3Bucket) read(ctx context.Context, key, version string, from int64) (*response, error) {
	in := &s3.GetObjectInput{Bucket: aws.String(b.name), Key: aws.String(key)}
	if version != "" {
		in.VersionId = aws.String(version)
	}
	if from > 0 {
		in.Range = aws.String(fmt.Sprintf("bytes=%d-", from))
	}
	out, err := b.get(ctx, in)
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
	r := &response{ReadCloser: out.Body, size: size, etag: bareETag(aws.ToString(out.ETag)), modified: aws.ToTime(out.LastModified)}
	if etag, version := aws.ToString(out.ETag), aws.ToString(out.VersionId); etag != "" || version != "" && version != "null" {
		r.identity = etag + " " + version
	}
	return r, nil
}

// get requests an object. Where there is a customer's key, not all objects need be
// encrypted by it: S3 refuses the key for one that is not, and wants it for one that is.
// What did for the object before is tried first.
func (b *s3Bucket) get(ctx context.Context, in *s3.GetObjectInput) (*s3.GetObjectOutput, error) {
	if b.key == nil {
		return b.client.GetObject(ctx, in, s3Once)
	}
	first := b.key.plain.Load()
	var firstErr error
	for _, plain := range []bool{first, !first} {
		b.key.set(in, plain)
		out, err := b.client.GetObject(ctx, in, s3Once)
		if err == nil {
			b.key.plain.Store(plain)
			return out, nil
		}
		if firstErr == nil {
			firstErr = err
		}
		if status, _ := statusOfS3(err); status != http.StatusBadRequest || codeOfS3(err) != "InvalidRequest" {
			return nil, err
		}
	}
	return nil, firstErr
}

// A customerKey is a key of SSE-C, of 256 bits.
type customerKey struct {
	text, md5 string      // in base64
	plain     atomic.Bool // whether the last object was not encrypted by it
}

// readCustomerKey reads a key: 32 bytes, or their base64.
func readCustomerKey(file string) (*customerKey, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if len(b) != 32 {
		b, err = base64.StdEncoding.DecodeString(strings.TrimSpace(string(b)))
		if err != nil || len(b) != 32 {
			return nil, fmt.Errorf("%s has neither 32 bytes nor their base64", file)
		}
	}
	sum := md5.Sum(b)
	return &customerKey{text: base64.StdEncoding.EncodeToString(b), md5: base64.StdEncoding.EncodeToString(sum[:])}, nil
}

// set puts the key into a request, unless the object is plain.
func (k *customerKey) set(in *s3.GetObjectInput, plain bool) {
	in.SSECustomerAlgorithm, in.SSECustomerKey, in.SSECustomerKeyMD5 = nil, nil, nil
	if !plain {
		in.SSECustomerAlgorithm, in.SSECustomerKey, in.SSECustomerKeyMD5 = aws.String("AES256"), &k.text, &k.md5
	}
}

// list asks for keys in the encoding of URLs: XML has no form for some characters.
func (b *s3Bucket) list(ctx context.Context, l listing) (page []listed, next string, err error) {
	if l.versions {
		page, next, err = b.listVersions(ctx, l)
		return page, next, describeS3(err)
	}
	in := &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: &l.prefix, MaxKeys: aws.Int32(int32(l.n)), EncodingType: types.EncodingTypeUrl}
	if l.token != "" {
		in.ContinuationToken = &l.token
	}
	out, err := b.client.ListObjectsV2(ctx, in, s3Once)
	if err != nil {
		return nil, "", describeS3(err)
	}
	for _, o := range out.Contents {
		one := listed{size: aws.ToInt64(o.Size), modified: aws.ToTime(o.LastModified), etag: bareETag(aws.ToString(o.ETag))}
		if one.key, err = decodeKey(o.Key, out.EncodingType); err != nil {
			return nil, "", err
		}
		page = append(page, one)
	}
	next = aws.ToString(out.NextContinuationToken)
	return page, next, checkEnd(aws.ToBool(out.IsTruncated), next)
}

// listVersions is list of all versions. A delete marker is none.
func (b *s3Bucket) listVersions(ctx context.Context, l listing) (page []listed, next string, err error) {
	in := &s3.ListObjectVersionsInput{Bucket: &b.name, Prefix: &l.prefix, MaxKeys: aws.Int32(int32(l.n)), EncodingType: types.EncodingTypeUrl}
	if key, version, ok := strings.Cut(l.token, "\x00"); ok {
		in.KeyMarker = &key
		if version != "" {
			in.VersionIdMarker = &version
		}
	}
	out, err := b.client.ListObjectVersions(ctx, in, s3Once)
	if err != nil {
		return nil, "", err
	}
	for _, o := range out.Versions {
		one := listed{version: aws.ToString(o.VersionId), size: aws.ToInt64(o.Size), modified: aws.ToTime(o.LastModified), etag: bareETag(aws.ToString(o.ETag))}
		if one.key, err = decodeKey(o.Key, out.EncodingType); err != nil {
			return nil, "", err
		}
		page = append(page, one)
	}
	if !aws.ToBool(out.IsTruncated) {
		return page, "", nil
	}
	key, err := decodeKey(out.NextKeyMarker, out.EncodingType)
	if err != nil {
		return nil, "", err
	}
	return page, key + "\x00" + aws.ToString(out.NextVersionIdMarker), checkEnd(true, key)
}

// decodeKey returns a key as the store has it. Not all stores encode what they are
// asked to.
func decodeKey(key *string, encoding types.EncodingType) (string, error) {
	if encoding != types.EncodingTypeUrl {
		return aws.ToString(key), nil
	}
	decoded, err := url.QueryUnescape(aws.ToString(key))
	if err != nil {
		return "", fmt.Errorf("a listed key is not URL-encoded: %w", err)
	}
	return decoded, nil
}

// checkEnd returns an error if a page says that it is not the last one, and not which
// one follows.
func checkEnd(truncated bool, next string) error {
	if truncated && next == "" {
		return errors.New("the listing is cut off, and does not say where it goes on")
	}
	return nil
}

// abortTimeout limits the request that removes the parts of an upload that stalled or was
// cancelled. Without that request, these parts stay, and cost money.
const abortTimeout = 10 * time.Second

// write writes always where a store knows no conditions. The SDK repeats requests: one for a
// part of a long object costs less than all of it.
func (b *s3Bucket) write(ctx context.Context, key string, from io.ReadSeeker, how condition) error {
	in := &transfermanager.UploadObjectInput{Bucket: &b.name, Key: &key, Body: from, ContentType: aws.String(contentType)}
	if how == ifNone {
		in.IfNoneMatch = aws.String("*")
	}
	_, err := transfermanager.New(b.client, func(o *transfermanager.Options) { o.FailTimeout = abortTimeout }).UploadObject(ctx, in)
	if status, _ := statusOfS3(err); status != http.StatusNotImplemented || how == always {
		return err
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return b.write(ctx, key, from, always)
}

func (b *s3Bucket) remove(ctx context.Context, key string) error {
	_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: &key}, s3Once)
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
	case (kind == missing || kind == deleted || kind == archived) && errors.As(err, &api):
		text := strings.TrimSuffix(api.ErrorCode()+": "+api.ErrorMessage(), ": ")
		if kind == deleted {
			text += " (a delete marker)"
		}
		return &s3Error{text, err}
	}
	return err
}

// kindOfS3 goes by S3's codes, and by a status where the code leaves no doubt. The
// word of a proxy, which has a status alone, is not S3's that an object is missing.
func kindOfS3(err error) kind {
	var none *credentialsError
	if errors.As(err, &none) || beforeSending(err) {
		return refused
	}
	status, header := statusOfS3(err)
	marker := header.Get("X-Amz-Delete-Marker") == "true"
	code := codeOfS3(err)
	switch {
	case marker && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed):
		return deleted
	case status == http.StatusForbidden && code == "InvalidObjectState":
		return archived
	case status == http.StatusNotFound && (code == "NoSuchKey" || code == "NoSuchVersion"):
		return missing
	case status == http.StatusNotFound && code == "NoSuchBucket", status == http.StatusMovedPermanently, status == http.StatusTemporaryRedirect:
		return noBucket
	case status == http.StatusBadRequest && (slices.Contains(unfitCodes, code) || strings.HasPrefix(code, "KMS.")):
		return unfit
	case slices.Contains(passingCodes, code):
		return passing
	}
	return kindOfStatus(status)
}

// unfitCodes say that an object cannot be read like this: without its customer's key,
// by a key that is too long, in no such version.
var unfitCodes = []string{"InvalidRequest", "InvalidArgument", "KeyTooLongError"}

// passingCodes are those of requests that may be repeated, whatever their status.
var passingCodes = slices.Concat(slices.Collect(maps.Keys(retry.DefaultRetryableErrorCodes)),
	slices.Collect(maps.Keys(retry.DefaultThrottleErrorCodes)), []string{"IncompleteBody"})

// beforeSending reports whether the SDK has made no request: it lacks a parameter, such
// as the region.
func beforeSending(err error) bool {
	var operation *smithy.OperationError
	var send *smithyhttp.RequestSendError
	var answer *smithyhttp.ResponseError
	var decoding *smithy.DeserializationError
	return errors.As(err, &operation) && !errors.As(err, &send) && !errors.As(err, &answer) && !errors.As(err, &decoding) &&
		!errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}
