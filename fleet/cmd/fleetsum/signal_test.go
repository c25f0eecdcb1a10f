package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// A worker that is interrupted prints what is done, without counts, and leaves
// no result.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals between processes")
	}
	dir := t.TempDir()
	var names strings.Builder
	for i := range 100 {
		fmt.Fprintln(&names, storetest.WriteFile(t, dir, fmt.Sprint(i), make([]byte, 100_000)))
	}
	journal := filepath.Join(dir, "run")
	c := exec.Command("fleetsum", "worker", "--journal", journal, "--format", "names", "--bytes-per-second", "200kB", "--readers", "4")
	c.Stdin = strings.NewReader(names.String())
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(stdout)
	out, err := r.ReadString('\n') // all of them take 50 seconds
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	c.Wait()
	out += string(rest)
	lines := strings.Count(out, "\n")
	if status := c.ProcessState.ExitCode(); status != 130 || lines >= 100 || strings.Contains(out, "summary") || !strings.HasSuffix(out, "\n") {
		t.Errorf("status %d, output %q", status, out)
	}
	if _, err := os.Stat(journal); !os.IsNotExist(err) {
		t.Errorf("there is a journal: %v", err)
	}
}

// A worker that waits for the rest of its list ends all the same.
func TestInterruptedAsItWaits(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals between processes")
	}
	t.Parallel() // it is given five seconds
	c := exec.Command("fleetsum", "worker", "--format", "names", "--readers", "1")
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	var out strings.Builder
	c.Stdout = &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond) // it has come to wait
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(40*time.Second, func() { c.Process.Kill() })
	defer late.Stop()
	c.Wait()
	if status := c.ProcessState.ExitCode(); status != 130 || strings.Contains(out.String(), "summary") {
		t.Errorf("status %d, output %q", status, out.String())
	}
}
