// Sha256sum prints or checks SHA-256 checksums as the sha256sum of GNU coreutils
// does, many files side by side. It also hashes, audits and updates whole trees, and
// validates BagIt bags.
//
// Usage:
//
//	sha256sum [OPTION]... [FILE]...
//
//	sha256sum -r --output SHA256SUMS .      # list a tree
//	sha256sum -c --quiet SHA256SUMS         # check it
//
// sha256sum --help lists the options and the exit statuses. The manual page, sha256sum.1
// beside this source, has their details: man ./sha256sum.1.
package main

// Package main decides what is to be done, hashes, checks and prints. Each package below
// it has one subject: trees (internal/walk), what the system says of a file
// (internal/file), the records of earlier runs (internal/update), bags (internal/bag),
// the replacing of a file (internal/output), progress and signals (internal/terminal), the
// quoting of names (internal/message). Three packages are the library's: internal/checklist
// knows what a list looks like, internal/object what one in JSON does, and internal/stamp what
// shows that a file was written to.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/sha256-simd/sha256-simd/cmd/internal/stdout"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/message"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/output"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/terminal"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run is the tool: it returns the exit status.
func run(args []string) int {
	o, err := parseOptions(args)
	var text informationError
	if errors.As(err, &text) {
		out := stdout.New(os.Stdout, os.Stdout)
		_, err := io.WriteString(out, information(text))
		if err = cmp.Or(err, out.Close()); err != nil {
			return fail("write error", err)
		}
		return 0
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "sha256sum: %v\nTry 'sha256sum --help' for more information.\n", err)
		return 1
	}

	terminal.ResetSignals()
	held := 0
	if o.output != "" {
		held++
	}
	if o.update != "" {
		held += 2 // the stamps that are read and those that are written
	}
	if err := file.CheckLimits(held); err != nil {
		fmt.Fprintln(os.Stderr, "sha256sum:", err)
		return 1
	}
	if err := o.checkBase(); err != nil {
		return fail(message.Quote(o.base), err)
	}
	ctx, stop := context.Background(), func() {}
	w, name, err := openOutputs(o, sync.OnceFunc(func() { ctx, stop = withSignals(ctx, true) }))
	defer func() { stop() }()
	if err != nil {
		return fail(message.Quote(name), err)
	}
	p := newPipeline(o, w.stdout)
	s := newSource(o, &p.files, w)

	bar := new(terminal.Progress)
	if !p.alone {
		if w.list == nil {
			ctx, stop = withSignals(ctx, false)
		}
		when := o.progress
		if o.status && when == "auto" {
			when = "never"
		}
		bar = terminal.StartProgress(ctx, when, typedInto(o), p)
	}
	standard := stdout.New(bar.Wrap(os.Stdout), os.Stdout)
	out, errs, report := io.Writer(standard), bar.Wrap(os.Stderr), io.Writer(standard)
	if w.list != nil {
		out = bar.Wrap(w.list.File)
		if !w.list.Temporary {
			report = errs // the list may be standard output
		}
	}
	results := newPrinter(o, w, out, errs, report)
	err = p.run(ctx, s.items(), results)
	bar.Finish()
	return finish(o, err, results, w, standard)
}

// finish puts the results in their place, and closes standard output. err is the error of the
// work.
func finish(o *options, err error, results *printer, w outputs, standard io.Closer) int {
	var caught signalError
	interrupted := errors.As(err, &caught)
	name := o.output // of the file that an error is about
	var reportErr error
	if w.known != nil {
		w.known.Close()
		if err == nil {
			if err = w.known.Err(); err != nil {
				name = update.StampsOf(o.update)
			}
		}
	}
	if w.list != nil {
		if err == nil {
			err = cmp.Or(w.replaced.err(), results.loss(w.list))
			if removedErr := results.reportRemoved(); err == nil {
				err = removedErr
			}
		}
		if err == nil {
			results.warnOfEmptyList()
			err = w.list.Commit()
		} else {
			w.list.Abort()
		}
		reportErr = results.endReport(err == nil)
	}
	if w.stamps != nil {
		var stampsErr error
		if err != nil {
			// The list stays, and so does what is known of its files. The next run need not
			// hash what this run has hashed.
			w.stamps, stampsErr = w.stamps.Complete(o.update, o.roots())
		}
		if stampsErr == nil {
			stampsErr = w.stamps.Commit()
		} else {
			w.stamps.Abort()
		}
		switch of := update.StampsOf(o.update); {
		case stampsErr == nil:
		case err == nil:
			err, name = stampsErr, of
		default:
			fail(message.Quote(of), stampsErr)
		}
	}
	if closeErr := standard.Close(); reportErr == nil {
		reportErr = closeErr
	}
	switch {
	case interrupted:
		if reportErr != nil {
			fail("write error", reportErr)
		}
		if w.list != nil && w.list.Temporary {
			fmt.Fprintf(os.Stderr, "sha256sum: %v: %s is not written\n", caught, message.Quote(o.output))
		}
		terminal.DieOf(caught.Signal)
		return caught.status()
	case err != nil && w.list != nil:
		if reportErr != nil {
			fail("write error", reportErr)
		}
		fail(message.Quote(name), err)
		results.failed = true
	case cmp.Or(err, reportErr) != nil:
		fail("write error", cmp.Or(err, reportErr))
		results.failed = true
	}
	return results.exitStatus()
}

// loss returns an error if a list that stands in dest's place must stay, because the new
// one lacks files.
func (p *printer) loss(dest *output.File) error {
	if p.check || p.allowLoss || !dest.Replaces {
		return nil
	}
	var why string
	switch {
	case p.failed:
		why = "a file could not be read"
	case p.former != nil && 2*p.former.Removed() > p.former.Lines():
		why = fmt.Sprintf("%d of its %d files are gone or left out", p.former.Removed(), p.former.Lines())
	case !p.listed:
		why = noFileHashed
	default:
		return nil
	}
	return errors.New("not replaced: " + why + " (--allow-loss replaces it)")
}

const noFileHashed = "no file was hashed"

// warnOfEmptyList says that the list that is about to be written has no lines: a disk may
// not be mounted, or a filter be wrong. If a file could not be read, that was said.
func (p *printer) warnOfEmptyList() {
	if !p.check && !p.listed && !p.failed {
		p.complain("WARNING: " + noFileHashed) // nothing is left to be flushed
	}
}

func fail(what string, err error) int {
	fmt.Fprintf(os.Stderr, "sha256sum: %s: %s\n", what, message.Reason(err))
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
// To arrange this takes longer than to hash a small file. So it is done after 2 ms, or
// before withSignals returns if something has to be cleaned up.
func withSignals(parent context.Context, cleanUp bool) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	caught := make(chan os.Signal, 1)
	notify := func() {
		for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
			// Who starts the program with a signal ignored, as nohup does, means it.
			if !signal.Ignored(s) {
				signal.Notify(caught, s)
			}
		}
	}
	delay := 2 * time.Millisecond
	if cleanUp {
		notify()
		delay = 0
	}
	// The runtime's timers take two descriptors. If none are left, the runtime
	// ends the program: this timer takes them before files do.
	time.AfterFunc(delay, func() {
		if !cleanUp {
			notify()
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
