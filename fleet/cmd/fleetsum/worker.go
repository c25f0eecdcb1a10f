package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/input"
	"github.com/sha256-simd/sha256-simd/fleet/internal/journal"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

var workerCommand = command{
	name:      "worker",
	arguments: "[LIST]",
	does: `Checks the objects of a list (or of standard input). Writes a line of JSON for each line
of the list, whatever its outcome, in the order in which the checks end:

  {"line":7,"name":"s3://b/k","outcome":"mismatch","sha256":"…","expected":"…","size":123,"error":""}

where outcome is match, mismatch, missing, deleted, archived, unreadable, malformed or, if
no digest is expected, new. The last line has the counts, and the digest of all lines before it:
{"summary":{"lines":…,"match":…,…},"sha256":"…"}.

With --journal, the result also goes to the journal. Its last line then has "shard":"…", by
which 'fleetsum report' tells that it is the result of that shard. Without --shard it also has
"list":"…", which is the same for the same names and digests in the same order, whatever the
format, the compression and the --base are: 'fleetsum report' counts a list once. Bags in two
directories are two lists. "text":"…" is the same for the same text: by both 'fleetsum report'
notices a list that was read in two formats. The report tells objects apart by their names:
check lists with relative names from one directory. If the journal has the whole result of
the list already, from the same directory if names are relative, that result is printed. Of
these lines, only objects that were unreadable for a cause that may pass (credentials, load,
the network, a write) are read again, and with --retry-failed all objects with problems.

The exit status is 0 if each line has an outcome, whichever it is, and 2 if not. After a
signal it is 128 plus the signal's number.`,
	options: func(o *options, flags *pflag.FlagSet) {
		flags.Var(nonEmpty(&o.journal, ""), "journal", "keep the result in the journal at `URL`")
		flags.Func("shard", "check shard `N`, from 0, of the journal's plan", func(n string) (err error) {
			o.hasShard = true
			o.shard, err = strconv.Atoi(n)
			return err
		})
		flags.BoolVar(&o.retry, "retry-failed", false, "read all objects again that have problems in the journal's result")
		readingOptions(o, flags)
		listOptions(o, flags)
		emptyOption(o, flags)
	},
	run: runWorker,
}

func runWorker(ctx context.Context, o *options, std *streams) (int, error) {
	if len(o.arguments) > 1 {
		return 0, errors.New("more than one list: 'fleetsum split' takes those")
	}
	if o.hasShard && (o.journal == "" || len(o.arguments) > 0) {
		return 0, errors.New("--shard is one of a --journal, and takes no list")
	}
	if o.hasShard && (o.input != input.Options{Format: defaultFormat}) {
		return 0, errors.New("--base, --format and --schema are options of split")
	}
	if o.retry && o.journal == "" {
		return 0, errors.New("--retry-failed needs a --journal")
	}
	if o.journal == "" {
		if err := std.needOutput(); err != nil {
			return 0, err
		}
	}
	r, err := o.startReading(std.err)
	if err != nil {
		return 0, err
	}
	defer r.close()
	w := &worker{reading: r, out: std.out, err: std.err, retryAll: o.retry}
	s := r.store
	j := &journal.Journal{Store: s, URL: o.journal}
	var shard *journal.Shard
	if o.hasShard {
		plan, err := j.Plan(ctx)
		switch {
		case err != nil:
			return 0, err
		case plan == nil:
			return 0, fmt.Errorf("%s has no plan: 'fleetsum split' makes it", o.journal)
		case o.shard < 0 || o.shard >= plan.Asked:
			return 0, fmt.Errorf("--shard: %s has shards 0 to %d", o.journal, plan.Asked-1)
		case o.shard >= len(plan.Shards):
			// Engines start as many workers as shards were asked for, even if there are
			// fewer shards.
			return 0, w.write(journal.NewSummer().Line())
		}
		shard, r.checker.Dir = &plan.Shards[o.shard], plan.Dir
		o.input = input.Options{Format: "json"}
		o.arguments = []string{j.ShardName(*shard)}
	}
	o.partial = true // a worker's list is a part by its nature
	lists, err := o.lists(ctx, s, std)
	if err != nil {
		return 0, err
	}
	if o.journal != "" {
		if shard == nil {
			// A report reads the results of the plan's shards alone.
			if plan, err := j.Plan(ctx); err != nil {
				return 0, err
			} else if plan != nil {
				return 0, fmt.Errorf("%s has a plan: --shard N checks a part of it; another list needs another journal", o.journal)
			}
		}
		return 0, w.journaled(ctx, j, shard, lists)
	}
	sum := journal.NewSummer()
	if err := w.check(ctx, lists.Next, sum, w.write); err != nil {
		return 0, err
	}
	return 0, w.write(sum.Line())
}

