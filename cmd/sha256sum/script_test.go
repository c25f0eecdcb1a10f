package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sha256sum": main})
}

// TestScripts runs the scripts of testdata/script with the built tool. They
// compare it with GNU coreutils where that is installed, as it has to be in
// continuous integration.
func TestScripts(t *testing.T) {
	gnu, gnuVersion := findGNU()
	t.Run("comparison with GNU coreutils", func(t *testing.T) {
		const missing = "no sha256sum of GNU coreutils is installed"
		switch {
		case gnu != "":
		case os.Getenv("CI") != "":
			t.Error(missing)
		default:
			t.Skip(missing)
		}
	})
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	// What runs the tests may ignore signals, as nohup does. A tool that is started by
	// who catches them does not.
	caught := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGHUP, os.Interrupt} {
		if signal.Ignored(s) {
			signal.Notify(caught, s)
		}
	}
	t.Cleanup(func() { signal.Stop(caught) }) // after all scripts
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GNU", gnu)
			env.Setenv("GOROOT", strings.TrimSpace(string(goroot)))
			env.Setenv("LC_ALL", "C.UTF-8")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "gnu":
				return gnu != "", nil
			case "gnu9.1":
				return gnuVersion == "9.1", nil
			case "race":
				return underRace(), nil
			case "root":
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"damage":   damageFile,
			"forge":    forgeRecord,
			"mkdeep":   makeDeep,
			"mkfile":   makeFile,
			"mkfiles":  makeFiles,
			"mksocket": makeSocket,
			"same":     sameAsGNU,
			"signal":   signalTool,
			"touching": whileTouched,
			"memory":   memoryOfTool,
		},
	})
}

// findGNU returns the path of that tool of GNU coreutils and its version, or
// nothing. It is not the first of its name: testscript puts ours before it.
//
// Results are those of 9.1. Later versions refuse a NUL behind the digest of a BSD
// line, and escape more names in verdicts; scripts say where that matters.
func findGNU() (path, version string) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path = filepath.Join(dir, "sha256sum")
		out, err := exec.Command(path, "--version").Output()
		if _, rest, found := strings.Cut(string(out), "(GNU coreutils) "); err == nil && found {
			version, _, _ = strings.Cut(rest, "\n")
			return path, version
		}
	}
	return "", ""
}

// mkdeep DIR DEPTH LENGTH makes a file and a link to it below that many directories, each
// with a name of that length.
func makeDeep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: mkdeep directory depth length")
	}
	depth, err := strconv.Atoi(args[1])
	ts.Check(err)
	length, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o777))
	at, err := os.OpenRoot(ts.MkAbs(args[0]))
	ts.Check(err)
	for range depth {
		name := strings.Repeat("d", length)
		ts.Check(at.Mkdir(name, 0o777))
		next, err := at.OpenRoot(name)
		ts.Check(err)
		ts.Check(at.Close())
		at = next
	}
	ts.Check(at.WriteFile("file", []byte("abc"), 0o666))
	ts.Check(at.Symlink("file", "link"))
	ts.Check(at.Close())
}

// underRace reports whether the race detector, which takes memory, is built
// in.
func underRace() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// unquote reads the escapes of a Go string, for bytes that a script cannot
// hold.
func unquote(ts *testscript.TestScript, s string) string {
	u, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
	ts.Check(err)
	return u
}

// mkfile NAME [CONTENTS] makes a file and its directory; both have the escapes of Go strings.
func makeFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: mkfile name [contents]")
	}
	contents := ""
	if len(args) == 2 {
		contents = unquote(ts, args[1])
	}
	name := ts.MkAbs(unquote(ts, args[0]))
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, []byte(contents), 0o666))
}

// mksocket NAME makes a socket.
func makeSocket(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mksocket name")
	}
	// The whole path may be too long for a socket's address.
	dir, err := os.MkdirTemp("", "")
	ts.Check(err)
	defer os.RemoveAll(dir)
	ts.Check(bindSocket(dir + "/s"))
	ts.Check(os.Rename(dir+"/s", ts.MkAbs(args[0])))
}

// same [-stdin=FILE] ARG... runs the tool and that of GNU coreutils with the
// same arguments, which have the escapes of Go strings. What they print, on
// both outputs, and their exit status must be the same.
func sameAsGNU(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: same [-stdin=file] [argument...]")
	}
	var stdin []byte
	if len(args) > 0 && strings.HasPrefix(args[0], "-stdin=") {
		stdin = []byte(ts.ReadFile(strings.TrimPrefix(args[0], "-stdin=")))
		args = args[1:]
	}
	for i := range args {
		args[i] = unquote(ts, args[i])
	}
	run := func(path string) string {
		var stdout, stderr strings.Builder
		cmd := &exec.Cmd{
			Path: path, Args: append([]string{"sha256sum"}, args...),
			Dir: ts.MkAbs("."), Env: []string{"LC_ALL=" + ts.Getenv("LC_ALL"), coverage(ts)},
			Stdin: bytes.NewReader(stdin), Stdout: &stdout, Stderr: &stderr,
		}
		if posix := ts.Getenv("POSIXLY_CORRECT"); posix != "" {
			cmd.Env = append(cmd.Env, "POSIXLY_CORRECT="+posix)
		}
		if err := cmd.Run(); cmd.ProcessState == nil {
			ts.Check(err)
		}
		return fmt.Sprintf("stdout:\n%s\nstderr:\n%s\nstatus: %d\n", stdout.String(), stderr.String(), cmd.ProcessState.ExitCode())
	}
	if ours, theirs := run(toolPath(ts)), run(ts.Getenv("GNU")); ours != theirs {
		ts.Fatalf("sha256sum %q:\n%s\nbut coreutils:\n%s", args, ours, theirs)
	}
}

