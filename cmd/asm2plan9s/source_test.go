package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// at returns a line whose comment starts in column.
func at(column int, text string) string {
	return strings.Repeat(" ", column) + "// " + text
}

func TestColumnsAreThoseOfRunsOf3To8Bytes(t *testing.T) {
	got := slices.Sorted(maps.Keys(columns))
	if want := []int{21, 29, 33, 35, 39, 47}; !slices.Equal(got, want) {
		t.Errorf("columns = %v, want %v", got, want)
	}
}

func TestRunsKeepTheirBytes(t *testing.T) {
	for _, a := range []*arch{amd64, arm64} {
		shortest := a.words[len(a.words)-1].size
		for n := 0; n <= 40; n += shortest {
			code := make([]byte, n)
			for i := range code {
				code[i] = byte(0xf0 + i)
			}
			run := a.run(code)
			got, ok := a.parseRun(run)
			if !ok || !slices.Equal(got, code) {
				t.Errorf("%s: % x became %q, and that %x, %v", a.name, code, run, got, ok)
			}
			if n > 0 && !runPattern.MatchString(run) {
				t.Errorf("%s: %q is not taken for a run", a.name, run)
			}
		}
	}
}

// Where an instruction of any length is typed, it is still one after the
// first rewrite, whose result the second one keeps.
func TestRewriteIsIdempotentForEveryLengthAndColumn(t *testing.T) {
	for n := 1; n <= amd64.longest; n++ {
		for column := range lastColumn + 10 {
			for _, before := range []string{
				strings.Repeat(" ", column),
				strings.Repeat(" ", max(0, column-2)) + `\ `,
				"\t" + strings.Repeat(" ", max(0, column-4)),
				"\t\tBYTE $0x00" + strings.Repeat(" ", column),
				"  LONG $0x" + strings.Repeat(" ", column) + `\`,
			} {
				line := before + "// x"
				s := parse("x.s", []byte(line), amd64)
				if len(s.insts) == 0 {
					continue
				}
				s.insts[0].code = make([]byte, n)
				first := s.rewrite()
				s = parse("x.s", []byte(first), amd64)
				if len(s.insts) != 1 {
					t.Errorf("%q became %q, which is no instruction", line, first)
					continue
				}
				s.insts[0].code = make([]byte, n)
				if have, ok := amd64.parseRun(s.insts[0].run); !ok || len(have) != n {
					t.Errorf("%q became %q, which has not %d bytes", line, first, n)
				}
				if second := s.rewrite(); second != first {
					t.Errorf("%q became %q, and that %q", line, first, second)
				}
			}
		}
	}
}

// A line that has the bytes stays as it is, in whatever words: asmfmt aligns them.
func TestRightWordsStay(t *testing.T) {
	vpaddq, vzeroupper := []byte{0xc4, 0xc1, 0x71, 0xd4, 0xc0}, []byte{0xc5, 0xf8, 0x77}
	for _, tt := range []struct {
		line string
		code []byte
		want string // "": the line
	}{
		{"    LONG $0xd471c1c4; BYTE $0xc0 // x", vpaddq, ""},
		{"\tLONG   $0xd471c1c4; BYTE $0xc0     // x", vpaddq, ""},
		{"\tLONG\t$0xD471C1C4 ;BYTE $0xc0;// x", vpaddq, ""},
		{"BYTE $0xc4; BYTE $0xc1; BYTE $0x71; WORD $0xc0d4 // x", vpaddq, ""},
		{"    WORD   $0xf8c5; BYTE $119 \\ // x", vzeroupper, ""},
		{"\tLONG   $0xd471c1c5; BYTE $0xc0     // x", vpaddq, "\tLONG $0xd471c1c4; BYTE $0xc0       // x"},
		{"\tLONG   $0xd471c1c4; WORD $0x00c0   // x", vpaddq, "\tLONG $0xd471c1c4; BYTE $0xc0       // x"},
		{"\tLONG   $0xd471c1c4                 // x", vpaddq, "\tLONG $0xd471c1c4; BYTE $0xc0       // x"},
		{"\tLONG   $0x1d471c1c4; BYTE $0xc0    // x", vpaddq, "\tLONG $0xd471c1c4; BYTE $0xc0       // x"},
		{"\tLONG   $0x // x", vpaddq, "\tLONG $0xd471c1c4; BYTE $0xc0 // x"},
		{at(33, "x"), vpaddq, "    LONG $0xd471c1c4; BYTE $0xc0 // x"},
	} {
		s := parse("x.s", []byte(tt.line), amd64)
		if len(s.insts) != 1 {
			t.Fatalf("%q has %d instructions", tt.line, len(s.insts))
		}
		s.insts[0].code = tt.code
		if tt.want == "" {
			tt.want = tt.line
		}
		if got := s.rewrite(); got != tt.want {
			t.Errorf("%q became %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestSizesToGNU(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"mov eax, dword [rax]", "mov eax, dword ptr [rax]"},
		{"mov eax, DWORD PTR [rax]", "mov eax, DWORD PTR [rax]"},
		{"vaddps zmm0, zmm1, dword bcst [rax]", "vaddps zmm0, zmm1, dword bcst [rax]"},
		{"vpaddd zmm0, zmm1, dword [rax]{1to16}", "vpaddd zmm0, zmm1, dword ptr [rax]{1to16}"},
		{"vmovdqa ymm4, yword 2304[rbp]", "vmovdqa ymm4, ymmword ptr 2304[rbp]"},
		{"vmovdqu\toword\t[rdi], xmm0", "vmovdqu\txmmword ptr\t[rdi], xmm0"},
		{"vmovdqu oword ptr [rdi], xmm0", "vmovdqu xmmword ptr [rdi], xmm0"},
		{"fld tword [rdi]", "fld tbyte ptr [rdi]"},
		{"mov word fs:[rdi], 5", "mov word ptr fs:[rdi], 5"},
		{"push dword 5", "push dword 5"},
		{"add rax, byte 5", "add rax, byte 5"},
		{"mov byte [rdi], byte 5", "mov byte ptr [rdi], byte 5"},
		{"vpaddd xmm0, xmm1, [rax]", "vpaddd xmm0, xmm1, [rax]"},
	} {
		if got := sizesToGNU(tt.text); got != tt.want {
			t.Errorf("sizesToGNU(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestLineEndingsStay(t *testing.T) {
	requireGNU(t, amd64)
	const run = "    WORD $0xf8c5; BYTE $0x77 // vzeroupper"
	for _, tt := range []struct{ name, in, want string }{
		{"CR LF", "RET\r\n" + at(29, "vzeroupper") + "\r\nRET\r\n", "RET\r\n" + run + "\r\nRET\r\n"},
		{"no newline at the end", "RET\n" + at(29, "vzeroupper"), "RET\n" + run},
		{"blanks at the ends of other lines", "RET \t\n" + at(29, "vzeroupper") + "\n \n", "RET \t\n" + run + "\n \n"},
		{"bytes that are not UTF-8", "\xff\x80\n" + at(29, "vzeroupper") + "\n", "\xff\x80\n" + run + "\n"},
		{"no lines", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, got, stderr := runCommand(tt.in, "-arch", "amd64")
			if status != exitOK || got != tt.want {
				t.Errorf("status %d, result %q, want %q; messages: %s", status, got, tt.want, stderr)
			}
		})
	}
}

// A hundred thousand instructions are one run of the assembler, not as many.
func TestHugeInput(t *testing.T) {
	requireGNU(t, amd64)
	const n = 100_000
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, "%s\n    MOVQ AX, BX // %d\n", at(47, fmt.Sprintf("vpaddd xmm0, xmm1, [rax+%#x]", 0x1000+i)), i)
	}
	status, got, stderr := runCommand(in.String(), "-arch", "amd64")
	if status != exitOK {
		t.Fatalf("status %d: %.1000s", status, stderr)
	}
	lines := strings.Split(got, "\n")
	if len(lines) != 2*n+1 {
		t.Fatalf("%d lines, want %d", len(lines), 2*n+1)
	}
	for i := range n {
		// c5 f1 fe 80, and the displacement in four bytes.
		want := fmt.Sprintf("    QUAD $0x%08x80fef1c5 ", 0x1000+i)
		if !strings.HasPrefix(lines[2*i], want) || lines[2*i+1] != fmt.Sprintf("    MOVQ AX, BX // %d", i) {
			t.Fatalf("instruction %d: %q, %q; want %q", i, lines[2*i], lines[2*i+1], want)
		}
	}

	// A line of many megabytes is a line.
	long := strings.Repeat("x", 32<<20) + "\n" + at(29, "vzeroupper") + "\n"
	if status, got, stderr := runCommand(long, "-arch", "amd64"); status != exitOK || len(got) != len(long) {
		t.Errorf("long line: status %d, %d bytes of %d: %.1000s", status, len(got), len(long), stderr)
	}
}

// FuzzNothingButInstructionLinesChanges checks, for any file and any code that
// an assembler may give, that only lines that this test finds to be
// instructions change, and there only what is before the comment, and that the
// second time nothing does.
func FuzzNothingButInstructionLinesChanges(f *testing.F) {
	f.Add(at(33, "VPADDQ  XMM0,XMM1,XMM8"), uint8(5))
	f.Add("#define X \\\n"+strings.Repeat(" ", 63)+"\\ // vzeroupper\n\tRET // done\r\n", uint8(3))
	f.Add("/*\n"+at(33, "not this */")+"\n"+at(65, "but this")+"\n", uint8(14))
	f.Add("\tLONG $0x00000000; BYTE $0x00 // vzeroupper\n\t\t\t\t\t\t\t\t // x ; y\nDATA x, $\"//\"\n", uint8(8))
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		for _, a := range []*arch{amd64, arm64} {
			size := a.words[len(a.words)-1].size
			code := make([]byte, size*(1+int(n)%(a.longest/size)))
			for i := range code {
				code[i] = n + byte(i)
			}
			rewrite := func(text string) (string, bool) {
				s := parse("x.s", []byte(text), a)
				for _, in := range s.insts {
					in.code = code
				}
				return s.rewrite(), len(s.open()) == len(s.insts)
			}
			once, ok := rewrite(text)
			if !ok {
				continue
			}
			before, after := strings.SplitAfter(text, "\n"), strings.SplitAfter(once, "\n")
			if len(before) != len(after) {
				t.Fatalf("%d lines became %d", len(before), len(after))
			}
			for i := range before {
				if before[i] == after[i] {
					continue
				}
				if !mayBeInstruction(before[i]) {
					t.Errorf("%q became %q, but is no instruction", before[i], after[i])
				}
				_, want, _ := strings.Cut(before[i], "//")
				run, got, _ := strings.Cut(after[i], "//")
				if got != want {
					t.Errorf("the comment %q became %q", want, got)
				}
				if strings.TrimRight(strings.TrimSpace(run), ` \`) != a.run(code) {
					t.Errorf("the run is %q, want %q", run, a.run(code))
				}
			}
			if twice, ok := rewrite(once); !ok || twice != once {
				t.Errorf("rewritten twice: %v\n%q\n%q", ok, once, twice)
			}
		}
	})
}

// mayBeInstruction reports whether a comment's place allows an instruction. It
// does so in the words of the README, apart from the code under test.
func mayBeInstruction(line string) bool {
	before, _, _ := strings.Cut(line, "//")
	if !strings.Contains(line, "//") {
		return false
	}
	width := len(before) + 3*strings.Count(before, "\t")
	places := []int{21, 29, 33, 35, 39, 47, 65}
	rest := strings.Trim(before, " \t")
	if strings.HasSuffix(rest, `\`) {
		places = append(places, 23, 31, 35, 37, 41, 49)
		rest = strings.Trim(strings.TrimSuffix(rest, `\`), " \t")
	}
	if rest == "" {
		return slices.Contains(places, width)
	}
	for item := range strings.SplitSeq(rest, ";") {
		fields := strings.Fields(item)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 || !slices.Contains([]string{"LONG", "WORD", "BYTE", "QUAD"}, fields[0]) || !strings.HasPrefix(fields[1], "$") {
			return false
		}
	}
	return true
}

// FuzzTextStaysOnItsLine gives the assembler any text between two instructions
// that it knows: these must come out as they are, or the text must be refused.
func FuzzTextStaysOnItsLine(f *testing.F) {
	assemblers := []*assembler{requireGNU(f, amd64)}
	for _, name := range []string{"llvm-mc-19", "yasm", "nasm"} {
		if as, err := probe(f.Context(), amd64, name); err == nil {
			assemblers = append(assemblers, as)
		}
	}
	for _, text := range []string{
		"vzeroupper", "nop nop", ".byte 1", ".BYte", "$.00", ".byte nop", "foo nop", "lock", "rep", "'", "int '", `"`, "#", "x: nop", "x = 5", "A=0:", "\xff=0:", "jmp x",
		".org 5", ".macro", "{evex} vpaddd xmm0, xmm1, xmm2", "nop #", "jmp .+300", "nop\rnop", "1: nop", "$x",
		"mov eax, ' '", "mov eax, dword [rax]", "?", "nop /", "#APP", "foo equ 5", "%x",
		"times 3 nop", "%macro x 0", "section .data", "SECTION .data", "bits 16", "[bits 16]", "foo bits 16", "lock section .data",
		"default rel", "x dd 5", "align 16", "nop %", "db 1", "%define nop hlt", "struc x", "foo struc x", "rep bits 16", "foo",
		"lock [bits 16]", "cpu 8086", "foo %macro x 0", "use16", "segment foo", "res 5", "resb 5", "org 100", "nop ,", "nop \\",
		"nop // .att_syntax", "nop // x: nop", "nop // x = 5", "XORL AX, AX // .byte 1", "inc eax x = 5", "inc eax note: nop", "? // x:",
		"__sect__", "__SECT__", "__bits__ 16", "__BITS__", "%[bits]", "nop %+ nop", "(", "[", "{", "nop [", "{evex}", "%%x:",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "\n") {
			t.Skip("more than one line")
		}
		lines := []string{at(33, "VPADDQ XMM0,XMM1,XMM8"), at(33, text), at(33, "VPADDQ XMM0,XMM1,XMM8"), ""}
		for _, as := range assemblers {
			s := parse("x.s", []byte(strings.Join(lines, "\n")), amd64)
			if _, _, err := as.assemble(t.Context(), s, s.open()); err != nil {
				t.Fatalf("%s: %q: %v", as.name, text, err)
			}
			for i, in := range s.insts {
				if isText := i == 1 && len(s.insts) == 3; isText {
					continue
				}
				if in.problem != "" {
					t.Errorf("%s: %q: its neighbour has a problem: %s", as.name, text, in.problem)
				}
				if !slices.Contains(encodingsOfVPADDQ, string(in.code)) {
					t.Errorf("%s: %q: its neighbour became % x", as.name, text, in.code)
				}
			}
		}
	})
}

// encodingsOfVPADDQ are those of VPADDQ XMM0,XMM1,XMM8, whose sources LLVM swaps.
var encodingsOfVPADDQ = []string{"\xc4\xc1\x71\xd4\xc0", "\xc5\xb9\xd4\xc1"}
