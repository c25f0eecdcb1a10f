package main

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// TestMemory tests that no command keeps a list in memory. A list of 400,000 lines would
// take 100 MiB. `write` may take more than that for sorting, and has a million lines.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	const files = 1000
	sums := make([]string, files)
	for i := range sums {
		data := storetest.Bytes(uint64(i), 100+i)
		sums[i] = fmt.Sprintf("%x  %s\n", sha256.Sum256(data), storetest.WriteFile(t, dir, fmt.Sprintf("%064d", i), data))
	}
	listOf := func(name string, lines int) string {
		list := filepath.Join(dir, name)
		f, err := os.Create(list)
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriter(f)
		for i := range lines {
			w.WriteString(sums[i%files])
		}
		if err := errors.Join(w.Flush(), f.Close()); err != nil {
			t.Fatal(err)
		}
		return list
	}
	list, long := listOf("list", 400_000), listOf("long", 1_000_000)
	for i, line := range sums {
		sums[i] = strings.Repeat("0", 64) + line[64:]
	}
	wrong := listOf("wrong", 400_000) // all have problems
	journal := filepath.Join(dir, "run")
	for _, tt := range []struct {
		mostMiB int64
		args    []string
	}{
		{128, []string{"split", "--journal", journal, "--shards", "1", list}},
		{128, []string{"worker", "--journal", journal, "--shard", "0"}},
		{128, []string{"worker", "--journal", journal + "2", wrong}},
		{128, []string{"worker", "--journal", journal + "2", "--retry-failed", wrong}},
		{128, []string{"report", journal}},
		{256, []string{"write", long}},
	} {
		c := exec.Command("fleetsum", tt.args...)
		c.Stderr = os.Stderr
		if err := c.Run(); err != nil {
			t.Fatal(tt.args[0], err)
		}
		kib := int64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
		t.Logf("%s: %d MiB, %v", tt.args[0], kib>>10, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
		if kib > tt.mostMiB<<10 {
			t.Errorf("%s took %d MiB", tt.args[0], kib>>10)
		}
	}
}
