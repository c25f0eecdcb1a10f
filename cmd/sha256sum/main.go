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
	"syscall"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run is the tool: it returns the exit status.
func run(args []string) int {
	o, err := parseOptions(args)
	var text informationError
	if errors.As(err, &text) {
		if _, err := io.WriteString(standardOutput(), information(text)); err != nil {
			return fail("write error", err)
		}
		return 0
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "sha256sum: %v\nTry 'sha256sum --help' for more information.\n", err)
		return 1
	}

	resetSignals()
	if !enoughDescriptors() {
		fmt.Fprintln(os.Stderr, "sha256sum: the limit of open files is too low")
		return 1
	}
	p := newPipeline(o)
	results := newPrinter(o)
	s := source{options: o, opens: &p.files, leave: func(string) bool { return false }}
	out := os.Stdout
	if !o.check {
		out = standardOutput()
	}
	var output *outputFile
	if o.output != "" {
		// A reader of messages that goes away does not end the work.
		signal.Ignore(syscall.SIGPIPE)
		if output, err = createOutput(o.output); err != nil {
			return fail(quoteShell(o.output), err)
		}
		out, s.leave = output.File, output.is
	} else if info, err := stdout.info(); err == nil && info.regular {
		p.output = &info.id
	}
	if o.update != "" {
		if err := s.update(results); err != nil {
			output.abort()
			return fail(quoteShell(o.update+stampsSuffix), err)
		}
	}

	ctx, bar := context.Background(), new(progress)
	if !p.alone {
		var stop func()
		ctx, stop = withSignals(ctx, output != nil)
		defer stop()
		bar = startProgress(ctx, o, p)
	}
	results.to(bar.wrap(out), bar.wrap(os.Stderr))
	err = p.run(ctx, func(emit func(*item) bool) {
		s.emit = emit
		s.run()
	}, results)
	bar.finish()
	return finish(o, err, &s, results, output)
}

// finish puts the results in their place. err is that of the work.
func finish(o *options, err error, s *source, results *printer, output *outputFile) int {
	var caught signalError
	interrupted := errors.As(err, &caught)
	if output != nil {
		if err == nil {
			err = output.commit()
		} else {
			output.abort()
		}
	}
	if results.stamps != nil {
		var stampsErr error
		if err != nil {
			// What is hashed now and what was before, the next run need not hash.
			stampsErr = s.stamps.rest(results.stamps.write)
		}
		if commitErr := results.stamps.commit(); stampsErr == nil {
			stampsErr = commitErr
		}
		if err == nil {
			err = stampsErr
		}
	}
	switch {
	case interrupted:
		if output != nil && output.temporary {
			fmt.Fprintf(os.Stderr, "sha256sum: %v: %s is not written\n", caught, quoteShell(o.output))
		}
		dieOf(caught.Signal)
		return caught.status()
	case err != nil && output != nil:
		return fail(quoteShell(o.output), err)
	case err != nil:
		return fail("write error", err)
	}
	return results.exitStatus()
}

// update makes the source and the printer read and write what is known of files.
func (s *source) update(results *printer) (err error) {
	roots := s.files
	if len(roots) == 0 {
		roots = []string{"."}
	}
	if s.stamps, err = openStamps(s.options.update, roots); err != nil {
		return err
	}
	if results.stamps, err = createStamps(s.options.update); err != nil {
		return err
	}
	leave := s.leave
	s.leave = func(path string) bool { return leave(path) || results.stamps.is(path) }
	return nil
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
//
// To arrange this takes longer than a small file does. Unless something has to be
// cleaned up, it is done when there is something to print.
func withSignals(parent context.Context, cleanUp bool) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	delay := 2 * time.Millisecond
	if cleanUp {
		delay = 0
	}
	// The runtime's timers take two descriptors, and without them it ends the
	// program: with this one it has them before files do.
	time.AfterFunc(delay, func() {
		caught := make(chan os.Signal, 1)
		for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
			// Who starts the program with a signal ignored, as nohup does, means it.
			if !signal.Ignored(s) {
				signal.Notify(caught, s)
			}
		}
		select {
		case s := <-caught:
			signal.Stop(caught)
			cancel(signalError{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	})
	return ctx, func() { cancel(nil) }
}
