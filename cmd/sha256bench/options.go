package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// options are what the command line asks for.
type options struct {
	time    time.Duration
	lanes   []int // numbers of messages side by side
	lengths []int
	full    bool
	kernels []string // empty: all that there are

	implementations []string // what is compared
	json            bool
	row             bool // nothing but a row of the library's table
	chart           string
	progress        string
}

// Limits of what can be asked for.
const (
	maxMessages = 4096
	maxLength   = 64 << 20
	maxMemory   = 1 << 30
)

// Where the two sweeps of a run that is not full cross.
const (
	sweepLength   = 4 << 10
	sweepMessages = 32
)

const helpHead = `Usage: sha256bench [OPTION]...
Measure SHA-256 on this machine: every kernel that it can run, beside
crypto/sha256 in the same run.

Messages are hashed by one call of SumMany on one core, and one by one by
crypto/sha256. One sweep is over --lanes, at 4 KiB each; another is over
--lengths, 32 messages at a time. The implementations take turns, each for
about 50 µs, again and again until --time is up, and the best time counts.
Messages are pseudo-random bytes, back to back in memory.

Bytes per cycle are told on amd64 and arm64. The clock frequency is measured
right after each run, by timing a chain of additions and exclusive ors, each of
which needs the result of the one before and takes a cycle.

At the end stands what the library's choice of kernels rests on, its table of
costs for this kind of CPU, beside the costs measured, and whether the choice
is the best one here. If it is not, please report what is printed. --row prints
the costs measured as the table has them.

`

func newFlags(o *options) *pflag.FlagSet {
	flags := pflag.NewFlagSet("sha256bench", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() {}
	flags.DurationVar(&o.time, "time", 20*time.Second, "take about this long, and measure everything at least once")
	flags.Var(&list{&o.lanes, maxMessages, func(n int) int { return n + 1 }}, "lanes", "numbers of messages side by side, as in 1-8,16")
	flags.Var(&list{&o.lengths, maxLength, func(n int) int { return 2 * n }}, "lengths", "lengths of messages in bytes, as in 64,1K-1M; a range doubles")
	flags.BoolVar(&o.full, "full", false, "measure all of --lanes with each of --lengths; raise --time with it")
	flags.StringSliceVar(&o.kernels, "kernels", nil, "measure these only, as in x1_shani,x32_avx512")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	flags.BoolVar(&o.row, "row", false, "measure what kernels cost, and print a row of the library's table in Go")
	flags.StringVar(&o.chart, "chart", "", "draw a chart into this file, an .svg")
	flags.StringVar(&o.progress, "progress", "auto", "show progress on standard error: auto, always or never")
	return flags
}

func helpText() string {
	return helpHead + newFlags(defaultOptions()).FlagUsages()
}

func defaultOptions() *options {
	o := new(options)
	for n := 1; n <= 40; n++ {
		o.lanes = append(o.lanes, n)
	}
	for length := 16; length <= 1<<20; length *= 2 {
		o.lengths = append(o.lengths, length)
	}
	return o
}

func parseOptions(args []string) (*options, error) {
	o := defaultOptions()
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
	if !slices.Contains([]string{"auto", "always", "never"}, o.progress) {
		return nil, fmt.Errorf("--progress %q: it is one of auto, always, never", o.progress)
	}
	if flags.Changed("chart") && filepath.Ext(o.chart) != ".svg" {
		return nil, fmt.Errorf("--chart %q: the name of an .svg file is needed", o.chart)
	}
	if o.row && (o.json || o.chart != "" || o.full || flags.Changed("lanes") || flags.Changed("lengths") || flags.Changed("kernels")) {
		return nil, errors.New("--row goes with --time and --progress alone")
	}
	var err error
	if o.implementations, err = implementations(o.kernels); err != nil {
		return nil, fmt.Errorf("--kernels: %w", err)
	}
	if memory := o.memory(); memory > maxMemory {
		return nil, fmt.Errorf("--lanes and --lengths: the messages take %d MiB, at most %d are possible", memory>>20, maxMemory>>20)
	}
	return o, nil
}

// twoDashes returns args with two dashes before the names of options that have
// one, as with Go's own tools. There are no short options to take them for.
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

// points returns which numbers of messages go with which lengths, each once.
func (o *options) points() []point {
	var ps []point
	if o.full {
		for _, length := range o.lengths {
			for _, n := range o.lanes {
				ps = append(ps, point{n, length})
			}
		}
		return ps
	}
	for _, n := range o.lanes {
		ps = append(ps, point{n, sweepLength})
	}
	for _, length := range o.lengths {
		if length != sweepLength || !slices.Contains(o.lanes, sweepMessages) {
			ps = append(ps, point{sweepMessages, length})
		}
	}
	return ps
}

// memory returns how much the largest set of messages takes.
func (o *options) memory() int {
	most := 0
	for _, p := range o.points() {
		most = max(most, p.messages*p.length)
	}
	return most
}

// A list is an option of numbers and ranges of them.
type list struct {
	to   *[]int
	most int
	next func(int) int // the number after one in a range
}

func (l *list) Type() string { return "list" }

func (l *list) String() string {
	if l.to == nil || len(*l.to) == 0 {
		return ""
	}
	return formatSize((*l.to)[0]) + "-" + formatSize((*l.to)[len(*l.to)-1]) // as the defaults are
}

func (l *list) Set(s string) error {
	var numbers []int
	for word := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(word, "-")
		from, err := l.parse(first)
		if err != nil {
			return err
		}
		to := from
		if isRange {
			if to, err = l.parse(last); err != nil {
				return err
			}
			if to < from {
				return fmt.Errorf("%s runs backwards", word)
			}
		}
		for n := from; n <= to; n = l.next(n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	*l.to = slices.Compact(numbers)
	return nil
}

func (l *list) parse(s string) (int, error) {
	digits := strings.TrimRight(strings.TrimSpace(s), "KMiB")
	n, err := strconv.Atoi(digits)
	unit, known := map[string]int{"": 1, "B": 1, "K": 1 << 10, "KiB": 1 << 10, "M": 1 << 20, "MiB": 1 << 20}[strings.TrimSpace(s)[len(digits):]]
	if err != nil || !known || n < 1 || n > math.MaxInt/unit || n*unit > l.most {
		return 0, fmt.Errorf("%q is not a number from 1 to %s", s, formatSize(l.most))
	}
	return n * unit, nil
}

// formatSize returns n with a binary unit if that is exact.
func formatSize(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return strconv.Itoa(n>>20) + "M"
	case n >= 1<<10 && n%(1<<10) == 0:
		return strconv.Itoa(n>>10) + "K"
	}
	return strconv.Itoa(n)
}
