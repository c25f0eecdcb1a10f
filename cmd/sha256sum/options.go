package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/pflag"
)

// options are what the command line asks for.
type options struct {
	check bool
	mode  byte // 'b' or 't', whichever of -b and -t came last, or 0
	tag   bool
	zero  bool

	ignoreMissing bool
	quiet         bool
	status        bool
	strict        bool
	warn          bool

	recursive  bool
	files0From string
	exclude    []string
	jobs       int
	json       bool
	progress   string
	partSize   int64 // 0: no composite checksums
	output     string

	files []string
}

// maxJobs bounds what the buffers of all workers take.
const maxJobs = 64

// An informationError ends the reading of the command line where --help or its
// like stands: it is what to print.
type informationError string

func (informationError) Error() string { return "information was asked for" }

// An optionFunc is an option without an argument.
type optionFunc func() error

// noArgument is what pflag hands to an option that stands without an argument.
// A user who writes --check=true does give one.
const noArgument = "\x00"

var errNoArgumentAllowed = errors.New("doesn't allow an argument")

func (f optionFunc) Set(s string) error {
	if s != noArgument {
		return errNoArgumentAllowed
	}
	return f()
}
func (optionFunc) String() string { return "" }
func (optionFunc) Type() string   { return "" }

// A valueFunc is an option with an argument.
type valueFunc func(string) error

func (f valueFunc) Set(s string) error { return f(s) }
func (valueFunc) String() string       { return "" }
func (valueFunc) Type() string         { return "" }

// parseOptions reads the command line as GNU getopt does: options may stand
// after names unless POSIXLY_CORRECT is set, short ones may be bundled, long
// ones abbreviated.
func parseOptions(args []string) (*options, error) {
	o := &options{jobs: min(runtime.GOMAXPROCS(0), maxJobs), progress: "auto"}
	flags := o.flags()
	if err := flags.Parse(args); err != nil {
		return nil, explain(err, flags, args)
	}
	o.files = flags.Args()
	return o, o.validate()
}

// flags returns the options of the command line, which set o.
func (o *options) flags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("sha256sum", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.Usage = func() {}
	_, posix := os.LookupEnv("POSIXLY_CORRECT")
	flags.SetInterspersed(!posix)

	option := func(name, shorthand string, set func() error) {
		flags.VarPF(optionFunc(set), name, shorthand, "").NoOptDefVal = noArgument
	}
	toggle := func(name, shorthand string, set func()) {
		option(name, shorthand, func() error { set(); return nil })
	}
	value := func(name, shorthand string, set func(string) error) {
		flags.VarP(valueFunc(set), name, shorthand, "")
	}
	// In the order in which an ambiguous abbreviation lists them.
	toggle("check", "c", func() { o.check = true })
	toggle("ignore-missing", "", func() { o.ignoreMissing = true })
	toggle("quiet", "", func() { o.status, o.warn, o.quiet = false, false, true })
	toggle("status", "", func() { o.status, o.warn, o.quiet = true, false, false })
	toggle("warn", "w", func() { o.status, o.warn, o.quiet = false, true, false })
	toggle("strict", "", func() { o.strict = true })
	toggle("tag", "", func() { o.tag, o.mode = true, 'b' })
	toggle("zero", "z", func() { o.zero = true })
	toggle("binary", "b", func() { o.mode = 'b' })
	toggle("text", "t", func() { o.mode = 't' })
	toggle("recursive", "r", func() { o.recursive = true })
	value("files0-from", "", func(s string) error { o.files0From = s; return nonEmpty(s) })
	value("exclude", "", func(s string) error {
		// Shells complete directories with a slash behind them.
		if s = strings.TrimRight(s, "/"); s == "" || s == "." {
			return errors.New("a name or a path below a directory is needed")
		}
		if !doublestar.ValidatePattern(s) {
			return doublestar.ErrBadPattern
		}
		o.exclude = append(o.exclude, s)
		return nil
	})
	value("jobs", "j", func(s string) (err error) { o.jobs, err = parseJobs(s); return err })
	toggle("json", "", func() { o.json = true })
	value("progress", "", func(s string) error { o.progress = s; return oneOf(s, "auto", "always", "never") })
	value("part-size", "", func(s string) (err error) { o.partSize, err = parseSize(s); return err })
	value("output", "", func(s string) error { o.output = s; return nonEmpty(s) })
	value("generate-completion", "", func(s string) error {
		if err := oneOf(s, "bash", "zsh", "fish"); err != nil {
			return err
		}
		return informationError(completions[s])
	})
	option("help", "", func() error { return informationError(helpText) })
	option("version", "", func() error { return informationError(versionText()) })
	flags.SetNormalizeFunc(completeName)
	return flags
}

// completeName makes an unambiguous abbreviation whole.
func completeName(flags *pflag.FlagSet, name string) pflag.NormalizedName {
	if c := candidates(flags, name); len(c) == 1 {
		name = c[0]
	}
	return pflag.NormalizedName(name)
}

// candidates returns the names of the long options that name may mean.
func candidates(flags *pflag.FlagSet, name string) []string {
	var names []string
	exact := false
	flags.VisitAll(func(f *pflag.Flag) {
		exact = exact || f.Name == name
		if strings.HasPrefix(f.Name, name) {
			names = append(names, f.Name)
		}
	})
	if exact {
		return []string{name}
	}
	return names
}

