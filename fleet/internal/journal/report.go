package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

// A Report is the result of a run.
type Report struct {
	// Complete says that each line of the run has its outcome.
	Complete bool `json:"complete"`
	// Why says why not, unless a plan says which shards are missing. It also names a result
	// that does not count, but has other problems than the one that does.
	Why string `json:"why,omitempty"`
	// Shards is how many there are, and MissingShards which of them have no result, or
	// one that is damaged.
	Shards        int   `json:"shards"`
	MissingShards []int `json:"missing_shards"`
	// Unchanged is how many further lines have not changed since an earlier run, whose
	// digests of them are in the manifest.
	Unchanged int64 `json:"unchanged"`
	fixity.Counts
	// Conflicts is how many objects changed between two readings: they have several digests,
	// of which none is in the manifest.
	Conflicts int64 `json:"conflicts"`
	// Lists are the lists that the run is of.
	Lists []list.Source `json:"lists,omitempty"`
	// Started is when the plan was made, as of RFC 3339.
	Started string `json:"started,omitempty"`
}

// Status is the exit status that follows from the report: 0 if every line has
// been checked and is as it should be, 1 if there are others, 2 if some were
// not checked.
func (r *Report) Status() int {
	switch {
	case !r.Complete:
		return 2
	case r.Problems > 0 || r.Conflicts > 0:
		return 1
	}
	return 0
}

// Report joins the results of all shards and writes
//
//	report/SHA256SUMS      the digests of all objects that are as they should be, sorted
//	                       by name; a version is a part of its object's name
//	report/problems.jsonl  the results of the others, and a line for each object that
//	                       changed between two readings
//	report/summary.json    the Report
//
// It removes SHA256SUMS if the run is not complete. summary.json is there only if the
// others are as it says. If it cannot write, it returns the Report with the error.
//
// Without a plan, the run consists of the results that are there. It is complete if they
// have `lines` lines in all, no two of them share some lines and not all, and no two are of one
// list in different formats: the lines of both may hide that another part is missing. Of
// results of the same lines, or of one list with several bases, one counts, as inOrder says.
//
// If there is a plan, it is an error if that has not `lines` lines, unless `lines` is below 0.
func (j *Journal) Report(ctx context.Context, lines int64) (*Report, error) {
	plan, err := j.Plan(ctx)
	if err != nil {
		return nil, err
	}
	var found *foundLines
	if plan == nil {
		if plan, err = j.found(ctx, lines); err != nil {
			return nil, err
		}
		results, err := j.survey(ctx, plan)
		if err != nil {
			return nil, err
		}
		counts, hidden := countOnce(results)
		found = &foundLines{newSorter(ctx, manifestChunk), counts, hidden, inTwoFormats(results)}
		defer found.close()
	} else if has := plan.Lines + plan.Unchanged.Lines; lines >= 0 && lines != has {
		return nil, fmt.Errorf("%s has a plan of %d lines, not %d", j.URL, has, lines)
	}
	report := &Report{Shards: len(plan.Shards), MissingShards: []int{}, Unchanged: plan.Unchanged.Lines, Lists: plan.Lists, Started: plan.Started}
	manifest := NewManifest(ctx)
	defer manifest.Close()
	problems, err := store.TempFile()
	if err != nil {
		return nil, err
	}
	defer problems.Close()
	if err := j.join(ctx, plan, report, manifest, problems, found); err != nil {
		return nil, err
	}
	checked := report.Lines
	var why []string
	if found != nil {
		var versions [2]string
		checked, versions = found.count()
		if err := found.err(); err != nil {
			return nil, err
		}
		if len(report.MissingShards) > 0 {
			name := j.resultName(plan.Shards[report.MissingShards[0]].Digest)
			why = append(why, name+" is damaged, and does not count, or another version of fleetsum made it: then use a new journal")
		}
		why = append(why, j.why(checked, lines, versions, found.formats)...)
	}
	sums, err := store.TempFile()
	if err != nil {
		return nil, err
	}
	defer sums.Close()
	w := bufio.NewWriter(problems)
	err = manifest.Write(sums, func(r *fixity.Result) error {
		report.Conflicts++
		_, err := w.Write(r.Append(nil))
		return err
	})
	if err = errors.Join(err, w.Flush()); err != nil {
		return nil, err
	}
	report.Complete = len(report.MissingShards) == 0 && checked == plan.Lines && len(why) == 0
	if found != nil && found.hidden != nil {
		why = append(why, j.whyHidden(found.hidden))
	}
	report.Why = strings.Join(why, "; ")
	return report, j.writeReport(ctx, report, sums, problems)
}

