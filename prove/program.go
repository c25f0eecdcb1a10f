package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const library = "github.com/sha256-simd/sha256-simd/"

// A build is a way in which users link the kernels.
type build struct {
	os, arch string
	mode     string // of go build, or "" for an ordinary program
	cc       string // the C compiler that it needs, or ""
}

// builds are those that are proved. The first one of an architecture comes first: the
// others have the sizes of symbols from there.
var builds = []build{
	{os: "linux", arch: "amd64"},
	{os: "linux", arch: "amd64", mode: "pie"},
	{os: "linux", arch: "amd64", mode: "plugin", cc: "x86_64-linux-gnu-gcc"},
	{os: "windows", arch: "amd64"},
	{os: "darwin", arch: "amd64"},
	{os: "linux", arch: "arm64"},
	{os: "linux", arch: "arm64", mode: "pie"},
	{os: "linux", arch: "arm64", mode: "plugin", cc: "aarch64-linux-gnu-gcc"},
	{os: "windows", arch: "arm64"},
	{os: "darwin", arch: "arm64"},
}

func (b build) String() string {
	if b.mode == "" {
		return b.os
	}
	return b.os + " " + b.mode
}

// path is where the program is, in a folder of linked programs.
func (b build) path(dir string) string {
	return filepath.Join(dir, strings.TrimSuffix(b.os+"-"+b.arch+"-"+b.mode, "-"))
}

// first is the build of an architecture from which others have sizes of symbols.
func first(arch string) build {
	return builds[slices.IndexFunc(builds, func(b build) bool { return b.arch == arch })]
}

// debianOf names the packages of Debian that have the tools.
var debianOf = map[string]string{
	"x86_64-linux-gnu-objdump":  "binutils-x86-64-linux-gnu",
	"aarch64-linux-gnu-objdump": "binutils-aarch64-linux-gnu",
	"x86_64-linux-gnu-gcc":      "gcc, on amd64",
	"aarch64-linux-gnu-gcc":     "gcc-aarch64-linux-gnu, libc6-dev-arm64-cross",
}

// tool finds a program that proofs need.
func tool(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%w; on Debian, apt-get install %s", err, debianOf[name])
	}
	return path, nil
}

// link builds package linked in this way, in a folder.
func (b build) link(dir string) error {
	cmd := exec.Command("go", "build", "-o", b.path(dir))
	cmd.Env = append(os.Environ(), "GOOS="+b.os, "GOARCH="+b.arch, "CGO_ENABLED=0")
	if b.mode != "" {
		cmd.Args = append(cmd.Args, "-buildmode="+b.mode)
	}
	if b.cc != "" {
		cc, err := tool(b.cc)
		if err != nil {
			return err
		}
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1", "CC="+cc)
	}
	cmd.Args = append(cmd.Args, library+"prove/linked")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build for %s/%s: %w\n%s", b, b.arch, err, text)
	}
	return nil
}

// open reads the program of a build, and links it first if it is not in the folder. The
// sizes of symbols are those of like, the first build, unless the file says them.
func (b build) open(dir string, like *program) (*program, error) {
	if _, err := os.Stat(b.path(dir)); errors.Is(err, os.ErrNotExist) {
		if err := b.link(dir); err != nil {
			return nil, err
		}
	}
	p, err := open(b.path(dir))
	if err == nil && !p.hasSizes() {
		p.setSizes(like)
	}
	return p, err
}

// A program is a linked Go program with kernels in it.
type program struct {
	path     string
	arm      bool
	os       string // "linux" stands for all that have ELF
	sections []section
	symbols  []symbol         // by address
	slots    map[int64]string // symbols by where the dynamic linker puts their addresses
	offsets  map[int64]bool   // where it puts the offset of g in thread-local storage
}

// A section is memory of a program.
type section struct {
	addr, size int64
	data       []byte // shorter if the rest is 0
	writable   bool
}

// A symbol names memory of a program.
type symbol struct {
	name       string
	addr, size int64
}

