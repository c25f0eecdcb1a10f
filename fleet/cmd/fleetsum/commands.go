package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/journal"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

var listCommand = command{
	name:      "list",
	arguments: "URL...",
	does: `Lists objects with their sizes, a line of JSON each, which all other commands read.
A URL or path may hold *, ?, [a-z], {a,b} and, for any number of directories, **; without
these it stands for the object and all objects below it.`,
	options: func(o *options, flags *pflag.FlagSet) {},
	run: func(ctx context.Context, o *options, std *streams) (int, error) {
		if len(o.arguments) == 0 {
			return 0, errors.New("no URL")
		}
		s, err := o.open()
		if err != nil {
			return 0, err
		}
		defer s.Close()
		var line []byte
		for _, pattern := range o.arguments {
			if err := s.List(ctx, pattern, func(i store.Info) error {
				line = (&list.Entry{Name: i.Name, Size: i.Size, Modified: i.Modified.UTC()}).Append(line[:0])
				_, err := std.out.Write(line)
				return err
			}); err != nil {
				return 0, err
			}
		}
		return exitGood, nil
	},
}

var splitCommand = command{
	name:      "split",
	arguments: "--journal URL [LIST]...",
	does: `Plans a run: splits lists (or standard input) into shards of about as many bytes each
and writes them to the journal, where 'fleetsum worker --shard N' finds them. Prints the
number of shards. The same lists make the same shards, so that a run can be planned again
and goes on where it was.`,
	options: func(o *options, flags *pflag.FlagSet) {
		flags.StringVar(&o.journal, "journal", "", "write to the journal at `URL`")
		flags.IntVar(&o.shards, "shards", 16, "how many shards to make; a journal that has a plan keeps its number")
		flags.StringVar(&o.since, "since", "", "leave out what the run with the journal at `URL` found to be as it should be, unless the list says that it was modified since")
		flags.BoolVar(&o.noDigests, "no-digests", false, "do not expect the digests of the lists: they are to be written anew")
		listOptions(o, flags)
	},
	run: func(ctx context.Context, o *options, std *streams) (int, error) {
		if o.journal == "" {
			return 0, errors.New("--journal is missing")
		}
		if o.shards < 1 || o.shards > 100_000 {
			return 0, fmt.Errorf("--shards: %d is not between 1 and 100000", o.shards)
		}
		s, err := o.open()
		if err != nil {
			return 0, err
		}
		defer s.Close()
		next, err := o.lists(ctx, s, std.in)
		if err != nil {
			return 0, err
		}
		split := journal.Split{Lists: o.arguments, Shards: o.shards, NoDigests: o.noDigests}
		if o.since != "" {
			split.Since = &journal.Journal{Store: s, URL: o.since}
		}
		plan, err := (&journal.Journal{Store: s, URL: o.journal}).Split(ctx, split, next)
		if err != nil {
			return 0, err
		}
		fmt.Fprintln(std.out, len(plan.Shards))
		return exitGood, nil
	},
}

var writeCommand = command{
	name:      "write",
	arguments: "[LIST]",
	does: `Reads the objects of a list (or of standard input), as 'fleetsum list' writes it, and
writes a manifest: their digests, sorted by name, as sha256sum does.

The exit status is 1 if there are objects that could not be read, or are not what the list
says; these are named on standard error and are not in the manifest.`,
	options: func(o *options, flags *pflag.FlagSet) {
		flags.StringVarP(&o.output, "output", "o", "", "write to `URL`, which stays as it was until all is done")
		readingOptions(o, flags)
		listOptions(o, flags)
	},
	run: runWrite,
}

func runWrite(ctx context.Context, o *options, std *streams) (int, error) {
	r, err := o.startReading(std.err)
	if err != nil {
		return 0, err
	}
	defer r.close()
	next, err := o.lists(ctx, r.store, std.in)
	if err != nil {
		return 0, err
	}
	manifest := journal.NewManifest(ctx)
	defer manifest.Close()
	status := exitGood
	if err := r.checker.Run(ctx, next, func(result *fixity.Result) error {
		r.progress.done(result)
		if !manifest.Add(result) {
			status = exitProblems
			std.complain(result)
		}
		return nil
	}); err != nil {
		return 0, err
	}
	if o.output != "" {
		return status, r.store.WriteFrom(ctx, o.output, manifest.Write)
	}
	return status, manifest.Write(std.out)
}

// complain says on standard error what is wrong with an object.
func (s *streams) complain(r *fixity.Result) {
	name := r.FullName()
	switch {
	case r.Outcome == fixity.Malformed:
		name = fmt.Sprintf("line %d", r.Line)
	case strings.ContainsFunc(name, func(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }):
		name = strconv.Quote(name)
	}
	why := string(r.Outcome)
	switch {
	case r.Error != "":
		why += ": " + r.Error
	case r.Outcome == fixity.Mismatch:
		why += ": " + r.SHA256 + ", not " + r.Expected
	}
	fmt.Fprintf(s.err, "%s: %s\n", name, why)
}

var reportCommand = command{
	name:      "report",
	arguments: "DIR",
	does: `Joins the results of all shards in the journal DIR, a path or URL, and writes below it

  report/summary.json    the counts, which it prints too
  report/problems.jsonl  the lines of all that is not as it should be
  report/SHA256SUMS      the digests of the rest, sorted by name, if nothing is missing

The exit status is 0 if every line has been checked and is as it should be, 1 if some are
not, and 2 if some have not been checked. It says what is written there, and nothing else.`,
	options: func(o *options, flags *pflag.FlagSet) {
		flags.Int64Var(&o.lines, "lines", -1, "how many lines there should be in all, if 'fleetsum split' has made no plan")
	},
	run: func(ctx context.Context, o *options, std *streams) (int, error) {
		if len(o.arguments) != 1 {
			return 0, errors.New("one journal is needed")
		}
		s, err := o.open()
		if err != nil {
			return 0, err
		}
		defer s.Close()
		j := &journal.Journal{Store: s, URL: o.arguments[0]}
		report, err := j.Report(ctx, o.lines)
		if err != nil {
			return 0, err
		}
		f, err := s.Open(ctx, store.Join(j.URL, "report/summary.json"), "")
		if err != nil {
			return 0, err
		}
		defer f.Close()
		if _, err := io.Copy(std.out, f); err != nil {
			return 0, err
		}
		return report.Status(), nil
	},
}
