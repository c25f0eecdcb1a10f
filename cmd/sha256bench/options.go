package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// options are what the command line asks for.
type options struct {
	time time.Duration
	json bool
	row  bool // nothing but a row of the library's table
}

const helpHead = `Usage: sha256bench [OPTION]...
Measure the cost of each kernel of this library on this machine. The library
chooses kernels by a table of costs: the last lines say whether its choice is the
best one here. If it is not, please report what is printed. --row prints the
measured costs as a row of the table.

Kernels take turns on one core, for about 0.2 ms each, until --time is up. The
best time of each counts. On a busy machine, raise --time. Messages are
pseudo-random bytes, in cache.

Costs are in cycles on amd64 and arm64. The clock frequency is measured right
after a run, by timing a chain of additions and exclusive ors, each of which
needs the result of the one before and takes a cycle.

`

func newFlags(o *options) *pflag.FlagSet {
	flags := pflag.NewFlagSet("sha256bench", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() {}
	flags.DurationVar(&o.time, "time", 5*time.Second, "take about this long, and measure everything a few times at least")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	flags.BoolVar(&o.row, "row", false, "print nothing but a row of the library's table, in Go")
	return flags
}

func helpText() string {
	return helpHead + newFlags(new(options)).FlagUsages()
}

func parseOptions(args []string) (*options, error) {
	o := new(options)
	flags := newFlags(o)
	if err := flags.Parse(twoDashes(flags, args)); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.time <= 0 {
		return nil, errors.New("--time: a duration above 0 is needed")
	}
	if o.row && o.json {
		return nil, errors.New("--row and --json exclude each other")
	}
	return o, nil
}

// twoDashes returns args with two dashes before the names of options that have
// one, as with Go's own tools. No option is short, so none can be mistaken.
func twoDashes(flags *pflag.FlagSet, args []string) []string {
	args = slices.Clone(args)
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		word, isOption := strings.CutPrefix(args[i], "-")
		name, _, hasValue := strings.Cut(strings.TrimPrefix(word, "-"), "=")
		flag := flags.Lookup(name)
		if !isOption || flag == nil && name != "help" {
			continue
		}
		if !strings.HasPrefix(word, "-") {
			args[i] = "-" + args[i]
		}
		if flag != nil && flag.NoOptDefVal == "" && !hasValue {
			i++ // the next word is its value
		}
	}
	return args
}
