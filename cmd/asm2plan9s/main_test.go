package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/asmfmt"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"asm2plan9s": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			// Scripts that empty PATH still need the command.
			bin, _, _ := strings.Cut(env.Getenv("PATH"), string(filepath.ListSeparator))
			env.Setenv("BIN", bin)
			if list, err := findAssemblers(context.Background(), amd64, true); err == nil {
				env.Setenv("AS", list[0].path) // for scripts that stand before it
			}
			// Those that run the go command need not build the standard library.
			cache := os.Getenv("GOCACHE")
			if cache == "" {
				dir, err := os.UserCacheDir()
				if err != nil {
					return err
				}
				cache = filepath.Join(dir, "go-build")
			}
			env.Setenv("GOCACHE", cache)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if name, ok := strings.CutPrefix(cond, "heeds:"); ok { // the signal is not ignored
				s := map[string]syscall.Signal{"INT": syscall.SIGINT, "HUP": syscall.SIGHUP}[name]
				return !signal.Ignored(s), nil
			}
			return hasAssembler(cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"mode": checkMode, "asmfmt": formatFiles},
	})
}

// hasAssembler is the condition [gnu:arch], [clang:arch] or [llvm-mc:arch]: an
// assembler of that kind is on PATH. CI has GNU as for both architectures, so
// there it is an error if that is missing.
func hasAssembler(cond string) (bool, error) {
	kind, name, _ := strings.Cut(cond, ":")
	a := archByName(name)
	if a == nil {
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	if kind != "gnu" {
		_, err := probe(context.Background(), a, kind)
		return err == nil, nil
	}
	list, err := findAssemblers(context.Background(), a, true)
	found := err == nil && strings.HasSuffix(list[0].path, "as")
	if !found && os.Getenv("CI") != "" {
		return false, fmt.Errorf("no GNU as for %s: %s", a.name, a.packages)
	}
	return found, nil
}

// checkMode is the command mode: it checks the permissions of files.
func checkMode(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: mode octal file...")
	}
	want, err := strconv.ParseUint(args[0], 8, 32)
	ts.Check(err)
	for _, name := range args[1:] {
		info, err := os.Lstat(ts.MkAbs(name))
		ts.Check(err)
		if same := info.Mode() == fs.FileMode(want); same == neg {
			ts.Fatalf("%s has mode %v, want %v (negated: %v)", name, info.Mode(), fs.FileMode(want), neg)
		}
	}
}

// formatFiles is the command asmfmt: it formats files in place.
func formatFiles(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		text, err := asmfmt.Format(strings.NewReader(ts.ReadFile(name)))
		if (err != nil) != neg {
			ts.Fatalf("formatting %s: error %v (negated: %v)", name, err, neg)
		}
		ts.Check(os.WriteFile(ts.MkAbs(name), text, 0o644))
	}
}

// What go install fetches is what the package stands on.
func TestDependencies(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.Fields(string(out))
	slices.Sort(modules)
	want := []string{
		"github.com/rogpeppe/go-internal", "github.com/sha256-simd/sha256-simd/cmd", "golang.org/x/sys",
	}
	if got := slices.Compact(modules); !slices.Equal(got, want) {
		t.Errorf("modules %q, want %q", got, want)
	}
}

// requireGNU skips a test that needs GNU as for a, or fails it in CI.
func requireGNU(t testing.TB, a *arch) *assembler {
	t.Helper()
	ok, err := hasAssembler("gnu:" + a.name)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		t.Skipf("no GNU as for %s", a.name)
	}
	list, err := findAssemblers(context.Background(), a, true)
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

// runCommand runs the command in this process.
func runCommand(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	status = run(args, strings.NewReader(stdin), closingOutput{&out, nil}, &errOut)
	return status, out.String(), errOut.String()
}

// A closingOutput is a standard output that reports an error when it is closed.
type closingOutput struct {
	io.Writer
	err error
}

func (o closingOutput) Close() error { return o.err }

// What standard output says when it is closed is an error like that of a write.
func TestStandardOutputIsClosed(t *testing.T) {
	for _, test := range []struct {
		err    error
		status int
		stderr string
	}{
		{nil, exitOK, ""},
		{syscall.EIO, exitError, "asm2plan9s: writing the result: " + syscall.EIO.Error() + "\n"},
	} {
		var stdout, stderr strings.Builder
		status := run([]string{"-arch", "amd64"}, strings.NewReader("RET\n"), closingOutput{&stdout, test.err}, &stderr)
		if status != test.status || stdout.String() != "RET\n" || stderr.String() != test.stderr {
			t.Errorf("%v: status %d, output %q, errors %q", test.err, status, stdout.String(), stderr.String())
		}
		// Nothing that was not written is lost.
		stdout.Reset()
		stderr.Reset()
		status = run([]string{"-arch", "amd64", "-l"}, strings.NewReader("RET\n"), closingOutput{&stdout, test.err}, &stderr)
		if status != exitOK || stdout.String() != "" || stderr.String() != "" {
			t.Errorf("%v, nothing written: status %d, output %q, errors %q", test.err, status, stdout.String(), stderr.String())
		}
	}
}
