// Package journal keeps what a run is to do and what it has done, on any store,
// so that each part of it can be done by anybody, twice, or later.
//
// A run is in a directory of its own:
//
//	plan.json               the shards, with their digests and numbers of lines
//	shards/DIGEST.jsonl     the lines of a shard
//	results/DIGEST.jsonl    what became of them: a worker's output for the shard
//	                        with that digest, or for a part of a list if there is no
//	                        plan
//	unchanged/DIGEST.jsonl  the results of an earlier run for lines that are in no
//	                        shard
//	states/KEY.json         how far a long object has been read
//	failures.json           the failures in a row with which shards ended
//	report/                 what all shards amount to
//
// Each object appears whole or not at all. A result says all about its shard:
// with it, the objects need not be read again. Two callers with different lists write
// different objects, but for the plan, which only the first can write.
//
// A plan says its format. One of another format is refused, and results of another
// count as damaged: workers make them again.
package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

// A Journal holds the plan and the results of one run.
type Journal struct {
	Store *store.Store
	URL   string
}

// planFormat changes with the form of a plan and of results.
const planFormat = 3

// A Plan says of what a run consists.
type Plan struct {
	Format int `json:"format"`
	// Started is when the plan was made, as of RFC 3339.
	Started string `json:"started"`
	// Lists are the lists that the lines come from.
	Lists []list.Source `json:"lists"`
	// Dir is the directory at which relative names begin, as split's user named it, or "" if no
	// name is relative. Its links stay: they may lead elsewhere on each machine.
	Dir string `json:"directory,omitempty"`
	// Lines is how many lines all shards have, and Bytes how many bytes their
	// objects, as far as the lists say.
	Lines int64 `json:"lines"`
	Bytes int64 `json:"bytes"`
	// Unchanged are the results of further lines, which have not changed since an earlier
	// run, and Since is the URL of that.
	Unchanged Shard  `json:"unchanged,omitzero"`
	Since     string `json:"since,omitempty"`
	// Asked is how many shards there were to be; there may be fewer.
	Asked  int     `json:"shards_asked"`
	Shards []Shard `json:"shards"`
}

// A Shard is a part of a run.
type Shard struct {
	Digest string `json:"digest"` // as DigestBelow returns it
	Lines  int64  `json:"lines"`
	Bytes  int64  `json:"bytes"`
}

// IsRelative reports whether the object of an entry depends on a directory.
func IsRelative(e *list.Entry) bool { return e.Malformed == "" && store.IsRelative(e.Name) }

// otherDir reports whether both directories are known and, on this machine, not the same.
func otherDir(a, b string) bool {
	return a != "" && b != "" && a != b && store.Canonical(a) != store.Canonical(b)
}

// DigestBelow returns the digest of a shard whose relative names begin at dir, from the
// SHA-256 of its lines: below another directory the same names are of other objects. dir is
// "" if no name of the shard is relative.
func DigestBelow(dir, lines string) string {
	if dir == "" {
		return lines
	}
	sum := sha256.Sum256([]byte(lines + dir))
	return hex.EncodeToString(sum[:])
}

// Add counts an entry of the shard.
func (s *Shard) Add(e *list.Entry) {
	s.Lines++
	s.Bytes = plus(s.Bytes, max(e.Size, 0))
}

// ShardName returns the name of the lines of a shard.
func (j *Journal) ShardName(s Shard) string {
	return store.Join(j.URL, "shards/"+s.Digest+".jsonl")
}

// unchangedName returns the name of the results with a digest that come from an earlier
// run.
func (j *Journal) unchangedName(digest string) string {
	return store.Join(j.URL, "unchanged/"+digest+".jsonl")
}

// resultName returns the name of the result of the shard with a digest.
func (j *Journal) resultName(digest string) string {
	return store.Join(j.URL, "results/"+digest+".jsonl")
}

func (j *Journal) planName() string { return store.Join(j.URL, "plan.json") }

// Plan returns the plan of the run, or nil if it has none. If another plan takes its place while
// it is read, as Split with Replace does, Plan returns that one.
func (j *Journal) Plan(ctx context.Context) (*Plan, error) {
	text, err := j.readText(ctx, j.planName(), "the plan")
	for tries := 1; errors.Is(err, store.ErrChanged) && tries < reads; tries++ {
		text, err = j.readText(ctx, j.planName(), "the plan")
	}
	if text == nil || err != nil {
		return nil, err
	}
	p := new(Plan)
	var version struct{ Format int }
	if json.Unmarshal(text, &version) == nil && version.Format != planFormat {
		return nil, fmt.Errorf("%w: use a new journal", &formatError{j.planName(), version.Format})
	}
	if err = json.Unmarshal(text, p); err == nil {
		err = p.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; remove it and split the lists again, into as many shards", j.planName(), err)
	}
	return p, nil
}

// A formatError says that a plan is of another version of fleetsum.
type formatError struct {
	plan   string
	format int
}

func (e *formatError) Error() string {
	return fmt.Sprintf("%s has format %d, and this fleetsum has format %d", e.plan, e.format, planFormat)
}

