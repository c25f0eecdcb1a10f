// Command mca prints what llvm-mca makes of the kernels: simulated cycles per
// block, for cores that the machine at hand is not. From _asm:
//
//	go run ./mca amd64
//	go run ./mca arm64
//
// It builds the kernels, takes the loop over the blocks out of the object by the
// architecture's objdump (Debian: binutils-x86-64-linux-gnu and
// binutils-aarch64-linux-gnu) and feeds it to llvm-mca-19 (Debian: llvm-19).
// The model has issue slots, latencies and the size of the window. It has no
// caches, no branch prediction and no loads that wait for stores. LLVM
// describes some cores by a related core.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

const (
	own      = "github.com/sha256-simd/sha256-simd/internal/block"
	standard = "crypto/internal/fips140/sha256" // where Go 1.25 and 1.26 have theirs
)

// An architecture has the disassembler and the simulated CPUs of its kernels.
type architecture struct {
	objdump string
	mca     []string
	cores   []core
	kernels []kernel
	// branch matches an instruction that may end a loop: what precedes the
	// target, and the target.
	branch *regexp.Regexp
	// counts matches the branch, or what precedes it, if a register counts the
	// passes down; sets what sets a register to a number.
	counts, sets *regexp.Regexp
}

// A core has these extensions of its architecture.
type core struct {
	name string
	has  cpu.Features
}

// A kernel is Go's or this project's.
type kernel struct {
	pkg, name string
	needs     cpu.Features
	// blocks, or nodes, are what a pass of its loop takes.
	blocks int
	// passes of the loop within the loop, where that one counts by addresses.
	passes int
}

// ours are kernels of this project, by their names.
func ours(names ...string) (ks []kernel) {
	for _, name := range names {
		all := block.Catalog()
		i := slices.IndexFunc(all, func(s block.Spec) bool { return s.Name == name })
		if i < 0 {
			log.Fatalf("mca: kernel %s is unknown", name)
		}
		ks = append(ks, kernel{pkg: own, name: name, needs: all[i].Needs, blocks: all[i].Lanes})
	}
	return ks
}

// What cores have of amd64's extensions.
const (
	upToAVX  = cpu.SSSE3 | cpu.AVX
	upToAVX2 = upToAVX | cpu.AVX2 | cpu.BMI2
)

var architectures = map[string]architecture{
	"amd64": {
		objdump: "x86_64-linux-gnu-objdump",
		mca:     []string{"-mtriple=x86_64"},
		cores: []core{
			{"znver2", upToAVX2 | cpu.SHA},
			{"znver3", upToAVX2 | cpu.SHA},
			{"znver4", upToAVX2 | cpu.SHA | cpu.AVX512},
			{"skylake-avx512", upToAVX2 | cpu.AVX512},
			{"icelake-server", upToAVX2 | cpu.SHA | cpu.AVX512},
			{"sapphirerapids", upToAVX2 | cpu.SHA | cpu.AVX512},
			{"alderlake", upToAVX2 | cpu.SHA},
			{"haswell", upToAVX2},
			{"sandybridge", upToAVX},
		},
		kernels: slices.Concat(
			[]kernel{{pkg: standard, name: "blockSHANI", needs: cpu.SHA, blocks: 1}},
			ours("x1_shani", "x2_shani", "x4_shani", "x2_avx512shani"),
			[]kernel{
				{pkg: own, name: "x1_avx512shani", needs: cpu.SHA | cpu.AVX512, blocks: 2},
				// Rounds with a schedule, 16 at a time.
				{pkg: own, name: "x1_ssse3", needs: cpu.SSSE3, blocks: 1, passes: 3},
				{pkg: own, name: "x1_avx", needs: cpu.AVX, blocks: 1, passes: 3},
			},
			ours("x4_ssse3", "x4_avx", "x8_avx2", "x8_avx512", "x16_avx512", "x32_avx512",
				"node_x1_shani", "node_x2_shani", "node_x2_avx512shani", "node_x4_shani", "node_x8_avx2", "node_x8_avx512", "node_x16_avx512", "node_x32_avx512"),
		),
		branch: regexp.MustCompile(`^(j[a-z]+\s+)([0-9a-f]+)`),
		counts: regexp.MustCompile(`^dec\s+%(\w+)`),
		sets:   regexp.MustCompile(`^mov\s+\$0x(?P<number>[0-9a-f]+),%(?P<register>\w+)`),
	},
	"arm64": {
		objdump: "aarch64-linux-gnu-objdump",
		mca:     []string{"-mtriple=aarch64", "-mattr=+sha2"},
		cores: []core{
			{"neoverse-n1", cpu.SHA2},
			{"neoverse-v1", cpu.SHA2},
			{"neoverse-v2", cpu.SHA2},
			{"cortex-a72", cpu.SHA2},
			{"cortex-a53", cpu.SHA2},
			{"cortex-a55", cpu.SHA2},
			{"apple-m1", cpu.SHA2},
		},
		kernels: slices.Concat(
			[]kernel{{pkg: standard, name: "blockSHA2", needs: cpu.SHA2, blocks: 1}},
			ours("x1_sha2", "x2_sha2", "x4_sha2", "x4_neon", "node_x1_sha2", "node_x2_sha2", "node_x4_sha2", "node_x4_neon"),
		),
		branch: regexp.MustCompile(`^(cbnz\s+\w+, )([0-9a-f]+)`),
		counts: regexp.MustCompile(`^cbnz\s+(\w+)`),
		sets:   regexp.MustCompile(`^(?:mov|orr)\s+(?P<register>\w+),(?: xzr,)? #0x(?P<number>[0-9a-f]+)`),
	},
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 || architectures[os.Args[1]].objdump == "" {
		log.Fatal("usage: mca amd64|arm64")
	}
	if err := run(os.Args[1], architectures[os.Args[1]]); err != nil {
		log.Fatal("mca: ", err)
	}
}

