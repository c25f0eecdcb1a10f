//go:build unix && !aix && !solaris && !illumos

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// inBackground reports whether the terminal belongs to another job of the shell.
func inBackground() bool {
	foreground, err := unix.IoctlGetInt(int(os.Stderr.Fd()), unix.TIOCGPGRP)
	return err == nil && foreground != unix.Getpgrp()
}