// reads is how often a plan or a result is read that changes each time.
const reads = 5

// readText returns the text of an object of the journal, or nil if there is none. `what` names the
// object in errors.
func (j *Journal) readText(ctx context.Context, name, what string) ([]byte, error) {
	f, err := j.Store.Open(ctx, name, "")
	if store.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", what, err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	return text, nil
}

// check returns an error if p is not a plan that Split made.
func (p *Plan) check() error {
	lines := int64(0)
	for _, s := range p.Shards {
		lines += s.Lines
	}
	if p.Asked < max(1, len(p.Shards)) || lines != p.Lines {
		return errors.New("its numbers contradict each other")
	}
	return nil
}

// CopyResult copies the result of a shard to w, calls each with its results, and reports
// whether there is one that can be relied on. If not, what is in w is of no use.
func (j *Journal) CopyResult(ctx context.Context, s Shard, w io.Writer, each func(*fixity.Result)) (bool, error) {
	_, err := j.readShard(ctx, s, w, func(r *fixity.Result) error {
		each(r)
		return nil
	})
	var d *damagedError
	if errors.As(err, &d) {
		return false, nil
	}
	return err == nil, err
}

// WriteResult writes the result of the shard with a digest.
func (j *Journal) WriteResult(ctx context.Context, digest string, from io.ReadSeeker) error {
	return j.Store.Write(ctx, j.resultName(digest), from)
}

func (j *Journal) rowsName() string { return store.Join(j.URL, "failures.json") }

// Rows returns the failures in a row with which the shards that were checked last ended.
// Workers that end at the same time may write over each other's.
func (j *Journal) Rows(ctx context.Context) (fixity.Rows, error) {
	text, err := j.readText(ctx, j.rowsName(), "the failures in a row")
	if text == nil || err != nil {
		return nil, err
	}
	var rows fixity.Rows
	if json.Unmarshal(text, &rows) != nil {
		return nil, nil // they begin again
	}
	return rows, nil
}

// SetRows writes what Rows returns.
func (j *Journal) SetRows(ctx context.Context, rows fixity.Rows) error {
	return j.Store.Write(ctx, j.rowsName(), bytes.NewReader(list.AppendJSON(nil, rows)))
}

// A Summary is the last line of a worker's output.
type Summary struct {
	Summary fixity.Counts `json:"summary"`
	// SHA256 is the digest of all lines before this one.
	SHA256 string `json:"sha256"`
	Origin
}

// An Origin says of which lines a result in a journal is.
type Origin struct {
	// Shard is the digest of the shard: a copy under another shard's name is damaged.
	Shard string `json:"shard,omitempty"`
	// List is the list's ID, as input.Reader has it, so that Report counts a list once,
	// whichever names its options make of it. A shard of a plan has none.
	List string `json:"list,omitempty"`
	// Text is the ID of the list's text, so that Report notices a list that was read in two
	// formats.
	Text string `json:"text,omitempty"`
}

// A Summer makes the summary of results.
type Summer struct {
	Origin
	counts fixity.Counts
	hash   hash.Hash
}

// NewSummer returns a Summer that has no results.
func NewSummer() *Summer { return &Summer{hash: sha256.New()} }

// Add adds a result and its line.
func (s *Summer) Add(r *fixity.Result, line []byte) {
	s.counts.Add(r)
	s.hash.Write(line)
}

// Line returns the last line of the output.
func (s *Summer) Line() []byte {
	return list.AppendJSON(nil, s.summary())
}

func (s *Summer) summary() Summary {
	return Summary{s.counts, hex.EncodeToString(s.hash.Sum(nil)), s.Origin}
}

// ReadResult calls each with the results in a worker's output, and returns its
// summary. It is an error if the output is not one that a worker wrote: the summary
// covers each byte before it, and is the end.
func ReadResult(r io.Reader, each func(*fixity.Result) error) (Summary, error) {
	sum := NewSummer()
	lines := bufio.NewReaderSize(r, 256<<10)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return sum.summary(), &damagedError{errors.New("no summary")}
		}
		if err != nil && err != io.EOF {
			return sum.summary(), err
		}
		if bytes.HasPrefix(line, []byte(`{"summary":`)) {
			var written Summary
			if json.Unmarshal(line, &written) == nil {
				sum.Origin = written.Origin
			}
			if !bytes.Equal(line, sum.Line()) {
				return sum.summary(), &damagedError{errors.New("the summary is of other results")}
			}
			switch _, err := lines.ReadByte(); {
			case err == io.EOF:
				return sum.summary(), nil
			case err != nil:
				return sum.summary(), err
			}
			return sum.summary(), &damagedError{errors.New("the summary is not the end")}
		}
		var result fixity.Result
		if err = json.Unmarshal(line, &result); err == nil {
			err = result.Check()
		}
		if err != nil {
			return sum.summary(), &damagedError{fmt.Errorf("line %d: %w", n, err)}
		}
		sum.Add(&result, line)
		if err := each(&result); err != nil {
			return sum.summary(), err
		}
	}
}