// coverage lets the tool tell what go test -cover asks for; without it, the tool
// complains.
func coverage(ts *testscript.TestScript) string { return "GOCOVERDIR=" + ts.Getenv("GOCOVERDIR") }

// toolPath finds the tool as the scripts do.
func toolPath(ts *testscript.TestScript) string {
	dir := filepath.SplitList(ts.Getenv("PATH"))[0]
	return filepath.Join(dir, "sha256sum"+ts.Getenv("exe"))
}

// damage FILE CONTENTS changes the contents of a file, and leaves its time of modification.
func damageFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: damage file contents")
	}
	name := ts.MkAbs(args[0])
	info, err := os.Stat(name)
	ts.Check(err)
	ts.Check(os.WriteFile(name, []byte(args[1]), 0o666))
	ts.Check(os.Chtimes(name, info.ModTime(), info.ModTime()))
}

// forge STAMPS NAME INODE makes the record of a file say that it is empty and, unless
// INODE is 0, has that inode number.
func forgeRecord(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: forge stamps name inode")
	}
	inode, err := strconv.ParseInt(args[2], 10, 64)
	ts.Check(err)
	var forged []byte
	found := false
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		r, ok := update.ParseRecord(strings.TrimSuffix(line, "\n"))
		if !ok || r.Name != args[1] {
			forged = append(forged, line...)
			continue
		}
		found = true
		r.Digest = sha256.Sum256(nil)
		if inode != 0 {
			r.Inode = inode
		}
		forged = update.AppendRecord(forged, r)
	}
	if !found {
		ts.Fatalf("%s has no record of %s", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), forged, 0o666))
}

// signal SIGNAL STATUS FILE ARG... runs the tool with its output to FILE and
// its messages to FILE.err, sends it the signal when it has printed something
// to either and prints no more, and checks its exit status.
func signalTool(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: signal signal status file argument...")
	}
	sig := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "QUIT": syscall.SIGQUIT, "USR1": syscall.Signal(10), "PIPE": syscall.SIGPIPE}[args[0]]
	status, err := strconv.Atoi(args[1])
	ts.Check(err)
	name := ts.MkAbs(args[2])
	stdout, err := os.Create(name)
	ts.Check(err)
	defer stdout.Close()
	stderr, err := os.Create(name + ".err")
	ts.Check(err)
	defer stderr.Close()

	cmd := exec.Command(toolPath(ts), args[3:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), stdout, stderr
	cmd.Env = append(os.Environ(), coverage(ts))
	ts.Check(cmd.Start())
	deadline := time.Now().Add(30 * time.Second)
	for last := int64(-1); last <= 0 || size(stdout)+size(stderr) > last; {
		last = size(stdout) + size(stderr)
		if time.Now().After(deadline) {
			cmd.Process.Kill()
			cmd.Wait()
			ts.Fatalf("nothing was printed before the end of the input")
		}
		time.Sleep(200 * time.Millisecond)
	}
	ts.Check(cmd.Process.Signal(sig))
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || shellStatus(exit.ProcessState) != status {
		ts.Fatalf("exit status %v, not %d", err, status)
	}
}

// touching FILE COMMAND ARG... runs a command while the time of change of a file is another
// one at every look.
func whileTouched(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: touching file command [argument...]")
	}
	name := ts.MkAbs(args[0])
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				stopped <- nil
				return
			case <-time.After(100 * time.Microsecond):
				if err := os.Chmod(name, 0o600); err != nil {
					<-stop
					stopped <- err
					return
				}
			}
		}
	}()
	err := ts.Exec(args[1], args[2:]...)
	close(stop)
	ts.Check(errors.Join(err, <-stopped))
}

// shellStatus is what a shell makes of the end of a process.
func shellStatus(p *os.ProcessState) int {
	if s, ok := p.Sys().(interface{ Signal() syscall.Signal }); ok && p.ExitCode() < 0 {
		return 128 + int(s.Signal())
	}
	return p.ExitCode()
}

// memory MIB ARG... runs the tool, throws its output away and checks that it
// never held more memory than that.
func memoryOfTool(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: memory MiB argument...")
	}
	limit, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	cmd := exec.Command(toolPath(ts), args[1:]...)
	cmd.Dir, cmd.Stderr = ts.MkAbs("."), ts.Stderr()
	cmd.Env = append(os.Environ(), coverage(ts))
	ts.Check(cmd.Run())
	if peak := peakMemory(cmd.ProcessState) >> 20; peak > limit {
		ts.Fatalf("%d MiB of memory, not %d", peak, limit)
	} else {
		ts.Logf("%d MiB of memory", peak)
	}
}

// mkfiles DIRECTORY N makes N files of one byte, with names as long as can be.
func makeFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mkfiles directory n")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o777))
	for i := range n {
		ts.Check(os.WriteFile(filepath.Join(dir, fmt.Sprintf("%0255d", i)), []byte("x"), 0o666))
	}
}

func size(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}
