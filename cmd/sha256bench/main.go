// Sha256bench measures what this library's kernels for streams, nodes and nonces cost on
// this machine, and says whether the choices that the library makes for this CPU are the best
// ones.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/sha256-simd/sha256-simd/cmd/internal/interrupt"
)

// Exit statuses.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitInterrupted = 130 // as a shell has it for SIGINT
)

func main() {
	ctx, stop := interrupt.Context(os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the tool: it returns the exit status. It closes stdout behind what it prints there:
// some file systems tell only then that there was no room.
func run(ctx context.Context, args []string, stdout io.WriteCloser, stderr io.Writer) int {
	o, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		_, err := fmt.Fprint(stdout, helpText())
		if err = cmp.Or(err, stdout.Close()); err != nil {
			return fail(stderr, fmt.Errorf("writing the help: %w", err))
		}
		return exitOK
	}
	if err != nil {
		fmt.Fprintf(stderr, "sha256bench: %v\nTry 'sha256bench -help' for more information.\n", err)
		return exitUsage
	}
	c := newCosts()
	budget := o.time
	if o.row {
		budget /= 2
	}
	err = c.measure(ctx, budget)
	if err == nil && o.row {
		c.overhead, err = c.measureOverhead(ctx, budget)
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(stderr, "sha256bench: interrupted")
		return exitInterrupted
	}
	if err != nil {
		return fail(stderr, err)
	}
	r := &report{thisMachine(), c}
	write := r.writeText
	switch {
	case o.row:
		write = r.writeRow
	case o.json:
		write = r.writeJSON
	}
	if err := cmp.Or(write(stdout), stdout.Close()); err != nil {
		return fail(stderr, fmt.Errorf("writing the results: %w", err))
	}
	return exitOK
}

func fail(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "sha256bench: %v\n", err)
	return exitError
}
