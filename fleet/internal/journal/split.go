package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

// perObject is how many bytes of an object take as long as the request for it.
const perObject = 256 << 10

// A Split makes the plan of a run.
type Split struct {
	// Lists returns the lists that the entries came from, after the last entry. It may
	// be nil.
	Lists func() []list.Source
	// Shards is how many shards there are to be, of about as many bytes each. There
	// are fewer if single objects are that long, or if there are few. A journal that
	// has a plan keeps that plan's number: with another, a run that goes on would
	// find none of its results.
	Shards int
	// Since, if not nil, is an earlier run. What that found to be as it should be, and
	// has not changed since, is not checked again: the plan has its results.
	Since *Journal
	// NoDigests leaves out the digests of the lists: all objects are new.
	NoDigests bool
	// Replace allows entries that make other shards than the plan that is there, and removes
	// the report. Kept says which results count for the new plan.
	Replace bool
}

// Split writes the shards of entries, and then the plan. The same entries make
// the same shards. It is an error if the journal has a plan with others, unless o
// allows that: the plan that is there stays as it was. Of several callers with
// different entries at once, one succeeds. A store that cannot write an object only if
// there is none may let another write over its plan later.
func (j *Journal) Split(ctx context.Context, o Split, next func() (list.Entry, error)) (*Plan, error) {
	earlier, err := j.Plan(ctx)
	if err != nil {
		return nil, err // before anything is read
	}
	// The lines go to a file first: how long a shard is to be depends on them all.
	lines, err := spoolEntries(next, o.NoDigests)
	if err != nil {
		return nil, err
	}
	defer func() { lines.Close() }()
	plan := Plan{Format: planFormat, Started: time.Now().UTC().Format(time.RFC3339), Asked: o.Shards}
	if o.Lists != nil {
		plan.Lists = o.Lists()
	}
	if lines.relative {
		if plan.Dir, err = os.Getwd(); err != nil {
			return nil, fmt.Errorf("names are relative, and the working directory is not known: %w", err)
		}
	}
	if o.Since != nil {
		plan.Since = o.Since.URL
		rest, err := j.leaveOutSince(ctx, o, earlier, lines, &plan)
		if err != nil {
			return nil, err
		}
		lines.Close()
		lines = rest
	}
	plan.Lines, plan.Bytes = lines.lines, lines.bytes
	for {
		made, err := j.makePlan(ctx, plan, lines, o.Replace)
		if made != nil || err != nil {
			return made, err
		}
		// Another has just made one.
	}
}

// leaveOutSince is leaveOut of what has not changed since the run that o names. A plan
// that is there keeps what it left out: that run may have got more results since.
func (j *Journal) leaveOutSince(ctx context.Context, o Split, earlier *Plan, lines *spool, plan *Plan) (*spool, error) {
	if earlier != nil && earlier.Since == o.Since.URL && !otherDir(earlier.Dir, plan.Dir) && !o.Replace {
		rest, err := j.leaveOut(ctx, lines, &plan.Unchanged, func(each func(*fixity.Result) error) error {
			return j.readUnchanged(ctx, earlier, each)
		})
		if damaged := new(damagedError); !errors.As(err, &damaged) {
			return rest, err
		}
	}
	return j.leaveOut(ctx, lines, &plan.Unchanged, func(each func(*fixity.Result) error) error {
		return o.Since.checked(ctx, plan.Dir, each)
	})
}

// makePlan makes the plan of lines, or finds that the journal has it. It returns nil if
// the journal got another plan in between.
func (j *Journal) makePlan(ctx context.Context, plan Plan, lines *spool, replace bool) (*Plan, error) {
	earlier, err := j.Plan(ctx)
	if err != nil {
		return nil, err
	}
	if earlier != nil {
		plan.Asked, plan.Started = earlier.Asked, earlier.Started
	}
	if earlier != nil && !replace {
		if earlier.Dir != "" && plan.Dir != "" && !otherDir(earlier.Dir, plan.Dir) {
			plan.Dir = earlier.Dir
		}
		if plan.Shards, err = lines.shards(plan.Asked, plan.Dir, nil); err != nil {
			return nil, err
		}
		if !plan.sameLines(earlier) {
			return nil, j.otherLines(earlier, plan.Dir)
		}
	}
	// This mends shards that are damaged.
	plan.Shards, err = lines.shards(plan.Asked, plan.Dir, func(s Shard, lines io.ReadSeeker) error {
		return j.Store.Write(ctx, j.ShardName(s), lines)
	})
	if err != nil {
		return nil, err
	}
	if earlier != nil && !replace {
		return earlier, nil
	}
	text, err := json.MarshalIndent(plan, "", " ")
	if err != nil {
		return nil, err
	}
	file := bytes.NewReader(append(text, '\n'))
	if replace {
		if err := j.removeReport(ctx); err != nil {
			return nil, err
		}
	}
	if earlier != nil {
		err = j.Store.Write(ctx, j.planName(), file)
	} else if created, createErr := j.Store.Create(ctx, j.planName(), file); createErr == nil && !created {
		return nil, nil
	} else {
		err = createErr
	}
	if err != nil {
		return nil, err
	}
	// Some stores write over what is there, whatever they are asked.
	now, err := j.Plan(ctx)
	if err == nil && (now == nil || !plan.sameLines(now)) {
		err = j.otherLines(now, plan.Dir)
	}
	return now, err
}

// removeReport removes a report that is not of the plan any more, its summary first.
func (j *Journal) removeReport(ctx context.Context) error {
	for _, name := range []string{"summary.json", "SHA256SUMS", "problems.jsonl"} {
		if err := j.Store.Remove(ctx, store.Join(j.URL, "report/"+name)); err != nil {
			return fmt.Errorf("removing the report of the earlier plan: %w", err)
		}
	}
	return nil
}

