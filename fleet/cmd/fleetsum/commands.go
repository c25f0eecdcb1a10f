package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/pflag"

	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/journal"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

var listCommand = command{
	name:      "list",
	arguments: "URL...",
	does: `Prints a line of JSON with name and size for each object. All other commands read such
lists. A URL or path may hold *, ?, [a-z], {a,b}, and ** for any number of directories.
Without these it means the object and all objects below it. A path that exists means itself,
whatever it holds. Below a directory, links and what is no regular file are left out. After
all objects, a line says that the listing ended: 'fleetsum split' and 'fleetsum write' refuse
a list that has objects of a listing without that line. If a directory cannot be read, all
others are listed, but without that line, and the exit status is 2.`,
	options: func(o *options, flags *pflag.FlagSet) {
		flags.BoolVar(&o.versions, "versions", false, "print all versions of objects in stores (snapshots of Azure's), with their sizes")
		emptyOption(o, flags)
	},
	run: func(ctx context.Context, o *options, std *streams) (int, error) {
		if len(o.arguments) == 0 {
			return 0, errors.New("no URL")
		}
		if err := std.needOutput(); err != nil {
			return 0, err
		}
		s, err := o.open()
		if err != nil {
			return 0, err
		}
		defer s.Close()
		// One listing of all patterns: a pattern that fails before its first object has no line.
		listing := list.NewListing(o.arguments, o.versions)
		var line []byte
		var incomplete error
		for _, pattern := range o.arguments {
			err := s.List(ctx, pattern, o.versions, func(i store.Info) error {
				line = listing.Append(line[:0], &list.Entry{Name: i.Name, Version: i.Version, Size: i.Size, Modified: i.Modified, ETag: i.ETag})
				_, err := std.out.Write(line)
				return err
			})
			if unread := new(store.UnreadError); errors.As(err, &unread) {
				incomplete = errors.Join(incomplete, err)
			} else if err != nil && !(o.empty && errors.Is(err, store.ErrNone)) {
				return 0, errors.Join(incomplete, err)
			}
		}
		if incomplete != nil {
			return 0, incomplete
		}
		if _, err := std.out.Write(listing.AppendEnd(line[:0])); err != nil {
			return 0, err
		}
		return exitGood, nil
	},
}

var splitCommand = command{
	name:      "split",
	arguments: "--journal URL [LIST]...",
	does: `Plans a run: splits lists (or standard input) into shards of about the same size, and
writes them to the journal, where 'fleetsum worker --shard N' finds them. Prints the
number of shards. The same lists make the same shards: after a second split the run
continues. If the journal has a plan for other lists, split does not change it, except with
--replace.

Relative names begin at the working directory of split, whatever that of a worker is.`,
	options: func(o *options, flags *pflag.FlagSet) {
		flags.Var(nonEmpty(&o.journal, ""), "journal", "write to the journal at `URL`")
		flags.Var(whole(&o.shards, 16, 1, 100_000), "shards", "how many shards to make; a journal that has a plan keeps its number")
		flags.Var(nonEmpty(&o.since, ""), "since", "do not read again what matched in the run with the journal at `URL` and has not changed: its ETag or time of modification is the one it was read with, or its version is as in that run's lists, and so is its size")
		flags.BoolVar(&o.noDigests, "no-digests", false, "ignore the digests in the lists: workers compute new ones")
		flags.BoolVar(&o.replace, "replace", false, "make a new plan even if the journal has a plan for other lists, and remove its report. Shards of the same lines keep their results: a new check needs a new journal")
		listOptions(o, flags)
		wholeOptions(o, flags)
	},
	run: func(ctx context.Context, o *options, std *streams) (int, error) {
		if o.journal == "" {
			return 0, errors.New("--journal is missing")
		}
		s, err := o.open()
		if err != nil {
			return 0, err
		}
		defer s.Close()
		lists, err := o.lists(ctx, s, std)
		if err != nil {
			return 0, err
		}
		split := journal.Split{Lists: lists.Sources, Shards: o.shards, NoDigests: o.noDigests, Replace: o.replace}
		if o.since != "" {
			split.Since = &journal.Journal{Store: s, URL: o.since}
		}
		j := &journal.Journal{Store: s, URL: o.journal}
		plan, err := j.Split(ctx, split, lists.Next)
		if err != nil {
			return 0, err
		}
		if o.replace {
			n, oldest, err := j.Kept(ctx, plan)
			if err != nil {
				return 0, fmt.Errorf("the plan is made, but looking for earlier results failed: %w", err)
			}
			if n > 0 {
				fmt.Fprintf(std.err, "fleetsum split: %d of %d shards keep their results, the oldest from %s: a new check needs a new journal\n",
					n, len(plan.Shards), oldest.UTC().Format(time.RFC3339))
			}
		}
		fmt.Fprintln(std.out, len(plan.Shards))
		return exitGood, nil
	},
}

