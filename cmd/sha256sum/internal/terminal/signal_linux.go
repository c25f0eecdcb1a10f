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

// resetSignal restores the default of a signal.
func resetSignal(s syscall.Signal) {
	var fallback [64]byte // a sigaction of SIG_DFL, on every architecture
	const maskSize = 8
	syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&fallback)), 0, maskSize, 0, 0)
}
