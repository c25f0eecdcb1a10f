package store

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/pem"
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// serve starts a server for as long as the test runs, and returns its parameters.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return s3Params(server.URL)
}

// awkward are keys that not all ways of listing can name. XML has no control
// characters.
var awkward = []string{"\x01 control", "%41", "a b", "a+b", "é", "new\nline", "plain/1", "plain/2", "\uffff"}

// listings serves the listings of a bucket as S3 does: two entries a page, and keys
// encoded only if the client asks for it.
func listings(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	encode := func(key string) string {
		if q.Get("encoding-type") == "url" {
			key = url.QueryEscape(key)
		}
		var b bytes.Buffer
		xml.EscapeText(&b, []byte(key)) // a control character becomes another one
		return b.String()
	}
	var b strings.Builder
	b.WriteString("<R><EncodingType>" + q.Get("encoding-type") + "</EncodingType>")
	if _, ok := q["versions"]; ok {
		// Each key has three versions: those of a key are on several pages.
		first := 0
		if marker := q.Get("key-marker"); marker != "" {
			fmt.Sscan(q.Get("version-id-marker"), &first)
			first += 3*slices.Index(awkward, marker) + 1
		}
		for i := first; i < first+2 && i < 3*len(awkward); i++ {
			fmt.Fprintf(&b, "<Version><Key>%s</Key><VersionId>%d</VersionId><Size>1</Size></Version>", encode(awkward[i/3]), i%3)
		}
		if last := first + 1; last < 3*len(awkward)-1 {
			fmt.Fprintf(&b, "<IsTruncated>true</IsTruncated><NextKeyMarker>%s</NextKeyMarker><NextVersionIdMarker>%d</NextVersionIdMarker>",
				encode(awkward[last/3]), last%3)
		}
	} else {
		first := 0
		fmt.Sscan(q.Get("continuation-token"), &first)
		for i := first; i < first+2 && i < len(awkward); i++ {
			fmt.Fprintf(&b, "<Contents><Key>%s</Key><Size>1</Size></Contents>", encode(awkward[i]))
		}
		if first+2 < len(awkward) {
			fmt.Fprintf(&b, "<IsTruncated>true</IsTruncated><NextContinuationToken>%d</NextContinuationToken>", first+2)
		}
	}
	io.WriteString(w, b.String()+"</R>")
}

