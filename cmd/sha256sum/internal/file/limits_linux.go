package file

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const (
	// minDescriptors is the number of file descriptors that the Go runtime and one
	// open file need, besides the standard files. The runtime ends a program that
	// has fewer.
	minDescriptors = 8
	// minAddressSpace is somewhat more than the address space that the Go runtime
	// reserves, in bytes. With less the runtime may end the program with a
	// traceback, before anything here runs.
	minAddressSpace = 1600000 << 10
)

// CheckLimits returns an error if the limits of descriptors or address space are too
// low for the Go runtime and for a program that holds that number of files open.
func CheckLimits(held int) error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil && limit.Cur < uint64(minDescriptors+held) {
		return fmt.Errorf("the limit of open files is too low: it is %d; expected at least %d (ulimit -n)", limit.Cur, minDescriptors+held)
	}
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) == nil && limit.Cur < minAddressSpace {
		return fmt.Errorf("the limit of address space is %d KiB; expected at least %d (ulimit -v)", limit.Cur>>10, minAddressSpace>>10)
	}
	return nil
}
