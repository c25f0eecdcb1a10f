//go:build unix && !linux

package file

import (
	"os"

	"golang.org/x/sys/unix"
)

// searchOnly opens a directory to look names up in it.
const searchOnly = unix.O_RDONLY

// Readlink returns what a symbolic link holds.
func Readlink(name string) (string, error) { return os.Readlink(name) }
