package workers

import (
	"errors"
	"testing"
	"time"
)

// TestTheErrorIsKeptBeforeTheContextEnds tests that the error of a worker is the first
// one, before the end of the context makes the other workers fail.
func TestTheErrorIsKeptBeforeTheContextEnds(t *testing.T) {
	errFirst := errors.New("first")
	g, ctx := New(t.Context(), nil)
	g.mu.Lock() // the worker cannot keep its error yet
	failing := make(chan struct{})
	g.Go(func() error { close(failing); return errFirst })
	<-failing
	select {
	case <-ctx.Done():
		t.Error("other workers may fail first")
	case <-time.After(50 * time.Millisecond):
	}
	g.mu.Unlock()
	g.Wait()
	if err := g.Err(); err != errFirst || ctx.Err() == nil {
		t.Errorf("%v, and the context ended with %v", err, ctx.Err())
	}
}
