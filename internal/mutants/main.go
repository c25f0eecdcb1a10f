package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func main() {
	list := flag.Bool("list", false, "only look whether the texts are in the files")
	atATime := flag.Int("p", max(1, runtime.NumCPU()/2), "mutants `at a time`")
	verbose := flag.Bool("v", false, "print the mutants that are noticed, too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, flag.Args(), *list, *atATime, *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// run tries the mutants whose names match patterns, or looks whether their texts
// are there, and reports whether all is well.
func run(ctx context.Context, patterns []string, list bool, atATime int, verbose bool) (bool, error) {
	gomod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return false, fmt.Errorf("looking for the root of the module: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(gomod)))
	tables, err := filepath.Glob(filepath.Join(root, "internal/mutants/*.txt"))
	if err != nil {
		return false, err
	}
	mutants, err := readTables(tables)
	if err != nil {
		return false, err
	}
	if len(mutants) == 0 {
		return false, fmt.Errorf("no mutants in %s: not a folder of the library's module", root)
	}
	mutants, err = matching(mutants, patterns)
	if err != nil {
		return false, err
	}
	if list {
		return texts(root, mutants), nil
	}
	temp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(temp)
	var copies []string
	for i := range atATime {
		copies = append(copies, filepath.Join(temp, strconv.Itoa(i)))
		if err := copyTree(ctx, copies[i], root); err != nil {
			return false, fmt.Errorf("copying the repository: %w", err)
		}
	}

	start := time.Now()
	r := &runner{unmutated: map[string]func() (outcome, error){}}
	var noticed, survived, omitted, equivalent, errs int
	r.all(ctx, copies, mutants, func(m *mutant, got outcome, err error) {
		switch {
		case err != nil:
			errs++
			fmt.Printf("ERROR    %s: %s: %v\n", m.path(), m.name, err)
		case m.equivalent != "":
			equivalent++
		case got == passed:
			survived++
			fmt.Printf("SURVIVED %s: %s: %s passes\n", m.path(), m.name, m.test)
		case got == skipped:
			omitted++
			fmt.Printf("skipped  %s: %s: this machine skips %s\n", m.path(), m.name, m.test)
		default:
			noticed++
			if verbose {
				fmt.Printf("noticed  %s: %s: %s\n", m.path(), m.name, m.test)
			}
		}
		if n := noticed + survived + omitted + equivalent + errs; n%20 == 0 {
			fmt.Printf("%d of %d, %s\n", n, len(mutants), time.Since(start).Round(time.Second))
		}
	})
	fmt.Printf("%d mutants in %s: %d noticed, %d survived, %d skipped, %d argued equivalent, %d errors\n",
		len(mutants), time.Since(start).Round(time.Second), noticed, survived, omitted, equivalent, errs)
	return survived+errs == 0, ctx.Err()
}

// matching returns the mutants whose names match one of the patterns.
func matching(mutants []*mutant, patterns []string) ([]*mutant, error) {
	if len(patterns) == 0 {
		return mutants, nil
	}
	re, err := regexp.Compile(strings.Join(patterns, "|"))
	if err != nil {
		return nil, err
	}
	var some []*mutant
	for _, m := range mutants {
		if re.MatchString(m.name) {
			some = append(some, m)
		}
	}
	if len(some) == 0 {
		return nil, fmt.Errorf("no mutant's name matches %s", re)
	}
	return some, nil
}

// texts reports whether the texts of all mutants are in their files.
func texts(root string, mutants []*mutant) bool {
	ok := true
	for _, m := range mutants {
		source, err := os.ReadFile(filepath.Join(root, m.path()))
		if err == nil {
			_, err = m.mutate(string(source))
		}
		if err != nil {
			ok = false
			fmt.Printf("%s: %v\n", m.name, err)
		}
	}
	fmt.Printf("%d mutants\n", len(mutants))
	return ok
}
