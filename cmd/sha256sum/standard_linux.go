package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// The Go runtime opens /dev/null in the place of a standard descriptor that is
// closed, for reading and writing, before anything here can run. Linux keeps
// nothing that tells such a file from one that was handed over; who started the
// program does. Shells open /dev/null for one of the two. Daemons use one open for
// several descriptors. What ran before, such as a script or sudo, has what it hands
// over at the same descriptor. That leaves Python's subprocess.DEVNULL and what
// Node.js ignores, which are known by the name of the parent.

// fewestDescriptors is what the Go runtime needs, which ends a program that lacks
// them, and a file or two beside the standard ones.
const fewestDescriptors = 9

// enoughDescriptors reports whether the program may have so many.
func enoughDescriptors() bool {
	var limit unix.Rlimit
	return unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur >= fewestDescriptors
}

// stdinClosed reports whether the program was started without standard input.
func stdinClosed() bool { return wasClosed(0) && !sharesNull(0, 1) && !sharesNull(0, 2) }

// stdoutClosed reports whether the program was started without standard output.
func stdoutClosed() bool { return wasClosed(1) && !sharesNull(1, 0) && !sharesNull(1, 2) }

func wasClosed(fd int) bool {
	var st unix.Stat_t
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR && unix.Fstat(fd, &st) == nil && isNull(&st) &&
		!parentHas(fd) && !startedByRuntime()
}

func isNull(st *unix.Stat_t) bool {
	return st.Mode&unix.S_IFMT == unix.S_IFCHR && uint64(st.Rdev) == unix.Mkdev(1, 3)
}

// parentHas reports whether the parent has /dev/null open for reading and writing
// at a descriptor.
func parentHas(fd int) bool {
	link := fmt.Sprintf("/proc/%d/fd/%d", os.Getppid(), fd)
	var st unix.Stat_t
	if unix.Stat(link, &st) != nil || !isNull(&st) {
		return false
	}
	// The permissions of the link are those of the open.
	const both = 0o600
	return unix.Lstat(link, &st) == nil && st.Mode&both == both
}

// startedByRuntime reports whether the parent is a program whose libraries open
// /dev/null for both, and no shell says in its variable _ that it started this one.
func startedByRuntime() bool {
	parent, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", os.Getppid()))
	name := filepath.Base(parent)
	if !slices.ContainsFunc([]string{"python", "pypy", "node"}, func(s string) bool { return strings.HasPrefix(name, s) }) {
		return false
	}
	started, err := os.Stat(os.Getenv("_"))
	if err != nil {
		return true
	}
	self, err := os.Stat("/proc/self/exe")
	return err != nil || !os.SameFile(started, self)
}

// sharesNull reports whether two descriptors come from one open.
func sharesNull(a, b int) bool {
	const kcmpFile = 0
	self := uintptr(unix.Getpid())
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, self, self, kcmpFile, uintptr(a), uintptr(b), 0)
	return errno == 0 && order == 0
}
