package main

import (
	"bytes"
	"fmt"
	"testing"
)

// An instruction that is whole may be followed by a remark. What might be meant
// as a part of it is none: to leave it off would give the bytes of another
// instruction.
var remarkCases = []struct {
	arch   *arch
	syntax string
	insts  []string
	parts  []string // may belong to each of the instructions
}{
	{
		arch: amd64, syntax: syntaxIntel,
		insts: []string{
			"vmovdqu8 [rax], zmm1", "vaddps zmm0, zmm1, zmm2", "vcmpps k1, zmm0, zmm1, 1", "vpternlogd zmm3, zmm4, [rdi+64], 0x96",
			"inc eax", "shl eax", "imul eax, ebx", "push rax", "mov eax, 5", "fadd st(1)", "lock inc dword [rax]",
		},
		parts: []string{
			// masks, zeroing, rounding, broadcasts
			"k1", "K7", "k1 z", "(k1)", "<k1>", "(k1, z)", "z", "k1, z", "k1 {z}", "{k1}", "[k1]", "k1 is the mask", "k1: the mask",
			"sae", "SAE", "rn-sae", "RZ-SAE", "rd-sae", "ru-sae", "rn", "(rn-sae)", "rn-sae, 5", "1to16", "(1to16)",
			"\u00a0k1", "\u200bsae",
			// operands
			"xmm3", "ymm31", "zmm3", "mm3", "tmm3", "rbx", "EBX", "cl", "sil", "r9", "r9d", "r16", "r31b", "st", "st(1)", "st1", "cr0", "bnd1", "fs",
			"5", "-5", "0x5", "$5", "#5", "(5)", "[rbx]", "(rbx)", "(rbx,rcx,4)", "dword ptr [rbx]", "ptr", "offset x", "%rbx", ", 5",
			// the rest of an expression or an address
			"<< 3", "<<x", ">> x", "shl 3", "SHL x", "mod 1", "+ 8", "+x", "* 4", "and 8", "or rbx", "xor 0x10",
			// prefixes, and other instructions
			"lock", "rep", "inc ebx", "inc ebx (both)", "vzeroupper", "vpaddd xmm3, xmm4, xmm5", "ret", "nop",
		},
	},
	{
		arch: amd64, syntax: syntaxATT,
		insts: []string{"vmovdqu8 %zmm1, (%rax)", "vaddps %zmm2, %zmm1, %zmm0", "incl %eax", "imul %ebx, %eax", "movl $5, %eax"},
		parts: []string{
			"k1", "{%k1}", "%k1", "(k1)", "z", "sae", "rn-sae", "rbx", "%rbx", "$5", "5", "(5)", "(rbx)", "(%rbx)", "<< 3", "incl %ebx", "nop",
		},
	},
	{
		arch: arm64, syntax: syntaxIntel,
		insts: []string{
			"ld1 {v0.16b}, [x0]", "add x0, x1, x2", "add x0, x1, 1", "mov x0, 1", "movi v0.4s, 1", "ldr x0, [x1]", "ptrue p0.b", "incb x0",
			"ld1b {z0.b}, p0/z, [x0]", "add z0.s, z1.s, z2.s", "ret x5", "sys 3, c7, c4, 1",
		},
		parts: []string{
			// post-increments, other operands
			"x2", "X2", "w2", "xzr", "sp", "lr", "ip0", "v3.4s", "V3", "q3", "d3", "b3", "z3.s", "p1", "p1/m", "P1/Z", "pn8.b", "za0h.s", "zt0", "c7",
			"(x2)", "x2 is the stride", "x2, the stride", "x2: the stride", "\u00a0x2",
			"16", "#16", "-16", "(16)", "!", "[x2]", "{v3.16b}",
			// shifts, extensions, multiples, patterns, predicates
			"lsl 3", "LSL 3", "lsl", "lsr x3", "asr 3", "ror 3", "msl 8", "uxtw", "sxtx 2", "<< 3", ">> 3", "lsl #3", "(lsl 3)",
			"mul vl", "mul 2", "all mul 2", "all, mul 2", "all", "vl16", "pow2", "vlx2", "m", "z", "/z",
			// the rest of an expression
			"+ 8", "<<x",
			// other instructions
			"add x3, x4, x5", "add x3, x4, x5 (both)", "ret", "nop", "yield",
		},
	},
}

// plainRemarks belong to no instruction.
var plainRemarks = []string{
	"(a+b)", "(a*b, at once)", "a times b", "next block", "next", "-- adds b to a", "=> a + b", "= a*b", ": the mask", "@ the end",
	"<- the input", "— clear it", "« clear »", "and store it", "or else the next", "not yet done", "all of them", "masked", "rounded to nearest",
	"kernel", "zeroed", "shifted by two", "salt", "stride", "rounding", "mask k1", "for xmm3", "was k1 before", "multiply", "xor them all",
	"sum", "lower half", "wait for it", "leave the loop", "(the mask in k1)", "(xmm1 + xmm2)", "(x1 + x2)", "TODO",
}

// assembleTexts assembles each text as an instruction of one file.
func assembleTexts(t *testing.T, as *assembler, syntax string, texts []string) []*instruction {
	t.Helper()
	s := &source{arch: as.arch, syntax: syntax}
	for i, text := range texts {
		s.insts = append(s.insts, &instruction{line: i, text: text})
	}
	if _, _, err := as.assemble(t.Context(), s, s.insts); err != nil {
		t.Fatalf("%s: %v", as.name, err)
	}
	return s.insts
}

// behind assembles each instruction that the assembler knows, and that with each
// of the endings behind it.
func behind(t *testing.T, as *assembler, syntax string, insts, endings []string, report func(alone, with *instruction)) {
	t.Helper()
	var known []*instruction
	var texts []string
	for _, in := range assembleTexts(t, as, syntax, insts) {
		if in.problem == "" {
			known = append(known, in)
			for _, ending := range endings {
				texts = append(texts, in.text+" "+ending)
			}
		}
	}
	if len(known) < len(insts)/2 {
		t.Errorf("only %d of %d instructions are known", len(known), len(insts))
	}
	for i, in := range assembleTexts(t, as, syntax, texts) {
		report(known[i/len(endings)], in)
	}
}

func TestOnlyRemarksAreLeftOff(t *testing.T) {
	for _, a := range archs {
		requireGNU(t, a)
		assemblers, err := findAssemblers(t.Context(), a, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"yasm", "nasm"} {
			if as, err := probe(t.Context(), a, name); err == nil {
				assemblers = append(assemblers, as)
			}
		}
		for _, as := range assemblers {
			for _, tt := range remarkCases {
				if tt.arch != a || as.isNASM && tt.syntax == syntaxATT {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", a.name, tt.syntax, as.name), func(t *testing.T) {
					behind(t, as, tt.syntax, tt.insts, tt.parts, func(alone, with *instruction) {
						// The assembler itself may make something else of it.
						if with.problem == "" && bytes.Equal(with.code, alone.code) {
							t.Errorf("%q became % x, as without its end", with.text, with.code)
						}
					})
					behind(t, as, tt.syntax, tt.insts, plainRemarks, func(alone, with *instruction) {
						if with.problem != "" || !bytes.Equal(with.code, alone.code) {
							t.Errorf("%q became % x (%s), want % x", with.text, with.code, with.problem, alone.code)
						}
					})
				})
			}
		}
	}
}
