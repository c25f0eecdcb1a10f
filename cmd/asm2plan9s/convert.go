package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/sha256-simd/sha256-simd/cmd/internal/interrupt"
	"github.com/sha256-simd/sha256-simd/cmd/internal/replace"
)

// A converter converts sources by the options and reports to stdout and stderr
// what these ask for.
type converter struct {
	options
	stdout, stderr io.Writer
	toolchains     map[*arch]*toolchain // those in use

	failed    bool     // there was an error: no file is to be written
	leftOut   []string // the files that nothing here assembles
	disagrees bool     // -check found a line
	counts    counts
}

// counts are what -check sums up.
type counts struct {
	checked, equivalent, different int
	refused, notUnderstood         int
}

// A change is a file's new content.
type change struct {
	path    string // of the file itself, once check has been called
	read    []byte // what the file had
	content string
}

var errInterrupted = errors.New("interrupted")

// run converts the files, or standard input if there are none. After any error
// no file is written, unless all that is wrong is the architecture of some.
func (c *converter) run(paths []string, stdin io.Reader) error {
	// Nothing is to be tidied up before standard input has been read, which may
	// never end: until then a signal ends the process.
	var input []byte
	if len(paths) == 0 {
		var err error
		if input, err = io.ReadAll(stdin); err != nil {
			return fmt.Errorf("reading standard input: %w", err)
		}
	}
	ctx, stop := interrupt.Context(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()

	if len(paths) == 0 {
		result, err := c.convert(ctx, stdinName, input)
		if ctx.Err() != nil {
			return errInterrupted
		}
		if err != nil {
			return err
		}
		if c.writes() && !c.failed {
			if _, err := io.WriteString(c.stdout, result); err != nil {
				return fmt.Errorf("writing the result: %w", err)
			}
		}
	}
	var changes []change
	reported := make(map[string]bool) // files share one: that there is no assembler
	for _, path := range paths {
		ch, err := c.convertFile(ctx, path)
		if ctx.Err() != nil {
			return errInterrupted
		}
		if err != nil {
			if errors.As(err, new(archError)) {
				c.leftOut = append(c.leftOut, path)
			} else {
				c.failed = true
			}
			if message := err.Error(); !reported[message] {
				fmt.Fprintf(c.stderr, "asm2plan9s: %s\n", message)
				reported[message] = true
			}
		} else if ch != nil {
			changes = append(changes, *ch)
		}
	}
	if len(c.leftOut) > 0 {
		fmt.Fprintf(c.stderr, "asm2plan9s: left out: %s\n", strings.Join(c.leftOut, " "))
	}
	if c.check {
		c.sumUp()
	}
	if c.failed {
		return nil
	}
	return replaceFiles(changes)
}

// convertFile returns what is to be written to a file, or nil.
func (c *converter) convertFile(ctx context.Context, path string) (*change, error) {
	// To open a named pipe would wait for somebody to write to it.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	result, err := c.convert(ctx, path, data)
	if err != nil || !c.writes() || result == string(data) {
		return nil, err
	}
	ch := &change{path: path, read: data, content: result}
	return ch, ch.check()
}

// byteOrderMark begins the files of some editors.
const byteOrderMark = "\ufeff"

// convert returns the result for one source, after reporting on it. Lines with
// errors are reported and counted; the error is about the source as a whole.
func (c *converter) convert(ctx context.Context, name string, data []byte) (string, error) {
	text, hasMark := bytes.CutPrefix(data, []byte(byteOrderMark))
	if bytes.HasPrefix(text, []byte{0xfe, 0xff}) || bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.IndexByte(text, 0) >= 0 {
		return "", fmt.Errorf("%s: not UTF-8 text: it has the byte order mark of UTF-16, or a NUL", name)
	}
	x, err := c.examine(ctx, name, text)
	if err != nil {
		return "", err
	}
	c.report(x)
	if len(x.open()) < len(x.insts) {
		return string(data), nil
	}
	result := x.rewrite()
	if c.compact {
		result = x.compact()
	}
	if hasMark {
		result = byteOrderMark + result
	}
	return result, c.show(x.source, string(data), result)
}

// examined is a source whose instructions have their code or a problem.
type examined struct {
	*source
	notes    []note
	findings map[*instruction]finding // with -check
}

// examine reads a source, assembles its instructions and, for -check, compares
// them.
func (c *converter) examine(ctx context.Context, name string, data []byte) (*examined, error) {
	a := c.arch
	if a == nil {
		var err error
		if a, err = archOf(name, data); err != nil {
			return nil, err
		}
	}
	if a == nil {
		a = archByName(runtime.GOARCH)
	}
	if a == nil {
		return nil, fmt.Errorf("%s: nothing in it tells the architecture, and this host's is %s: give -arch amd64 or -arch arm64", name, runtime.GOARCH)
	}
	s := parse(name, data, a)
	if s.syntax = c.syntax; s.syntax == "" {
		s.syntax = syntaxOf(s.insts)
	}
	t := c.toolchain(a)
	x := &examined{source: s}
	if len(s.insts) > 0 {
		var err error
		if x.notes, err = t.assemble(ctx, s); err != nil {
			return nil, err
		}
	}
	if c.check {
		var err error
		if x.findings, err = t.check(ctx, s); err != nil {
			return nil, fmt.Errorf("checking %s: %w", name, err)
		}
	}
	return x, nil
}

// report prints the notes about lines, in their order, and counts the lines.
func (c *converter) report(x *examined) {
	notes := x.notes
	for _, in := range x.insts {
		f, found := x.findings[in]
		switch {
		case in.problem != "":
			c.failed = true
			c.counts.refused++
			notes = append(notes, note{line: in.line, text: fmt.Sprintf("cannot assemble %q: %s%s", in.text, in.problem, in.wayOut(x.arch))})
			continue
		case !found:
		case f.isEquivalent && !c.exact:
			c.counts.equivalent++
			notes = append(notes, note{line: in.line, text: f.text, isDetail: true})
		default:
			c.disagrees = true
			c.counts.different++
			notes = append(notes, note{line: in.line, text: f.text})
		}
		c.counts.checked++
	}
	for _, n := range x.passedOver() {
		c.counts.notUnderstood++
		// Where -check does not count it, a misspelt instruction must not stay
		// unseen.
		notes = append(notes, note{line: n.line, text: "not understood: " + n.text, isDetail: c.check || !n.isDoubt})
	}
	slices.SortStableFunc(notes, func(a, b note) int { return cmp.Compare(a.line, b.line) })
	for _, n := range notes {
		if n.isDetail && !c.verbose {
			continue
		}
		fmt.Fprintf(c.stderr, "%s:%d: %s\n", x.name, n.line+1, n.text)
	}
}

// sumUp prints what -check ends with.
func (c *converter) sumUp() {
	n := c.counts
	if n.different+n.equivalent+n.refused > 0 {
		fmt.Fprintf(c.stderr, "%d different, %d in another encoding of the same instruction, %d refused\n", n.different, n.equivalent, n.refused)
	}
	fmt.Fprintf(c.stderr, "%d instructions checked, %d not understood\n", n.checked, n.notUnderstood)
}

// show prints what -l and -d ask for.
func (c *converter) show(s *source, old, result string) error {
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

// check refuses what is not to be replaced.
func (ch *change) check() error {
	target, err := filepath.EvalSymlinks(ch.path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", ch.path)
	}
	// Replacing a file needs a writable directory alone, and root may write
	// anything: neither means that this file may be changed.
	if info.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("%s: would change, but is read-only", ch.path)
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	ch.path = target
	return f.Close()
}

// replaceFiles replaces each file at once for all readers. It first writes all
// new files. If that fails for one of them, or one has changed since it was read, none is
// replaced.
func replaceFiles(changes []change) error {
	var temporary []string
	defer func() {
		for _, name := range temporary {
			os.Remove(name)
		}
	}()
	for _, ch := range changes {
		f, err := os.CreateTemp(filepath.Dir(ch.path), ".asm2plan9s-*")
		if err != nil {
			return fmt.Errorf("writing %s: %w", ch.path, err)
		}
		temporary = append(temporary, f.Name())
		if err := ch.fill(f); err != nil {
			return fmt.Errorf("writing %s: %w", ch.path, err)
		}
	}
	// Assembling takes a while, in which an editor may have saved a file.
	for _, ch := range changes {
		switch now, err := os.ReadFile(ch.path); {
		case err != nil:
			return fmt.Errorf("replacing %s: %w", ch.path, err)
		case !bytes.Equal(now, ch.read):
			return fmt.Errorf("%s: has changed since it was read; no file was rewritten", ch.path)
		}
	}
	for _, ch := range changes {
		if err := os.Rename(temporary[0], ch.path); err != nil {
			return fmt.Errorf("replacing %s: %w", ch.path, err)
		}
		temporary = temporary[1:]
	}
	return nil
}

// fill makes of f, which it closes, what is to take the file's place.
func (ch *change) fill(f *os.File) error {
	_, err := f.WriteString(ch.content)
	if err == nil {
		err = replace.KeepRights(f, ch.path)
	}
	if err == nil {
		err = f.Sync()
	}
	return cmp.Or(err, f.Close())
}
