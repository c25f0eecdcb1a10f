// Package journal keeps what a run is to do and what it has done, on any store,
// so that each part of it can be done by anybody, twice, or later.
//
// A run is in a directory of its own:
//
//	plan.json               the shards, with their digests and numbers of lines
//	shards/00000.jsonl      the lines of a shard
//	results/DIGEST.jsonl    what became of them: a worker's output for the shard
//	                        with that digest
//	report/                 what all shards amount to
//
// Each object appears whole or not at all. A result says all about its shard:
// with it, the objects need not be read again.
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

// A Plan says of what a run consists.
type Plan struct {
	// Started is when the plan was made, as of RFC 3339.
	Started string `json:"started"`
	// Lists are the names of the lists.
	Lists []string `json:"lists"`
	// Lines is how many lines all shards have, and Bytes how many bytes their
	// objects, as far as the lists say.
	Lines int64 `json:"lines"`
	Bytes int64 `json:"bytes"`
	// Unchanged is how many further lines an earlier run has checked.
	Unchanged int64 `json:"unchanged"`
	// Asked is how many shards there were to be; there may be fewer.
	Asked  int     `json:"shards_asked"`
	Shards []Shard `json:"shards"`
}

// A Shard is a part of a run.
type Shard struct {
	Digest string `json:"digest"` // the SHA-256 of its lines
	Lines  int64  `json:"lines"`
	Bytes  int64  `json:"bytes"`
}

// ShardName returns the name of the lines of a shard.
func (j *Journal) ShardName(i int) string {
	return store.Join(j.URL, fmt.Sprintf("shards/%05d.jsonl", i))
}

// resultName returns the name of the result of the shard with a digest.
func (j *Journal) resultName(digest string) string {
	return store.Join(j.URL, "results/"+digest+".jsonl")
}

func (j *Journal) planName() string { return store.Join(j.URL, "plan.json") }

// Plan returns the plan of the run, or nil if it has none.
func (j *Journal) Plan(ctx context.Context) (*Plan, error) {
	f, err := j.Store.Open(ctx, j.planName(), "")
	if store.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening the plan: %w", err)
	}
	defer f.Close()
	p := new(Plan)
	if err = json.NewDecoder(f).Decode(p); err == nil {
		err = p.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; remove it and split the lists again, into as many shards", j.planName(), err)
	}
	return p, nil
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

// result opens the result of the shard that has the given digest. If it has
// none, store.IsMissing is true for the error.
func (j *Journal) result(ctx context.Context, digest string) (io.ReadCloser, error) {
	return j.Store.Open(ctx, j.resultName(digest), "")
}

// CopyResult copies the result of a shard to w, and reports whether there is one
// that can be relied on. If not, what is in w is of no use.
func (j *Journal) CopyResult(ctx context.Context, s Shard, w io.Writer) (bool, error) {
	_, err := j.readShard(ctx, s, w, func(*fixity.Result) error { return nil })
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

// A Summary is the last line of a worker's output.
type Summary struct {
	Summary fixity.Counts `json:"summary"`
	// SHA256 is the digest of all lines before this one.
	SHA256 string `json:"sha256"`
}

// A Summer makes the summary of results.
type Summer struct {
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
	return list.AppendJSON(nil, Summary{s.counts, hex.EncodeToString(s.hash.Sum(nil))})
}

// ReadResult calls each with the results in a worker's output, and returns its
// counts. It is an error if the output is not one that a worker wrote: the summary
// covers each byte before it, and is the end.
func ReadResult(r io.Reader, each func(*fixity.Result) error) (fixity.Counts, error) {
	sum := NewSummer()
	lines := bufio.NewReaderSize(r, 256<<10)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return sum.counts, &damagedError{errors.New("no summary")}
		}
		if err != nil && err != io.EOF {
			return sum.counts, err
		}
		if bytes.HasPrefix(line, []byte(`{"summary":`)) {
			if !bytes.Equal(line, sum.Line()) {
				return sum.counts, &damagedError{errors.New("the summary is of other results")}
			}
			switch _, err := lines.ReadByte(); {
			case err == io.EOF:
				return sum.counts, nil
			case err != nil:
				return sum.counts, err
			}
			return sum.counts, &damagedError{errors.New("the summary is not the end")}
		}
		var result fixity.Result
		if err = json.Unmarshal(line, &result); err == nil {
			err = result.Check()
		}
		if err != nil {
			return sum.counts, &damagedError{fmt.Errorf("line %d: %w", n, err)}
		}
		sum.Add(&result, line)
		if err := each(&result); err != nil {
			return sum.counts, err
		}
	}
}
