// Package interrupt ends the work of a command when a signal asks for it.
package interrupt

import (
	"context"
	"os"
	"os/signal"
	"slices"
)

// Context returns a context that ends when one of the signals arrives, or when the function
// is called. From then on, the signals end the process. SIGHUP and SIGINT stay ignored if
// they were when the process began: nohup and a shell's background jobs rely on it.
func Context(signals ...os.Signal) (context.Context, context.CancelFunc) {
	signals = slices.DeleteFunc(signals, signal.Ignored)
	if len(signals) == 0 { // NotifyContext would then take all signals
		return context.WithCancel(context.Background())
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
