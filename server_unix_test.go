//go:build unix

package sha256_test

import (
	"hash"
	"runtime"
	"sync"
	"testing"
	"time"

	sha256 "github.com/sha256-simd/sha256-simd"
	"golang.org/x/sys/unix"
)

// TestServerIdles tests that a server that has done work uses no time of the
// CPU when there is none, however many hashes there are.
func TestServerIdles(t *testing.T) {
	s := sha256.NewServer()
	hs := make([]hash.Hash, 10_000)
	var wg sync.WaitGroup
	for i := range hs {
		hs[i] = s.New()
		wg.Go(func() { hs[i].Write(make([]byte, i)) })
	}
	wg.Wait()
	runtime.GC()
	const idle, allowed = 300 * time.Millisecond, 30 * time.Millisecond
	// The runtime works now and then for reasons of its own.
	least := idle
	for tries := 10; tries > 0 && least > allowed; tries-- {
		before := cpuTime(t)
		time.Sleep(idle)
		least = min(least, cpuTime(t)-before)
	}
	if least > allowed {
		t.Errorf("%v of CPU time used in %v", least, idle)
	}
	runtime.KeepAlive(hs)
}

// cpuTime returns how much time of the CPU this process has used.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		t.Fatalf("getrusage: %v", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
