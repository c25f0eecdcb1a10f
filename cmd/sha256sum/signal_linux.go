package main

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// deadly are the signals whose default is the end of a program.
var deadly = []syscall.Signal{
	unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGALRM, unix.SIGUSR1, unix.SIGUSR2,
	unix.SIGVTALRM, unix.SIGXCPU, unix.SIGIO, unix.SIGPWR, unix.SIGABRT, unix.SIGTRAP, unix.SIGSYS,
}

// dieOf ends the program as the signal does to one that does not catch it. The
// Go runtime, whose own default for many is to go on, is asked around. It returns
// where that does not work.
func dieOf(s syscall.Signal) {
	var fallback [64]byte // a sigaction of SIG_DFL, on every architecture
	const maskSize = 8
	_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&fallback)), 0, maskSize, 0, 0)
	if errno == 0 {
		_ = unix.Kill(unix.Getpid(), s)
	}
}
