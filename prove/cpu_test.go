package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	blocks "github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

// samplesOf returns instructions of an architecture's kernels: some of each form and
// immediate, from kernels of which ok says that their instructions can run. fits says which
// instructions can be compared. The test fails for a form that has none, unless the form is
// in `without`, which has lists of forms by the reason.
func samplesOf(t *testing.T, arch string, ok func(blocks.Spec) bool, fits func(*instruction) bool, without map[string]string) (ins []*instruction) {
	t.Helper()
	left := maps.Clone(map[string]map[string]bool{"amd64": formsAMD64, "arm64": formsARM64}[arch])
	why := map[string]string{}
	for reason, forms := range without {
		for form := range listed(forms) {
			why[form] = reason
		}
	}
	seen := map[string]int{}
	for _, k := range provable() {
		if k.Arch != arch {
			continue
		}
		runs := ok(k)
		if !runs {
			t.Logf("SKIPPED: instructions of %s, which this CPU cannot run", k.Name)
		}
		for _, in := range codeOf(t, k.Name).ins {
			if !fits(in) {
				continue
			}
			delete(left, in.form)
			if why[in.form] != "" {
				t.Errorf("%s: it is left out: %s: but this can be compared: %s", in.form, why[in.form], in.text)
			}
			key := in.form
			for _, o := range in.args {
				if o.kind == 'i' && o.imm >= 0 && o.imm < 256 {
					key += fmt.Sprint(" ", o.imm)
				}
			}
			if !runs {
				continue
			}
			if seen[key]++; seen[key] <= 2 {
				ins = append(ins, in)
			}
		}
	}
	for form := range left {
		if why[form] == "" {
			t.Errorf("%s: no kernel has one that can be compared", form)
		}
		delete(why, form)
	}
	for form, reason := range why {
		t.Errorf("%s: no form that is left out: %s", form, reason)
	}
	return ins
}

// concrete is a machine of numbers.
func concrete(arm bool) *machine {
	m := &machine{arm: arm, mem: map[string]*region{}}
	r := m.region("memory", linear{}, number(256), true, true)
	r.align, r.bytes = 64, true
	return m
}

// stepConcrete executes an instruction, or says why it is refused.
func stepConcrete(m *machine, in *instruction) (why string) {
	r, _ := refused(func() {
		if m.arm {
			m.stepARM64(in)
		} else {
			m.stepAMD64(in)
		}
	})
	return r.why
}

// Layout of what the programs below read and write.
const (
	cpuMasks   = 32 * 64
	cpuGeneral = cpuMasks + 8*8
	cpuFlags   = cpuGeneral + 16*8
	cpuMemory  = cpuFlags + 64 - cpuFlags%64
	cpuSize    = cpuMemory + 256
)

var generalNames = strings.Fields("rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15")

// withoutAMD64 are the forms that are not compared with the CPU, by the reason.
var withoutAMD64 = map[string]string{
	"it goes elsewhere":                    "jmp, jb, jbe, je, jne, jl, jle, jge label \n ret",
	"it changes nothing":                   "prefetcht0 m8",
	"it uses the stack":                    "push, pop r64",
	"the model knows it of one byte alone": "cmp m8,i",
}

// isComparableAMD64 reports whether the program below can run an instruction anywhere.
func isComparableAMD64(in *instruction) bool {
	if in.jumps() || in.calls() || slices.Contains([]string{"ret", "push", "pop"}, in.op) || strings.HasPrefix(in.op, "prefetch") {
		return false
	}
	return !slices.ContainsFunc(in.args, func(o operand) bool {
		return o.kind == 'r' && o.reg == sp || o.base == current ||
			o.kind == 'm' && (o.size == 1 && in.op == "cmp" || in.op == "lea" && (o.base == sp || o.base == absolute))
	})
}

