// Asm2plan9s writes SIMD instructions as the data words that Go's assembler
// takes where it does not know the instructions themselves.
//
// Usage:
//
//	asm2plan9s [flags] [file.s ...]
//
// You write an instruction in a comment, in the syntax of its vendor. Asm2plan9s
// has it assembled and puts its bytes before the comment:
//
//	LONG $0xd471c1c4; BYTE $0xc0 // VPADDQ  XMM0,XMM1,XMM8
//
// A comment is an instruction by the column that it starts in, and a plain
// comment in any other; see the README for the columns. Files are rewritten in
// place, all of them or, after any error, none; without files, standard input
// is copied to standard output.
//
// The flags are:
//
//	-arch amd64|arm64
//		assemble for this architecture; by default for the one in the file's
//		name (x_arm64.s), or else the one that asm2plan9s runs on
//	-as program
//		assemble with this GNU as, clang or llvm-mc instead of the first one
//		found on PATH, GNU as before the others
//	-check
//		write nothing; name each line whose bytes are not those of its
//		instruction, and exit with status 1 if there is one
//	-compact
//		join the instructions of consecutive lines into one run and drop
//		their comments
//	-d
//		write nothing; print a diff of what would change
//	-l
//		write nothing; list the files that would change
//	-syntax intel|att
//		read amd64 instructions in Intel's syntax (the default) or in AT&T's
//
// The exit status is 0 for success, 1 if -check found something, and 2 for an
// error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"

	"github.com/rogpeppe/go-internal/diff"
)

// Exit statuses.
const (
	exitOK       = 0
	exitDisagree = 1 // -check found a line
	exitError    = 2
)

const (
	syntaxIntel = "intel"
	syntaxATT   = "att"

	stdinName = "<standard input>"
)

func main() {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	// Who starts the command with it ignored, as nohup does, means it.
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// options are what the flags say.
type options struct {
	arch    *arch // nil: each file's
	as      string
	syntax  string
	check   bool
	compact bool
	diff    bool
	list    bool
}

// writes reports whether the result is to be written.
func (o *options) writes() bool { return !o.check && !o.diff && !o.list }

// run is the command without its process: it returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	opts, files, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		printError(stderr, err)
		return exitError
	}
	c := &converter{options: opts, stdout: stdout, stderr: stderr, lookups: make(map[*arch]lookup)}
	if len(files) == 0 {
		err = c.convertStdin(ctx, stdin)
	} else {
		err = c.convertFiles(ctx, files)
	}
	if err != nil {
		printError(stderr, err)
		return exitError
	}
	if c.disagrees {
		return exitDisagree
	}
	return exitOK
}

// printError prints each of the errors joined in err, after the command's name
// where they do not begin with a line's.
func printError(w io.Writer, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			printError(w, err)
		}
		return
	}
	if _, ok := err.(lineError); !ok {
		fmt.Fprint(w, "asm2plan9s: ")
	}
	fmt.Fprintln(w, err)
}

func parseFlags(args []string, stderr io.Writer) (opts options, files []string, err error) {
	fs := flag.NewFlagSet("asm2plan9s", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprintln(stderr, "usage: asm2plan9s [flags] [file.s ...]")
		fs.PrintDefaults()
	}
	archName := fs.String("arch", "", "assemble for this architecture, `amd64|arm64` (default: the one in the file's name, then the host's)")
	fs.StringVar(&opts.as, "as", "", "assemble with this `program`: a GNU as, clang or llvm-mc (default: the first on PATH, in this order)")
	fs.BoolVar(&opts.check, "check", false, "write nothing; exit with status 1 if a line's bytes are not its instruction's")
	fs.BoolVar(&opts.compact, "compact", false, "join the instructions of consecutive lines and drop their comments")
	fs.BoolVar(&opts.diff, "d", false, "write nothing; print a diff of what would change")
	fs.BoolVar(&opts.list, "l", false, "write nothing; list the files that would change")
	fs.StringVar(&opts.syntax, "syntax", syntaxIntel, "read amd64 instructions in this syntax, `intel|att`")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return opts, nil, err
		}
		// The flag package has told about it.
		return opts, nil, errors.New("run with -h for help")
	}
	if *archName != "" {
		if opts.arch = archByName(*archName); opts.arch == nil {
			return opts, nil, fmt.Errorf("-arch %s: want amd64 or arm64", *archName)
		}
	}
	if opts.syntax != syntaxIntel && opts.syntax != syntaxATT {
		return opts, nil, fmt.Errorf("-syntax %s: want %s or %s", opts.syntax, syntaxIntel, syntaxATT)
	}
	if opts.check && opts.compact {
		return opts, nil, errors.New("-check and -compact exclude each other: compact runs have no comments to check")
	}
	return opts, fs.Args(), nil
}

