package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

func newJournal(t testing.TB) *Journal {
	t.Helper()
	s, err := store.New(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &Journal{Store: s, URL: t.TempDir()}
}

func entries(sizes ...int64) func() (list.Entry, error) {
	i := 0
	return func() (list.Entry, error) {
		if i == len(sizes) {
			return list.Entry{}, io.EOF
		}
		i++
		return list.Entry{Line: int64(i), Name: fmt.Sprint(i), Size: sizes[i-1]}, nil
	}
}

// Shards have about as many bytes each, not as many lines.
func TestSplitByBytes(t *testing.T) {
	const gib = 1 << 30
	for _, tt := range []struct {
		name   string
		sizes  []int64
		shards int
		want   []int64 // lines
	}{
		{"none", nil, 4, []int64{}},
		{"one", []int64{5}, 4, []int64{1}},
		{"alike", slices.Repeat([]int64{gib}, 8), 4, []int64{2, 2, 2, 2}},
		{"a long one first", append([]int64{8 * gib}, slices.Repeat([]int64{gib}, 8)...), 4, []int64{1, 4, 4}},
		{"a long one last", append(slices.Repeat([]int64{gib}, 8), 8*gib), 2, []int64{8, 1}},
		{"empty ones cost requests", slices.Repeat([]int64{0}, 1000), 4, []int64{250, 250, 250, 250}},
		{"an absurd size", append([]int64{math.MaxInt64}, slices.Repeat([]int64{gib}, 19)...), 4, []int64{1, 19}},
		{"absurd sizes", slices.Repeat([]int64{math.MaxInt64, 1}, 20), 4, []int64{1, 39}},
		{"absurd sizes in one shard", slices.Repeat([]int64{math.MaxInt64}, 20), 1, []int64{20}},
		{"sizes not known", slices.Repeat([]int64{-1}, 10), 3, []int64{3, 4, 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := newJournal(t)
			plan, err := j.Split(context.Background(), Split{Shards: tt.shards}, entries(tt.sizes...))
			if err != nil {
				t.Fatal(err)
			}
			got := []int64{}
			var lines int64
			for _, s := range plan.Shards {
				got = append(got, s.Lines)
				lines += s.Lines
			}
			if !slices.Equal(got, tt.want) || lines != plan.Lines {
				t.Errorf("got %d of %d lines, want %d", got, plan.Lines, tt.want)
			}
			again, err := j.Split(context.Background(), Split{Shards: tt.shards + 1}, entries(tt.sizes...))
			if err != nil || !slices.Equal(again.Shards, plan.Shards) {
				t.Errorf("again: %v, %v", again, err)
			}
		})
	}
}

// A result that was cut, or is not what it says, is not relied on.
func TestReadResult(t *testing.T) {
	var good bytes.Buffer
	var counts fixity.Counts
	sum := NewSummer()
	for i := range 3 {
		r := &fixity.Result{Line: int64(i + 1), Name: "n", Outcome: fixity.New, SHA256: strings.Repeat("0", 64), Size: 5}
		counts.Add(r)
		line := r.Append(nil)
		sum.Add(r, line)
		good.Write(line)
	}
	good.Write(sum.Line())
	none := func(*fixity.Result) error { return nil }
	if got, err := ReadResult(bytes.NewReader(good.Bytes()), none); err != nil || got.Summary != counts {
		t.Errorf("got %+v, %v", got, err)
	}
	for n := range good.Len() - 1 {
		if _, err := ReadResult(bytes.NewReader(good.Bytes()[:n]), none); err == nil {
			t.Fatalf("no error for %q", good.Bytes()[:n])
		}
	}
	_, rest, _ := bytes.Cut(good.Bytes(), []byte("\n"))
	if _, err := ReadResult(bytes.NewReader(rest), none); err == nil {
		t.Error("no error for a line that is missing")
	}
	var damaged *damagedError
	broken := io.MultiReader(bytes.NewReader(rest[:10]), iotest.ErrReader(fs.ErrInvalid))
	if _, err := ReadResult(broken, none); !errors.Is(err, fs.ErrInvalid) || errors.As(err, &damaged) {
		t.Errorf("a result that cannot be read on: %v", err)
	}
	if _, err := ReadResult(io.MultiReader(&good, strings.NewReader("\n")), none); err == nil {
		t.Error("no error for what follows the summary")
	}
}

func noConflict(r *fixity.Result) error { return fmt.Errorf("a conflict: %+v", r) }

// TestManifest sorts more than fits in memory at once.
func TestManifest(t *testing.T) {
	m := NewManifest(context.Background())
	defer m.Close()
	const n = 3*manifestChunk + 5
	for _, i := range rand.Perm(n) {
		r := &fixity.Result{Name: fmt.Sprintf("%08d", i), Outcome: fixity.Match, SHA256: fmt.Sprintf("%064d", i)}
		m.Add(r)
		if i%100 == 0 {
			m.Add(r)
		}
		m.Add(&fixity.Result{Name: "x", Outcome: fixity.Mismatch})
	}
	var got, want bytes.Buffer
	if err := m.Write(&got, noConflict); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		fmt.Fprintf(&want, "%064d  %08d\n", i, i)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Error("not sorted, or not complete")
	}
}

func TestManifestNames(t *testing.T) {
	m := NewManifest(context.Background())
	defer m.Close()
	for _, name := range []string{"b", "a\nb", "a\rb", "a\\b", "a", "a b", "a/b", "a-b", "\xff"} {
		m.Add(&fixity.Result{Name: name, NameBytes: []byte(name), Outcome: fixity.New, SHA256: "D"})
	}
	var got strings.Builder
	if err := m.Write(&got, noConflict); err != nil {
		t.Fatal(err)
	}
	// By bytes, as LC_ALL=C sort does.
	if want := "D  a\n\\D  a\\nb\n\\D  a\\rb\nD  a b\nD  a-b\nD  a/b\n\\D  a\\\\b\nD  b\nD  \xff\n"; got.String() != want {
		t.Errorf("got %q", got.String())
	}
}

// Versions are of one object, and each has its line.
func TestManifestOfVersions(t *testing.T) {
	m := NewManifest(t.Context())
	defer m.Close()
	for _, version := range []string{"v2", "", "v1", "v2"} {
		m.Add(&fixity.Result{Name: "s3://b/k", Version: version, Outcome: fixity.New, SHA256: "D" + version})
	}
	var got strings.Builder
	if err := m.Write(&got, noConflict); err != nil {
		t.Fatal(err)
	}
	if want := "D  s3://b/k\nDv1  s3://b/k?versionId=v1\nDv2  s3://b/k?versionId=v2\n"; got.String() != want {
		t.Errorf("got %q", got.String())
	}
}

// An error of the sorting does not leave Add waiting.
func TestManifestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := NewManifest(ctx)
	defer m.Close()
	for range 10 * manifestChunk {
		m.Add(&fixity.Result{Name: "n", Outcome: fixity.New})
	}
	if err := m.Write(io.Discard, noConflict); err == nil {
		t.Error("no error")
	}
}

// result returns a worker's output for results.
func result(results ...*fixity.Result) []byte { return resultFrom(Origin{}, results...) }

// resultFrom returns what a worker writes to a journal.
func resultFrom(origin Origin, results ...*fixity.Result) []byte {
	var b []byte
	sum := NewSummer()
	sum.Origin = origin
	for _, r := range results {
		line := r.Append(nil)
		sum.Add(r, line)
		b = append(b, line...)
	}
	return append(b, sum.Line()...)
}

// A digest of a match, and another.
var (
	zeros = strings.Repeat("0", 64)
	ones  = strings.Repeat("1", 64)
)

