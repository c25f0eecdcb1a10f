package main

// An option is one of the command line. The table of them makes the parser, the
// help, the manual page, the completions and the README's table.
type option struct {
	long     string
	short    byte     // 0: none
	argument string   // its name; "" if the option takes none
	words    []string // all arguments that there are
	group    optionGroup
	help     string // one line, for --help and completions
	details  string // for the manual page; "": help says all
	set      func(o *options, argument string) error
}

// text is what the manual page says.
func (p *option) text() string {
	if p.details == "" {
		return p.help
	}
	return p.details
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
	{"binary", 'b', "", nil, gnuOption, "read in binary mode", "", toggle(func(o *options) { o.mode = 'b' })},
	{"check", 'c', "", nil, gnuOption, "read checksums from the FILEs and check them", "", toggle(func(o *options) { o.check = true })},
	{"tag", 0, "", nil, gnuOption, "create a BSD-style checksum", "", toggle(func(o *options) { o.tag, o.mode = true, 'b' })},
	{"text", 't', "", nil, gnuOption, "read in text mode (default)", "", toggle(func(o *options) { o.mode = 't' })},
	{"zero", 'z', "", nil, gnuOption, "end lines with NUL, no escapes; with -c, read them", "end each line with NUL instead of newline, and escape no names. With -c, read such lines",
		toggle(func(o *options) { o.zero = true })},

	{"ignore-missing", 0, "", nil, checkOption, "don't fail or report status for missing files", "", toggle(func(o *options) { o.ignoreMissing = true })},
	{"quiet", 0, "", nil, checkOption, "don't print OK for each successfully verified file", "",
		toggle(func(o *options) { o.status, o.warn, o.quiet = false, false, true })},
	{"status", 0, "", nil, checkOption, "don't output anything, status code shows success", "",
		toggle(func(o *options) { o.status, o.warn, o.quiet = true, false, false })},
	{"strict", 0, "", nil, checkOption, "exit non-zero for improperly formatted lines", "exit non-zero for improperly formatted checksum lines", toggle(func(o *options) { o.strict = true })},
	{"warn", 'w', "", nil, checkOption, "warn about improperly formatted checksum lines", "",
		toggle(func(o *options) { o.status, o.warn, o.quiet = false, true, false })},

	{"recursive", 'r', "", nil, beyondOption, "hash the files in directories; with -c, an audit", "hash all files below each FILE that is a directory (default: .). Names are sorted as a whole, byte by byte. " +
		"Devices, sockets and named pipes are skipped with a message. Standard output is skipped if it is a file of the tree. " +
		"With -c, audit: the first FILE is a list, the others are directories (default: .). An audit also reports files that are not listed or have moved. " +
		"It reads no listed file that is a symbolic link inside a directory, or behind one, except as --links says, and none that is not regular. " +
		"If --update wrote the list, it tells CHANGED files, whose size or time of modification differs, from DAMAGED ones, where only the digest differs. " +
		"Empty files, which are all alike, never count as moved",
		toggle(func(o *options) { o.recursive = true })},
	{"exclude", 0, "GLOB", nil, beyondOption, "leave out matching files and directories, with -c too", "leave out files and directories that match. A GLOB without a slash, except at its end, matches names. " +
		"Any other GLOB matches paths below FILE, so ./x is only the topmost x, and so is /x. " +
		"** is any number of directories. If --exclude and --include both match a file, the last option counts. An --include brings back no directory that an --exclude leaves out. See NOTES for operands, and for -c",
		func(o *options, s string) error { return o.addFilter(s, false) }},
	{"include", 0, "GLOB", nil, beyondOption, "take files that match, with -c too", "take files that match. If the first filter is an --include, take no other files",
		func(o *options, s string) error { return o.addFilter(s, true) }},
	{"links", 0, "HOW", []string{"skip", "follow", "name"}, beyondOption, "links: skip (default), follow, name (hash target name)", "with -r, what to do with symbolic links inside: skip (the default) skips them and reports their number, " +
		"follow follows them, name hashes the names that they hold. --links=name also works without -r, and with -c",
		func(o *options, s string) error { o.links = s; return nil }},
	{"one-file-system", 0, "", nil, beyondOption, "leave out directories on other file systems", "with -r, leave out directories on other file systems", toggle(func(o *options) { o.oneFileSystem = true })},
	{"base", 0, "DIR", nil, beyondOption, "FILEs, and names in lists, are relative to DIR", "the names of the FILEs, or with -c those in the lists and of the directories of an audit, are relative to DIR: the files are read there, and the names are printed without DIR. " +
		"With -c, --base= means the directory of each list",
		func(o *options, s string) error { o.base, o.baseSet = s, true; return nil }},
	{"update", 0, "LIST", nil, beyondOption, "write to LIST, hash only what is new or changed", "with -r, write to LIST as --output does, but hash only files that are new or have changed since the last run. " +
		"Print how many files were added, removed and changed. LIST.stamps keeps sizes, times and inode numbers. After an interruption, the next run continues. " +
		"A file that is hashed and has its former size and time of modification, but another digest, is reported as DAMAGED; its line stays as it was. To accept the file as it is, touch it",
		func(o *options, s string) error { o.update = s; return namesFile(s) }},
	{"all", 0, "", nil, beyondOption, "with --update, hash what looks unchanged too", "with --update, hash all files, and so find damage in those that look unchanged, too",
		toggle(func(o *options) { o.all = true })},
	{"no-inode", 0, "", nil, beyondOption, "with --update, let inode numbers differ", "with --update, a file whose inode number alone differs has not changed: some file systems renumber inodes when mounted",
		toggle(func(o *options) { o.noInode = true })},
	{"verbose", 'v', "", nil, beyondOption, "with --update, print which files differ", "with --update, print which files were added, removed or changed",
		toggle(func(o *options) { o.verbose = true })},
	{"bag", 0, "DIR", nil, beyondOption, "validate the BagIt bag in DIR", "validate the BagIt bag (RFC 8493) in DIR: its declaration and its manifests. The payload must hold every listed file and no other",
		func(o *options, s string) error { o.bag = s; return nonEmpty(s) }},
	{"fast", 0, "", nil, beyondOption, "with --bag, hash nothing", "with --bag, hash nothing: check that each listed file is there, that no other is, and the size of the payload (Payload-Oxum)",
		toggle(func(o *options) { o.fast = true })},
	{"files0-from", 0, "FILE", nil, beyondOption, "hash the files whose names FILE holds, ended by NUL", "hash the files whose names FILE holds, each ended by NUL. If FILE is -, read the names from standard input",
		func(o *options, s string) error { o.files0From = s; return nonEmpty(s) }},
	{"jobs", 'j', "N", nil, beyondOption, "hash on N processors at once (default: all)", "hash on N processors at once (default: all; at most 64)",
		func(o *options, s string) (err error) { o.jobs, err = parseJobs(s); return err }},
	{"json", 0, "", nil, beyondOption, "print one JSON object a line for each file", "print one line of JSON for each file: name, digest and size, or error; also name_bytes (base64) if the name " +
		"is not UTF-8. With -c, objects also have ok, expected and status. A file that has moved also has from, its listed name. " +
		"Each improperly formatted line gets an object with error, each list an object with its summary. Both name the list. " +
		"As name has name_bytes, from has from_bytes, and list has list_bytes. What an object says is not repeated on standard error",
		toggle(func(o *options) { o.json = true })},
	{"output", 0, "FILE", nil, beyondOption, "write to FILE when all is done", "write to FILE when all is done; until then it does not change. Below a directory, -r leaves FILE out. " +
		"A list in FILE stays if a file could not be read, or if no file was hashed. Except with -c, what is no list stays, too, unless it is empty. " +
		"A FILE that is itself an operand or a list, under whatever name, always stays",
		func(o *options, s string) error { o.output = s; return namesFile(s) }},
	{"allow-loss", 0, "", nil, beyondOption, "replace a list though files are unreadable or gone", "with --output, replace a list though a file could not be read or none was hashed; with --update, also though more than half of its files are gone or left out",
		toggle(func(o *options) { o.allowLoss = true })},
	{"part-size", 0, "SIZE", nil, beyondOption, "add S3's composite checksum of parts of SIZE", "also print, in a comment, the composite checksum that S3 gives to an upload in parts of SIZE. " +
		"SIZE is 1 KiB or more, such as 8MiB. A warning on standard error names each file that S3 refuses in such parts: " +
		"S3 takes up to 10,000 parts of 5 MiB to 5 GiB; the last may be shorter",
		func(o *options, s string) (err error) { o.partSize, err = parseSize(s); return err }},
	{"progress", 0, "WHEN", []string{"auto", "always", "never"}, beyondOption, "show progress: auto (default), always, never", "show progress on standard error: auto (default: on a terminal, after a second), always, or never",
		func(o *options, s string) error { o.progress = s; return nil }},
	{"generate-completion", 0, "SHELL", []string{"bash", "zsh", "fish"}, beyondOption, "print a completion script for bash, zsh or fish", "print a completion script, as for: source <(sha256sum --generate-completion=bash)",
		func(_ *options, s string) error { return informationError(s) }},

	{"help", 0, "", nil, infoOption, "display this help and exit", "", func(*options, string) error { return informationError("help") }},
	{"version", 0, "", nil, infoOption, "output version information and exit", "", func(*options, string) error { return informationError("version") }},
}

