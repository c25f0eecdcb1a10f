package fixity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/composite"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// newChecker returns a Checker that retries soon.
func newChecker(t testing.TB, s *storetest.Server, change func(*store.Options)) *Checker {
	t.Helper()
	o := store.Options{Connections: 64, Retries: 4, Backoff: time.Millisecond, Stall: time.Minute}
	if s != nil {
		o.Params = []string{s.Params()}
	}
	if change != nil {
		change(&o)
	}
	st, err := store.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return &Checker{Store: st, Readers: 16}
}

// check checks entries, which it numbers, and returns the results by number.
func check(t testing.TB, c *Checker, entries ...list.Entry) []Result {
	t.Helper()
	results, err := run(c, entries)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(entries) {
		t.Fatalf("%d results of %d lines", len(results), len(entries))
	}
	slices.SortFunc(results, func(a, b Result) int { return int(a.Line - b.Line) })
	for i, r := range results {
		if r.Line != int64(i+1) {
			t.Fatalf("line %d has the results %+v", i+1, r)
		}
	}
	return results
}

func run(c *Checker, entries []list.Entry) ([]Result, error) {
	var results []Result
	i := 0
	err := c.Run(context.Background(), func() (list.Entry, error) {
		if i == len(entries) {
			return list.Entry{}, io.EOF
		}
		e := entries[i]
		i++
		e.Line = int64(i)
		e.Size = -1
		return e, nil
	}, func(r *Result) error {
		results = append(results, *r)
		return nil
	})
	return results, err
}

// lengths are on both sides of where the way of reading changes.
var lengths = []int{0, 1, 63, 64, 1000, maxChunk - 1, maxChunk, maxChunk + 1, 3*maxChunk + 17, 8 * maxChunk}

func TestOutcomes(t *testing.T) { storetest.Each(t, testOutcomes) }

func testOutcomes(t *testing.T, s *storetest.Server) {
	dir := t.TempDir()
	c := newChecker(t, s, nil)
	var entries []list.Entry
	var want []Result
	add := func(e list.Entry, r Result) {
		entries = append(entries, e)
		r.Line, r.Name, r.Expected = int64(len(entries)), e.Name, e.SHA256
		want = append(want, r)
	}
	for i, n := range lengths {
		data := storetest.Bytes(uint64(i), n)
		key := fmt.Sprintf("dir/%d +%%é", n)
		s.Put(key, data)
		path := storetest.WriteFile(t, dir, fmt.Sprint(n), data)
		for _, name := range []string{path, "file://" + path, s.Name(key)} {
			add(list.Entry{Name: name}, Result{Outcome: New, SHA256: sum(data), Size: int64(n)})
			add(list.Entry{Name: name, SHA256: sum(data)}, Result{Outcome: Match, SHA256: sum(data), Size: int64(n)})
			other := strings.Repeat("0", 64)
			add(list.Entry{Name: name, SHA256: other}, Result{Outcome: Mismatch, SHA256: sum(data), Size: int64(n)})
		}
	}
	for _, name := range []string{dir + "/none", "file://" + dir + "/none", s.Name("none"), dir + "/0/below"} {
		add(list.Entry{Name: name, SHA256: sum(nil)}, Result{Outcome: Missing, Size: -1})
	}
	// Which of the others may pass is store.MayPass's.
	add(list.Entry{Name: dir}, Result{Outcome: Unreadable, Size: -1, Error: "is a directory"})
	add(list.Entry{Name: "http://x/y"}, Result{Outcome: Unreadable, Size: -1, Error: "unknown kind of store http://"})
	for _, name := range []string{"file://" + dir + "/0#", "file://" + dir + "/0?", "file://other" + dir + "/0"} {
		add(list.Entry{Name: name}, Result{Outcome: Unreadable, Size: -1, Error: strconv.Quote(name) + " is not file:// and an absolute path, with ?, # and % escaped"})
	}
	add(list.Entry{Malformed: "why"}, Result{Outcome: Malformed, Size: -1, Error: "why"})

	var counts Counts
	for i, r := range check(t, c, entries...) {
		counts.Add(&r)
		r.listed, r.sha256 = 0, ""
		if (r.ETag != "") != (r.Size >= 0 && strings.HasPrefix(r.Name, s.Name(""))) {
			t.Errorf("ETag %q of %s: %s", r.ETag, r.Name, r.Outcome)
		}
		if isFile := !strings.HasPrefix(r.Name, s.Name("")); isFile && (r.Modified != nil) != (r.Size >= 0) {
			t.Errorf("time %v of %s: %s", r.Modified, r.Name, r.Outcome)
		}
		r.ETag, r.Modified = "", nil // what the store likes
		if r.Outcome == Missing && r.Error != "" {
			r.Error = "" // the words of the store
		}
		if r.NameBytes != nil || fmt.Sprint(r) != fmt.Sprint(want[i]) {
			t.Errorf("got  %+v\nwant %+v", r, want[i])
		}
	}
	n := int64(3 * len(lengths))
	var bytes int64
	for _, l := range lengths {
		bytes += 9 * int64(l)
	}
	if want := (Counts{Lines: 3*n + 10, Match: n, Mismatch: n, New: n, Missing: 4, Unreadable: 5, Malformed: 1, Problems: n + 10, Bytes: bytes}); counts != want {
		t.Errorf("got  %+v\nwant %+v", counts, want)
	}
}

