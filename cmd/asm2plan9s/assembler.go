package main

import (
	"bytes"
	"context"
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

// llvmFlags say how LLVM's assemblers are told an architecture.
type llvmFlags struct {
	triple string
	march  string // clang's -march
	mattr  string // llvm-mc's -mattr
}

// An assembler is a program that turns standard input into an ELF object.
type assembler struct {
	arch *arch
	path string
	args []string // without the -o that names the object
}

// findAssembler returns an assembler for a: program, or if that is empty the
// first of the known ones on PATH that is one, GNU as before LLVM's.
func findAssembler(ctx context.Context, a *arch, program string) (*assembler, error) {
	if program != "" {
		return probe(ctx, a, program)
	}
	names := []string{"as", "gas"}
	for _, prefix := range a.prefixes {
		names = append(names, prefix+"as")
	}
	names = append(names, "clang", "llvm-mc")
	for _, name := range names {
		found, err := probe(ctx, a, name)
		if err == nil {
			return found, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("no assembler for %s on PATH (none of %s is one); %s", a.name, strings.Join(names, ", "), a.packages)
}

// gnuTarget matches what GNU as --version says of its target.
var gnuTarget = regexp.MustCompile("configured for a target of [`'\"]([^'\"]+)['\"]")

// probe asks a program for its version, which tells what it is.
func probe(ctx context.Context, a *arch, program string) (*assembler, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, fmt.Errorf("finding the assembler: %w", err)
	}
	cmd := command(ctx, path, "--version")
	version, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("asking %s for its version: %w", program, err)
	}
	found := &assembler{arch: a, path: path}
	switch {
	case bytes.Contains(version, []byte("GNU assembler")):
		target := ""
		if m := gnuTarget.FindSubmatch(version); m != nil {
			target = string(m[1])
		}
		if !a.gnu.makes(target) {
			return nil, fmt.Errorf("%s assembles for %s: want an ELF target for %s", program, target, a.name)
		}
		found.args = append(found.args, a.gnu.flags...)
		found.args = append(found.args, "-")
	case bytes.Contains(version, []byte("clang version")):
		found.args = []string{"--target=" + a.llvm.triple, "-c", "-x", "assembler", "-fno-color-diagnostics"}
		if a.llvm.march != "" {
			found.args = append(found.args, "-march="+a.llvm.march)
		}
		found.args = append(found.args, "-")
	case bytes.Contains(version, []byte("LLVM version")) && strings.Contains(filepath.Base(path), "llvm-mc"):
		found.args = []string{"--triple=" + a.llvm.triple, "--filetype=obj"}
		if a.llvm.mattr != "" {
			found.args = append(found.args, "--mattr="+a.llvm.mattr)
		}
		found.args = append(found.args, "-")
	default:
		line, _, _ := strings.Cut(string(version), "\n")
		return nil, fmt.Errorf("%s is none of GNU as, clang and llvm-mc: its version is %q", program, line)
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

// command makes a command whose messages are in English, as we read them.
func command(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	return cmd
}

// assemble sets the code of each instruction of s that has no problem yet, in
// one run of the assembler. Instructions that it cannot assemble get problems.
// The warnings are the assembler's; the error is about the run itself.
func (as *assembler) assemble(ctx context.Context, s *source, syntax string) (warnings []string, err error) {
	var insts []*instruction
	for _, in := range s.insts {
		// In Intel's syntax GNU as takes such registers too, and so would
		// assemble AT&T's order of operands the wrong way round.
		if as.arch == amd64 && syntax == syntaxIntel && attRegister.MatchString(in.text) {
			in.fail("its registers are in AT&T's syntax, which -syntax att reads")
		}
		if in.problems == nil {
			insts = append(insts, in)
		}
	}
	if len(insts) == 0 {
		return nil, nil
	}

	dir, err := os.MkdirTemp("", "asm2plan9s")
	if err != nil {
		return nil, fmt.Errorf("assembling %s: %w", s.name, err)
	}
	defer os.RemoveAll(dir)
	objectPath := filepath.Join(dir, "out.o")

	cmd := command(ctx, as.path, append([]string{"-o", objectPath}, as.args...)...)
	cmd.Stdin = strings.NewReader(as.program(insts, syntax))
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	runErr := cmd.Run()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("assembling %s: %w", s.name, ctx.Err())
	}
	failed := false
	for _, m := range parseMessages(output.String()) {
		in := insts[min(max(m.line-1-headerLines, 0)/linesPerInstruction, len(insts)-1)]
		if m.warning {
			warnings = append(warnings, fmt.Sprintf("%s:%d: warning: %q: %s", s.name, in.line+1, in.text, m.text))
		} else {
			in.fail("%s", m.text)
			failed = true
		}
	}
	if failed {
		return warnings, nil
	}
	if runErr != nil {
		return warnings, fmt.Errorf("assembling %s: %s: %w\n%s", s.name, as.path, runErr, strings.TrimSpace(output.String()))
	}

	obj, err := readObject(objectPath, len(insts))
	if err != nil {
		return warnings, fmt.Errorf("assembling %s: reading the object that %s made: %w", s.name, as.path, err)
	}
	shortest := as.arch.words[len(as.arch.words)-1].size
	for i, in := range insts {
		in.code = obj.code[i]
		symbol, unresolved := obj.unresolved[i]
		switch n := len(in.code); {
		case unresolved && symbol == "":
			in.fail("its bytes depend on the address that it is linked at")
		case unresolved:
			in.fail("%q is not a register, and a symbol has no address here", symbol)
		case n == 0:
			in.fail("it gives no bytes")
		case n > as.arch.longest || n%shortest != 0:
			in.fail("it gives %d bytes, which is not one instruction", n)
		}
	}
	return warnings, nil
}

const (
	// labelPrefix and a number name the places between the instructions in
	// what the assembler gets.
	labelPrefix = "asm2plan9s_"

	headerLines         = 1
	linesPerInstruction = 3
)

// program returns what the assembler gets: each instruction on a line of its
// own, after a label that tells where its bytes begin.
func (as *assembler) program(insts []*instruction, syntax string) string {
	var b strings.Builder
	isIntel := as.arch == amd64 && syntax == syntaxIntel
	switch {
	case isIntel:
		b.WriteString(".intel_syntax noprefix\n")
	case as.arch == amd64:
		b.WriteString(".att_syntax prefix\n")
	default:
		b.WriteString("\n")
	}
	// On arm64 "ldr x0, =1<<40" takes a constant from a pool behind the code,
	// which nobody would copy. Put there at once, it shows as too many bytes.
	after := "\n"
	if as.arch == arm64 {
		after = ".ltorg\n"
	}
	for i, in := range insts {
		text := in.text
		if isIntel {
			text = sizesToGNU(text)
		}
		fmt.Fprintf(&b, "%s%d:\n%s\n%s", labelPrefix, i, text, after)
	}
	fmt.Fprintf(&b, "%s%d:\n", labelPrefix, len(insts))
	return b.String()
}

var (
	charConstant = regexp.MustCompile(`'[^'\\]'`)
	labelDef     = regexp.MustCompile(`^[\w.$@[:^ascii:]]+[ \t]*:`)
	symbolDef    = regexp.MustCompile(`(?i)^[\w.$@[:^ascii:]]+(?:[ \t]*=|[ \t]+equ\b)`)
	attRegister  = regexp.MustCompile(`%[a-zA-Z]`)
	directive    = regexp.MustCompile(`^\.\w*`)
)

// dataDirectives are the directives that stand for the bytes of an instruction
// and change nothing for the lines after them.
var dataDirectives = map[string]bool{
	".byte": true, ".2byte": true, ".4byte": true, ".8byte": true, ".short": true, ".hword": true,
	".word": true, ".long": true, ".quad": true, ".inst": true, ".insn": true,
}

// refuse tells why a text must not reach the assembler, since it could change
// what the lines after it mean there, or returns "".
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
		return "it defines a label, and only instructions can be assembled"
	}
	if symbolDef.MatchString(text) {
		return "it defines a symbol, and only instructions can be assembled"
	}
	if strings.Contains(text, labelPrefix) {
		return "it holds " + labelPrefix + ", which begins labels of this command's own"
	}
	if d := directive.FindString(text); d != "" && !dataDirectives[strings.ToLower(d)] {
		return "it is an assembler directive, and only instructions can be assembled"
	}
	return ""
}

// sizedOperand matches the size of a memory operand, up to its bracket, as
// YASM and NASM write it (dword [rax], qword 8[rax]) and as GNU as does.
var sizedOperand = regexp.MustCompile(`(?i)\b(byte|word|dword|fword|qword|tbyte|tword|oword|dqword|xmmword|yword|ymmword|zword|zmmword)([ \t]+(?:ptr|bcst)\b)?([^,\[]*\[)`)

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

// A message is one of an assembler's messages about its input.
type message struct {
	line    int // 1-based
	warning bool
	text    string
}

// messagePattern matches "{standard input}:3: Error: …" of GNU as and
// "<stdin>:3:5: error: …" of LLVM. What LLVM prints below a message only
// repeats the line.
var messagePattern = regexp.MustCompile(`^(?:\{standard input\}|<stdin>|-):(\d+):(?:\d+:)? *(?i:(?:fatal )?(error|warning)): *(.*)$`)

func parseMessages(output string) []message {
	var list []message
	for line := range strings.Lines(output) {
		m := messagePattern.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		list = append(list, message{line: n, warning: strings.EqualFold(m[2], "warning"), text: m[3]})
	}
	return list
}
