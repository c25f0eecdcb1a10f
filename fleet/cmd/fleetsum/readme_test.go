package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blocks returns the blocks of code in README.md whose first line ends in
// info.
func blocks(t *testing.T, info string) []string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range regexp.MustCompile("(?ms)^```([^\n]+)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if m[1] == info {
			found = append(found, m[2])
		}
	}
	if len(found) == 0 {
		t.Fatalf("README.md has no block %q", info)
	}
	return found
}

// TestReadme follows README.md and compares what is shown. With
// FLEETSUM_README_SPARK set it goes on under Spark, but for the installation.
func TestReadme(t *testing.T) {
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	console := blocks(t, "console")
	if os.Getenv("FLEETSUM_README_SPARK") != "" {
		console = append(console, blocks(t, "console spark")...)
	}
	dir := newDir(t)

	var script, want strings.Builder
	script.WriteString("set -e\ntrap 'kill $(jobs -p)' EXIT\n")
	for line := range strings.Lines(strings.Join(console, "")) {
		command, ok := strings.CutPrefix(line, "$ ")
		switch {
		case !ok:
			want.WriteString(line)
		case strings.Contains(command, "pip install"):
		default:
			script.WriteString(command)
		}
	}
	// Whatever else listens on this machine.
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()

	c := exec.Command("bash", "-c", strings.ReplaceAll(script.String(), "127.0.0.1:9000", address))
	c.Dir = dir
	// Spark asks DNS for this machine's name, and waits.
	c.Env = append(os.Environ(), "SPARK_LOCAL_IP=127.0.0.1", "SPARK_LOCAL_HOSTNAME=localhost")
	var errs strings.Builder
	c.Stderr = &errs
	got, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, got, errs.String())
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(want.String()), "…", ".*")
	if !regexp.MustCompile("^" + pattern + "$").Match(got) {
		t.Errorf("got\n%s\nwant\n%s", got, want.String())
	}
}

// newDir returns a directory in which README.md can be followed as in that of
// the module: what it makes stays out of the clone.
func newDir(t *testing.T) string {
	t.Helper()
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	link := func(from, to string) {
		entries, err := os.ReadDir(from)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() == "fleet" || e.Name() == "go.work" {
				continue
			}
			if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
				t.Skip(err)
			}
		}
	}
	dir := filepath.Join(root, "fleet")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	link(filepath.Dir(module), root)
	link(module, dir)
	return dir
}

// TestElsewhere runs what README.md says for other engines. GNU parallel is
// run, if it is there; the command of a Kubernetes Job and the script of a Slurm
// array are run once for each index, as these do.
func TestElsewhere(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	yaml := blocks(t, "yaml kubernetes")[0]
	command := regexp.MustCompile(`\[sh, -c,\s*'([^']*)'\]`).FindStringSubmatch(yaml)
	if command == nil || !strings.Contains(yaml, "completions: 16,") {
		t.Fatal("no command of 16 completions")
	}
	for _, tt := range []struct{ name, variable, script string }{
		{"parallel", "", blocks(t, "sh parallel")[0]},
		{"kubernetes", "JOB_COMPLETION_INDEX", command[1]},
		{"slurm", "SLURM_ARRAY_TASK_ID", blocks(t, "sh slurm")[0]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "parallel" {
				if _, err := exec.LookPath("parallel"); err != nil {
					t.Skip(err)
				}
			}
			dir := t.TempDir()
			var sums strings.Builder
			for i := range 100 {
				name := filepath.Join(dir, fmt.Sprint(i))
				if err := os.WriteFile(name, []byte("a\n"), 0o666); err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&sums, "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7  %s\n", name)
			}
			run := func(env string, args ...string) {
				c := exec.Command(args[0], args[1:]...)
				c.Dir, c.Env = dir, append(os.Environ(), env)
				c.Stdin = strings.NewReader(sums.String())
				if out, err := c.CombinedOutput(); err != nil {
					t.Fatalf("%q: %v\n%s", args, err, out)
				}
			}
			run("", "fleetsum", "split", "--journal", "run", "--shards", "16")
			if tt.variable == "" {
				run("", shell, "-c", tt.script)
			} else {
				for i := range 16 {
					run(fmt.Sprint(tt.variable, "=", i), shell, "-c", tt.script)
				}
			}
			run("", "fleetsum", "report", "run")
		})
	}
}