// explain words an error of pflag as GNU getopt does.
func explain(err error, flags *pflag.FlagSet, args []string) error {
	var (
		unknown *pflag.NotExistError
		syntax  *pflag.InvalidSyntaxError
		missing *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		// pflag takes an undefined -h for --help.
		return errors.New("invalid option -- 'h'")
	case errors.As(err, &unknown):
		if s := unknown.GetSpecifiedShortnames(); s != "" {
			return fmt.Errorf("invalid option -- '%s'", s[:1]) // a byte, not a character
		}
		arg := asWritten(unknown.GetSpecifiedName(), args)
		if c := candidates(flags, unknown.GetSpecifiedName()); len(c) > 1 {
			return fmt.Errorf("option '%s' is ambiguous; possibilities: '--%s'", arg, strings.Join(c, "' '--"))
		}
		return fmt.Errorf("unrecognized option '%s'", arg)
	case errors.As(err, &syntax):
		return fmt.Errorf("unrecognized option '%s'", syntax.GetSpecifiedFlag())
	case errors.As(err, &missing):
		if missing.GetSpecifiedShortnames() != "" {
			return fmt.Errorf("option requires an argument -- '%s'", missing.GetSpecifiedName())
		}
		return fmt.Errorf("option '--%s' requires an argument", missing.GetFlag().Name)
	case errors.As(err, &invalid):
		cause := invalid.Unwrap()
		if errors.As(cause, new(informationError)) {
			return cause
		}
		if cause == errNoArgumentAllowed {
			if f := invalid.GetFlag(); f.Shorthand != "" && endsBundle(f.Shorthand+"="+invalid.GetValue(), args) {
				// pflag takes -b=3 for --binary=3; to getopt = is one more option.
				return errors.New("invalid option -- '='")
			}
			return fmt.Errorf("option '--%s' %w", invalid.GetFlag().Name, cause)
		}
		return fmt.Errorf("invalid argument %s for '--%s': %w", quoteShell(invalid.GetValue()), invalid.GetFlag().Name, cause)
	}
	return err
}

// asWritten returns the argument that begins with the long option name.
func asWritten(name string, args []string) string {
	name = "--" + name
	for _, a := range args {
		if a == name || strings.HasPrefix(a, name+"=") {
			return a
		}
	}
	return name
}

// endsBundle reports whether an argument of short options ends with s.
func endsBundle(s string, args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, s)
	})
}

func nonEmpty(s string) error {
	if s == "" {
		return errors.New("a file name is needed")
	}
	return nil
}

func oneOf(s string, words ...string) error {
	if !slices.Contains(words, s) {
		return fmt.Errorf("it is one of %s", strings.Join(words, ", "))
	}
	return nil
}

func parseJobs(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxJobs {
		return 0, fmt.Errorf("a number from 1 to %d is needed", maxJobs)
	}
	return n, nil
}

// parseSize reads a size of parts: bytes, or with a unit as the GNU tools have
// them, 8M and 8MiB for 8 << 20 and 8MB for 8,000,000.
func parseSize(s string) (int64, error) {
	const smallest = 1 << 10
	digits := strings.TrimRight(s, "KMGTiB")
	n, err := strconv.ParseInt(digits, 10, 64)
	unit, known := sizeUnits[s[len(digits):]]
	if err != nil || !known || n < 1 || n > math.MaxInt64/unit {
		return 0, errors.New("a size such as 8MiB is needed")
	}
	if n *= unit; n < smallest {
		return 0, fmt.Errorf("parts have at least %d bytes", smallest)
	}
	return n, nil
}

var sizeUnits = map[string]int64{
	"": 1, "B": 1,
	"K": 1 << 10, "KiB": 1 << 10, "KB": 1e3,
	"M": 1 << 20, "MiB": 1 << 20, "MB": 1e6,
	"G": 1 << 30, "GiB": 1 << 30, "GB": 1e9,
	"T": 1 << 40, "TiB": 1 << 40, "TB": 1e12,
}

// validate refuses options that have no meaning together.
func (o *options) validate() error {
	if o.tag && o.mode == 't' {
		return errors.New("--tag does not support --text mode")
	}
	if o.json && (o.tag || o.zero) {
		return errors.New("the --tag and --zero options are meaningless with --json")
	}
	if o.files0From != "" && len(o.files) > 0 {
		return fmt.Errorf("extra operand %s\nfile operands cannot be combined with --files0-from", quoteShellAlways(o.files[0]))
	}
	if len(o.exclude) > 0 && !o.recursive {
		return errors.New("the --exclude option is meaningful only with --recursive")
	}
	if o.check {
		switch {
		case o.zero:
			return errors.New("the --zero option is not supported when verifying checksums")
		case o.tag:
			return errors.New("the --tag option is meaningless when verifying checksums")
		case o.mode != 0:
			return errors.New("the --binary and --text options are meaningless when verifying checksums")
		case o.recursive:
			return errors.New("the --recursive option is meaningless when verifying checksums")
		case o.files0From != "":
			return errors.New("the --files0-from option is meaningless when verifying checksums")
		case o.partSize != 0:
			return errors.New("the --part-size option is meaningless when verifying checksums")
		}
		return nil
	}
	for _, only := range []struct {
		name string
		set  bool
	}{
		{"ignore-missing", o.ignoreMissing},
		{"status", o.status},
		{"warn", o.warn},
		{"quiet", o.quiet},
		{"strict", o.strict},
	} {
		if only.set {
			return fmt.Errorf("the --%s option is meaningful only when verifying checksums", only.name)
		}
	}
	return nil
}
