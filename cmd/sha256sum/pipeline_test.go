package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
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
	results := newPrinter(p.options)
	results.to(&out, io.Discard)
	err := p.print(ctx, results)
	if caught := new(signalError); !errors.As(err, caught) {
		t.Errorf("error %v, not the signal", err)
	}
	if want := abcHex + "  abc\n"; out.String() != want {
		t.Errorf("printed %q, not %q", out.String(), want)
	}
}

// However long names are, those that wait for a file before them take little
// memory.
func TestLongNamesThatWaitAreFew(t *testing.T) {
	for _, length := range []int{1, longName - 1, longName, 60_000} {
		p := newPipeline(&options{jobs: 1})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for range p.work {
			}
		}()
		var waiting atomic.Int64
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for p.emit(ctx, &item{name: strings.Repeat("x", length)}) {
				waiting.Add(1)
			}
			close(p.work)
		}()
		for len(p.order) < cap(p.order) {
			time.Sleep(time.Millisecond)
		}
		cancel()
		<-ended
		if n := waiting.Load(); n*int64(length) > maxWaiting*longName || n < maxWaiting/(1+int64(length)/longName) {
			t.Errorf("%d names of %d bytes wait", n, length)
		}
	}
}