// The size that a list says is still there if the results are a list: an object that
// was cut short meanwhile is not new.
func TestResultsKeepTheListsSize(t *testing.T) {
	dir := t.TempDir()
	file := storetest.WriteFile(t, dir, "file", []byte("1234567"))
	for _, tt := range []struct {
		name    string
		size    int64
		outcome Outcome
	}{
		{file, 7, New},
		{file, 9, Mismatch},
		{dir + "/none", 9, Missing},
		{dir + "/none", 0, Missing},
		{dir + "/none", -1, Missing},
		{dir, 9, Unreadable},
	} {
		next := func() (e list.Entry, err error) {
			if tt.name == "" {
				return e, io.EOF
			}
			e = list.Entry{Line: 1, Name: tt.name, Size: tt.size}
			tt.name = ""
			return e, nil
		}
		want := list.Entry{Line: 1, Name: tt.name, Size: tt.size}
		if tt.outcome == New {
			want.SHA256 = sum([]byte("1234567"))
		}
		err := newChecker(t, nil, nil).Run(t.Context(), next, func(r *Result) error {
			e, err := list.ParseEntry(string(r.Append(nil)))
			e.Modified = time.Time{} // of what was read
			if err != nil || r.Outcome != tt.outcome || e != want {
				t.Errorf("%s: got %+v, %v, want %+v", r.Outcome, e, err, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Append writes what encoding/json does.
func TestAppend(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC)
	for _, r := range []Result{
		{},
		{Line: 7, Name: "s3://b/k", Outcome: Mismatch, SHA256: sum(nil), Expected: sum([]byte{1}), Size: 123},
		{Name: "<a&b>", Error: "x"},
		{Name: `quo"te`}, {Name: `back\slash`}, {Name: "new\nline"}, {Name: "\x7f"}, {Name: "é"}, {Name: "a", Error: "é"},
		{Name: "\ufffd", NameBytes: []byte("\xff")},
		{Name: "v", Version: "1", PartSize: 5},
		{Name: "a", Expected: "md5:0", Computed: "md5:1"},
		{Name: "v", Version: "1", Expected: "md5:0", Computed: "md5:1"},
		{Name: "a", ETag: "0x1F"}, {Name: "a", ETag: `"`}, {Name: "a", Modified: &at}, {Name: "a", ETag: "e", Modified: &at}, {Name: "é", ETag: "e", Modified: &at},
		{Expected: "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-3"},
	} {
		if got, want := string(r.Append(nil)), string(list.AppendJSON(nil, &r)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A missing bucket is a mistake, not a million missing objects.
func TestNoBucket(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *storetest.Server) {
		c := newChecker(t, s, nil)
		c.MaxFailures = 3
		name := strings.Replace(s.Name("k"), storetest.Bucket, "other", 1)
		_, err := run(c, five(name))
		var down *DownError
		if !errors.As(err, &down) || down.Root != store.Root(name) {
			t.Errorf("got %v", err)
		}
	})
}

// A key is what it is: S3 takes any.
func TestKeys(t *testing.T) {
	s := storetest.New(t)
	for _, key := range []string{"a//b", "a/../b", "./a", "a/", "a?b#c", `a\b`} {
		s.Put(key, []byte(key))
		if r := check(t, newChecker(t, s, nil), list.Entry{Name: s.Name(key)})[0]; r.SHA256 != sum([]byte(key)) {
			t.Errorf("got %+v", r)
		}
	}
}

func five(name string) []list.Entry { return slices.Repeat([]list.Entry{{Name: name}}, 5) }

func TestNameOfOtherBytes(t *testing.T) {
	path := storetest.WriteFile(t, t.TempDir(), "a", []byte("x"))
	if os.Link(path, path+"\xff") != nil {
		t.Skip("names are UTF-8 here")
	}
	r := check(t, newChecker(t, nil, nil), list.Entry{Name: path + "\xff"})[0]
	if r.Outcome != New || r.FullName() != path+"\xff" {
		t.Errorf("got %+v", r)
	}
}

// TestFaults is the table of what may befall a store, and of what becomes of
// the objects in it.
func TestFaults(t *testing.T) { storetest.Each(t, testFaults) }

func testFaults(t *testing.T, s *storetest.Server) {
	short, long := storetest.Bytes(1, 50_000), storetest.Bytes(2, 3*maxChunk)
	for _, tt := range []struct {
		name      string
		fault     func(s *storetest.Server, key string, nth int) storetest.Fault
		want      Outcome
		wantError string        // is in it
		requests  int64         // that both objects take; 0: any number
		stall     time.Duration // after which the worker gives a request up; 0: a minute
	}{
		{name: "none", want: Match, requests: 2},
		{name: "latency", want: Match, requests: 2, fault: func(*storetest.Server, string, int) storetest.Fault {
			return storetest.Fault{Latency: 50 * time.Millisecond}
		}},
		{name: "503 twice", want: Match, requests: 6, fault: func(_ *storetest.Server, _ string, nth int) storetest.Fault {
			if nth < 2 {
				return storetest.Fault{Status: 503}
			}
			return storetest.Fault{}
		}},
		{name: "always 503", want: Unreadable, wantError: "503", requests: 10, fault: func(*storetest.Server, string, int) storetest.Fault {
			return storetest.Fault{Status: 503}
		}},
		{name: "forbidden", want: Unreadable, wantError: "403", requests: 2, fault: func(*storetest.Server, string, int) storetest.Fault {
			return storetest.Fault{Status: 403}
		}},
		{name: "no response", want: Match, requests: 4, fault: func(_ *storetest.Server, _ string, nth int) storetest.Fault {
			if nth == 0 {
				return storetest.Fault{Cut: -1}
			}
			return storetest.Fault{}
		}},
		{name: "a body cut again and again", want: Match, fault: func(_ *storetest.Server, key string, nth int) storetest.Fault {
			return storetest.Fault{Cut: 20_000 + nth}
		}},
		{name: "a body cut, and nothing after it", want: Unreadable, wantError: "after 20000 of", requests: 10, fault: func(_ *storetest.Server, key string, nth int) storetest.Fault {
			if nth == 0 {
				return storetest.Fault{Cut: 20_000}
			}
			return storetest.Fault{Cut: -1}
		}},
		{name: "stalled", want: Match, requests: 4, stall: 3 * time.Second, fault: func(_ *storetest.Server, key string, nth int) storetest.Fault {
			if nth == 0 {
				return storetest.Fault{Stall: time.Hour}
			}
			return storetest.Fault{}
		}},
		{name: "never an answer in time", want: Unreadable, wantError: "nothing for too long", requests: 10, stall: 500 * time.Millisecond, fault: func(*storetest.Server, string, int) storetest.Fault {
			return storetest.Fault{Latency: time.Hour}
		}},
		{name: "never a response", want: Unreadable, wantError: "/", fault: func(*storetest.Server, string, int) storetest.Fault {
			return storetest.Fault{Cut: -1}
		}},
		{name: "cut and changed", want: Unreadable, wantError: "changed while it was read", requests: 4, fault: func(s *storetest.Server, key string, nth int) storetest.Fault {
			return storetest.Fault{Cut: 10_000, Then: func() { s.Put(key, storetest.Bytes(9, len(s.Get(key)))) }}
		}},
		{name: "cut and removed", want: Unreadable, wantError: "changed while it was read", requests: 4, fault: func(s *storetest.Server, key string, nth int) storetest.Fault {
			return storetest.Fault{Cut: 10_000, Then: func() { s.Delete(key) }}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.Put("short", short)
			s.Put("long", long)
			s.Requests.Store(0)
			s.Faults(nil)
			if tt.fault != nil {
				s.Faults(func(key string, nth int) storetest.Fault { return tt.fault(s, key, nth) })
			}
			c := newChecker(t, s, func(o *store.Options) {
				if tt.stall > 0 {
					o.Stall = tt.stall
				}
			})
			for _, r := range check(t, c,
				list.Entry{Name: s.Name("short"), SHA256: sum(short)}, list.Entry{Name: s.Name("long"), SHA256: sum(long)}) {
				if r.Outcome != tt.want || !strings.Contains(r.Error, tt.wantError) || (tt.wantError == "") != (r.Error == "") {
					t.Errorf("got %+v", r)
				}
				if r.Retry != (r.Outcome == Unreadable) {
					t.Errorf("the next run may read it: %v: %+v", r.Retry, r)
				}
			}
			if n := s.Requests.Load(); tt.requests != 0 && n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
		})
	}
}

// What is written again as it was is still the same object where the ETag comes
// from the contents.
func TestWrittenAgain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *storetest.Server) {
		data := storetest.Bytes(1, 50_000)
		s.Put("k", data)
		s.Faults(func(key string, nth int) storetest.Fault {
			if nth > 0 {
				return storetest.Fault{}
			}
			return storetest.Fault{Cut: 10_000, Then: func() { s.Put(key, data) }}
		})
		want := Unreadable
		if strings.HasPrefix(s.Name("k"), "s3:") {
			want = Match
		}
		if r := check(t, newChecker(t, s, nil), list.Entry{Name: s.Name("k"), SHA256: sum(data)})[0]; r.Outcome != want {
			t.Errorf("got %+v, want %s", r, want)
		}
	})
}

// TestResume tests that what was read is not read again.
func TestResume(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *storetest.Server) {
		data := storetest.Bytes(1, 20*maxChunk)
		s.Put("k", data)
		s.Faults(func(string, int) storetest.Fault { return storetest.Fault{Cut: 2*maxChunk + 5} })
		r := check(t, newChecker(t, s, nil), list.Entry{Name: s.Name("k")})[0]
		if r.SHA256 != sum(data) {
			t.Errorf("got %+v", r)
		}
		// On a busy machine, a connection that ends may lose what is under way: a chunk is then
		// read again.
		if n := s.Requests.Load(); n < 10 || n > 12 {
			t.Errorf("%d requests of at most %d bytes for %d", n, 2*maxChunk+5, len(data))
		}
	})
}

// A file that is written to while it is read has no digest. These files were not just
// written to, which would have them read again.
func TestFileChanges(t *testing.T) {
	tests := []struct {
		name   string
		size   int
		change func(path string) error
	}{
		{"grown", 8 * maxChunk, func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("more")
			return errors.Join(err, f.Close())
		}},
		// Short enough to be read whole, in two reads.
		{"short and grown", 100_000, func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("more")
			return errors.Join(err, f.Close())
		}},
		{"truncated", 8 * maxChunk, func(path string) error { return os.Truncate(path, 10) }},
		{"other contents", 8 * maxChunk, func(path string) error {
			return errors.Join(os.WriteFile(path, make([]byte, 8*maxChunk), 0o666), os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)))
		}},
	}
	dir := t.TempDir()
	for _, tt := range tests {
		storetest.WriteFile(t, dir, tt.name, storetest.Bytes(1, tt.size))
	}
	time.Sleep(2100 * time.Millisecond)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.name)
			c := newChecker(t, nil, func(o *store.Options) {
				if tt.size < maxChunk {
					o.BytesPerSecond = 650_000 // which makes reads of 64 KiB
				}
			})
			var once atomic.Bool
			c.OnRead = func(int) {
				if !once.Swap(true) {
					if err := tt.change(path); err != nil {
						t.Error(err)
					}
				}
			}
			if r := check(t, c, list.Entry{Name: path})[0]; r.Outcome != Unreadable || r.Error != "changed while it was read" || r.Size != -1 {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// TestDown tests that a store that fails ends the work, and objects that do not
// exist do not.
func TestDown(t *testing.T) {
	s := storetest.New(t)
	c := newChecker(t, s, func(o *store.Options) { o.Retries = 1 })
	c.MaxFailures = 20
	var entries []list.Entry
	for i := range 500 {
		entries = append(entries, list.Entry{Name: s.Name(fmt.Sprint(i))})
	}
	for _, r := range check(t, c, entries...) {
		if r.Outcome != Missing {
			t.Fatalf("got %+v", r)
		}
	}
	// Nor do objects that nobody could read.
	s.Put("k", nil)
	for _, e := range []list.Entry{
		{Name: "http://x/y"}, {Name: "s3://"}, {Name: t.TempDir()}, {Name: "f", Version: "1"},
		{Name: s.Name("k"), SHA256: "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-3"},
	} {
		for _, r := range check(t, c, slices.Repeat([]list.Entry{e}, 50)...) {
			if r.Outcome != Unreadable {
				t.Fatalf("got %+v", r)
			}
		}
	}
	s.Faults(func(string, int) storetest.Fault { return storetest.Fault{Status: 503} })
	results, err := run(c, entries)
	var down *DownError
	if !errors.As(err, &down) || down.Failures < 20 || len(results) > 100 {
		t.Errorf("%d results, %v", len(results), err)
	}
}

func TestTenThousand(t *testing.T) {
	s := storetest.New(t)
	var entries []list.Entry
	for i := range 10_000 {
		data := storetest.Bytes(uint64(i), 16+i%4096)
		s.Put(fmt.Sprint(i), data)
		entries = append(entries, list.Entry{Name: s.Name(fmt.Sprint(i)), SHA256: sum(data)})
	}
	// Now and then something goes wrong.
	s.Faults(func(key string, nth int) storetest.Fault {
		switch {
		case nth > 0:
		case strings.HasSuffix(key, "77"):
			return storetest.Fault{Status: 503}
		case strings.HasSuffix(key, "88"):
			return storetest.Fault{Cut: 10}
		}
		return storetest.Fault{}
	})
	c := newChecker(t, s, nil)
	c.Readers = 64
	for _, r := range check(t, c, entries...) {
		if r.Outcome != Match {
			t.Fatalf("got %+v", r)
		}
	}
}

// zeros5GiB is the digest of 5 GiB of zeros, by coreutils.
const zeros5GiB = "7f06c62352aebd8125b2a1841e2b9e1ffcbed602f381c3dcb3200200e383d1d5"

func TestFiveGiB(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const size = 5 << 30
	s := storetest.New(t)
	s.PutZeros("zeros", size)
	s.Faults(func(string, int) storetest.Fault { return storetest.Fault{Cut: 1 << 30} })
	path := filepath.Join(t.TempDir(), "zeros")
	if err := errors.Join(os.WriteFile(path, nil, 0o666), os.Truncate(path, size)); err != nil {
		t.Fatal(err)
	}
	for _, r := range check(t, newChecker(t, s, nil), list.Entry{Name: s.Name("zeros")}, list.Entry{Name: path}) {
		if r.SHA256 != zeros5GiB || r.Size != size {
			t.Errorf("got %+v", r)
		}
	}
}

func TestComposite(t *testing.T) {
	s := storetest.New(t)
	c := newChecker(t, s, nil)
	const mib = 1 << 20
	for _, tt := range []struct {
		size, partSize int
		given          int64 // the length of parts in the list
		want           Outcome
		says           string // in the error
	}{
		{size: 20 * mib, partSize: 8 * mib, want: Match},
		{size: 20*mib + 1, partSize: 5 * mib, want: Match},
		{size: 16 * mib, partSize: 8 * mib, want: Match},
		{size: 100, partSize: 8 * mib, want: Match},
		{size: 0, partSize: 8 * mib, want: Match},
		{size: 11 * mib, partSize: 7 * mib, want: Match}, // of 8, 10 and 7 it is the third
		{size: 5000, partSize: 999, given: 999, want: Match},
		{size: 5000, partSize: 999, want: Unreadable, says: "no usual part length"},
		{size: 5000, partSize: 1000, given: 1001, want: Mismatch, says: "parts of 1001 bytes: S3 takes at least 5242880"},
		{size: 11 * mib, partSize: 6 * mib, given: 7 * mib, want: Mismatch},
		{size: 2 * maxParts, partSize: 2, given: 2, want: Match},
		{size: 2*maxParts + 1, partSize: 2, given: 2, want: Unreadable, says: "are more than 10000 parts of 2"},
	} {
		t.Run(fmt.Sprintf("%d/%d", tt.size, tt.partSize), func(t *testing.T) {
			data := storetest.Bytes(uint64(tt.size), tt.size)
			s.Put("k", data)
			want, err := composite.Sum(context.Background(), strings.NewReader(string(data)), int64(tt.size), int64(tt.partSize))
			if err != nil {
				t.Fatal(err)
			}
			r := check(t, c, list.Entry{Name: s.Name("k"), SHA256: want.String(), PartSize: tt.given})[0]
			if r.Outcome != tt.want || r.Outcome == Match && r.SHA256 != want.String() ||
				(r.Error == "") != (tt.says == "") || !strings.Contains(r.Error, tt.says) {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// TestLimits tests that the limits hold, and that reads come near to them.
func TestLimits(t *testing.T) {
	s := storetest.New(t)
	var entries []list.Entry
	for i := range 60 {
		s.Put(fmt.Sprint(i), make([]byte, 10_000))
		entries = append(entries, list.Entry{Name: s.Name(fmt.Sprint(i))})
	}
	for _, tt := range []struct {
		name   string
		change func(*store.Options)
	}{
		{"requests", func(o *store.Options) { o.RequestsPerSecond = 60 }},
		{"bytes", func(o *store.Options) { o.BytesPerSecond = 600_000 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			check(t, newChecker(t, s, tt.change), entries...)
			// A tenth of a second's worth may come at once, or 64 KiB.
			if d := time.Since(start); d < 800*time.Millisecond || d > time.Minute {
				t.Errorf("took %v, want a second", d)
			}
		})
	}
}

// TestStops tests that errors of the list and of the output, and the end of the
// context, end the work.
func TestStops(t *testing.T) {
	c := newChecker(t, nil, nil)
	path := storetest.WriteFile(t, t.TempDir(), "f", []byte("x"))
	broken := errors.New("broken")
	forever := func() (list.Entry, error) { return list.Entry{Name: path}, nil }
	n := 0
	for _, tt := range []struct {
		name string
		run  func(context.Context, context.CancelCauseFunc) error
	}{
		{"list", func(ctx context.Context, _ context.CancelCauseFunc) error {
			return c.Run(ctx, func() (list.Entry, error) { return list.Entry{}, broken }, func(*Result) error { return nil })
		}},
		{"output", func(ctx context.Context, _ context.CancelCauseFunc) error {
			return c.Run(ctx, forever, func(*Result) error { return broken })
		}},
		{"context", func(ctx context.Context, cancel context.CancelCauseFunc) error {
			return c.Run(ctx, forever, func(*Result) error {
				if n++; n == 100 {
					cancel(broken)
				}
				return nil
			})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			if err := tt.run(ctx, cancel); !errors.Is(err, broken) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// one returns a list of one entry.
func one(e list.Entry) func() (list.Entry, error) {
	ended := false
	return func() (list.Entry, error) {
		if ended {
			return list.Entry{}, io.EOF
		}
		ended = true
		return e, nil
	}
}

// A thousand missing objects in a row are a file system that is not mounted. One
// that is there begins the row again.
func TestMissingInARow(t *testing.T) {
	dir, s := t.TempDir(), storetest.New(t)
	there := storetest.WriteFile(t, dir, "there", nil)
	gone := list.Entry{Name: dir + "/gone"}
	for _, tt := range []struct {
		name    string
		entries []list.Entry
		max     int
		down    bool
	}{
		{"as many", slices.Repeat([]list.Entry{gone}, 10), 10, true},
		{"one fewer", slices.Repeat([]list.Entry{gone}, 9), 10, false},
		{"any number", slices.Repeat([]list.Entry{gone}, 100), 0, false},
		{"others in between", slices.Repeat(append(slices.Repeat([]list.Entry{gone}, 9), list.Entry{Name: there}), 5), 10, false},
		{"other stores", append(slices.Repeat([]list.Entry{gone}, 9), list.Entry{Name: "http://x/y"}), 10, false},
		{"objects, which their store says it does not have", slices.Repeat([]list.Entry{{Name: s.Name("gone")}}, 100), 10, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChecker(t, s, nil)
			c.Readers, c.MaxMissing = 1, tt.max
			_, err := run(c, tt.entries)
			var down *DownError
			if errors.As(err, &down) != tt.down || tt.down && !strings.Contains(err.Error(), "10 files of file:// in a row are missing: is their file system mounted? If it is, use --max-missing 0 ") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// What a cancel breaks off has no outcome: it may be whole.
func TestCancelledReadsHaveNoOutcome(t *testing.T) {
	s := storetest.New(t)
	s.Put("k", storetest.Bytes(1, 50_000))
	s.Faults(func(string, int) storetest.Fault { return storetest.Fault{Stall: time.Hour} })
	c := newChecker(t, s, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.OnRead = func(int) { cancel() }
	err := c.Run(ctx, one(list.Entry{Name: s.Name("k"), Size: -1}), func(r *Result) error {
		t.Errorf("got %+v", r)
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// An output that failed is not written to again.
func TestDoneIsNotCalledAfterItFailed(t *testing.T) {
	path := storetest.WriteFile(t, t.TempDir(), "f", []byte("x"))
	calls := 0
	broken := errors.New("broken")
	err := newChecker(t, nil, nil).Run(t.Context(), func() (list.Entry, error) { return list.Entry{Name: path, Size: -1}, nil }, func(*Result) error {
		calls++
		time.Sleep(100 * time.Millisecond) // others come to wait
		return broken
	})
	if calls != 1 || !errors.Is(err, broken) {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// Failures have to be in a row: what was read in between, or is missing, begins it
// again, as the store has answered.
func TestFailuresInARow(t *testing.T) {
	s := storetest.New(t)
	s.Put("good", nil)
	s.Faults(func(key string, _ int) storetest.Fault {
		if strings.HasPrefix(key, "bad") {
			return storetest.Fault{Status: 503}
		}
		return storetest.Fault{}
	})
	for _, between := range []string{"good", "missing"} {
		var entries []list.Entry
		for i := range 20 {
			entries = append(entries, list.Entry{Name: s.Name(fmt.Sprint("bad", i))}, list.Entry{Name: s.Name(between)})
		}
		c := newChecker(t, s, func(o *store.Options) { o.Retries = 0 })
		c.Readers, c.MaxFailures = 1, 2
		check(t, c, entries...)
	}
}

// Failures in a row go on from list to list.
func TestRowsGoOn(t *testing.T) {
	s := storetest.New(t)
	s.Put("good", nil)
	s.Faults(func(key string, _ int) storetest.Fault {
		if key == "bad" {
			return storetest.Fault{Status: 403}
		}
		return storetest.Fault{}
	})
	var rows Rows
	for i, step := range []struct {
		key  string
		want int // failures after it; the third in a row ends the work
	}{{"bad", 1}, {"bad", 2}, {"good", 0}, {"bad", 1}, {"bad", 2}, {"bad", 3}} {
		c := newChecker(t, s, nil)
		c.MaxFailures, c.Rows = 3, rows
		_, err := run(c, []list.Entry{{Name: s.Name(step.key)}})
		var down *DownError
		if got := c.Rows["s3://bucket"].Failures; got != step.want || errors.As(err, &down) != (got == 3) {
			t.Errorf("step %d: %d in a row, %v", i, got, err)
		}
		rows = c.Rows
	}
}

// An error is one line, whatever the store said.
func TestReasonIsOneLine(t *testing.T) {
	if got := reason(errors.New("a\n\tb \r\n c")); got != "a b c" {
		t.Errorf("got %q", got)
	}
}

// Counts has the length of all that has a digest.
func TestCounts(t *testing.T) {
	var c Counts
	c.Add(&Result{Outcome: Match, SHA256: "x", Size: 5})
	c.Add(&Result{Outcome: Mismatch, SHA256: "x", Size: 7})
	c.Add(&Result{Outcome: Missing, Size: -1})
	want := Counts{Lines: 3, Match: 1, Mismatch: 1, Missing: 1, Problems: 2, Bytes: 12}
	if c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
	sum := c
	sum.AddCounts(&c)
	if sum != (Counts{Lines: 6, Match: 2, Mismatch: 2, Missing: 2, Problems: 4, Bytes: 24}) {
		t.Errorf("got %+v", sum)
	}
}

// A mismatch of a composite checksum has the checksum for the likeliest length of
// parts.
func TestCompositeMismatchIsOfTheLikeliestParts(t *testing.T) {
	const mib = 1 << 20
	data := storetest.Bytes(1, 11*mib) // two parts of 8, 10 or 7 MiB
	path := storetest.WriteFile(t, t.TempDir(), "f", data)
	want, err := composite.Sum(context.Background(), strings.NewReader(string(data)), int64(len(data)), 8*mib)
	if err != nil {
		t.Fatal(err)
	}
	r := check(t, newChecker(t, nil, nil), list.Entry{Name: path, SHA256: "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-2"})[0]
	if r.Outcome != Mismatch || r.SHA256 != want.String() || r.PartSize != 8*mib || !strings.Contains(r.Error, "no proof of damage: parts of usual lengths") {
		t.Errorf("got %+v, want %s", r, want)
	}
}

// An object that is read once for each length of parts has the same size each time.
func TestCompositeOfAnotherSize(t *testing.T) {
	const mib = 1 << 20
	s := storetest.New(t)
	s.Put("k", storetest.Bytes(1, 11*mib))
	s.Faults(func(key string, nth int) storetest.Fault {
		if nth > 0 {
			return storetest.Fault{}
		}
		return storetest.Fault{Then: func() { s.Put(key, storetest.Bytes(1, 12*mib)) }}
	})
	r := check(t, newChecker(t, s, nil), list.Entry{Name: s.Name("k"), SHA256: "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-2"})[0]
	if r.Outcome != Unreadable || r.Error != store.ErrChanged.Error() {
		t.Errorf("got %+v", r)
	}
}
