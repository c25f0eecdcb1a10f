// Sha256sum prints or checks SHA-256 checksums as the tool of the GNU coreutils
// does, many files side by side.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the tool: it returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseOptions(args)
	switch {
	case errors.Is(err, errHelp):
		return finish(stderr, printAll(stdout, helpText))
	case errors.Is(err, errVersion):
		return finish(stderr, printAll(stdout, versionText()))
	case err != nil:
		fmt.Fprintf(stderr, "sha256sum: %v\nTry 'sha256sum --help' for more information.\n", err)
		return 1
	}
	s := &session{options: o, stdin: stdin, out: bufio.NewWriter(stdout), errs: stderr}
	s.run()
	err = s.out.Flush()
	if status := finish(stderr, err); status != 0 {
		return status
	}
	if s.failed {
		return 1
	}
	return 0
}

func printAll(w io.Writer, s string) error {
	_, err := io.WriteString(w, s)
	return err
}

// finish reports an error of the standard output.
func finish(stderr io.Writer, err error) int {
	if err != nil {
		fmt.Fprintf(stderr, "sha256sum: write error: %s\n", reason(err))
		return 1
	}
	return 0
}
