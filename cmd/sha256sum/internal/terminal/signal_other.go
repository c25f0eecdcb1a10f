//go:build !linux

package terminal

import "syscall"

// ResetSignals does nothing: signals do what the Go runtime makes of them.
func ResetSignals() {}

// DieOf does nothing: the exit status shows the signal.
func DieOf(syscall.Signal) {}
