package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A source is one file's lines and the instructions in their comments.
type source struct {
	name  string // for messages
	arch  *arch
	lines []string // each with its line ending
	insts []*instruction
}

// An instruction is a comment that stands where the bytes of an instruction
// would end, and so is assembled.
type instruction struct {
	line      int    // its index in the source's lines
	indent    string // of the run: a tab or four blanks
	column    int    // of the comment, 0-based, tabs counted as four
	continued bool   // the run is followed by a \, inside a #define
	comment   string // from the // to the end of the line, without the line ending
	ending    string // the line ending
	text      string // what is assembled: the comment without // and notes
	run       string // what stands before the comment, empty for blanks
	code      []byte // the bytes that the assembler gives

	// problems tell why it cannot be assembled or written.
	problems []string
}

func (in *instruction) fail(format string, args ...any) {
	in.problems = append(in.problems, fmt.Sprintf(format, args...))
}

const (
	indentWidth = 4

	// lastColumn takes an instruction of any length. #define blocks are
	// aligned to it.
	lastColumn = 65
)

// columns are where a comment is an instruction after nothing but blanks or a
// run: one blank after the run of an instruction of 3 to 8 bytes. They are the
// same for every architecture.
var columns = commentColumns()

func commentColumns() map[int]bool {
	cols := make(map[int]bool)
	for n := 3; n <= 8; n++ {
		code := make([]byte, n)
		// Eight bytes are written as one QUAD, but people also type two LONGs.
		for _, words := range [][]word{amd64.words, amd64.words[1:]} {
			cols[indentWidth+len(formatRun(words, code))+1] = true
		}
	}
	return cols
}

var (
	// runPattern matches a run with its indentation. It may end in a semicolon.
	runPattern = regexp.MustCompile(`^ *(?:(?:LONG|WORD|BYTE|QUAD) +\$0x[0-9a-fA-F]+ *(?:; *|$))+$`)

	// runStart matches the start of a run as this command writes it. Before
	// lastColumn, a run that starts otherwise is somebody else's.
	runStart = regexp.MustCompile(`^ {4}(?:LONG|WORD|BYTE|QUAD) \$0x`)
)

// noteStart matches the start of a note after the instruction.
var noteStart = regexp.MustCompile(`/\*|;`)

