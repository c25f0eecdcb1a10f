// Command mca prints what llvm-mca makes of the arm64 kernels: simulated
// cycles per block, for cores that the machine at hand is not. From _asm:
//
//	go run ./mca
//
// It builds the kernels, takes the loop over the blocks out of the object by
// aarch64-linux-gnu-objdump (Debian: binutils-aarch64-linux-gnu) and feeds it
// to llvm-mca-19 (Debian: llvm-19). The model knows issue slots, latencies and
// the size of the window, no cache and no branch prediction; where LLVM has no
// description of a core of its own it borrows a relative's.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

const (
	block      = "github.com/sha256-simd/sha256-simd/internal/block"
	standard   = "crypto/internal/fips140/sha256" // where Go 1.25 and 1.26 have theirs
	iterations = 200
)

var cores = []string{"neoverse-n1", "neoverse-v1", "neoverse-v2", "cortex-a72", "cortex-a53", "cortex-a55", "apple-m1"}

// kernels are Go's own kernel and ours, and the blocks, or nodes, that a pass of
// their loop takes.
var kernels = []struct {
	pkg, name string
	lanes     int
	inner     []int // passes of the loops within the loop
}{
	{standard, "blockSHA2", 1, nil},
	{block, "x1_sha2", 1, nil},
	{block, "x2_sha2", 2, nil},
	{block, "x4_sha2", 4, nil},
	{block, "x4_neon", 4, []int{3}},
	{block, "node_x1_sha2", 1, nil},
	{block, "node_x2_sha2", 2, nil},
	{block, "node_x4_sha2", 4, nil},
	{block, "node_x4_neon", 4, []int{3, 4}},
}

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal("mca: ", err)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "mca")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	object := filepath.Join(dir, "block.test")
	build := exec.Command("go", "test", "-c", "-o", object, block)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if _, err := output(build, ""); err != nil {
		return fmt.Errorf("building the kernels: %w", err)
	}

	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintf(w, "| simulated cycles per block or node\t| %s\t|\n", strings.Join(cores, "\t| "))
	fmt.Fprintf(w, "| ---%s\t|\n", strings.Repeat("\t| ---", len(cores)))
	for _, k := range kernels {
		loop, err := extract(object, k.pkg+"."+k.name, k.inner)
		if err != nil {
			return fmt.Errorf("extracting the loop of %s: %w", k.name, err)
		}
		fmt.Fprintf(w, "| %s", k.name)
		for _, core := range cores {
			cycles, err := simulate(loop, core)
			if err != nil {
				return fmt.Errorf("simulating %s on %s: %w", k.name, core, err)
			}
			fmt.Fprintf(w, "\t| %.1f", cycles/float64(k.lanes))
		}
		fmt.Fprintln(w, "\t|")
	}
	return w.Flush()
}

// An instruction of a disassembly.
type instruction struct {
	address uint64
	text    string
}

var (
	disassembled = regexp.MustCompile(`^ +([0-9a-f]+):\t[0-9a-f]{8} \t([^/]*)`)
	loopEnd      = regexp.MustCompile(`^(cbnz\t\w+, )([0-9a-f]+)`)
)

// extract returns the loop of a kernel, with the loops inside it written out
// as often as inner says.
func extract(object, symbol string, inner []int) (string, error) {
	text, err := output(exec.Command("aarch64-linux-gnu-objdump", "-d", "--disassemble="+symbol+".abi0", object), "")
	if err != nil {
		return "", err
	}
	var code []instruction
	type span struct{ from, to int } // in code
	var loops []span                 // inner ones first
	for l := range strings.Lines(text) {
		m := disassembled.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		address, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			return "", err
		}
		i := instruction{address, m[2]}
		if m := loopEnd.FindStringSubmatch(m[2]); m != nil {
			target, err := strconv.ParseUint(m[2], 16, 64)
			if err != nil {
				return "", err
			}
			from := slices.IndexFunc(code, func(i instruction) bool { return i.address == target })
			if from < 0 {
				return "", fmt.Errorf("the branch at %#x does not end a loop", address)
			}
			i.text = m[1] + "."
			loops = append(loops, span{from, len(code) + 1})
		}
		code = append(code, i)
	}
	if len(loops) != 1+len(inner) {
		return "", fmt.Errorf("found %d loops", len(loops))
	}
	var b strings.Builder
	write := func(from, to int) {
		for _, i := range code[from:to] {
			fmt.Fprintln(&b, i.text)
		}
	}
	outer := loops[len(inner)]
	at := outer.from
	for i, passes := range inner {
		write(at, loops[i].from)
		for range passes {
			write(loops[i].from, loops[i].to)
		}
		at = loops[i].to
	}
	write(at, outer.to)
	return b.String(), nil
}

var totalCycles = regexp.MustCompile(`Total Cycles: +(\d+)`)

// simulate returns the cycles that one pass of a loop takes in the long run.
func simulate(loop, core string) (float64, error) {
	run := func(iterations int) (int, error) {
		text, err := output(exec.Command("llvm-mca-19", "-mtriple=aarch64", "-mcpu="+core, "-mattr=+sha2",
			"-iterations="+strconv.Itoa(iterations)), loop)
		if err != nil {
			return 0, err
		}
		m := totalCycles.FindStringSubmatch(text)
		if m == nil {
			return 0, errors.New("no total of cycles in llvm-mca's report")
		}
		return strconv.Atoi(m[1])
	}
	short, err := run(iterations)
	if err != nil {
		return 0, err
	}
	long, err := run(2 * iterations)
	return float64(long-short) / iterations, err
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