// No bit of a result can flip unnoticed.
func TestEachFlippedBitIsNoticed(t *testing.T) {
	good := result(
		&fixity.Result{Line: 1, Name: "a", Outcome: fixity.Match, SHA256: zeros, Expected: zeros, Size: 5},
		&fixity.Result{Line: 2, Name: "b", Outcome: fixity.Mismatch, SHA256: zeros, Expected: ones, Size: 6},
		&fixity.Result{Line: 3, Name: "c", Outcome: fixity.Missing, Expected: ones, Size: -1, Error: "why"},
	)
	none := func(*fixity.Result) error { return nil }
	if _, err := ReadResult(bytes.NewReader(good), none); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			var damaged *damagedError
			if _, err := ReadResult(bytes.NewReader(bad), none); !errors.As(err, &damaged) {
				t.Fatalf("bit %d of byte %d, %q to %q: %v", bit, i, good[i], bad[i], err)
			}
		}
	}
}

// A match has the expected digest, and each outcome is one of the eight.
func TestResultsThatNoWorkerWrites(t *testing.T) {
	for _, r := range []*fixity.Result{
		{Outcome: fixity.Match, SHA256: zeros, Expected: ones},
		{Outcome: fixity.Match},
		{Outcome: fixity.New, SHA256: zeros, Expected: zeros},
		{Outcome: fixity.New},
		{Outcome: "good", SHA256: zeros, Expected: zeros},
		{},
	} {
		var damaged *damagedError
		if _, err := ReadResult(bytes.NewReader(result(r)), func(*fixity.Result) error { return nil }); !errors.As(err, &damaged) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// The summary is the worker's, to the byte: other counts are of other results.
func TestSummaryCounts(t *testing.T) {
	good := result(&fixity.Result{Line: 1, Name: "a", Outcome: fixity.Missing, Size: -1})
	for _, change := range [][2]string{
		{`"missing":1,"deleted":0`, `"missing":0,"deleted":1`},
		{`"bytes":0`, `"bytes":1`},
		{`"sha256":"`, `"SHA256":"`},
	} {
		bad := bytes.Replace(good, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(bad, good) {
			t.Fatal("nothing changed")
		}
		if _, err := ReadResult(bytes.NewReader(bad), func(*fixity.Result) error { return nil }); err == nil {
			t.Errorf("no error for %s", bad)
		}
	}
}

// named returns entries with names and sizes.
func named(entries ...list.Entry) func() (list.Entry, error) {
	i := 0
	return func() (list.Entry, error) {
		if i == len(entries) {
			return list.Entry{}, io.EOF
		}
		i++
		e := entries[i-1]
		e.Line = int64(i)
		return e, nil
	}
}

func from(name string) func() []list.Source {
	return func() []list.Source { return []list.Source{{Name: name, SHA256: "of " + name}} }
}

// A plan of other lists is not written over unless that is asked for, and none of
// its shards is.
func TestSplitOfAnotherList(t *testing.T) {
	ctx, j := t.Context(), newJournal(t)
	first, err := j.Split(ctx, Split{Shards: 2, Lists: from("first")}, entries(1, 2, 3, 4))
	if err != nil {
		t.Fatal(err)
	}
	shard := read(t, j, j.ShardName(first.Shards[0]))
	_, err = j.Split(ctx, Split{Shards: 2, Lists: from("second")}, entries(1, 2, 3))
	if err == nil || !strings.Contains(err.Error(), "has a plan of other lines, from first (SHA-256 of first): use another journal, or --replace") {
		t.Errorf("got %v", err)
	}
	if plan, err := j.Plan(ctx); err != nil || !reflect.DeepEqual(plan, first) || read(t, j, j.ShardName(first.Shards[0])) != shard {
		t.Errorf("got %+v, %v, want the first plan", plan, err)
	}
	second, err := j.Split(ctx, Split{Shards: 9, Lists: from("second"), Replace: true}, entries(1, 2, 3))
	if err != nil || second.Lines != 3 || second.Asked != 2 {
		t.Errorf("got %+v, %v", second, err)
	}
}

// A plan that takes the place of another removes the report first, also from a store. If
// that fails, the plan stays.
func TestReplacedPlanHasNoReport(t *testing.T) {
	_, stored := onServer(t, 0)
	for _, j := range []*Journal{newJournal(t), stored} {
		ctx := t.Context()
		first, err := j.Split(ctx, Split{Shards: 2}, entries(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range first.Shards {
			write(t, j, s, &fixity.Result{Line: int64(i + 1), Name: fmt.Sprint(i + 1), Outcome: fixity.New, SHA256: zeros, Size: 1})
		}
		if report, err := j.Report(ctx, -1); err != nil || !report.Complete {
			t.Fatalf("got %+v, %v", report, err)
		}
		if j != stored {
			// A directory that is not empty cannot be removed.
			path := filepath.Join(j.URL, "report", "SHA256SUMS")
			if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "x"), 0o777)); err != nil {
				t.Fatal(err)
			}
			_, err := j.Split(ctx, Split{Shards: 2, Replace: true}, entries(1, 2))
			if plan, planErr := j.Plan(ctx); err == nil || planErr != nil || !reflect.DeepEqual(plan, first) {
				t.Errorf("the report stays: %v; the plan is %+v, %v", err, plan, planErr)
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
		second, err := j.Split(ctx, Split{Shards: 2, Replace: true}, entries(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Store.ListBelow(ctx, store.Join(j.URL, "report"), func(i store.Info) error { return errors.New(i.Name) }); !errors.Is(err, store.ErrNone) {
			t.Errorf("a report: %v", err)
		}
		if n, oldest, err := j.Kept(ctx, second); n != 1 || time.Since(oldest).Abs() > time.Hour || err != nil {
			t.Errorf("%d results, the oldest of %v, %v", n, oldest, err)
		}
	}
}

func read(t *testing.T, j *Journal, name string) string {
	t.Helper()
	f, err := j.Store.Open(t.Context(), name, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// write writes the result of a shard.
func write(t *testing.T, j *Journal, s Shard, results ...*fixity.Result) {
	t.Helper()
	if err := j.WriteResult(t.Context(), s.Digest, bytes.NewReader(resultFrom(Origin{Shard: s.Digest}, results...))); err != nil {
		t.Fatal(err)
	}
}

// Of callers with different lists at once, one makes its plan, and the others have an
// error. All shards of that plan are its own. Callers with the same list have the same plan.
func TestSplitsAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, server *storetest.Server) {
		s, err := store.New(store.Options{Params: []string{server.Params()}, Retries: 3})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, url := range []string{server.Name("run"), t.TempDir()} {
			j := &Journal{Store: s, URL: url}
			const lists, each = 5, 3
			var all sync.WaitGroup
			var mu sync.Mutex
			made := map[int]int{}
			for i := range lists * each {
				all.Go(func() {
					n := i % lists
					var sizes []int64
					for k := range 10 {
						sizes = append(sizes, int64(100*n+k))
					}
					plan, err := j.Split(t.Context(), Split{Shards: 2 + i/lists, Lists: from(fmt.Sprint(n))}, entries(sizes...))
					if err != nil && !strings.Contains(err.Error(), "has a plan of other lines, from ") {
						t.Error(err)
					}
					if err == nil {
						mu.Lock()
						defer mu.Unlock()
						made[n]++
						if plan.Lists[0].Name != fmt.Sprint(n) {
							t.Errorf("list %d has the plan of %v", n, plan.Lists)
						}
					}
				})
			}
			all.Wait()
			plan, err := j.Plan(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var winner int
			fmt.Sscan(plan.Lists[0].Name, &winner)
			if len(made) != 1 || made[winner] != each {
				t.Errorf("%s: %v, and the plan is of %d", url, made, winner)
			}
			for _, s := range plan.Shards {
				text := read(t, j, j.ShardName(s))
				if got := DigestBelow(plan.Dir, digestOf([]byte(text))); got != s.Digest {
					t.Errorf("shard %s has digest %s", s.Digest, got)
				}
			}
			report, err := j.Report(t.Context(), -1)
			if err != nil || !slices.Equal(report.Lists, plan.Lists) {
				t.Errorf("got %+v, %v", report, err)
			}
		}
	})
}

// A plan of another format is neither read nor written over.
func TestPlanOfAnotherFormat(t *testing.T) {
	ctx, j := t.Context(), newJournal(t)
	const old = `{"started":"2020-01-02T03:04:05Z","lists":["l"],"lines":1,"shards_asked":1,"shards":[{"digest":"","lines":1,"bytes":0}]}`
	storetest.WriteFile(t, j.URL, "plan.json", []byte(old))
	for _, replace := range []bool{false, true} {
		if plan, err := j.Split(ctx, Split{Shards: 1, Replace: replace}, entries(1)); err == nil || !strings.Contains(err.Error(), "has format 0, and this fleetsum has format 3: use a new journal") {
			t.Errorf("got %+v, %v", plan, err)
		}
	}
	if got := read(t, j, j.planName()); got != old {
		t.Errorf("the plan is %s", got)
	}
	now := newJournal(t)
	if plan, err := now.Split(ctx, Split{Shards: 1, Since: j}, entries(1)); err == nil || !strings.HasSuffix(err.Error(), "has format 0, and this fleetsum has format 3: leave out --since") {
		t.Errorf("since: got %+v, %v", plan, err)
	}
}

// A plan that is made again began when it was first made: workers may have read before.
func TestSplitAgainKeepsItsStart(t *testing.T) {
	ctx, j := t.Context(), newJournal(t)
	plan, err := j.Split(ctx, Split{Shards: 1}, entries(1))
	if err != nil {
		t.Fatal(err)
	}
	const earlier = "2020-01-02T03:04:05Z"
	text := strings.Replace(read(t, j, j.planName()), plan.Started, earlier, 1)
	if err := j.Store.Write(ctx, j.planName(), strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	for _, replace := range []bool{false, true} {
		again, err := j.Split(ctx, Split{Shards: 1, Replace: replace}, entries(1))
		if err != nil || again.Started != earlier || !strings.Contains(read(t, j, j.planName()), earlier) {
			t.Errorf("replaced %v: got %+v, %v", replace, again, err)
		}
	}
}

// A plan's numbers agree, or it is damaged.
func TestPlanThatContradictsItself(t *testing.T) {
	ctx, j := t.Context(), newJournal(t)
	for _, plan := range []string{
		`{"format":3,"lines":3,"shards_asked":2,"shards":[{"lines":1},{"lines":1}]}`,
		`{"format":3,"lines":2,"shards_asked":1,"shards":[{"lines":1},{"lines":1}]}`,
		`{"format":3,"lines":0,"shards_asked":0,"shards":[]}`,
	} {
		if err := j.Store.Write(ctx, j.planName(), strings.NewReader(plan)); err != nil {
			t.Fatal(err)
		}
		if p, err := j.Plan(ctx); err == nil || !strings.Contains(err.Error(), "its numbers contradict each other") {
			t.Errorf("%s: %+v, %v", plan, p, err)
		}
	}
}

// A result has as many lines as its shard, neither more nor fewer.
func TestResultOfOtherLines(t *testing.T) {
	for n, complete := range map[int]bool{1: false, 2: true, 3: false} {
		ctx, j := t.Context(), newJournal(t)
		plan, err := j.Split(ctx, Split{Shards: 1}, entries(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		var results []*fixity.Result
		for i := range n {
			results = append(results, &fixity.Result{Line: int64(i + 1), Name: fmt.Sprint(i), Outcome: fixity.New, SHA256: zeros})
		}
		write(t, j, plan.Shards[0], results...)
		report, err := j.Report(ctx, -1)
		if err != nil || report.Complete != complete || (len(report.MissingShards) == 0) != complete {
			t.Errorf("%d lines: %+v, %v", n, report, err)
		}
	}
}

// A result under the name of another shard is damaged: the shard is missing, and is read again.
func TestResultOfAnotherShard(t *testing.T) {
	ctx, j := t.Context(), newJournal(t)
	plan, err := j.Split(ctx, Split{Shards: 2}, entries(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	first := &fixity.Result{Line: 1, Name: "1", Outcome: fixity.New, SHA256: zeros}
	for of, damaged := range map[string]bool{plan.Shards[1].Digest: false, plan.Shards[0].Digest: true, "": true} {
		write(t, j, plan.Shards[0], first)
		if err := j.WriteResult(ctx, plan.Shards[1].Digest, bytes.NewReader(resultFrom(Origin{Shard: of}, first))); err != nil {
			t.Fatal(err)
		}
		known, err := j.CopyResult(ctx, plan.Shards[1], io.Discard, func(*fixity.Result) {})
		if err != nil || known == damaged {
			t.Errorf("of %q: known %v, %v", of, known, err)
		}
		report, err := j.Report(ctx, -1)
		if err != nil || report.Complete == damaged || slices.Equal(report.MissingShards, []int{1}) != damaged {
			t.Errorf("of %q: %+v, %v", of, report, err)
		}
	}
}

// A report that is not complete leaves no manifest of an earlier one.
func TestIncompleteReportHasNoManifest(t *testing.T) {
	ctx, j := t.Context(), newJournal(t)
	plan, err := j.Split(ctx, Split{Shards: 1}, entries(1))
	if err != nil {
		t.Fatal(err)
	}
	write(t, j, plan.Shards[0], &fixity.Result{Line: 1, Name: "1", Outcome: fixity.New, SHA256: zeros})
	manifest := filepath.Join(j.URL, "report", "SHA256SUMS")
	if report, err := j.Report(ctx, -1); err != nil || report.Status() != 0 || read(t, j, manifest) != zeros+"  1\n" {
		t.Fatalf("got %+v, %v", report, err)
	}
	if err := j.Store.Remove(ctx, j.resultName(plan.Shards[0].Digest)); err != nil {
		t.Fatal(err)
	}
	report, err := j.Report(ctx, -1)
	if _, statErr := os.Stat(manifest); err != nil || report.Status() != 2 || !errors.Is(statErr, fs.ErrNotExist) {
		t.Errorf("got %+v, %v; the manifest: %v", report, err, statErr)
	}
	if report, err = j.Report(ctx, -1); err != nil || report.Status() != 2 {
		t.Errorf("without one: %+v, %v", report, err)
	}
}

func count(results ...*fixity.Result) (c fixity.Counts) {
	for _, r := range results {
		c.Add(r)
	}
	return c
}

// There is no summary of a report whose other files could not be written, not even an
// earlier one.
func TestSummaryIsWrittenLast(t *testing.T) {
	for _, complete := range []bool{true, false} {
		for _, file := range []string{"SHA256SUMS", "problems.jsonl"} {
			ctx, j := t.Context(), newJournal(t)
			plan, err := j.Split(ctx, Split{Shards: 1}, entries(1))
			if err != nil {
				t.Fatal(err)
			}
			write(t, j, plan.Shards[0], &fixity.Result{Line: 1, Name: "1", Outcome: fixity.New, SHA256: zeros})
			if _, err := j.Report(ctx, -1); err != nil {
				t.Fatal(err)
			}
			if !complete {
				if err := j.Store.Remove(ctx, j.resultName(plan.Shards[0].Digest)); err != nil {
					t.Fatal(err)
				}
			}
			// A directory that is not empty can be neither replaced nor removed.
			path := filepath.Join(j.URL, "report", file)
			if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "x"), 0o777)); err != nil {
				t.Fatal(err)
			}
			report, err := j.Report(ctx, -1)
			if _, statErr := os.Stat(filepath.Join(j.URL, "report", "summary.json")); err == nil || report == nil || !errors.Is(statErr, fs.ErrNotExist) {
				t.Errorf("complete %v, no %s: got %+v, %v; the summary: %v", complete, file, report, err, statErr)
			}
		}
	}
}

// Each outcome that is not good makes the status 1.
func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		counts fixity.Counts
		want   int
	}{
		{fixity.Counts{}, 0},
		{fixity.Counts{Lines: 2, Match: 1, New: 1}, 0},
		{count(&fixity.Result{Outcome: fixity.Mismatch}), 1},
		{count(&fixity.Result{Outcome: fixity.Missing}), 1},
		{count(&fixity.Result{Outcome: fixity.Archived}), 1},
		{count(&fixity.Result{Outcome: fixity.Unreadable}), 1},
		{count(&fixity.Result{Outcome: fixity.Malformed}), 1},
		{count(&fixity.Result{Outcome: fixity.Deleted, Error: "NoSuchKey"}), 1},
		{count(&fixity.Result{Outcome: fixity.Deleted}), 0}, // as its list says
	} {
		if got := (&Report{Complete: true, Counts: tt.counts}).Status(); got != tt.want {
			t.Errorf("%+v: %d, want %d", tt.counts, got, tt.want)
		}
		if got := (&Report{Complete: true, Counts: tt.counts, Conflicts: 1}).Status(); got != 1 {
			t.Errorf("a conflict: %d, want 1", got)
		}
		if got := (&Report{Counts: tt.counts}).Status(); got != 2 {
			t.Errorf("incomplete: %d, want 2", got)
		}
	}
}

// A report that cannot be written is still returned.
func TestReportOfAReadOnlyJournal(t *testing.T) {
	ctx, j := t.Context(), newJournal(t)
	plan, err := j.Split(ctx, Split{Shards: 1}, entries(1))
	if err != nil {
		t.Fatal(err)
	}
	write(t, j, plan.Shards[0], &fixity.Result{Line: 1, Name: "1", Outcome: fixity.New, SHA256: zeros})
	storetest.WriteFile(t, j.URL, "report", nil) // no directory: nothing can be written below it
	if report, err := j.Report(ctx, -1); err == nil || report == nil || report.Lines != 1 {
		t.Errorf("got %+v, %v", report, err)
	}
}

// Without the digests of lists, nothing of them is left that says how to read objects.
func TestNoDigests(t *testing.T) {
	ctx, j := t.Context(), newJournal(t)
	entry := list.Entry{Name: "a", SHA256: "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-3", PartSize: 8 << 20, Size: 5}
	plan, err := j.Split(ctx, Split{Shards: 1, NoDigests: true}, named(entry))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, j, j.ShardName(plan.Shards[0])), `{"line":1,"name":"a","size":5}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Without a plan, a report is complete if there are as many lines as there should be. It is
// not if a part was changed and checked again, and says why. A part may have a line twice.
func TestReportWithoutAPlan(t *testing.T) {
	one := func(line int64, name, version string) *fixity.Result {
		return &fixity.Result{Line: line, Name: name, Version: version, Outcome: fixity.New, SHA256: zeros}
	}
	bad := func(line int64, why string) *fixity.Result {
		return &fixity.Result{Line: line, Outcome: fixity.Malformed, Error: why, Size: -1}
	}
	for name, tt := range map[string]struct {
		parts [][]*fixity.Result
		want  int64 // or -1: two parts share some lines and not all
	}{
		"one":                   {[][]*fixity.Result{{one(1, "a", "")}}, 1},
		"two parts":             {[][]*fixity.Result{{one(1, "a", ""), one(2, "b", "")}, {one(1, "c", ""), one(2, "d", "")}}, 4},
		"a part with an edit":   {[][]*fixity.Result{{one(1, "a", ""), one(2, "b", "")}, {one(1, "a", ""), one(2, "c", "")}}, -1},
		"a part without a line": {[][]*fixity.Result{{one(1, "a", ""), one(2, "b", "")}, {one(1, "a", "")}}, -1},
		"a part with a mistake": {[][]*fixity.Result{{one(1, "a", ""), bad(2, "x")}, {one(1, "a", ""), one(2, "b", "")}}, -1},
		"another mistake":       {[][]*fixity.Result{{one(1, "a", ""), bad(2, "x")}, {one(1, "a", ""), bad(2, "y")}}, -1},
		"a part with others":    {[][]*fixity.Result{{one(1, "a", ""), one(2, "b", "")}, {one(1, "b", ""), one(2, "a", "")}}, 2},
		"versions":              {[][]*fixity.Result{{one(1, "a", "v"), one(2, "a", "w")}, {one(1, "a", "v"), one(2, "a", "")}}, -1},
		"a line twice":          {[][]*fixity.Result{{one(1, "a", ""), one(2, "a", "")}, {one(1, "b", "")}}, 3},
		"a line twice, or once": {[][]*fixity.Result{{one(1, "a", ""), one(2, "a", "")}, {one(1, "a", ""), one(2, "b", "")}}, -1},
		"a line twice, in both": {[][]*fixity.Result{{one(1, "a", ""), one(2, "b", ""), one(3, "a", "")}, {one(1, "a", ""), one(2, "a", ""), one(3, "b", "")}}, 3},
		"three parts":           {[][]*fixity.Result{{one(1, "a", "")}, {one(1, "b", ""), one(2, "c", "")}, {one(1, "c", "")}}, -1},
		"malformed":             {[][]*fixity.Result{{bad(1, "x"), bad(2, "x")}, {bad(1, "x"), bad(2, "y")}}, 4},
		"headers":               {[][]*fixity.Result{{bad(1, "x"), one(2, "a", "")}, {bad(1, "x"), one(2, "b", "")}}, 4},
		"malformed and no name": {[][]*fixity.Result{{bad(1, "x"), one(1, "", "")}}, 2},
	} {
		j := newJournal(t)
		var all int64
		for i, part := range tt.parts {
			write(t, j, Shard{Digest: fmt.Sprintf("%064d", i)}, part...)
			all += int64(len(part))
		}
		if tt.want >= 0 {
			all = tt.want
		}
		for lines := range all + 4 {
			report, err := j.Report(t.Context(), lines)
			if err != nil || report.Complete != (lines == tt.want) || report.Lines != all || (report.Why == "") != report.Complete {
				t.Errorf("%s, %d lines: got %+v, %v", name, lines, report, err)
			} else if names := strings.Count(report.Why, "/results/"); names != 0 && tt.want >= 0 || names != 2 && tt.want < 0 {
				t.Errorf("%s, %d lines: %s", name, lines, report.Why)
			}
		}
	}
}

// Without a plan, a list counts once: one that was read again with another base does not
// take the place of another list. The result with most lines counts, whatever its name.
func TestReportOfAListTwice(t *testing.T) {
	j := newJournal(t)
	put := func(digest, list string, names ...string) {
		var results []*fixity.Result
		for i, name := range names {
			results = append(results, &fixity.Result{Line: int64(i + 1), Name: name, Outcome: fixity.New, SHA256: zeros})
		}
		if err := j.WriteResult(t.Context(), digest, bytes.NewReader(resultFrom(Origin{Shard: digest, List: list}, results...))); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want int64, names ...string) {
		t.Helper()
		for lines := range want + 5 {
			if report, err := j.Report(t.Context(), lines); err != nil || report.Complete != (lines == want) || report.Lines != want {
				t.Errorf("%d lines, want %d: got %+v, %v", lines, want, report, err)
			} else if report.Complete {
				if got, want := read(t, j, j.URL+"/report/SHA256SUMS"), zeros+"  "+strings.Join(names, "\n"+zeros+"  ")+"\n"; got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		}
	}
	twos := strings.Repeat("2", 64)
	put(zeros, ones, "x/a", "x/b")
	put(ones, ones, "y/a", "y/b")
	check(2, "x/a", "x/b")
	put(ones, ones, "y/a", "y/b", "y/c")
	check(3, "y/a", "y/b", "y/c")
	put(zeros, ones, "x/a", "x/b", "x/c", "x/d")
	check(4, "x/a", "x/b", "x/c", "x/d")
	put(twos, ones, "z/a")
	check(4, "x/a", "x/b", "x/c", "x/d")
	put(twos, zeros, "x/e", "x/f") // another list
	check(6, "x/a", "x/b", "x/c", "x/d", "x/e", "x/f")
}

// Without a plan, two readings of one text in different formats are not complete, whatever
// their lines are: why names both. With another base, a list is the same.
func TestReportOfTwoFormats(t *testing.T) {
	bad := &fixity.Result{Line: 1, Outcome: fixity.Malformed, Error: "x", Size: -1}
	good := func(name string) *fixity.Result {
		return &fixity.Result{Line: 1, Name: name, Outcome: fixity.New, SHA256: zeros}
	}
	first, second := &fixity.Result{Line: 1, Name: "0  a", Outcome: fixity.Missing, Size: -1}, good("b")
	for name, tt := range map[string]struct {
		results []*fixity.Result
		origins []Origin // but for their shards
		why     string   // what is in it, or "" if the run is complete
	}{
		"a wrong format for a part": {[]*fixity.Result{bad, good("a")}, []Origin{{List: "1", Text: "t"}, {List: "2", Text: "t"}},
			"J0.jsonl, with 1 problems, and J1.jsonl, with 0, are one list in two formats"},
		"names alone for a part": {[]*fixity.Result{first, good("a")}, []Origin{{List: "1", Text: "t"}, {List: "2", Text: "t"}},
			"J0.jsonl, with 1 problems, and J1.jsonl, with 0, are one list in two formats"},
		"a wrong format besides all parts": {[]*fixity.Result{bad, good("a"), second}, []Origin{{List: "1", Text: "t"}, {List: "2", Text: "t"}, {List: "3", Text: "u"}},
			"the results have 3 distinct lines, not 2; J0.jsonl, with 1 problems, and J1.jsonl, with 0, are one list in two formats"},
		"other bases":     {[]*fixity.Result{good("a"), good("d/a"), second}, []Origin{{List: "1", Text: "t"}, {List: "1", Text: "t"}, {List: "2", Text: "u"}}, ""},
		"two parts":       {[]*fixity.Result{good("a"), second}, []Origin{{List: "1", Text: "t"}, {List: "2", Text: "u"}}, ""},
		"of other origin": {[]*fixity.Result{good("a"), second}, []Origin{{}, {}}, ""},
	} {
		j := newJournal(t)
		for i, r := range tt.results {
			tt.origins[i].Shard = fmt.Sprintf("%064d", i)
			if err := j.WriteResult(t.Context(), tt.origins[i].Shard, bytes.NewReader(resultFrom(tt.origins[i], r))); err != nil {
				t.Fatal(err)
			}
		}
		report, err := j.Report(t.Context(), 2)
		if err != nil || report.Complete != (tt.why == "") {
			t.Errorf("%s: got %+v, %v", name, report, err)
			continue
		}
		if why := strings.ReplaceAll(report.Why, j.URL+"/results/"+zeros[:63], "J"); !strings.Contains(why, tt.why) || (why == "") != (tt.why == "") {
			t.Errorf("%s: got %s", name, why)
		}
	}
}

// No result that counts hides a problem, or another digest, of one that does not.
func TestResultThatDoesNotCount(t *testing.T) {
	one := &fixity.Result{Line: 1, Name: "a", Outcome: fixity.New, SHA256: zeros}
	for name, tt := range map[string]struct {
		lists     [2]string
		other     *fixity.Result
		problems  int64
		conflicts int64
	}{
		"a list, missing":         {[2]string{ones, ones}, &fixity.Result{Line: 1, Name: "b", Outcome: fixity.Missing, Size: -1}, 1, 0},
		"a list, changed":         {[2]string{ones, ones}, &fixity.Result{Line: 1, Name: "a", Outcome: fixity.New, SHA256: ones}, 0, 1},
		"the same lines, missing": {[2]string{ones, zeros}, &fixity.Result{Line: 1, Name: "a", Outcome: fixity.Missing, Size: -1}, 1, 0},
		"the same lines, changed": {[2]string{ones, zeros}, &fixity.Result{Line: 1, Name: "a", Outcome: fixity.New, SHA256: ones}, 0, 1},
	} {
		for _, digests := range [][2]string{{zeros, ones}, {ones, zeros}} {
			j := newJournal(t)
			for i, r := range []*fixity.Result{one, tt.other} {
				text := resultFrom(Origin{Shard: digests[i], List: tt.lists[i]}, r)
				if err := j.WriteResult(t.Context(), digests[i], bytes.NewReader(text)); err != nil {
					t.Fatal(err)
				}
			}
			report, err := j.Report(t.Context(), 1)
			if err != nil || !report.Complete || report.Status() != 1 || report.Lines != 1 || report.Problems != tt.problems || report.Conflicts != tt.conflicts {
				t.Errorf("%s: got %+v, %v", name, report, err)
			} else if got := strings.Count(read(t, j, j.URL+"/report/problems.jsonl"), "\n"); got != 1 {
				t.Errorf("%s: %d problems", name, got)
			} else if names := strings.Count(report.Why, "/results/"); names != int(2*tt.problems) {
				t.Errorf("%s: %s", name, report.Why)
			}
		}
	}
}

// Without a plan, too, the report says what may be wrong with results that it cannot use.
func TestReportOfDamagedParts(t *testing.T) {
	j := newJournal(t)
	if err := j.WriteResult(t.Context(), zeros, strings.NewReader(`{"name":"a","of":"another version"}`+"\n")); err != nil {
		t.Fatal(err)
	}
	report, err := j.Report(t.Context(), 1)
	if err != nil || report.Status() != 2 || !strings.HasPrefix(report.Why, j.resultName(zeros)+" is damaged, and does not count, or another version of fleetsum made it: then use a new journal; ") {
		t.Errorf("got %+v, %v", report, err)
	}
}

// A result whose problems are not those of the one that counts is named. One without, or with the
// same, is not.
func TestHiddenProblems(t *testing.T) {
	bad := func(name, expected string) *fixity.Result {
		return &fixity.Result{Line: 1, Name: name, Outcome: fixity.Mismatch, SHA256: zeros, Expected: expected}
	}
	good := func(name string) *fixity.Result {
		return &fixity.Result{Line: 1, Name: name, Outcome: fixity.Match, SHA256: zeros, Expected: zeros}
	}
	for name, tt := range map[string]struct {
		parts [2][]*fixity.Result
		named bool
	}{
		"a part corrected":        {[2][]*fixity.Result{{bad("a", ones), good("b")}, {good("a"), good("b")}}, true},
		"a part with new mistake": {[2][]*fixity.Result{{bad("a", ones), good("b")}, {bad("b", ones), good("a")}}, true},
		"another digest":          {[2][]*fixity.Result{{bad("a", ones)}, {bad("a", ones[:63]+"2")}}, true},
		"another base":            {[2][]*fixity.Result{{bad("x/a", ones), good("x/b")}, {bad("y/a", ones), bad("y/b", ones)}}, true},
		"the same problem":        {[2][]*fixity.Result{{bad("a", ones), good("b")}, {good("b"), bad("a", ones)}}, false},
		"no digest in one":        {[2][]*fixity.Result{{good("a")}, {{Line: 1, Name: "a", Outcome: fixity.New, SHA256: zeros}}}, false},
	} {
		for _, digests := range [][2]string{{zeros, ones}, {ones, zeros}} {
			j := newJournal(t)
			for i, part := range tt.parts {
				if err := j.WriteResult(t.Context(), digests[i], bytes.NewReader(resultFrom(Origin{Shard: digests[i], List: "l"}, part...))); err != nil {
					t.Fatal(err)
				}
			}
			report, err := j.Report(t.Context(), int64(len(tt.parts[0])))
			if err != nil || !report.Complete || strings.Count(report.Why, "/results/") == 2 != tt.named || tt.named && report.Status() != 1 {
				t.Errorf("%s: got %+v, %v", name, report, err)
			}
		}
	}
}

// Of an object with several digests of one kind there is none in the manifest. All that is
// known of it may be that one is wrong.
func TestManifestOfConflicts(t *testing.T) {
	const composite, other = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-3", "AAAAgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-3"
	for name, tt := range map[string]struct {
		results []*fixity.Result
		want    string // the manifest
		error   string
	}{
		"two":                  {[]*fixity.Result{{Name: "b", Outcome: fixity.New, SHA256: zeros}, {Name: "b", Outcome: fixity.New, SHA256: ones}}, "", zeros + " and " + ones},
		"two matches":          {[]*fixity.Result{{Name: "b", Outcome: fixity.Match, SHA256: zeros}, {Name: "b", Outcome: fixity.Match, SHA256: ones}}, "", zeros + " and " + ones},
		"a mismatch":           {[]*fixity.Result{{Name: "b", Outcome: fixity.Match, SHA256: ones}, {Name: "b", Outcome: fixity.Mismatch, SHA256: zeros}}, "", zeros + " and " + ones},
		"two mismatches":       {[]*fixity.Result{{Name: "b", Outcome: fixity.Mismatch, SHA256: ones}, {Name: "b", Outcome: fixity.Mismatch, SHA256: zeros}}, "", zeros + " and " + ones},
		"a mismatch as read":   {[]*fixity.Result{{Name: "b", Outcome: fixity.Match, SHA256: ones}, {Name: "b", Outcome: fixity.Mismatch, SHA256: ones}}, ones + "  b\n", ""},
		"many":                 {[]*fixity.Result{{Name: "b", Outcome: fixity.New, SHA256: ones}, {Name: "b", Outcome: fixity.New, SHA256: ones + "1"}, {Name: "b", Outcome: fixity.New, SHA256: ones + "2"}}, "", ones + " and " + ones + "1"},
		"composite":            {[]*fixity.Result{{Name: "b", Outcome: fixity.New, SHA256: zeros}, {Name: "b", Outcome: fixity.Match, SHA256: composite, PartSize: 8}}, zeros + "  b\n" + composite + "  b\n", ""},
		"of other parts":       {[]*fixity.Result{{Name: "b", Outcome: fixity.Match, SHA256: other, PartSize: 9}, {Name: "b", Outcome: fixity.Match, SHA256: composite, PartSize: 8}}, composite + "  b\n" + other + "  b\n", ""},
		"of the same parts":    {[]*fixity.Result{{Name: "b", Outcome: fixity.New, SHA256: zeros}, {Name: "b", Outcome: fixity.Match, SHA256: other, PartSize: 8}, {Name: "b", Outcome: fixity.Match, SHA256: composite, PartSize: 8}}, "", other + " and " + composite},
		"another object":       {[]*fixity.Result{{Name: "bb", Outcome: fixity.New, SHA256: ones}, {Name: "b", Outcome: fixity.New, SHA256: zeros}}, zeros + "  b\n" + ones + "  bb\n", ""},
		"another version":      {[]*fixity.Result{{Name: "s3://b/b", Version: "v", Outcome: fixity.New, SHA256: ones}, {Name: "s3://b/b", Outcome: fixity.New, SHA256: zeros}}, zeros + "  s3://b/b\n" + ones + "  s3://b/b?versionId=v\n", ""},
		"what was not read":    {[]*fixity.Result{{Name: "b", Outcome: fixity.New, SHA256: ones}, {Name: "b", Outcome: fixity.Missing}}, ones + "  b\n", ""},
		"the version that did": {[]*fixity.Result{{Name: "s3://b/\xff", Version: "v", Outcome: fixity.New, SHA256: ones}, {Name: "s3://b/\xff", Version: "v", Outcome: fixity.New, SHA256: zeros}}, "", zeros + " and " + ones},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewManifest(t.Context())
			defer m.Close()
			around := []*fixity.Result{{Name: "a", Outcome: fixity.New, SHA256: zeros}, {Name: "z", Outcome: fixity.New, SHA256: zeros}}
			for _, r := range append(tt.results, around...) {
				r.NameBytes = []byte(r.Name)
				m.Add(r)
			}
			var got strings.Builder
			conflicts := 0
			err := m.Write(&got, func(r *fixity.Result) error {
				conflicts++
				if of := tt.results[0]; r.FullName() != of.Name || r.Version != of.Version || r.Error != "changed between two readings: "+tt.error || r.Check() != nil || !r.IsProblem() {
					t.Errorf("got %+v", r)
				}
				return nil
			})
			if want := zeros + "  a\n" + tt.want + zeros + "  z\n"; err != nil || got.String() != want || (conflicts == 1) != (tt.error != "") {
				t.Errorf("got %q, %d conflicts, %v, want %q", got.String(), conflicts, err, want)
			}
			m = NewManifest(t.Context())
			defer m.Close()
			for _, r := range tt.results {
				m.Add(r)
			}
			if err := m.Write(io.Discard, func(*fixity.Result) error { return fs.ErrInvalid }); errors.Is(err, fs.ErrInvalid) != (tt.error != "") {
				t.Errorf("the last object: %v", err)
			}
		})
	}
}

// Without a plan, a copy of a result is no other result.
func TestReportOfACopy(t *testing.T) {
	j := newJournal(t)
	one := &fixity.Result{Line: 1, Name: "a", Outcome: fixity.New, SHA256: zeros}
	write(t, j, Shard{Digest: zeros}, one)
	if err := j.Store.Write(t.Context(), j.URL+"/results/copy/"+zeros+".jsonl", bytes.NewReader(resultFrom(Origin{Shard: zeros}, one))); err != nil {
		t.Fatal(err)
	}
	for lines, complete := range map[int64]bool{1: true, 2: false} {
		if report, err := j.Report(t.Context(), lines); err != nil || report.Complete != complete || report.Lines != 1 {
			t.Errorf("%d lines: got %+v, %v", lines, report, err)
		}
	}
}

// A number of lines that is not that of the plan is an error.
func TestReportOfAnotherPlan(t *testing.T) {
	ctx, j := t.Context(), newJournal(t)
	plan, err := j.Split(ctx, Split{Shards: 1}, entries(1))
	if err != nil {
		t.Fatal(err)
	}
	write(t, j, plan.Shards[0], &fixity.Result{Line: 1, Name: "1", Outcome: fixity.New, SHA256: zeros})
	for lines := int64(-1); lines < 3; lines++ {
		report, err := j.Report(ctx, lines)
		if good := lines == -1 || lines == 1; (err == nil) != good || (report != nil) != good {
			t.Errorf("%d lines: %+v, %v", lines, report, err)
		}
	}
}

// No line of a damaged result is in a report, wherever it stands.
func TestProblemsOfDamagedResults(t *testing.T) {
	ctx, j := t.Context(), newJournal(t)
	plan, err := j.Split(ctx, Split{Shards: 3}, entries(1, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for i, s := range plan.Shards {
		r := &fixity.Result{Line: int64(i + 1), Name: fmt.Sprint(i), Outcome: fixity.Missing, Error: strings.Repeat("x", 10_000), Size: -1}
		text := resultFrom(Origin{Shard: s.Digest}, r)
		if i == 1 {
			text = text[:len(text)-5]
		} else {
			want += string(r.Append(nil))
		}
		if err := j.WriteResult(ctx, s.Digest, bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	report, err := j.Report(ctx, -1)
	if err != nil || !slices.Equal(report.MissingShards, []int{1}) || report.Problems != 2 {
		t.Fatalf("got %+v, %v", report, err)
	}
	if got := read(t, j, j.URL+"/report/problems.jsonl"); got != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
}

// Of two reports at once, one may remove the other's manifest. No summary says then that
// the run is complete.
func TestReportsAtOnce(t *testing.T) {
	for _, complete := range []bool{true, false} {
		ctx, j := t.Context(), newJournal(t)
		report := &Report{Complete: complete}
		removing := &seeker{strings.NewReader(""), func() { os.Remove(j.URL + "/report/SHA256SUMS") }}
		err := j.writeReport(ctx, report, strings.NewReader(""), removing)
		if _, statErr := os.Stat(j.URL + "/report/summary.json"); (err != nil) != complete || errors.Is(statErr, fs.ErrNotExist) != complete {
			t.Errorf("complete %v: got %v; the summary: %v", complete, err, statErr)
		}
	}
}

// A report that is not complete removes the manifest. The summary of a complete report
// that was written a moment before goes with it, even if nothing else is written.
func TestCompleteReportMeanwhile(t *testing.T) {
	server := storetest.New(t)
	ctx, j := t.Context(), &Journal{URL: "s3://" + storetest.Bucket + "/run"}
	write := func(complete bool, problems io.ReadSeeker) {
		if err := j.writeReport(ctx, &Report{Complete: complete}, strings.NewReader(""), problems); err != nil {
			t.Errorf("complete %v: %v", complete, err)
		}
	}
	j.Store = storeBefore(t, server, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/SHA256SUMS") {
			write(true, strings.NewReader(""))
		}
		server.ServeHTTP(w, r)
	})
	checked := false
	write(false, &seeker{strings.NewReader(""), func() {
		checked = true
		if sums, summary := server.Get("run/report/SHA256SUMS"), server.Get("run/report/summary.json"); sums != nil || summary != nil {
			t.Errorf("the manifest: %q; the summary: %s", sums, summary)
		}
	}})
	if !checked {
		t.Error("no problems are written")
	}
}

// Two reports at once make their requests in each order, and if one is not complete, either
// may be killed before any request. No summary says complete without a manifest, but in the
// case that writeReport names. If none is killed, there is a summary, or an error.
func TestReportsInEachOrder(t *testing.T) {
	server, j := onServer(t, 0)
	var sides [2]*side
	for i := range sides {
		sides[i] = newSide(t, server)
	}
	for _, complete := range [][2]bool{{true, false}, {true, true}} {
		runs, named := 0, 0
		for c := new(choices); runs == 0 || c.again(); runs++ {
			server.Put("run/report/summary.json", []byte(`{"complete": true}`)) // an earlier report
			server.Put("run/report/SHA256SUMS", nil)
			for i, s := range sides {
				go func() {
					s.err = (&Journal{Store: s.store, URL: j.URL}).writeReport(t.Context(), &Report{Complete: complete[i]}, strings.NewReader(""), strings.NewReader(""))
					s.waits <- false
				}()
			}
			var order strings.Builder // which report made its next request
			killed := -1
			var waits [2]bool
			arrive := func(i int) {
				waits[i] = <-sides[i].waits
				if waits[i] && killed < 0 && !complete[1] && c.choose(2) == 1 {
					killed = i
				}
				for killed == i && waits[i] { // it makes no further request
					sides[i].pass <- false
					waits[i] = <-sides[i].waits
				}
			}
			arrive(0)
			arrive(1)
			for waits[0] || waits[1] {
				next := 0
				if !waits[0] || waits[1] && c.choose(2) == 1 {
					next = 1
				}
				order.WriteByte("ab"[next])
				sides[next].pass <- true
				arrive(next)
			}
			summary := server.Get("run/report/summary.json")
			if bytes.Contains(summary, []byte(`"complete": true`)) && server.Get("run/report/SHA256SUMS") == nil {
				// The last requests of the first report, and no others, are between the first
				// two of the second one.
				if !complete[1] && killed == 1 && strings.Count(order.String(), "b") == 2 && strings.HasSuffix(order.String(), "aab") {
					named++
				} else {
					t.Errorf("%v, order %s, killed %d: complete without a manifest", complete, &order, killed)
				}
			}
			if killed < 0 && summary == nil && sides[0].err == nil && sides[1].err == nil {
				t.Errorf("%v, order %s: no summary", complete, &order)
			}
		}
		t.Logf("%v: %d runs", complete, runs)
		if (named == 0) == (complete[0] != complete[1]) {
			t.Errorf("%v: %d times the case that is named", complete, named)
		}
	}
}

// A side is one of several processes. Its requests wait.
type side struct {
	store *store.Store
	waits chan bool // gets true when a request waits, and false when the process has ended
	pass  chan bool // whether the server gets the request
	err   error     // of the process
}

func newSide(t *testing.T, server *storetest.Server) *side {
	s := &side{waits: make(chan bool), pass: make(chan bool)}
	s.store = storeBefore(t, server, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/problems.jsonl") { // whose order makes no difference
			server.ServeHTTP(w, r)
		} else if s.waits <- true; <-s.pass {
			server.ServeHTTP(w, r)
		} else {
			w.WriteHeader(http.StatusForbidden)
		}
	})
	return s
}

// storeBefore returns a store whose requests a handler gets.
func storeBefore(t *testing.T, server *storetest.Server, handler http.HandlerFunc) *store.Store {
	t.Helper()
	before := httptest.NewServer(handler)
	t.Cleanup(before.Close)
	address := server.URL
	server.URL = before.URL
	s, err := store.New(store.Options{Params: []string{server.Params()}, Retries: 1})
	server.URL = address
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// choices are those of one run after the other: all there are.
type choices struct {
	made, of []int
	next     int
}

// choose returns a number below n.
func (c *choices) choose(n int) int {
	if c.next == len(c.made) {
		c.made, c.of = append(c.made, 0), append(c.of, n)
	}
	c.next++
	return c.made[c.next-1]
}

// again begins the next run, or returns false if there is none.
func (c *choices) again() bool {
	for c.next = 0; len(c.made) > 0; {
		last := len(c.made) - 1
		if c.made[last]++; c.made[last] < c.of[last] {
			return true
		}
		c.made, c.of = c.made[:last], c.of[:last]
	}
	return false
}

// If the answer to the creation of a summary is lost, it is created again, and is there
// already. It goes if the manifest has gone. The summary of another report stays if it does
// not say complete.
func TestSummaryWhoseAnswerIsLost(t *testing.T) {
	for _, other := range []string{"", `{"complete": false}`, "damaged"} {
		t.Run(other, func(t *testing.T) {
			t.Parallel() // the SDK waits before it repeats a request
			server := storetest.New(t)
			created := 0
			s := storeBefore(t, server, func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPut || !strings.HasSuffix(r.URL.Path, "/summary.json") {
					server.ServeHTTP(w, r)
					return
				}
				if created++; created > 1 {
					server.ServeHTTP(w, r)
					return
				}
				server.Delete("run/report/SHA256SUMS")
				if other != "" {
					server.Put("run/report/summary.json", []byte(other))
				}
				server.ServeHTTP(httptest.NewRecorder(), r)
				w.WriteHeader(http.StatusInternalServerError)
			})
			err := (&Journal{Store: s, URL: server.Name("run")}).writeReport(t.Context(), &Report{Complete: true}, strings.NewReader(""), strings.NewReader(""))
			summary := server.Get("run/report/summary.json")
			if stays := strings.HasPrefix(other, "{"); err == nil || created != 2 || (summary != nil) != stays {
				t.Errorf("%v after %d requests; the summary: %s", err, created, summary)
			}
		})
	}
}

// After a signal, a complete report does not begin to write its summary.
func TestSummaryAfterASignal(t *testing.T) {
	j := newJournal(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	signal := errors.New("a signal")
	err := j.writeReport(ctx, &Report{Complete: true}, strings.NewReader(""), &seeker{strings.NewReader(""), func() { cancel(signal) }})
	if _, statErr := os.Stat(j.URL + "/report/summary.json"); !errors.Is(err, signal) || !errors.Is(statErr, fs.ErrNotExist) {
		t.Errorf("got %v; the summary: %v", err, statErr)
	}
}

// onServer returns a journal in a store whose server can fail, with so many retries, or with
// the usual number if retries is 0.
func onServer(t *testing.T, retries int) (*storetest.Server, *Journal) {
	t.Helper()
	server := storetest.New(t)
	s, err := store.New(store.Options{Params: []string{server.Params()}, Retries: retries})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return server, &Journal{Store: s, URL: "s3://" + storetest.Bucket + "/run"}
}

// A summary stays if it is only not known whether its manifest does.
func TestManifestThatCannotBeRead(t *testing.T) {
	server, j := onServer(t, 0)
	ctx := t.Context()
	server.Faults(func(string, int) storetest.Fault { return storetest.Fault{Status: 503} })
	err := j.writeReport(ctx, &Report{Complete: true}, strings.NewReader(""), strings.NewReader(""))
	if err == nil || !strings.Contains(err.Error(), "the manifest cannot be read: ") || server.Get("run/report/summary.json") == nil {
		t.Errorf("got %v; the summary: %s", err, server.Get("run/report/summary.json"))
	}
}

// A plan that is replaced while it is read is read again. One that changes each time is an error.
func TestPlanThatChanges(t *testing.T) {
	server, j := onServer(t, 1)
	ctx := t.Context()
	var texts [][]byte
	for _, lists := range []string{"first", "second"} {
		if _, err := j.Split(ctx, Split{Shards: 1, Lists: from(lists), Replace: true}, entries(1)); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, server.Get("run/plan.json"))
	}
	for changes, want := range map[int]string{1: "second", reads - 1: "second", reads: ""} {
		server.Put("run/plan.json", texts[0])
		made := 0
		server.Faults(func(key string, nth int) storetest.Fault {
			if made == changes || nth%2 == 1 { // the store asks for the rest, and finds another plan
				return storetest.Fault{}
			}
			return storetest.Fault{Cut: 10, Then: func() {
				made++
				server.Put(key, append(bytes.Clone(texts[1]), strings.Repeat(" ", made)...))
			}}
		})
		plan, err := j.Plan(ctx)
		switch {
		case want == "":
			if !errors.Is(err, store.ErrChanged) {
				t.Errorf("changed %d times: got %+v, %v", changes, plan, err)
			}
		case err != nil || plan.Lists[0].Name != want:
			t.Errorf("changed %d times: got %+v, %v; want that of %s", changes, plan, err, want)
		}
	}
}

// A result that is replaced while it is read is read again, and counts once. One that changes
// each time is an error that names it.
func TestResultThatChanges(t *testing.T) {
	server, j := onServer(t, 1)
	ctx := t.Context()
	plan, err := j.Split(ctx, Split{Shards: 1}, entries(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	texts := make([][]byte, reads+1)
	for i := range texts {
		a := &fixity.Result{Line: 1, Name: "1", Outcome: fixity.New, SHA256: zeros, Size: 1}
		b := &fixity.Result{Line: 2, Name: "2", Outcome: fixity.Unreadable, Error: fmt.Sprint("error ", i, strings.Repeat("x", 100*(reads-i))), Size: -1}
		texts[i] = resultFrom(Origin{Shard: plan.Shards[0].Digest}, a, b)
	}
	key := "run/results/" + plan.Shards[0].Digest + ".jsonl"
	for _, changes := range []int{1, reads - 1, reads} {
		replace := func() {
			server.Put(key, texts[0])
			made := 0
			server.Faults(func(k string, nth int) storetest.Fault {
				if k != key || made == changes || nth%2 == 1 { // the store asks for the rest, and finds another result
					return storetest.Fault{}
				}
				return storetest.Fault{Cut: len(texts[made]) - 20, Then: func() {
					made++
					server.Put(key, texts[made])
				}}
			})
		}
		replace()
		report, err := j.Report(ctx, -1)
		var copied bytes.Buffer
		replace()
		known, copyErr := j.CopyResult(ctx, plan.Shards[0], &copied, func(*fixity.Result) {})
		if changes == reads {
			for _, err := range []error{err, copyErr} {
				if !errors.Is(err, store.ErrChanged) || !strings.Contains(err.Error(), key) {
					t.Errorf("it always changes: %v", err)
				}
			}
			continue
		}
		if err != nil || !report.Complete || report.Lines != 2 {
			t.Errorf("changed %d times: got %+v, %v", changes, report, err)
		}
		if got := string(server.Get("run/report/problems.jsonl")); strings.Count(got, "\n") != 1 || !strings.Contains(got, fmt.Sprint("error ", changes)) {
			t.Errorf("changed %d times: got %s", changes, got)
		}
		if copyErr != nil || !known || !bytes.Equal(copied.Bytes(), texts[changes]) {
			t.Errorf("changed %d times: copied %s, %v", changes, &copied, copyErr)
		}
	}
}

// Sorting puts its files where all temporary files are.
func TestSorterHeedsTMPDIR(t *testing.T) {
	dir := t.TempDir()
	for place, good := range map[string]bool{dir: true, storetest.WriteFile(t, dir, "file", nil): false} {
		for _, name := range []string{"TMPDIR", "TMP"} {
			t.Setenv(name, place)
		}
		s := newSorter(t.Context(), 10)
		for i := range 100 {
			s.add(fmt.Sprint(i))
		}
		n := len(slices.Collect(s.all()))
		if err := s.err(); (err == nil && n == 100) != good {
			t.Errorf("TMPDIR %s: %d strings, %v", place, n, err)
		}
		s.close()
	}
}

// A seeker calls a function before it is read.
type seeker struct {
	*strings.Reader
	before func()
}

func (s *seeker) Seek(offset int64, whence int) (int64, error) {
	s.before()
	return s.Reader.Seek(offset, whence)
}

// What cannot be read now is neither missing nor damaged: nobody plans the run again for
// it, reads its objects again or removes its manifest.
func TestStoreThatFails(t *testing.T) {
	server, j := onServer(t, 0)
	ctx := t.Context()
	plan, err := j.Split(ctx, Split{Shards: 1}, entries(1))
	if err != nil {
		t.Fatal(err)
	}
	write(t, j, plan.Shards[0], &fixity.Result{Line: 1, Name: "1", Outcome: fixity.New, SHA256: zeros, Size: 1})
	if report, err := j.Report(ctx, -1); err != nil || !report.Complete {
		t.Fatalf("got %+v, %v", report, err)
	}
	for _, tt := range []struct {
		name  string
		of    string // is in the object's name
		fault storetest.Fault
	}{
		{"the plan is forbidden", "plan.json", storetest.Fault{Status: 403}},
		{"the plan does not come", "plan.json", storetest.Fault{Status: 503}},
		{"the plan is cut off", "plan.json", storetest.Fault{Cut: 10}},
		{"the result is forbidden", "results/", storetest.Fault{Status: 403}},
		{"the result does not come", "results/", storetest.Fault{Status: 503}},
		{"the result is cut off", "results/", storetest.Fault{Cut: 10}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server.Faults(func(key string, _ int) storetest.Fault {
				if strings.Contains(key, tt.of) {
					return tt.fault
				}
				return storetest.Fault{}
			})
			defer server.Faults(nil)
			if report, err := j.Report(ctx, 1); err == nil || report != nil {
				t.Errorf("a report: %+v, %v", report, err)
			}
			if server.Get("run/report/SHA256SUMS") == nil {
				t.Error("the manifest is gone")
			}
			if tt.of == "plan.json" {
				if _, err := j.Split(ctx, Split{Shards: 1}, entries(2)); err == nil {
					t.Error("another plan is made")
				}
				if _, err := j.Plan(ctx); err == nil {
					t.Error("a plan")
				}
			} else if known, err := j.CopyResult(ctx, plan.Shards[0], io.Discard, func(*fixity.Result) {}); known || err == nil {
				t.Errorf("known %v, %v", known, err)
			}
		})
	}
}
