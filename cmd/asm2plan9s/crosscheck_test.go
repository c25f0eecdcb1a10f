package main

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The library's kernels are assembled by Go. This test gives the instructions
// of their sources to asm2plan9s, vector instructions translated to the vendor's
// syntax and the others as objdump reads Go's bytes, and compares what it writes
// with Go's bytes: Go's assembler and the GNU one check each other.

// kernelPackage holds the kernels; moduleRoot is the library's root from here.
const (
	kernelPackage = "internal/block"
	moduleRoot    = "../.."
)

func TestGoAndGNUAssembleTheKernelsAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("assembles every kernel twice")
	}
	for _, a := range []*arch{amd64, arm64} {
		t.Run(a.name, func(t *testing.T) {
			names := kernelNames(t, a)
			if len(names) == 0 {
				t.Skipf("%s has no kernels for %s", kernelPackage, a.name)
			}
			dis := newDisassembler(t, a)
			var all []crossCheck
			for _, k := range compiledKernels(t, a, names) {
				all = append(all, k.crossChecks(disassemble(t, dis, k.code))...)
			}
			compare(t, dis, all)
		})
	}
}

// A crossCheck is one instruction, assembled by Go, and what asm2plan9s gets.
type crossCheck struct {
	disassembled        // from Go's bytes
	kernel       string // and the offset in it
	text         string // for asm2plan9s
	isSource     bool   // text comes from the source, not from Go's bytes
}

// compare assembles the instructions with asm2plan9s and compares the bytes.
func compare(t *testing.T, dis *disassembler, all []crossCheck) {
	t.Helper()
	// Left out, and counted, is what has no meaning apart from its place.
	var compared []crossCheck
	skipped := make(map[string]int)
	fromSource := 0
	var source strings.Builder
	for _, c := range all {
		if reason := c.placeBound(); reason != "" {
			skipped[reason]++
			continue
		}
		if c.isSource {
			fromSource++
		}
		compared = append(compared, c)
		fmt.Fprintf(&source, "%s\n", at(lastColumn, c.text))
	}
	status, result, messages := runCommand(source.String(), "-arch", dis.as.arch.name, "-as", dis.as.path)
	if status != exitOK {
		t.Fatalf("asm2plan9s: status %d\n%.5000s", status, messages)
	}
	s := parse("kernels", []byte(result), dis.as.arch)
	if len(s.insts) != len(compared) || len(compared) == 0 {
		t.Fatalf("compared %d instructions of %d", len(s.insts), len(compared))
	}

	if fromSource == 0 {
		t.Error("no instruction has been traced to its source line")
	}

	// An instruction may have several encodings. If the bytes differ, what they
	// mean must not.
	var got bytes.Buffer
	var differing []crossCheck
	for i, in := range s.insts {
		code, ok := dis.as.arch.parseRun(in.run)
		if !ok {
			t.Fatalf("%q: cannot read the run %q", in.text, in.run)
		}
		if !bytes.Equal(code, compared[i].code) {
			got.Write(code)
			differing = append(differing, compared[i])
		}
	}
	recoded := make(map[string]int)
	if len(differing) > 0 {
		again := disassemble(t, dis, got.Bytes())
		if len(again) != len(differing) {
			t.Fatalf("%d instructions became %d", len(differing), len(again))
		}
		for i, in := range again {
			c := differing[i]
			if in.asm != c.asm {
				t.Errorf("%s: %q assembles to % x, which is %q; Go has % x, which is %q", c.kernel, c.text, in.code, in.asm, c.code, c.asm)
				continue
			}
			mnemonic, _, _ := strings.Cut(in.asm, " ")
			recoded[mnemonic]++
		}
	}
	t.Logf("%d instructions, %d as the source has them: %d with Go's bytes, %d in another encoding of the same instruction %v, %d skipped %v",
		len(all), fromSource, len(compared)-len(differing), len(differing), recoded, len(all)-len(compared), skipped)
}

var textSymbol = regexp.MustCompile(`(?m)^TEXT\s+·(\w+)(<ABIInternal>)?\(SB\)`)

// kernelNames returns the linker's names, without the package, of the functions
// that the kernels' source files define.
func kernelNames(t *testing.T, a *arch) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(moduleRoot, kernelPackage, "*_"+a.name+".s"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range textSymbol.FindAllSubmatch(text, -1) {
			name := string(m[1])
			if len(m[2]) == 0 {
				name += ".abi0"
			}
			names = append(names, name)
		}
	}
	return names
}

// A compiledKernel is a kernel's machine code and the source lines it is from.
type compiledKernel struct {
	arch  *arch
	name  string
	addr  uint64
	code  []byte
	lines *lineTable
}

