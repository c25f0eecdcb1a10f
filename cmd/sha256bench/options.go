package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// options are what the command line asks for.
type options struct {
	time time.Duration
	json bool
	row  bool // nothing but a row of the library's table
}

const helpHead = `Usage: sha256bench [OPTION]...
Measure the costs of this library's kernels for streams, nodes and nonces on this
machine. The library chooses kernels by a table of costs: the last lines say
whether its choice is the best one here. If it is not, please report what is
printed. -row prints the measured costs as a row of the table.

Kernels take turns on one core, for about 0.2 ms each, until -time is up. The
best time of each counts. On a busy machine, raise -time. Messages are
pseudo-random bytes, in cache.

Costs are in cycles on amd64 and arm64. The clock frequency is measured right
after a run, by timing a chain of additions and exclusive ors, each of which
needs the result of the one before and takes a cycle.

`

func newFlags(o *options) *flag.FlagSet {
	flags := flag.NewFlagSet("sha256bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // run prints errors
	flags.DurationVar(&o.time, "time", 5*time.Second, "take about this long, and measure everything a few times at least")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	flags.BoolVar(&o.row, "row", false, "print nothing but a row of the library's table, in Go")
	return flags
}

func helpText() string {
	var text strings.Builder
	text.WriteString(helpHead)
	flags := newFlags(new(options))
	flags.SetOutput(&text)
	flags.PrintDefaults()
	return text.String()
}

func parseOptions(args []string) (*options, error) {
	o := new(options)
	flags := newFlags(o)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.time <= 0 {
		return nil, errors.New("-time: a duration above 0 is needed")
	}
	if o.row && o.json {
		return nil, errors.New("-row and -json exclude each other")
	}
	return o, nil
}