// join reads the results of all shards into a report, its manifest and its problems. If found
// is not nil, it gets all lines of the results that count. Of the others, only the manifest
// gets the digests: they show whether an object changed.
func (j *Journal) join(ctx context.Context, plan *Plan, report *Report, manifest *Manifest, problems store.Temp, found *foundLines) error {
	w := bufio.NewWriter(problems)
	var line []byte
	for i, s := range plan.Shards {
		counts := found == nil || found.counts[s.Digest]
		// Only the end of a result shows that it is not damaged.
		start, err := problems.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		sum, err := j.readShard(ctx, s, io.Discard, func(r *fixity.Result) error {
			if !counts {
				manifest.AddOther(r)
				return nil
			}
			if found != nil {
				found.addLine(r, s)
			}
			if manifest.Add(r); !r.IsProblem() {
				return nil
			}
			line = r.Append(line[:0])
			_, err := w.Write(line)
			return err
		})
		var d *damagedError
		if errors.As(err, &d) {
			report.MissingShards = append(report.MissingShards, i)
			w.Reset(problems)
			if _, err := problems.Seek(start, io.SeekStart); err != nil {
				return err
			}
			if err := problems.Truncate(start); err != nil {
				return err
			}
			continue
		}
		if err == nil {
			err = w.Flush()
		}
		if err != nil {
			return err
		}
		if counts {
			report.AddCounts(&sum.Summary)
		}
	}
	return j.readUnchanged(ctx, plan, func(r *fixity.Result) error {
		manifest.Add(r)
		return nil
	})
}

// A foundResult is a result that is in no plan.
type foundResult struct {
	Origin
	counts   fixity.Counts
	lines    lineSum
	problems lineSum
}

// survey reads all results but damaged ones, to know which of them count before any is joined.
func (j *Journal) survey(ctx context.Context, plan *Plan) (all []foundResult, err error) {
	seed := maphash.MakeSeed()
	for _, s := range plan.Shards {
		var f foundResult
		sum, err := j.readShard(ctx, s, io.Discard, func(r *fixity.Result) error {
			key := lineKey(r, s)
			f.lines.add(seed, key)
			if r.IsProblem() {
				f.problems.add(seed, key+string(r.Outcome)+" "+r.Expected)
			}
			return nil
		})
		var d *damagedError
		if errors.As(err, &d) {
			continue
		}
		if err != nil {
			return nil, err
		}
		f.Origin, f.counts = sum.Origin, sum.Summary
		all = append(all, f)
	}
	return all, nil
}

// countOnce returns the digests of the results that count: one of each list, and one of
// those with the same lines. hidden is nil, or one that counts and another that does not
// because of it, and has other problems.
func countOnce(all []foundResult) (counts map[string]bool, hidden []foundResult) {
	slices.SortStableFunc(all, inOrder)
	counts = make(map[string]bool)
	lists, lines := make(map[string]foundResult), make(map[lineSum]foundResult)
	for _, f := range all {
		other, ok := lines[f.lines]
		if !ok {
			other, ok = lists[f.List]
		}
		counts[f.Shard] = !ok
		switch {
		case ok && hidden == nil && f.problems != other.problems:
			hidden = []foundResult{other, f}
		case !ok:
			lines[f.lines] = f
			if f.List != "" {
				lists[f.List] = f
			}
		}
	}
	return counts, hidden
}

// inTwoFormats returns two results of one list that was read in different formats, or nil.
func inTwoFormats(all []foundResult) []foundResult {
	texts := make(map[string]foundResult)
	for _, f := range all {
		switch other, ok := texts[f.Text]; {
		case f.Text == "":
		case !ok:
			texts[f.Text] = f
		case other.List != f.List:
			return []foundResult{other, f}
		}
	}
	return nil
}

// inOrder says which of two results counts if they are of one list: that with more lines, or
// with more problems.
func inOrder(a, b foundResult) int {
	return cmp.Or(cmp.Compare(b.counts.Lines, a.counts.Lines), cmp.Compare(b.counts.Problems, a.counts.Problems))
}

