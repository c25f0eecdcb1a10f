package main

import (
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	blocks "github.com/sha256-simd/sha256-simd/internal/block"
)

var (
	mutantsOf  = flag.String("kernel", "", "the `kernels` that TestMutants breaks, instead of a few")
	mutantsMax = flag.Int("mutants", 8, "how many mutants of each kernel TestMutants proves; 0: all")
)

var (
	folder   string // of linked programs
	programs = map[build]*program{}
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if folder, err = os.MkdirTemp("", "prove"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(folder)
		return m.Run()
	}())
}

// programOf links a build, once.
func programOf(t *testing.T, b build) *program {
	t.Helper()
	if programs[b] != nil {
		return programs[b]
	}
	tools(t, map[string]string{"amd64": "x86_64-linux-gnu-objdump", "arm64": "aarch64-linux-gnu-objdump"}[b.arch])
	var like *program
	if b != first(b.arch) {
		like = programOf(t, first(b.arch))
	}
	if b.cc != "" {
		tools(t, b.cc)
	}
	p, err := b.open(folder, like)
	if err != nil {
		t.Fatal(err)
	}
	programs[b] = p
	return p
}

// codeOf is the code of a kernel in the first build of its architecture.
func codeOf(t *testing.T, kernel string) *code {
	t.Helper()
	c, err := programOf(t, first(kernelNamed(t, kernel).Arch)).kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// tools skips a test where something is not installed, but fails in CI on Linux.
func tools(t *testing.T, names ...string) {
	t.Helper()
	for _, n := range names {
		if _, err := exec.LookPath(n); err != nil {
			if os.Getenv("CI") != "" && runtime.GOOS == "linux" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
}

func kernelNamed(t *testing.T, name string) blocks.Spec {
	t.Helper()
	for _, k := range provable() {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("no kernel %s", name)
	return blocks.Spec{}
}

// A kernel with an instruction that is wrong is refused.
func TestMutants(t *testing.T) {
	names := []string{"padShort_avx512", "padShort_ssse3", "padShort_neon", "putDigests_avx512", "putDigests_ssse3", "putDigests_neon", "append_avx512", "write_avx512shani", "finish_avx512shani", "x1_shani", "x2_shani", "node_x1_shani", "chain_x1_shani", "wots_x4_shani", "x2_sha2"}
	if !testing.Short() {
		names = append(names, "x1_avx2", "x4_neon", "x16_avx512")
	}
	if *mutantsOf != "" {
		names = strings.Split(*mutantsOf, ",")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			c := codeOf(t, name)
			if err := proveQuickly(t, c); err != nil {
				t.Fatal("not broken yet: ", err)
			}
			var ms []mutant
			for _, in := range c.ins {
				ms = append(ms, mutantsOfInstruction(in, c.arm)...)
			}
			all := len(ms)
			if testing.Short() && *mutantsMax > 4 {
				*mutantsMax = 4
			}
			if *mutantsMax > 0 && len(ms) > *mutantsMax {
				rand.New(rand.NewSource(1)).Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
				ms = ms[:*mutantsMax]
			}
			proveMutants(t, c, ms)
			t.Logf("of %d mutants", all)
		})
	}
}

// A kernel with another condition of a jump or of a selection is refused.
func TestConditions(t *testing.T) {
	for _, name := range []string{"x1_avx2", "x4_shani", "node_x1_shani", "chain_x1_shani", "wots_x4_shani", "putDigests_avx512", "putDigests_ssse3", "write_avx512shani", "finish_avx512shani", "x2_sha2", "x4_neon", "putDigests_neon"} {
		t.Run(name, func(t *testing.T) {
			c := codeOf(t, name)
			var ms []mutant
			for _, in := range c.ins {
				for _, m := range mutantsOfInstruction(in, c.arm) {
					_, other := otherOperations[in.op]
					isCondition := other && (in.jumps() || strings.HasPrefix(in.op, "cmov")) && m.in.op == otherOperations[in.op]
					if isCondition || in.op == "csel" && m.what == "operand 4: another condition" {
						ms = append(ms, m)
					}
				}
			}
			proveMutants(t, c, ms)
		})
	}
}

// proveMutants fails for each mutant that is accepted, unless it computes the same.
func proveMutants(t *testing.T, c *code, ms []mutant) {
	t.Helper()
	refusals := 0
	for _, m := range ms {
		was := c.ins[m.in.addr]
		c.ins[m.in.addr] = &m.in
		err := proveQuickly(t, c)
		c.ins[m.in.addr] = was
		switch why := equivalent(was, m); {
		case err != nil:
			refusals++
		case why != "":
			t.Logf("%s: %s: %s", was.text, m.what, why)
		default:
			t.Errorf("accepted: %s: %s", was, m.what)
		}
	}
	t.Logf("%d mutants, %d refused", len(ms), refusals)
}

// A mutant is an instruction that is wrong.
type mutant struct {
	what string
	in   instruction
}

// equivalent says why a mutant computes the same, or nothing.
func equivalent(was *instruction, m mutant) string {
	switch {
	case strings.HasPrefix(was.op, "prefetch") || was.op == "prfm":
		return "what is fetched ahead changes nothing"
	case was.op == "sha256rnds2" && m.what == "operand 3: another register":
		return "the instruction has no operand 3: it is always xmm0"
	case was.text == "mov eax,0x80" && m.what == "left out":
		return "the register has this number already"
	case was.op == "cmove" && m.what == "operand 2: another register":
		return "where an empty message is does not matter: nothing is read there"
	case was.text == "cmove r8,r9" && (m.what == "cmovb" || m.what == "left out"): // refused for an empty end
		return "where whole blocks end does not matter: nothing is read there"
	case was.op == "jbe" && m.what == "jb" || was.op == "b.ls" && m.what == "b.cc":
		return "right at the stack guard there is room, too"
	case was.op == "jb" && m.what == "jbe":
		return "the last sum was an address, which is not 0, and BTC leaves the zero flag alone"
	case was.op == "je" && m.what == "jne" && was.args[0].imm == was.next+1:
		return "VZEROUPPER is left out, or done: no upper part of a register is in use"
	case was.op == "vzeroupper":
		return "no upper part of a register below 16 is in use"
	case strings.HasSuffix(was.op, "i64x4") || strings.HasSuffix(was.op, "i128"):
		if i := len(was.args) - 1; len(m.in.args) > i && (was.args[i].imm^m.in.args[i].imm)&1 == 0 && m.what == fmt.Sprintf("operand %d: another bit", i+1) {
			return "there are two halves: only bit 0 counts"
		}
	}
	return ""
}

var otherOperations = func() map[string]string {
	r := map[string]string{"movdqa": "paddd", "sha256rnds2": "sha256msg2", "sha256su0": "rev32", "sha256su1": "sha256h", "usra": "ushr", "eor": "and", "add": "xor", "and": "xor"}
	for _, pair := range []string{"paddd pxor", "punpckldq punpckhdq", "punpcklqdq punpckhqdq", "psrld pslld", "sha256msg1 sha256msg2",
		"vpaddd vpxor", "vpsrld vpslld", "vpunpckldq vpunpckhdq", "vpunpcklqdq vpunpckhqdq", "dec inc", "je jne", "jge jl", "cmovae cmovb",
		"sha256h sha256h2", "bsl bit", "zip1 zip2", "cbnz cbz", "tbnz tbz", "b.cc b.ls", "vpsubd vpaddd",
		"jle jl", "jbe jb", "b.le b.lt", "cmove cmovb"} {
		x, y, _ := strings.Cut(pair, " ")
		if r[x] == "" {
			r[x] = y
		}
		if r[y] == "" {
			r[y] = x
		}
	}
	return r
}()

// mutantsOfInstruction lists what may be wrong in an instruction.
func mutantsOfInstruction(in *instruction, arm bool) (ms []mutant) {
	with := func(what string, f func(c *instruction)) {
		c := *in
		c.args = slices.Clone(in.args)
		f(&c)
		c.describe()
		ms = append(ms, mutant{what: what, in: c})
	}
	if in.op == "ret" || in.calls() {
		return nil
	}
	with("left out", func(c *instruction) {
		// A jump to the next one does nothing.
		c.op, c.args = map[bool]string{false: "jmp", true: "b"}[arm], []operand{{kind: 'i', imm: in.next}}
	})
	if other, ok := otherOperations[in.op]; ok {
		with(other, func(c *instruction) { c.op = other })
	}
	if in.jumps() {
		return ms
	}
	for i, a := range in.args {
		at := func(what string, f func(o *operand)) {
			with(fmt.Sprintf("operand %d: %s", i+1, what), func(c *instruction) { f(&c.args[i]) })
		}
		switch a.kind {
		case 'i', 'l':
			at("one more", func(o *operand) { o.imm++ })
			at("another bit", func(o *operand) { o.imm ^= 2 })
		case 'v', 'r', 'k':
			at("another register", func(o *operand) { o.reg ^= 1 })
		case 'c':
			at("another condition", func(o *operand) {
				o.symbol = map[string]string{"cc": "ls", "ls": "cc", "le": "lt", "lt": "le"}[o.symbol]
			})
		case 'm':
			at("4 bytes on", func(o *operand) { o.disp += 4 })
			at("64 bytes on", func(o *operand) { o.disp += 64 })
		}
	}
	return ms
}
