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
// A comment that follows only words is an instruction. A comment on a line of
// its own is an instruction if it starts in one of certain columns, which the
// README lists. Files are rewritten in place. A line whose words already encode the
// instruction stays as it is, except with -compact. If any line has an error, no file
// is rewritten. A file for an architecture that nothing here assembles is reported
// and left as it is. Without files, standard input is copied to standard output.
//
// The flags are:
//
//	-arch amd64|arm64
//		assemble for this architecture; by default for the one that the
//		file's name (x_arm64.s) or its //go:build line names, or else the
//		one that asm2plan9s runs on
//	-as program
//		assemble with this GNU as, clang, llvm-mc, yasm or nasm, and with no
//		other; by default with the first one found on PATH, GNU as before
//		clang and llvm-mc, and where that refuses an instruction with the
//		next that knows it
//	-as-flags options
//		pass these options, with blanks between them, to the program of -as
//	-check
//		write nothing; name each line whose bytes are not the bytes of its
//		instruction, count the others, and exit with status 1 if there is one
//	-compact
//		join the instructions of consecutive lines into one run and drop
//		their comments
//	-d
//		write nothing; print a diff of what would change
//	-exact
//		with -check, do not accept another encoding of the same instruction
//	-l
//		write nothing; list the files that would change; correct words in
//		another layout, such as asmfmt's, are no change
//	-syntax intel|att
//		how amd64 instructions are written; by default att if most
//		registers of a file have a %, otherwise intel
//	-v
//		name the lines that are passed over, and why; with -check also those
//		with another encoding
//
// The exit status is 0 for success, 1 if -check found something, and 2 for an
// error.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sha256-simd/sha256-simd/cmd/internal/stdout"
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
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// options are what the flags say.
type options struct {
	arch    *arch // nil: each file's
	as      string
	asFlags []string
	syntax  string // empty: each file's
	check   bool
	exact   bool
	compact bool
	diff    bool
	list    bool
	verbose bool
}

// writes reports whether the result is to be written.
func (o *options) writes() bool { return !o.check && !o.diff && !o.list }

// run is the command without its process: it closes standard output and returns the exit
// status.
func run(args []string, stdin io.Reader, standard io.WriteCloser, stderr io.Writer) int {
	opts, files, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	out := stdout.New(standard, standard)
	c := &converter{options: opts, stdout: out, stderr: stderr, toolchains: make(map[*arch]*toolchain)}
	if err == nil {
		err = c.run(files, stdin)
	}
	if closeErr := out.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("writing the result: %w", closeErr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "asm2plan9s: %v\n", err)
		return exitError
	}
	switch {
	case c.failed, len(c.leftOut) > 0:
		return exitError
	case c.disagrees:
		return exitDisagree
	}
	return exitOK
}

func parseFlags(args []string, stderr io.Writer) (opts options, files []string, err error) {
	fs := flag.NewFlagSet("asm2plan9s", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprintln(stderr, "usage: asm2plan9s [flags] [file.s ...]")
		fs.PrintDefaults()
	}
	archName := fs.String("arch", "", "assemble for this architecture, `amd64|arm64` (default: the one in the file's name or //go:build line, then the host's)")
	fs.StringVar(&opts.as, "as", "", "assemble with this `program` alone: a GNU as, clang, llvm-mc, yasm or nasm (default: a GNU as, clang or llvm-mc on PATH)")
	asFlags := fs.String("as-flags", "", "pass these `options`, with blanks between them, to the program of -as")
	fs.BoolVar(&opts.check, "check", false, "write nothing; exit with status 1 if a line's bytes are not its instruction's")
	fs.BoolVar(&opts.compact, "compact", false, "join the instructions of consecutive lines and drop their comments")
	fs.BoolVar(&opts.diff, "d", false, "write nothing; print a diff of what would change")
	fs.BoolVar(&opts.exact, "exact", false, "with -check, do not accept another encoding of the same instruction")
	fs.BoolVar(&opts.list, "l", false, "write nothing; list the files that would change; correct words in another layout, such as asmfmt's, are no change")
	fs.StringVar(&opts.syntax, "syntax", "", "read amd64 instructions in this syntax, `intel|att` (default: by the registers of the file)")
	fs.BoolVar(&opts.verbose, "v", false, "name the lines that are passed over, and with -check those with another encoding")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return opts, nil, err
		}
		// The flag package has reported it.
		return opts, nil, errors.New("run with -h for help")
	}
	if *archName != "" {
		if opts.arch = archByName(*archName); opts.arch == nil {
			return opts, nil, fmt.Errorf("-arch %s: want amd64 or arm64", *archName)
		}
	}
	if opts.asFlags = strings.Fields(*asFlags); len(opts.asFlags) > 0 && opts.as == "" {
		return opts, nil, errors.New("-as-flags needs -as: assemblers have different flags")
	}
	if opts.syntax != "" && opts.syntax != syntaxIntel && opts.syntax != syntaxATT {
		return opts, nil, fmt.Errorf("-syntax %s: want %s or %s", opts.syntax, syntaxIntel, syntaxATT)
	}
	if opts.check && opts.compact {
		return opts, nil, errors.New("-check and -compact exclude each other: compact runs have no comments to check")
	}
	if opts.exact && !opts.check {
		return opts, nil, errors.New("-exact needs -check")
	}
	return opts, fs.Args(), nil
}
