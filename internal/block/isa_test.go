package block

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// A disassembly is one kernel as GNU objdump reads it from a linked program.
type disassembly struct {
	name  string
	insts []inst
}

type inst struct {
	address  string // hexadecimal, as branches refer to it
	mnemonic string
	operands string // without comments
	comment  string // the address that a relative operand means, and its symbol
}

const blockPath = "github.com/sha256-simd/sha256-simd/internal/block."

// comparesHasAVX reports whether i is the comparison of hasAVX with 0.
func (i inst) comparesHasAVX() bool {
	return i.mnemonic == "cmpb" && strings.HasPrefix(i.operands, "$0x0,") && strings.HasSuffix(i.comment, "<"+blockPath+"hasAVX>")
}

// An architecture is what GNU binutils need to know of a GOARCH.
type architecture struct {
	goarch, binutils string
	// march is the -march of the assembler that allows what every CPU has: its
	// generic64 ends with SSE2, its armv8-a has no cryptographic instructions.
	march string
}

var architectures = []architecture{
	{"amd64", "x86_64-linux-gnu-", "generic64"},
	{"arm64", "aarch64-linux-gnu-", "armv8-a"},
}

// implied are what the assembler takes extensions to bring with them.
var implied = map[cpu.Features]cpu.Features{
	cpu.AVX512BW: cpu.AVX512F | cpu.SSSE3,
	cpu.AVX512VL: cpu.AVX512F | cpu.SSSE3,
}

// TestInstructionSets has every kernel of amd64 and arm64 disassembled by GNU
// objdump and assembled again by GNU as, which refuses what lies outside of the
// extensions that the kernel needs by the catalog, and refuses the kernel without
// any one of them. It checks the conventions that no run can show as
// well. It needs binutils for both architectures.
func TestInstructionSets(t *testing.T) {
	for _, a := range architectures {
		t.Run(a.goarch, func(t *testing.T) {
			for _, tool := range []string{"go", a.binutils + "objdump", a.binutils + "as"} {
				if _, err := exec.LookPath(tool); err != nil {
					t.Skipf("this machine has no %s", tool)
				}
			}
			if testing.Short() {
				t.Skip("builds two programs")
			}
			binary := buildTest(t, a.goarch)
			catalog := Catalog()
			for i, k := range append(catalog, shortCode...) {
				if k.Arch != a.goarch {
					continue
				}
				t.Run(k.Name, func(t *testing.T) {
					source, err := os.ReadFile(k.Name + "_" + a.goarch + ".s")
					if err != nil {
						t.Fatal(err)
					}
					if n := bytes.Count(source, []byte("\nTEXT ")); n != 1 {
						t.Errorf("its file has %d functions", n)
					}
					d := disassemble(t, a, binary, k.Name)
					checkNeeds(t, a, d, k.Needs)
					checkRegisters(t, a.goarch, string(source))
					if a.goarch != "amd64" {
						return
					}
					if k.Needs.Has(cpu.SHA) || i < len(catalog) { // checkUpperHalves is for what compresses
						checkUpperHalves(t, d, k.Needs)
					}
					if i < len(catalog) { // checkEncodings does not know masks
						checkEncodings(t, d, string(source))
					}
				})
			}
		})
	}
}

// shortCode is the code of shortRoutines, which is in no catalog, and of Write, Append, Hold,
// Finish and FinishBehind.
var shortCode = []Spec{
	{Name: "padShort_avx512", Arch: "amd64", Needs: cpu.BMI2 | cpu.AVX512F | cpu.AVX512BW | cpu.AVX512VL},
	{Name: "putDigests_avx512", Arch: "amd64", Needs: cpu.BMI2 | cpu.AVX512BW | cpu.AVX512VL},
	{Name: "append_avx512", Arch: "amd64", Needs: cpu.BMI2 | cpu.AVX512F | cpu.AVX512BW | cpu.AVX512VL},
	{Name: "write_avx512shani", Arch: "amd64", Needs: cpu.SSSE3 | cpu.BMI2 | cpu.SHA | cpu.AVX512F | cpu.AVX512BW | cpu.AVX512VL},
	{Name: "finish_avx512shani", Arch: "amd64", Needs: cpu.SSSE3 | cpu.BMI2 | cpu.SHA | cpu.AVX512F | cpu.AVX512BW | cpu.AVX512VL},
	{Name: "padShort_ssse3", Arch: "amd64"},
	{Name: "putDigests_ssse3", Arch: "amd64", Needs: cpu.SSSE3},
	{Name: "padShort_neon", Arch: "arm64"},
	{Name: "putDigests_neon", Arch: "arm64"},
}