func run(goarch string, arch architecture) error {
	dir, err := os.MkdirTemp("", "mca")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	object := filepath.Join(dir, "block.test")
	build := exec.Command("go", "test", "-c", "-o", object, own)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+goarch, "CGO_ENABLED=0")
	if _, err := output(build, ""); err != nil {
		return fmt.Errorf("building the kernels: %w", err)
	}
	loops := make([][]string, len(arch.kernels))
	for i, k := range arch.kernels {
		if loops[i], err = arch.extract(object, k); err != nil {
			return fmt.Errorf("extracting the loop of %s: %w", k.name, err)
		}
	}

	// A cell is a kernel on a core.
	cells := make([][]string, len(arch.kernels))
	errs := make([]error, len(arch.kernels)*len(arch.cores))
	var wg sync.WaitGroup
	running := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, k := range arch.kernels {
		cells[i] = make([]string, len(arch.cores))
		for j, core := range arch.cores {
			if !core.has.Has(k.needs) {
				continue
			}
			wg.Go(func() {
				running <- struct{}{}
				defer func() { <-running }()
				cycles, err := arch.simulate(loops[i], core.name)
				if err != nil {
					errs[i*len(arch.cores)+j] = fmt.Errorf("simulating %s on %s: %w", k.name, core.name, err)
				}
				cells[i][j] = fmt.Sprintf("%.1f", cycles/float64(k.blocks))
			})
		}
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}

	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprint(w, "| simulated cycles per block or node")
	for _, core := range arch.cores {
		fmt.Fprintf(w, "\t| %s", core.name)
	}
	fmt.Fprintf(w, "\t|\n| ---%s\t|\n", strings.Repeat("\t| ---", len(arch.cores)))
	for i, k := range arch.kernels {
		fmt.Fprintf(w, "| %s\t| %s\t|\n", k.name, strings.Join(cells[i], "\t| "))
	}
	return w.Flush()
}

// An instruction of a disassembly.
type instruction struct {
	address uint64
	text    string
}

// A loop is from its first instruction to the one after its branch.
type loop struct{ from, to, passes int }

// objdump puts what it knows of an address behind the instruction.
var disassembled = regexp.MustCompile(`^ +([0-9a-f]+):\t(.*?)(?:\s+(?:<|//|# ).*)?\n`)