// A worker checks one list.
type worker struct {
	*reading
	out      *bufio.Writer
	err      io.Writer
	flushed  time.Time
	retryAll bool
	origin   journal.Origin
	states   *journal.States
}

// saveEvery is a number of bytes. Each time that so much of an object was read, the
// journal records how far the object has been read.
const saveEvery = 1 << 30

// write writes a line to the output. While lines come, the output gets them at least once
// a second, since a reader may wait for them. If the reader has ended, the write ends the
// program.
func (w *worker) write(line []byte) error {
	if _, err := w.out.Write(line); err != nil {
		return fmt.Errorf("write error: %w", err)
	}
	if now := time.Now(); now.Sub(w.flushed) > time.Second {
		w.flushed = now
		return w.out.Flush()
	}
	return nil
}

// check checks entries and adds the results to sum. It calls the function each with the
// line of each result.
func (w *worker) check(ctx context.Context, next func() (list.Entry, error), sum *journal.Summer, each func([]byte) error) error {
	var line []byte
	return w.checker.Run(ctx, next, func(r *fixity.Result) error {
		w.progress.done(r)
		line = r.Append(line[:0])
		sum.Add(r, line)
		return each(line)
	})
}

// journaled checks the entries of a list unless the journal has their results. If planned
// is not nil, they are the entries of that shard.
func (w *worker) journaled(ctx context.Context, j *journal.Journal, planned *journal.Shard, from *listReader) error {
	// The lines go to a file first: their digest is the name of the result.
	lines, err := store.TempFile()
	if err != nil {
		return err
	}
	defer lines.Close()
	shard, relative, err := w.spool(lines, from.Next)
	if err != nil {
		return fmt.Errorf("reading the list: %w", err)
	}
	dir := w.checker.Dir
	if planned == nil {
		w.origin.List, w.origin.Text = from.ID(), from.TextID()
		dir = store.Canonical("")
	}
	if relative {
		shard.Digest = journal.DigestBelow(dir, shard.Digest)
	}
	if planned != nil && *planned != shard {
		return fmt.Errorf("%s: a shard is not as its plan says: 'fleetsum split' makes both again", j.URL)
	}
	w.origin.Shard = shard.Digest
	format, err := list.NewFormat("json", "", "")
	if err != nil {
		return err
	}
	next := list.NewReader(lines, format, nil).Next
	w.states = journal.NewStates(j)
	w.checker.States, w.checker.SaveEvery = w.states, saveEvery

	earlier, err := store.TempFile()
	if err != nil {
		return err
	}
	defer earlier.Close()
	again := make(lineSet) // lines that are to be read again
	known, err := j.CopyResult(ctx, shard, earlier, func(r *fixity.Result) {
		if r.Retry || w.retryAll && r.IsProblem() && r.Outcome != fixity.Malformed {
			again.add(r.Line)
		}
	})
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	switch {
	case !known:
		return w.first(ctx, j, shard, next)
	case len(again) == 0:
		return w.print(earlier)
	}
	return w.retry(ctx, j, shard, next, earlier, again)
}

// print writes a whole result to the output.
func (w *worker) print(result store.Temp) error {
	if _, err := result.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w.out, result)
	return err
}

// first checks a shard that has no result. The count of failures in a row goes on from
// one shard to the next.
func (w *worker) first(ctx context.Context, j *journal.Journal, shard journal.Shard, next func() (list.Entry, error)) error {
	rows, err := j.Rows(ctx)
	if err != nil {
		return err
	}
	w.checker.Rows = maps.Clone(rows)
	results, err := store.TempFile()
	if err != nil {
		return err
	}
	defer results.Close()
	kept := bufio.NewWriterSize(results, 64<<10)
	sum := journal.NewSummer()
	sum.Origin = w.origin
	err = w.check(ctx, next, sum, func(line []byte) error {
		if _, err := kept.Write(line); err != nil {
			return err
		}
		return w.write(line)
	})
	var down *fixity.DownError
	if errors.As(err, &down) {
		// Whoever starts workers again has dealt with the store that failed.
		delete(w.checker.Rows, down.Root)
	} else if err != nil {
		return err
	}
	if !maps.Equal(rows, w.checker.Rows) {
		if rowsErr := j.SetRows(ctx, w.checker.Rows); rowsErr != nil && err == nil {
			err = fmt.Errorf("writing the journal: %w", rowsErr)
		}
	}
	if err != nil {
		return err
	}
	if err := w.keep(ctx, j, shard, results, kept, sum); err != nil {
		return err
	}
	return w.write(sum.Line())
}

