package store

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
)

// azblobProvider is Azure Blob Storage.
var azblobProvider = provider{
	open: func(ctx context.Context, name string, q url.Values, _ int) (*blob.Bucket, error) {
		return blob.OpenBucket(ctx, (&url.URL{Scheme: "azblob", Host: name, RawQuery: q.Encode()}).String())
	},
	read:   readAzblob,
	write:  writeAzblob,
	remove: removeAzblob,
	kindOf: kindOfAzblob,
	keyOf: func(o *blob.ListObject) string {
		var item container.BlobItem
		if o.As(&item) && item.Name != nil {
			return *item.Name
		}
		return o.Key
	},
}

// readAzblob asks the SDK itself: azureblob escapes some keys, and panics at a
// response without Last-Modified.
func readAzblob(ctx context.Context, b *blob.Bucket, p place, version string, from int64) (*response, error) {
	if version != "" {
		return nil, errNoVersions
	}
	client, err := containerOf(b)
	if err != nil {
		return nil, err
	}
	var raw *http.Response
	ctx = policy.WithRetryOptions(policy.WithCaptureResponse(ctx, &raw), policy.RetryOptions{MaxRetries: -1})
	out, err := client.NewBlobClient(p.key).DownloadStream(ctx, &azblob.DownloadStreamOptions{Range: azblob.HTTPRange{Offset: from}})
	if err != nil {
		return nil, err
	}
	size, err := sizeOf(raw, from)
	if err != nil {
		out.Body.Close()
		return nil, err
	}
	r := &response{ReadCloser: out.Body, size: size}
	if out.ETag != nil {
		r.identity = string(*out.ETag)
	}
	return r, nil
}

// writeAzblob asks the SDK itself, as readAzblob does. Blocks of an upload that fails
// do not appear.
func writeAzblob(ctx context.Context, b *blob.Bucket, p place, from io.Reader) error {
	client, err := containerOf(b)
	if err != nil {
		return err
	}
	header := azblob.HTTPHeaders{BlobContentType: to.Ptr(contentType)}
	_, err = client.NewBlockBlobClient(p.key).UploadStream(ctx, from, &blockblob.UploadStreamOptions{HTTPHeaders: &header})
	return err
}

// removeAzblob asks the SDK itself, as readAzblob does.
func removeAzblob(ctx context.Context, b *blob.Bucket, p place) error {
	client, err := containerOf(b)
	if err != nil {
		return err
	}
	_, err = client.NewBlobClient(p.key).Delete(ctx, nil)
	return err
}

// containerOf returns the SDK's client of b.
func containerOf(b *blob.Bucket) (*container.Client, error) {
	var client *container.Client
	if !b.As(&client) {
		return nil, errors.New("not a container of Azure's")
	}
	return client, nil
}

func kindOfAzblob(err error) kind {
	var r *azcore.ResponseError
	if !errors.As(err, &r) {
		return passing
	}
	switch code := bloberror.Code(r.ErrorCode); {
	case r.StatusCode == http.StatusNotFound && code == bloberror.BlobNotFound:
		return missing
	case r.StatusCode == http.StatusNotFound && code == bloberror.ContainerNotFound:
		return noBucket
	case r.StatusCode == http.StatusPreconditionFailed, r.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return replaced
	case r.StatusCode == http.StatusForbidden, r.StatusCode == http.StatusUnauthorized:
		return refused
	}
	return passing
}
