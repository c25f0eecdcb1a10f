package main

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A source is one file's lines and the instructions in their comments.
type source struct {
	name   string // for messages
	arch   *arch
	syntax string
	lines  []string // each with its line ending
	insts  []*instruction

	// bare has the lines of words without a comment, by their index: they may
	// hold the rest of an instruction's words.
	bare map[int]bareLine

	notUnderstood []note
}

// An instruction is a comment that is assembled: the one behind nothing but
// words, or one in the column where the words of an instruction would end.
type instruction struct {
	line      int    // its index in the source's lines
	indent    string // of the run
	column    int    // of the comment, 0-based, tabs counted as four
	continued bool   // the run is followed by a \, inside a #define
	comment   string // from the // to the end of the line, without the line ending
	ending    string // the line ending
	text      string // what is assembled: the comment without // and notes
	other     string // what may be meant instead, on the other side of a second //
	isGo      bool   // other is in the syntax of Go's assembler
	run       string // the words before the comment, empty for blanks

	// more is the number of lines after line that hold the rest of the words.
	more int

	code []byte // the bytes that the assembler gives

	// problem is why it cannot be assembled or written, or empty.
	problem string
}

// fail gives the instruction a problem, unless it has one: one message for one
// line.
func (in *instruction) fail(format string, args ...any) {
	if in.problem == "" {
		in.problem = fmt.Sprintf(format, args...)
	}
}

// A bareLine is a line of words without a comment.
type bareLine struct {
	run       string
	continued bool
	ending    string
}

// A note is a remark about a line.
type note struct {
	line     int // its index in the source's lines
	text     string
	isDetail bool // only with -v
	isDoubt  bool // whether the text may be a misspelt instruction
}

const (
	indentWidth = 4

	// lastColumn takes an instruction of any length. #define blocks are
	// aligned to it.
	lastColumn = 65
)

// columns are where a comment is an instruction after nothing but blanks: one
// blank after the run of an instruction of 3 to 8 bytes. They are the same for
// every architecture.
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
	// runPattern matches a run, which may end in a semicolon. A placeholder's
	// words may lack digits.
	runPattern = regexp.MustCompile(`^(?:(?:LONG|WORD|BYTE|QUAD)[ \t]+\$[0-9]\w*[ \t]*(?:;[ \t]*|$))+$`)

	// anyWord finds a word of a run among other code.
	anyWord = regexp.MustCompile(`\b(?:LONG|WORD|BYTE|QUAD)[ \t]+\$`)

	// emptyWord finds a word that lacks digits among other code.
	emptyWord = regexp.MustCompile(`\b(?:LONG|WORD|BYTE|QUAD)[ \t]+\$0[bBoOxX]\b`)

	// noteStart matches the start of a note after the instruction.
	noteStart = regexp.MustCompile(`/\*|;`)
)