// A listing has every key as it is, and every version once.
func TestListingOfAwkwardKeys(t *testing.T) {
	s := newStore(t, serve(t, listings))
	for versions, times := range map[bool]int{false: 1, true: 3} {
		found := map[Info]bool{}
		var keys []string
		if err := s.List(t.Context(), "s3://bucket", versions, func(i Info) error {
			keys = append(keys, strings.TrimPrefix(i.Name, "s3://bucket/"))
			found[i] = true
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if keys = slices.Compact(keys); !slices.Equal(keys, awkward) || len(found) != times*len(awkward) {
			t.Errorf("versions %v: got %q", versions, keys)
		}
	}
}

// A listing that does not go on where it ends is no whole one.
func TestListingsThatBreak(t *testing.T) {
	for name, tt := range map[string]struct{ page, want string }{
		"no token":       {"<R><IsTruncated>true</IsTruncated></R>", "does not say where it goes on"},
		"the same token": {"<R><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken></R>", "the same page again"},
		"no URL":         {"<R><EncodingType>url</EncodingType><Contents><Key>%</Key></Contents></R>", "not URL-encoded"},
		"no XML":         {"<R><Contents>", "XML"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, tt.page) }))
			if err := s.List(t.Context(), "s3://bucket", false, func(Info) error { return nil }); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// The SDK's own settings say whose certificates are trusted.
func TestCertificates(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1")
		w.Header().Set("ETag", `"1"`)
		io.WriteString(w, "x")
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that do not trust it
	server.StartTLS()
	defer server.Close()
	dir := t.TempDir()
	ca := storetest.WriteFile(t, dir, "ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	config := storetest.WriteFile(t, dir, "config", []byte("[default]\nca_bundle = "+ca+"\n"))
	for _, tt := range []struct {
		name, variable, value string
		wantErr               bool
	}{
		{"none", "", "", true},
		{"AWS_CA_BUNDLE", "AWS_CA_BUNDLE", ca, false},
		{"ca_bundle", "AWS_CONFIG_FILE", config, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "none"))
			t.Setenv("AWS_CA_BUNDLE", "")
			if tt.variable != "" {
				t.Setenv(tt.variable, tt.value)
			}
			// A retry would take an hour.
			s, err := New(Options{Params: []string{s3Params(server.URL)}, Retries: 1, Backoff: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			o, err := s.Open(t.Context(), "s3://bucket/k", "")
			if err == nil {
				o.Close()
			}
			if (err != nil) != tt.wantErr || tt.wantErr && !strings.Contains(err.Error(), "certificate") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Without credentials nothing is asked of the store, and nothing is tried again.
func TestNoCredentials(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(name, none)
	}
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AZURE_STORAGE_ACCOUNT", "fleet")
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", none)
	t.Setenv("STORAGE_EMULATOR_HOST", "")
	var requests int
	params := serve(t, func(w http.ResponseWriter, r *http.Request) { requests++ })
	params = strings.Replace(params, "anonymous=true&", "", 1)
	address := params[strings.LastIndex(params, "%2F")+len("%2F"):]
	for name, params := range map[string]string{
		"s3://bucket/k":     params,
		"azblob://bucket/k": "azblob://?protocol=http&domain=" + address,
		"gs://bucket/k":     "gs://?universe_domain=nowhere.invalid",
	} {
		s, err := New(Options{Params: []string{params}, Retries: 1, Backoff: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.Open(t.Context(), name, ""); err == nil || IsMissing(err) || OfObject(err) {
			t.Errorf("%s: got %v", name, err)
		}
		if err := s.List(t.Context(), name, false, func(Info) error { return nil }); err == nil {
			t.Errorf("%s can be listed", name)
		}
	}
	// A server of credentials that refuses them is not the store.
	refusals := 0
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refusals++
		w.WriteHeader(http.StatusNotFound)
	}))
	defer refusing.Close()
	t.Setenv("AWS_EC2_METADATA_DISABLED", "false")
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", refusing.URL)
	refused, err := New(Options{Params: []string{params}, Retries: 1, Backoff: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer refused.Close()
	if _, err := refused.Open(t.Context(), "s3://bucket/k", ""); err == nil || refusals == 0 {
		t.Errorf("refused credentials: got %v after %d refusals", err, refusals)
	}
	// Nor without a region.
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	s, err := New(Options{Params: []string{"s3://?anonymous=true"}, Retries: 1, Backoff: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Open(t.Context(), "s3://bucket/k", ""); err == nil || !strings.Contains(err.Error(), "region") {
		t.Errorf("no region: got %v", err)
	}
	if requests != 0 {
		t.Errorf("%d requests", requests)
	}
}

// If a file that a request needs is missing, the object is not: its absence would be a
// result, and that of a plan a new plan.
func TestMissingFilesAreNotMissingObjects(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "STORAGE_EMULATOR_HOST"} {
		t.Setenv(name, "")
	}
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(name, none)
	}
	external := storetest.WriteFile(t, t.TempDir(), "credentials.json", fmt.Appendf(nil,
		`{"type":"external_account","audience":"a","subject_token_type":"urn:ietf:params:oauth:token-type:jwt","token_url":"https://sts.googleapis.com/v1/token","credential_source":{"file":%q}}`, none))
	params := serve(t, func(w http.ResponseWriter, r *http.Request) { t.Error("a request") })
	for _, tt := range []struct {
		name, object, params string
		env                  map[string]string
	}{
		{"SSE-C key", "s3://bucket/k", params + "&sse_customer_key_file=" + url.QueryEscape(none), nil},
		{"AWS_CA_BUNDLE", "s3://bucket/k", params, map[string]string{"AWS_CA_BUNDLE": none}},
		{"token of AWS", "s3://bucket/k", strings.Replace(params, "anonymous=true&", "", 1),
			map[string]string{"AWS_WEB_IDENTITY_TOKEN_FILE": none, "AWS_ROLE_ARN": "arn:aws:iam::1:role/r"}},
		{"credentials of Google", "gs://bucket/k", "", map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": none}},
		{"token of Google", "gs://bucket/k", "", map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": external}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			var all []string
			if tt.params != "" {
				all = append(all, tt.params)
			}
			s := newStore(t, all...)
			if _, err := s.Open(t.Context(), tt.object, ""); err == nil || IsMissing(err) || OfObject(err) || !MayPass(err) || !strings.Contains(err.Error(), none) {
				t.Errorf("got %v", err)
			}
			if err := s.List(t.Context(), tt.object, false, func(Info) error { return nil }); err == nil || !strings.Contains(err.Error(), none) {
				t.Errorf("listing: got %v", err)
			}
		})
	}
}

// Every request of a bucket whose requester pays says so.
func TestRequesterPays(t *testing.T) {
	server := storetest.New(t)
	params := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Amz-Request-Payer") != "requester" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		server.ServeHTTP(w, r)
	})
	if _, err := newStore(t, params).Open(t.Context(), "s3://bucket/k", ""); err == nil {
		t.Error("the requester does not pay")
	}
	s := newStore(t, params+"&requester_pays=true")
	if err := s.Write(t.Context(), "s3://bucket/k", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, s, "s3://bucket/k", ""); got != "x" {
		t.Errorf("got %q", got)
	}
	for _, versions := range []bool{false, true} {
		n := 0
		if err := s.List(t.Context(), "s3://bucket", versions, func(Info) error { n++; return nil }); err != nil || n != 1 {
			t.Errorf("versions %v: %d objects, %v", versions, n, err)
		}
	}
	if err := s.Remove(t.Context(), "s3://bucket/k"); err != nil {
		t.Error(err)
	}
	if _, err := newStore(t, params+"&requester_pays=maybe").Open(t.Context(), "s3://bucket/k", ""); err == nil || !strings.Contains(err.Error(), "requester_pays") {
		t.Errorf("got %v", err)
	}
}

// Objects that a customer's key encrypts are read with it, others in their bucket
// without. Only the first of several of one sort takes two requests.
func TestCustomerKeys(t *testing.T) {
	key := bytes.Repeat([]byte{7}, 32)
	sum := md5.Sum(key)
	server := storetest.New(t)
	requests := 0
	params := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		refuse := func(status int, code string) {
			w.WriteHeader(status)
			fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", code)
		}
		sent := r.Header.Get("X-Amz-Server-Side-Encryption-Customer-Key")
		switch encrypted := strings.HasPrefix(r.URL.Path, "/bucket/secret"); {
		case (sent != "") != encrypted:
			refuse(http.StatusBadRequest, "InvalidRequest")
		case encrypted && (sent != base64.StdEncoding.EncodeToString(key) ||
			r.Header.Get("X-Amz-Server-Side-Encryption-Customer-Key-Md5") != base64.StdEncoding.EncodeToString(sum[:]) ||
			r.Header.Get("X-Amz-Server-Side-Encryption-Customer-Algorithm") != "AES256"):
			refuse(http.StatusForbidden, "AccessDenied")
		default:
			server.ServeHTTP(w, r)
		}
	})
	for _, name := range []string{"secret/1", "secret/2", "plain/1", "plain/2"} {
		server.Put(name, []byte(name))
	}
	dir := t.TempDir()
	for _, file := range [][]byte{key, []byte(base64.StdEncoding.EncodeToString(key) + "\n")} {
		s := newStore(t, params+"&sse_customer_key_file="+url.QueryEscape(storetest.WriteFile(t, dir, "a key", file)))
		requests = 0
		for _, name := range []string{"secret/1", "secret/2", "plain/1", "plain/2", "secret/1"} {
			if got := contents(t, s, "s3://bucket/"+name, ""); got != name {
				t.Errorf("got %q", got)
			}
		}
		if requests != 7 {
			t.Errorf("%d requests", requests)
		}
	}
	wrong := storetest.WriteFile(t, dir, "wrong", bytes.Repeat([]byte{8}, 32))
	short := storetest.WriteFile(t, dir, "short", key[:31])
	for file, want := range map[string]string{
		"":           "InvalidRequest",
		wrong:        "AccessDenied",
		short:        "neither 32 bytes",
		dir + "none": "no such file",
	} {
		p := params
		if file != "" {
			p += "&sse_customer_key_file=" + url.QueryEscape(file)
		}
		_, err := newStore(t, p).Open(t.Context(), "s3://bucket/secret/1", "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", file, err, want)
		}
	}
}

