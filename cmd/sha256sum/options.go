package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// options are what the command line asks for.
type options struct {
	check  bool
	binary bool
	tag    bool
	zero   bool

	ignoreMissing bool
	quiet         bool
	status        bool
	strict        bool
	warn          bool

	recursive bool

	files []string
}

// errHelp and errVersion end the reading of the command line where --help and
// --version stand.
var (
	errHelp    = errors.New("help")
	errVersion = errors.New("version")
)

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
func (f optionFunc) String() string { return "" }
func (f optionFunc) Type() string   { return "" }

// parseOptions reads the command line as GNU getopt does: options may stand
// after names unless POSIXLY_CORRECT is set, short ones may be bundled, long
// ones abbreviated.
func parseOptions(args []string) (*options, error) {
	o := &options{}
	mode := byte(0) // 't' or 'b', whichever came last

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
	// In the order in which an ambiguous abbreviation lists them.
	toggle("binary", "b", func() { mode = 'b' })
	toggle("check", "c", func() { o.check = true })
	toggle("ignore-missing", "", func() { o.ignoreMissing = true })
	toggle("quiet", "", func() { o.status, o.warn, o.quiet = false, false, true })
	toggle("status", "", func() { o.status, o.warn, o.quiet = true, false, false })
	toggle("text", "t", func() { mode = 't' })
	toggle("warn", "w", func() { o.status, o.warn, o.quiet = false, true, false })
	toggle("strict", "", func() { o.strict = true })
	toggle("tag", "", func() { o.tag, mode = true, 'b' })
	toggle("zero", "z", func() { o.zero = true })
	toggle("recursive", "r", func() { o.recursive = true })
	option("help", "", func() error { return errHelp })
	option("version", "", func() error { return errVersion })
	flags.SetNormalizeFunc(completeName)

	if err := flags.Parse(args); err != nil {
		return nil, explain(err, flags, args)
	}
	o.files = flags.Args()
	o.binary = mode == 'b'
	return o, o.validate(mode)
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
			return fmt.Errorf("invalid option -- '%c'", s[0])
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
		switch cause {
		case errHelp, errVersion:
			return cause
		case errNoArgumentAllowed:
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

// validate refuses options that have no meaning together. mode is the last of
// -b and -t.
func (o *options) validate(mode byte) error {
	if o.tag && mode == 't' {
		return errors.New("--tag does not support --text mode")
	}
	if o.check {
		switch {
		case o.zero:
			return errors.New("the --zero option is not supported when verifying checksums")
		case o.tag:
			return errors.New("the --tag option is meaningless when verifying checksums")
		case mode != 0:
			return errors.New("the --binary and --text options are meaningless when verifying checksums")
		case o.recursive:
			return errors.New("the --recursive option is meaningless when verifying checksums")
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
