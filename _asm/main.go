// Command _asm generates the assembly of internal/block, for amd64 and arm64,
// and the constants of SHA-256. go generate ./... runs it from the root.
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

// kernels lists the generated functions. Each gets a file of its own.
var kernels = []struct {
	name     string
	generate func(c *build.Context, name string)
}{
	{"x1_shani", shaKernel(1)},
	{"x1_avx2", scalarKernel(scalarShape{vectors: newAVX2, rorx: true, isa: "AVX2 and BMI2"})},
	{"x1_avx", scalarKernel(scalarShape{vectors: newAVX, splitAdd: true, isa: "AVX"})},
	{"x1_ssse3", scalarKernel(scalarShape{vectors: newSSE, splitAdd: true, isa: "SSSE3"})},
	{"x2_shani", shaKernel(2)},
	{"x4_shani", shaKernel(4)},
	{"x1_avx512shani", vectorShaKernel},
	{"x2_avx512shani", vectorShaKernel2},
	{"node_x1_shani", shaNodeKernel(1, false)},
	{"node_x2_shani", shaNodeKernel(2, false)},
	{"node_x2_avx512shani", shaNodeKernel(2, true)},
	{"node_x4_shani", shaNodeKernel(4, false)},
	{"x4_ssse3", laneKernel(laneShape{machine: newSSE, groups: 1, spreadConstants: true, isa: "SSSE3"})},
	{"x4_avx", laneKernel(laneShape{machine: newAVX, groups: 1, isa: "AVX"})},
	{"x8_avx2", laneKernel(laneShape{machine: newAVX2, groups: 1, isa: "AVX2"})},
	{"x16_avx512", laneKernel(laneShape{machine: newAVX512, groups: 1, scheduleInRegisters: true, preload: true, splitAdd: true, isa: "AVX512F and AVX512BW"})},
	{"x32_avx512", laneKernel(laneShape{machine: newAVX512, groups: 2, preload: true, isa: "AVX512F and AVX512BW"})},
	{"node_x8_avx2", nodeLaneKernel(laneShape{machine: newAVX2, groups: 1, isa: "AVX2"})},
	{"node_x16_avx512", nodeLaneKernel(laneShape{machine: newAVX512, groups: 1, scheduleInRegisters: true, splitAdd: true, isa: "AVX512F and AVX512BW"})},
	{"node_x32_avx512", nodeLaneKernel(laneShape{machine: newAVX512, groups: 2, preload: true, isa: "AVX512F and AVX512BW"})},
	{"search_x4_shani", shaSearchKernel},
	{"search_x4_ssse3", searchKernel(laneShape{machine: newSSE, groups: 1, spreadConstants: true, isa: "SSSE3"})},
	{"search_x4_avx", searchKernel(laneShape{machine: newAVX, groups: 1, isa: "AVX"})},
	{"search_x8_avx2", searchKernel(laneShape{machine: newAVX2, groups: 1, splitAdd: true, isa: "AVX2"})},
	{"search_x32_avx512", searchKernel(laneShape{machine: newAVX512, groups: 2, splitAdd: true, isa: "AVX512F"})},
}

// armKernels lists the functions of arm64.
var armKernels = []struct {
	name     string
	generate func(f *armFunc)
}{
	{"x1_sha2", sha2Kernel(1)},
	{"x2_sha2", sha2Kernel(2)},
	{"x4_sha2", sha2Kernel(4)},
	{"x4_neon", neonKernel},
	{"node_x1_sha2", sha2NodeKernel(1)},
	{"node_x2_sha2", sha2NodeKernel(2)},
	{"node_x4_sha2", sha2NodeKernel(4)},
	{"node_x4_neon", neonNodeKernel},
	{"search_x4_sha2", sha2SearchKernel},
}

const warning = "go generate"

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: _asm directory")
	}
	if err := generate(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func generate(dir string) error {
	config := printer.Config{Name: warning, Pkg: "block"}
	stubs := ir.NewFile()
	for _, k := range kernels {
		c := build.NewContext()
		c.ConstraintExpr("!purego")
		k.generate(c, k.name)
		file, err := c.Result()
		if err != nil {
			return fmt.Errorf("generating %s: %w", k.name, err)
		}
		if err := pass.Compile.Execute(file); err != nil {
			return fmt.Errorf("compiling %s: %w", k.name, err)
		}
		asm, err := printer.NewGoAsm(config).Print(file)
		if err != nil {
			return fmt.Errorf("printing %s: %w", k.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, k.name+"_amd64.s"), asm, 0o644); err != nil {
			return err
		}
		stubs.Constraints = file.Constraints
		for _, f := range file.Functions() {
			stubs.AddSection(f)
		}
	}
	text, err := printer.NewStubs(config).Print(stubs)
	if err != nil {
		return fmt.Errorf("printing stubs: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "stubs_amd64.go"), text, 0o644); err != nil {
		return err
	}
	if err := generateARM(dir); err != nil {
		return err
	}
	text, err = constantsSource()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "constants.go"), text, 0o644)
}

// generateARM writes the kernels of arm64 and their declarations.
func generateARM(dir string) error {
	var fs []*armFunc
	for _, k := range armKernels {
		f := &armFunc{name: k.name}
		k.generate(f)
		if err := os.WriteFile(filepath.Join(dir, f.name+"_arm64.s"), f.source(), 0o644); err != nil {
			return err
		}
		fs = append(fs, f)
	}
	return os.WriteFile(filepath.Join(dir, "stubs_arm64.go"), armStubs(fs), 0o644)
}

// constantsSource returns the Go source of the constants that every port needs.
func constantsSource() ([]byte, error) {
	var b bytes.Buffer
	iv256, iv224 := initialValues()
	fmt.Fprintf(&b, "// Code generated by %s. DO NOT EDIT.\n\npackage block\n\n", warning)
	k, node := roundConstants(), nodeConstants()
	fmt.Fprintf(&b, "// The round constants and initial hash values of FIPS 180-4; nodeK is K(t)+W(t) for\n")
	fmt.Fprintf(&b, "// the second block, all padding, of a message of 64 bytes. Assembly reads them.\n")
	fmt.Fprintf(&b, "var (\n\tk = [64]uint32{%s}\n\tnodeK = [64]uint32{%s}\n\tiv256 = State{%s}\n\tiv224 = State{%s}\n)\n",
		hexList(k[:]), hexList(node[:]), hexList(iv256[:]), hexList(iv224[:]))
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("formatting the constants: %w", err)
	}
	return text, nil
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
