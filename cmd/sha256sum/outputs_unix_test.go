//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Signals are caught before there is a temporary file: one that comes in between would leave
// it. Until a pipe has a reader, they end the program.
func TestSignalsAreCaughtBeforeATemporaryIsMade(t *testing.T) {
	for _, test := range []struct {
		name    string
		args    []string
		prepare func() error
		caught  bool
	}{
		{"a new list", []string{"--output=list", "abc"}, nil, true},
		{"a list", []string{"--output=list", "abc"}, func() error { return os.WriteFile("list", []byte(abcHex+"  abc\n"), 0o600) }, true},
		{"--update", []string{"-r", "--update=list", "abc"}, nil, true},
		{"a list that is none", []string{"--output=list", "abc"}, func() error { return os.WriteFile("list", []byte("none"), 0o600) }, false},
		{"standard output", []string{"abc"}, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if test.prepare != nil {
				if err := test.prepare(); err != nil {
					t.Fatal(err)
				}
			}
			o, err := parseOptions(test.args)
			if err != nil {
				t.Fatal(err)
			}
			caught := false
			w, _, _ := openOutputs(o, func() {
				if made, err := filepath.Glob(".sha256sum.*"); err != nil || !caught && len(made) > 0 {
					t.Errorf("%q are there, %v", made, err)
				}
				caught = true
			})
			if w.list != nil {
				w.list.Abort()
			}
			if w.stamps != nil {
				w.stamps.Abort()
			}
			if caught != test.caught {
				t.Errorf("signals are caught: %v", caught)
			}
		})
	}
	t.Run("a pipe", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if err := unix.Mkfifo("list", 0o600); err != nil {
			t.Fatal(err)
		}
		o, err := parseOptions([]string{"--output=list", "abc"})
		if err != nil {
			t.Fatal(err)
		}
		caught, opened := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(opened)
			if w, _, err := openOutputs(o, func() { close(caught) }); err != nil {
				t.Error(err)
			} else {
				w.list.Abort()
			}
		}()
		select {
		case <-caught:
			t.Error("signals are caught while the pipe is opened")
		case <-time.After(100 * time.Millisecond):
		}
		f, err := os.Open("list")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		<-opened
	})
}

// If something has to be cleaned up, a signal is caught from the beginning.
func TestSignalsAreCaughtAtOnce(t *testing.T) {
	const s = syscall.SIGHUP
	if signal.Ignored(s) {
		t.Skip("the signal is ignored")
	}
	ctx, stop := withSignals(t.Context(), true)
	defer stop()
	if err := unix.Kill(os.Getpid(), s); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	var caught signalError
	if !errors.As(context.Cause(ctx), &caught) || caught.Signal != s {
		t.Errorf("the work ended with %v", context.Cause(ctx))
	}
}
