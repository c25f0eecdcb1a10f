// Kernels prints the names of the kernels of an architecture that run on a CPU with
// some extensions, one a line. Continuous integration asks it which kernels a CPU has
// to run.
//
//	go run ./internal/kernels amd64 SSSE3 AVX
//
// An extension that no kernel of the architecture needs is an error: it may be
// misspelt. With -others it is not, for lists of all that a CPU has.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

func main() {
	others := flag.Bool("others", false, "extensions that no kernel needs are no error")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: kernels [-others] GOARCH [EXTENSION]...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	names, err := kernels(flag.Arg(0), flag.Args()[1:], *others)
	if err != nil {
		fmt.Fprintln(os.Stderr, "kernels:", err)
		os.Exit(1)
	}
	for _, name := range names {
		fmt.Println(name)
	}
}

// kernels returns the names of an architecture's kernels that need no other extensions. Others
// says that the extensions may have some that no kernel needs.
func kernels(arch string, extensions []string, others bool) ([]string, error) {
	var names, archs, needed []string
	for _, k := range block.Catalog() {
		archs = append(archs, k.Arch)
		if k.Arch != arch {
			continue
		}
		runs := true
		for _, f := range k.Needs.All() {
			needed = append(needed, f.String())
			runs = runs && slices.Contains(extensions, f.String())
		}
		if runs {
			names = append(names, k.Name)
		}
	}
	if !slices.Contains(archs, arch) {
		return nil, fmt.Errorf("no kernel is for %q, only for %s", arch, set(archs))
	}
	for _, e := range extensions {
		if !others && !slices.Contains(needed, e) {
			return nil, fmt.Errorf("no kernel of %s needs %q, only %s", arch, e, set(needed))
		}
	}
	return names, nil
}

// set joins different words.
func set(words []string) string {
	slices.Sort(words)
	return strings.Join(slices.Compact(words), ", ")
}
