package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
)

// azblobProvider is Azure Blob Storage.
var azblobProvider = provider{
	open:   openAzblob,
	kindOf: kindOfAzblob,
	headerOf: func(err error) http.Header {
		var r *azcore.ResponseError
		if errors.As(err, &r) && r.RawResponse != nil {
			return r.RawResponse.Header
		}
		return nil
	},
}

// An azblobBucket is a container. It asks the SDK itself: azureblob escapes some keys,
// and panics at a response without Last-Modified.
type azblobBucket struct {
	*blob.Bucket
	client *container.Client
}

// openAzblob opens a container as the URL opener of azureblob does, with the parameters
// of that. The account may be in its name, as of abfss://CONTAINER@ACCOUNT.dfs.core.windows.net.
func openAzblob(ctx context.Context, p place, q url.Values, _ int) (bucket, error) {
	if p.host != "" {
		if err := setAccount(q, p.host); err != nil {
			return nil, err
		}
	}
	makeClient := func(u azureblob.ServiceURL, name azureblob.ContainerName) (*container.Client, error) {
		client, err := azureblob.NewDefaultClient(u, name)
		if err != nil {
			return nil, err
		}
		if err = checkAccount(client, u, name, q); err != nil && p.host != "" {
			err = nameError(err.Error()) // of this name: the store is well
		}
		return client, err
	}
	opener := azureblob.URLOpener{MakeClient: makeClient, ServiceURLOptions: *azureblob.NewDefaultServiceURLOptions()}
	b, err := opener.OpenBucketURL(ctx, &url.URL{Scheme: "azblob", Host: p.bucket, RawQuery: q.Encode()})
	if err != nil {
		return nil, err
	}
	c := &azblobBucket{Bucket: b}
	if !b.As(&c.client) {
		b.Close()
		return nil, errors.New("not a container of Azure's")
	}
	return c, nil
}

// azureDomains are the domains of Azure's accounts, for blobs.
var azureDomains = []string{"blob.core.windows.net", "blob.core.usgovcloudapi.net", "blob.core.chinacloudapi.cn"}

var azureAccount = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

// setAccount adds the account and the domain of a name to parameters. Requests carry
// credentials, and the name may come from a list of anybody's: its domain is Azure's or one
// that the user has set.
func setAccount(q url.Values, host string) error {
	account, domain, _ := strings.Cut(host, ".")
	if !azureAccount.MatchString(account) {
		return nameError(fmt.Sprintf("%q is not the name of an account", account))
	}
	q.Set("storage_account", account)
	if domain == "" {
		return nil
	}
	// Both endpoints of an account have the same objects.
	if rest, ok := strings.CutPrefix(domain, "dfs."); ok {
		domain = "blob." + rest
	}
	if !slices.Contains(append(azureDomains, param(q, "domain")), domain) {
		return nameError(fmt.Sprintf("no credentials go to the domain %q: it is none of %s; the parameter domain or AZURE_STORAGE_DOMAIN allows it", domain, strings.Join(azureDomains, ", ")))
	}
	if !q.Has("domain") {
		q.Set("domain", domain)
	}
	return nil
}

// param returns what a parameter or its environment variable says, or "".
func param(q url.Values, name string) string {
	env := map[string]string{"storage_account": "AZURE_STORAGE_ACCOUNT", "domain": "AZURE_STORAGE_DOMAIN"}[name]
	return cmp.Or(q.Get(name), os.Getenv(env))
}

// checkAccount returns an error if a client is not of the account and the domain that names,
// parameters or variables say. A client of a connection string ignores them and its URL u.
func checkAccount(client *container.Client, u azureblob.ServiceURL, name azureblob.ContainerName, q url.Values) error {
	if asked, err := url.JoinPath(string(u), string(name)); err == nil && asked == client.URL() {
		return nil
	}
	got, err := url.Parse(client.URL())
	if err != nil {
		return errors.New("the connection string has no URL") // err may have a token
	}
	account, domain, _ := strings.Cut(got.Host, ".")
	if before, _, ok := strings.Cut(strings.TrimPrefix(got.Path, "/"), "/"); ok {
		account, domain = before, got.Host // of an emulator
	}
	for field := range strings.SplitSeq(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"), ";") {
		if its, ok := strings.CutPrefix(strings.TrimSpace(field), "AccountName="); ok {
			account = its // the host may be a domain of the user's
		}
	}
	if want := param(q, "storage_account"); want != "" && !strings.EqualFold(want, account) {
		return fmt.Errorf("the connection string is for account %s, not %s", account, want)
	}
	if want := param(q, "domain"); want != "" && want != domain {
		return fmt.Errorf("the connection string is for domain %s, not %s", domain, want)
	}
	return nil
}

