package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// TestMemory tests that no command keeps a list in memory: with a million lines
// each stays below 256 MiB.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	list := filepath.Join(dir, "sums")
	f, err := os.Create(list)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	const files, lines = 1000, 1_000_000
	sums := make([]string, files)
	for i := range sums {
		data := storetest.Bytes(uint64(i), 100+i)
		sums[i] = fmt.Sprintf("%x  %s\n", sha256.Sum256(data), storetest.WriteFile(t, dir, fmt.Sprintf("%064d", i), data))
	}
	for i := range lines {
		w.WriteString(sums[i%files])
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(dir, "run")
	for _, args := range [][]string{
		{"split", "--journal", journal, "--shards", "1", list},
		{"worker", "--journal", journal, "--shard", "0"},
		{"report", journal},
		{"write", list},
	} {
		c := exec.Command("fleetsum", args...)
		c.Stderr = os.Stderr
		if err := c.Run(); err != nil {
			t.Fatal(args[0], err)
		}
		kib := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
		t.Logf("%s: %d MiB, %v", args[0], kib>>10, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
		if kib > 256<<10 {
			t.Errorf("%s took %d MiB", args[0], kib>>10)
		}
	}
}