// A rule is a combination of options that has no meaning.
type rule struct {
	text   string // the error
	broken func(o *options) bool
}

// If several rules are broken, the error of the first is reported. Rules about options of
// coreutils have the order of coreutils.
var rules = []rule{
	{"--tag does not support --text mode", func(o *options) bool { return o.tag && o.mode == 't' }},
	{"the --tag and --zero options are meaningless with --json", func(o *options) bool { return o.json && (o.tag || o.zero && !o.check) }},
	{"the --bag option says all that is to be done", func(o *options) bool {
		return o.bag != "" && (o.check || o.recursive || o.files0From != "" || o.baseSet || o.partSize != 0 ||
			o.ignoreMissing || o.zero || o.oneFileSystem || len(o.filters) > 0 || o.links != "skip")
	}},

	{"the --update option is meaningful only with --recursive", func(o *options) bool { return o.update != "" && !o.recursive }},
	{"the --output and --update options exclude each other", func(o *options) bool { return o.update != "" && o.output != "" }},
	{"the --part-size option is meaningless with --update", func(o *options) bool { return o.update != "" && o.partSize != 0 }},
	{"the --files0-from option is meaningless with --update", func(o *options) bool { return o.update != "" && o.files0From != "" }},
	{"the --fast option is meaningful only with --bag", func(o *options) bool { return o.fast && o.bag == "" }},
	{"the --all option is meaningful only with --update", func(o *options) bool { return o.all && o.update == "" }},
	{"the --no-inode option is meaningful only with --update", func(o *options) bool { return o.noInode && o.update == "" }},
	{"the --verbose option is meaningful only with --update", func(o *options) bool { return o.verbose && o.update == "" }},
	{"the --allow-loss option is meaningful only with --output or --update", func(o *options) bool {
		return o.allowLoss && (o.output == "" && o.update == "" || o.verifies())
	}},
	{"the --one-file-system option is meaningful only with --recursive", func(o *options) bool { return o.oneFileSystem && !o.recursive }},

	{"the --tag option is meaningless when verifying checksums", func(o *options) bool { return o.verifies() && o.tag }},
	{"the --binary and --text options are meaningless when verifying checksums", func(o *options) bool { return o.verifies() && o.mode != 0 }},
	{"the --files0-from option is meaningless when verifying checksums", func(o *options) bool { return o.check && o.files0From != "" }},
	{"the --part-size option is meaningless when verifying checksums", func(o *options) bool { return o.check && o.partSize != 0 }},
	{"the --update option is meaningless when verifying checksums", func(o *options) bool { return o.check && o.update != "" }},
	{"--check and --recursive need the name of a list", func(o *options) bool {
		return o.check && o.recursive && (len(o.files) == 0 || o.files[0] == "-")
	}},

	{"--base= is meaningful only when verifying checksums", func(o *options) bool { return !o.verifies() && o.baseSet && o.base == "" }},
	{"the --ignore-missing option is meaningful only when verifying checksums", func(o *options) bool { return !o.verifies() && o.ignoreMissing }},
	{"the --status option is meaningful only when verifying checksums", func(o *options) bool { return !o.verifies() && o.status }},
	{"the --warn option is meaningful only when verifying checksums", func(o *options) bool { return !o.verifies() && o.warn }},
	{"the --quiet option is meaningful only when verifying checksums", func(o *options) bool { return !o.verifies() && o.quiet }},
	{"the --strict option is meaningful only when verifying checksums", func(o *options) bool { return !o.verifies() && o.strict }},
}
