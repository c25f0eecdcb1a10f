package terminal

import (
	"os/signal"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ResetSignals restores the default action of the signals that end other
// programs, except signals that the Go runtime itself uses.
func ResetSignals() {
	for _, s := range []syscall.Signal{
		unix.SIGQUIT, unix.SIGPIPE, unix.SIGALRM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGVTALRM, unix.SIGXCPU, unix.SIGIO, unix.SIGPWR,
		unix.SIGABRT, unix.SIGTRAP, unix.SIGSYS,
	} {
		resetSignal(s)
	}
	// Shells start a job in the background with both ignored, and the runtime
	// does not report SIGQUIT.
	if signal.Ignored(unix.SIGINT) {
		signal.Ignore(unix.SIGQUIT)
	}
}

// DieOf ends the program as if it did not catch the signal. It returns if that
// fails.
func DieOf(s syscall.Signal) {
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
