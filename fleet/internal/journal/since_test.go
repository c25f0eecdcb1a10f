package journal

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
)

// Unchanged since an earlier run is what was as it should be, of which list and results
// know something, and of which they know the same.
func TestSince(t *testing.T) {
	ctx, earlier := t.Context(), newJournal(t)
	plan, err := earlier.Split(ctx, Split{Shards: 1}, entries(1, 1, 1, 1, 1, 1, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2020, 1, 2, 3, 4, 5, 6e6, time.UTC)
	later, seconds := at.Add(time.Millisecond), at.Truncate(time.Second)
	const composite = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-3"
	write(t, earlier, plan.Shards[0],
		&fixity.Result{Line: 1, Name: "match", Outcome: fixity.Match, SHA256: zeros, Expected: zeros, Size: 5, ETag: "e", Modified: &at},
		&fixity.Result{Line: 2, Name: "new", Outcome: fixity.New, SHA256: zeros, Size: 5, Version: "v"},
		&fixity.Result{Line: 3, Name: "mismatch", Outcome: fixity.Mismatch, SHA256: ones, Expected: zeros, Size: 5, ETag: "e"},
		&fixity.Result{Line: 4, Name: "", Outcome: fixity.Malformed, Size: -1, Error: "why"},
		&fixity.Result{Line: 5, Name: "null", Outcome: fixity.New, SHA256: zeros, Size: 5, Version: "null"},
		&fixity.Result{Line: 7, Name: "s3://b/seconds", Outcome: fixity.New, SHA256: zeros, Size: 5, Modified: &seconds},
		&fixity.Result{Line: 8, Name: "seconds", Outcome: fixity.New, SHA256: zeros, Size: 5, Modified: &seconds},
		&fixity.Result{Line: 6, Name: "composite", Outcome: fixity.Match, SHA256: composite, Expected: composite, Size: 5, ETag: "e"},
	)
	for _, tt := range []struct {
		name  string
		entry list.Entry
		want  string // outcome and expected digest, or "" if it is checked again
	}{
		{"the same", list.Entry{Name: "match", SHA256: zeros, Size: 5, ETag: "e", Modified: at}, "match " + zeros},
		{"the same, of a new digest", list.Entry{Name: "match", Size: 5, ETag: "e", Modified: at}, "new "},
		{"the ETag alone", list.Entry{Name: "match", Size: -1, ETag: "e"}, "new "},
		{"the time alone, in another zone", list.Entry{Name: "match", Size: 5, Modified: at.In(time.FixedZone("", 3600))}, "new "},
		{"the time alone, and none of the earlier list", list.Entry{Name: "composite", SHA256: composite, Size: 5, Modified: at}, ""},
		{"nothing known", list.Entry{Name: "match", SHA256: zeros, Size: -1}, ""},
		{"the size alone", list.Entry{Name: "match", SHA256: zeros, Size: 5}, ""},
		{"the time to the second", list.Entry{Name: "s3://b/seconds", Size: 5, Modified: at}, "new "},
		{"another second", list.Entry{Name: "s3://b/seconds", Size: 5, Modified: at.Add(time.Second)}, ""},
		{"the second before", list.Entry{Name: "s3://b/seconds", Size: 5, Modified: at.Truncate(time.Second).Add(-1)}, ""},
		{"the time to the second, of a file", list.Entry{Name: "seconds", Size: 5, Modified: at}, ""},
		{"another size", list.Entry{Name: "match", Size: 6, ETag: "e", Modified: at}, ""},
		{"a smaller size", list.Entry{Name: "match", Size: 4, ETag: "e"}, ""},
		{"another digest", list.Entry{Name: "match", SHA256: ones, Size: 5, ETag: "e"}, ""},
		{"another ETag", list.Entry{Name: "match", Size: 5, ETag: "f", Modified: at}, ""},
		{"a later time", list.Entry{Name: "match", Size: 5, ETag: "e", Modified: later}, ""},
		{"an earlier time, which another clock may have given", list.Entry{Name: "match", Size: 5, Modified: at.Add(-time.Hour)}, ""},
		{"a version", list.Entry{Name: "new", Version: "v", Size: 5}, "new "},
		{"a version with a digest", list.Entry{Name: "new", Version: "v", SHA256: zeros, Size: 5}, "match " + zeros},
		{"a version without a size, as in a manifest", list.Entry{Name: "new", Version: "v", SHA256: zeros, Size: -1}, ""},
		{"another version", list.Entry{Name: "new", Version: "w", Size: 5}, ""},
		{"no version", list.Entry{Name: "new", Size: 5, ETag: "e", Modified: at}, ""},
		{"the null version, which can be replaced", list.Entry{Name: "null", Version: "null", Size: 5}, ""},
		{"a mismatch", list.Entry{Name: "mismatch", Size: 5, ETag: "e"}, ""},
		{"another object", list.Entry{Name: "other", Size: 5, ETag: "e"}, ""},
		{"a malformed line", list.Entry{Name: "match", Size: -1, ETag: "e", Malformed: "why"}, ""},
		{"a delete marker", list.Entry{Name: "new", Version: "v", Size: -1, Deleted: true}, ""},
		{"a composite checksum", list.Entry{Name: "composite", Size: 5, SHA256: composite, ETag: "e"}, "match " + composite},
		{"a composite checksum in the place of a digest", list.Entry{Name: "composite", Size: 5, ETag: "e"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := newJournal(t)
			plan, err := j.Split(ctx, Split{Shards: 1, Since: earlier}, named(tt.entry))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if err := j.readUnchanged(ctx, plan, func(r *fixity.Result) error {
				got += string(r.Outcome) + " " + r.Expected
				if r.Line != 1 || r.FullName() != tt.entry.Name {
					t.Errorf("got %+v", r)
				}
				return nil
			}); err != nil || got != tt.want || plan.Lines+plan.Unchanged.Lines != 1 || (plan.Lines == 0) != (tt.want != "") {
				t.Errorf("got %q, %+v, %v, want %q", got, plan, err, tt.want)
			}
		})
	}
}

// An object whose results contradict each other, or one of which is a problem, is read again,
// whichever result of its is the last and in whichever run.
func TestSinceOfContradictions(t *testing.T) {
	ctx := t.Context()
	const third, half = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-3", "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-2"
	res := func(outcome fixity.Outcome, digest, expected string) fixity.Result {
		return fixity.Result{Name: "k", Outcome: outcome, SHA256: digest, Expected: expected, Size: 5, ETag: "e"}
	}
	version := res(fixity.Mismatch, ones, zeros)
	version.Version = "v"
	for _, tt := range []struct {
		name      string
		results   []fixity.Result // one a shard
		unchanged bool
	}{
		{"alike", []fixity.Result{res(fixity.New, zeros, ""), res(fixity.New, zeros, "")}, true},
		{"expected and new", []fixity.Result{res(fixity.Match, zeros, zeros), res(fixity.New, zeros, "")}, true},
		{"two digests", []fixity.Result{res(fixity.New, zeros, ""), res(fixity.New, ones, "")}, false},
		{"two digests, one thrice", []fixity.Result{res(fixity.New, zeros, ""), res(fixity.New, ones, ""), res(fixity.New, zeros, "")}, false},
		{"a mismatch after a match", []fixity.Result{res(fixity.Match, zeros, zeros), res(fixity.Mismatch, ones, zeros)}, false},
		{"a match after a mismatch", []fixity.Result{res(fixity.Mismatch, ones, zeros), res(fixity.Match, zeros, zeros)}, false},
		{"a problem without a digest", []fixity.Result{res(fixity.New, zeros, ""), res(fixity.Unreadable, "", "")}, false},
		{"a problem of a version", []fixity.Result{res(fixity.New, zeros, ""), version}, true},
		{"checksums of other parts", []fixity.Result{res(fixity.Match, third, third), res(fixity.Match, half, half), res(fixity.New, zeros, "")}, true},
		{"two digests and checksums of parts", []fixity.Result{res(fixity.Match, third, third), res(fixity.New, ones, ""), res(fixity.New, zeros, "")}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			earlier := newJournal(t)
			const size = 1 << 40 // so that each line is a shard
			var lines []list.Entry
			for _, r := range tt.results {
				lines = append(lines, list.Entry{Name: r.Name, Version: r.Version, Size: size})
			}
			lines = append(lines, list.Entry{Name: "other", Size: size})
			plan, err := earlier.Split(ctx, Split{Shards: len(lines)}, named(lines...))
			if err != nil || len(plan.Shards) != len(lines) {
				t.Fatalf("got %+v, %v", plan, err)
			}
			for i, r := range append(tt.results, fixity.Result{Name: "other", Outcome: fixity.New, SHA256: ones, Size: 5, ETag: "o"}) {
				r.Line = int64(i + 1)
				write(t, earlier, plan.Shards[i], &r)
			}
			want := int64(1)
			if tt.unchanged {
				want = 2
			}
			next := func() func() (list.Entry, error) {
				return named(list.Entry{Name: "k", Size: 5, ETag: "e"}, list.Entry{Name: "other", Size: 5, ETag: "o"})
			}
			if plan, err := newJournal(t).Split(ctx, Split{Shards: 1, Since: earlier}, next()); err != nil || plan.Unchanged.Lines != want {
				t.Errorf("got %+v, %v, want %d unchanged", plan, err, want)
			}
		})
	}
}