// once has the SDK make one request of what it is asked for with the context.
func once(ctx context.Context) context.Context {
	return policy.WithRetryOptions(ctx, policy.RetryOptions{MaxRetries: -1})
}

func (b *azblobBucket) read(ctx context.Context, key, version string, from int64) (*response, error) {
	client := b.client.NewBlobClient(key)
	if version != "" {
		var err error
		if client, err = client.WithSnapshot(version); err != nil {
			return nil, err
		}
	}
	var raw *http.Response
	ctx = policy.WithCaptureResponse(once(ctx), &raw)
	// Without this, net/http would decompress objects with Content-Encoding: gzip.
	ctx = policy.WithHTTPHeader(ctx, http.Header{"Accept-Encoding": {"identity"}})
	out, err := client.DownloadStream(ctx, &azblob.DownloadStreamOptions{Range: azblob.HTTPRange{Offset: from}})
	if err != nil {
		return nil, err
	}
	size, err := sizeOf(raw, from)
	if err != nil {
		out.Body.Close()
		return nil, err
	}
	r := &response{ReadCloser: out.Body, size: size}
	if out.LastModified != nil {
		r.modified = *out.LastModified
	}
	if out.ETag != nil {
		r.identity = string(*out.ETag)
		r.etag = bareETag(r.identity)
	}
	return r, nil
}

// list takes snapshots for versions.
func (b *azblobBucket) list(ctx context.Context, l listing) (page []listed, next string, err error) {
	o := &container.ListBlobsFlatOptions{Prefix: &l.prefix, MaxResults: to.Ptr(int32(l.n)), Include: container.ListBlobsInclude{Snapshots: l.versions}}
	if l.token != "" {
		o.Marker = &l.token
	}
	out, err := b.client.NewListBlobsFlatPager(o).NextPage(once(ctx))
	if err != nil {
		return nil, "", err
	}
	if out.Segment == nil {
		return nil, "", errors.New("the listing has no list")
	}
	for _, item := range out.Segment.BlobItems {
		if item.Name == nil || item.Properties == nil {
			return nil, "", errors.New("a listed blob has no name or no properties")
		}
		if r := item.Properties.ResourceType; r != nil && *r == "directory" {
			continue // of a hierarchical namespace
		}
		one := listed{key: *item.Name}
		if n := item.Properties.ContentLength; n != nil {
			one.size = *n
		}
		if t := item.Properties.LastModified; t != nil {
			one.modified = *t
		}
		if e := item.Properties.ETag; e != nil {
			one.etag = bareETag(string(*e))
		}
		if item.Snapshot != nil {
			one.version = *item.Snapshot
		}
		page = append(page, one)
	}
	if out.NextMarker != nil {
		next = *out.NextMarker
	}
	return page, next, nil
}

// Blocks of an upload that fails do not appear. They are of 1 MiB, and are sent one by one: to
// read one is progress. The SDK repeats requests: one for a block of a long object costs less
// than all of it.
func (b *azblobBucket) write(ctx context.Context, key string, from io.ReadSeeker, how condition) error {
	header := azblob.HTTPHeaders{BlobContentType: to.Ptr(contentType)}
	o := &blockblob.UploadStreamOptions{HTTPHeaders: &header}
	if how == ifNone {
		o.AccessConditions = &azblob.AccessConditions{ModifiedAccessConditions: &azblob.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)}}
	}
	_, err := b.client.NewBlockBlobClient(key).UploadStream(ctx, observe(ctx, from), o)
	return err
}

func (b *azblobBucket) remove(ctx context.Context, key string) error {
	_, err := b.client.NewBlobClient(key).Delete(once(ctx), nil)
	return err
}

func kindOfAzblob(err error) kind {
	var r *azcore.ResponseError
	var network net.Error
	var final interface{ NonRetriable() } // above all there are no credentials
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &network):
		return passing // of a listing's body, which the SDK calls final
	case errors.As(err, &final):
		return refused
	case !errors.As(err, &r):
		return passing
	}
	switch code := bloberror.Code(r.ErrorCode); {
	case code == bloberror.BlobArchived, code == bloberror.BlobBeingRehydrated:
		return archived
	case r.StatusCode == http.StatusNotFound && code == bloberror.BlobNotFound:
		return missing
	case r.StatusCode == http.StatusNotFound && code == bloberror.ContainerNotFound:
		return noBucket
	case code == bloberror.BlobAlreadyExists:
		return replaced
	case slices.Contains(unfitBlobs, code):
		return unfit
	}
	return kindOfStatus(r.StatusCode)
}

// unfitBlobs say that a blob is encrypted by a customer's key, or that its name or
// snapshot is none.
var unfitBlobs = []bloberror.Code{
	bloberror.BlobUsesCustomerSpecifiedEncryption, bloberror.OutOfRangeInput, bloberror.InvalidURI, bloberror.InvalidQueryParameterValue,
}
