//go:build !linux

package stamp

import "time"

// fileClock is the time that the system stamps a file with that is written to
// now, or an earlier one: its clock may tick as slowly as this.
func fileClock() int64 { return time.Now().Add(-longestTick).UnixNano() }
