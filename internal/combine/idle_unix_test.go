//go:build unix

package combine

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestIdle tests that a shard that has done work uses no time of the CPU when there is
// none.
func TestIdle(t *testing.T) {
	s := NewShard(1)
	var wg sync.WaitGroup
	for i := range 10_000 {
		wg.Go(func() {
			r, _ := requestOf(make([]byte, 64*(i%1000+1)))
			s.Do(r)
			r.Release()
		})
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
	runtime.KeepAlive(s)
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