// parse finds the instructions of a source. Those that cannot be assembled,
// whatever the assembler says, have problems.
func parse(name string, data []byte, a *arch) *source {
	s := &source{name: name, arch: a, lines: strings.SplitAfter(string(data), "\n")}
	inBlock := false
	for i, line := range s.lines {
		body := strings.TrimRight(line, "\r\n")
		var start int
		start, inBlock = commentStart(body, inBlock)
		// A second // makes a plain comment of the whole line.
		if start < 0 || strings.Count(body, "//") != 1 {
			continue
		}
		in := &instruction{
			line:    i,
			indent:  strings.Repeat(" ", indentWidth),
			comment: body[start:],
			ending:  line[len(body):],
			text:    body[start+len("//"):],
		}
		if strings.HasPrefix(body, "\t") {
			in.indent = "\t"
		}
		if loc := noteStart.FindStringIndex(in.text); loc != nil {
			in.text = in.text[:loc[0]]
		}
		in.text = strings.Trim(in.text, " \t")
		if in.text == "" {
			continue
		}
		before := strings.ReplaceAll(body[:start], "\t", strings.Repeat(" ", 4))
		in.column = len(before)
		in.run, in.continued = strings.CutSuffix(strings.TrimRight(before, " "), `\`)
		in.run = strings.TrimRight(in.run, " ")
		isBlank, isRun := in.run == "", runPattern.MatchString(in.run)
		isOurs := isRun && runStart.MatchString(in.run)

		switch {
		case in.column == lastColumn && !isBlank && !isRun:
			in.fail("code stands where its bytes go: a comment in column %d is an instruction; move the comment or remove the code", lastColumn)
		case in.column == lastColumn:
		case columns[in.column] && (isOurs || isBlank && !in.continued):
		case in.continued && strings.HasSuffix(before, `\ `) && columns[in.column-len(`\ `)] && (isOurs || isBlank):
		default:
			continue
		}
		if why := refuse(in.text); why != "" {
			in.fail("%s", why)
		}
		s.insts = append(s.insts, in)
	}
	return s
}

// commentStart returns the index of the // that starts a line's comment, or
// -1, and whether a /* */ comment goes on after the line. inBlock says whether
// one goes on before it.
func commentStart(line string, inBlock bool) (int, bool) {
	for i := 0; i < len(line); {
		switch rest := line[i:]; {
		case inBlock:
			end := strings.Index(rest, "*/")
			if end < 0 {
				return -1, true
			}
			inBlock = false
			i += end + len("*/")
		case strings.HasPrefix(rest, "//"):
			return i, false
		case strings.HasPrefix(rest, "/*"):
			inBlock = true
			i += len("/*")
		case rest[0] == '"':
			i += quotedLen(rest)
		default:
			i++
		}
	}
	return -1, inBlock
}

// quotedLen returns the length of the quoted string that s starts with; a
// string that is not closed goes to the end.
func quotedLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// A lineError is an error that begins with the name of its line.
type lineError string

func (e lineError) Error() string { return string(e) }

// err joins the problems of all instructions, or is nil.
func (s *source) err() error {
	var errs []error
	for _, in := range s.insts {
		for _, problem := range in.problems {
			errs = append(errs, lineError(fmt.Sprintf("%s:%d: cannot assemble %q: %s", s.name, in.line+1, in.text, problem)))
		}
	}
	return errors.Join(errs...)
}

// disagreements describes each instruction whose line does not hold the bytes
// that the assembler gives.
func (s *source) disagreements() []string {
	var list []string
	for _, in := range s.insts {
		have, ok := s.arch.parseRun(in.run)
		if ok && bytes.Equal(have, in.code) {
			continue
		}
		has := fmt.Sprintf("has the bytes % x", have)
		switch {
		case !ok:
			has = "has words that Go's assembler refuses"
		case len(have) == 0:
			has = "has no bytes"
		}
		list = append(list, fmt.Sprintf("%s:%d: %q assembles to % x, but the line %s", s.name, in.line+1, in.text, in.code, has))
	}
	return list
}

// rewrite returns the source with the run of each instruction written. Every
// other line, and every comment, stays as it is. An instruction that it finds
// no room for gets a problem.
func (s *source) rewrite() string {
	lines := slices.Clone(s.lines)
	for _, in := range s.insts {
		run := s.arch.run(in.code)
		column, ok := in.columnAfter(indentWidth + len(run))
		if !ok {
			in.fail("the words of its %d bytes do not fit before column %d", len(in.code), lastColumn)
			continue
		}
		tail := ""
		if in.continued {
			tail = `\ `
		}
		pad := strings.Repeat(" ", column-indentWidth-len(run)-len(tail))
		lines[in.line] = in.indent + run + pad + tail + in.comment + in.ending
	}
	return strings.Join(lines, "")
}

// columnAfter returns the column for the comment after a run that ends before
// column end: where the comment is, if the run leaves room for that, or else
// the next column where it still is an instruction.
func (in *instruction) columnAfter(end int) (int, bool) {
	shift := 0
	if in.continued {
		shift = len(`\ `)
	}
	first := end + 1 + shift
	if in.column >= first {
		return in.column, true
	}
	for column := first; column < lastColumn; column++ {
		if columns[column-shift] {
			return column, true
		}
	}
	return lastColumn, first <= lastColumn
}

// compact returns the source with each group of instructions on consecutive
// lines joined into one run. Their comments go, so this cannot be undone.
func (s *source) compact() string {
	var out strings.Builder
	next := 0 // the first line that is not written yet
	for i := 0; i < len(s.insts); {
		first := s.insts[i]
		last, code := first, slices.Clone(first.code)
		// A run must not reach across the end of a #define, so all lines of a
		// group but the last one are alike in being continued or not.
		for i++; i < len(s.insts); i++ {
			in := s.insts[i]
			if in.line != last.line+1 || last.continued != first.continued || in.continued && !first.continued {
				break
			}
			last, code = in, append(code, in.code...)
		}
		out.WriteString(strings.Join(s.lines[next:first.line], ""))
		out.WriteString(first.indent + s.arch.run(code))
		if last.continued {
			out.WriteString(` \`)
		}
		out.WriteString(last.ending)
		next = last.line + 1
	}
	out.WriteString(strings.Join(s.lines[next:], ""))
	return out.String()
}
