package store

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
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

// A relative path begins at the working directory, and neither at a root nor in a store.
func TestIsRelative(t *testing.T) {
	for name, want := range map[string]bool{
		"": true, "a": true, "./a": true, "../a": true, "a/s3://b": true,
		"/a": false, "//a/b": false, "file:///a": false, "s3://b/k": false,
		`\a`: runtime.GOOS != "windows", `C:\a`: runtime.GOOS != "windows",
	} {
		if got := IsRelative(name); got != want {
			t.Errorf("%s: got %t", name, got)
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

// A connection string is for one account: no other is read in the place of the one that is
// asked for.
func TestConnectionStringOfAnotherAccount(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("X-Ms-Error-Code", "BlobNotFound")
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	const cloud = "AccountName=accta;AccountKey=a2V5;EndpointSuffix=core.windows.net"
	emulator := "AccountName=accta;AccountKey=a2V5;BlobEndpoint=" + server.URL + "/accta"
	for _, tt := range []struct{ connection, account, domain, params, name, want string }{
		{cloud, "", "", "", "abfss://photos@acctb.dfs.core.windows.net/k", "for account accta, not acctb"},
		{cloud, "", "", "", "abfss://photos@acctb/k", "for account accta, not acctb"},
		{cloud, "", "", "storage_account=acctb", "azblob://photos/k", "for account accta, not acctb"},
		{cloud, "acctb", "", "", "azblob://photos/k", "for account accta, not acctb"},
		{cloud, "", "", "", "abfss://photos@accta.dfs.core.chinacloudapi.cn/k", "for domain blob.core.windows.net, not blob.core.chinacloudapi.cn"},
		{cloud, "", "blob.example.org", "", "azblob://photos/k", "for domain blob.core.windows.net, not blob.example.org"},
		{emulator, "", "", "storage_account=acctb", "azblob://photos/k", "for account accta, not acctb"},
		{emulator, "", "", "", "azblob://photos/k", ""},
		{emulator, "accta", "", "", "azblob://photos/k", ""},
		{"AccountName=accta;AccountKey=a2V5;BlobEndpoint=" + server.URL, "accta", "", "", "azblob://photos/k", ""}, // a domain of the user's
		{emulator, "", "", "domain=" + url.QueryEscape(host), "abfss://photos@accta/k", ""},
	} {
		requests = 0
		t.Setenv("AZURE_STORAGE_CONNECTION_STRING", tt.connection)
		t.Setenv("AZURE_STORAGE_ACCOUNT", tt.account)
		t.Setenv("AZURE_STORAGE_DOMAIN", tt.domain)
		for _, name := range []string{"AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN"} {
			t.Setenv(name, "")
		}
		s := newStore(t, "azblob://?protocol=http&"+tt.params)
		_, err := s.Open(t.Context(), tt.name, "")
		if tt.want == "" && (!IsMissing(err) || requests == 0) || tt.want != "" && (err == nil || requests != 0 || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: %d requests, %v", tt, requests, err)
		}
		// What only a name is wrong about does not stop the run.
		if ofName := tt.want != "" && strings.HasPrefix(tt.name, "abfss:"); ofName != (err != nil && OfObject(err) && tt.want != "") {
			t.Errorf("%+v: it is of the object: %v", tt, !ofName)
		}
	}
}

// Credentials go to Azure, and to the domain that the user has set: to no other that a name
// has.
func TestDomainOfName(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests++ }))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	t.Setenv("AZURE_STORAGE_ACCOUNT", "")
	t.Setenv("AZURE_STORAGE_KEY", "")
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "sig=SECRET")
	s := newStore(t, "azblob://?protocol=http")
	for _, host := range []string{
		"127.0.0.1." + host, "a." + host, "a.example.org", "a.blob.example.org", "a.blob.core.windows.net.example.org", "a.core.windows.net",
		"a.blob.core.windows.net:80", "example.org:80/.blob.core.windows.net", host + "#.blob.core.windows.net", "example?.blob.core.windows.net",
		"b@example.blob.core.windows.net", ".blob.core.windows.net",
	} {
		_, err := s.Open(t.Context(), "abfss://c@"+host+"/k", "")
		if err == nil || !OfObject(err) || MayPass(err) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v", host, err)
		}
	}
	if requests != 0 {
		t.Errorf("%d requests", requests)
	}
	for _, tt := range []struct{ host, env, param, want string }{
		{"a", "", "", "a.blob.core.windows.net"},
		{"a.dfs.core.windows.net", "", "", "a.blob.core.windows.net"},
		{"a.blob.core.usgovcloudapi.net", "", "", "a.blob.core.usgovcloudapi.net"},
		{"a.dfs.core.chinacloudapi.cn", "blob.example.org", "", "a.blob.core.chinacloudapi.cn"},
		{"a.dfs.example.org", "blob.example.org", "", "a.blob.example.org"},
		{"a.blob.example.org", "", "blob.example.org", "a.blob.example.org"},
		{"a.dfs.core.windows.net", "", "blob.example.org", "a.blob.example.org"},
	} {
		t.Setenv("AZURE_STORAGE_DOMAIN", tt.env)
		q := url.Values{}
		if tt.param != "" {
			q.Set("domain", tt.param)
		}
		b, err := openAzblob(t.Context(), place{scheme: "azblob", bucket: "c", host: tt.host}, q, 1)
		if err != nil {
			t.Errorf("%+v: %v", tt, err)
			continue
		}
		if got, _, _ := strings.Cut(b.(*azblobBucket).client.URL(), "?"); got != "https://"+tt.want+"/c" {
			t.Errorf("%+v: got %s", tt, got)
		}
		b.Close()
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

// Same tells one object from another, however it is named.
func TestSame(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "a", "b": "a"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("a", link); err != nil {
		t.Skip("no links: ", err)
	}
	a, b, hard := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "hard")
	inner := filepath.Join(dir, "inner")
	for _, err := range []error{os.Link(a, hard), os.Mkdir(inner, 0o777), os.Link(a, filepath.Join(inner, "a")), os.Symlink(".", filepath.Join(dir, "self"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, other string
		want        bool
	}{
		{a, a, true},
		{a, dir + "/../" + filepath.Base(dir) + "/a", true},
		{a, "file://" + a, true},
		{a, link, true},
		{a, filepath.Join(dir, "self", "a"), true},
		{a, hard, false},
		{a, filepath.Join(inner, "a"), false},
		{a, b, false},
		{a, "s3://a/a", false},
		{filepath.Join(dir, "none"), filepath.Join(dir, "none"), false},
		{"s3://b/k", "s3://b/k", true},
		{"s3://b/k", "s3a://b/k", true},
		{"s3://b/k", "s3://b/K", false},
		{"s3://b/k", "s3://c/k", false},
		{"s3://b/k", "gs://b/k", false},
		{"s3://b/k", "k", false},
		{"ftp://b/k", "ftp://b/k", false},
	} {
		if got := Same(tt.name)(tt.other); got != tt.want {
			t.Errorf("%s, %s: got %t", tt.name, tt.other, got)
		}
	}
}
