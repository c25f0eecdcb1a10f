package main

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
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

	// prefixes name the cross assemblers: prefix + "as".
	prefixes []string
	packages string
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
		// LLVM has no name for every extension that all its releases know:
		// clang fails on one it does not know, so these are LLVM 14's;
		// llvm-mc only warns, and newer ones know "all".
		march: "armv9.3-a+crypto+sha3+sm4+sve2-aes+sve2-bitperm+sve2-sha3+sve2-sm4+sme+memtag+mops+" +
			"bf16+i8mm+f32mm+f64mm+fp16+fp16fml+rng+ls64+tme",
		mattr: "+all,+v9.3a,+aes,+sha2,+sha3,+sm4,+sve2-aes,+sve2-bitperm,+sve2-sha3,+sve2-sm4,+sme,+mte,+mops," +
			"+bf16,+i8mm,+f32mm,+f64mm,+fullfp16,+fp16fml,+rand,+ls64,+tme",
	},
	prefixes: []string{"aarch64-linux-gnu-", "aarch64-unknown-linux-gnu-", "aarch64-elf-", "aarch64-none-elf-"},
	packages: "GNU as comes with the package binutils (elsewhere than on arm64: binutils-aarch64-linux-gnu on Debian, Ubuntu and Fedora, " +
		"aarch64-elf-binutils in Homebrew); clang and llvm-mc with clang and llvm",
}

// archByName returns the architecture that Go calls name, or nil.
func archByName(name string) *arch {
	for _, a := range []*arch{amd64, arm64} {
		if a.name == name {
			return a
		}
	}
	return nil
}

// archOfFile returns the architecture that the file's name ends in, as the go
// tool reads names (x4_neon_arm64.s), or nil.
func archOfFile(path string) *arch {
	base := filepath.Base(path)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	if i := strings.LastIndexByte(base, '_'); i >= 0 {
		return archByName(base[i+1:])
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

// parseRun returns the bytes of a run, and false for one that Go's assembler
// would not take: a word that the architecture lacks, a value that is too big.
func (a *arch) parseRun(run string) ([]byte, bool) {
	var code []byte
	for item := range strings.SplitSeq(run, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(item), " ")
		if name == "" {
			continue
		}
		size := 0
		for _, w := range a.words {
			if w.name == name {
				size = w.size
			}
		}
		digits := strings.TrimPrefix(strings.TrimSpace(value), "$")
		n, err := strconv.ParseUint(digits, 0, 8*size)
		if size == 0 || err != nil {
			return nil, false
		}
		code = append(code, binary.LittleEndian.AppendUint64(nil, n)[:size]...)
	}
	return code, true
}
