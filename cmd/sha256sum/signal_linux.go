package main

import (
	"os/signal"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// resetSignals gives the signals that end other programs, but not those that the
// Go runtime is made for, their default again.
func resetSignals() {
	for _, s := range []syscall.Signal{
		unix.SIGQUIT, unix.SIGPIPE, unix.SIGALRM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGVTALRM, unix.SIGXCPU, unix.SIGIO, unix.SIGPWR,
		unix.SIGABRT, unix.SIGTRAP, unix.SIGSYS,
	} {
		resetSignal(s)
	}
	// Shells start a job in the background with both ignored, and of SIGQUIT the
	// runtime does not tell.
	if signal.Ignored(unix.SIGINT) {
		signal.Ignore(unix.SIGQUIT)
	}
}

// dieOf ends the program as the signal does to one that does not catch it. It
// returns where that does not work.
func dieOf(s syscall.Signal) {
	if resetSignal(s) {
		_ = unix.Kill(unix.Getpid(), s)
	}
}

// resetSignal reports whether the signal has its default again.
func resetSignal(s syscall.Signal) bool {
	var fallback [64]byte // a sigaction of SIG_DFL, on every architecture
	const maskSize = 8
	_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&fallback)), 0, maskSize, 0, 0)
	return errno == 0
}
