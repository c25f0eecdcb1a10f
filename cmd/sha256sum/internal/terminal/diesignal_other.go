//go:build !unix

package terminal

import "syscall"

// DieOf does nothing: the exit status shows the signal.
func DieOf(syscall.Signal) {}
