package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// emulators are the programs that run other architectures' programs.
var emulators = map[string]string{"amd64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static"}

// An outcome is what a run of a test says.
type outcome int

const (
	unknown outcome = iota // it says nothing
	passed
	failed
	skipped
)

// A runner runs tests in copies of the repository, without a mutant only once
// each.
type runner struct {
	mu        sync.Mutex
	unmutated map[string]func() (outcome, error)
}

// try reports whether the mutant's test notices it, in the copy root of the
// repository.
func (r *runner) try(ctx context.Context, root string, m *mutant) (got outcome, err error) {
	name := filepath.Join(root, m.path())
	source, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	mutated, err := m.mutate(string(source))
	if err != nil {
		return 0, err
	}
	if m.equivalent != "" {
		return skipped, nil
	}
	without, err := r.without(ctx, root, m)()
	switch {
	case err != nil:
		return 0, fmt.Errorf("without the mutant: %w", err)
	case without != passed:
		return without, nil
	}
	defer func() {
		if undone := os.WriteFile(name, source, 0o600); undone != nil {
			err = cmp.Or(err, undone)
		}
	}()
	if err := os.WriteFile(name, []byte(mutated), 0o600); err != nil {
		return 0, err
	}
	return test(ctx, root, m)
}

// without returns what the mutant's test says without it: that it passed or was
// skipped, or an error.
func (r *runner) without(ctx context.Context, root string, m *mutant) func() (outcome, error) {
	key := fmt.Sprintf("%q", []any{m.module, m.packages, m.test, m.flags, m.env, m.cpu})
	r.mu.Lock()
	defer r.mu.Unlock()
	once := r.unmutated[key]
	if once == nil {
		once = sync.OnceValues(func() (outcome, error) {
			got, err := test(ctx, root, m)
			if got == failed {
				err = errors.New("the test fails")
			}
			return got, err
		})
		r.unmutated[key] = once
	}
	return once
}

// test runs the mutant's test in root.
func test(ctx context.Context, root string, m *mutant) (outcome, error) {
	args := []string{"test", "-v", "-count=1", "-vet=off", "-run", pattern(m.test)}
	if !slices.ContainsFunc(m.flags, func(f string) bool { return strings.HasPrefix(f, "-timeout") }) {
		args = append(args, "-timeout=60s")
	}
	args = append(args, m.flags...)
	env := os.Environ()
	dir := filepath.Join(root, m.module)
	inside, err := inWorkspace(ctx, dir)
	if err != nil {
		return 0, err
	}
	if !inside {
		env = append(env, "GOWORK=off")
	}
	if len(m.cpu) > 0 {
		arch := m.cpu[0]
		env = append(env, "CGO_ENABLED=0", "GOARCH="+arch)
		emulator := emulators[arch]
		if len(m.cpu) == 2 {
			args = append(args, "-exec", emulator+" -cpu "+m.cpu[1])
		} else if arch != runtime.GOARCH {
			args = append(args, "-exec", emulator)
		}
	}
	cmd := exec.CommandContext(ctx, "go", append(args, m.packages...)...)
	cmd.Dir = dir
	cmd.Env = append(env, m.env...)
	output, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return judge(m.test, output, err)
}

// inWorkspace reports whether the go.work that the go command finds from the folder of a
// module on uses the module, or there is none.
func inWorkspace(ctx context.Context, dir string) (bool, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}")
	cmd.Dir = dir
	list, err := cmd.Output()
	if err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			err = fmt.Errorf("%w:\n%s", err, tail(exit.Stderr))
		}
		return false, fmt.Errorf("listing the modules of the workspace of %s: %w", dir, err)
	}
	return slices.Contains(strings.Split(string(list), "\n"), dir), nil
}

// pattern returns the value of -run for one test with its subtests.
func pattern(test string) string {
	elements := strings.Split(test, "/")
	for i, e := range elements {
		elements[i] = "^" + regexp.QuoteMeta(e) + "$"
	}
	return strings.Join(elements, "/")
}

var (
	verdict = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+)`)
	broken  = regexp.MustCompile(`\[(build|setup) failed\]`)
)

// judge says what came of a test by the output of "go test -v" and its error.
func judge(test string, output []byte, err error) (outcome, error) {
	if err != nil {
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
			return 0, err
		}
		if broken.Match(output) {
			return 0, fmt.Errorf("does not build:\n%s", tail(output))
		}
		// A test that ends the program, or does not end in time, has no verdict. So what counts
		// is that it has begun.
		began := regexp.MustCompile(`(?m)=== RUN +` + regexp.QuoteMeta(test) + `$`)
		if !began.Match(output) {
			return 0, fmt.Errorf("%s did not begin:\n%s", test, tail(output))
		}
		if got := verdictOf(test, output); got == passed || got == skipped {
			return 0, fmt.Errorf("%s does not fail, but something else does:\n%s", test, tail(output))
		}
		return failed, nil
	}
	got := verdictOf(test, output)
	if got == unknown {
		return 0, fmt.Errorf("there is no test %s:\n%s", test, tail(output))
	}
	return got, nil
}

// verdictOf returns the verdict on a test in the output of "go test -v". If several packages
// have the test, one that fails decides.
func verdictOf(test string, output []byte) outcome {
	got := unknown
	for _, v := range verdict.FindAllSubmatch(output, -1) {
		if string(v[2]) != test {
			continue
		}
		switch string(v[1]) {
		case "FAIL":
			return failed
		case "SKIP":
			got = skipped
		default:
			got = passed
		}
	}
	return got
}

// tail returns the last lines of an output.
func tail(output []byte) []byte {
	const most = 1000
	return output[max(0, len(output)-most):]
}

// all tries the mutants, each copy of the repository one at a time. It calls
// done with each mutant and its outcome, in the order in which the trials end.
func (r *runner) all(ctx context.Context, copies []string, mutants []*mutant, done func(*mutant, outcome, error)) {
	// Long ones first: mutants that need an emulator or the race detector.
	mutants = slices.Clone(mutants)
	slices.SortStableFunc(mutants, func(a, b *mutant) int {
		return cmp.Compare(len(b.cpu)+len(b.flags), len(a.cpu)+len(a.flags))
	})
	queue := make(chan *mutant)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for _, root := range copies {
		wg.Go(func() {
			for m := range queue {
				got, err := r.try(ctx, root, m)
				if ctx.Err() != nil {
					return // it was interrupted
				}
				mu.Lock()
				done(m, got, err)
				mu.Unlock()
			}
		})
	}
	for _, m := range mutants {
		select {
		case queue <- m:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(queue)
	wg.Wait()
}

// copyTree copies what belongs to the repository, committed or not.
func copyTree(ctx context.Context, dst, src string) error {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = src
	list, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("listing the files of %s: %w", src, err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		info, err := os.Stat(filepath.Join(src, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, and not committed
		}
		if err != nil {
			return err
		}
		content, err := os.ReadFile(filepath.Join(src, name))
		if err != nil {
			return err
		}
		to := filepath.Join(dst, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(to, content, info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}
