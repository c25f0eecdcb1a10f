package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
)

// What was finished is printed even if the source ended before the interrupt was
// seen.
func TestInterruptPrintsWhatIsDone(t *testing.T) {
	p := newPipeline(&options{jobs: 1})
	done := &item{name: "abc", digest: abcDigest}
	done.done.Store(true)
	p.order <- done
	close(p.order)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(signalError{syscall.SIGINT})
	var out strings.Builder
	err := p.print(ctx, newPrinter(p.options, &out, io.Discard))
	if caught := new(signalError); !errors.As(err, caught) {
		t.Errorf("error %v, not the signal", err)
	}
	if want := abcHex + "  abc\n"; out.String() != want {
		t.Errorf("printed %q, not %q", out.String(), want)
	}
}
