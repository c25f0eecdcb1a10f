// Command _asm generates internal/block's kernels, for amd64 and arm64: their
// assembly, what Go has to know of them, and the constants of SHA-256.
// go generate ./... runs it from the root.
//
// One description of the round, in round.go, serves kernels of every width;
// machine_*.go say what an instruction set makes of its operations.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// A kernel is a generated function, which gets a file of its own.
type kernel struct {
	// name is lanes_isa, after the operation if it is not the compression of
	// streams: the number of lanes and the words of SHA256SIMD_DISABLE that
	// disable the kernel.
	name string
	// max bounds one call, so that it takes about 50 µs: in blocks of each lane,
	// nodes in all, groups of nonces, iterations of chains, or groups of chains of WOTS+.
	max int
	// One of these, for amd64 or arm64, generates it.
	avo func(c *build.Context, name string)
	arm func(f *armFunc)
}

// kernels lists them all. Within an operation, an architecture and a number of
// lanes the preferred one comes first: without measurements the order decides.
//
// Bounds of arm64 are, by llvm-mca, for a Cortex-A53 at 1.4 GHz or, without
// SHA2, a Cortex-A72 at 1.5 GHz; nodes at 1.8 GHz.
var kernels = []kernel{
	{name: "x1_avx512shani", max: 1024, avo: vectorShaKernel},
	{name: "x1_shani", max: 1024, avo: shaKernel(1)},
	{name: "x1_avx2", max: 512, avo: scalarKernel(scalarShape{vectors: newAVX2, rorx: true})},
	{name: "x1_avx", max: 512, avo: scalarKernel(scalarShape{vectors: newAVX, form: splitAdd})},
	{name: "x1_ssse3", max: 512, avo: scalarKernel(scalarShape{vectors: newSSE, form: splitAdd})},
	{name: "x2_avx512shani", max: 1024, avo: vectorShaKernel2},
	{name: "x2_shani", max: 1024, avo: shaKernel(2)},
	{name: "x4_shani", max: 512, avo: shaKernel(4)},
	{name: "x4_avx", max: 128, avo: laneKernel(laneShape{machine: newAVX, groups: 1})},
	{name: "x4_ssse3", max: 128, avo: laneKernel(laneShape{machine: newSSE, groups: 1, spreadConstants: true})},
	{name: "x8_avx2", max: 128, avo: laneKernel(laneShape{machine: newAVX2, groups: 1})},
	{name: "x8_avx512", max: 192, avo: laneKernel(laneShape{machine: newAVX512Half, groups: 1, scheduleInRegisters: true})},
	{name: "x16_avx512", max: 192, avo: laneKernel(laneShape{machine: newAVX512, groups: 1, scheduleInRegisters: true, preload: true, orders: lanes16})},
	{name: "x32_avx512", max: 128, avo: laneKernel(laneShape{machine: newAVX512, groups: 2, preload: true, orders: lanes32})},

	{name: "node_x32_avx512", max: 512, avo: nodeLaneKernel(laneShape{machine: newAVX512, groups: 2, preload: true, orders: lanes32})},
	{name: "node_x16_avx512", max: 512, avo: nodeLaneKernel(laneShape{machine: newAVX512, groups: 1, scheduleInRegisters: true, orders: lanes16})},
	{name: "node_x8_avx512", max: 512, avo: nodeLaneKernel(laneShape{machine: newAVX512Half, groups: 1, scheduleInRegisters: true})},
	{name: "node_x8_avx2", max: 512, avo: nodeLaneKernel(laneShape{machine: newAVX2, groups: 1})},
	{name: "node_x4_shani", max: 512, avo: shaNodeKernel(4, false)},
	{name: "node_x2_avx512shani", max: 512, avo: shaNodeKernel(2, true)},
	{name: "node_x2_shani", max: 512, avo: shaNodeKernel(2, false)},
	{name: "node_x1_shani", max: 512, avo: shaNodeKernel(1, false)},

	{name: "search_x32_avx512", max: 128, avo: searchKernel(laneShape{machine: newAVX512, groups: 2, form: splitAdd, orders: lanes32})},
	{name: "search_x4_shani", max: 384, avo: shaSearchKernel},
	{name: "search_x8_avx2", max: 96, avo: searchKernel(laneShape{machine: newAVX2, groups: 1, form: splitAdd})},
	{name: "search_x4_avx", max: 96, avo: searchKernel(laneShape{machine: newAVX, groups: 1})},
	{name: "search_x4_ssse3", max: 96, avo: searchKernel(laneShape{machine: newSSE, groups: 1, spreadConstants: true})},

	{name: "chain_x32_avx512", max: 48, avo: chainLaneKernel(laneShape{machine: newAVX512, groups: 2, orders: lanes32})},
	{name: "chain_x16_avx512", max: 80, avo: chainLaneKernel(laneShape{machine: newAVX512, groups: 1, scheduleInRegisters: true, orders: lanes16})},
	{name: "chain_x8_avx512", max: 80, avo: chainLaneKernel(laneShape{machine: newAVX512Half, groups: 1, scheduleInRegisters: true})},
	{name: "chain_x8_avx2", max: 64, avo: chainLaneKernel(laneShape{machine: newAVX2, groups: 1})},
	{name: "chain_x4_shani", max: 256, avo: chainShaKernel(4)},
	{name: "chain_x2_shani", max: 384, avo: chainShaKernel(2)},
	{name: "chain_x1_shani", max: 512, avo: chainShaKernel(1)},

	{name: "wots_x4_shani", max: 512, avo: wotsShaKernel},

	{name: "x1_sha2", max: 512, arm: sha2Kernel(1)},
	{name: "x2_sha2", max: 256, arm: sha2Kernel(2)},
	{name: "x4_sha2", max: 128, arm: sha2Kernel(4)},
	{name: "x4_neon", max: 32, arm: neonKernel},

	{name: "node_x4_sha2", max: 128, arm: sha2NodeKernel(4)},
	{name: "node_x2_sha2", max: 128, arm: sha2NodeKernel(2)},
	{name: "node_x1_sha2", max: 128, arm: sha2NodeKernel(1)},
	{name: "node_x4_neon", max: 128, arm: neonNodeKernel},

	{name: "search_x4_sha2", max: 80, arm: sha2SearchKernel},

	{name: "chain_x4_sha2", max: 64, arm: sha2ChainKernel(4)},
	{name: "chain_x2_sha2", max: 128, arm: sha2ChainKernel(2)},
	{name: "chain_x1_sha2", max: 256, arm: sha2ChainKernel(1)},
}

