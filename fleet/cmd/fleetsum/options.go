package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/input"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

// options are the options of all commands.
type options struct {
	arguments []string

	store     store.Options
	rate      string // bytes per second
	readers   int
	failures  int
	missing   int
	partSize  string
	input     input.Options
	journal   string
	shard     int
	hasShard  bool
	shards    int
	lines     int64
	since     string
	noDigests bool
	versions  bool
	replace   bool
	partial   bool
	retry     bool
	empty     bool
	progress  string
	every     time.Duration
	output    string
	allowLoss bool
}

// The memory limit of the garbage collector, in bytes: a base, and for each reader its
// buffers.
const (
	baseHeap  = 128 << 20
	perReader = 1 << 20
)

// maxReaders bounds what the buffers of all readers take.
const maxReaders = 4096

// parseArguments returns the command of a command line.
func parseArguments(args []string) (*command, *options, error) {
	if len(args) == 0 {
		return nil, nil, errors.New("no command")
	}
	if args[0] == "--help" || args[0] == "-h" || args[0] == "help" {
		return nil, nil, pflag.ErrHelp
	}
	for i := range commands {
		c := &commands[i]
		if c.name != args[0] {
			continue
		}
		o := new(options)
		flags := flagsOf(c, o)
		if err := flags.Parse(args[1:]); err != nil {
			return c, nil, err
		}
		o.arguments = flags.Args()
		return c, o, nil
	}
	return nil, nil, fmt.Errorf("unknown command %q", args[0])
}

func flagsOf(c *command, o *options) *pflag.FlagSet {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() {}
	c.options(o, flags)
	flags.StringArrayVar(&o.store.Params, "store", nil, "parameters of a bucket: `s3://BUCKET?PARAMETER=VALUE`, or s3://?… for all buckets; FLEETSUM_STORE has more of these, divided by blanks, which come first")
	flags.Var(whole(&o.store.Retries, 8, 0, math.MaxInt), "retries", "repeat a request that brings nothing up to this many times in a row; 8 take at least 19 seconds")
	flags.Var(period(&o.store.Stall, time.Minute), "stall", "repeat a request when the store has neither sent nor taken anything for this long")
	return flags
}

// readingOptions adds the options of commands that read objects.
func readingOptions(o *options, flags *pflag.FlagSet) {
	flags.Var(whole(&o.readers, 64, 1, maxReaders), "readers", fmt.Sprintf("objects to read at once, at most %d", maxReaders))
	flags.Var(nonEmpty(&o.rate, ""), "bytes-per-second", "read at most `SIZE` bytes (such as 200MB) a second")
	flags.Var(perSecond(&o.store.RequestsPerSecond), "requests-per-second", "make at most `N` requests for objects a second; 0: no limit")
	flags.Var(whole(&o.failures, 100, 0, math.MaxInt), "max-failures", "stop after this many failures in a row of one store; 0: never")
	flags.Var(whole(&o.missing, 1000, 0, math.MaxInt), "max-missing", "stop after this many missing files in a row, whose file system may not be mounted; 0: never")
	flags.Var(nonEmpty(&o.partSize, ""), "part-size", "the `SIZE` of the parts (such as 8MiB), for composite checksums in lists without part sizes. If it does not make a checksum's number of parts, usual sizes are tried")
	flags.Var(nonEmpty(&o.progress, "auto"), "progress", "`WHEN` to show progress: auto (on a terminal), always or never; or json: print lines of JSON")
	flags.Var(period(&o.every, 10*time.Second), "progress-every", "with --progress json, the time from line to line")
}

// defaultFormat is that of lists.
const defaultFormat = "auto"

// listOptions adds the options of commands that read lists.
func listOptions(o *options, flags *pflag.FlagSet) {
	flags.Var(nonEmpty(&o.input.Format, defaultFormat), "format", "the format of lists; `NAME` is "+list.Formats)
	flags.Var(nonEmpty(&o.input.Schema, ""), "schema", "the `COLUMNS` of an inventory, such as 'Bucket, Key, Size'")
	flags.Var(nonEmpty(&o.input.Base, ""), "base", "put `URL` before relative names in lists")
}

// wholeOptions adds the options of commands that read whole lists.
func wholeOptions(o *options, flags *pflag.FlagSet) {
	flags.BoolVar(&o.partial, "partial", false, "accept what 'fleetsum list', 'fleetsum worker' or 'rclone lsjson' wrote without its end")
	emptyOption(o, flags)
}

