package fixity

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/composite"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// A liar is a server that answers the nth read of each object as it likes.
type liar func(w http.ResponseWriter, r *http.Request, nth int)

// lie starts a liar for one kind of store and returns a Checker that asks it.
func lie(t *testing.T, scheme string, answer liar) *Checker {
	t.Helper()
	var mu sync.Mutex
	reads := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		nth := reads[r.URL.Path]
		reads[r.URL.Path]++
		mu.Unlock()
		answer(w, r, nth)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	address := strings.TrimPrefix(server.URL, "http://")
	var params string
	switch scheme {
	case "s3":
		params = "use_path_style=true&anonymous=true&region=us-east-1&endpoint=" + url.QueryEscape(server.URL)
	case "gs":
		t.Setenv("STORAGE_EMULATOR_HOST", address)
		params = "anonymous=true"
	case "azblob":
		t.Setenv("AZURE_STORAGE_ACCOUNT", "fleet")
		t.Setenv("AZURE_STORAGE_KEY", base64.StdEncoding.EncodeToString([]byte("any will do")))
		params = "protocol=http&domain=" + url.QueryEscape(address)
	}
	st, err := store.New(store.Options{Retries: 2, Backoff: time.Millisecond, Stall: time.Minute, Params: []string{scheme + "://?" + params}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return &Checker{Store: st, Readers: 2}
}

// send answers with a status and some bytes of data, of which it says that they are
// claim. Below 0, cut is none; otherwise the connection ends after that many bytes.
func send(w http.ResponseWriter, status int, claim string, data []byte, cut int) {
	h := w.Header()
	if claim != "" {
		h.Set("Content-Range", claim)
	}
	h.Set("Content-Length", fmt.Sprint(len(data)))
	w.WriteHeader(status)
	if cut < 0 {
		w.Write(data)
		return
	}
	w.Write(data[:cut])
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// identify sets what identifies the contents of an object in every kind of store.
func identify(w http.ResponseWriter, id int) {
	w.Header().Set("ETag", fmt.Sprintf(`"%d"`, id))
	w.Header().Set("X-Goog-Generation", fmt.Sprint(id))
	w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
}

// from returns where the range of a request begins, or 0.
func from(r *http.Request) (n int) {
	text := r.Header.Get("Range")
	if text == "" {
		text = r.Header.Get("X-Ms-Range")
	}
	fmt.Sscanf(text, "bytes=%d-", &n)
	return n
}

// TestMisbehaving is the table of stores that do not keep to their protocol. No
// object of these may get a digest: the one that it would get is wrong.
func TestMisbehaving(t *testing.T) {
	data := storetest.Bytes(1, 100_000)
	other := storetest.Bytes(2, 100_000)
	half := len(data) / 2
	// cutThen cuts the first body and answers further requests in another way.
	cutThen := func(then liar) liar {
		return func(w http.ResponseWriter, r *http.Request, nth int) {
			identify(w, 1)
			if nth == 0 {
				send(w, 200, "", data, half)
			}
			then(w, r, nth)
		}
	}
	for _, tt := range []struct {
		name   string
		answer liar
		want   string // is in the error
		wantGS string // the same of Google's SDK, where it has words of its own
	}{
		{"the range is ignored", cutThen(func(w http.ResponseWriter, r *http.Request, _ int) {
			send(w, 200, "", data, -1)
		}), "got status 200", "partial request not satisfied"},
		{"another range from the beginning", cutThen(func(w http.ResponseWriter, r *http.Request, _ int) {
			send(w, 206, fmt.Sprintf("bytes 0-%d/%d", len(data)-1, len(data)), data, -1)
		}), "asked for bytes from 50000 on", ""},
		{"a range that begins one byte late", cutThen(func(w http.ResponseWriter, r *http.Request, _ int) {
			send(w, 206, fmt.Sprintf("bytes %d-%d/%d", half+1, len(data)-1, len(data)), data[half+1:], -1)
		}), "asked for bytes from 50000 on", ""},
		{"a range with more bytes than it says", cutThen(func(w http.ResponseWriter, r *http.Request, _ int) {
			send(w, 206, fmt.Sprintf("bytes %d-%d/%d", half, len(data)-1, len(data)), data, -1)
		}), "asked for bytes from 50000 on", ""},
		{"a range of a longer object", cutThen(func(w http.ResponseWriter, r *http.Request, _ int) {
			send(w, 206, fmt.Sprintf("bytes %d-%d/%d", half, len(data), len(data)+1), append(data[half:len(data):len(data)], 0), -1)
		}), "changed while it was read", ""},
		{"206 without a range", cutThen(func(w http.ResponseWriter, r *http.Request, _ int) {
			send(w, 206, "", data[half:], -1)
		}), "asked for bytes from 50000 on", "invalid Content-Range"},
		{"another object's rest", cutThen(func(w http.ResponseWriter, r *http.Request, _ int) {
			identify(w, 2)
			send(w, 206, fmt.Sprintf("bytes %d-%d/%d", half, len(data)-1, len(data)), other[half:], -1)
		}), "changed while it was read", ""},
		{"half of an object that was asked for whole", func(w http.ResponseWriter, r *http.Request, _ int) {
			identify(w, 1)
			send(w, 206, fmt.Sprintf("bytes %d-%d/%d", half, len(data)-1, len(data)), data[half:], -1)
		}, "asked for bytes from 0 on", ""},
		{"no identity, and replaced in between", func(w http.ResponseWriter, r *http.Request, nth int) {
			w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
			if nth == 0 {
				send(w, 200, "", data, half)
			}
			n := from(r)
			send(w, 206, fmt.Sprintf("bytes %d-%d/%d", n, len(data)-1, len(data)), other[n:], -1)
		}, "does not say whether it is still the same object", ""},
		{"no length", func(w http.ResponseWriter, r *http.Request, _ int) {
			identify(w, 1)
			http.NewResponseController(w).Flush() // chunked
			w.Write(data)
		}, "does not say how long the object is", ""},
		{"a status of another request", func(w http.ResponseWriter, r *http.Request, _ int) {
			identify(w, 1)
			w.WriteHeader(http.StatusNoContent)
		}, "204", "-"},
	} {
		for _, scheme := range []string{"s3", "gs", "azblob"} {
			t.Run(tt.name+"/"+scheme, func(t *testing.T) {
				want := tt.want
				if scheme == "gs" && tt.wantGS != "" {
					if want = tt.wantGS; want == "-" {
						t.Skip("Google's SDK shows no status")
					}
				}
				c := lie(t, scheme, tt.answer)
				r := check(t, c, list.Entry{Name: scheme + "://bucket/key"})[0]
				if r.Outcome != Unreadable || r.SHA256 != "" || !strings.Contains(r.Error, want) {
					t.Errorf("got %+v, want unreadable: %s", r, want)
				}
			})
		}
	}
}

// A store that keeps to its protocol is read on, after any byte.
func TestReadOnByIdentity(t *testing.T) {
	data := storetest.Bytes(1, 100_000)
	for _, scheme := range []string{"s3", "gs", "azblob"} {
		t.Run(scheme, func(t *testing.T) {
			c := lie(t, scheme, func(w http.ResponseWriter, r *http.Request, nth int) {
				identify(w, 1)
				if nth == 0 {
					send(w, 200, "", data, 33_333)
				}
				n := from(r)
				send(w, 206, fmt.Sprintf("bytes %d-%d/%d", n, len(data)-1, len(data)), data[n:], -1)
			})
			if r := check(t, c, list.Entry{Name: scheme + "://bucket/key", SHA256: sum(data)})[0]; r.Outcome != Match {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// S3's words say that an object is missing, not a number in them.
func TestMissingIsWhatTheStoreSays(t *testing.T) {
	xml := func(status int, code, message string) liar {
		return func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("X-Amz-Request-Id", "4C3301A301")
			w.WriteHeader(status)
			fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, message)
		}
	}
	marker := func(answer liar) liar {
		return func(w http.ResponseWriter, r *http.Request, nth int) {
			w.Header().Set("X-Amz-Delete-Marker", "true")
			answer(w, r, nth)
		}
	}
	for _, tt := range []struct {
		name, key string
		answer    liar
		want      Outcome
		wantError string
		requests  int
	}{
		{"no such key", "k", xml(404, "NoSuchKey", "It is not here."), Missing, "NoSuchKey: It is not here.", 1},
		{"503 with 301 in its request ID and key", "IMG_3301", xml(503, "SlowDown", "301"), Unreadable, "503", 3},
		{"500 with the word of a missing key", "k", xml(500, "NoSuchKey", ""), Unreadable, "500", 3},
		{"404 of a proxy", "k", func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.WriteHeader(404)
			w.Write([]byte("<html><body>404 not found</body></html>"))
		}, Unreadable, "404", 3},
		{"404 without a word", "k", func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(404) }, Unreadable, "404", 3},
		{"no such bucket", "k", xml(404, "NoSuchBucket", ""), Unreadable, "NoSuchBucket", 1},
		{"a bucket in another region", "k", func(w http.ResponseWriter, r *http.Request, nth int) {
			w.Header().Set("X-Amz-Bucket-Region", "eu-south-2")
			xml(301, "PermanentRedirect", "")(w, r, nth)
		}, Unreadable, "the bucket is in region eu-south-2", 1},
		{"forbidden", "k", xml(403, "AccessDenied", ""), Unreadable, "403", 1},
		{"archived", "k", xml(403, "InvalidObjectState", "Restore it."), Archived, "InvalidObjectState: Restore it.", 1},
		{"a delete marker in its place", "k", marker(xml(404, "NoSuchKey", "")), Deleted, "NoSuchKey (a delete marker)", 1},
		{"a version that is a delete marker", "k", marker(xml(405, "MethodNotAllowed", "")), Deleted, "(a delete marker)", 1},
		{"405 without a delete marker", "k", xml(405, "MethodNotAllowed", ""), Unreadable, "405", 1},
		{"503 with a delete marker", "k", marker(xml(503, "SlowDown", "")), Unreadable, "503", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			requests := 0
			c := lie(t, "s3", func(w http.ResponseWriter, r *http.Request, nth int) {
				mu.Lock()
				requests++
				mu.Unlock()
				tt.answer(w, r, nth)
			})
			r := check(t, c, list.Entry{Name: "s3://bucket/" + tt.key})[0]
			if r.Outcome != tt.want || !strings.Contains(r.Error, tt.wantError) || requests != tt.requests {
				t.Errorf("got %+v after %d requests, want %s: %s after %d", r, requests, tt.want, tt.wantError, tt.requests)
			}
		})
	}
}

// So do Azure's.
func TestMissingIsWhatAzureSays(t *testing.T) {
	for _, tt := range []struct {
		name, code string
		status     int
		want       Outcome
		requests   int
	}{
		{"no such blob", "BlobNotFound", 404, Missing, 1},
		{"no such container", "ContainerNotFound", 404, Unreadable, 1},
		{"404 of a proxy", "", 404, Unreadable, 3},
		{"another 404", "ResourceNotFound", 404, Unreadable, 3},
		{"503 with the word of a missing blob", "BlobNotFound", 503, Unreadable, 3},
		{"forbidden", "AuthorizationFailure", 403, Unreadable, 1},
		{"archived", "BlobArchived", 409, Archived, 1},
		{"on its way out of the archive", "BlobBeingRehydrated", 409, Archived, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var requests atomic.Int64
			c := lie(t, "azblob", func(w http.ResponseWriter, _ *http.Request, _ int) {
				requests.Add(1)
				if tt.code != "" {
					w.Header().Set("X-Ms-Error-Code", tt.code)
				}
				w.WriteHeader(tt.status)
			})
			r := check(t, c, list.Entry{Name: "azblob://bucket/key"})[0]
			if r.Outcome != tt.want || int(requests.Load()) != tt.requests {
				t.Errorf("got %+v after %d requests, want %s after %d", r, requests.Load(), tt.want, tt.requests)
			}
		})
	}
}

// Archived and deleted objects, however many, are no failures of their store. A delete
// marker that the list names is not asked for, and is no problem.
func TestArchivedAndDeletedStopNothing(t *testing.T) {
	var requests atomic.Int64
	c := lie(t, "s3", func(w http.ResponseWriter, r *http.Request, _ int) {
		requests.Add(1)
		if strings.Contains(r.URL.Path, "archived") {
			w.WriteHeader(403)
			fmt.Fprint(w, "<Error><Code>InvalidObjectState</Code></Error>")
			return
		}
		w.Header().Set("X-Amz-Delete-Marker", "true")
		w.WriteHeader(404)
		fmt.Fprint(w, "<Error><Code>NoSuchKey</Code></Error>")
	})
	c.MaxFailures, c.MaxMissing = 2, 2
	var entries []list.Entry
	for range 10 {
		entries = append(entries, list.Entry{Name: "s3://bucket/archived"}, list.Entry{Name: "s3://bucket/gone"},
			list.Entry{Name: "s3://bucket/marker", Version: "v1", Deleted: true})
	}
	var got Counts
	for _, r := range check(t, c, entries...) {
		got.Add(&r)
	}
	if want := (Counts{Lines: 30, Archived: 10, Deleted: 20, Problems: 20}); got != want || requests.Load() != 20 {
		t.Errorf("got %+v after %d requests, want %+v after 20", got, requests.Load(), want)
	}
}

// Azure's name that cannot be resolved is not a missing object.
func TestUnknownHostIsNotMissing(t *testing.T) {
	lie(t, "azblob", nil)
	st, err := store.New(store.Options{Params: []string{"azblob://?protocol=http&domain=nowhere.invalid"}})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	r := check(t, &Checker{Store: st, Readers: 1}, list.Entry{Name: "azblob://bucket/key"})[0]
	if r.Outcome != Unreadable {
		t.Errorf("got %+v", r)
	}
}

// TestSizesOfLists has stores answer with other bytes than the list says. None of
// these is new, or a match.
func TestSizesOfLists(t *testing.T) {
	data := []byte("whole\n")
	for _, tt := range []struct {
		name, body string
	}{
		{"truncated, with a matching Content-Length", "who"},
		{"a page that asks for a login", "<html><form>Who are you?</form></html>"},
		{"nothing", ""},
	} {
		for _, scheme := range []string{"s3", "gs", "azblob"} {
			for _, expected := range []string{"", sum(data), sum([]byte(tt.body))} {
				t.Run(path.Join(tt.name, scheme), func(t *testing.T) {
					c := lie(t, scheme, func(w http.ResponseWriter, r *http.Request, _ int) {
						identify(w, 1)
						send(w, 200, "", []byte(tt.body), -1)
					})
					r := checkSized(t, c, list.Entry{Name: scheme + "://bucket/key", SHA256: expected, Size: int64(len(data))})
					want := fmt.Sprintf("%d bytes, not the 6 of the list", len(tt.body))
					if r.Outcome != Mismatch || r.Error != want {
						t.Errorf("got %+v, want %s", r, want)
					}
				})
			}
		}
	}
	file := storetest.WriteFile(t, t.TempDir(), "f", data)
	for size, want := range map[int64]Outcome{-1: New, 6: New, 999: Mismatch, 0: Mismatch} {
		if r := checkSized(t, newChecker(t, nil, nil), list.Entry{Name: file, Size: size}); r.Outcome != want {
			t.Errorf("size %d: got %+v, want %s", size, r, want)
		}
	}
	long := storetest.WriteFile(t, t.TempDir(), "long", storetest.Bytes(3, 2*maxChunk))
	if r := checkSized(t, newChecker(t, nil, nil), list.Entry{Name: long, Size: maxChunk}); r.Outcome != Mismatch {
		t.Errorf("got %+v", r)
	}
}

// checkSized checks one entry with the size that it has.
func checkSized(t *testing.T, c *Checker, e list.Entry) Result {
	t.Helper()
	var results []Result
	next := one(e)
	if err := c.Run(t.Context(), next, func(r *Result) error { results = append(results, *r); return nil }); err != nil || len(results) != 1 {
		t.Fatalf("%+v, %v", results, err)
	}
	return results[0]
}

// Google's answer to a missing object does not say whether there is its bucket. Where
// that cannot be found out the object is not missing, and no request is made for ever.
func TestMissingInAnUnknownBucket(t *testing.T) {
	for _, tt := range []struct {
		name   string
		lists  []int // statuses of listings; the last one goes on
		want   Outcome
		listed int // requests
	}{
		{"it does not answer", []int{503}, Unreadable, 6}, // three for each object
		{"it answers in the end", []int{503, 503, 404}, Unreadable, 3},
		{"there is none", []int{404}, Unreadable, 1},
		{"it may not be listed", []int{403}, Missing, 1},
		{"it is there", []int{200}, Missing, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			listed := 0
			c := lie(t, "gs", func(w http.ResponseWriter, r *http.Request, nth int) {
				if !strings.HasSuffix(r.URL.Path, "/o") {
					w.WriteHeader(404)
					return
				}
				mu.Lock()
				listed++
				mu.Unlock()
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tt.lists[min(nth, len(tt.lists)-1)])
				w.Write([]byte("{}"))
			})
			c.Readers = 1
			for _, r := range check(t, c, list.Entry{Name: "gs://bucket/a"}, list.Entry{Name: "gs://bucket/b"}) {
				if r.Outcome != tt.want {
					t.Errorf("got %+v, want %s", r, tt.want)
				}
			}
			if listed != tt.listed {
				t.Errorf("%d listings, want %d", listed, tt.listed)
			}
		})
	}
}

