package main

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress shows how far the work is, on standard error. The zero value
// shows nothing.
type progress struct {
	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	drawn bool
	stop  func()
}

// Work of less than progressDelay shows no bar, unless it is asked for.
const (
	progressDelay    = time.Second
	progressInterval = 100 * time.Millisecond
)

// startProgress shows the progress of the pipeline when the options and
// standard error ask for it, until finish.
func startProgress(ctx context.Context, o *options, p *pipeline) *progress {
	pr := &progress{}
	delay := progressDelay
	switch {
	case o.progress == "always":
		delay = 0
	case o.progress == "never" || !term.IsTerminal(int(os.Stderr.Fd())):
		return pr
	}
	pr.bar = progressbar.NewOptions64(-1,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionShowBytes(true),
		progressbar.OptionUseIECUnits(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(0),
		progressbar.OptionSetSpinnerChangeInterval(0),
		progressbar.OptionClearOnFinish(),
	)
	pr.bar.StartWithoutRender()

	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan struct{})
	pr.stop = func() {
		cancel()
		<-stopped
	}
	go func() {
		defer close(stopped)
		pr.draw(ctx, delay, o, p)
	}()
	return pr
}

// draw draws the bar again and again until ctx ends.
func (pr *progress) draw(ctx context.Context, delay time.Duration, o *options, p *pipeline) {
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		return
	}
	// How much there is to do is found out beside the work, and only now that
	// somebody waits for it.
	total := make(chan int64, 1)
	go func() {
		if n, ok := measure(ctx, o); ok {
			total <- n
		}
	}()
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	limit := int64(-1)
	for {
		done := p.hashed.Load()
		pr.mu.Lock()
		if limit >= 0 {
			// A full bar would end itself.
			done = min(done, limit-1)
		}
		pr.bar.Set64(done)
		pr.drawn = true
		pr.mu.Unlock()
		select {
		case <-tick.C:
		case limit = <-total:
			pr.mu.Lock()
			pr.bar.ChangeMax64(limit)
			pr.mu.Unlock()
		case <-ctx.Done():
			return
		}
	}
}

// measure adds up the sizes of the files that the options ask for. It reports
// false when they cannot be known ahead.
func measure(ctx context.Context, o *options) (total int64, ok bool) {
	if o.files0From == "-" || o.check && len(o.files) == 0 {
		return 0, false
	}
	for _, name := range o.files {
		if o.check && name == "-" {
			return 0, false
		}
	}
	ok = true
	s := source{options: o, emit: func(it *item) bool {
		if it.kind == fileItem {
			info, err := os.Stat(it.name)
			switch {
			case it.name == "-" || err == nil && !info.Mode().IsRegular() && !info.IsDir():
				ok = false
			case err == nil && info.Mode().IsRegular():
				total += info.Size()
			}
			if it.used != nil {
				close(it.used)
			}
		}
		return ok && ctx.Err() == nil
	}, leave: func(string) bool { return false }}
	s.run()
	return total, ok && total > 0 && ctx.Err() == nil
}

// finish takes the bar away.
func (pr *progress) finish() {
	if pr.stop != nil {
		pr.stop()
		pr.mu.Lock()
		pr.hide()
		pr.mu.Unlock()
	}
}

func (pr *progress) hide() {
	if pr.drawn {
		pr.bar.Clear()
		pr.drawn = false
	}
}

// wrap returns a writer to w that takes the bar away first: they may share a
// terminal.
func (pr *progress) wrap(w io.Writer) io.Writer {
	if pr.bar == nil {
		return w
	}
	return &behindBar{pr, w}
}

type behindBar struct {
	progress *progress
	w        io.Writer
}

func (b *behindBar) Write(p []byte) (int, error) {
	b.progress.mu.Lock()
	defer b.progress.mu.Unlock()
	b.progress.hide()
	return b.w.Write(p)
}