// parse finds the instructions of a source. Those that cannot be assembled,
// whatever the assembler says, have problems.
func parse(name string, data []byte, a *arch) *source {
	s := &source{
		name: name, arch: a, syntax: syntaxIntel,
		lines: strings.SplitAfter(string(data), "\n"),
		bare:  make(map[int]bareLine),
	}
	inBlock := false
	for i, line := range s.lines {
		body := strings.TrimRight(line, "\r\n")
		var code string
		var start int
		code, start, inBlock = splitLine(body, inBlock)
		run, continued := strings.CutSuffix(strings.TrimRight(code, " \t"), `\`)
		run = strings.TrimRight(run, " \t")
		indent := run[:len(run)-len(strings.TrimLeft(run, " \t"))]
		run = run[len(indent):]
		isRun := runPattern.MatchString(run)

		pass := func(reason string) {
			switch {
			case emptyWord.MatchString(code):
				in := &instruction{line: i, text: strings.TrimSpace(body)}
				in.fail("its words lack digits, and %s", reason)
				s.insts = append(s.insts, in)
			case anyWord.MatchString(code):
				s.notUnderstood = append(s.notUnderstood, note{line: i, text: reason})
			}
		}
		if start < 0 {
			if isRun && !emptyWord.MatchString(run) {
				s.bare[i] = bareLine{run, continued, line[len(body):]}
			} else {
				pass("no // comment says what its words are")
			}
			continue
		}
		if strings.Contains(body[:start], "//") {
			pass("there is a // before its comment")
			continue
		}
		in := &instruction{
			line:      i,
			indent:    indent,
			column:    len(expandTabs(body[:start])),
			continued: continued,
			comment:   body[start:],
			ending:    line[len(body):],
			run:       run,
		}
		comments := splitComment(in.comment)
		isLone := len(comments) == 1 && !strings.Contains(in.comment[len("//"):], "//")
		in.choose(comments, a)
		if in.text == "" {
			pass("its comment is empty")
			continue
		}
		switch {
		case isRun:
			if why := plainComment(in.text, a); why != "" {
				pass(why)
				continue
			}
		case run != "" && in.column == lastColumn && (isLone || in.text == comments[0] && plainComment(in.text, a) == "" && hasRegister(in.text)):
			in.fail("code stands where its bytes go: a comment in column %d is an instruction; move the comment or remove the code", lastColumn)
		case run != "":
			pass("something other than words with numbers stands before its comment")
			continue
		case !in.isPlaced(code), !isLone && plainComment(in.text, a) != "":
			continue
		default:
			in.indent = strings.Repeat(" ", indentWidth)
			if strings.HasPrefix(body, "\t") {
				in.indent = "\t"
			}
		}
		s.insts = append(s.insts, in)
	}
	s.dropPlainText()
	return s
}

// splitComment returns the texts that the // of a comment divide it into, each
// without a note behind /* or ;. The // of an address, as in https://, divides
// nothing.
func splitComment(comment string) []string {
	var list []string
	rest := comment[len("//"):]
	for from := 0; ; {
		i := strings.Index(rest[from:], "//")
		if i > 0 && rest[from+i-1] == ':' {
			from += i + len("//")
			continue
		}
		text := rest
		if i >= 0 {
			text = rest[:from+i]
		}
		if loc := noteStart.FindStringIndex(text); loc != nil {
			text = text[:loc[0]]
		}
		list = append(list, strings.Trim(text, " \t"))
		if i < 0 {
			return list
		}
		rest, from = rest[from+i+len("//"):], 0
	}
}

// choose sets the text of an instruction. It is the first one of its comment, and
// a remark may follow. Gocc writes the instruction in the syntax of Go's
// assembler first, or a mark where that has none.
func (in *instruction) choose(comments []string, a *arch) {
	in.text = comments[0]
	if len(comments) == 1 || in.text == "" {
		return
	}
	in.other = comments[1]
	switch {
	case in.other == "":
	case instructionName.FindString(in.text) == "" && prefixWords.FindString(in.text) == "":
		in.text, in.other = in.other, ""
	case refuse(in.other) != "":
		in.other = ""
	case a.isGo(in.text) && plainComment(in.other, a) == "" && refuse(in.text) == "":
		in.text, in.other, in.isGo = in.other, in.text, true
	}
}

// isPlaced reports whether a comment after blanks alone, and perhaps a \, is in
// a column where it is an instruction.
func (in *instruction) isPlaced(before string) bool {
	if in.column == lastColumn {
		return true
	}
	if in.continued {
		return strings.HasSuffix(before, `\ `) && columns[in.column-len(`\ `)]
	}
	return columns[in.column]
}

// wayOut returns what to do if a text with a problem was never meant as an instruction,
// or "". Nothing but its column makes it one, and it does not look like one.
func (in *instruction) wayOut(a *arch) string {
	isPlaced := in.run == "" && in.comment != ""
	if !isPlaced || hasRegister(in.text) && plainComment(in.text, a) == "" {
		return ""
	}
	return fmt.Sprintf(" (a comment in column %d is read as an instruction: move it, or write /* */)", in.column)
}

// open returns the instructions that have no problem.
func (s *source) open() []*instruction {
	var list []*instruction
	for _, in := range s.insts {
		if in.problem == "" {
			list = append(list, in)
		}
	}
	return list
}

// dropPlainText gives problems to instructions whose text must not reach the
// assembler, or takes them for plain comments.
func (s *source) dropPlainText() {
	for _, in := range s.insts {
		if why := refuse(in.text); why != "" {
			in.fail("%s", why)
		}
	}
	s.dropForeign(s.insts)
}

// dropForeign takes instructions that have a problem for plain comments, if
// they are behind words, or before a second //, and name no register. Words that
// lack digits ask for an instruction.
func (s *source) dropForeign(insts []*instruction) {
	plain := make(map[*instruction]bool)
	for _, in := range insts {
		isPlain := in.run != "" && runPattern.MatchString(in.run) || strings.Count(in.comment, "//") > 1
		if in.problem != "" && isPlain && !hasRegister(in.text) && !emptyWord.MatchString(in.run) {
			plain[in] = true
			s.notUnderstood = append(s.notUnderstood, note{
				line: in.line, text: fmt.Sprintf("%q is no instruction: %s", in.text, in.problem), isDoubt: true,
			})
		}
	}
	s.insts = slices.DeleteFunc(s.insts, func(in *instruction) bool { return plain[in] })
}

func expandTabs(text string) string {
	return strings.ReplaceAll(text, "\t", strings.Repeat(" ", 4))
}

// maskBlock replaces what splitLine hides.
const maskBlock = "*"

// splitLine returns the code of a line, with strings and /* */ comments masked,
// and the index of the // that starts its comment, or -1. inBlock says whether a
// /* */ comment goes on before the line, and the last result, whether one does
// after it.
func splitLine(line string, inBlock bool) (string, int, bool) {
	var code strings.Builder
	mask := func(n int) { code.WriteString(strings.Repeat(maskBlock, n)) }
	for i := 0; i < len(line); {
		switch rest := line[i:]; {
		case inBlock:
			end := strings.Index(rest, "*/")
			if end < 0 {
				mask(len(rest))
				return code.String(), -1, true
			}
			inBlock = false
			mask(end + len("*/"))
			i += end + len("*/")
		case strings.HasPrefix(rest, "//"):
			return code.String(), i, false
		case strings.HasPrefix(rest, "/*"):
			inBlock = true
			mask(len("/*"))
			i += len("/*")
		case rest[0] == '"':
			n := quotedLen(rest)
			mask(n)
			i += n
		default:
			code.WriteByte(rest[0])
			i++
		}
	}
	return code.String(), -1, inBlock
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

// openEnded returns the instructions whose words may go on in the next line: it
// holds words without a comment, and theirs are not the code already.
func (s *source) openEnded() []*instruction {
	var list []*instruction
	for _, in := range s.insts {
		next, ok := s.bare[in.line+1]
		if !ok || in.problem != "" || in.run == "" || !in.continued && (next.continued || s.continues(in.line-1)) {
			continue
		}
		if !s.hasCode(in) {
			list = append(list, in)
		}
	}
	return list
}

// hasCode reports whether the words of an instruction are its code.
func (s *source) hasCode(in *instruction) bool {
	have, ok := s.arch.parseRun(in.run)
	return ok && bytes.Equal(have, in.code)
}

// extend adds the words of the next lines to an instruction's own, which are
// too few, if all together have the length of its code. Otherwise the words
// could belong to either: that is a problem.
func (s *source) extend(in *instruction) {
	run := in.run
	have, ok := s.arch.parseRun(run)
	var line bareLine
	more := 0
	for ok && len(have) < len(in.code) && (more == 0 || line.continued == in.continued) {
		if line, ok = s.bare[in.line+1+more]; ok {
			run = strings.TrimRight(run, "; \t") + "; " + line.run
			have, ok = s.arch.parseRun(run)
			more++
		}
	}
	if !ok || more == 0 || len(have) != len(in.code) {
		in.fail("it has %d bytes, its line holds words for another number, and the next line goes on with words: "+
			"join the lines, or say in a comment what the words of the next one are", len(in.code))
		return
	}
	for i := range more {
		delete(s.bare, in.line+1+i)
	}
	in.run, in.more, in.continued, in.ending = run, more, line.continued, line.ending
}

// passedOver returns the lines with words but without an instruction, in order,
// each with the reason.
func (s *source) passedOver() []note {
	list := slices.Clone(s.notUnderstood)
	for i := range s.bare {
		list = append(list, note{line: i, text: "no // comment says what its words are"})
	}
	slices.SortFunc(list, func(a, b note) int { return cmp.Compare(a.line, b.line) })
	return list
}

// continues reports whether a line goes on in the next one, inside a #define.
func (s *source) continues(line int) bool {
	if line < 0 {
		return false
	}
	code, _, _ := splitLine(strings.TrimRight(s.lines[line], "\r\n"), false)
	return strings.HasSuffix(strings.TrimRight(code, " \t"), `\`)
}

// rewrite returns the source with the run of each instruction written. Every
// other line, and every comment, stays as it is; a line whose words are written
// on the line before it goes.
//
// A line that has the bytes already stays as well: asmfmt aligns words in other
// ways, and nobody has to choose between the two.
func (s *source) rewrite() string {
	lines := slices.Clone(s.lines)
	for _, in := range s.insts {
		if in.more == 0 && s.hasCode(in) {
			continue
		}
		run := s.arch.run(in.code)
		width := len(expandTabs(in.indent)) + len(run)
		tail := ""
		if in.continued {
			tail = `\ `
		}
		column := in.columnAfter(width)
		pad := strings.Repeat(" ", column-width-len(tail))
		lines[in.line] = in.indent + run + pad + tail + in.comment + in.ending
		clear(lines[in.line+1:][:in.more])
	}
	return strings.Join(lines, "")
}

// columnAfter returns the column for the comment after a run that ends before
// column end. It is the present column if the run leaves room, or else the next
// of the columns, or else one blank after the run.
func (in *instruction) columnAfter(end int) int {
	shift := 0
	if in.continued {
		shift = len(`\ `)
	}
	first := end + 1 + shift
	if in.column >= first {
		return in.column
	}
	for column := first; column < lastColumn; column++ {
		if columns[column-shift] {
			return column
		}
	}
	return max(first, lastColumn)
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
			if in.line != last.line+last.more+1 || last.continued != first.continued || in.continued && !first.continued {
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
		next = last.line + last.more + 1
	}
	out.WriteString(strings.Join(s.lines[next:], ""))
	return out.String()
}