var writeCommand = command{
	name:      "write",
	arguments: "[LIST]",
	does: `Reads the objects of a list (or of standard input), such as one of 'fleetsum list', and
writes a manifest: their digests, sorted by name, in the format of sha256sum.

The exit status is 1 if an object could not be read, differs from the list, or changed
between two of its lines. Standard error names these objects, and the manifest leaves them
out. Such a manifest does not replace another, except with --allow-loss: the exit status is 2.`,
	options: func(o *options, flags *pflag.FlagSet) {
		flags.VarP(destination(&o.output), "output", "o", "write to `URL`, which stays as it was until all is done")
		flags.BoolVar(&o.allowLoss, "allow-loss", false, "with --output, replace a manifest though an object could not be read or is not as listed, or more than half of its objects are gone or left out; or write though it cannot be read whether a manifest is there, as with credentials that only write")
		readingOptions(o, flags)
		listOptions(o, flags)
		wholeOptions(o, flags)
	},
	run: runWrite,
}

func runWrite(ctx context.Context, o *options, std *streams) (int, error) {
	if o.output == "" {
		if o.allowLoss {
			return 0, errors.New("--allow-loss is meaningful only with --output")
		}
		if err := std.needOutput(); err != nil {
			return 0, err
		}
	}
	r, err := o.startReading(std.err)
	if err != nil {
		return 0, err
	}
	defer r.close()
	var out *output
	if o.output != "" {
		if out, err = openOutput(ctx, r.store, o.output, o.allowLoss); err != nil {
			return 0, err
		}
		defer out.close()
	}
	lists, err := o.lists(ctx, r.store, std)
	if err != nil {
		return 0, err
	}
	manifest := journal.NewManifest(ctx)
	defer manifest.Close()
	status := exitGood
	if err := r.checker.Run(ctx, lists.Next, func(result *fixity.Result) error {
		r.progress.done(result)
		if out != nil {
			if err := out.see(result); err != nil {
				return err
			}
		}
		if manifest.Add(result); result.IsProblem() {
			status = exitProblems
			std.complain(result)
		}
		return nil
	}); err != nil {
		return 0, err
	}
	write := func(w io.Writer) error {
		return manifest.Write(w, func(result *fixity.Result) error {
			status = exitProblems
			std.complain(result)
			return nil
		})
	}
	if out == nil {
		err = write(std.out)
	} else {
		err = out.replace(ctx, write, func() bool { return status != exitGood })
	}
	return status, err
}

// complain says on standard error what is wrong with an object.
func (s *streams) complain(r *fixity.Result) {
	name := store.Quote(list.NameOfVersion(r.FullName(), r.Version))
	if r.Outcome == fixity.Malformed {
		name = fmt.Sprintf("line %d", r.Line)
	}
	why := string(r.Outcome)
	switch {
	case r.Error != "":
		why += ": " + r.Error
	case r.Outcome == fixity.Mismatch:
		why += ": " + r.Found() + ", not " + r.Expected
	}
	fmt.Fprintf(s.err, "%s: %s\n", name, why)
}

var reportCommand = command{
	name:      "report",
	arguments: "DIR",
	does: `Joins the results of all shards in the journal DIR, a path or URL, and writes below it

  report/summary.json    the counts, which it prints too
  report/problems.jsonl  the result lines of all objects with problems, and a line for each
                         object that changed between two readings
  report/SHA256SUMS      the digests of the other objects, sorted by name, if all shards
                         have results; otherwise it removes an earlier SHA256SUMS

The exit status is 0 if all lines have been checked without problems, 1 if there are
problems, and 2 if some lines have not been checked. It depends on the journal alone.`,
	options: func(o *options, flags *pflag.FlagSet) {
		flags.Var(whole(&o.lines, -1, 0, math.MaxInt64), "lines", "how many lines there should be in all, if 'fleetsum split' has made no plan. Parts with the same objects, by their names, count once, and so does a part that was read with several --base. A run in which two parts share some objects and not all, as two versions of one part, or in which a part was read in two formats, is not complete")
		flags.Lookup("lines").DefValue = "" // -1 is refused, so the help does not show it
	},
	run: func(ctx context.Context, o *options, std *streams) (int, error) {
		if len(o.arguments) != 1 || o.arguments[0] == "" {
			return 0, errors.New("one journal is needed")
		}
		s, err := o.open()
		if err != nil {
			return 0, err
		}
		defer s.Close()
		j := &journal.Journal{Store: s, URL: o.arguments[0]}
		report, err := j.Report(ctx, o.lines)
		if report == nil {
			return 0, err
		}
		text, textErr := report.Text()
		if err := errors.Join(err, textErr); err != nil {
			std.out.Write(text)
			return 0, fmt.Errorf("writing the report: %w", err)
		}
		_, err = std.out.Write(text)
		return report.Status(), err
	},
}
