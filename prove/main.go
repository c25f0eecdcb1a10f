// Command prove proves that kernels of the library compute SHA-256 as FIPS
// 180-4 defines it, for all inputs. It reads the machine code that is linked
// into a program. docs/proof.md says what is proved, and what the proof rests
// on.
//
//	go run ./prove                # every kernel of both architectures
//	go run ./prove x4_shani       # some
//	go run ./prove -bin FILE x4_shani
//
// It prints a line for each kernel, and exits with status 1 if one is refused.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	blocks "github.com/sha256-simd/sha256-simd/internal/block"
)

func main() {
	bin := flag.String("bin", "", "prove kernels of this linked `program`, with its symbols, instead of one that is built here")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: prove [-bin program] [kernel ...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	ok, err := proveAll(*bin, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// proveAll proves the kernels named, or all, and reports whether none is refused.
func proveAll(bin string, names []string) (bool, error) {
	var kernels []blocks.Spec
	for _, k := range blocks.Catalog() {
		if len(names) == 0 || slices.Contains(names, k.Name) {
			kernels = append(kernels, k)
		}
	}
	for _, n := range names {
		if !slices.ContainsFunc(kernels, func(k blocks.Spec) bool { return k.Name == n }) {
			return false, fmt.Errorf("%s: no kernel of the catalog has this name", n)
		}
	}
	programs := map[string]string{}
	dir, err := os.MkdirTemp("", "prove")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	for _, k := range kernels {
		if programs[k.Arch] != "" {
			continue
		}
		if bin != "" {
			programs[k.Arch] = bin
		} else if programs[k.Arch], err = build(dir, k.Arch); err != nil {
			return false, err
		}
	}
	if len(kernels) == 1 {
		return proveOne(programs[kernels[0].Arch], kernels[0])
	}
	return eachByItself(programs, kernels)
}

// eachByItself proves each kernel in a process of its own, which gives memory back,
// as many at a time as there are CPUs.
func eachByItself(programs map[string]string, kernels []blocks.Spec) (bool, error) {
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	type result struct {
		out []byte
		err error
	}
	results := make([]chan result, len(kernels))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	// The longest proofs, of search kernels, begin first.
	queue := make(chan int, len(kernels))
	for _, searches := range []bool{true, false} {
		for i, k := range kernels {
			if (k.Operation == blocks.SearchOp) == searches {
				queue <- i
			}
		}
	}
	close(queue)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for i := range queue {
				cmd := exec.Command(self, "-bin", programs[kernels[i].Arch], kernels[i].Name)
				cmd.Stderr = os.Stderr
				cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
				out, err := cmd.Output()
				results[i] <- result{out, err}
			}
		}()
	}
	ok := true
	for i, r := range results {
		r := <-r
		os.Stdout.Write(r.out)
		if e := new(exec.ExitError); errors.As(r.err, &e) && e.ExitCode() == 1 {
			ok = false
		} else if r.err != nil {
			return false, fmt.Errorf("%s: %w", kernels[i].Name, r.err)
		}
	}
	return ok, nil
}

// proveOne proves a kernel and prints its line.
func proveOne(path string, k blocks.Spec) (bool, error) {
	start := time.Now()
	p, err := open(path)
	if err != nil {
		return false, err
	}
	c, err := p.disassemble(k.Name)
	if err != nil {
		return false, err
	}
	shown, err := p.prove(k, c)
	var why refusal
	switch {
	case errors.As(err, &why):
		fmt.Printf("refused %s: %s\n", k.Name, why)
		return false, nil
	case err != nil:
		return false, err
	}
	fmt.Printf("proved %s: %s, %.1f s\n", k.Name, shown, time.Since(start).Seconds())
	return true, nil
}
