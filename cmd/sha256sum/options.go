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
	"syscall"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/message"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/walk"
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

	recursive     bool
	filters       walk.Filters
	links         string // what is done with symbolic links inside a tree
	oneFileSystem bool
	base          string // what names are relative to
	baseSet       bool   // base may be "", for the directory of each list
	update        string
	all           bool // with update: what looks unchanged is read too
	noInode       bool // with update: a file may have another inode number
	verbose       bool // with update: each difference is printed
	allowLoss     bool
	bag           string
	fast          bool // with bag: nothing is hashed
	files0From    string
	jobs          int
	json          bool
	output        string
	partSize      int64 // 0: no composite checksums
	progress      string

	files []string
}

// maxJobs bounds what the buffers of all workers take.
const maxJobs = 64

// An informationError ends the reading of the command line at --help or its
// like: information makes the text from it.
type informationError string

func (informationError) Error() string { return "information was asked for" }

// parseOptions reads the command line as GNU getopt_long does: options may
// follow names unless POSIXLY_CORRECT is set, short ones may be bundled, long
// ones abbreviated.
//
// No module is used for it. The modules that do all of this import package net,
// and with it the C library. To load that library takes longer than all else
// that this program does before it hashes.
func parseOptions(args []string) (*options, error) {
	o := &options{jobs: min(runtime.GOMAXPROCS(0), maxJobs), progress: "auto", links: "skip"}
	_, posix := os.LookupEnv("POSIXLY_CORRECT")
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case arg == "--":
			o.files, args = append(o.files, args...), nil
		case strings.HasPrefix(arg, "--"):
			args, err = o.parseLong(arg, args)
		case strings.HasPrefix(arg, "-") && arg != "-":
			args, err = o.parseShort(arg[1:], args)
		case posix:
			o.files, args = append(append(o.files, arg), args...), nil
		default:
			o.files = append(o.files, arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return o, o.validate()
}

// parseLong reads a long option. It returns the arguments behind it.
func (o *options) parseLong(arg string, rest []string) ([]string, error) {
	name, value, hasValue := strings.Cut(arg[2:], "=")
	found := candidates(name)
	if len(found) == 0 {
		return nil, fmt.Errorf("unrecognized option '%s'", arg)
	}
	if len(found) > 1 {
		names := make([]string, len(found))
		for i, p := range found {
			names[i] = "'--" + p.long + "'"
		}
		return nil, fmt.Errorf("option '%s' is ambiguous; possibilities: %s", arg, strings.Join(names, " "))
	}
	p := found[0]
	switch {
	case p.argument == "" && hasValue:
		return nil, fmt.Errorf("option '--%s' doesn't allow an argument", p.long)
	case p.argument != "" && !hasValue:
		if len(rest) == 0 {
			return nil, fmt.Errorf("option '--%s' requires an argument", p.long)
		}
		value, rest = rest[0], rest[1:]
	}
	return rest, o.apply(p, value)
}

// parseShort reads a bundle of short options. It returns the arguments behind it.
func (o *options) parseShort(bundle string, rest []string) ([]string, error) {
	for i := range len(bundle) {
		k := slices.IndexFunc(table, func(p option) bool { return p.short == bundle[i] })
		if k < 0 {
			return nil, fmt.Errorf("invalid option -- '%s'", bundle[i:i+1]) // a byte, not a character
		}
		p := &table[k]
		if p.argument == "" {
			if err := o.apply(p, ""); err != nil {
				return nil, err
			}
			continue
		}
		value := bundle[i+1:]
		if value == "" {
			if len(rest) == 0 {
				return nil, fmt.Errorf("option requires an argument -- '%c'", p.short)
			}
			value, rest = rest[0], rest[1:]
		}
		return rest, o.apply(p, value)
	}
	return rest, nil
}

// apply sets an option.
func (o *options) apply(p *option, value string) error {
	var err error
	if len(p.words) > 0 && !slices.Contains(p.words, value) {
		err = fmt.Errorf("expected one of %s", strings.Join(p.words, ", "))
	} else {
		err = p.set(o, value)
	}
	if err == nil || errors.As(err, new(informationError)) {
		return err
	}
	return fmt.Errorf("invalid argument %s for '--%s': %w", message.Quote(value), p.long, err)
}

// candidates returns the long options that a name may mean. An abbreviation that
// coreutils knows means what it means there.
func candidates(name string) []*option {
	var theirs, ours []*option
	for i := range table {
		p := &table[i]
		switch {
		case p.long == name:
			return []*option{p}
		case !strings.HasPrefix(p.long, name):
		case p.group == beyondOption:
			ours = append(ours, p)
		default:
			theirs = append(theirs, p)
		}
	}
	if len(theirs) > 0 {
		return theirs
	}
	return ours
}

func (o *options) addFilter(glob string, include bool) error {
	f, err := walk.NewFilter(glob, include)
	if err == nil {
		o.filters = append(o.filters, f)
	}
	return err
}

func nonEmpty(s string) error {
	if s == "" {
		return errors.New("a file name is needed")
	}
	return nil
}

// namesFile is nonEmpty for what is written to. Elsewhere - is a standard stream, so nobody
// is given a file of that name by mistake.
func namesFile(s string) error {
	if s == "-" {
		return errors.New("a file name is needed; ./- is a file of this name")
	}
	return nonEmpty(s)
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

// validate refuses options that have no meaning together, and sets the options that
// others imply.
func (o *options) validate() error {
	for _, r := range rules {
		if r.broken(o) {
			return errors.New(r.text)
		}
	}
	if len(o.files) > 0 {
		extra := "extra operand " + message.QuoteAlways(o.files[0])
		switch {
		case o.files0From != "":
			return errors.New(extra + "\nfile operands cannot be combined with --files0-from")
		case o.bag != "":
			return errors.New(extra)
		}
	}
	if o.update != "" {
		o.output = o.update
	}
	o.check = o.verifies()
	return nil
}

// verifies reports whether the options ask for a check.
func (o *options) verifies() bool { return o.check || o.bag != "" }

// checkBase returns an error if --base names no directory.
func (o *options) checkBase() error {
	if o.base == "" {
		return nil
	}
	info, err := file.Stat(o.base)
	if err == nil && !info.Dir {
		err = syscall.ENOTDIR
	}
	return err
}

// roots returns the files and directories that --recursive names.
func (o *options) roots() []string {
	if len(o.files) == 0 {
		return []string{"."}
	}
	return o.files
}