// TestNeedsOfShortRoutines tests that a routine needs what its code needs, and no more.
func TestNeedsOfShortRoutines(t *testing.T) {
	for _, r := range shortRoutines[1:] {
		var needs cpu.Features
		for _, k := range shortCode {
			if k.Arch == r.Arch && strings.HasSuffix(k.Name, strings.TrimPrefix(r.Name, "short")) {
				needs |= k.Needs
			}
		}
		if r.Needs != needs {
			t.Errorf("%s needs %v, its code %v", r.Name, r.Needs, needs)
		}
	}
}

// buildTest returns the path of this package's tests, built for goarch.
func buildTest(t *testing.T, goarch string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "block.test")
	run(t, []string{"GOOS=linux", "GOARCH=" + goarch, "CGO_ENABLED=0"}, "go", "test", "-c", "-o", binary, ".")
	return binary
}

func run(t *testing.T, env []string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, stderr.Bytes())
	}
	return out
}

func disassemble(t *testing.T, a architecture, binary, name string) disassembly {
	t.Helper()
	out := run(t, nil, a.binutils+"objdump", "-d", "--no-show-raw-insn", "--disassemble="+blockPath+name+".abi0", binary)
	d := disassembly{name: name}
	line := regexp.MustCompile(`^\s*([0-9a-f]+):\s+(.*)$`)
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		m := line.FindStringSubmatch(s.Text())
		if m == nil {
			continue
		}
		comment := "#" // x86: the address that a relative operand means
		if a.goarch == "arm64" {
			comment = "//" // likewise; # is for immediates
		}
		text, remark, _ := strings.Cut(m[2], comment)
		text, _, _ = strings.Cut(text, " <") // the symbol that a branch goes to
		mnemonic, operands, _ := strings.Cut(strings.Join(strings.Fields(text), " "), " ")
		d.insts = append(d.insts, inst{m[1], mnemonic, operands, strings.TrimSpace(remark)})
	}
	least := 30
	if strings.HasPrefix(name, "append_") {
		least = 20
	}
	if len(d.insts) < least {
		t.Fatalf("%s has only %d instructions", name, len(d.insts))
	}
	return d
}

// checkNeeds fails the test unless the assembler accepts d with the extensions in
// needs, and refuses it without any one of them.
func checkNeeds(t *testing.T, a architecture, d disassembly, needs cpu.Features) {
	t.Helper()
	if out, err := assemble(a, d, needs); err != nil {
		t.Fatalf("with %v: %v\n%s", needs, err, out)
	}
	for _, f := range needs.All() {
		isImplied := slices.ContainsFunc(needs.All(), func(other cpu.Features) bool { return implied[other].Has(f) })
		if _, err := assemble(a, d, needs&^f); err == nil && !isImplied {
			t.Errorf("it does not need %v", f)
		}
	}
}

// assemble has the assembler turn d into machine code again, of an architecture
// with some extensions.
func assemble(a architecture, d disassembly, extensions cpu.Features) (complaints []byte, err error) {
	var text bytes.Buffer
	for _, i := range d.insts {
		if i.mnemonic == "vzeroupper" && !hasAnyAVX(extensions) {
			i.mnemonic = "nop" // skipped on this CPU: checkUpperHalves
		}
		fmt.Fprintf(&text, "L%s: %s %s\n", i.address, i.mnemonic, i.label(d))
	}
	march := a.march
	for _, f := range extensions.All() {
		march += "+" + strings.ToLower(f.String())
	}
	cmd := exec.Command(a.binutils+"as", "-march="+march, "-o", os.DevNull, "-")
	cmd.Stdin = &text
	return cmd.CombinedOutput()
}

var addressOperand = regexp.MustCompile(`(^| )([0-9a-f]{4,})$`)

