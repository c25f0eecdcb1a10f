package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// gnuFlags say which GNU assemblers are one architecture's.
type gnuFlags struct {
	targets []string // the CPUs in the names of targets
	flags   []string
}

// llvmFlags are how an architecture is passed to LLVM's assemblers.
type llvmFlags struct {
	triple string
	march  string // clang's -march
	mattr  string // llvm-mc's -mattr
}

// An assembler is a program that makes an ELF object of a file.
type assembler struct {
	arch   *arch
	name   string // for messages
	path   string
	args   []string // without the -o that names the object, and the file
	isNASM bool     // it reads NASM's dialect, as YASM does
}

// assemblerNames returns the names that assemblers for a have, GNU as before
// clang and llvm-mc, whose versions that are on PATH under names of their own
// (clang-19) follow them, newest first.
func assemblerNames(a *arch) []string {
	names := []string{"as", "gas"}
	for _, prefix := range a.prefixes {
		names = append(names, prefix+"as")
	}
	for _, name := range []string{"clang", "llvm-mc"} {
		names = append(names, name)
		names = append(names, versioned(name)...)
	}
	return names
}

// versioned returns the programs on PATH that are called name-N, N from high to
// low.
func versioned(name string) []string {
	var versions []int
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if n, err := strconv.Atoi(strings.TrimPrefix(e.Name(), name+"-")); err == nil && n > 0 && !slices.Contains(versions, n) {
				versions = append(versions, n)
			}
		}
	}
	slices.Sort(versions)
	slices.Reverse(versions)
	var names []string
	for _, n := range versions {
		names = append(names, fmt.Sprintf("%s-%d", name, n))
	}
	return names
}

// findAssemblers returns the assemblers for a that are on PATH, or only the
// first one.
func findAssemblers(ctx context.Context, a *arch, onlyFirst bool) ([]*assembler, error) {
	var list []*assembler
	names := assemblerNames(a)
	for _, name := range names {
		found, err := probe(ctx, a, name)
		if ctx.Err() != nil {
			return nil, err
		}
		if err != nil || slices.ContainsFunc(list, func(as *assembler) bool { return sameFile(as.path, found.path) }) {
			continue
		}
		if list = append(list, found); onlyFirst {
			break
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no assembler for %s on PATH (none of %s is one); %s", a.name, strings.Join(names, ", "), a.packages)
	}
	return list, nil
}

func sameFile(path1, path2 string) bool {
	info1, err1 := os.Stat(path1)
	info2, err2 := os.Stat(path2)
	return err1 == nil && err2 == nil && os.SameFile(info1, info2)
}

// gnuTarget matches what GNU as --version says of its target.
var gnuTarget = regexp.MustCompile("configured for a target of [`'\"]([^'\"]+)['\"]")

// probe asks a program for its version, which says what it is.
func probe(ctx context.Context, a *arch, program string) (*assembler, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, fmt.Errorf("finding the assembler: %w", err)
	}
	// It will run in a folder of its own.
	if path, err = filepath.Abs(path); err != nil {
		return nil, fmt.Errorf("finding the assembler: %w", err)
	}
	version, err := command(ctx, path, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("asking %s for its version: %w", program, err)
	}
	found := &assembler{arch: a, name: filepath.Base(program), path: path}
	switch {
	case bytes.Contains(version, []byte("GNU assembler")):
		target := ""
		if m := gnuTarget.FindSubmatch(version); m != nil {
			target = string(m[1])
		}
		if !a.gnu.makes(target) {
			return nil, fmt.Errorf("%s assembles for %s: want an ELF target for %s", program, target, a.name)
		}
		found.args = a.gnu.flags
	case bytes.Contains(version, []byte("clang version")):
		found.args = []string{"--target=" + a.llvm.triple, "-c", "-x", "assembler", "-fno-color-diagnostics", "-Wno-unused-command-line-argument"}
		if a.llvm.march != "" {
			found.args = append(found.args, "-march="+newestArm(ctx, path, a.llvm))
		}
	case bytes.Contains(version, []byte("LLVM version")) && strings.Contains(filepath.Base(path), "llvm-mc"):
		found.args = []string{"--triple=" + a.llvm.triple, "--filetype=obj"}
		if a.llvm.mattr != "" {
			found.args = append(found.args, "--mattr="+a.llvm.mattr)
		}
	case bytes.HasPrefix(version, []byte("yasm ")), bytes.HasPrefix(version, []byte("NASM version ")):
		if a != amd64 {
			return nil, fmt.Errorf("%s does not assemble for %s", program, a.name)
		}
		found.args = []string{"-f", "elf64"}
		found.isNASM = true
	default:
		line, _, _ := strings.Cut(string(version), "\n")
		return nil, fmt.Errorf("%s is none of GNU as, clang, llvm-mc, yasm and nasm: its version is %q", program, line)
	}
	return found, nil
}

