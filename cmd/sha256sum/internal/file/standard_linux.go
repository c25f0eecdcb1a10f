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
	// reserves, in bytes. With half of it the runtime ends the program with a
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

// The Go runtime opens /dev/null in the place of a standard descriptor that is
// closed, for reading and writing, before anything here can run. Linux keeps
// nothing that distinguishes such a file from one that was handed over, and shells
// open /dev/null for one of the two. So a /dev/null that is open for both counts as
// closed, unless the same open serves as another standard descriptor, as daemons
// have it.

// stdinClosed reports whether the program was started without standard input.
func stdinClosed() bool { return wasClosed(0) && !sharesNull(0, 1) && !sharesNull(0, 2) }

// StdoutClosed reports whether the program was started without standard output.
func StdoutClosed() bool { return wasClosed(1) && !sharesNull(1, 0) && !sharesNull(1, 2) }

func wasClosed(fd int) bool {
	var st unix.Stat_t
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR && unix.Fstat(fd, &st) == nil && isNull(&st)
}

func isNull(st *unix.Stat_t) bool {
	return st.Mode&unix.S_IFMT == unix.S_IFCHR && uint64(st.Rdev) == unix.Mkdev(1, 3)
}

// sharesNull reports whether two descriptors come from one open.
func sharesNull(a, b int) bool {
	const kcmpFile = 0
	self := uintptr(unix.Getpid())
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, self, self, kcmpFile, uintptr(a), uintptr(b), 0)
	return errno == 0 && order == 0
}
