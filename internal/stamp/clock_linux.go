package stamp

import "golang.org/x/sys/unix"

// fileClock is the time that the kernel stamps a file with that is written to
// now, or an earlier one.
func fileClock() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &t); err != nil {
		return 0
	}
	return t.Nano()
}