// The version that a list names is read, of each kind of store by its own name for it.
func TestVersions(t *testing.T) {
	const snapshot = "2026-01-02T03:04:05.1234567Z"
	for scheme, tt := range map[string]struct {
		parameter string
		versions  map[string]string
	}{
		"s3":     {"versionId", map[string]string{"": "current", "v1": "earlier", "null": "from before there were versions"}},
		"gs":     {"generation", map[string]string{"": "current", "1700000000000000": "earlier"}},
		"azblob": {"snapshot", map[string]string{"": "current", snapshot: "earlier"}},
	} {
		c := lie(t, scheme, func(w http.ResponseWriter, r *http.Request, _ int) {
			identify(w, 1)
			send(w, 200, "", []byte(tt.versions[r.URL.Query().Get(tt.parameter)]), -1)
		})
		for version, contents := range tt.versions {
			r := check(t, c, list.Entry{Name: scheme + "://bucket/key", Version: version})[0]
			if r.Outcome != New || r.SHA256 != sum([]byte(contents)) || r.Version != version {
				t.Errorf("%s, version %q: got %+v", scheme, version, r)
			}
		}
	}
	// Where there can be none, the current version is not read in its place.
	file := storetest.WriteFile(t, t.TempDir(), "f", nil)
	for _, e := range []list.Entry{{Name: file, Version: "v1"}, {Name: "gs://bucket/key", Version: "null"}} {
		c := newChecker(t, nil, func(o *store.Options) { o.Params = []string{"gs://?anonymous=true"} })
		if r := check(t, c, e)[0]; r.Outcome != Unreadable || !strings.Contains(r.Error, "version") && !strings.Contains(r.Error, "generation") {
			t.Errorf("got %+v", r)
		}
	}
}

