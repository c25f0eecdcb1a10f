package main

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A disassembler is an objdump, GNU's or LLVM's, and the assembler that puts
// bytes into an object for it.
type disassembler struct {
	as   *assembler
	path string
	args []string
}

// A disassembled instruction has its own address written as a dot.
type disassembled struct {
	code []byte
	asm  string
}

// findDisassembler returns the first objdump for the assembler's architecture,
// its own before the others on PATH.
func findDisassembler(ctx context.Context, as *assembler) (*disassembler, error) {
	names := []string{strings.TrimSuffix(as.path, "as") + "objdump"}
	if i := strings.LastIndexByte(as.name, '-'); i >= 0 {
		names = append(names, "llvm-objdump"+as.name[i:]) // clang-19's
	}
	names = append(names, "objdump")
	for _, prefix := range as.arch.prefixes {
		names = append(names, prefix+"objdump")
	}
	names = append(append(names, "llvm-objdump"), versioned("llvm-objdump")...)
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		version, err := command(ctx, path, "--version").Output()
		if err != nil {
			continue
		}
		d := &disassembler{as: as, path: path, args: []string{"-d", "-z"}}
		if strings.Contains(string(version), "LLVM") {
			if as.arch.llvm.mattr != "" {
				d.args = append(d.args, "--mattr="+as.arch.llvm.mattr)
			}
		} else {
			d.args = append(d.args, "-w")
		}
		if _, err := d.instructions(ctx, as.arch.nop, syntaxIntel); err == nil {
			return d, nil
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("no objdump for %s on PATH", as.arch.name)
}

var (
	// objdumpLine matches an address, bytes (on arm64, one word), and the
	// instruction.
	objdumpLine = regexp.MustCompile(`^ *([0-9a-f]+):[ \t]+((?:[0-9a-f]{2} )+|[0-9a-f]{8} ) *\t(.*)$`)

	// objdumpNote matches what objdump adds to an instruction.
	objdumpNote = regexp.MustCompile(`\s+(?:(?:#|//|;) |<).*$`)

	// absoluteTarget matches the address that a branch or a load by address
	// ends in; immediate operands of arm64 have a # there, and amd64's have
	// another operand before them, or no address.
	absoluteTarget = map[*arch]*regexp.Regexp{
		amd64: regexp.MustCompile(`^((?:j\w+|call|loop\w*|xbegin)\s+)(?:0x)?([0-9a-f]+)$`),
		arm64: regexp.MustCompile(`^((?:b|bl|b\.\w+|bc\.\w+|cbn?z|tbn?z|adrp?|ldr|ldrsw|prfm)\s+(?:.*, ?)?)(?:0x)?([0-9a-f]+)$`),
	}
)

// instructions disassembles code.
func (d *disassembler) instructions(ctx context.Context, code []byte, syntax string) ([]disassembled, error) {
	dir, err := os.MkdirTemp("", "asm2plan9s")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := d.as.makeObject(ctx, dir, d.as.data(code)); err != nil {
		return nil, fmt.Errorf("putting code into an object: %w", err)
	}
	args := slices.Clone(d.args)
	if d.as.arch == amd64 && syntax == syntaxIntel {
		args = append(args, "-M", "intel")
	}
	out, err := command(ctx, d.path, append(args, filepath.Join(dir, objectName))...).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.path, err)
	}
	var list []disassembled
	total := 0
	for line := range strings.Lines(string(out)) {
		m := objdumpLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		address, err := strconv.ParseInt(m[1], 16, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", d.path, line, err)
		}
		raw, err := hex.DecodeString(strings.ReplaceAll(m[2], " ", ""))
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", d.path, line, err)
		}
		if int(address) != total || total+len(raw) > len(code) {
			return nil, fmt.Errorf("%s gave address %#x after %#x", d.path, address, total)
		}
		in := disassembled{
			code: code[total:][:len(raw)],
			asm:  strings.Join(strings.Fields(objdumpNote.ReplaceAllString(m[3], "")), " "),
		}
		if target := absoluteTarget[d.as.arch].FindStringSubmatch(in.asm); target != nil {
			to, err := strconv.ParseUint(target[2], 16, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %q: %w", d.path, line, err)
			}
			in.asm = fmt.Sprintf("%s.%+d", target[1], int64(to)-address)
		}
		total += len(raw)
		list = append(list, in)
	}
	if total != len(code) {
		return nil, fmt.Errorf("%s read %d bytes of %d", d.path, total, len(code))
	}
	return list, nil
}

// data returns a program that is nothing but code.
func (as *assembler) data(code []byte) string {
	var b strings.Builder
	if as.isNASM {
		b.WriteString("section .text\n")
	}
	for word := range slices.Chunk(code, 4) {
		switch {
		case as.arch == arm64:
			// Other directives make data of it, which objdump shows as such.
			fmt.Fprintf(&b, ".inst %#x\n", binary.LittleEndian.Uint32(word))
		case as.isNASM:
			fmt.Fprintf(&b, "db %s\n", byteList(word))
		default:
			fmt.Fprintf(&b, ".byte %s\n", byteList(word))
		}
	}
	return b.String()
}

func byteList(code []byte) string {
	items := make([]string, len(code))
	for i, c := range code {
		items[i] = strconv.Itoa(int(c))
	}
	return strings.Join(items, ",")
}

// A meaning is what bytes disassemble to; empty unless they are whole
// instructions that objdump knows.
type meaning string

// meanings disassembles each piece of code by itself.
func (d *disassembler) meanings(ctx context.Context, pieces [][]byte, syntax string) ([]meaning, error) {
	arch := d.as.arch
	var code []byte
	starts := make([]int, len(pieces))
	for i, piece := range pieces {
		starts[i] = len(code)
		code = append(code, piece...)
		// If the piece holds only the beginning of an instruction, nops
		// complete it.
		for n := 0; n < arch.longest; n += len(arch.nop) {
			code = append(code, arch.nop...)
		}
	}
	list, err := d.instructions(ctx, code, syntax)
	if err != nil {
		return nil, err
	}
	all := make([]meaning, len(pieces))
	for i, piece := range pieces {
		var asm []string
		offset := starts[i]
		isWhole := true
		for end := offset + len(piece); offset < end; list = list[1:] {
			asm = append(asm, list[0].asm)
			offset += len(list[0].code)
			isWhole = isWhole && offset <= end && !unknownCode.MatchString(list[0].asm)
		}
		if isWhole {
			all[i] = meaning(strings.Join(asm, "; "))
		}
		next := len(code)
		if i+1 < len(pieces) {
			next = starts[i+1]
		}
		for ; offset < next; list = list[1:] {
			offset += len(list[0].code)
		}
	}
	return all, nil
}

// unknownCode matches what objdump shows for bytes that are not an instruction.
var unknownCode = regexp.MustCompile(`\(bad\)|<unknown>|^\.(?:byte|word|inst|short|long)|\bundefined\b|^udf\b`)