// makes reports whether a GNU assembler for target makes ELF objects of this
// architecture.
func (g gnuFlags) makes(target string) bool {
	for _, other := range []string{"mingw", "cygwin", "darwin"} {
		if strings.Contains(target, other) {
			return false
		}
	}
	cpu, _, _ := strings.Cut(target, "-")
	return slices.Contains(g.targets, cpu)
}

// extensionLine matches a line of what clang prints of the extensions that it
// knows.
var extensionLine = regexp.MustCompile(`(?m)^ {4}([a-z][a-z0-9-]*) `)

// newestArm returns the newest architecture that a clang knows, with every
// extension. Before release 18 clang does not list them.
func newestArm(ctx context.Context, path string, flags llvmFlags) string {
	output, err := command(ctx, path, "--target="+flags.triple, "--print-supported-extensions").CombinedOutput()
	if err != nil {
		return flags.march
	}
	var extensions string
	for _, m := range extensionLine.FindAllSubmatch(output, -1) {
		extensions += "+" + string(m[1])
	}
	for minor := 9; minor >= 0; minor-- {
		march := fmt.Sprintf("armv9.%d-a%s", minor, extensions)
		if command(ctx, path, "--target="+flags.triple, "-march="+march, "-c", "-x", "assembler", "-o", os.DevNull, os.DevNull).Run() == nil {
			return march
		}
	}
	return flags.march
}

// command makes a command whose messages are in English, as we read them.
func command(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	return cmd
}

// An encoding is what an assembler makes of a text.
type encoding struct {
	code     []byte
	warnings []string

	// problem is why no code could be written, or empty.
	problem string

	// isMisfit says that the text is an instruction with a number that does not fit.
	isMisfit bool

	// isFinal says that no other assembler can solve the problem: this one knows
	// the instruction, but its bytes depend on their own place or on the place of
	// others, a number does not fit, or another instruction is on its line.
	isFinal bool
}

// encode assembles each text by itself: a text that the assembler refuses does
// not affect the others. The error is about the assembler, not the texts.
func (as *assembler) encode(ctx context.Context, texts []string, syntax string) ([]encoding, error) {
	encodings := make([]encoding, len(texts))
	var pending []int // indices of texts
	for i, text := range texts {
		switch {
		// In Intel's syntax GNU as takes such registers too, and so would
		// assemble AT&T's order of operands the wrong way round.
		case as.arch == amd64 && (as.isNASM || syntax == syntaxIntel) && attRegister.MatchString(text):
			encodings[i].problem = "its registers are in AT&T's syntax, and -syntax or most of the file say Intel's"
		case as.arch == amd64 && as.arch.hidesOperand(text):
			encodings[i].problem = "what begins like an operand is behind a #, and so is a comment to the assembler"
		case as.isNASM && nasmWords.MatchString(text):
			encodings[i].problem = "it holds an assembler directive, and only instructions can be assembled"
		case localLabelIn(text) != "":
			encodings[i].problem = fmt.Sprintf("%q is a label, and has no address here", localLabelIn(text))
			encodings[i].isFinal = true
		default:
			pending = append(pending, i)
		}
	}
	return encodings, as.encodeAll(ctx, texts, pending, encodings, syntax)
}

// undefinedSymbol matches what YASM and NASM say where others leave it to the
// linker.
var undefinedSymbol = regexp.MustCompile("^(?:undefined symbol|symbol) [`'](.+)' (?:\\(first use\\)|not defined|undefined)")

