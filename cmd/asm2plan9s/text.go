package main

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// What an instruction's text may look like, before any assembler has seen it.

var (
	charConstant = regexp.MustCompile(`'[^'\\]'`)
	labelDef     = regexp.MustCompile(`^[\w.$@[:^ascii:]]+[ \t]*:`)
	symbolDef    = regexp.MustCompile(`(?i)^[\w.$@[:^ascii:]]+(?:[ \t]*=|[ \t]+equ\b)`)
	directive    = regexp.MustCompile(`^\.\w*`)

	// appleName matches an instruction's name in Apple's syntax for arm64, which
	// has the arrangement of the registers: fmul.4s.
	appleName = regexp.MustCompile(`(?i)^[a-z]\w*\.\d*[bhsdq][ \t]`)

	// attRegister finds a register in AT&T's syntax.
	attRegister = regexp.MustCompile(`%[a-zA-Z]`)
)

// dataDirectives are the directives that give the bytes of an instruction and
// change nothing for the lines after them.
var dataDirectives = map[string]bool{
	".byte": true, ".2byte": true, ".4byte": true, ".8byte": true, ".short": true, ".hword": true,
	".word": true, ".long": true, ".quad": true, ".inst": true, ".insn": true,
}

// hasRegister reports whether a register's name is in a text, be it of the wrong
// architecture.
func hasRegister(text string) bool {
	return slices.ContainsFunc(archs, func(a *arch) bool { return a.register.MatchString(text) })
}

// isGo reports whether a text is an instruction in the syntax of Go's assembler.
// An instruction without operands may be in either syntax, and is not.
func (a *arch) isGo(text string) bool {
	name := instructionName.FindString(text)
	return name != "" && name == strings.ToUpper(name) && a.goOperand.MatchString(text[len(name):]) && !a.notGo.MatchString(text)
}

// isData reports whether a text is a directive for bytes.
func isData(text string) bool { return dataDirectives[strings.ToLower(directive.FindString(text))] }

const problemLabel = "it defines a label, and only instructions can be assembled"

// refuse returns why a text must not reach the assembler: it could change what
// the lines after it mean there. Otherwise it returns "".
func refuse(text string) string {
	for _, c := range []byte(text) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return "it holds a control character"
		}
	}
	if strings.ContainsAny(charConstant.ReplaceAllString(text, ""), `"'`) {
		return "it holds a quote, and only a single character, like 'x', can be quoted"
	}
	if strings.ContainsAny(text, `\`) {
		return `it holds a \, which Go's assembler does not see in a comment`
	}
	if strings.HasPrefix(text, "#") {
		return "it is a comment to the assembler"
	}
	if labelDef.MatchString(text) {
		return problemLabel
	}
	if symbolDef.MatchString(text) {
		return "it defines a symbol, and only instructions can be assembled"
	}
	if strings.Contains(text, labelPrefix) {
		return "it holds " + labelPrefix + ", which begins labels of this command's own"
	}
	if directive.MatchString(text) && !isData(text) {
		return "it is an assembler directive, and only instructions can be assembled"
	}
	return ""
}

// nasmWords find what NASM and YASM take for something other than an
// instruction: it may follow a label, which needs no colon there.
var nasmWords = regexp.MustCompile(`(?i)^[%\[]|\b(?:section|segment|times|incbin|align[bt]?|global|extern|common|static|required|` +
	`bits|use16|use32|use64|default|org|absolute|struc|istruc|iend|endstruc|at|cpu|float|warning|export|import|group|uppercase|` +
	`safeseh|end|[ir]?macro|endmacro|res[bwdqtoyz])\b`)

// localLabel finds a numbered label or a compiler's in an instruction. Assemblers
// complain of these without naming a line.
var localLabel = regexp.MustCompile(`(?:^|[^\w.$@])(\d+[bf]|\.L[\w.$]*|[lL](?:BB|CPI|JTI)\d+_\d+)(?:$|[^\w.$])`)

