package main

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const library = "github.com/sha256-simd/sha256-simd/"

// A program is a linked Go program with kernels in it.
type program struct {
	path    string
	file    *elf.File
	symbols map[string]elf.Symbol
	arm     bool
	objdump string
}

// objdumps are the disassemblers, by architecture, and the packages of Debian that
// have them.
var objdumps = map[string][2]string{
	"amd64": {"x86_64-linux-gnu-objdump", "binutils-x86-64-linux-gnu"},
	"arm64": {"aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu"},
}

// build links the test of the package of the kernels, in a folder.
func build(dir, arch string) (string, error) {
	out := filepath.Join(dir, "block."+arch)
	cmd := exec.Command("go", "test", "-c", "-o", out, library+"internal/block")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go test -c for %s: %w\n%s", arch, err, text)
	}
	return out, nil
}

func open(path string) (*program, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	p := &program{path: path, file: f, symbols: map[string]elf.Symbol{}, arm: f.Machine == elf.EM_AARCH64}
	arch := "amd64"
	if p.arm {
		arch = "arm64"
	} else if f.Machine != elf.EM_X86_64 {
		return nil, fmt.Errorf("%s: a program for %v, which is neither amd64 nor arm64", path, f.Machine)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range symbols {
		p.symbols[s.Name] = s
	}
	if p.objdump, err = exec.LookPath(objdumps[arch][0]); err != nil {
		return nil, fmt.Errorf("no disassembler for %s: %w; on Debian, apt-get install %s", arch, err, objdumps[arch][1])
	}
	return p, nil
}

// symbolOf is the name of a kernel's code.
func symbolOf(kernel string) string { return library + "internal/block." + kernel + ".abi0" }

// disassemble reads a kernel's instructions.
func (p *program) disassemble(kernel string) (*code, error) {
	s, ok := p.symbols[symbolOf(kernel)]
	if !ok {
		return nil, fmt.Errorf("%s: no kernel of this name", p.path)
	}
	// All its bytes are there, and no other's.
	cmd := exec.Command(p.objdump, "-d", "-z", "--no-show-raw-insn", "-M", map[bool]string{false: "intel", true: "no-aliases=0"}[p.arm],
		fmt.Sprintf("--start-address=%#x", s.Value), fmt.Sprintf("--stop-address=%#x", s.Value+s.Size), p.path)
	if p.arm {
		cmd.Args = append(cmd.Args[:4], cmd.Args[6:]...)
	}
	out, err := cmd.Output()
	if e := new(exec.ExitError); errors.As(err, &e) {
		return nil, fmt.Errorf("%s: %w: %s", p.objdump, err, e.Stderr)
	} else if err != nil {
		return nil, err
	}
	c, err := parse(string(out), p.arm)
	if err == nil && c.entry != int64(s.Value) {
		err = fmt.Errorf("%s: %s begins elsewhere", p.objdump, kernel)
	}
	return c, err
}

// tablesOfAll are the symbols that a kernel may read, apart from its own tables.
var tablesOfAll = []string{"tableK", "tableNodeK", "tableIV256"}

// image is what a kernel may read of the program: constants that nothing writes.
func (p *program) image(m *machine, kernel string) error {
	r := m.region("image", linear{}, number(1<<40), true, false)
	r.align = 4096
	type span struct {
		from, to int64
		data     []byte
	}
	var spans []span
	for name, s := range p.symbols {
		own, tables := strings.CutPrefix(name, kernel+"_")
		tables = tables && !strings.ContainsAny(own, "_.") || strings.HasPrefix(name, "$i128.") // the assembler's
		for _, c := range tablesOfAll {
			tables = tables || name == library+"internal/block."+c
		}
		if !tables {
			continue
		}
		section := p.file.Sections[s.Section]
		if section.Flags&elf.SHF_WRITE != 0 {
			return fmt.Errorf("the table %s is not read-only", name)
		}
		data, err := section.Data()
		if err != nil {
			return err
		}
		spans = append(spans, span{int64(s.Value), int64(s.Value + s.Size), data[s.Value-section.Addr:][:s.Size]})
	}
	r.lazy = func(off int64) (word, bool) {
		for _, s := range spans {
			if off >= s.from && off+4 <= s.to {
				return constant(binary.LittleEndian.Uint32(s.data[off-s.from:])), true
			}
		}
		return 0, false
	}
	// A flag of the CPU is a byte of one of these packages.
	m.flag = func(addr int64) bool {
		for name, s := range p.symbols {
			if int64(s.Value) == addr && s.Size == 1 &&
				(strings.HasPrefix(name, library+"internal/block.") || strings.HasPrefix(name, library+"internal/cpu.")) {
				return true
			}
		}
		return false
	}
	return nil
}

// entry is a machine at the entry of a kernel, with arguments in the stack and
// place for the given number of results. Of everything else nothing is known.
func (p *program) entry(kernel string, args []value, results int) *machine {
	m := &machine{arm: p.arm, mem: map[string]*region{}}
	m.least = [symbols]int64{symR: 1, symT: 1}
	if err := p.image(m, kernel); err != nil {
		refuse("%v", err)
	}
	for i := range m.gp {
		m.gp[i] = data(unknown(), unknown())
	}
	for i := range m.v {
		for j := range m.v[i] {
			m.v[i][j] = unknown()
		}
	}
	for i := range m.k {
		m.k[i] = data(unknown(), unknown())
	}
	first := int64(returnAt + 8)
	st := m.region("stack", linear{}, number(first+8*int64(len(args)+results)), true, true)
	for i, a := range args {
		if a.kind == aNumber || a.kind == anAddress {
			st.cells[first+8*int64(i)] = a
		} else {
			st.words[first+8*int64(i)], st.words[first+8*int64(i)+4] = a.lo, a.hi
		}
	}
	lo, hi := input("return address, low"), input("return address, high")
	g := m.region("g", linear{}, number(4096), true, false)
	// The stack's guard is far below: there is room enough.
	g.cells[0x10] = address(st, number(4096))
	if p.arm {
		m.gp[armSP] = address(st, number(returnAt))
		m.gp[armLR] = data(lo, hi)
		m.gp[armG] = address(g, linear{})
		m.gp[armFP] = address(st, number(returnAt-8)) // as in all of Go's frames
		return m
	}
	m.gp[sp] = address(st, number(returnAt))
	m.gp[bp] = data(input("frame pointer, low"), input("frame pointer, high"))
	st.words[returnAt], st.words[returnAt+4] = lo, hi
	tls := m.region("tls", linear{}, number(8), true, false)
	tls.cells[0] = address(g, linear{})
	return m
}

// atReturn checks what Go expects of assembly, ABI0: the stack pointer and the
// return address have been checked already.
func (m *machine) atReturn() {
	got, want := m.gp[bp], data(input("frame pointer, low"), input("frame pointer, high"))
	if m.arm {
		got, want = m.gp[armFP], address(m.mem["stack"], number(returnAt-8))
	}
	if got != want {
		refuse("the frame pointer is %v at the end", got)
	}
	if m.dirty {
		refuse("upper parts of vector registers are in use at the end")
	}
}

// atHead refuses a frame pointer that does not lead to the caller's frame, as
// profilers follow it.
func (m *machine) atHead() {
	r, lo, hi := bp, input("frame pointer, low"), input("frame pointer, high")
	if m.arm {
		r = armFP
	}
	v, st := m.gp[r], m.mem["stack"]
	if m.arm && v == address(st, number(returnAt-8)) || v == data(lo, hi) {
		return
	}
	if v.kind == anAddress && v.region == st && !v.symbolic() {
		if m.arm && st.cells[v.at.n] == address(st, number(returnAt-8)) || st.words[v.at.n] == lo && st.words[v.at.n+4] == hi {
			return
		}
	}
	refuse("the frame pointer is %v in the loop", v)
}

// run goes all ways from an address, until they return or arrive at head.
func (c *code) run(m *machine, from, head int64) (ends []*machine) {
	type way struct {
		m     *machine
		at    int64
		begun bool // or else head is where it begins
	}
	ways := []way{{m, from, false}}
	var in *instruction
	defer func() {
		switch e := recover().(type) {
		case nil:
		case refusal:
			panic(refusal(fmt.Sprintf("%x: %s: %s", in.addr, in.text, e)))
		default:
			panic(e)
		}
	}()
	for len(ways) > 0 {
		w := ways[len(ways)-1]
		ways = ways[:len(ways)-1]
		for ; !w.begun || w.at != head; w.begun = true {
			if in = c.at[w.at]; in == nil {
				in = &instruction{addr: w.at}
				refuse("no instruction of this kernel")
			}
			if w.m.count++; w.m.count > 1e6 {
				refuse("there is no end")
			}
			step := w.m.stepAMD64
			if c.arm {
				step = w.m.stepARM64
			}
			next, other, otherNext := step(in)
			if other != nil {
				ways = append(ways, way{other, otherNext, w.begun || otherNext != in.addr})
			}
			if w.m.ended {
				in = &instruction{text: "return"}
				w.m.atReturn()
				break
			}
			w.at = next
		}
		if !w.m.ended {
			w.m.atHead()
		}
		ends = append(ends, w.m)
	}
	return ends
}
