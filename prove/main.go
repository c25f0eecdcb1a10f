// Command prove proves that kernels of the library compute SHA-256 as FIPS
// 180-4 defines it, for all inputs. It reads the machine code that is linked
// into programs. docs/proof.md says what is proved, and what the proof rests on.
//
//	go run ./prove                # every kernel of both architectures, in each build
//	go run ./prove x4_shani       # some
//	go run ./prove -bin FILE      # those that a program links
//	go run ./prove -bin FILE x4_shani
//
// It prints a line for each kernel and each code of it, with the builds that have this
// code, and exits with status 1 if one is refused. A kernel that is named must be linked.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	blocks "github.com/sha256-simd/sha256-simd/internal/block"
)

func main() {
	bin := flag.String("bin", "", "prove kernels of this linked `program`, with its symbols, instead of those that are built here")
	dir := flag.String("linked", "", "a `folder` with the programs that are built here, if it is there already")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: prove [-bin program] [kernel ...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	ok, err := proveAll(*bin, *dir, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// A task is a code of a kernel to prove.
type task struct {
	kernel blocks.Spec
	code   *code
	bin    string   // a program that has it
	builds []string // all of them
}

// proveAll proves the kernels named, or all, and reports whether none is refused.
func proveAll(bin, dir string, names []string) (bool, error) {
	kernels, err := kernelsNamed(names)
	if err != nil {
		return false, err
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "prove"); err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
	}
	var tasks []*task
	if bin == "" {
		tasks, err = tasksOfBuilds(kernels, dir)
	} else {
		var missing []string
		if tasks, missing, err = tasksOfProgram(kernels, bin, dir, len(names) > 0); len(missing) > 0 {
			fmt.Printf("not linked: %s (%s)\n", strings.Join(missing, ", "), bin)
		}
	}
	if err != nil {
		return false, err
	}
	if len(tasks) == 1 {
		return tasks[0].prove()
	}
	return eachByItself(tasks, dir)
}

// kernelsNamed finds kernels by their names: none means all.
func kernelsNamed(names []string) ([]blocks.Spec, error) {
	if len(names) == 0 {
		return provable(), nil
	}
	var kernels []blocks.Spec
	for _, k := range provable() {
		if slices.Contains(names, k.Name) {
			kernels = append(kernels, k)
		}
	}
	for _, n := range names {
		if !slices.ContainsFunc(kernels, func(k blocks.Spec) bool { return k.Name == n }) {
			return nil, fmt.Errorf("%s: no kernel has this name", n)
		}
	}
	return kernels, nil
}

// tasksOfProgram are the codes of kernels in a program. All of them must be linked there if
// they were named. If not, the others are returned that its architecture has.
func tasksOfProgram(kernels []blocks.Spec, bin, dir string, named bool) (tasks []*task, missing []string, err error) {
	p, err := open(bin)
	if err != nil {
		return nil, nil, err
	}
	if !p.hasSizes() {
		like, err := first(p.arch()).open(dir, nil)
		if err != nil {
			return nil, nil, err
		}
		p.setSizes(like)
	}
	for _, k := range kernels {
		if !named && p.symbol(symbolOf(k.Name)) == nil {
			if k.Arch == p.arch() {
				missing = append(missing, k.Name)
			}
			continue
		}
		c, err := p.kernel(k.Name)
		if err != nil {
			return nil, nil, err
		}
		tasks = append(tasks, &task{kernel: k, code: c, bin: bin, builds: []string{bin}})
	}
	if len(tasks) == 0 {
		return nil, nil, fmt.Errorf("%s: no kernel is linked", bin)
	}
	return tasks, missing, nil
}

// tasksOfBuilds are the codes of kernels in all builds.
func tasksOfBuilds(kernels []blocks.Spec, dir string) (tasks []*task, err error) {
	byKernel := map[string][]*task{}
	likes := map[string]*program{}
	for _, b := range builds {
		of := slices.DeleteFunc(slices.Clone(kernels), func(k blocks.Spec) bool { return k.Arch != b.arch })
		if len(of) == 0 {
			continue
		}
		p, err := b.open(dir, likes[b.arch])
		if err != nil {
			return nil, err
		}
		if likes[b.arch] == nil {
			likes[b.arch] = p
		}
		for _, k := range of {
			c, err := p.kernel(k.Name)
			if err != nil {
				return nil, err
			}
			same := slices.IndexFunc(byKernel[k.Name], func(t *task) bool { return t.code.same(c) })
			if same < 0 {
				same = len(byKernel[k.Name])
				byKernel[k.Name] = append(byKernel[k.Name], &task{kernel: k, code: c, bin: p.path})
			}
			t := byKernel[k.Name][same]
			t.builds = append(t.builds, b.String())
		}
	}
	for _, k := range kernels {
		tasks = append(tasks, byKernel[k.Name]...)
	}
	return tasks, nil
}

// eachByItself proves each code in a process of its own, which gives memory back, as
// many at a time as there are CPUs.
func eachByItself(tasks []*task, dir string) (bool, error) {
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	type result struct {
		out []byte
		err error
	}
	results := make([]chan result, len(tasks))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	// The longest proofs, of search kernels and routines, begin first.
	queue := make(chan int, len(tasks))
	for _, long := range []bool{true, false} {
		for i, t := range tasks {
			if (t.kernel.Operation == blocks.SearchOp || routineNamed(t.kernel.Name) != nil) == long {
				queue <- i
			}
		}
	}
	close(queue)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for i := range queue {
				cmd := exec.Command(self, "-linked", dir, "-bin", tasks[i].bin, tasks[i].kernel.Name)
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
		os.Stdout.WriteString(strings.ReplaceAll(string(r.out), tasks[i].bin, strings.Join(tasks[i].builds, ", ")))
		if e := new(exec.ExitError); errors.As(r.err, &e) && e.ExitCode() == 1 {
			ok = false
		} else if r.err != nil {
			return false, fmt.Errorf("%s: %w", tasks[i].kernel.Name, r.err)
		}
	}
	return ok, nil
}

// prove proves a code and prints its line.
func (t *task) prove() (bool, error) {
	start := time.Now()
	shown, err := prove(t.kernel, t.code)
	var why refusal
	switch where := strings.Join(t.builds, ", "); {
	case errors.As(err, &why):
		fmt.Printf("refused %s: %s (%s)\n", t.kernel.Name, why.why, where)
		return false, nil
	case err != nil:
		return false, err
	default:
		fmt.Printf("proved %s: %s (%s), %.1f s\n", t.kernel.Name, shown, where, time.Since(start).Seconds())
		return true, nil
	}
}