// label returns the operands of i with an address, where a branch goes, turned
// into the label of the instruction there, or of somewhere outside of d.
func (i inst) label(d disassembly) string {
	target := addressOperand.FindStringSubmatch(i.operands)
	if target == nil {
		return i.operands
	}
	label := "outside"
	if slices.ContainsFunc(d.insts, func(j inst) bool { return j.address == target[2] }) {
		label = "L" + target[2]
	}
	return strings.TrimSuffix(i.operands, target[2]) + label
}

// reserved are the registers that Go's assembly must leave alone: the frame
// pointer, and what dynamic linking or the platform uses.
var reserved = map[string]*regexp.Regexp{
	"amd64": regexp.MustCompile(`\b(BP|R15[BLW]?)\b`),
	"arm64": regexp.MustCompile(`\b(R18(_PLATFORM)?|R28|g|R29)\b`),
}

func checkRegisters(t *testing.T, goarch, source string) {
	t.Helper()
	for n, line := range strings.Split(source, "\n") {
		code, _, _ := strings.Cut(line, "//")
		if register := reserved[goarch].FindString(code); register != "" {
			t.Errorf("line %d uses %s: %s", n+1, register, strings.TrimSpace(code))
		}
	}
}

// hasAnyAVX reports whether a CPU with these extensions has AVX.
func hasAnyAVX(f cpu.Features) bool { return f&(cpu.AVX|cpu.AVX2|cpu.AVX512F) != 0 }

// An upperHalves is what is known of the upper halves of vector registers at some
// instruction.
type upperHalves struct {
	callers bool // the caller may have left them in use
	dirty   bool // the kernel has written any
	low     bool // the kernel has written those of registers 0 to 15
	avx     bool // the CPU has AVX
}

// checkUpperHalves follows every path through d, a kernel that needs certain
// extensions, and fails the test if one
//   - returns with upper halves of vector registers in use, which would make SSE
//     instructions of the caller slow;
//   - comes to SHA instructions with any in use, by the caller or by the kernel
//     itself, except for registers from 16 on: SHA instructions would be slow;
//   - comes to VZEROUPPER on a CPU without AVX, which does not have it.
func checkUpperHalves(t *testing.T, d disassembly, needs cpu.Features) {
	t.Helper()
	type place struct {
		at int
		upperHalves
	}
	vector, wide, wideLow := regexp.MustCompile(`%[xyz]mm`), regexp.MustCompile(`%[yz]mm`), regexp.MustCompile(`%[yz]mm(\d|1[0-5])\b`)
	index := map[string]int{}
	hasSHA := false
	for n, i := range d.insts {
		index[i.address] = n
		hasSHA = hasSHA || strings.HasPrefix(i.mnemonic, "sha256")
	}
	seen := map[place]bool{}
	returns := 0
	start := upperHalves{callers: true, avx: hasAnyAVX(needs)}
	for todo := []place{{0, start}}; len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[p] {
			continue
		}
		seen[p] = true
		i := d.insts[p.at]
		next := place{p.at + 1, p.upperHalves}
		next.dirty = p.dirty || wide.MatchString(i.operands)
		next.low = p.low || wideLow.MatchString(i.operands)
		if hasSHA && p.callers && vector.MatchString(i.operands) {
			t.Errorf("%s uses vector registers before VZEROUPPER", i.address)
		}
		if strings.HasPrefix(i.mnemonic, "sha256") && p.low {
			t.Errorf("%s follows instructions that use upper halves, without VZEROUPPER", i.address)
		}
		target, branches := index[i.operands]
		switch {
		case i.mnemonic == "ret":
			returns++
			if p.dirty {
				t.Errorf("%s returns without VZEROUPPER", i.address)
			}
			continue
		case i.mnemonic == "vzeroupper":
			if !p.avx {
				t.Errorf("%s is VZEROUPPER, on CPUs without AVX too", i.address)
			}
			next.callers, next.dirty, next.low = false, false, false
		case strings.HasPrefix(i.mnemonic, "j"):
			if !branches {
				t.Fatalf("%s: %s %s leaves the function", i.address, i.mnemonic, i.operands)
			}
			taken := place{target, p.upperHalves}
			if i.mnemonic == "je" && p.at > 0 && d.insts[p.at-1].comparesHasAVX() {
				taken.callers = false // there are none
				next.avx = true
			}
			todo = append(todo, taken)
			if i.mnemonic == "jmp" {
				continue
			}
		}
		todo = append(todo, next)
	}
	if returns == 0 {
		t.Error("no path returns")
	}
}
