//go:build !linux

package timing

import "time"

// cpuTime returns 0: only Linux is asked for it.
func cpuTime() time.Duration { return 0 }