// The time of a result is that of what was read. What the list says counts where the store
// says nothing, or the same less exactly.
func TestTimeOfWhatWasRead(t *testing.T) {
	read := time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC) // as identify has it
	exact := read.Add(456 * time.Millisecond)
	for name, tt := range map[string]struct {
		listed time.Time
		etag   string // in the list
		silent bool   // the store says no time
		want   time.Time
	}{
		"none is listed":                     {want: read},
		"the same":                           {listed: read, want: read},
		"the same in another zone":           {listed: read.In(time.FixedZone("", 3600)), want: read},
		"the same, more exactly":             {listed: exact, want: exact},
		"a second before":                    {listed: exact.Add(-time.Second), want: read},
		"a nanosecond before":                {listed: read.Add(-1), want: read},
		"a second later":                     {listed: read.Add(time.Second), want: read},
		"long before, and the same contents": {listed: read.AddDate(-1, 0, 0), etag: "1", want: read},
		"the store is silent":                {listed: exact, etag: "1", silent: true, want: exact},
		"silent, and nothing is listed":      {silent: true},
		"silent, of other contents":          {listed: exact, etag: "2", silent: true},
	} {
		for _, scheme := range []string{"s3", "gs", "azblob"} {
			t.Run(name+"/"+scheme, func(t *testing.T) {
				c := lie(t, scheme, func(w http.ResponseWriter, r *http.Request, _ int) {
					identify(w, 1)
					if tt.silent {
						w.Header().Del("Last-Modified")
					}
					send(w, 200, "", []byte("x"), -1)
				})
				r := check(t, c, list.Entry{Name: scheme + "://bucket/key", Modified: tt.listed, ETag: tt.etag})[0]
				if r.Outcome != New || (r.Modified == nil) != tt.want.IsZero() || r.Modified != nil && (!r.Modified.Equal(tt.want) || r.Modified.Location() != time.UTC) {
					t.Errorf("got %+v of %v, want %v", r, r.Modified, tt.want)
				}
			})
		}
	}
	written := read.Add(123456789)
	file := storetest.WriteFile(t, t.TempDir(), "f", []byte("x"))
	if err := os.Chtimes(file, written, written); err != nil {
		t.Fatal(err)
	}
	for _, listed := range []time.Time{{}, written, exact, read, read.AddDate(-1, 0, 0)} {
		if r := check(t, newChecker(t, nil, nil), list.Entry{Name: file, Modified: listed})[0]; r.Modified == nil || !r.Modified.Equal(written) {
			t.Errorf("a file listed with %v: got %+v of %v", listed, r, r.Modified)
		}
	}
}

// Where several readings of one object make its checksum, all are of the same contents.
func TestReplacedBetweenReadings(t *testing.T) {
	data, other := storetest.Bytes(1, 26<<20), storetest.Bytes(2, 26<<20)
	c := lie(t, "s3", func(w http.ResponseWriter, r *http.Request, nth int) {
		identify(w, 1+min(nth, 1))
		send(w, 200, "", [][]byte{data, other}[min(nth, 1)], -1)
	})
	sum, err := composite.Sum(t.Context(), bytes.NewReader(other), int64(len(other)), 15<<20)
	if err != nil {
		t.Fatal(err)
	}
	// Two parts may be of 16 MiB, which is tried first, or of 15.
	r := check(t, c, list.Entry{Name: "s3://bucket/key", SHA256: sum.String()})[0]
	if r.Outcome != Unreadable || r.Error != "changed while it was read" {
		t.Errorf("got %+v", r)
	}
}