// compiledKernels builds the kernels.
func compiledKernels(t *testing.T, a *arch, names []string) []compiledKernel {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "block.test")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", binary, "./"+kernelPackage)
	cmd.Dir = moduleRoot
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+a.name, "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the kernels: %v\n%s", err, out)
	}
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	lines := readLines(t, f)
	var kernels []compiledKernel
	for _, name := range names {
		i := slices.IndexFunc(symbols, func(s elf.Symbol) bool {
			return strings.HasSuffix(s.Name, "/"+kernelPackage+"."+name)
		})
		if i < 0 {
			t.Errorf("the linker dropped %s: nothing uses it", name)
			continue
		}
		sym := symbols[i]
		section := f.Sections[sym.Section]
		code := make([]byte, sym.Size)
		if _, err := section.ReadAt(code, int64(sym.Value-section.Addr)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		kernels = append(kernels, compiledKernel{arch: a, name: name, addr: sym.Value, code: code, lines: lines})
	}
	return kernels
}

// crossChecks pairs the kernel's instructions, as disassembled, with their
// source.
func (k *compiledKernel) crossChecks(list []disassembled) []crossCheck {
	sources := make([]string, len(list))
	uses := make(map[string]int) // of a line; the code for entry and return, and macros, share one
	offset := 0
	for i, in := range list {
		sources[i] = k.lines.at(k.addr + uint64(offset))
		uses[sources[i]]++
		offset += len(in.code)
	}
	checks := make([]crossCheck, len(list))
	offset = 0
	for i, in := range list {
		c := crossCheck{disassembled: in, kernel: fmt.Sprintf("%s+%#x", k.name, offset), text: in.asm}
		if _, text, _ := strings.Cut(sources[i], ": "); uses[sources[i]] == 1 {
			if text, ok := vendorSyntax[k.arch](text, in.asm); ok {
				c.text, c.isSource = text, true
			}
		}
		checks[i] = c
		offset += len(in.code)
	}
	return checks
}

// A lineTable tells which source line the code at an address is from.
type lineTable struct {
	entries []dwarf.LineEntry // by address
	files   map[string][]string
}

// readLines reads the line table of the kernels' package.
func readLines(t *testing.T, f *elf.File) *lineTable {
	t.Helper()
	data, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	table := &lineTable{files: make(map[string][]string)}
	for r := data.Reader(); ; {
		unit, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if unit == nil {
			break
		}
		r.SkipChildren()
		if name, _ := unit.Val(dwarf.AttrName).(string); !strings.HasSuffix(name, "/"+kernelPackage) {
			continue
		}
		lines, err := data.LineReader(unit)
		if err != nil {
			t.Fatal(err)
		}
		var entry dwarf.LineEntry
		for lines.Next(&entry) == nil {
			table.entries = append(table.entries, entry)
			file := filepath.Base(entry.File.Name)
			if _, ok := table.files[file]; !ok && strings.HasSuffix(file, ".s") {
				text, err := os.ReadFile(filepath.Join(moduleRoot, kernelPackage, file))
				if err != nil {
					t.Fatal(err)
				}
				table.files[file] = strings.Split(string(text), "\n")
			}
		}
	}
	slices.SortStableFunc(table.entries, func(a, b dwarf.LineEntry) int { return cmp.Compare(a.Address, b.Address) })
	return table
}

// at returns the source line of the code at address as "file:line: text".
func (table *lineTable) at(address uint64) string {
	// The last entry at or before the address holds, also of several there.
	i, _ := slices.BinarySearchFunc(table.entries, address+1, func(e dwarf.LineEntry, want uint64) int {
		return cmp.Compare(e.Address, want)
	})
	if i == 0 {
		return ""
	}
	entry := table.entries[i-1]
	file := filepath.Base(entry.File.Name)
	lines := table.files[file]
	if entry.Line < 1 || entry.Line > len(lines) {
		return ""
	}
	return fmt.Sprintf("%s:%d: %s", file, entry.Line, strings.TrimSpace(lines[entry.Line-1]))
}

// vendorSyntax translates a vector instruction of Go's assembler. Its second
// argument is that instruction as disassembled; from it comes the address of a
// symbol. It returns false for any other instruction and for forms that the
// kernels do not use.
var vendorSyntax = map[*arch]func(text, asm string) (string, bool){amd64: goToIntel, arm64: goToARM}

// splitGo returns the lower-case name and the operands of an instruction, the
// destination first, as the vendors have it.
func splitGo(text string) (name string, operands []string) {
	text, _, _ = strings.Cut(text, "//")
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return "", nil
	}
	operands = strings.Split(strings.Join(fields[1:], ""), ",")
	slices.Reverse(operands)
	return strings.ToLower(fields[0]), operands
}