// open reads a program.
func open(path string) (*program, error) {
	p, err := load(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	slices.SortStableFunc(p.symbols, func(x, y symbol) int { return int(x.addr - y.addr) })
	return p, nil
}

// arch is the program's GOARCH.
func (p *program) arch() string {
	if p.arm {
		return "arm64"
	}
	return "amd64"
}

// hasSizes reports whether the file says the sizes of symbols.
func (p *program) hasSizes() bool { return p.os == "linux" }

// setSizes gives symbols the sizes that they have in another program of the architecture.
func (p *program) setSizes(like *program) {
	for i, s := range p.symbols {
		// A symbol reaches to the next one, at most.
		for _, next := range p.symbols[i:] {
			if p.symbols[i].size = next.addr - s.addr; next.addr != s.addr {
				break
			}
		}
		if t := like.symbol(s.name); t != nil && !strings.HasSuffix(s.name, ".abi0") {
			p.symbols[i].size = min(t.size, p.symbols[i].size)
		}
	}
}

// symbol finds a symbol by its name, or returns nil.
func (p *program) symbol(name string) *symbol {
	if i := slices.IndexFunc(p.symbols, func(s symbol) bool { return s.name == name }); i >= 0 {
		return &p.symbols[i]
	}
	return nil
}

// at finds the symbol that an address belongs to.
func (p *program) at(addr int64) (s symbol, ok bool) {
	for _, s := range p.symbols {
		if s.addr <= addr && addr < s.addr+s.size {
			return s, true
		}
	}
	return symbol{}, false
}

// bytes are what a symbol has in memory.
func (p *program) bytes(s symbol) (data []byte, writable bool, err error) {
	for _, t := range p.sections {
		if off := s.addr - t.addr; off >= 0 && off+s.size <= t.size {
			if off+s.size > int64(len(t.data)) {
				return nil, t.writable, nil
			}
			return t.data[off:][:s.size], t.writable, nil
		}
	}
	return nil, false, fmt.Errorf("%s: %s is in no section", p.path, s.name)
}

// symbolOf is the name of a kernel's code.
func symbolOf(kernel string) string { return library + "internal/block." + kernel + ".abi0" }

// kernel reads the code of a kernel.
func (p *program) kernel(name string) (*code, error) {
	s := p.symbol(symbolOf(name))
	if s == nil {
		return nil, fmt.Errorf("%s: %s is not linked", p.path, name)
	}
	data, _, err := p.bytes(*s)
	if err != nil {
		return nil, err
	}
	dump, err := p.disassemble(data, s.addr)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", p.path, name, err)
	}
	ins, err := parse(dump, p.arm)
	if err == nil && (len(ins) == 0 || ins[0].addr != s.addr) {
		err = errors.New("the disassembly begins elsewhere")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", p.path, name, err)
	}
	c, err := p.resolve(name, ins)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", p.path, name, err)
	}
	return c, nil
}

// disassemble has GNU objdump write the instructions of code that is at an address.
func (p *program) disassemble(code []byte, addr int64) (string, error) {
	name, flags := "x86_64-linux-gnu-objdump", []string{"-mi386:x86-64", "-Mintel"}
	if p.arm {
		name, flags = "aarch64-linux-gnu-objdump", []string{"-maarch64"}
	}
	objdump, err := tool(name)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp("", "kernel")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(code)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	// All bytes are shown, zeros too.
	cmd := exec.Command(objdump, append(flags, "-D", "-z", "-bbinary", "--no-show-raw-insn", fmt.Sprintf("--adjust-vma=%#x", addr), f.Name())...)
	out, err := cmd.Output()
	if e := new(exec.ExitError); errors.As(err, &e) {
		return "", fmt.Errorf("%s: %w: %s", name, err, e.Stderr)
	}
	return string(out), err
}

// hasAVX is the one variable of the program that kernels test: a byte that says
// whether the CPU has VZEROUPPER.
const hasAVX = library + "internal/block.hasAVX"

// isTable says whether a kernel may read what a symbol names: the round constants, its
// own tables, constants that the assembler makes; nodes have more in common.
func isTable(symbol, kernel string) bool {
	own, ok := strings.CutPrefix(symbol, kernel+"_")
	if ok && !strings.ContainsAny(own, "_.") || strings.HasPrefix(symbol, "$i128.") {
		return true
	}
	switch name, _ := strings.CutPrefix(symbol, library+"internal/block."); name {
	case "tableK":
		return true
	case "tableNodeK", "tableIV256":
		return strings.HasPrefix(kernel, "node_")
	}
	return false
}

// alignment is what the Go linker makes the address of a table of some size a multiple
// of, in every program: see symalign of cmd/link/internal/ld.
func alignment(size int64) int64 {
	align := int64(32)
	for align > size && align > 1 {
		align /= 2
	}
	return align
}