// The model of amd64's instructions is this CPU's, of those that it has.
func TestInstructionsOfThisCPU(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("not an amd64 machine with Linux")
	}
	tools(t, "gcc")
	wide := cpu.Usable().Has(cpu.AVX512F | cpu.AVX512BW | cpu.AVX512VL)
	if !cpu.Usable().Has(cpu.AVX2) {
		t.Skip("this CPU has no AVX2")
	}
	type sample struct {
		in   instruction
		text string
		base int // the register with the address of memory, or -1
	}
	var samples []sample
	for _, in := range samplesOf(t, "amd64", func(k blocks.Spec) bool { return cpu.Usable().Has(k.Needs) }, isComparableAMD64, withoutAMD64) {
		s := sample{in: *in, base: -1}
		s.in.args = slices.Clone(in.args)
		s.text, _, _ = strings.Cut(in.text, "#")
		s.text = strings.TrimSpace(s.text)
		for i, o := range s.in.args {
			if o.kind != 'm' || in.op == "lea" {
				continue
			}
			s.base = 15
			for slices.ContainsFunc(in.args, func(q operand) bool { return q.kind == 'r' && q.reg == s.base }) {
				s.base--
			}
			l, r := strings.IndexByte(s.text, '['), strings.IndexByte(s.text, ']')
			s.text = s.text[:l] + "[" + generalNames[s.base] + "+64" + s.text[r:]
			s.in.args[i].base, s.in.args[i].index, s.in.args[i].disp = s.base, none, 64
		}
		samples = append(samples, s)
	}
	registers, move := 16, "vmovdqu ymm%d, [rdi+%d]\n"
	store := "vmovdqu [rdi+%d], ymm%d\n"
	if wide {
		registers, move, store = 32, "vmovdqu32 zmm%d, [rdi+%d]\n", "vmovdqu32 [rdi+%d], zmm%d\n"
	}
	var s bytes.Buffer
	s.WriteString(".intel_syntax noprefix\n.text\n")
	for i, x := range samples {
		fmt.Fprintf(&s, "t%d:\npush rbx\npush rbp\npush r12\npush r13\npush r14\npush r15\nmov [rip+state], rdi\nmov [rip+stack], rsp\n", i)
		for j := range registers {
			fmt.Fprintf(&s, move, j, 64*j)
		}
		for j := 1; wide && j < 8; j++ {
			fmt.Fprintf(&s, "kmovq k%d, [rdi+%d]\n", j, cpuMasks+8*j)
		}
		fmt.Fprintf(&s, "push [rdi+%d]\npopfq\n", cpuFlags)
		for j, n := range generalNames {
			if n != "rsp" && n != "rdi" {
				fmt.Fprintf(&s, "mov %s, [rdi+%d]\n", n, cpuGeneral+8*j)
			}
		}
		fmt.Fprintf(&s, "mov rdi, [rdi+%d]\n%s\nmov [rip+save], rdi\nmov rdi, [rip+state]\n", cpuGeneral+8*7, x.text)
		for j, n := range generalNames {
			if n != "rsp" && n != "rdi" {
				fmt.Fprintf(&s, "mov [rdi+%d], %s\n", cpuGeneral+8*j, n)
			}
		}
		fmt.Fprintf(&s, "mov rsp, [rip+stack]\npushfq\npop [rdi+%d]\nmov rax, [rip+save]\nmov [rdi+%d], rax\n", cpuFlags, cpuGeneral+8*7)
		for j := range registers {
			fmt.Fprintf(&s, store, 64*j, j)
		}
		for j := 1; wide && j < 8; j++ {
			fmt.Fprintf(&s, "kmovq [rdi+%d], k%d\n", cpuMasks+8*j, j)
		}
		s.WriteString("vzeroupper\npop r15\npop r14\npop r13\npop r12\npop rbp\npop rbx\nret\n")
	}
	s.WriteString(".data\nstate: .quad 0\nstack: .quad 0\nsave: .quad 0\n.globl table\ntable:\n")
	for i := range samples {
		fmt.Fprintf(&s, ".quad t%d\n", i)
	}
	s.WriteString(".section .note.GNU-stack,\"\",@progbits\n")
	driver := fmt.Sprintf(`#include <stdio.h>
#include <stdint.h>
extern void (*table[])(void*);
int main(){ static char b[%d] __attribute__((aligned(64))); uint32_t i, base;
while(fread(&i,4,1,stdin)==1){ if(fread(&base,4,1,stdin)!=1||fread(b,1,sizeof b,stdin)!=sizeof b) return 1;
uint64_t*r=(uint64_t*)(b+%d)+base; if(base<16) *r=(uint64_t)(b+%d);
table[i](b); if(base<16) *r-=(uint64_t)(b+%d);
fwrite(b,1,sizeof b,stdout);} return 0; }
`, cpuSize, cpuGeneral, cpuMemory, cpuMemory)
	dir := t.TempDir()
	for name, text := range map[string]string{"t.S": s.String(), "d.c": driver} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "d")
	if out, err := exec.Command("gcc", "-O1", "-no-pie", "-o", program, filepath.Join(dir, "d.c"), filepath.Join(dir, "t.S")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %.2000s", err, out)
	}
	const trials = 10
	rng := rand.New(rand.NewSource(1))
	var input bytes.Buffer
	for i, x := range samples {
		for range trials {
			b := make([]byte, cpuSize)
			rng.Read(b)
			binary.LittleEndian.PutUint64(b[cpuFlags:], 0x202|rng.Uint64()&0x8c1) // overflow, sign, zero, carry
			base := uint32(99)
			if x.base >= 0 {
				base = uint32(x.base)
			}
			for _, v := range []any{uint32(i), base, b} {
				if err := binary.Write(&input, binary.LittleEndian, v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	in := slices.Clone(input.Bytes())
	cmd := exec.Command(program)
	cmd.Stdin = &input
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(samples) * trials {
		x := samples[n/trials]
		if why := differsFromCPU(&x.in, x.base, registers, in[n*(cpuSize+8)+8:][:cpuSize], out[n*cpuSize:][:cpuSize]); why != "" {
			t.Errorf("%s: %s", x.text, why)
		}
	}
	t.Logf("%d instructions, %d runs", len(samples), len(samples)*trials)
	if !wide {
		t.Log("SKIPPED: AVX-512, which this CPU has not")
	}
}

// differsFromCPU says what of an instruction's effects is not the CPU's.
func differsFromCPU(in *instruction, base, registers int, before, after []byte) (why string) {
	forget()
	m := concrete(false)
	word := func(b []byte, off int) word { return constant(binary.LittleEndian.Uint32(b[off:])) }
	quad := func(b []byte, off int) value { return numeric(int64(binary.LittleEndian.Uint64(b[off:]))) }
	width := 16
	if registers == 16 {
		width = 8
	}
	for i := range m.v {
		for j := range m.v[i] {
			m.v[i][j] = constant(0)
			if i < registers && j < width {
				m.v[i][j] = word(before, 64*i+4*j)
			}
		}
	}
	r := m.mem["memory"]
	for o := 0; o < 256; o += 4 {
		r.words[int64(o)] = word(before, cpuMemory+o)
	}
	for i := range 16 {
		m.gp[i] = quad(before, cpuGeneral+8*i)
	}
	if base >= 0 {
		m.gp[base] = address(r, linear{})
	}
	for i := range m.k {
		m.k[i] = data(word(before, cpuMasks+8*i), word(before, cpuMasks+8*i+4))
	}
	fl := binary.LittleEndian.Uint64(before[cpuFlags:])
	m.f = flags{carry: fl&1 != 0, zero: fl&0x40 != 0, sign: fl&0x80 != 0, overflow: fl&0x800 != 0, carryOK: true, zeroOK: true, signOK: true}
	if why := stepConcrete(m, in); why != "" {
		return "refused: " + why
	}
	for i := range registers {
		for j := range width {
			if got, want := m.v[i][j], word(after, 64*i+4*j); got != want {
				return fmt.Sprintf("vector %d, word %d is %s, the CPU has %s", i, j, show(got, 1), show(want, 1))
			}
		}
	}
	for i, name := range generalNames {
		if got, want := m.gp[i], quad(after, cpuGeneral+8*i); i != base && i != sp && got != want {
			return fmt.Sprintf("%s is %v, the CPU has %v", name, got, want)
		}
	}
	for i := 1; i < 8 && registers == 32; i++ {
		if got, want := m.k[i], quad(after, cpuMasks+8*i); got != want {
			return fmt.Sprintf("k%d is %v, the CPU has %v", i, got, want)
		}
	}
	for o := 0; o < 256; o += 4 {
		if got, want := r.words[int64(o)], word(after, cpuMemory+o); got != want {
			return fmt.Sprintf("memory at %d is %s, the CPU has %s", o, show(got, 1), show(want, 1))
		}
	}
	fl = binary.LittleEndian.Uint64(after[cpuFlags:])
	switch {
	case m.f.carryOK && m.f.carry != (fl&1 != 0):
		return "the carry flag differs"
	case m.f.zeroOK && m.f.zero != (fl&0x40 != 0):
		return "the zero flag differs"
	case m.f.signOK && (m.f.sign != m.f.overflow) != ((fl&0x80 != 0) != (fl&0x800 != 0)):
		return "the sign and overflow flags differ"
	}
	return ""
}

// Layout of what the program for arm64 reads and writes: 32 vectors, 26 general registers,
// the flags, memory.
const (
	armGeneral = 32 * 16
	armFlags   = armGeneral + 26*8
	armMemory  = armFlags + 64 - armFlags%64
	armSize    = armMemory + 256
)

// isArmGeneral reports whether the program loads and stores general register i. R18 belongs
// to the platform. The program needs R26 and R27.
func isArmGeneral(i int) bool { return i >= 0 && i < 26 && i != 18 }

// A memory operand of a sample for arm64 is armPlace bytes into the memory. If it has an
// index, that register has armIndex.
const armPlace, armIndex = 64, 8

// withoutARM64 are the forms that are not compared with QEMU, by the reason.
var withoutARM64 = map[string]string{
	"it goes elsewhere":                              "b, b.cc, b.ls, b.le, b.lt label \n cbz, cbnz r64,label \n tbz, tbnz r32,i,label r64,i,label \n ret",
	"it changes nothing":                             "prfm i,m",
	"the stack has the return address and the frame": "stp r64,r64,m \n str r64,m!",
	"the address is the program's":                   "adr r64,m r64,m,r64",
	"the model knows its result by a name":           "umin, cmeq v128.4,v128.4,v128.4",
}

// isComparableARM64 reports whether the program below can run an instruction anywhere.
func isComparableARM64(in *instruction) bool {
	if in.jumps() || in.calls() || slices.Contains([]string{"ret", "prfm", "umin", "cmeq"}, in.op) {
		return false
	}
	return !slices.ContainsFunc(in.args, func(o operand) bool {
		return o.kind == 'r' && o.reg != armZero && !isArmGeneral(o.reg) || o.kind == 'm' && !isArmGeneral(o.base)
	})
}

// The model of arm64's instructions is QEMU's.
func TestInstructionsOfQEMU(t *testing.T) {
	tools(t, "qemu-aarch64-static")
	ins := samplesOf(t, "arm64", func(blocks.Spec) bool { return true }, isComparableARM64, withoutARM64)
	p := programOf(t, first("arm64"))
	var s, g, table bytes.Buffer
	s.WriteString("#include \"textflag.h\"\n")
	g.WriteString("package main\nimport (\"io\";\"os\";\"encoding/binary\";\"unsafe\")\n")
	for i, in := range ins {
		code, _, err := p.bytes(symbol{in.text, in.place, 4})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&s, "TEXT ·t%d(SB),NOSPLIT,$0-8\n\tMOVD p+0(FP), R26\n", i)
		fmt.Fprintf(&s, "\tMOVD %d(R26), R27\n\tMSR R27, NZCV\n", armFlags)
		for j := range 26 {
			if isArmGeneral(j) {
				fmt.Fprintf(&s, "\tMOVD %d(R26), R%d\n", armGeneral+8*j, j)
			}
		}
		for j := 0; j < 32; j += 4 {
			fmt.Fprintf(&s, "\tVLD1.P 64(R26), [V%d.B16, V%d.B16, V%d.B16, V%d.B16]\n", j, j+1, j+2, j+3)
		}
		fmt.Fprintf(&s, "\tWORD $%#x\n\tMOVD p+0(FP), R26\n", binary.LittleEndian.Uint32(code))
		fmt.Fprintf(&s, "\tMRS NZCV, R27\n\tMOVD R27, %d(R26)\n", armFlags)
		for j := range 26 {
			if isArmGeneral(j) {
				fmt.Fprintf(&s, "\tMOVD R%d, %d(R26)\n", j, armGeneral+8*j)
			}
		}
		for j := 0; j < 32; j += 4 {
			fmt.Fprintf(&s, "\tVST1.P [V%d.B16, V%d.B16, V%d.B16, V%d.B16], 64(R26)\n", j, j+1, j+2, j+3)
		}
		s.WriteString("\tRET\n")
		fmt.Fprintf(&g, "//go:noescape\nfunc t%d(p *byte)\n", i)
		fmt.Fprintf(&table, "t%d,", i)
	}
	// The base of a memory operand is counted from the memory, unless the instruction loads
	// into the base.
	fmt.Fprintf(&g, `var b [8+%d]byte
func main() { for { if _, err := io.ReadFull(os.Stdin, b[:]); err != nil { return }
u := binary.LittleEndian
base, loaded, at := int(b[4]), b[5], uint64(uintptr(unsafe.Pointer(&b[8+%d])))
if base < 26 { u.PutUint64(b[8+%d+8*base:], u.Uint64(b[8+%[3]d+8*base:]) + at) }
table[u.Uint32(b[:])](&b[8])
if base < 26 && loaded == 0 { u.PutUint64(b[8+%[3]d+8*base:], u.Uint64(b[8+%[3]d+8*base:]) - at) }
os.Stdout.Write(b[8:]) } }
var table = []func(*byte){%[4]s}
`, armSize, armMemory, armGeneral, table.String())
	dir := t.TempDir()
	for name, text := range map[string]string{"t_arm64.s": s.String(), "main.go": g.String(), "go.mod": "module emulated\n\ngo 1.25\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-o", "t", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %.2000s", err, out)
	}
	const trials = 10
	rng := rand.New(rand.NewSource(1))
	var input bytes.Buffer
	for i, in := range ins {
		for range trials {
			b := make([]byte, 8+armSize)
			rng.Read(b)
			binary.LittleEndian.PutUint32(b, uint32(i))
			b[4], b[5] = 99, 0
			binary.LittleEndian.PutUint64(b[8+armFlags:], uint64(rng.Intn(16))<<28)
			if m := memoryOperand(in); m != nil {
				b[4] = byte(m.base)
				if loadsBase(in) {
					b[5] = 1
				}
				at := armPlace - m.disp
				if m.index >= 0 {
					at -= armIndex
					binary.LittleEndian.PutUint64(b[8+armGeneral+8*m.index:], armIndex)
				}
				binary.LittleEndian.PutUint64(b[8+armGeneral+8*m.base:], uint64(at))
			}
			input.Write(b)
		}
	}
	in := slices.Clone(input.Bytes())
	cmd = exec.Command("qemu-aarch64-static", "-cpu", "max", filepath.Join(dir, "t"))
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = &input, &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %.2000s", err, stderr.String())
	}
	for n := range len(ins) * trials {
		if why := differsFromQEMU(ins[n/trials], in[n*(8+armSize)+8:][:armSize], out[n*armSize:][:armSize]); why != "" {
			t.Errorf("%s: %s", ins[n/trials].text, why)
		}
	}
	t.Logf("%d instructions, %d runs", len(ins), len(ins)*trials)
}

// memoryOperand returns in's operand in memory, or nil.
func memoryOperand(in *instruction) *operand {
	for i := range in.args {
		if in.args[i].kind == 'm' {
			return &in.args[i]
		}
	}
	return nil
}

// loadsBase reports whether in loads a general register that is its base.
func loadsBase(in *instruction) bool {
	m := memoryOperand(in)
	return m != nil && slices.ContainsFunc(in.args, func(o operand) bool { return o.kind == 'r' && o.reg == m.base })
}

// differsFromQEMU says what of an instruction's effects is not QEMU's.
func differsFromQEMU(in *instruction, before, after []byte) (why string) {
	forget()
	m := concrete(true)
	word := func(b []byte, off int) word { return constant(binary.LittleEndian.Uint32(b[off:])) }
	quad := func(b []byte, i int) value { return numeric(int64(binary.LittleEndian.Uint64(b[armGeneral+8*i:]))) }
	for i := range 32 {
		for j := range 16 {
			if m.v[i][j] = constant(0); j < 4 {
				m.v[i][j] = word(before, 16*i+4*j)
			}
		}
	}
	r := m.mem["memory"]
	for o := 0; o < 256; o += 4 {
		r.words[int64(o)] = word(before, armMemory+o)
	}
	for i := range 26 {
		if isArmGeneral(i) {
			m.gp[i] = quad(before, i)
		}
	}
	base := -1
	if mem := memoryOperand(in); mem != nil {
		base = mem.base
		m.gp[base] = address(r, quad(before, base).at)
	}
	nzcv := binary.LittleEndian.Uint64(before[armFlags:]) >> 28
	m.f = flags{sign: nzcv&8 != 0, zero: nzcv&4 != 0, carry: nzcv&2 == 0, overflow: nzcv&1 != 0, carryOK: true, zeroOK: true, signOK: true}
	if why := stepConcrete(m, in); why != "" {
		return "refused: " + why
	}
	for i := range 32 {
		for j := range 4 {
			if got, want := m.v[i][j], word(after, 16*i+4*j); got != want {
				return fmt.Sprintf("word %d of v%d is %s, QEMU has %s", j, i, show(got, 1), show(want, 1))
			}
		}
	}
	for i := range 26 {
		if !isArmGeneral(i) {
			continue
		}
		want := quad(after, i)
		if i == base && !loadsBase(in) {
			want = address(r, want.at)
		}
		if m.gp[i] != want {
			return fmt.Sprintf("x%d is %v, QEMU has %v", i, m.gp[i], want)
		}
	}
	for o := 0; o < 256; o += 4 {
		if got, want := r.words[int64(o)], word(after, armMemory+o); got != want {
			return fmt.Sprintf("memory at %d is %s, QEMU has %s", o, show(got, 1), show(want, 1))
		}
	}
	nzcv = binary.LittleEndian.Uint64(after[armFlags:]) >> 28
	switch {
	case m.f.carryOK && m.f.carry != (nzcv&2 == 0):
		return "the carry flag differs"
	case m.f.zeroOK && m.f.zero != (nzcv&4 != 0):
		return "the zero flag differs"
	case m.f.signOK && (m.f.sign != m.f.overflow) != ((nzcv&8 != 0) != (nzcv&1 != 0)):
		return "the sign and overflow flags differ"
	}
	return ""
}
