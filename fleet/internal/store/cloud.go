package store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	gcaws "gocloud.dev/aws"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/gcsblob"   // gs://
	"gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"
	"google.golang.org/api/googleapi"
)

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
		// Every object is hashed anyway. The SDK would do it a second time, and an
		// object that is not what it was would be one that cannot be read.
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

// beforeRead makes a request for exactly one object's bytes: its key as it is,
// where gocloud.dev escapes some; the version; no decompression; and no retries,
// which are ours.
func (s *Store) beforeRead(b *blob.Bucket, p place, version string) func(func(any) bool) error {
	return func(as func(any) bool) error {
		var in *s3.GetObjectInput
		if as(&in) {
			in.Key = aws.String(p.key)
			if version != "" {
				in.VersionId = aws.String(version)
			}
			var options *[]func(*s3.Options)
			if as(&options) {
				*options = append(*options, func(o *s3.Options) { o.Retryer = aws.NopRetryer{} })
			}
			return nil
		}
		if version != "" {
			return nameError("only S3 has versions by name")
		}
		var object **storage.ObjectHandle
		var client *storage.Client
		if as(&object) && b.As(&client) {
			*object = client.Bucket(p.bucket).Object(p.key).ReadCompressed(true).Retryer(storage.WithPolicy(storage.RetryNever))
		}
		return nil
	}
}

// versionOf returns what identifies the object's contents while they stay the
// same, or "" if the store does not say.
func versionOf(r *blob.Reader) string {
	var s s3.GetObjectOutput
	if r.As(&s) {
		return aws.ToString(s.ETag) + " " + aws.ToString(s.VersionId)
	}
	var g *storage.Reader
	if r.As(&g) {
		return strconv.FormatInt(g.Attrs.Generation, 10)
	}
	var a azblob.DownloadStreamResponse
	if r.As(&a) && a.ETag != nil {
		return string(*a.ETag)
	}
	return ""
}

// keyOf returns the key of a listed object as the store has it.
func keyOf(o *blob.ListObject) string {
	var s types.Object
	if o.As(&s) {
		return aws.ToString(s.Key)
	}
	var g storage.ObjectAttrs
	if o.As(&g) {
		return g.Name
	}
	return o.Key
}

// withoutRetries returns a context in which Azure's SDK does not retry; for the
// others beforeRead sees to that. Retries of reads are ours.
func withoutRetries(ctx context.Context) context.Context {
	return policy.WithRetryOptions(ctx, policy.RetryOptions{MaxRetries: -1})
}

// isMissing reports whether a store says that there is no such object.
func isMissing(err error) bool {
	return gcerrors.Code(err) == gcerrors.NotFound && !noBucket(err) && !forbidden(err)
}

// forbidden reports whether Google or Azure refuse access: gocloud.dev takes the
// one for an object that is missing, and most forms of the other for a fault that
// may pass.
func forbidden(err error) bool {
	var google *googleapi.Error
	var azure *azcore.ResponseError
	return errors.As(err, &google) && google.Code == http.StatusForbidden ||
		errors.As(err, &azure) && azure.StatusCode == http.StatusForbidden
}

// noBucket reports whether err says that there is no such bucket, which is no
// object's fault.
func noBucket(err error) bool {
	var api smithy.APIError
	var azure *azcore.ResponseError
	return errors.As(err, &api) && api.ErrorCode() == "NoSuchBucket" ||
		errors.Is(err, storage.ErrBucketNotExist) ||
		errors.As(err, &azure) && azure.ErrorCode == "ContainerNotFound"
}
