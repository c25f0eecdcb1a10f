package store

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

func TestParse(t *testing.T) {
	const point = "arn:aws:s3:us-west-2:123456789012:accesspoint"
	for name, want := range map[string]place{
		"a/b":                       {path: "a/b"},
		"/a/s3://b":                 {path: "/a/s3://b"},
		"file:///a%20b":             {path: "/a b"},
		"s3://b/k/l":                {scheme: "s3", bucket: "b", key: "k/l", written: "s3://b"},
		"s3://b":                    {scheme: "s3", bucket: "b", written: "s3://b"},
		"s3://b//k?#%":              {scheme: "s3", bucket: "b", key: "/k?#%", written: "s3://b"},
		"s3a://b/k":                 {scheme: "s3", bucket: "b", key: "k", written: "s3a://b"},
		"gs://b/k@l":                {scheme: "gs", bucket: "b", key: "k@l", written: "gs://b"},
		"azblob://c/k":              {scheme: "azblob", bucket: "c", key: "k", written: "azblob://c"},
		"az://c/k":                  {scheme: "azblob", bucket: "c", key: "k", written: "az://c"},
		"abfs://c/k":                {scheme: "azblob", bucket: "c", key: "k", written: "abfs://c"},
		"abfss://c@a.dfs.x/k@l":     {scheme: "azblob", bucket: "c", host: "a.dfs.x", key: "k@l", written: "abfss://c@a.dfs.x"},
		"wasbs://c@a.blob.x/k":      {scheme: "azblob", bucket: "c", host: "a.blob.x", key: "k", written: "wasbs://c@a.blob.x"},
		"s3://" + point + "/ap/k/l": {scheme: "s3", bucket: point + "/ap", key: "k/l", written: "s3://" + point + "/ap"},
		"s3a://" + point + ":ap/k":  {scheme: "s3", bucket: point + ":ap", key: "k", written: "s3a://" + point + ":ap"},
		"s3://" + point + "/ap":     {scheme: "s3", bucket: point + "/ap", written: "s3://" + point + "/ap"},
		"s3://arn:aws:s3::123456789012:accesspoint/x.mrap/a\nb": {scheme: "s3", bucket: "arn:aws:s3::123456789012:accesspoint/x.mrap", key: "a\nb",
			written: "s3://arn:aws:s3::123456789012:accesspoint/x.mrap"},
		"s3://arn:aws-cn:s3-object-lambda:cn-north-1:123456789012:accesspoint/l/k": {scheme: "s3", bucket: "arn:aws-cn:s3-object-lambda:cn-north-1:123456789012:accesspoint/l",
			key: "k", written: "s3://arn:aws-cn:s3-object-lambda:cn-north-1:123456789012:accesspoint/l"},
		"s3://arn:aws:s3-outposts:us-west-2:123456789012:outpost/op-1/accesspoint/ap/k": {scheme: "s3", bucket: "arn:aws:s3-outposts:us-west-2:123456789012:outpost/op-1/accesspoint/ap",
			key: "k", written: "s3://arn:aws:s3-outposts:us-west-2:123456789012:outpost/op-1/accesspoint/ap"},
	} {
		if got, err := parse(name); err != nil || got != want {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	for _, name := range []string{"s3://", "s3:///k", "abfss://@a/k", "http://b/k", "s3n://b/k", "s3://arn:aws:s3:::bucket/k", "s3://" + point + "/", "gs://"} {
		if got, err := parse(name); err == nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// All names of a directory have one in common, and no two directories have.
func TestCanonical(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bag, inner := filepath.Join(dir, "bag"), filepath.Join(dir, "elsewhere", "inner")
	for _, d := range []string{bag, inner} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	want := map[string]string{
		"": dir, "bag/": bag, "./bag/": bag, "bag/../bag/": bag, bag + "/": bag, "file://" + bag + "/": bag, "file://localhost" + bag: bag,
		"nosuch/":    filepath.Join(dir, "nosuch"),
		"s3a://b/k/": "s3://b/k/", "s3://b/k/": "s3://b/k/", "s3://b/": "s3://b/", "abfss://c@a.x/k/": "azblob://c@a.x/k/", "nosuch://b/": "nosuch://b/",
	}
	if os.Symlink(bag, filepath.Join(dir, "link")) == nil && os.Symlink(inner, filepath.Join(dir, "away")) == nil {
		want["link/"], want["away/.."], want["away/../inner"] = bag, filepath.Dir(inner), inner
	}
	for name, want := range want {
		if got := Canonical(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// Parameters of a bucket count under each scheme of its store.
func TestParams(t *testing.T) {
	for text, want := range map[string]string{
		"s3://?a=b":                              "s3://",
		"s3a://bucket/?a=b":                      "s3://bucket",
		"abfss://?a=b":                           "azblob://",
		"abfss://c@a.dfs.x?a=b":                  "azblob://c@a.dfs.x",
		"s3://arn:aws:s3:r:1:accesspoint/ap?a=b": "s3://arn:aws:s3:r:1:accesspoint/ap",
		"s3://bucket/key?a=b":                    "",
		"s3://bucket":                            "",
		"file:///x?a=b":                          "",
		"bucket?a=b":                             "",
		"s3://?a=%":                              "",
	} {
		root, q, err := parseParams(text)
		if root != want || (err != nil) != (want == "") || err == nil && q.Get("a") != "b" {
			t.Errorf("%s: got %q, %v, %v", text, root, q, err)
		}
	}
}

// The schemes of Hadoop and fsspec lead to the same objects. A listing has the names as
// they are written.
func TestAliases(t *testing.T) {
	storetest.Each(t, func(t *testing.T, server *storetest.Server) {
		s := newStore(t, server.Params())
		server.Put("dir/k", []byte("x"))
		kind, _, _ := strings.Cut(server.Name(""), "://")
		for _, root := range map[string][]string{
			"s3":     {"s3a://" + storetest.Bucket},
			"azblob": {"az://" + storetest.Bucket, "abfs://" + storetest.Bucket, "abfss://" + storetest.Bucket + "@" + os.Getenv("AZURE_STORAGE_ACCOUNT") + ".dfs.core.windows.net"},
		}[kind] {
			if err := s.List(t.Context(), root+"/d*/*", false, func(i Info) error {
				if i.Name != root+"/dir/k" {
					t.Errorf("%s: listed %s", root, i.Name)
				}
				if got := contents(t, s, i.Name, ""); got != "x" {
					t.Errorf("%s: got %q", i.Name, got)
				}
				return nil
			}); err != nil {
				t.Errorf("%s: %v", root, err)
			}
		}
	})
}

// The account is the one that the name has.
func TestAccountOfName(t *testing.T) {
	t.Setenv("AZURE_STORAGE_ACCOUNT", "other")
	t.Setenv("AZURE_STORAGE_KEY", "a2V5")
	var path string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		w.Header().Set("X-Ms-Error-Code", "BlobNotFound")
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	s := newStore(t, "azblob://?protocol=http&domain="+url.QueryEscape(strings.TrimPrefix(server.URL, "http://")))
	if _, err := s.Open(t.Context(), "abfss://c@fleet.dfs.core.windows.net/k", ""); !IsMissing(err) || path != "/fleet/c/k" {
		t.Errorf("asked for %s: %v", path, err)
	}
	if _, err := s.Open(t.Context(), "azblob://c/k", ""); !IsMissing(err) || path != "/other/c/k" {
		t.Errorf("asked for %s: %v", path, err)
	}
	// Without the parameter, it is the account's own blob endpoint.
	p, err := parse("abfss://c@fleet.dfs.core.windows.net/k")
	if err != nil {
		t.Fatal(err)
	}
	b, err := openAzblob(t.Context(), p, url.Values{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got, want := b.(*azblobBucket).client.URL(), "https://fleet.blob.core.windows.net/c"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Google's requests name the project that pays for them.
func TestUserProject(t *testing.T) {
	storetest.Each(t, func(t *testing.T, server *storetest.Server) {
		if !strings.HasPrefix(server.Name(""), "gs://") {
			return
		}
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Goog-User-Project") != "p-1" && r.URL.Query().Get("userProject") != "p-1" {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			server.ServeHTTP(w, r)
		}))
		defer front.Close()
		server.Put("k", []byte("x"))
		t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(front.URL, "http://"))
		if _, err := newStore(t, server.Params()).Open(t.Context(), server.Name("k"), ""); err == nil {
			t.Error("nobody pays")
		}
		s := newStore(t, server.Params()+"&user_project=p-1")
		if got := contents(t, s, server.Name("k"), ""); got != "x" {
			t.Errorf("got %q", got)
		}
		if err := s.List(t.Context(), server.Name("k"), true, func(Info) error { return nil }); err != nil {
			t.Error(err)
		}
		if err := s.Write(t.Context(), server.Name("l"), strings.NewReader("x")); err != nil {
			t.Error(err)
		}
		if err := s.Remove(t.Context(), server.Name("l")); err != nil || server.Get("l") != nil {
			t.Errorf("removing: %v", err)
		}
	})
}
