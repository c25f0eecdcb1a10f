package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// TestKilledAndResumed kills workers at random, again and again, while the
// store cuts bodies and answers 503, until all shards are done: the manifest is
// that of a run in which nothing happened.
func TestKilledAndResumed(t *testing.T) {
	s := storetest.New(t)
	const objects, shards = 2000, 8
	var sums bytes.Buffer
	for i := range objects {
		data := storetest.Bytes(uint64(i), 1+i*7%50_000)
		key := fmt.Sprintf("%05d", i)
		s.Put(key, data)
		fmt.Fprintf(&sums, "%x  s3://%s/%s\n", sha256.Sum256(data), storetest.Bucket, key)
	}
	s.Faults(func(key string, nth int) storetest.Fault {
		f := storetest.Fault{Latency: time.Duration(rand.IntN(5)) * time.Millisecond}
		switch rand.IntN(20) {
		case 0:
			f.Status = 503
		case 1:
			f.Cut = 1 + rand.IntN(20_000)
		}
		return f
	})
	dir := t.TempDir()
	list := storetest.WriteFile(t, dir, "sums", sums.Bytes())
	journal := filepath.Join(dir, "run")
	tool := func(args ...string) *exec.Cmd {
		c := exec.Command("fleetsum", args...)
		c.Env = append(os.Environ(), "FLEETSUM_STORE="+s.Params())
		c.Stderr = os.Stderr
		return c
	}
	if err := tool("split", "--journal", journal, "--shards", strconv.Itoa(shards), list).Run(); err != nil {
		t.Fatal(err)
	}
	killed := 0
	for left := []int{0, 1, 2, 3, 4, 5, 6, 7}; len(left) > 0; {
		i := rand.IntN(len(left))
		c := tool("worker", "--journal", journal, "--shard", strconv.Itoa(left[i]))
		c.Stderr = nil
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		// Longer each time, so that the test ends.
		timer := time.AfterFunc(time.Duration(rand.IntN(100+20*killed))*time.Millisecond, func() { c.Process.Kill() })
		if c.Wait() == nil {
			left = append(left[:i], left[i+1:]...)
		} else {
			killed++
		}
		timer.Stop()
	}
	t.Logf("%d workers killed", killed)
	if killed == 0 {
		t.Error("no worker was killed")
	}
	if err := tool("report", journal).Run(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(journal, "report", "SHA256SUMS"))
	if err != nil || !bytes.Equal(got, sums.Bytes()) {
		t.Errorf("the manifest differs: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(journal, "results", "*.jsonl"))
	if err != nil || len(left) != shards {
		t.Errorf("%d results of %d shards, %v", len(left), shards, err)
	}
}
