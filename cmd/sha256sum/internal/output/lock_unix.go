//go:build unix && !aix && !solaris && !illumos

package output

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock reports whether it has locked f, which other processes then cannot.
func lock(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}
