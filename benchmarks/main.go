// Benchmarks measures this library beside its peers, in one process and in turn, and
// prints how many times as fast it is. Only minio's server has a process of its own,
// because it disturbs the others.
//
//	go run ./benchmarks
//
// Flags choose what is measured and where it is kept:
//
//	-run regexp   measure only the rows whose names match
//	-impl name    measure only this implementation, without a ratio
//	-time d       time for each row (default 1s)
//	-json         print JSON
//	-results dir  keep results there, in files called after the CPU: zen5.json
//	              after each row; zen5.md, zen5.txt for benchstat, and the charts
//	              as far as their rows are measured, at the end. Rows that are not
//	              measured now keep what zen5.json has, so that a long report can be
//	              made piece by piece
//	-benchstat file
//	              measure nothing, and print the results in this JSON file in
//	              benchstat's format: of zen5.json for zen5.txt
//
// The same rows are benchmarks for go test -bench, with names for benchstat.
//
//	go run ./benchmarks sweep
//
// measures the public calls of the library, with random sizes, counts and mixtures,
// beside the loops that a user would write in its place. It prints the cells in which
// the call is slower, the worst first, and a line for each call. Its exit status is 1 if
// there are such cells, 2 if it was called the wrong way (go run prints it). Its flags:
//
//	-seed n       choose sizes, counts and mixtures by this number; by default it is
//	              random, and the first line says which it was
//	-run regexp   measure only the cells whose names match
//	-all          print all cells
//
// It refuses to run when a peer is not the module that its authors published.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "sweep" {
		os.Exit(sweep(os.Args[2:], os.Stdout, os.Stderr, sweepBudget))
	}
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("benchmarks", flag.ExitOnError)
	var (
		pattern = flags.String("run", "", "measure only the rows whose names match this `regexp`")
		only    = flags.String("impl", "", "measure only the implementation of this `name`")
		budget  = flags.Duration("time", time.Second, "time for each row")
		asJSON  = flags.Bool("json", false, "print JSON")
		results = flags.String("results", "", "keep results in this `directory`, with the results of earlier runs on this CPU")
		text    = flags.String("benchstat", "", "measure nothing, and print the results in this JSON `file` for benchstat")
	)
	flags.Parse(args)
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *budget <= 0 {
		return fmt.Errorf("-time %v: a time above 0 is needed", *budget)
	}
	if *only != "" && *results != "" {
		return errors.New("-impl and -results: results that are kept have all implementations")
	}
	if *text != "" {
		if *pattern != "" || *only != "" || *results != "" || *asJSON {
			return errors.New("-benchstat measures nothing: it takes no other option")
		}
		kept, err := readReport(*text)
		if err != nil {
			return err
		}
		return kept.writeBenchstat(stdout)
	}
	matches, err := regexp.Compile(*pattern)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	rep, err := newReport()
	if err != nil {
		return err
	}
	files := "" // less their extensions
	if *results != "" {
		if err := os.MkdirAll(*results, 0o777); err != nil {
			return fmt.Errorf("keep results: %w", err)
		}
		files = filepath.Join(*results, rep.Machine.file())
		if err := rep.resume(files + ".json"); err != nil {
			return err
		}
	}
	var rows []row
	for _, s := range sections() {
		for _, r := range s.rows {
			if matches.MatchString(r.name()) {
				rows = append(rows, r)
			}
		}
	}
	if len(rows) == 0 && len(rep.Results) == 0 {
		return fmt.Errorf("-run %s: no row has such a name, and there are no earlier results", *pattern)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt does not wait for the row
	// What was measured is printed even where some of it failed.
	failed := rep.measure(ctx, rows, *only, *budget, files)
	if files != "" {
		failed = errors.Join(failed, rep.save(files+".md", rep.writeMarkdown), rep.save(files+".txt", rep.writeBenchstat), rep.draw(files))
	}
	write := rep.writeText
	if *asJSON {
		write = rep.writeJSON
	}
	return errors.Join(failed, write(stdout))
}

// measure measures the rows, of all implementations or only one, and after each saves the report in files.json, if
// files is not empty. When a row fails, it goes on with the others. When the user
// interrupts it, it goes on with what was measured until then.
func (rep *report) measure(ctx context.Context, rows []row, only string, budget time.Duration, files string) error {
	bar := progressbar.NewOptions(len(rows),
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetVisibility(term.IsTerminal(int(os.Stderr.Fd()))),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	)
	var errs []error
	for _, r := range rows {
		bar.Describe(r.name())
		res, err := measureRow(ctx, r, only, budget)
		if err != nil {
			// An interruption ends the processes of a row as well, and that may be
			// known first.
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
				errs = append(errs, err)
			}
		} else {
			rep.add(res)
			if files != "" {
				if err := rep.save(files+".json", rep.writeJSON); err != nil {
					return errors.Join(append(errs, err)...)
				}
			}
		}
		if ctx.Err() != nil {
			return errors.Join(append(errs, bar.Exit())...)
		}
		bar.Add(1)
	}
	return errors.Join(append(errs, bar.Finish())...)
}