// retry checks those lines of a shard again that are in again. Results are in files: memory
// has only which lines are read again. All other lines keep their results. So do lines that
// are not reached because the store fails as before.
func (w *worker) retry(ctx context.Context, j *journal.Journal, shard journal.Shard, next func() (list.Entry, error), earlier store.Temp, again lineSet) error {
	// Several lines of a list may have one number: these are read again together.
	seen, left := make(lineSet), make(map[int64]int) // how many more there are of a number
	lines := int64(0)
	if err := eachResult(earlier, func(r *fixity.Result) error {
		if !again.has(r.Line) {
			return nil
		}
		if lines++; seen.has(r.Line) {
			left[r.Line]++
		}
		seen.add(r.Line)
		return nil
	}); err != nil {
		return err
	}
	w.progress.expect(lines, 0)
	fresh, err := store.TempFile()
	if err != nil {
		return err
	}
	defer fresh.Close()
	read := make(lineSet) // numbers all of whose lines were read again
	freshLines, freshSum := bufio.NewWriterSize(fresh, 64<<10), journal.NewSummer()
	err = w.checker.Run(ctx, func() (list.Entry, error) {
		for {
			if e, err := next(); err != nil || again.has(e.Line) {
				return e, err
			}
		}
	}, func(r *fixity.Result) error {
		w.progress.done(r)
		if left[r.Line]--; left[r.Line] < 0 {
			read.add(r.Line)
			delete(left, r.Line)
		}
		line := r.Append(nil)
		freshSum.Add(r, line)
		_, err := freshLines.Write(line)
		return err
	})
	var down *fixity.DownError
	if errors.As(err, &down) {
		fmt.Fprintf(w.err, "fleetsum worker: %v; the earlier outcomes of all objects that are left stay\n", err)
	} else if err != nil {
		return err
	}
	if _, err := freshLines.Write(freshSum.Line()); err != nil {
		return err
	}
	if err := freshLines.Flush(); err != nil {
		return err
	}

	results, err := store.TempFile()
	if err != nil {
		return err
	}
	defer results.Close()
	kept, sum := bufio.NewWriterSize(results, 64<<10), journal.NewSummer()
	sum.Origin = w.origin
	take := func(from store.Temp, isFresh bool) error {
		return eachResult(from, func(r *fixity.Result) error {
			if read.has(r.Line) != isFresh {
				return nil
			}
			line := r.Append(nil)
			sum.Add(r, line)
			_, err := kept.Write(line)
			return err
		})
	}
	if err := errors.Join(take(earlier, false), take(fresh, true)); err != nil {
		return err
	}
	if err := w.keep(ctx, j, shard, results, kept, sum); err != nil {
		return err
	}
	return w.print(results)
}

// A lineSet is a set of the numbers of lines. Dense ones take less than a byte each.
type lineSet map[int64]uint64

func (s lineSet) add(line int64) { s[line>>6] |= 1 << (line & 63) }

func (s lineSet) has(line int64) bool { return s[line>>6]>>(line&63)&1 != 0 }

// eachResult calls each with the results in a file.
func eachResult(f store.Temp, each func(*fixity.Result) error) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := journal.ReadResult(f, each)
	return err
}

// keep writes the result of a shard to the journal.
func (w *worker) keep(ctx context.Context, j *journal.Journal, shard journal.Shard, results store.Temp, kept *bufio.Writer, sum *journal.Summer) error {
	if _, err := kept.Write(sum.Line()); err != nil {
		return err
	}
	if err := kept.Flush(); err != nil {
		return err
	}
	if err := j.WriteResult(ctx, shard.Digest, results); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	if err := w.states.Remove(ctx); err != nil {
		return fmt.Errorf("removing from the journal how far objects had been read: %w", err)
	}
	return nil
}

// spool writes entries to a file, as lines of JSON, and returns the shard that
// these are, and whether any name is relative. The file is then at its start.
func (w *worker) spool(f io.ReadWriteSeeker, next func() (list.Entry, error)) (shard journal.Shard, relative bool, err error) {
	h := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(f, h), 64<<10)
	var line []byte
	for {
		e, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return shard, false, err
		}
		shard.Add(&e)
		relative = relative || journal.IsRelative(&e)
		line = e.Append(line[:0])
		if _, err := b.Write(line); err != nil {
			return shard, false, err
		}
	}
	if err := b.Flush(); err != nil {
		return shard, false, err
	}
	w.progress.expect(shard.Lines, shard.Bytes)
	shard.Digest = hex.EncodeToString(h.Sum(nil))
	_, err = f.Seek(0, io.SeekStart)
	return shard, relative, err
}
