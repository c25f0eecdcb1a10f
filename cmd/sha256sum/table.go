package main

import (
	"errors"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// An option is one of the command line. The table of them makes the parser, the
// help, the manual page, the completions and the README's table.
type option struct {
	long     string
	short    byte     // 0: none
	argument string   // its name; "" if the option takes none
	words    []string // all arguments that there are
	group    optionGroup
	text     string
	set      func(o *options, argument string) error
}

// takesFile reports whether the argument is the name of a file or a directory.
func (p *option) takesFile() bool {
	return p.argument == "FILE" || p.argument == "LIST" || p.argument == "DIR"
}

type optionGroup int

const (
	gnuOption    optionGroup = iota
	checkOption              // coreutils' too
	beyondOption             // this tool's alone
	infoOption
)

// toggle makes the function of an option without an argument.
func toggle(set func(o *options)) func(*options, string) error {
	return func(o *options, _ string) error { set(o); return nil }
}

// table is the options in the order of the help.
var table = []option{
	{"binary", 'b', "", nil, gnuOption, "read in binary mode", toggle(func(o *options) { o.mode = 'b' })},
	{"check", 'c', "", nil, gnuOption, "read checksums from the FILEs and check them", toggle(func(o *options) { o.check = true })},
	{"tag", 0, "", nil, gnuOption, "create a BSD-style checksum", toggle(func(o *options) { o.tag, o.mode = true, 'b' })},
	{"text", 't', "", nil, gnuOption, "read in text mode (default)", toggle(func(o *options) { o.mode = 't' })},
	{"zero", 'z', "", nil, gnuOption, "end each line with NUL, not newline, and disable file name escaping; with -c, read such lines",
		toggle(func(o *options) { o.zero = true })},

	{"ignore-missing", 0, "", nil, checkOption, "don't fail or report status for missing files", toggle(func(o *options) { o.ignoreMissing = true })},
	{"quiet", 0, "", nil, checkOption, "don't print OK for each successfully verified file",
		toggle(func(o *options) { o.status, o.warn, o.quiet = false, false, true })},
	{"status", 0, "", nil, checkOption, "don't output anything, status code shows success",
		toggle(func(o *options) { o.status, o.warn, o.quiet = true, false, false })},
	{"strict", 0, "", nil, checkOption, "exit non-zero for improperly formatted checksum lines", toggle(func(o *options) { o.strict = true })},
	{"warn", 'w', "", nil, checkOption, "warn about improperly formatted checksum lines",
		toggle(func(o *options) { o.status, o.warn, o.quiet = false, true, false })},

	{"recursive", 'r', "", nil, beyondOption, "hash the files under each FILE that is a directory (the current one if there is no FILE), " +
		"sorted by their whole names, byte by byte; devices, sockets and named pipes inside are skipped with a message, and so is " +
		"standard output if it is a file of the tree; with -c, an audit: the first FILE is a list, the others are directories (default: .) " +
		"whose files that are not listed, or that have moved, are told as well",
		toggle(func(o *options) { o.recursive = true })},
	{"exclude", 0, "GLOB", nil, beyondOption, "leave out files and directories that match; a GLOB without a slash, other than at its end, is matched " +
		"with their names, any other with their paths below FILE (./x is only the topmost x), where ** stands for any number of directories; " +
		"of --exclude and --include, the last that matches counts",
		func(o *options, s string) error { return o.addFilter(s, false) }},
	{"include", 0, "GLOB", nil, beyondOption, "take files that match; if this stands before any --exclude, no others",
		func(o *options, s string) error { return o.addFilter(s, true) }},
	{"links", 0, "HOW", []string{"skip", "follow", "name"}, beyondOption, "with -r, skip the symbolic links inside and tell how many (default), " +
		"follow them, or hash the names that they hold (name; also without -r, and with -c)",
		func(o *options, s string) error { o.links = s; return nil }},
	{"one-file-system", 0, "", nil, beyondOption, "with -r, leave out directories on other file systems", toggle(func(o *options) { o.oneFileSystem = true })},
	{"base", 0, "DIR", nil, beyondOption, "names are relative to DIR: those of the FILEs, or with -c those in the lists; " +
		"with -c, --base= stands for the directory of each list",
		func(o *options, s string) error { o.base, o.baseSet = s, true; return nil }},
	{"update", 0, "LIST", nil, beyondOption, "with -r, write to LIST, as --output does, but hash only what is new or has changed since the last time: " +
		"sizes, times and inode numbers are kept in LIST.stamps, which -c never reads; an interrupted run goes on where it stopped",
		func(o *options, s string) error { o.update = s; return nonEmpty(s) }},
	{"bag", 0, "DIR", nil, beyondOption, "validate the BagIt bag (RFC 8493) in DIR: its declaration, its manifests, and that its payload is complete both ways",
		func(o *options, s string) error { o.bag = s; return nonEmpty(s) }},
	{"files0-from", 0, "FILE", nil, beyondOption, "hash the files whose names, each ended by NUL, stand in FILE; if that is -, read names from standard input",
		func(o *options, s string) error { o.files0From = s; return nonEmpty(s) }},
	{"jobs", 'j', "N", nil, beyondOption, "hash on N processors at once (default: all; at most 64)",
		func(o *options, s string) (err error) { o.jobs, err = parseJobs(s); return err }},
	{"json", 0, "", nil, beyondOption, "print one JSON object a line for each file: name, digest and size, or error; name_bytes (base64) if the name " +
		"is not UTF-8; with -c also ok, expected and status, an object with error for each line that is improperly formatted, and one with the " +
		"summary of each list; what an object tells is not told on standard error too",
		toggle(func(o *options) { o.json = true })},
	{"output", 0, "FILE", nil, beyondOption, "write to FILE, which stays as it was until all is done; -r leaves it out",
		func(o *options, s string) error { o.output = s; return nonEmpty(s) }},
	{"part-size", 0, "SIZE", nil, beyondOption, "print the composite checksum that S3 gives to an upload in parts of SIZE (8MiB, or another of 1 KiB or more) as well, in a comment",
		func(o *options, s string) (err error) { o.partSize, err = parseSize(s); return err }},
	{"progress", 0, "WHEN", []string{"auto", "always", "never"}, beyondOption, "show on standard error how far the work is: auto (default; on a terminal, after a second), always, or never",
		func(o *options, s string) error { o.progress = s; return nil }},
	{"generate-completion", 0, "SHELL", []string{"bash", "zsh", "fish"}, beyondOption, "print a completion script, as for: source <(sha256sum --generate-completion=bash)",
		func(_ *options, s string) error { return informationError(s) }},

	{"help", 0, "", nil, infoOption, "display this help and exit", func(*options, string) error { return informationError("help") }},
	{"version", 0, "", nil, infoOption, "output version information and exit", func(*options, string) error { return informationError("version") }},
}

// A filter is an --exclude or an --include.
type filter struct {
	glob    string
	include bool
}

func (o *options) addFilter(glob string, include bool) error {
	// Shells complete directories with a slash behind them.
	if glob = strings.TrimRight(glob, "/"); glob == "" || glob == "." {
		return errors.New("a name or a path below a directory is needed")
	}
	if !doublestar.ValidatePattern(glob) {
		return doublestar.ErrBadPattern
	}
	o.filters = append(o.filters, filter{glob, include})
	return nil
}