// An object that a list names very often is one: it takes neither memory nor time for
// each two of its lines.
func TestSinceOfOneObject(t *testing.T) {
	ctx, earlier := t.Context(), newJournal(t)
	const n = 50_000
	next := func() func() (list.Entry, error) {
		return named(slices.Repeat([]list.Entry{{Name: "k", Size: 1, ETag: "e"}}, n)...)
	}
	plan, err := earlier.Split(ctx, Split{Shards: 1}, next())
	if err != nil {
		t.Fatal(err)
	}
	var results []*fixity.Result
	for i := range n {
		results = append(results, &fixity.Result{Line: int64(i + 1), Name: "k", Outcome: fixity.New, SHA256: zeros, Size: 1, ETag: "e"})
	}
	write(t, earlier, plan.Shards[0], results...)
	if plan, err = newJournal(t).Split(ctx, Split{Shards: 1, Since: earlier}, next()); err != nil || plan.Unchanged.Lines != n {
		t.Errorf("got %+v, %v", plan, err)
	}
}

// A run reaches back over any number of runs, and has a whole manifest. What it left
// out is in no list twice, and keeps its place.
func TestSinceOverRuns(t *testing.T) {
	ctx := t.Context()
	const n = sinceChunk + 100
	etags := make([]int, n)
	next := func() func() (list.Entry, error) {
		all := make([]list.Entry, n)
		for i := range all {
			all[i] = list.Entry{Name: fmt.Sprintf("%06d", (i*7919)%n), Size: 1, ETag: fmt.Sprint(etags[i])}
		}
		return named(all...)
	}
	var earlier *Journal
	for run := range 4 {
		j := newJournal(t)
		etags[run*1000] = run // one object has changed
		plan, err := j.Split(ctx, Split{Shards: 3, Since: earlier}, next())
		if err != nil {
			t.Fatal(err)
		}
		if again, err := j.Split(ctx, Split{Shards: 3, Since: earlier}, next()); err != nil || !plan.sameLines(again) {
			t.Fatalf("again: %+v, %v", again, err)
		}
		if want := int64(min(run, 1)); plan.Unchanged.Lines != want*(n-1) || plan.Lines != n-want*(n-1) {
			t.Fatalf("run %d: %+v", run, plan)
		}
		for _, s := range plan.Shards {
			var results []*fixity.Result
			for line := range strings.Lines(read(t, j, j.ShardName(s))) {
				e, err := list.ParseEntry(line)
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, &fixity.Result{Line: e.Line, Name: e.Name, Outcome: fixity.New, SHA256: fmt.Sprintf("%064d", run), Size: 1, ETag: e.ETag})
			}
			write(t, j, s, results...)
		}
		report, err := j.Report(ctx, -1)
		if err != nil || !report.Complete || report.Lines+report.Unchanged != n {
			t.Fatalf("run %d: %+v, %v", run, report, err)
		}
		manifest := read(t, j, j.URL+"/report/SHA256SUMS")
		if got := strings.Count(manifest, "\n"); got != n {
			t.Errorf("run %d: %d lines in the manifest", run, got)
		}
		for r := 1; r <= run; r++ {
			if got := strings.Count(manifest, fmt.Sprintf("%064d  ", r)); got != 1 {
				t.Errorf("run %d: %d digests of run %d", run, got, r)
			}
		}
		earlier = j
	}
	// Without the results of what has not changed, no report is complete.
	plan, err := earlier.Plan(ctx)
	if err != nil {
		t.Fatal(err)
	}
	name := earlier.unchangedName(plan.Unchanged.Digest)
	if err := earlier.Store.Remove(ctx, name); err != nil {
		t.Fatal(err)
	}
	if report, err := earlier.Report(ctx, -1); err == nil || !strings.Contains(err.Error(), "'fleetsum split' makes it again") {
		t.Errorf("got %+v, %v", report, err)
	}
}

