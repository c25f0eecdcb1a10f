package main

import (
	"os"
	"syscall"
)

// peakMemory returns the most memory in bytes that the process held.
func peakMemory(p *os.ProcessState) int64 {
	return int64(p.SysUsage().(*syscall.Rusage).Maxrss) << 10
}