// localLabelIn returns a local label that an instruction refers to, or "".
func localLabelIn(text string) string {
	if m := localLabel.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

var (
	// prefixWords precede an instruction's name.
	prefixWords = regexp.MustCompile(`(?i)^(?:(?:lock|rep(?:n?[ez])?|xacquire|xrelease|notrack|bnd|[c-gs]s|data16|addr32|` +
		`[oa](?:16|32|64)|rex(?:64|\.\w+)?|\{\w+\})[ \t]+)*`)

	// instructionName matches an instruction's name, or a data directive's, with
	// the blanks after it.
	instructionName = regexp.MustCompile(`^(?:\.?[A-Za-z][\w.]*(?:,p[nt])?)(?:[ \t]+|$)`)

	// plainWord matches a word with another one behind it, or a parenthesis.
	plainWord = regexp.MustCompile(`^([A-Za-z]+)[ \t]+[A-Za-z(]`)

	// operandWords precede an operand.
	operandWords = regexp.MustCompile(`(?i)^(?:ptr|bcst|offset|short|near|far|rel|strict|` + sizes + `|[lar]s[lr]|ror|msl|[su]xt[bhwx])$`)
)

const sizes = `byte|word|dword|fword|qword|mmword|tbyte|tword|oword|dqword|xmmword|yword|ymmword|zword|zmmword`

// plainComment returns why a comment behind words is plainly not an instruction
// of an architecture, or "".
func plainComment(text string, a *arch) string {
	if directive.MatchString(text) && !isData(text) {
		return "its comment is an assembler directive"
	}
	if a.goSyntax.MatchString(text) {
		return "its comment is in the syntax of Go's assembler"
	}
	if labelDef.MatchString(text) || symbolDef.MatchString(text) {
		return "its comment is a definition"
	}
	rest := text[len(prefixWords.FindString(text)):]
	name := instructionName.FindString(rest)
	if name == "" && rest != "" || a.register.MatchString(name) {
		return "its comment does not begin with an instruction's name"
	}
	m := plainWord.FindStringSubmatch(rest[len(name):])
	if m != nil && !operandWords.MatchString(m[1]) && !a.register.MatchString(m[1]) {
		return "its comment is a sentence"
	}
	return ""
}

// A split is an instruction's text taken apart where a remark might begin.
type split struct {
	kept, remark string

	// isDoubtful says that the remark may be a part of the instruction.
	isDoubtful bool
}

// maxGaps is more than an instruction has between its words.
const maxGaps = 32

// splits takes a text apart wherever a remark might begin, the longest beginning
// first: "vpaddd xmm0, xmm1, xmm2 (a+b)".
func splits(text string, a *arch) []split {
	var list []split
	depth, gaps := 0, 0
	operands := len(prefixWords.FindString(text))
	operands += len(instructionName.FindString(text[operands:]))
	for i := 1; i < len(text) && gaps < maxGaps; i++ {
		switch text[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ' ', '\t':
			if depth > 0 || strings.ContainsAny(text[i-1:i], " \t") {
				continue
			}
			gaps++
			kept, remark := text[:i], strings.TrimLeftFunc(text[i:], isBlank)
			if remarkStart.MatchString(remark) && endsOperand(kept, operands, remark, a) {
				list = append(list, split{kept, remark, a.mayBelong(kept, remark)})
			}
		}
	}
	slices.Reverse(list)
	return list
}

// isBlank reports whether nothing shows of a character.
func isBlank(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

var (
	// remarkStart matches a remark: it begins with a word, a parenthesis or one of
	// some marks, and holds nothing that belongs to operands.
	remarkStart = regexp.MustCompile(`^(?:[A-Za-z(<>=:@]|--|[^[:ascii:]])[^][{}#$%]*$`)

	lastToken  = regexp.MustCompile(`[^ \t,]+$`)
	firstWord  = regexp.MustCompile(`^[A-Za-z]\w*`)
	wholeValue = regexp.MustCompile(`^[#$]?-?\d\w*$`)
)

// endsOperand reports whether kept, whose operands start at an index, may be a
// whole instruction before a remark.
func endsOperand(kept string, operands int, remark string, a *arch) bool {
	if len(kept) <= operands { // a name alone: more words would be a sentence
		return firstWord.FindString(remark) == ""
	}
	token := lastToken.FindString(kept)
	return strings.HasSuffix(token, "]") || strings.HasSuffix(token, "}") || strings.HasSuffix(token, ")") ||
		wholeValue.MatchString(token) || a.register.MatchString(token)
}

// parts matches what may belong to an instruction of an architecture, though
// nothing but a blank joins it to that.
type parts struct {
	start *regexp.Regexp // a remark that begins so
	whole *regexp.Regexp // an operand alone
}

// newParts makes parts of the alternatives of a regular expression.
func newParts(alternatives string) parts {
	return parts{
		start: regexp.MustCompile(`(?i)^(?:` + alternatives + `)(?:$|\W)`),
		whole: regexp.MustCompile(`(?i)^(?:` + alternatives + `|\d\w*)$`),
	}
}

var (
	// operators join two values in an expression. No assembler shifts registers
	// so, but people do.
	operators    = regexp.MustCompile(`(?i)^(?:<<|>>|(?:shl|shr|mod|eq|ne|lt|le|gt|ge)\b)`)
	valueMarks   = regexp.MustCompile(`^(?:--|[<>]|==)`)
	englishWords = regexp.MustCompile(`(?i)^(?:and|or|xor|not)\b[ \t]*`)

	// bracketed matches operands in brackets of their own.
	bracketed = regexp.MustCompile(`^[(<]([^()<>]*)[)>]?`)

	// twoWords matches what no expression holds: a word behind another.
	twoWords = regexp.MustCompile(`^\W*[A-Za-z]+[ \t]+[A-Za-z]+(?:$|\W)`)

	prefixAlone = regexp.MustCompile(`(?i)^(?:lock|rep(?:n?[ez])?|xacquire|xrelease|notrack|bnd)$`)
)

// mayBelong reports whether a remark behind a whole instruction may be meant as
// a part of it, such as a mask that lacks its braces. To leave it off would give
// the bytes of another instruction.
func (a *arch) mayBelong(kept, remark string) bool {
	word := firstWord.FindString(remark)
	switch {
	case operandWords.MatchString(word), prefixAlone.MatchString(remark), a.parts.start.MatchString(remark), operators.MatchString(remark):
		return true
	}
	if m := bracketed.FindStringSubmatch(remark); m != nil {
		operands := strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || isBlank(r) })
		if !slices.ContainsFunc(operands, func(o string) bool { return !a.parts.whole.MatchString(o) }) {
			return true
		}
	}
	// A value, or an address, may be the beginning of an expression.
	token := lastToken.FindString(kept)
	isValue := wholeValue.MatchString(token) || strings.HasSuffix(token, "]") || strings.HasSuffix(token, ")")
	if valueMarks.MatchString(remark) {
		return isValue && !twoWords.MatchString(remark)
	}
	if and := englishWords.FindString(remark); and != "" {
		next := remark[len(and):]
		return isValue && !twoWords.MatchString(next) || wholeValue.MatchString(firstOperand.FindString(next)) || a.parts.start.MatchString(next)
	}
	return false
}

