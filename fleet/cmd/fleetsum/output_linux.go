package main

import "golang.org/x/sys/unix"

// outputClosed reports whether the program was started without standard output. The Go
// runtime then opens /dev/null in its place, for reading and writing. By contrast, a
// shell opens /dev/null for writing only, and a program that starts daemons opens it once
// for standard output and standard error.
func outputClosed() bool {
	var st unix.Stat_t
	flags, err := unix.FcntlInt(1, unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR &&
		unix.Fstat(1, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR && uint64(st.Rdev) == unix.Mkdev(1, 3) &&
		!sameOpen(1, 0) && !sameOpen(1, 2)
}

// sameOpen reports whether two descriptors come from one open.
func sameOpen(a, b int) bool {
	const kcmpFile = 0
	self := uintptr(unix.Getpid())
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, self, self, kcmpFile, uintptr(a), uintptr(b), 0)
	return errno == 0 && order == 0
}
