package timing

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the time for which the threads of this process have had a CPU.
// Neighbours that share the machine's cores do not add to it.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