// A converter converts sources by the options and reports to stdout and stderr
// what these ask for.
type converter struct {
	options
	stdout, stderr io.Writer
	lookups        map[*arch]lookup // done so far
	disagrees      bool             // -check found a line
}

// A lookup is what the search for an assembler came to.
type lookup struct {
	as  *assembler
	err error
}

func (c *converter) convertStdin(ctx context.Context, stdin io.Reader) error {
	data, err := readAll(ctx, stdin)
	if err != nil {
		return fmt.Errorf("reading standard input: %w", err)
	}
	result, err := c.convert(ctx, stdinName, data)
	if err != nil {
		return err
	}
	if !c.writes() {
		return nil
	}
	if _, err := io.WriteString(c.stdout, result); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// readAll is io.ReadAll, and ends with ctx: a terminal or a pipe may never end.
func readAll(ctx context.Context, r io.Reader) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(r)
		done <- result{data, err}
	}()
	select {
	case all := <-done:
		return all.data, all.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// convertFiles rewrites the files, or none of them if it returns an error.
func (c *converter) convertFiles(ctx context.Context, paths []string) error {
	var errs []error
	var changes []change
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		result, err := c.convert(ctx, path, data)
		if err != nil {
			// Files can share one: that there is no assembler.
			if !slices.Contains(errs, err) {
				errs = append(errs, err)
			}
			continue
		}
		if c.writes() && result != string(data) {
			ch, err := prepareChange(path, data, []byte(result))
			if err != nil {
				errs = append(errs, err)
			}
			changes = append(changes, ch)
		}
	}
	if errs != nil {
		return errors.Join(errs...)
	}
	return replaceAll(changes)
}

// convert returns the result for one source, after reporting on it.
func (c *converter) convert(ctx context.Context, name string, data []byte) (string, error) {
	a, err := c.archFor(name)
	if err != nil {
		return "", err
	}
	s := parse(name, data, a)
	if len(s.insts) > 0 {
		if err := c.assemble(ctx, s); err != nil {
			return "", err
		}
		if err := s.err(); err != nil {
			return "", err
		}
	}
	result := s.rewrite()
	if err := s.err(); err != nil {
		return "", err
	}
	if c.compact {
		result = s.compact()
	}
	return result, c.report(s, string(data), result)
}

func (c *converter) archFor(name string) (*arch, error) {
	for _, a := range []*arch{c.arch, archOfFile(name), archByName(runtime.GOARCH)} {
		if a != nil {
			return a, nil
		}
	}
	return nil, fmt.Errorf("%s: the name tells no architecture, and this host's is %s: give -arch amd64 or -arch arm64", name, runtime.GOARCH)
}

func (c *converter) assemble(ctx context.Context, s *source) error {
	found, ok := c.lookups[s.arch]
	if !ok {
		found.as, found.err = findAssembler(ctx, s.arch, c.as)
		c.lookups[s.arch] = found
	}
	if found.err != nil {
		return found.err
	}
	warnings, err := found.as.assemble(ctx, s, c.syntax)
	for _, w := range warnings {
		fmt.Fprintln(c.stderr, w)
	}
	return err
}

// report prints what -check, -l and -d ask for.
func (c *converter) report(s *source, old, result string) error {
	if c.check {
		for _, line := range s.disagreements() {
			c.disagrees = true
			fmt.Fprintln(c.stderr, line)
		}
	}
	if old == result {
		return nil
	}
	if c.list {
		if _, err := fmt.Fprintln(c.stdout, s.name); err != nil {
			return fmt.Errorf("writing the list: %w", err)
		}
	}
	if c.diff {
		if _, err := c.stdout.Write(diff.Diff(s.name+".orig", []byte(old), s.name, []byte(result))); err != nil {
			return fmt.Errorf("writing the diff: %w", err)
		}
	}
	return nil
}