// hidesOperand reports whether a text has an operand behind a #, where it is a
// comment to the assemblers for amd64.
func (a *arch) hidesOperand(text string) bool {
	_, operand, _ := strings.Cut(text, "#")
	return wholeValue.MatchString(firstOperand.FindString(operand)) || a.parts.start.MatchString(operand)
}

// firstOperand matches the characters before a blank or a comma.
var firstOperand = regexp.MustCompile(`^[^ \t,]+`)

// sizedOperand matches the size of a memory operand, up to its bracket, as
// YASM and NASM write it (dword [rax], qword 8[rax]) and as GNU as does.
var sizedOperand = regexp.MustCompile(`(?i)\b(` + sizes + `)([ \t]+(?:ptr|bcst)\b)?([^,\[]*\[)`)

// sizeNames are the sizes whose names GNU as and LLVM do not share with YASM.
var sizeNames = map[string]string{
	"tword": "tbyte", "oword": "xmmword", "dqword": "xmmword", "yword": "ymmword", "zword": "zmmword",
}

// sizesToGNU returns an instruction in Intel syntax with memory sizes as GNU
// as reads them. It takes "dword [rax]" for 4+[rax] without a word of warning.
func sizesToGNU(text string) string {
	return sizedOperand.ReplaceAllStringFunc(text, func(operand string) string {
		m := sizedOperand.FindStringSubmatch(operand)
		size, ptr, rest := m[1], m[2], m[3]
		if name, ok := sizeNames[strings.ToLower(size)]; ok {
			size = name
		}
		if ptr == "" {
			ptr = " ptr"
		}
		return size + ptr + rest
	})
}

// syntaxOf returns the syntax of a file, AT&T's or Intel's: registers have a %
// in most of its instructions or in none.
func syntaxOf(insts []*instruction) string {
	att, intel := 0, 0
	for _, in := range insts {
		if attRegister.MatchString(in.text) {
			att++
		} else if amd64.register.MatchString(in.text) {
			intel++
		}
	}
	if att > intel {
		return syntaxATT
	}
	return syntaxIntel
}
