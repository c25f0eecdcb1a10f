package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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

With --journal, the result also goes to the journal. If the journal has the whole result
of the list already, the objects are not read again: that result is printed.

The exit status is 0 if each line has an outcome, whichever it is, and 2 if not. After a
signal it is 128 plus the signal's number.`,
	options: func(o *options, flags *pflag.FlagSet) {
		flags.StringVar(&o.journal, "journal", "", "keep the result in the journal at `URL`")
		flags.Func("shard", "check shard `N`, from 0, of the journal's plan", func(n string) (err error) {
			o.hasShard = true
			o.shard, err = strconv.Atoi(n)
			return err
		})
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
	w := &worker{reading: r, out: std.out}
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
			// Engines start as many workers as there were to be shards.
			return 0, w.write(journal.NewSummer().Line())
		}
		shard = &plan.Shards[o.shard]
		o.input = input.Options{Format: "json"}
		o.arguments = []string{j.ShardName(*shard)}
	}
	o.partial = true // a worker's list is a part by its nature
	lists, err := o.lists(ctx, s, std.in)
	if err != nil {
		return 0, err
	}
	next := lists.Next
	if o.journal != "" {
		return 0, w.journaled(ctx, j, shard, next)
	}
	summary, err := w.check(ctx, next, w.write)
	if err != nil {
		return 0, err
	}
	return 0, w.write(summary)
}

// A worker checks one list.
type worker struct {
	*reading
	out     *bufio.Writer
	flushed time.Time
}

// write writes a line to the output. While lines come, the output gets them at
// least once a second: a reader may wait for them, and if the reader has ended,
// the write ends the program.
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

// check checks entries, calls each with the lines that say what became of them,
// and returns the last line.
func (w *worker) check(ctx context.Context, next func() (list.Entry, error), each func([]byte) error) ([]byte, error) {
	sum := journal.NewSummer()
	var line []byte
	err := w.checker.Run(ctx, next, func(r *fixity.Result) error {
		w.progress.done(r)
		line = r.Append(line[:0])
		sum.Add(r, line)
		return each(line)
	})
	return sum.Line(), err
}

// journaled checks entries unless the journal has their results. They are the
// entries of shard, if it is not nil.
func (w *worker) journaled(ctx context.Context, j *journal.Journal, planned *journal.Shard, next func() (list.Entry, error)) error {
	// The lines go to a file first: their digest is the name of the result.
	lines, err := store.TempFile()
	if err != nil {
		return err
	}
	defer lines.Close()
	shard, err := w.spool(lines, next)
	if err != nil {
		return fmt.Errorf("reading the list: %w", err)
	}
	if planned != nil && *planned != shard {
		return fmt.Errorf("%s: a shard is not as its plan says: 'fleetsum split' makes both again", j.URL)
	}
	results, err := store.TempFile()
	if err != nil {
		return err
	}
	defer results.Close()
	known, err := j.CopyResult(ctx, shard, results)
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	if _, err := results.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if known {
		_, err := io.Copy(w.out, results)
		return err
	}
	if err := results.Truncate(0); err != nil { // of a damaged result
		return err
	}
	kept := bufio.NewWriterSize(results, 64<<10)
	format, err := list.NewFormat("json", "", "")
	if err != nil {
		return err
	}
	summary, err := w.check(ctx, list.NewReader(lines, format, nil).Next, func(line []byte) error {
		if _, err := kept.Write(line); err != nil {
			return err
		}
		return w.write(line)
	})
	if err != nil {
		return err
	}
	if _, err := kept.Write(summary); err != nil {
		return err
	}
	if err := kept.Flush(); err != nil {
		return err
	}
	if err := j.WriteResult(ctx, shard.Digest, results); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return w.write(summary)
}

// spool writes entries to a file, as lines of JSON, and returns the shard that
// these are. The file is then at its start.
func (w *worker) spool(f io.ReadWriteSeeker, next func() (list.Entry, error)) (journal.Shard, error) {
	h := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(f, h), 64<<10)
	var shard journal.Shard
	var line []byte
	for {
		e, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return shard, err
		}
		shard.Lines++
		shard.Bytes += max(e.Size, 0)
		line = e.Append(line[:0])
		if _, err := b.Write(line); err != nil {
			return shard, err
		}
	}
	if err := b.Flush(); err != nil {
		return shard, err
	}
	w.progress.expect(shard.Lines, shard.Bytes)
	shard.Digest = hex.EncodeToString(h.Sum(nil))
	_, err := f.Seek(0, io.SeekStart)
	return shard, err
}
