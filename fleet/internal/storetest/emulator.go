package storetest

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azureblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/gcsblob"   // gs://
	"gocloud.dev/gcerrors"
)

// Each runs a test with each kind of store: S3 and, where they are installed,
// the emulators of the others.
func Each(t *testing.T, test func(t *testing.T, s *Server)) {
	for _, kind := range []struct {
		name  string
		start func(testing.TB) *Server
	}{
		{"s3", New},
		{"gs", newGCS},
		{"azblob", newAzure},
	} {
		t.Run(kind.name, func(t *testing.T) { test(t, kind.start(t)) })
	}
}

// newGCS starts an emulator of Google Cloud Storage, for as long as the test
// runs. The test is skipped if github.com/fsouza/fake-gcs-server is not installed.
func newGCS(tb testing.TB) *Server {
	tb.Helper()
	const emulatorHost = "STORAGE_EMULATOR_HOST" // where Google's SDK looks
	address := emulator(tb, nil, "fake-gcs-server", "-scheme", "http", "-backend", "memory", "-log-level", "error",
		"-host", "HOST", "-port", "PORT", "-public-host", "HOST:PORT")
	response, err := http.Post("http://"+address+"/storage/v1/b", "application/json", strings.NewReader(`{"name":"`+Bucket+`"}`))
	if err != nil {
		tb.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		tb.Fatal("creating a bucket: ", response.Status)
	}
	tb.Setenv(emulatorHost, address)
	s := before(tb, address, &Server{
		scheme: "gs",
		params: func(string) string { return "anonymous=true" },
		path:   "/" + Bucket + "/",
	})
	tb.Setenv(emulatorHost, strings.TrimPrefix(s.URL, "http://"))
	return s
}

// newAzure starts an emulator of Azure Blob Storage, for as long as the test
// runs. The test is skipped if Azurite is not installed.
func newAzure(tb testing.TB) *Server {
	tb.Helper()
	const account = "fleet"
	key := base64.StdEncoding.EncodeToString([]byte("any will do"))
	address := emulator(tb, []string{"AZURITE_ACCOUNTS=" + account + ":" + key},
		"azurite-blob", "--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry", "--silent", "--blobHost", "HOST", "--blobPort", "PORT")
	credential, err := azblob.NewSharedKeyCredential(account, key)
	if err != nil {
		tb.Fatal(err)
	}
	client, err := azblob.NewClientWithSharedKeyCredential("http://"+address+"/"+account, credential, nil)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := client.CreateContainer(context.Background(), Bucket, nil); err != nil {
		tb.Fatal(err)
	}
	tb.Setenv("AZURE_STORAGE_ACCOUNT", account)
	tb.Setenv("AZURE_STORAGE_KEY", key)
	return before(tb, address, &Server{
		objects: azureObjects{client},
		scheme:  "azblob",
		params:  func(address string) string { return "protocol=http&domain=" + url.QueryEscape(address) },
		path:    "/" + account + "/" + Bucket + "/",
	})
}

// emulator starts a program that serves HOST and PORT, and returns its address.
func emulator(tb testing.TB, env []string, name string, args ...string) string {
	tb.Helper()
	if _, err := exec.LookPath(name); err != nil {
		tb.Skip(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	host, port, _ := strings.Cut(address, ":")
	for i, arg := range args {
		args[i] = strings.NewReplacer("HOST", host, "PORT", port).Replace(arg)
	}
	c := exec.Command(name, args...)
	c.Dir = tb.TempDir()
	c.Env = append(os.Environ(), env...)
	c.Stderr = tb.Output()
	if err := c.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			connection.Close()
			return address
		}
		if time.Now().After(end) {
			tb.Fatal(name, " does not answer: ", err)
		}
	}
}

// before puts a server before the emulator at an address.
func before(tb testing.TB, address string, s *Server) *Server {
	tb.Helper()
	if s.objects == nil {
		bucket, err := blob.OpenBucket(context.Background(), s.scheme+"://"+Bucket+"?"+s.params(address))
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { bucket.Close() })
		s.objects = remote{bucket, address}
	}
	s.handler = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: address}) },
		// The emulator is done with a read when a fault writes to the object.
		ModifyResponse: func(r *http.Response) error {
			data, err := io.ReadAll(r.Body)
			r.Body.Close()
			r.Body = io.NopCloser(bytes.NewReader(data))
			return err
		},
		ErrorLog: log.New(io.Discard, "", 0), // of clients that went away
	}
	s.reads = make(map[string]int)
	s.serve(tb)
	return s
}

// remote are the objects of an emulator of Google Cloud Storage.
type remote struct {
	*blob.Bucket
	address string
}

func (r remote) put(key string, data []byte) error {
	return r.WriteAll(context.Background(), key, data, nil)
}

func (r remote) putGzip(key string, data []byte) error {
	return r.WriteAll(context.Background(), key, data, &blob.WriterOptions{ContentEncoding: "gzip"})
}

func (r remote) keep(string) error {
	request, err := http.NewRequest(http.MethodPatch, "http://"+r.address+"/storage/v1/b/"+Bucket, strings.NewReader(`{"versioning":{"enabled":true}}`))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return nil
}

func (r remote) get(key string) ([]byte, error) { return r.ReadAll(context.Background(), key) }

func (r remote) delete(key string) error {
	err := r.Delete(context.Background(), key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil // as S3 does
	}
	return err
}

// azureObjects are the objects of an emulator of Azure Blob Storage. The SDK itself
// writes them, as Azure's own tools do: gocloud's driver escapes some keys.
type azureObjects struct{ *azblob.Client }

func (a azureObjects) put(key string, data []byte) error {
	_, err := a.UploadBuffer(context.Background(), Bucket, key, data, nil)
	return err
}

func (a azureObjects) putGzip(key string, data []byte) error {
	encoding := "gzip"
	_, err := a.UploadBuffer(context.Background(), Bucket, key, data, &azblob.UploadBufferOptions{
		HTTPHeaders: &azureblob.HTTPHeaders{BlobContentEncoding: &encoding},
	})
	return err
}

func (a azureObjects) keep(key string) error {
	_, err := a.ServiceClient().NewContainerClient(Bucket).NewBlobClient(key).CreateSnapshot(context.Background(), nil)
	return err
}

func (a azureObjects) get(key string) ([]byte, error) {
	r, err := a.DownloadStream(context.Background(), Bucket, key, nil)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

func (a azureObjects) delete(key string) error {
	_, err := a.DeleteBlob(context.Background(), Bucket, key, nil)
	if bloberror.HasCode(err, bloberror.BlobNotFound) {
		return nil // as S3 does
	}
	return err
}
