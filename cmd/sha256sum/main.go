// Sha256sum prints or checks SHA-256 checksums as the sha256sum of GNU coreutils
// does, many files side by side.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
)

// maxHeap is what the garbage collector keeps to. Otherwise it would let garbage
// take as much again as the buffers and all that waits.
const maxHeap = 48 << 20

func main() {
	os.Exit(run(os.Args[1:]))
}

// run is the tool: it returns the exit status.
func run(args []string) int {
	// A reader that went away is an error to report, not a signal to die of.
	signal.Ignore(syscall.SIGPIPE)

	o, err := parseOptions(args)
	var text informationError
	if errors.As(err, &text) {
		if _, err := io.WriteString(standardOutput(), string(text)); err != nil {
			return fail("write error", err)
		}
		return 0
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "sha256sum: %v\nTry 'sha256sum --help' for more information.\n", err)
		return 1
	}

	out := os.Stdout
	if !o.check {
		out = standardOutput()
	}
	leave := func(string) bool { return false }
	var output *outputFile
	if o.output != "" {
		if output, err = createOutput(o.output); err != nil {
			return fail(quoteShell(o.output), err)
		}
		out, leave = output.File, output.is
	}

	// The runtime's timers take two descriptors, and without them it ends the
	// program: it is to have them before files do.
	time.Sleep(1)
	debug.SetMemoryLimit(maxHeap)
	ctx, stop := withSignals(context.Background())
	defer stop()
	p := newPipeline(o)
	bar := startProgress(ctx, o, p)
	results := newPrinter(o, bar.wrap(out), bar.wrap(os.Stderr))
	err = p.run(ctx, func(emit func(*item) bool) {
		s := source{options: o, opens: &p.files, emit: emit, leave: leave}
		s.run()
	}, results)
	bar.finish()

	if output != nil {
		if err == nil {
			err = output.commit()
		} else {
			output.abort()
		}
	}
	var caught signalError
	switch {
	case errors.As(err, &caught):
		if output != nil && output.temporary {
			fmt.Fprintf(os.Stderr, "sha256sum: %v: %s is not written\n", caught, quoteShell(o.output))
		}
		return caught.status()
	case err != nil && output != nil:
		return fail(quoteShell(o.output), err)
	case err != nil:
		return fail("write error", err)
	case results.failed:
		return 1
	}
	return 0
}

// standardOutput returns standard output; when that is closed, a file that every
// write to fails with the same error. Verdicts do without: their exit status says
// it all, and to fail would say something else.
func standardOutput() *os.File {
	if stdoutClosed() {
		if f, err := os.Open(os.DevNull); err == nil {
			return f
		}
	}
	return os.Stdout
}

func fail(what string, err error) int {
	fmt.Fprintf(os.Stderr, "sha256sum: %s: %s\n", what, reason(err))
	return 1
}

// A signalError is the signal that ended the work.
type signalError struct{ syscall.Signal }

func (s signalError) Error() string { return s.String() }

// status is what a shell makes of a program that the signal killed.
func (s signalError) status() int { return 128 + int(s.Signal) }

// withSignals returns a context that ends with a signalError when the user or
// the system asks the program to. A second signal kills it.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	caught := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		// Who starts the program with a signal ignored, as nohup does, means it.
		if !signal.Ignored(s) {
			signal.Notify(caught, s)
		}
	}
	go func() {
		select {
		case s := <-caught:
			signal.Stop(caught)
			cancel(signalError{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
