package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// A progress shows how far the work is, on standard error. The zero value shows
// nothing.
//
// No module draws it: it shares its line with what is printed, and those that
// draw bars take longer to load than a small file takes to hash.
type progress struct {
	pipeline *pipeline
	start    time.Time
	hidden   func() bool // somebody else has the terminal now
	stop     func()

	mu    sync.Mutex
	shown bool
}

// Work of less than progressDelay is shown only if that is asked for.
const (
	progressDelay    = time.Second
	progressInterval = 100 * time.Millisecond
)

// startProgress shows the progress of the pipeline when the options and
// standard error ask for it, until finish.
func startProgress(ctx context.Context, o *options, p *pipeline) *progress {
	pr := &progress{pipeline: p, start: time.Now(), hidden: func() bool { return false }}
	delay := progressDelay
	switch {
	case o.progress == "always":
		delay = 0
	case o.progress == "never" || o.status || !term.IsTerminal(int(os.Stderr.Fd())) || os.Getenv("TERM") == "dumb" || typedInto(o):
		return pr
	default:
		pr.hidden = inBackground
	}
	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan struct{})
	pr.stop = func() {
		cancel()
		<-stopped
	}
	go func() {
		defer close(stopped)
		pr.run(ctx, delay)
	}()
	return pr
}

// typedInto reports whether the options make the program read a terminal.
func typedInto(o *options) bool {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return false
	}
	names := append(slices.Clone(o.files), o.files0From)
	reads := len(o.files) == 0 && o.files0From == "" && !o.recursive && o.bag == ""
	return reads || slices.ContainsFunc(names, func(name string) bool {
		return name == "-" || strings.HasPrefix(name, "/dev/")
	})
}

// run draws again and again, from the delay on until ctx ends.
func (pr *progress) run(ctx context.Context, delay time.Duration) {
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		return
	}
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	for {
		pr.draw()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// eraseBelow clears the terminal from the cursor on. The cursor stays at the
// start of the line that is drawn, so that this clears all of it even when a
// window that became narrower has broken it into several.
const eraseBelow = "\x1b[J"

func (pr *progress) draw() {
	if pr.hidden() {
		return
	}
	text := pr.text(terminalWidth())
	pr.mu.Lock()
	defer pr.mu.Unlock()
	io.WriteString(os.Stderr, "\r"+eraseBelow+text+"\r")
	pr.shown = true
}

// terminalWidth is that of standard error, or a usual one.
func terminalWidth() int {
	if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// text says how far the work is, in less than width cells.
func (pr *progress) text(width int) string {
	hashed := pr.pipeline.hashed.Load()
	elapsed := time.Since(pr.start)
	rate := float64(hashed) / elapsed.Seconds()
	total, known := pr.pipeline.total()
	if !known || hashed > total {
		return clip(fmt.Sprintf("%s  %d files  %s/s  %s", formatSize(hashed), pr.pipeline.finished.Load(), formatSize(int64(rate)), clock(elapsed)), width)
	}
	left := "?"
	if rate > 0 {
		left = clock(time.Duration(float64(total-hashed) / rate * float64(time.Second)))
	}
	done := 1.0
	if total > 0 {
		done = float64(hashed) / float64(total)
	}
	before := fmt.Sprintf("%s / %s ", formatSize(hashed), formatSize(total))
	after := fmt.Sprintf(" %.1f%%  %s/s  %s left", 100*done, formatSize(int64(rate)), left)
	const widest, narrowest = 40, 5
	cells := min(widest, width-1-len(before)-len(after)-len("[]"))
	if cells < narrowest {
		return clip(strings.TrimSpace(after), width)
	}
	full := int(done * float64(cells))
	return before + "[" + strings.Repeat("=", full) + strings.Repeat(" ", cells-full) + "]" + after
}

// clip keeps a text from the last cell of a line, behind which terminals wrap.
func clip(s string, width int) string { return s[:min(len(s), max(0, width-1))] }

// formatSize writes a number of bytes.
func formatSize(n int64) string {
	const units = "KMGTPE"
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	f, i := float64(n)/(1<<10), 0
	for ; f >= 1<<10 && i < len(units)-1; i++ {
		f /= 1 << 10
	}
	return fmt.Sprintf("%.1f %ciB", f, units[i])
}

// clock writes a duration as minutes and seconds, or hours, minutes and seconds.
func clock(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// finish takes the line away.
func (pr *progress) finish() {
	if pr.stop != nil {
		pr.stop()
		pr.erase()
	}
}

func (pr *progress) erase() {
	if pr.shown {
		io.WriteString(os.Stderr, "\r"+eraseBelow)
		pr.shown = false
	}
}

// wrap returns a writer to f that takes the line away first where they may share
// a terminal. If each line of a file did that, it would hardly be seen.
func (pr *progress) wrap(f *os.File) io.Writer {
	if pr.stop == nil || isOtherFile(f, os.Stderr) {
		return f
	}
	return &behindProgress{pr, f}
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

type behindProgress struct {
	progress *progress
	w        io.Writer
}

func (b *behindProgress) Write(p []byte) (int, error) {
	b.progress.mu.Lock()
	defer b.progress.mu.Unlock()
	b.progress.erase()
	return b.w.Write(p)
}
