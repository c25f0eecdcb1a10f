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
	Lists []string
	// Shards is how many shards there are to be, of about as many bytes each. There
	// are fewer if single objects are that long, or if there are few. A journal that
	// has a plan keeps that plan's number: with another, a run that goes on would
	// find none of its results.
	Shards int
	// Since, if not nil, is an earlier run. What that found to be as it should be is
	// left out, unless it was written to since.
	Since *Journal
	// NoDigests leaves out the digests of the lists: all objects are new.
	NoDigests bool
	// Replace allows entries that make other shards than the plan that is there.
	Replace bool
}

// Split writes the shards of entries, and then the plan. The same entries make
// the same shards. It is an error if the journal has a plan with others, unless o
// allows that: the plan that is there stays as it was.
func (j *Journal) Split(ctx context.Context, o Split, next func() (list.Entry, error)) (*Plan, error) {
	done := func(*list.Entry) bool { return false }
	if o.Since != nil {
		var err error
		if done, err = o.Since.checked(ctx); err != nil {
			return nil, fmt.Errorf("reading the run %s: %w", o.Since.URL, err)
		}
	}
	plan := &Plan{Started: time.Now().UTC().Format(time.RFC3339), Lists: o.Lists, Asked: o.Shards}
	earlier, err := j.Plan(ctx)
	if err != nil {
		return nil, err
	}
	if earlier != nil {
		plan.Asked = earlier.Asked
		plan.Started = earlier.Started
	}

	// The lines go to a file first: how long a shard is to be depends on them all.
	all, err := store.TempFile()
	if err != nil {
		return nil, err
	}
	defer all.Close()
	w := bufio.NewWriter(all)
	var weight int64
	var line []byte
	for {
		e, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading the list: %w", err)
		}
		if o.NoDigests {
			e.SHA256, e.Checksums, e.PartSize = "", "", 0
		}
		if e.Malformed == "" && done(&e) {
			plan.Unchanged++
			continue
		}
		plan.Lines++
		plan.Bytes += max(e.Size, 0)
		weight += weigh(&e)
		line = e.Append(line[:0])
		if _, err := w.Write(line); err != nil {
			return nil, err
		}
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	share := max(1, (weight+int64(plan.Asked)-1)/int64(plan.Asked))
	if earlier != nil && !o.Replace {
		shards, err := makeShards(all, share, func(_ int, write func(io.Writer) error) error { return write(io.Discard) })
		if err != nil {
			return nil, err
		}
		if !slices.Equal(shards, earlier.Shards) {
			return nil, fmt.Errorf("%s has a plan of other lines, from %s: use another journal, or --replace", j.URL, strings.Join(earlier.Lists, " "))
		}
	}
	plan.Shards, err = makeShards(all, share, func(i int, write func(io.Writer) error) error {
		return j.Store.WriteFrom(ctx, j.ShardName(i), write)
	})
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(plan, "", " ")
	if err != nil {
		return nil, err
	}
	return plan, j.Store.Write(ctx, j.planName(), bytes.NewReader(append(text, '\n')))
}

func weigh(e *list.Entry) int64 { return perObject + max(e.Size, 0) }

// makeShards divides lines into shards and has write write each. A line belongs to
// the shard in whose share of the weight its middle lies.
func makeShards(lines io.ReadSeeker, share int64, write func(i int, lines func(io.Writer) error) error) ([]Shard, error) {
	if _, err := lines.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	format, err := list.NewFormat("json", "", "")
	if err != nil {
		return nil, err
	}
	r := list.NewReader(lines, format, nil)
	shards := []Shard{}
	var weight int64
	e, err := r.Next()
	for err == nil {
		var s Shard
		h := sha256.New()
		current := (weight + weigh(&e)/2) / share
		writeErr := write(len(shards), func(w io.Writer) error {
			b := bufio.NewWriter(io.MultiWriter(w, h))
			var line []byte
			for err == nil && (weight+weigh(&e)/2)/share == current {
				line = e.Append(line[:0])
				if _, err := b.Write(line); err != nil {
					return err
				}
				s.Lines++
				s.Bytes += max(e.Size, 0)
				weight += weigh(&e)
				e, err = r.Next()
			}
			return b.Flush()
		})
		if writeErr != nil {
			return nil, writeErr
		}
		s.Digest = hex.EncodeToString(h.Sum(nil))
		shards = append(shards, s)
	}
	if err != io.EOF {
		return nil, err
	}
	return shards, nil
}

// checked returns a function that reports whether the run has found an object
// to be as it should be, and the object was not written to since. It takes about
// 100 bytes of memory for each.
func (j *Journal) checked(ctx context.Context) (func(*list.Entry) bool, error) {
	plan, err := j.Plan(ctx)
	if err != nil {
		return nil, err
	}
	if plan == nil {
		return nil, errors.New("there is no plan")
	}
	started, err := time.Parse(time.RFC3339, plan.Started)
	if err != nil {
		return nil, err
	}
	type key [16]byte
	keyOf := func(name, version, sum string) key {
		d := sha256.Sum256([]byte(name + "\x00" + version + "\x00" + sum))
		return key(d[:16])
	}
	sizes := make(map[key]int64)
	for _, s := range plan.Shards {
		r, err := j.result(ctx, s.Digest)
		if store.IsMissing(err) {
			continue // that part of it was not done
		}
		if err != nil {
			return nil, err
		}
		_, err = ReadResult(r, func(r *fixity.Result) error {
			if r.Outcome == fixity.Match || r.Outcome == fixity.New {
				// With that digest expected, or any.
				sizes[keyOf(r.FullName(), r.Version, r.SHA256)] = r.Size
				sizes[keyOf(r.FullName(), r.Version, r.Expected)] = r.Size
				sizes[keyOf(r.FullName(), r.Version, "")] = r.Size
			}
			return nil
		})
		r.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", j.resultName(s.Digest), err)
		}
	}
	return func(e *list.Entry) bool {
		size, ok := sizes[keyOf(e.Name, e.Version, e.Expected())]
		return ok && (e.Size < 0 || e.Size == size) && (e.Modified.IsZero() || e.Modified.Before(started))
	}, nil
}
