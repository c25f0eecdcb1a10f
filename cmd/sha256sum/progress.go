package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/cheggaaa/pb/v3"
	"github.com/mattn/go-isatty"
)

// A progress shows how far the work is, on standard error. The zero value
// shows nothing.
type progress struct {
	mu    sync.Mutex
	bar   *pb.ProgressBar
	drawn int // cells of the terminal
	stop  func()
}

// Work of less than progressDelay shows no bar, unless it is asked for.
const (
	progressDelay    = time.Second
	progressInterval = 100 * time.Millisecond
)

const (
	progressOfTotal   = `{{counters .}} {{bar .}} {{percent .}} {{speed . "%s/s" "?/s"}} {{rtime . "%s left" "" "? left"}}`
	progressOfUnknown = `{{counters .}} {{speed . "%s/s" "?/s"}} {{etime .}}`
)

// startProgress shows the progress of the pipeline when the options and
// standard error ask for it, until finish.
func startProgress(ctx context.Context, o *options, p *pipeline) *progress {
	pr := &progress{}
	delay := progressDelay
	switch {
	case o.progress == "always":
		delay = 0
	case o.progress == "never" || !isatty.IsTerminal(os.Stderr.Fd()):
		return pr
	}
	pr.bar = pb.New64(0).SetMaxWidth(100).SetTemplateString(progressOfUnknown)
	pr.bar.Set(pb.Bytes, true).Set(pb.Static, true).Start()
	if pr.bar.Width() == 0 {
		pr.bar.SetWidth(80) // of a terminal that does not know its own
	}

	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan struct{})
	pr.stop = func() {
		cancel()
		<-stopped
	}
	go func() {
		defer close(stopped)
		pr.run(ctx, time.Now().Add(delay), o, p)
	}()
	return pr
}

// run draws the bar again and again, from start until ctx ends.
func (pr *progress) run(ctx context.Context, start time.Time, o *options, p *pipeline) {
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	var total chan int64
	for {
		pr.bar.SetCurrent(p.hashed.Load())
		text := pr.bar.String() // which also takes the speed
		if !time.Now().Before(start) {
			pr.draw(text)
			if total == nil {
				// How much there is to do is found out beside the work, and only
				// now that somebody waits for it.
				total = make(chan int64, 1)
				go func() {
					if n, ok := measure(ctx, o); ok {
						total <- n
					}
				}()
			}
		}
		select {
		case <-tick.C:
		case n := <-total:
			pr.bar.SetTotal(n).SetTemplateString(progressOfTotal)
		case <-ctx.Done():
			return
		}
	}
}

func (pr *progress) draw(text string) {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	cells := pb.CellCount(text)
	io.WriteString(os.Stderr, "\r"+text+strings.Repeat(" ", max(pr.drawn-cells, 0)))
	pr.drawn = cells
}

// measure adds up the sizes of the files that the options ask for. It reports
// false when they cannot be known ahead.
func measure(ctx context.Context, o *options) (total int64, ok bool) {
	var read []string
	switch {
	case o.files0From != "":
		read = []string{o.files0From}
	case o.check && len(o.files) == 0:
		return 0, false
	case o.check:
		read = o.files
	}
	for _, name := range read {
		if name == "-" || !rereadable(name) {
			return 0, false
		}
	}
	ok = true
	s := source{options: o, opens: &descriptors{ctx: ctx}, emit: func(it *item) bool {
		if it.kind == fileItem {
			info, err := os.Stat(it.name)
			switch {
			case it.name == "-" || err == nil && !info.Mode().IsRegular() && !info.IsDir():
				ok = false
			case err == nil && info.Mode().IsRegular():
				total += info.Size()
			}
			if it.turn != nil {
				close(it.turn.done)
			}
		}
		return ok && ctx.Err() == nil
	}, leave: func(string) bool { return false }}
	s.run()
	return total, ok && total > 0 && ctx.Err() == nil
}

// rereadable reports whether to read a list a second time takes nothing from
// who reads it the first time.
func rereadable(name string) bool {
	// Where /dev/stdin and its like are no links, they share an offset. Where
	// they are, those of pipes lead to no path.
	path, err := filepath.EvalSymlinks(name)
	if err != nil || strings.HasPrefix(path, "/dev/") {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// finish takes the bar away.
func (pr *progress) finish() {
	if pr.bar != nil {
		pr.stop()
		pr.hide()
	}
}

func (pr *progress) hide() {
	if pr.drawn > 0 {
		io.WriteString(os.Stderr, "\r"+strings.Repeat(" ", pr.drawn)+"\r")
		pr.drawn = 0
	}
}

// wrap returns a writer to f that takes the bar away first where they may share
// a terminal. If each line of a file did that, the bar would hardly be seen.
func (pr *progress) wrap(f *os.File) io.Writer {
	if pr.bar == nil || isOtherFile(f, os.Stderr) {
		return f
	}
	return &behindBar{pr, f}
}

// isOtherFile reports whether f is a regular file that g does not write to.
func isOtherFile(f, g *os.File) bool {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	other, err := g.Stat()
	return err == nil && !os.SameFile(info, other)
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