// lineKey returns what two results of one line have in common, as sortKey does. A
// malformed line may have no name. So those of one shard are not those of another, even
// if they are alike, such as the headers of two parts.
func lineKey(r *fixity.Result, s Shard) string {
	if r.Outcome == fixity.Malformed {
		return sortKey("", s.Digest)
	}
	return sortKey(r.FullName(), r.Version)
}

// A lineSum is the same for results of the same lines, in whatever order.
type lineSum struct {
	lines int64
	hash  uint64 // a sum: several lines may be alike
}

func (s *lineSum) add(seed maphash.Seed, key string) {
	s.lines++
	s.hash += maphash.String(seed, key)
}

// foundLines are the lines of results that are in no plan: a line's key and its result's name.
type foundLines struct {
	*sorter
	counts  map[string]bool // as of countOnce
	hidden  []foundResult   // as of countOnce
	formats []foundResult   // as of inTwoFormats
}

func (f *foundLines) addLine(r *fixity.Result, s Shard) { f.add(lineKey(r, s) + s.Digest) }

// count returns how many lines there are. A line counts as often as it occurs in the result
// that repeats it most. If two results share a line, they are versions, else that is empty.
func (f *foundLines) count() (lines int64, versions [2]string) {
	var most, times int64
	var last, lastKey, lastResult string
	for text := range f.all() {
		key, result := cutKey(text)
		if key != lastKey {
			lines, most = lines+most, 0
		} else if result != lastResult && versions[0] == "" {
			versions = [2]string{lastResult, result}
		}
		if text != last {
			times = 0
		}
		times++
		most = max(most, times)
		last, lastKey, lastResult = text, key, result
	}
	return lines + most, versions
}

// why says why what count and inTwoFormats return is not a whole run of so many lines.
func (j *Journal) why(counted, lines int64, versions [2]string, formats []foundResult) (why []string) {
	if counted != lines {
		why = append(why, fmt.Sprintf("the results have %d distinct lines, not %d", counted, lines))
	}
	if versions[0] != "" {
		why = append(why, fmt.Sprintf("%s and %s share some lines and not all: if they are of two versions of one part, remove the result of the older version; parts that overlap need 'fleetsum split'",
			j.resultName(versions[0]), j.resultName(versions[1])))
	}
	if formats != nil {
		a, b := formats[0], formats[1]
		why = append(why, fmt.Sprintf("%s, with %d problems, and %s, with %d, are one list in two formats: remove the result of the wrong format",
			j.resultName(a.Shard), a.counts.Problems, j.resultName(b.Shard), b.counts.Problems))
	}
	return why
}

// whyHidden says that of two results the second does not count.
func (j *Journal) whyHidden(hidden []foundResult) string {
	a, b := hidden[0], hidden[1]
	return fmt.Sprintf("%s (%d problems) counts, but %s (%d) does not: they have the same names or are of one list, and have different problems; remove the result of the older version or the wrong base",
		j.resultName(a.Shard), a.counts.Problems, j.resultName(b.Shard), b.counts.Problems)
}

// writeReport writes summary.json last, and removes that of an earlier report first.
// Another report, which is not complete, may remove the manifest meanwhile. It then removes
// the summary, too, and writes its own over any. So that this is not undone, a complete
// report only creates its summary, and looks for its manifest behind that. If one of the
// two is killed, or its store fails, a summary can say complete without a manifest in one
// case: the complete report creates its summary and looks for its manifest between the first
// two removals of the other, which does not come to its third.
func (j *Journal) writeReport(ctx context.Context, report *Report, manifest, problems io.ReadSeeker) error {
	text, err := report.Text()
	if err != nil {
		return err
	}
	summary, sums := store.Join(j.URL, "report/summary.json"), store.Join(j.URL, "report/SHA256SUMS")
	if err := j.Store.Remove(ctx, summary); err != nil {
		return fmt.Errorf("removing the summary of an earlier report: %w", err)
	}
	// For what a signal must not cut in half. A store that does not answer holds nothing up:
	// the program ends 5 seconds after a signal all the same.
	whole := context.WithoutCancel(ctx)
	if report.Complete {
		err = j.Store.Write(ctx, sums, manifest)
	} else if err = j.Store.Remove(whole, sums); err != nil {
		err = fmt.Errorf("removing the manifest of an earlier report: %w", err)
	} else if err = j.Store.Remove(whole, summary); err != nil {
		err = fmt.Errorf("removing the summary of another report: %w", err)
	}
	if err != nil {
		return err
	}
	if err := j.Store.Write(ctx, store.Join(j.URL, "report/problems.jsonl"), problems); err != nil {
		return err
	}
	if !report.Complete {
		return j.Store.Write(ctx, summary, bytes.NewReader(text))
	}
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		created, err := j.Store.Create(whole, summary, bytes.NewReader(text))
		if err != nil {
			return err
		}
		f, err := j.Store.Open(whole, sums, "")
		switch {
		case store.IsMissing(err):
			err = fmt.Errorf("the manifest is gone; another report may have removed it: %w", err)
			return errors.Join(err, j.removeComplete(whole, summary))
		case err != nil:
			return fmt.Errorf("the manifest cannot be read: %w", err)
		}
		f.Close()
		if created {
			return nil
		}
		// Another report ended before the manifest was written, or an answer was lost.
		if err := j.Store.Remove(whole, summary); err != nil {
			return fmt.Errorf("removing the summary of another report: %w", err)
		}
	}
}