// A plan keeps what it left out, whatever the earlier run finds later. Another earlier run
// leaves out other lines.
func TestSinceOfARunThatContinues(t *testing.T) {
	ctx, earlier, j := t.Context(), newJournal(t), newJournal(t)
	next := func() func() (list.Entry, error) {
		return named(list.Entry{Name: "a", Size: 1, ETag: "e"}, list.Entry{Name: "b", Size: 1, ETag: "e"})
	}
	first, err := earlier.Split(ctx, Split{Shards: 2}, next())
	if err != nil || len(first.Shards) != 2 {
		t.Fatalf("got %+v, %v", first, err)
	}
	found := func(name string) *fixity.Result {
		return &fixity.Result{Line: 1, Name: name, Outcome: fixity.New, SHA256: zeros, Size: 1, ETag: "e"}
	}
	write(t, earlier, first.Shards[0], found("a"))
	plan, err := j.Split(ctx, Split{Shards: 1, Since: earlier}, next())
	if err != nil || plan.Unchanged.Lines != 1 {
		t.Fatalf("got %+v, %v", plan, err)
	}
	again := func(when string) {
		t.Helper()
		if got, err := j.Split(ctx, Split{Shards: 1, Since: earlier}, next()); err != nil || !reflect.DeepEqual(got, plan) {
			t.Errorf("%s: got %+v, %v, want %+v", when, got, err, plan)
		}
		if report, err := j.Report(ctx, -1); err != nil || report.Unchanged != 1 {
			t.Errorf("%s: got %+v, %v", when, report, err)
		}
	}
	unchanged := j.unchangedName(plan.Unchanged.Digest)
	for when, text := range map[string]string{"removed": "", "damaged": read(t, j, unchanged)[1:]} {
		err := j.Store.Remove(ctx, unchanged)
		if err == nil && text != "" {
			err = j.Store.Write(ctx, unchanged, strings.NewReader(text))
		}
		if err != nil {
			t.Fatal(err)
		}
		again(when)
	}
	write(t, earlier, first.Shards[1], found("b"))
	again("with more results")
	copied := &Journal{Store: earlier.Store, URL: "file://" + earlier.URL}
	for name, o := range map[string]Split{"another list": {Shards: 1, Since: earlier}, "another run": {Shards: 1, Since: copied}} {
		entries := next()
		if name == "another list" {
			entries = named(list.Entry{Name: "a", Size: 1, ETag: "e"}, list.Entry{Name: "c", Size: 1, ETag: "e"})
		}
		if got, err := j.Split(ctx, o, entries); err == nil || !strings.Contains(err.Error(), "has a plan of other lines") {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	if got, err := j.Split(ctx, Split{Shards: 1, Since: earlier, Replace: true}, next()); err != nil || got.Unchanged.Lines != 2 {
		t.Errorf("replaced: got %+v, %v", got, err)
	}
}

// An earlier run whose results are damaged says of none of its objects that it is
// unchanged.
func TestSinceDamagedResults(t *testing.T) {
	ctx, earlier := t.Context(), newJournal(t)
	plan, err := earlier.Split(ctx, Split{Shards: 1}, entries(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	damaged := result(&fixity.Result{Line: 1, Name: "1", Outcome: fixity.New, SHA256: zeros, Size: 1})
	if err := earlier.WriteResult(ctx, plan.Shards[0].Digest, bytes.NewReader(damaged[:len(damaged)-5])); err != nil {
		t.Fatal(err)
	}
	if plan, err := newJournal(t).Split(ctx, Split{Shards: 1, Since: earlier}, entries(1, 1)); err == nil || !strings.Contains(err.Error(), "summary") {
		t.Errorf("got %+v, %v", plan, err)
	}
}
