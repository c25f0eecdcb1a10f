package main

import "golang.org/x/sys/unix"

// The Go runtime opens /dev/null in the place of a standard descriptor that is
// closed, for reading and writing, before anything here can run. A shell opens it
// for one of the two, so that what looks like the runtime's work nearly always is.
// The others that do so are daemons and Python's subprocess.DEVNULL; where these
// use it for more than one descriptor, it gives them away.

// fewestDescriptors is what the Go runtime needs, which ends a program that lacks
// them, and a file or two beside the standard ones.
const fewestDescriptors = 9

// enoughDescriptors reports whether the program may have so many.
func enoughDescriptors() bool {
	var limit unix.Rlimit
	return unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur >= fewestDescriptors
}

// stdinClosed reports whether the program was started without standard input.
func stdinClosed() bool { return isSubstitute(0) && !sharesNull(0, 1) && !sharesNull(0, 2) }

// stdoutClosed reports whether the program was started without standard output.
func stdoutClosed() bool { return isSubstitute(1) && !sharesNull(1, 0) && !sharesNull(1, 2) }

func isSubstitute(fd int) bool {
	var st, null unix.Stat_t
	if unix.Fstat(fd, &st) != nil || unix.Stat("/dev/null", &null) != nil ||
		st.Mode&unix.S_IFMT != unix.S_IFCHR || st.Rdev != null.Rdev {
		return false
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}

// sharesNull reports whether two descriptors come from one open.
func sharesNull(a, b int) bool {
	const kcmpFile = 0
	self := uintptr(unix.Getpid())
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, self, self, kcmpFile, uintptr(a), uintptr(b), 0)
	return errno == 0 && order == 0
}