// helpers are the functions of assembly other than kernels.
var helpers = []kernel{
	{name: "fetch", avo: fetchAMD64},
	{name: "fetch", arm: fetchARM64},
	{name: "padShort_avx512", avo: padShort(newMaskPadder)},
	{name: "padShort_ssse3", avo: padShort(newCopyPadder)},
	{name: "padShort_neon", arm: neonPadShort},
	{name: "putDigests_avx512", avo: putDigests(newMaskPutter)},
	{name: "putDigests_ssse3", avo: putDigests(newBytePutter)},
	{name: "putDigests_neon", arm: neonPutDigests},
	{name: "append_avx512", avo: appendPiece},
	{name: "finish_avx512shani", avo: finishMessage},
	{name: "write_avx512shani", avo: writePiece},
}

// generator is what generated files say that generated them.
const generator = "go generate"

func main() {
	log.SetFlags(0)
	switch args := os.Args[1:]; {
	case len(args) == 1:
		if err := generate(args[0]); err != nil {
			log.Fatal(err)
		}
	case (len(args) == 2 || len(args) == 3) && args[0] == "tune":
		tuneCommand(args[1:])
	default:
		log.Fatal("usage: _asm directory\n       _asm tune kernel [time]")
	}
}

func generate(dir string) error {
	catalog, err := newCatalog(kernels)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	config := printer.Config{Name: generator, Pkg: "block"}
	stubs := ir.NewFile()
	var armFuncs []*armFunc
	// add generates the function of k, and returns what it needs.
	add := func(k kernel) (needs []string, err error) {
		if k.arm != nil {
			f := &armFunc{name: k.name}
			k.arm(f)
			files[k.name+"_arm64.s"] = f.source()
			needs = f.needs()
			f.doc = withNeeds(f.doc, needs, "Advanced SIMD, which is part of every arm64")
			armFuncs = append(armFuncs, f)
			return needs, nil
		}
		file, err := k.compile()
		if err != nil {
			return nil, fmt.Errorf("generating %s: %w", k.name, err)
		}
		if files[k.name+"_amd64.s"], err = printer.NewGoAsm(config).Print(file); err != nil {
			return nil, fmt.Errorf("printing %s: %w", k.name, err)
		}
		stubs.Constraints = file.Constraints
		for _, f := range file.Functions() {
			if needs, err = needsOf(f); err != nil {
				return nil, fmt.Errorf("%s: %w", k.name, err)
			}
			f.Doc = withNeeds(f.Doc, needs, "SSE2, which is part of every amd64")
			stubs.AddSection(f)
		}
		return needs, nil
	}
	for i := range catalog {
		if catalog[i].needs, err = add(catalog[i].kernel); err != nil {
			return err
		}
	}
	for _, h := range helpers {
		if _, err := add(h); err != nil {
			return err
		}
	}

	if files["stubs_amd64.go"], err = printer.NewStubs(config).Print(stubs); err != nil {
		return fmt.Errorf("printing stubs: %w", err)
	}
	files["stubs_arm64.go"] = armStubs(armFuncs)
	for name, source := range map[string][]byte{
		"kernels_amd64.go": kernelsSource(catalog, "amd64"),
		"kernels_arm64.go": kernelsSource(catalog, "arm64"),
		"catalog.go":       catalogSource(catalog),
		"constants.go":     constantsSource(),
	} {
		if files[name], err = format.Source(source); err != nil {
			return fmt.Errorf("formatting %s: %w", name, err)
		}
	}
	for _, arch := range []string{"amd64", "arm64"} {
		files["tables_"+arch+".s"] = tablesSource()
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return removeStale(dir, files)
}

// removeStale removes what an earlier run wrote to dir and this one did not: the files of
// a kernel that has another name now, or is gone.
func removeStale(dir string, written map[string][]byte) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.*"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, ok := written[filepath.Base(name)]; ok {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("looking for stale files: %w", err)
		}
		if !bytes.HasPrefix(text, []byte("// Code generated by "+generator+". DO NOT EDIT.\n")) {
			continue
		}
		if err := os.Remove(name); err != nil {
			return fmt.Errorf("removing a stale file: %w", err)
		}
	}
	return nil
}