// emptyOption adds the option of commands that fail if they have nothing to do.
func emptyOption(o *options, flags *pflag.FlagSet) {
	flags.BoolVar(&o.empty, "allow-empty", false, "accept that there are no objects: without it the exit status is 2")
}

// open returns the store that the options describe.
func (o *options) open() (*store.Store, error) {
	s := o.store
	s.Params = append(strings.Fields(os.Getenv("FLEETSUM_STORE")), s.Params...)
	s.Connections, s.Backoff = o.readers, 200*time.Millisecond
	if o.rate != "" {
		n, err := humanize.ParseBytes(o.rate)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("--bytes-per-second: not a size: %q", o.rate)
		}
		s.BytesPerSecond = float64(n)
	}
	return store.New(s)
}

// A reading is what commands that read objects need.
type reading struct {
	store    *store.Store
	progress *progress
	checker  *fixity.Checker
}

// startReading returns what the options describe; progress is shown on w. close
// must be called.
func (o *options) startReading(w io.Writer) (*reading, error) {
	c := &fixity.Checker{Readers: o.readers, MaxFailures: o.failures, MaxMissing: o.missing}
	if o.partSize != "" {
		n, err := humanize.ParseBytes(o.partSize)
		if err != nil || n == 0 || n > 1<<50 {
			return nil, fmt.Errorf("--part-size: not a size: %q", o.partSize)
		}
		number := strings.TrimRight(o.partSize, "bkmgtpeBKMGTPE")
		if unit := strings.TrimSpace(o.partSize[len(number):]); unit != "" && !strings.EqualFold(unit, "B") {
			return nil, fmt.Errorf("--part-size: %q would be %d bytes: say \"%s%siB\", or give the number of bytes", o.partSize, n, number, strings.ToUpper(unit[:1]))
		}
		c.PartSize = int64(n)
	}
	// Besides its buffers, the program has little live memory. So garbage may take a
	// multiple of the live memory, up to a limit.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(baseHeap + int64(o.readers)*perReader)
	var err error
	if c.Store, err = o.open(); err != nil {
		return nil, err
	}
	p, err := startProgress(o, w)
	if err != nil {
		c.Store.Close()
		return nil, err
	}
	c.OnRead = p.read
	return &reading{c.Store, p, c}, nil
}

func (r *reading) close() {
	r.progress.stop()
	r.store.Close()
}

// A listReader reads lists, and checks at their end that they are whole.
type listReader struct {
	*input.Reader
	partial, empty bool // these are accepted
	read           bool // there is an entry
}

// Next returns the next entry. The error is io.EOF only if the lists are whole.
func (r *listReader) Next() (list.Entry, error) {
	e, err := r.Reader.Next()
	if err == nil {
		r.read = true
		return e, nil
	}
	if err != io.EOF {
		return e, err
	}
	if broken := r.Listings.Check(); broken != nil && !r.partial {
		return e, fmt.Errorf("%w; --partial accepts that", broken)
	}
	if !r.read && !r.empty {
		return e, errors.New("it has no objects; --allow-empty accepts that")
	}
	return e, io.EOF
}

// lists opens the lists that the arguments name or, without any, standard
// input.
func (o *options) lists(ctx context.Context, s *store.Store, std *streams) (*listReader, error) {
	names := o.arguments
	if len(names) == 0 {
		names = []string{input.Stdin}
	}
	r, err := input.Open(ctx, s, std.in, names, o.input)
	if err != nil {
		return nil, err
	}
	r.Warn = func(text string) { fmt.Fprintf(std.err, "fleetsum: %s\n", text) }
	return &listReader{Reader: r, partial: o.partial, empty: o.empty}, nil
}

// help writes the help of a command or, if c is nil, of the tool.
func help(w io.Writer, c *command) {
	if c != nil {
		fmt.Fprintf(w, "Usage: fleetsum %s [OPTION]... %s\n\n%s\n\nOptions:\n%s", c.name, c.arguments, c.does, flagsOf(c, new(options)).FlagUsagesWrapped(100))
		return
	}
	fmt.Fprint(w, "Usage: fleetsum COMMAND [OPTION]... [ARGUMENT]...\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  fleetsum %s %s\n", c.name, c.arguments)
	}
	fmt.Fprint(w, `
Objects are paths, or URLs: file://, s3://, gs://, azblob://, and s3a://, az://, abfss:// for the same stores. All that follows the
bucket is the key as it is. A list may also be standard input, as -, or a pipe.
'fleetsum COMMAND --help' says more.
`)
}
