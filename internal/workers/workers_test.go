package workers_test

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/workers"
)

func TestGroup(t *testing.T) {
	errExited, errFirst := errors.New("exited"), errors.New("first")
	// waits fails when the context is done, which is after another worker has failed.
	waits := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for _, tt := range []struct {
		name  string
		work  []func(ctx context.Context) error
		err   error
		cause any
	}{
		{"no worker", nil, nil, nil},
		{"success", []func(context.Context) error{func(context.Context) error { return nil }}, nil, nil},
		{"an error ends the others", []func(context.Context) error{waits, func(context.Context) error { return errFirst }}, errFirst, nil},
		{"Goexit", []func(context.Context) error{waits, func(context.Context) error { runtime.Goexit(); return nil }}, errExited, nil},
		{"a panic", []func(context.Context) error{waits, func(context.Context) error { panic("boom") }}, nil, "boom"},
		{"a panic counts more than an error before it", []func(context.Context) error{
			func(ctx context.Context) error { <-ctx.Done(); panic("boom") },
			func(context.Context) error { return errFirst },
		}, nil, "boom"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, ctx := workers.New(t.Context(), errExited)
			for _, work := range tt.work {
				g.Go(func() error { return work(ctx) })
			}
			g.Wait()
			g.Cancel()
			if ctx.Err() == nil {
				t.Error("the context is not done")
			}
			defer func() {
				if cause := recover(); cause != tt.cause {
					t.Errorf("Err panicked with %v, want %v", cause, tt.cause)
				}
			}()
			if err := g.Err(); err != tt.err {
				t.Errorf("Err() = %v, want %v", err, tt.err)
			}
		})
	}
}

// TestFaultsPanicAsTheCallerSays tests that New leaves the caller's setting as it is, and
// that workers have the same.
func TestFaultsPanicAsTheCallerSays(t *testing.T) {
	for _, want := range []bool{false, true} {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(want))
		g, _ := workers.New(t.Context(), nil)
		if got := debug.SetPanicOnFault(want); got != want {
			t.Errorf("New sets %t to %t", want, got)
		}
		g.Go(func() error {
			if got := debug.SetPanicOnFault(want); got != want {
				t.Errorf("a worker has %t, want %t", got, want)
			}
			return nil
		})
		g.Wait()
		g.Cancel()
	}
}