// Kept returns how many shards of a plan have a result, and when the oldest was written.
func (j *Journal) Kept(ctx context.Context, p *Plan) (n int, oldest time.Time, err error) {
	written := make(map[string]time.Time)
	err = j.listResults(ctx, func(digest string, t time.Time) { written[digest] = t })
	for _, s := range p.Shards {
		t, ok := written[s.Digest]
		if !ok {
			continue
		}
		if n++; n == 1 || t.Before(oldest) {
			oldest = t
		}
	}
	return n, oldest, err
}

// sameLines reports whether two plans are of the same lines, and of one directory if names are
// relative.
func (p *Plan) sameLines(o *Plan) bool {
	return slices.Equal(p.Shards, o.Shards) && p.Unchanged == o.Unchanged && p.Dir == o.Dir
}

// otherLines says that the journal has a plan that is not the caller's, whose relative names
// begin at dir.
func (j *Journal) otherLines(p *Plan, dir string) error {
	if p == nil {
		return fmt.Errorf("%s has lost its plan", j.URL)
	}
	if otherDir(p.Dir, dir) {
		return fmt.Errorf("%s has a plan whose relative names begin at %s, not at %s: use another journal, or --replace", j.URL, p.Dir, dir)
	}
	var from []string
	for _, l := range p.Lists {
		from = append(from, fmt.Sprintf("%s (SHA-256 %s)", l.Name, l.SHA256))
	}
	const most = 3
	if n := len(from) - most; n > 0 {
		from = append(from[:most], fmt.Sprintf("%d more", n))
	}
	return fmt.Errorf("%s has a plan of other lines, from %s: use another journal, or --replace", j.URL, strings.Join(from, ", "))
}

// A spool is a temporary file of entries.
type spool struct {
	store.Temp
	w                    *bufio.Writer
	line                 []byte
	lines, bytes, weight int64
	relative             bool // a name is
}

func newSpool() (*spool, error) {
	f, err := store.TempFile()
	if err != nil {
		return nil, err
	}
	return &spool{Temp: f, w: bufio.NewWriter(f)}, nil
}

// spoolEntries returns all entries, without their digests if these are to be new.
func spoolEntries(next func() (list.Entry, error), noDigests bool) (*spool, error) {
	s, err := newSpool()
	if err != nil {
		return nil, err
	}
	for {
		e, err := next()
		if err == io.EOF {
			return s, nil
		}
		if err == nil {
			if noDigests {
				e.SHA256, e.Checksums, e.PartSize = "", "", 0
			}
			err = s.add(&e)
		}
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("reading the list: %w", err)
		}
	}
}

func (s *spool) add(e *list.Entry) error {
	s.lines++
	s.bytes = plus(s.bytes, max(e.Size, 0))
	s.weight = plus(s.weight, weigh(e))
	s.relative = s.relative || IsRelative(e)
	s.line = e.Append(s.line[:0])
	_, err := s.w.Write(s.line)
	return err
}

// read returns a reader of the entries. No other may be in use, and none can be added
// any more.
func (s *spool) read() (*list.Reader, error) {
	if err := s.w.Flush(); err != nil {
		return nil, err
	}
	if _, err := s.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	format, err := list.NewFormat("json", "", "")
	if err != nil {
		return nil, err
	}
	return list.NewReader(s.Temp, format, nil), nil
}

// each calls do with each entry and its index, from 0.
func (s *spool) each(do func(i int64, e *list.Entry) error) error {
	r, err := s.read()
	if err != nil {
		return err
	}
	for i := int64(0); ; i++ {
		e, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = do(i, &e)
		}
		if err != nil {
			return err
		}
	}
}

func weigh(e *list.Entry) int64 { return plus(perObject, max(e.Size, 0)) }

// plus returns a + b, or the largest number: a list may say any sizes. Neither is below 0.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// shards divides the entries, whose relative names begin at dir, into up to n shards, and calls
// keep, unless that is nil, with each and its lines. A line belongs to the shard in whose share
// of the weight its middle lies.
func (s *spool) shards(n int, dir string, keep func(s Shard, lines io.ReadSeeker) error) ([]Shard, error) {
	r, err := s.read()
	if err != nil {
		return nil, err
	}
	share := (max(1, s.weight)-1)/int64(n) + 1
	shards := []Shard{}
	var weight int64
	var line []byte
	e, err := r.Next()
	// index returns which share the middle of e is in. Saturated sums fall into the last
	// share.
	index := func() int64 { return min(plus(weight, weigh(&e)/2)/share, int64(n)-1) }
	one := func() (shard Shard, err2 error) {
		h := sha256.New()
		var f store.Temp
		w := bufio.NewWriter(h)
		if keep != nil {
			if f, err2 = store.TempFile(); err2 != nil {
				return shard, err2
			}
			defer f.Close()
			w = bufio.NewWriter(io.MultiWriter(f, h))
		}
		below := "" // shards that do not depend on dir keep their results if it is another
		for current := index(); err == nil && index() == current; e, err = r.Next() {
			line = e.Append(line[:0])
			if _, err := w.Write(line); err != nil {
				return shard, err
			}
			shard.Add(&e)
			if IsRelative(&e) {
				below = dir
			}
			weight = plus(weight, weigh(&e))
		}
		if err := w.Flush(); err != nil {
			return shard, err
		}
		shard.Digest = DigestBelow(below, hex.EncodeToString(h.Sum(nil)))
		if keep != nil {
			return shard, keep(shard, f)
		}
		return shard, nil
	}
	for err == nil {
		shard, err := one()
		if err != nil {
			return nil, err
		}
		shards = append(shards, shard)
	}
	if err != io.EOF {
		return nil, err
	}
	return shards, nil
}
