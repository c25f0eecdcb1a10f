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

// TestHugeObjectResumes kills a worker that has read more than a GiB of an object. The
// next one reads the rest, and leaves nothing of it in the journal.
func TestHugeObjectResumes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s := storetest.New(t)
	const size = 5 << 29
	s.PutZeros("zeros", size)
	h := sha256.New()
	for range size >> 20 {
		h.Write(make([]byte, 1<<20))
	}
	dir := t.TempDir()
	list := storetest.WriteFile(t, dir, "sums", fmt.Appendf(nil, "%x  %s\n", h.Sum(nil), s.Name("zeros")))
	journal := filepath.Join(dir, "run")
	worker := func() *exec.Cmd {
		c := exec.Command("fleetsum", "worker", "--journal", journal, list)
		c.Env = append(os.Environ(), "FLEETSUM_STORE="+s.Params())
		c.Stderr = os.Stderr
		return c
	}
	states := func() []string {
		found, err := filepath.Glob(filepath.Join(journal, "states", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	c := worker()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for len(states()) == 0 {
		time.Sleep(time.Millisecond)
	}
	c.Process.Kill()
	if err := c.Wait(); err == nil {
		t.Fatal("the worker has ended by itself")
	}
	s.Bytes.Store(0)
	out, err := worker().Output()
	if err != nil || !bytes.Contains(out, []byte(`"match":1,`)) {
		t.Errorf("got %s, %v", out, err)
	}
	// Besides the rest, what was under way from the beginning.
	if n := s.Bytes.Load(); n > size-1<<30+64<<20 {
		t.Errorf("%d bytes were sent again", n)
	}
	if left := states(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

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