// misfit matches what the assemblers say of a number of which they leave bits out, so that
// the bytes are those of another instruction. Most say it in a warning. LLVM says nothing.
var misfit = regexp.MustCompile(`shortened to|truncated|do(?:es not|esn't) fit|exceeds bounds|out of range of signed`)

func symbolProblem(symbol string) string {
	return fmt.Sprintf("%q is not a register, and a symbol has no address here", symbol)
}

var symbolName = regexp.MustCompile(`[A-Za-z_.?$@~][\w.?$@~#]*`)

// symbolIn returns the first of some symbols that an instruction refers to, or "".
func symbolIn(text string, symbols map[string]bool) string {
	if len(symbols) == 0 {
		return ""
	}
	for _, name := range symbolName.FindAllString(text, -1) {
		if symbols[name] {
			return name
		}
	}
	return ""
}

// encodeAll encodes the texts with the pending indices. It leaves out texts
// that the assembler complains of, and tries again.
func (as *assembler) encodeAll(ctx context.Context, texts []string, pending []int, encodings []encoding, syntax string) error {
	for len(pending) > 0 {
		chosen := make([]string, len(pending))
		for i, index := range pending {
			chosen[i] = texts[index]
		}
		code, messages, err := as.run(ctx, chosen, syntax)
		failed := make([]bool, len(pending))
		progress := false
		undefined := make(map[string]bool)
		for _, m := range messages {
			e := &encodings[pending[m.text]]
			isMisfit := misfit.MatchString(m.message)
			if m.isWarning && !isMisfit {
				if !slices.Contains(e.warnings, m.message) {
					e.warnings = append(e.warnings, m.message)
				}
				continue
			}
			if !failed[m.text] || e.isMisfit && !m.isWarning {
				e.problem, e.isMisfit, e.isFinal = m.message, isMisfit, isMisfit
				if symbol := undefinedSymbol.FindStringSubmatch(m.message); symbol != nil {
					e.problem, e.isFinal = symbolProblem(symbol[1]), !as.arch.register.MatchString(symbol[1])
					undefined[symbol[1]] = true
				}
			}
			failed[m.text], progress = true, true
		}
		switch {
		case progress:
			var rest []int
			for i, index := range pending {
				if failed[i] {
					continue
				}
				// YASM names the first use of a symbol alone.
				if symbol := symbolIn(chosen[i], undefined); symbol != "" {
					encodings[index].problem, encodings[index].isFinal = symbolProblem(symbol), !as.arch.register.MatchString(symbol)
				} else {
					rest = append(rest, index)
				}
			}
			pending = rest
			continue
		case err == nil:
			for i, index := range pending {
				code[i].warnings = encodings[index].warnings
				encodings[index] = code[i]
			}
			return nil
		}
		// It failed without naming a line. If it is not the assembler itself,
		// the halves show which.
		var failure *exitFailure
		if ctx.Err() != nil || !errors.As(err, &failure) {
			return err
		}
		if _, _, emptyErr := as.run(ctx, nil, syntax); emptyErr != nil {
			return err
		}
		if len(pending) == 1 {
			encodings[pending[0]].problem = failure.reason()
			return nil
		}
		half := len(pending) / 2
		if err := as.encodeAll(ctx, texts, pending[:half], encodings, syntax); err != nil {
			return err
		}
		pending = pending[half:]
	}
	return nil
}

// exitFailure is an assembler's exit status and what it said.
type exitFailure struct {
	program string
	err     error
	output  string
}

func (f *exitFailure) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%s: %v\n%s", f.program, f.err, strings.TrimSpace(f.output)))
}

func (f *exitFailure) Unwrap() error { return f.err }

// reason returns the first line of the output that names an error, without what
// precedes the message, or else the exit status.
func (f *exitFailure) reason() string {
	for line := range strings.Lines(f.output) {
		if _, message, ok := strings.Cut(strings.TrimSpace(line), "rror: "); ok {
			return message
		}
	}
	return f.err.Error()
}

