// Kernels prints the names of the kernels of an architecture that run on a CPU with
// some extensions, one a line. Continuous integration asks it which kernels an
// emulated CPU has to run.
//
//	go run ./internal/kernels amd64 SSSE3 AVX
package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/cpu"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: kernels GOARCH [EXTENSION]...")
		os.Exit(2)
	}
	arch, extensions := os.Args[1], os.Args[2:]
	isMissing := func(f cpu.Features) bool { return !slices.Contains(extensions, f.String()) }
	for _, k := range block.Catalog() {
		if k.Arch == arch && !slices.ContainsFunc(k.Needs.All(), isMissing) {
			fmt.Println(k.Name)
		}
	}
}
