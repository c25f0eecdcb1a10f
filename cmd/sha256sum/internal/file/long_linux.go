package file

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// searchOnly opens a directory that need not be readable.
const searchOnly = unix.O_PATH

// Readlink returns what a symbolic link holds.
func Readlink(name string) (target string, err error) {
	if target, err = os.Readlink(name); !errors.Is(err, unix.ENAMETOOLONG) {
		return target, err
	}
	err = lookUp(name, func(dir int, name string) error {
		buf := make([]byte, unix.PathMax)
		n, err := retry(func() (int, error) { return unix.Readlinkat(dir, name, buf) })
		target = string(buf[:max(n, 0)])
		return err
	})
	return target, err
}
