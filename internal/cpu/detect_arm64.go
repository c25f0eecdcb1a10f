//go:build !purego

package cpu

import "golang.org/x/sys/cpu"

// detect asks the operating system.
func detect() CPU {
	c := CPU{Arch: "arm64"}
	if cpu.ARM64.HasSHA2 {
		c.Features |= SHA2
	}
	if cpu.ARM64.HasATOMICS {
		c.Features |= LSE
	}
	return c
}
