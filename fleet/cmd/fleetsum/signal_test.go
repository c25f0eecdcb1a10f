package main

import (
	"fmt"
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
	c := exec.Command("fleetsum", "worker", "--journal", journal, "--format", "names", "--bytes-per-second", "2MB", "--readers", "4")
	c.Stdin = strings.NewReader(names.String())
	var out strings.Builder
	c.Stdout = &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	lines := strings.Count(out.String(), "\n")
	if status := c.ProcessState.ExitCode(); status != 130 || lines == 0 || lines >= 100 || strings.Contains(out.String(), "summary") || !strings.HasSuffix(out.String(), "\n") {
		t.Errorf("status %d, output %q", status, out.String())
	}
	if _, err := os.Stat(journal); !os.IsNotExist(err) {
		t.Errorf("there is a journal: %v", err)
	}
}
