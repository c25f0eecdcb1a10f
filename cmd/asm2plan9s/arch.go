package main

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// An arch is what differs between the architectures.
type arch struct {
	name string

	// words are the data words of Go's assembler that runs are written in,
	// longest first. Their names are the assembler's: WORD has two bytes on
	// amd64 and four on arm64.
	words []word

	// longest is the longest instruction; an instruction's length is a
	// multiple of the shortest word.
	longest int

	gnu  gnuFlags
	llvm llvmFlags

	// prefixes name the cross binutils: prefix + "as", prefix + "objdump".
	prefixes []string
	packages string

	// register finds a register's name in an instruction.
	register *regexp.Regexp

	// parts are operands, and what modifies them, that may follow an
	// instruction which is whole without them.
	parts parts

	// goSyntax finds a vector register as Go's assembler writes it, which knows
	// some vector instructions itself. goOperand finds any operand of its syntax,
	// and notGo what that lacks.
	goSyntax, goOperand, notGo *regexp.Regexp

	// nop does nothing wherever it is executed.
	nop []byte
}

type word struct {
	name string
	size int
}

var amd64 = &arch{
	name:    "amd64",
	words:   []word{{"QUAD", 8}, {"LONG", 4}, {"WORD", 2}, {"BYTE", 1}},
	longest: 15,
	gnu: gnuFlags{
		targets: []string{"x86_64", "i386", "i486", "i586", "i686"},
		flags:   []string{"--64"},
	},
	llvm: llvmFlags{
		triple: "x86_64-unknown-linux-gnu",
	},
	prefixes: []string{"x86_64-linux-gnu-", "x86_64-pc-linux-gnu-", "x86_64-elf-"},
	packages: "GNU as comes with the package binutils (elsewhere than on amd64: binutils-x86-64-linux-gnu on Debian and Ubuntu, " +
		"binutils-x86_64-linux-gnu on Fedora, x86_64-elf-binutils in Homebrew); clang and llvm-mc with clang and llvm",
	register: regexp.MustCompile(`(?i)(?:^|[^\w.])(?:[er]?(?:[abcd]x|[sd]i|[sb]p)|[abcd][hl]|(?:[sd]i|[sb]p)l|r\d+[bwd]?|[xyzt]?mm\d+|k[0-7]|st\(\d\)|rip|[c-gs]s:)(?:$|[^\w.])`),
	parts: newParts(`[er]?[abcd]x|[er]?(?:[sd]i|[sb]p)|[abcd][hl]|(?:[sd]i|[sb]p)l|r\d+[bwdl]?|[xyzt]?mm\d+|k[0-7]|st(?:\(?\d\)?)?|` +
		`[cd]r\d+|bnd[0-3]|[c-gs]s|[er]i[pz]|r[nduz](?:-?sae)?|sae|z|\d+to\d+|wrt`),
	goSyntax:  regexp.MustCompile(`\b[XYZ]\d+(?:,|$)`),
	goOperand: regexp.MustCompile(`[$(]|\b(?:[ABCD][XHL]|[SD]IB?|[SB]PB?|R\d+[BWL]?|[XYZKM]\d+)\b`),
	notGo:     regexp.MustCompile(`(?i)\b(?:[er](?:[abcd]x|[sd]i|[sb]p)|(?:[sd]i|[sb]p)l|r\d+d|[xyzt]?mm\d+|[er]ip)\b|[][%]`),
	nop:       []byte{0x90},
}

