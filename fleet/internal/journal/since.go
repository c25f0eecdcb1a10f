package journal

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

// sinceChunk is how many results and entries are sorted in memory.
const sinceChunk = 20_000

// problem stands for each result of an object that is not as it should be. It comes before all
// other results of the object.
const problem = "!"

// indexDigits is how many digits the index of an entry has in strings that are sorted.
const indexDigits = 15

// leaveOut writes the results of all entries that have not changed since earlier results
// to the journal, and sets unchanged to what these are. It returns the other entries. An
// object of which one earlier result is a problem, or two have different digests, is among
// them: nothing says which result was the last.
// Both sides are sorted by name, outside of memory, which has a bit for each entry.
func (j *Journal) leaveOut(ctx context.Context, lines *spool, unchanged *Shard, earlier func(each func(*fixity.Result) error) error) (*spool, error) {
	results := newSorter(ctx, sinceChunk)
	defer results.close()
	if err := earlier(func(r *fixity.Result) error {
		found := problem
		if !r.IsProblem() {
			r.Line = 0 // so that what is found twice is one string
			found = string(r.Append(nil))
		}
		results.add(sortKey(r.FullName(), r.Version) + found)
		return nil
	}); err != nil {
		return nil, err
	}
	entries := newSorter(ctx, sinceChunk)
	defer entries.close()
	err := lines.each(func(i int64, e *list.Entry) error {
		// All others are checked: nothing says whether they have changed.
		if e.Malformed == "" && !e.Deleted && (e.ETag != "" || !e.Modified.IsZero() || isFixed(e.Version)) {
			entries.add(sortKey(e.Name, e.Version) + fmt.Sprintf("%0*d", indexDigits, i) + string(e.Append(nil)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	f, err := store.TempFile()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum, w := NewSummer(), bufio.NewWriter(f)
	left := make([]uint64, lines.lines/64+1)
	var line []byte
	if err := pairs(results.all(), entries.all(), func(found []fixity.Result, entry string) error {
		e, i, err := parseIndexed(entry)
		if err != nil {
			return err
		}
		for _, r := range found {
			if !carryOver(&r, e) {
				continue
			}
			left[i/64] |= 1 << (i % 64)
			line = r.Append(line[:0])
			sum.Add(&r, line)
			_, err := w.Write(line)
			return err
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if err := errors.Join(results.err(), entries.err()); err != nil {
		return nil, err
	}
	if sum.counts.Lines > 0 {
		*unchanged = Shard{Digest: hex.EncodeToString(sum.hash.Sum(nil)), Lines: sum.counts.Lines, Bytes: sum.counts.Bytes}
		if _, err := w.Write(sum.Line()); err != nil {
			return nil, err
		}
		if err := w.Flush(); err != nil {
			return nil, err
		}
		if err := j.Store.Write(ctx, j.unchangedName(unchanged.Digest), f); err != nil {
			return nil, err
		}
	}
	rest, err := newSpool()
	if err != nil {
		return nil, err
	}
	if err := lines.each(func(i int64, e *list.Entry) error {
		if left[i/64]>>(i%64)&1 != 0 {
			return nil
		}
		return rest.add(e)
	}); err != nil {
		rest.Close()
		return nil, err
	}
	return rest, nil
}

// checked calls each with the results of all objects that the run checked, and with those
// of an earlier run if the objects have not changed since. It is an error if names are
// relative here and below dir, and dir is another directory.
func (j *Journal) checked(ctx context.Context, dir string, each func(*fixity.Result) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("reading the run %s: %w", j.URL, err)
		}
	}()
	plan, err := j.Plan(ctx)
	if other := new(formatError); errors.As(err, &other) {
		return fmt.Errorf("%w: leave out --since", other)
	}
	if err != nil {
		return err
	}
	if plan == nil {
		return errors.New("there is no plan")
	}
	if otherDir(dir, plan.Dir) {
		return fmt.Errorf("its relative names begin at %s, those of the lists at %s", plan.Dir, dir)
	}
	for _, s := range plan.Shards {
		if _, err := j.readShard(ctx, s, io.Discard, each); err != nil && !store.IsMissing(err) {
			return err
		}
	}
	return j.readUnchanged(ctx, plan, each)
}

// readUnchanged calls each with the results that come from an earlier run.
func (j *Journal) readUnchanged(ctx context.Context, plan *Plan, each func(*fixity.Result) error) error {
	if plan.Unchanged.Lines == 0 {
		return nil
	}
	name := j.unchangedName(plan.Unchanged.Digest)
	if _, err := j.readResults(ctx, name, plan.Unchanged.Lines, io.Discard, each); err != nil {
		return fmt.Errorf("%w; 'fleetsum split' makes it again", err)
	}
	return nil
}

// carryOver makes the result of an earlier run that of an entry, and reports whether
// that is right: what both know of the object's contents is the same, and they know
// something. A version without a size is no news of an object: lines of a manifest have it.
// Times are of the store and of lists, never of this machine.
func carryOver(r *fixity.Result, e *list.Entry) bool {
	same := e.Size < 0 || e.Size == r.Size
	known := isFixed(e.Version) && e.Size >= 0
	if e.ETag != "" && r.ETag != "" {
		same, known = same && e.ETag == r.ETag, true
	}
	if !e.Modified.IsZero() && r.Modified != nil {
		same, known = same && store.SameTime(e.Name, e.Modified, *r.Modified), true
	}
	r.Line, r.Outcome = e.Line, fixity.Match
	switch e.Expected() {
	case r.Expected:
		// Other digests were checked then, too.
		if r.Expected == "" {
			r.Outcome = fixity.New
		}
	case r.SHA256:
		r.Expected, r.Computed = r.SHA256, ""
	case "":
		// What is to be new is a digest of the whole.
		same = same && list.Parts(r.SHA256) == 0
		r.Outcome, r.Expected, r.Computed = fixity.New, "", ""
	default:
		return false
	}
	return same && known
}

// isFixed reports whether what has a version cannot be replaced. S3's null version can.
func isFixed(version string) bool { return version != "" && version != "null" }

// sortKey is what comes before the data of an object in strings that are sorted. It has
// two NULs: names have none.
func sortKey(name, version string) string {
	return name + "\x00" + strings.ReplaceAll(version, "\x00", "") + "\x00"
}

// cutKey returns the key and the data behind it.
func cutKey(text string) (key, data string) {
	i := strings.IndexByte(text, 0) + 1
	i += strings.IndexByte(text[i:], 0) + 1
	return text[:i], text[i:]
}

// parseIndexed returns an entry of strings that are sorted, and its index.
func parseIndexed(text string) (*list.Entry, uint64, error) {
	i, err := strconv.ParseUint(text[:indexDigits], 10, 64)
	if err != nil {
		return nil, 0, err
	}
	e, err := list.ParseEntry(text[indexDigits:])
	return &e, i, err
}

// pairs calls each with the data of each string of entries, and with the results of the same
// key, unless these are problems or have different digests. Both sides are sorted, and are
// read to their ends. Duplicates of results count once.
func pairs(results, entries iter.Seq[string], each func(found []fixity.Result, entry string) error) error {
	next, stop := iter.Pull(results)
	defer stop()
	text, ok := next()
	var found []fixity.Result
	digests := make(map[string]string) // of found, by kindOf
	current := ""
	for entry := range entries {
		key, data := cutKey(entry)
		if key != current {
			current, found = key, found[:0]
			last, agree := "", true
			clear(digests)
			for ; ok; text, ok = next() {
				resultKey, result := cutKey(text)
				if resultKey > key {
					break
				}
				if resultKey < key || !agree || result == last {
					continue
				}
				last = result
				if agree = result != problem; !agree {
					continue
				}
				var r fixity.Result
				if err := json.Unmarshal([]byte(result), &r); err != nil {
					return err
				}
				kind := kindOf(&r)
				digest, known := digests[kind]
				agree = !known || digest == r.SHA256
				digests[kind] = r.SHA256
				found = append(found, r)
			}
			if !agree {
				found = found[:0]
			}
		}
		if len(found) == 0 {
			continue
		}
		if err := each(found, data); err != nil {
			return err
		}
	}
	for ok {
		_, ok = next()
	}
	return nil
}
