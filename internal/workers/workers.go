// Package workers runs goroutines that call a user's code on behalf of the goroutine
// on which the user called the library.
package workers

import (
	"context"
	"runtime/debug"
	"sync"
)

// A Group is the workers of a call. If the user's code panics on the goroutine of a
// worker, [Group.Err] panics with the same value. A memory fault panics on a worker
// if it would panic on the goroutine that called New, as set by
// [debug.SetPanicOnFault].
type Group struct {
	cancel context.CancelFunc
	exited error
	faults bool
	wg     sync.WaitGroup

	mu    sync.Mutex
	first error
	cause any // of a panic
}

// New returns a Group and a context for its workers. The context is done when ctx is
// done, a worker fails, or Cancel is called. exited is the error for a worker that
// does not return, but calls runtime.Goexit.
func New(ctx context.Context, exited error) (*Group, context.Context) {
	g := &Group{exited: exited, faults: debug.SetPanicOnFault(false)}
	debug.SetPanicOnFault(g.faults)
	ctx, g.cancel = context.WithCancel(ctx)
	return g, ctx
}

// Go starts a worker.
func (g *Group) Go(work func() error) {
	g.wg.Go(func() {
		err := g.exited
		defer func() {
			panicked := recover()
			if err == nil {
				return
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.first == nil {
				g.first = err
			}
			if g.cause == nil {
				g.cause = panicked
			}
			g.cancel() // after first is set: a cancelled context makes the other workers fail
		}()
		debug.SetPanicOnFault(g.faults)
		err = work()
	})
}

// Cancel asks the workers to end. Call it at least once for each Group: it releases the
// context.
func (g *Group) Cancel() { g.cancel() }

// Wait waits until all workers have ended.
func (g *Group) Wait() { g.wg.Wait() }

// Err returns the first error of a worker. If workers panicked, Err panics with the
// value of the first panic. Call it when all workers have ended.
func (g *Group) Err() error {
	if g.cause != nil {
		panic(g.cause)
	}
	return g.first
}
