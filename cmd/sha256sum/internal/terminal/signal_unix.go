//go:build unix

package terminal

import (
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// DieOf ends the program as if it did not catch the signal. It returns if that
// fails.
func DieOf(s syscall.Signal) {
	signal.Reset(s)
	if unix.Kill(unix.Getpid(), s) == nil {
		time.Sleep(time.Second) // another thread may take the signal, and a moment
	}
}