// compile generates the function of a kernel of amd64.
func (k kernel) compile() (*ir.File, error) {
	c := build.NewContext()
	c.ConstraintExpr("!purego")
	k.avo(c, k.name)
	file, err := c.Result()
	if err != nil {
		return nil, err
	}
	// avo takes PREFETCHT0 for an extension of AMD's. It is part of SSE, too.
	for _, f := range file.Functions() {
		for _, i := range f.Instructions() {
			if i.Opcode == "PREFETCHT0" {
				i.ISA = []string{"SSE"}
			}
		}
	}
	return file, pass.Compile.Execute(file)
}

// constantsSource returns the Go source of the constants that every port needs.
func constantsSource() []byte {
	var b bytes.Buffer
	iv256, iv224 := initialValues()
	fmt.Fprintf(&b, "// Code generated by %s. DO NOT EDIT.\n\npackage block\n\n", generator)
	k := roundConstants()
	fmt.Fprintf(&b, "// The round constants and initial hash values of FIPS 180-4. Assembly has its own,\n")
	fmt.Fprintf(&b, "// which are read-only: tables_*.s.\n")
	fmt.Fprintf(&b, "var (\n\tk = [64]uint32{%s}\n\tiv256 = State{%s}\n\tiv224 = State{%s}\n)\n",
		hexList(k[:]), hexList(iv256[:]), hexList(iv224[:]))
	return b.Bytes()
}

// tablesSource returns the tables that kernels read, in memory that nothing can write:
// K, K+W of a node's second block, and the initial hash value.
func tablesSource() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by %s. DO NOT EDIT.\n\n//go:build !purego\n\n#include \"textflag.h\"\n", generator)
	k, node := roundConstants(), nodeConstants()
	iv, _ := initialValues()
	for _, table := range []struct {
		name  string
		words []uint32
	}{{"tableK", k[:]}, {"tableNodeK", node[:]}, {"tableIV256", iv[:]}} {
		fmt.Fprintln(&b)
		for i := 0; i < len(table.words); i += 2 {
			fmt.Fprintf(&b, "DATA ·%s+%d(SB)/8, $0x%08x%08x\n", table.name, 4*i, table.words[i+1], table.words[i])
		}
		fmt.Fprintf(&b, "GLOBL ·%s(SB), RODATA|NOPTR, $%d\n", table.name, 4*len(table.words))
	}
	return b.Bytes()
}

// hexList formats words eight to a line.
func hexList(words []uint32) string {
	var b bytes.Buffer
	for i, w := range words {
		if i%8 == 0 {
			b.WriteString("\n\t\t")
		}
		fmt.Fprintf(&b, "0x%08x, ", w)
	}
	b.WriteString("\n\t")
	return b.String()
}