// removeComplete removes a summary unless it is one that does not say complete. Whether
// this report has created it is not known for certain: if the answer is lost, the request
// is repeated, and then the summary is there already.
func (j *Journal) removeComplete(ctx context.Context, summary string) error {
	f, err := j.Store.Open(ctx, summary, "")
	if store.IsMissing(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the summary: %w", err)
	}
	defer f.Close()
	var r Report
	if err := json.NewDecoder(f).Decode(&r); err == nil && !r.Complete {
		return nil
	}
	return j.Store.Remove(ctx, summary)
}

// Text returns the report as summary.json has it.
func (r *Report) Text() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", " ")
	return append(text, '\n'), err
}

// A damagedError says that a shard has no result that can be relied on.
type damagedError struct{ error }

func (e *damagedError) Unwrap() error { return e.error }

// readShard calls each with the results of a shard, and copies the whole to w.
func (j *Journal) readShard(ctx context.Context, s Shard, w io.Writer, each func(*fixity.Result) error) (Summary, error) {
	name := j.resultName(s.Digest)
	sum, err := j.readResults(ctx, name, s.Lines, w, each)
	if err == nil && sum.Shard != s.Digest {
		err = fmt.Errorf("%s: %w", name, &damagedError{errors.New("the result of another shard")})
	}
	return sum, err
}