var arm64 = &arch{
	name:    "arm64",
	words:   []word{{"WORD", 4}},
	longest: 4,
	gnu: gnuFlags{
		targets: []string{"aarch64", "arm64"},
		// Without it GNU as takes the instructions of the first Armv8 only.
		flags: []string{"-mcpu=all"},
	},
	llvm: llvmFlags{
		triple: "aarch64-unknown-linux-gnu",
		// What LLVM 14 knows. It has no name for everything; newer llvm-mc
		// know "all" and only warn of names that they do not know, and newer
		// clang report what they know.
		march: "armv9.3-a+crypto+sha3+sm4+sve2-aes+sve2-bitperm+sve2-sha3+sve2-sm4+sme+memtag+mops+" +
			"bf16+i8mm+f32mm+f64mm+fp16+fp16fml+rng+ls64+tme",
		mattr: "+all,+v9.3a,+aes,+sha2,+sha3,+sm4,+sve2-aes,+sve2-bitperm,+sve2-sha3,+sve2-sm4,+sme,+mte,+mops," +
			"+bf16,+i8mm,+f32mm,+f64mm,+fullfp16,+fp16fml,+rand,+ls64,+tme",
	},
	prefixes: []string{"aarch64-linux-gnu-", "aarch64-unknown-linux-gnu-", "aarch64-elf-", "aarch64-none-elf-"},
	packages: "GNU as comes with the package binutils (elsewhere than on arm64: binutils-aarch64-linux-gnu on Debian, Ubuntu and Fedora, " +
		"aarch64-elf-binutils in Homebrew); clang and llvm-mc with clang and llvm",
	register: regexp.MustCompile(`(?i)(?:^|[^\w.])(?:[xwvqdshbz]\d+(?:\.\w+)?|p\d+(?:[./]\w+)?|za\d*[hv]?(?:\.\w+)?|zt0|w?sp|[xw]zr|lr|fp)(?:$|[^\w.])`),
	parts: newParts(`[xwvqdshbzc]\d+(?:\.\w+)?|pn?\d+(?:[./]\w+)?|za\d*[hv]?(?:\.\w+)?|zt0|w?sp|[xw]zr|lr|fp|ip[01]|nzcv|` +
		`[la]s[lr]|ror|rrx|msl|[su]xt[bhwx]|mul|[mz]|pow2|vl(?:x?\d+)?|all(?:[ \t,]+mul|$)`),
	goSyntax:  regexp.MustCompile(`\bV\w+\.[BHSD]\d+\b`),
	goOperand: regexp.MustCompile(`[$(]|\b(?:[RFV]\d+|ZR|RSP)\b`),
	notGo:     regexp.MustCompile(`(?i)(?:^|[^\w.])(?:[xwqdshbzp]\d+|v\d+\.\d+[bhsd]|[xw]zr)(?:$|\W)|#`),
	nop:       []byte{0x1f, 0x20, 0x03, 0xd5},
}

var archs = []*arch{amd64, arm64}

// archByName returns the architecture that Go calls name, or nil.
func archByName(name string) *arch {
	for _, a := range archs {
		if a.name == name {
			return a
		}
	}
	return nil
}

// run returns code as words of Go's assembler, the longest that fit first.
func (a *arch) run(code []byte) string {
	return formatRun(a.words, code)
}

func formatRun(words []word, code []byte) string {
	var items []string
	for _, w := range words {
		for ; len(code) >= w.size; code = code[w.size:] {
			var value [8]byte
			copy(value[:], code[:w.size])
			items = append(items, fmt.Sprintf("%s $0x%0*x", w.name, 2*w.size, binary.LittleEndian.Uint64(value[:])))
		}
	}
	return strings.Join(items, "; ")
}

// parseRun returns the bytes of a run. It returns false if Go's assembler would
// refuse the run: the architecture lacks a word, or a value is too big or not a
// number.
func (a *arch) parseRun(run string) ([]byte, bool) {
	var code []byte
	for item := range strings.SplitSeq(run, ";") {
		fields := strings.Fields(item)
		if len(fields) == 0 {
			continue
		}
		size := 0
		for _, w := range a.words {
			if w.name == fields[0] {
				size = w.size
			}
		}
		n, err := strconv.ParseUint(strings.TrimPrefix(strings.Join(fields[1:], ""), "$"), 0, 8*size)
		if size == 0 || err != nil {
			return nil, false
		}
		code = append(code, binary.LittleEndian.AppendUint64(nil, n)[:size]...)
	}
	return code, true
}