// goNames are Go's names of SSE instructions that Intel calls otherwise.
var goNames = map[string]string{
	"movou": "movdqu", "movoa": "movdqa", "movo": "movdqa",
	"paddl": "paddd", "psubl": "psubd", "pslll": "pslld", "psrll": "psrld", "psral": "psrad", "pcmpgtl": "pcmpgtd",
	"psllo": "pslldq", "psrlo": "psrldq", "pshufl": "pshufd",
	"punpckllq": "punpckldq", "punpckhlq": "punpckhdq",
}

var (
	vectorOperand = regexp.MustCompile(`^[XYZ]\d+$`)
	goImmediate   = regexp.MustCompile(`^\$([-+]?\w+)$`)
	goAddress     = regexp.MustCompile(`^(-?\w+)?\(([A-Z]+\d*)\)(?:\(([A-Z]+\d*)\*([1248])\))?$`)
	goSymbol      = regexp.MustCompile(`\(SB\)$`)
	ripAddress    = regexp.MustCompile(`\[rip[-+]0x[0-9a-f]+\]`)
)

func goToIntel(text, asm string) (string, bool) {
	name, goOperands := splitGo(text)
	name, suffix, _ := strings.Cut(name, ".")
	if suffix != "" && suffix != "bcst" {
		return "", false
	}
	if intel, ok := goNames[name]; ok {
		name = intel
	}
	var operands []string
	isVector := false
	for _, operand := range goOperands {
		switch {
		case vectorOperand.MatchString(operand):
			isVector = true
			operand = map[byte]string{'X': "xmm", 'Y': "ymm", 'Z': "zmm"}[operand[0]] + operand[1:]
		case goImmediate.MatchString(operand):
			operand = goImmediate.FindStringSubmatch(operand)[1]
		case goSymbol.MatchString(operand):
			operand = ripAddress.FindString(asm)
		case goAddress.MatchString(operand):
			m := goAddress.FindStringSubmatch(operand)
			operand = "[" + register64(m[2])
			if m[3] != "" {
				operand += "+" + register64(m[3]) + "*" + m[4]
			}
			if m[1] != "" {
				operand += "+" + m[1]
			}
			operand += "]"
			if suffix == "bcst" {
				element := map[bool]string{true: "qword", false: "dword"}[strings.HasSuffix(name, "q")]
				operand = element + " bcst " + operand
			}
		default:
			return "", false
		}
		operands = append(operands, operand)
	}
	if !isVector {
		return "", false
	}
	return name + " " + strings.Join(operands, ", "), true
}

var (
	armVector   = regexp.MustCompile(`^V(\d+)\.([BHSD])(\d+)$`)
	armQuadword = regexp.MustCompile(`^V(\d+)$`)
)

func goToARM(text, _ string) (string, bool) {
	name, goOperands := splitGo(text)
	var operands []string
	isVector := false
	scalar := "q" // what a register without an arrangement is
	if name == "vaddv" {
		m := armVector.FindStringSubmatch(goOperands[1])
		scalar = strings.ToLower(m[2]) // the sum of a vector's elements is as wide as they
	}
	for _, operand := range goOperands {
		if m := armVector.FindStringSubmatch(operand); m != nil {
			isVector = true
			operand = "v" + m[1] + "." + m[3] + strings.ToLower(m[2])
		} else if m := armQuadword.FindStringSubmatch(operand); m != nil {
			operand = scalar + m[1]
		} else if m := goImmediate.FindStringSubmatch(operand); m != nil {
			operand = "#" + m[1]
		} else {
			return "", false
		}
		operands = append(operands, operand)
	}
	if !isVector {
		return "", false
	}
	return strings.TrimPrefix(name, "v") + " " + strings.Join(operands, ", "), true
}

// register64 returns Intel's name of a 64-bit register.
func register64(name string) string {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "r") {
		return name
	}
	return "r" + name
}

// newDisassembler returns GNU's.
func newDisassembler(t *testing.T, a *arch) *disassembler {
	t.Helper()
	d, err := findDisassembler(t.Context(), requireGNU(t, a))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// disassemble disassembles code, which ends with the end of an instruction.
func disassemble(t *testing.T, d *disassembler, code []byte) []disassembled {
	t.Helper()
	list, err := d.instructions(t.Context(), code, syntaxIntel)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// placeBound tells why an instruction cannot be assembled apart from its
// place, or returns "".
func (in disassembled) placeBound() string {
	switch mnemonic, _, _ := strings.Cut(in.asm, " "); mnemonic {
	case "adrp":
		return "adrp: page of an address"
	case ".inst", "udf":
		return "constants between the instructions"
	}
	return ""
}
