//go:build unix

package terminal

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// A program that has caught a signal ends by it all the same, which its parent sees.
func TestDieOf(t *testing.T) {
	const variable = "SIGNAL_TO_DIE_OF"
	signals := map[string]syscall.Signal{"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "TERM": syscall.SIGTERM}
	if s, child := signals[os.Getenv(variable)]; child {
		signal.Notify(make(chan os.Signal, 1), s)
		DieOf(s)
		os.Exit(0)
	}
	for name, s := range signals {
		if signal.Ignored(s) {
			// Who starts the tests may ignore signals, as nohup does; a child does what they do.
			signal.Notify(make(chan os.Signal, 1), s)
			defer signal.Reset(s)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestDieOf$")
		cmd.Env = append(os.Environ(), variable+"="+name)
		cmd.Run()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != s {
			t.Errorf("SIG%s: the program ended with %v", name, cmd.ProcessState)
		}
	}
}