// extract returns one pass of a kernel's loop, with the loops inside it written
// out as often as they run.
func (arch architecture) extract(object string, k kernel) ([]string, error) {
	text, err := output(exec.Command(arch.objdump, "-d", "--no-show-raw-insn", "--disassemble="+k.pkg+"."+k.name+".abi0", object), "")
	if err != nil {
		return nil, err
	}
	var code []instruction
	for l := range strings.Lines(text) {
		if m := disassembled.FindStringSubmatch(l); m != nil {
			address, err := strconv.ParseUint(m[1], 16, 64)
			if err != nil {
				return nil, err
			}
			code = append(code, instruction{address, m[2]})
		}
	}
	var loops []loop
	for i := range code {
		m := arch.branch.FindStringSubmatch(code[i].text)
		if m == nil {
			continue
		}
		target, err := strconv.ParseUint(m[2], 16, 64)
		if err != nil {
			return nil, err
		}
		code[i].text = m[1] + "."
		// A branch to the start comes after growing the stack.
		from := slices.IndexFunc(code[:i], func(i instruction) bool { return i.address == target })
		if from > 0 {
			loops = append(loops, loop{from, i + 1, cmp.Or(arch.passes(code, from, i), k.passes)})
		}
	}
	if len(loops) == 0 {
		return nil, errors.New("the kernel has no loop")
	}
	// The loop over blocks, or nodes, is the longest in which all loops say how often
	// they run. The loop over turns, around it, is none of these.
	outer := loop{}
	var inner []loop
	for n, l := range loops {
		within := slices.DeleteFunc(slices.Clone(loops[:n]), func(i loop) bool { return i.from < l.from })
		known := !slices.ContainsFunc(within, func(i loop) bool { return i.passes == 0 })
		if known && l.to-l.from > outer.to-outer.from {
			outer, inner = l, within
		}
	}
	var pass []string
	var write func(from, to int, loops []loop)
	write = func(from, to int, loops []loop) {
		for i := from; i < to; {
			// The outermost of the loops that begin here is the last one.
			at := len(loops) - 1
			for at >= 0 && loops[at].from != i {
				at--
			}
			if at < 0 {
				pass = append(pass, code[i].text)
				i++
				continue
			}
			for range loops[at].passes {
				write(i, loops[at].to, loops[:at])
			}
			i = loops[at].to
		}
	}
	write(outer.from, outer.to, inner)
	return pass, nil
}

// passes returns how often the loop that begins at from and ends with the branch
// runs, or 0 if it does not count down from a number.
func (arch architecture) passes(code []instruction, from, branch int) int {
	for _, i := range []int{branch, branch - 1} {
		counter := arch.counts.FindStringSubmatch(code[i].text)
		if counter == nil {
			continue
		}
		for _, before := range slices.Backward(code[:from]) {
			m := arch.sets.FindStringSubmatch(before.text)
			if m == nil || m[arch.sets.SubexpIndex("register")] != counter[1] {
				continue
			}
			if n, err := strconv.ParseUint(m[arch.sets.SubexpIndex("number")], 16, 16); err == nil {
				return int(n)
			}
			return 0
		}
	}
	return 0
}

// How many instructions the shorter of two simulations takes at least, and how
// many passes of the loop.
const (
	minInstructions = 40_000
	minPasses       = 10
)

var totalCycles = regexp.MustCompile(`Total Cycles: +(\d+)`)

// simulate returns the cycles that one pass of a loop takes in the long run.
func (arch architecture) simulate(pass []string, core string) (float64, error) {
	run := func(passes int) (int, error) {
		args := append(slices.Clone(arch.mca), "-mcpu="+core, "-iterations="+strconv.Itoa(passes))
		text, err := output(exec.Command("llvm-mca-19", args...), strings.Join(pass, "\n"))
		if err != nil {
			return 0, err
		}
		m := totalCycles.FindStringSubmatch(text)
		if m == nil {
			return 0, errors.New("no total of cycles in llvm-mca's report")
		}
		return strconv.Atoi(m[1])
	}
	passes := max(minPasses, minInstructions/len(pass))
	short, err := run(passes)
	if err != nil {
		return 0, err
	}
	long, err := run(2 * passes)
	return float64(long-short) / float64(passes), err
}

// output runs c with the given standard input and returns what it prints.
func output(c *exec.Cmd, in string) (string, error) {
	c.Stdin = strings.NewReader(in)
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s: %w: %s", c.Args[0], err, bytes.TrimSpace(exit.Stderr))
	}
	return string(out), err
}