// A key is what it is, in each request, for reads as for writes: nothing is left out of it,
// resolved or escaped to another key. The server compares paths as they are sent.
func TestExactKeys(t *testing.T) {
	var mu sync.Mutex
	objects := map[string]string{}
	s := newStore(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent, _, _ := strings.Cut(r.RequestURI, "?")
		key, err := url.PathUnescape(strings.TrimPrefix(sent, "/bucket/"))
		mu.Lock()
		defer mu.Unlock()
		contents, ok := objects[key]
		switch {
		case err != nil || !strings.HasPrefix(sent, "/bucket/"):
			t.Errorf("%s %s: %v", r.Method, r.RequestURI, err)
		case r.Method == http.MethodPut:
			body, _ := io.ReadAll(r.Body)
			objects[key] = string(body)
		case r.Method == http.MethodDelete:
			delete(objects, key)
		case !ok:
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
		default:
			io.WriteString(w, contents)
		}
	}))
	for _, key := range []string{
		"plain", "../a", "a/../b", "a/b/../../c", "a/..", "..", ".", "./a", "a/./b", "a/.", "a//b", "a///b", "/a", "//a", "/", "a/", "a//",
		"%2e%2e/a", "a%2F..%2Fb", "__0x2f__", "a/..__0x2f__b", "\x01", "a\tb", "a\nb", "a\\..\\b", "..a/..", ".../", "é/../e\u0301", "a?b#c", "a+b c", "~;:@&=$,!*'()",
	} {
		name := "s3://bucket/" + key
		if err := s.Write(t.Context(), name, strings.NewReader(key)); err != nil {
			t.Errorf("writing %q: %v", key, err)
		}
		mu.Lock()
		if got, ok := objects[key]; !ok || !strings.Contains(got, key) || len(objects) != 1 {
			t.Errorf("%q is written as %q", key, objects)
		}
		clear(objects)
		objects[key] = "what is there"
		mu.Unlock()
		if got := contents(t, s, name, ""); got != "what is there" {
			t.Errorf("%q has %q", key, got)
		}
		if err := s.Remove(t.Context(), name); err != nil || len(objects) != 0 {
			t.Errorf("removing %q: %v, and there is %q", key, err, objects)
		}
		clear(objects)
	}
}