// readResults is readShard of the object of a name, with so many results unless lines is
// below 0. An object that is replaced while it is read is read again: it goes to a file first,
// so that nobody gets lines of both.
func (j *Journal) readResults(ctx context.Context, name string, lines int64, w io.Writer, each func(*fixity.Result) error) (sum Summary, err error) {
	defer func() {
		if err != nil && !strings.Contains(err.Error(), name) {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}()
	f, err := store.TempFile()
	if err != nil {
		return sum, err
	}
	defer f.Close()
	err = j.copyTo(ctx, name, f)
	for tries := 1; errors.Is(err, store.ErrChanged) && tries < reads; tries++ {
		err = j.copyTo(ctx, name, f)
	}
	if store.IsMissing(err) {
		return Summary{}, &damagedError{err}
	}
	if err != nil {
		return Summary{}, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return sum, err
	}
	sum, err = ReadResult(io.TeeReader(f, w), each)
	if err == nil && lines >= 0 && sum.Summary.Lines != lines {
		err = &damagedError{fmt.Errorf("%d lines, not %d", sum.Summary.Lines, lines)}
	}
	return sum, err
}

// copyTo makes a file a copy of an object.
func (j *Journal) copyTo(ctx context.Context, name string, f store.Temp) error {
	r, err := j.Store.Open(ctx, name, "")
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return err
}

var resultOf = regexp.MustCompile(`/([0-9a-f]{64})\.jsonl$`)

// found returns a plan of the results that are there.
func (j *Journal) found(ctx context.Context, lines int64) (*Plan, error) {
	if lines < 0 {
		return nil, fmt.Errorf("%s has no plan that says how many lines there should be: --lines says it", j.URL)
	}
	plan := &Plan{Lines: lines}
	seen := make(map[string]bool)
	err := j.listResults(ctx, func(digest string, _ time.Time) {
		if !seen[digest] { // somebody may have left a copy in a directory below
			seen[digest] = true
			plan.Shards = append(plan.Shards, Shard{Digest: digest, Lines: -1})
		}
	})
	if err == nil && len(plan.Shards) == 0 {
		return nil, fmt.Errorf("%s has neither a plan nor results", j.URL)
	}
	return plan, err
}

// listResults calls each with the digest of each result, and when it was written.
func (j *Journal) listResults(ctx context.Context, each func(digest string, written time.Time)) error {
	err := j.Store.ListBelow(ctx, store.Join(j.URL, "results"), func(i store.Info) error {
		// A worker that was killed may have left a part of a result.
		if m := resultOf.FindStringSubmatch(i.Name); m != nil {
			each(m[1], i.Modified)
		}
		return nil
	})
	if errors.Is(err, store.ErrNone) {
		return nil
	}
	return err
}

// A Manifest collects digests and writes them sorted by name, however many
// there are. Close must be called.
type Manifest struct{ sorter *sorter }

// manifestChunk is how many digests are sorted in memory.
const manifestChunk = 50_000

// NewManifest returns an empty Manifest.
func NewManifest(ctx context.Context) *Manifest { return &Manifest{newSorter(ctx, manifestChunk)} }

// Add adds the digest of an object, if it has one. That of a problem is as of AddOther.
func (m *Manifest) Add(r *fixity.Result) { m.add(r, r.IsProblem()) }

func (m *Manifest) add(r *fixity.Result, other bool) {
	if r.SHA256 == "" {
		return
	}
	kind := kindOf(r)
	text := list.NameOfVersion(r.FullName(), r.Version) + "\x00" + kind + "\x00" + r.SHA256
	if other {
		text += "\x00"
	}
	m.sorter.add(text)
}

// AddOther adds a digest that Write does not write: it only shows whether the object has
// another digest, too.
func (m *Manifest) AddOther(r *fixity.Result) { m.add(r, true) }

// kindOf returns what two digests of one object have in common. Composite checksums of
// different parts differ, though the object is the same.
func kindOf(r *fixity.Result) string {
	if n := list.Parts(r.SHA256); n > 0 {
		return fmt.Sprint(n, "/", r.PartSize)
	}
	return ""
}

// A manifestObject has the digests of one name.
type manifestObject struct {
	name, kind, sum string // of the last digest
	good            []string
	conflict        string // two digests, or ""
}

// Write writes the digests, as coreutils does. Nothing can be added any more.
// Duplicates are written once. It calls conflict in place of writing an object that has
// several digests: it changed between two readings, and nothing says which was the last.
func (m *Manifest) Write(w io.Writer, conflict func(*fixity.Result) error) error {
	b := bufio.NewWriter(w)
	var o manifestObject
	end := func() error {
		if o.conflict != "" {
			return conflict(o.result())
		}
		name, mark := o.name, ""
		if strings.ContainsAny(name, "\\\n\r") {
			name, mark = escapeName.Replace(name), `\`
		}
		for _, sum := range o.good {
			b.WriteString(mark + sum + "  " + name + "\n")
		}
		return nil
	}
	var err error
	for line := range m.sorter.all() {
		name, rest, _ := strings.Cut(line, "\x00")
		kind, sum, _ := strings.Cut(rest, "\x00")
		sum, bad := strings.CutSuffix(sum, "\x00")
		if name != o.name {
			err = errors.Join(err, end())
			o = manifestObject{name: name, good: o.good[:0]}
		}
		if o.sum != "" && kind == o.kind && sum != o.sum && o.conflict == "" {
			o.conflict = o.sum + " and " + sum
		}
		if !bad && o.conflict == "" && (len(o.good) == 0 || o.good[len(o.good)-1] != sum) {
			o.good = append(o.good, sum)
		}
		o.kind, o.sum = kind, sum
	}
	if err = errors.Join(err, m.sorter.err()); err != nil {
		return err
	}
	return errors.Join(end(), b.Flush())
}

// result returns the result of an object that changed.
func (o *manifestObject) result() *fixity.Result {
	name, version := list.CutVersion(o.name)
	r := &fixity.Result{Name: name, Version: version, Outcome: fixity.Unreadable, Size: -1, Error: "changed between two readings: " + o.conflict}
	if !utf8.ValidString(name) {
		r.NameBytes = []byte(name)
	}
	return r
}

var escapeName = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)

// Close ends the sorting and removes its files.
func (m *Manifest) Close() { m.sorter.close() }