// run assembles the texts. Messages are about single ones; if one of them is an
// error, so is the result.
func (as *assembler) run(ctx context.Context, texts []string, syntax string) ([]encoding, []message, error) {
	dir, err := os.MkdirTemp("", "asm2plan9s")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	program, lines := as.program(texts, syntax)
	output, err := as.makeObject(ctx, dir, program)
	messages := parseMessages(output, lines)
	if err != nil {
		return nil, messages, err
	}
	obj, err := readObject(filepath.Join(dir, objectName), len(texts))
	if err != nil {
		return nil, messages, fmt.Errorf("reading the object that %s made: %w", as.path, err)
	}
	shortest := as.arch.words[len(as.arch.words)-1].size
	encodings := make([]encoding, len(texts))
	for i := range texts {
		e := &encodings[i]
		e.code = obj.code[i]
		symbol, unresolved := obj.unresolved[i]
		// A register that the assembler does not know is a symbol to it.
		e.isFinal = unresolved && !as.arch.register.MatchString(symbol)
		switch n := len(e.code); {
		case obj.labelled[i]:
			e.problem = problemLabel
		case unresolved && symbol == "":
			e.problem = "its bytes depend on the address that it is linked at"
		case unresolved:
			e.problem = symbolProblem(symbol)
		case n == 0:
			e.problem = "it gives no bytes"
		case n > as.arch.longest && !(isData(texts[i]) && n <= longestData) || n%shortest != 0:
			e.problem = fmt.Sprintf("it gives %d bytes, which is not one instruction", n)
		}
	}
	return encodings, messages, nil
}

const (
	sourceName = "in.s"
	objectName = "out.o"
)

// makeObject assembles a program into dir and returns what the assembler said.
func (as *assembler) makeObject(ctx context.Context, dir, program string) (output string, err error) {
	if err := os.WriteFile(filepath.Join(dir, sourceName), []byte(program), 0o600); err != nil {
		return "", err
	}
	cmd := command(ctx, as.path, slices.Concat([]string{"-o", objectName}, as.args, []string{sourceName})...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return string(out), &exitFailure{as.path, err, string(out)}
	}
	return string(out), nil
}

// longestData is what one data directive may give on any architecture: a .quad.
const longestData = 8

// labelPrefix and a number name the places between the instructions in what the
// assembler gets.
const labelPrefix = "asm2plan9s_"

// program returns what the assembler gets: each text on a line of its own,
// after a label where its bytes begin; and the number of that line.
func (as *assembler) program(texts []string, syntax string) (program string, lines []int) {
	var b strings.Builder
	line := 1
	write := func(text string) {
		b.WriteString(text + "\n")
		line++
	}
	label := func(i int) {
		if as.isNASM {
			// YASM forgets the names of others.
			write(fmt.Sprintf("global %s%d", labelPrefix, i))
		}
		write(fmt.Sprintf("%s%d:", labelPrefix, i))
	}
	isIntel := as.arch == amd64 && syntax == syntaxIntel && !as.isNASM
	switch {
	case as.isNASM:
		write("bits 64")
		write("section .text")
	case isIntel:
		write(".intel_syntax noprefix")
	case as.arch == amd64:
		write(".att_syntax prefix")
	}
	for i, text := range texts {
		if isIntel {
			text = sizesToGNU(text)
		}
		label(i)
		lines = append(lines, line)
		write(text)
		if as.arch == arm64 {
			// "ldr x0, =1<<40" takes a constant from a pool behind the code,
			// which would not be copied. Placed right behind the instruction,
			// the pool shows as too many bytes.
			write(".ltorg")
		}
	}
	label(len(texts))
	return b.String(), lines
}

// A message is one of an assembler's messages about one of its texts.
type message struct {
	text      int // its index
	isWarning bool
	message   string
}

// messagePattern matches "in.s:3: Error: …" of GNU as and "in.s:3:5: error: …"
// of LLVM. What LLVM prints below a message only repeats the line.
var messagePattern = regexp.MustCompile(`^in\.s:(\d+):(?:\d+:)? *(?i:(?:fatal )?(error|warning)): *(.*)$`)

// parseMessages returns the messages about texts on the given lines, in
// ascending order. A line between two belongs to the text before it.
func parseMessages(output string, lines []int) []message {
	var list []message
	for line := range strings.Lines(output) {
		m := messagePattern.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || len(lines) == 0 {
			continue
		}
		i, found := slices.BinarySearch(lines, n)
		if !found {
			i = max(i-1, 0)
		}
		list = append(list, message{i, strings.EqualFold(m[2], "warning"), m[3]})
	}
	return list
}
