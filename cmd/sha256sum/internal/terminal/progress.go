// Package terminal shows the progress of the work, and gives signals their usual
// effects.
package terminal

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// A Progress shows how far the work is, on standard error. The zero value shows
// nothing.
//
// No module draws it: it shares its line with what is printed, and modules that
// draw bars take longer to load than a small file takes to hash.
type Progress struct {
	work   Work
	start  time.Time
	hidden func() bool // somebody else has the terminal now
	stop   func()

	mu    sync.Mutex
	shown bool
}

// Work of less than progressDelay is shown only if that is asked for.
const (
	progressDelay    = time.Second
	progressInterval = 100 * time.Millisecond
)

// A Work is what a Progress shows. Its methods may be called at any time.
type Work interface {
	// Counts returns how many bytes are hashed, how many files are finished, and,
	// once that is known, how many bytes there are.
	Counts() (bytes, files, total int64, known bool)
}

// StartProgress shows the progress of the work until Finish: always, never, or, if
// when is auto, if standard error is a terminal, which typed says is typed into.
func StartProgress(ctx context.Context, when string, typed bool, p Work) *Progress {
	pr := &Progress{work: p, start: time.Now(), hidden: func() bool { return false }}
	delay := progressDelay
	switch {
	case when == "always":
		delay = 0
	case when == "never" || typed || !term.IsTerminal(int(os.Stderr.Fd())) || os.Getenv("TERM") == "dumb":
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

// IsTyped reports whether standard input is a terminal.
func IsTyped() bool { return term.IsTerminal(int(os.Stdin.Fd())) }

// run draws again and again, from the delay on until ctx ends.
func (pr *Progress) run(ctx context.Context, delay time.Duration) {
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

func (pr *Progress) draw() {
	if pr.hidden() {
		return
	}
	text := pr.text(terminalWidth())
	pr.mu.Lock()
	defer pr.mu.Unlock()
	io.WriteString(os.Stderr, "\r"+eraseBelow+text+"\r")
	pr.shown = true
}

// terminalWidth is the width of standard error, or a usual one.
func terminalWidth() int {
	if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// text says how far the work is, in less than width cells.
func (pr *Progress) text(width int) string {
	hashed, files, total, known := pr.work.Counts()
	elapsed := time.Since(pr.start)
	rate := float64(hashed) / elapsed.Seconds()
	if !known || hashed > total {
		return clip(fmt.Sprintf("%s  %d files  %s/s  %s", formatSize(hashed), files, formatSize(int64(rate)), clock(elapsed)), width)
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

// Finish takes the line away.
func (pr *Progress) Finish() {
	if pr.stop != nil {
		pr.stop()
		pr.erase()
	}
}

func (pr *Progress) erase() {
	if pr.shown {
		io.WriteString(os.Stderr, "\r"+eraseBelow)
		pr.shown = false
	}
}

// Wrap returns a writer to f that takes the line away first where they may share
// a terminal. If each line of a file did that, it would hardly be seen.
func (pr *Progress) Wrap(f *os.File) io.Writer {
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
	progress *Progress
	w        io.Writer
}

func (b *behindProgress) Write(p []byte) (int, error) {
	b.progress.mu.Lock()
	defer b.progress.mu.Unlock()
	b.progress.erase()
	return b.w.Write(p)
}
