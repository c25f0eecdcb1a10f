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

// TestMemory tests that no command keeps a list in memory: with 400,000 lines, which
// would take 100 MiB, none takes 50 MiB more than with few.
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
	const files, lines = 1000, 400_000
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
	for _, tt := range []struct {
		mostMiB int64
		args    []string
	}{
		{128, []string{"split", "--journal", journal, "--shards", "1", list}},
		{128, []string{"worker", "--journal", journal, "--shard", "0"}},
		{128, []string{"report", journal}},
		{224, []string{"write", list}}, // it sorts 50,000 digests at a time
	} {
		args := tt.args
		c := exec.Command("fleetsum", args...)
		c.Stderr = os.Stderr
		if err := c.Run(); err != nil {
			t.Fatal(args[0], err)
		}
		kib := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
		t.Logf("%s: %d MiB, %v", args[0], kib>>10, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
		if kib > tt.mostMiB<<10 {
			t.Errorf("%s took %d MiB", args[0], kib>>10)
		}
	}
}
