// Fleetsum checks the SHA-256 digests of any number of objects, in shards that
// any engine can run.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"
)

// A command is one of the tool's.
type command struct {
	name, arguments, does string
	// options adds the command's options to a set.
	options func(*options, *pflag.FlagSet)
	// run returns the exit status.
	run func(context.Context, *options, *streams) (int, error)
}

// streams are the program's input and outputs.
type streams struct {
	in  io.Reader
	out *bufio.Writer
	err io.Writer
}

// needOutput returns an error if standard output is closed, which would lose all
// that a command writes there.
func (s *streams) needOutput() error {
	if outputClosed() {
		return errors.New("standard output is closed")
	}
	return nil
}

// Exit statuses.
const (
	exitGood     = 0 // everything is as it should be, or the command checks nothing
	exitProblems = 1 // something is not
	exitFailed   = 2 // not everything was done
)

var commands = []command{
	workerCommand, listCommand, splitCommand, writeCommand, reportCommand,
}

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	c, o, err := parseArguments(args)
	name := "fleetsum"
	if c != nil {
		name += " " + c.name
	}
	s := &streams{in: os.Stdin, out: bufio.NewWriterSize(os.Stdout, 64<<10), err: os.Stderr}
	if errors.Is(err, pflag.ErrHelp) {
		help(s.out, c)
		return s.end(name, exitGood, s.needOutput())
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\nTry '%s --help' for more information.\n", name, err, name)
		return exitFailed
	}
	ctx, stop := withSignals(context.Background())
	defer stop()
	status, err := c.run(ctx, o, s)
	return s.end(name, status, err)
}

// end ends the output of a command, and returns the exit status.
func (s *streams) end(name string, status int, err error) int {
	if flushErr := s.out.Flush(); err == nil && flushErr != nil {
		err = fmt.Errorf("write error: %w", flushErr)
	}
	if err == nil {
		return status
	}
	fmt.Fprintf(s.err, "%s: %v\n", name, err)
	var caught signalError
	if errors.As(err, &caught) {
		return caught.status()
	}
	return exitFailed
}

// A signalError is the signal that ended the work.
type signalError struct{ syscall.Signal }

func (s signalError) Error() string { return s.String() }

// status is what a shell makes of a program that the signal killed.
func (s signalError) status() int { return 128 + int(s.Signal) }

// withSignals returns a context that ends with a signalError when the program
// is asked to end. A second signal kills it.
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
			err := signalError{s.(syscall.Signal)}
			cancel(err)
			// Reads of standard input, and of a file system that does not answer,
			// cannot be broken off.
			time.AfterFunc(5*time.Second, func() { os.Exit(err.status()) })
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}
