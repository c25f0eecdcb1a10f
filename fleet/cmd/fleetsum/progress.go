package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cheggaaa/pb/v3"
	"github.com/mattn/go-isatty"

	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
)

// A progress shows how far the work is, on standard error. Its methods may be
// called concurrently.
type progress struct {
	objects, bytes, errors atomic.Int64
	allObjects, allBytes   atomic.Int64 // 0: not known
	started                time.Time
	show                   func(last bool)
	ended                  chan struct{}
	shown                  sync.WaitGroup
}

// progressDelay is how long work takes before a bar is shown without being
// asked for.
const progressDelay = time.Second

// progressTemplate has what a person wants to know.
const (
	progressTemplate = `{{string . "objects"}} objects, {{string . "errors"}} errors, {{counters .}} {{bar .}} {{speed . "%s/s" "?/s"}} {{rtime . "%s left" "%s" ""}}`
	// noTotalTemplate is for work of unknown length.
	noTotalTemplate = `{{string . "objects"}} objects, {{string . "errors"}} errors, {{counters . "%s" "%s"}} {{speed . "%s/s" "?/s"}}`
)

// startProgress shows progress as the options say. stop must be called.
func startProgress(o *options, w io.Writer) (*progress, error) {
	p := &progress{started: time.Now(), ended: make(chan struct{})}
	delay, every := time.Duration(0), 200*time.Millisecond
	switch o.progress {
	case "never":
		return p, nil
	case "json":
		every = o.every
		p.show = func(bool) { w.Write(p.line()) }
	case "auto":
		// Lines of results would go over the bar.
		if !isatty.IsTerminal(os.Stderr.Fd()) || isatty.IsTerminal(os.Stdout.Fd()) {
			return p, nil
		}
		delay = progressDelay
		p.show = p.bar(w)
	case "always":
		p.show = p.bar(w)
	default:
		return nil, fmt.Errorf("--progress: %q is not auto, always, never or json", o.progress)
	}
	p.shown.Go(func() {
		select {
		case <-time.After(delay):
		case <-p.ended:
			if o.progress == "auto" {
				return
			}
		}
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.show(false)
			case <-p.ended:
				p.show(true)
				return
			}
		}
	})
	return p, nil
}

// bar returns a function that draws a bar, for the last time if last is true.
func (p *progress) bar(w io.Writer) func(last bool) {
	bar := pb.New64(0).SetMaxWidth(120).SetTemplateString(progressTemplate).Set(pb.Bytes, true).Set(pb.Static, true).Start()
	if bar.Width() == 0 {
		bar.SetWidth(80) // of a terminal that does not know its own
	}
	drawn := 0
	return func(last bool) {
		bar.Set("objects", p.ofAll(p.objects.Load(), p.allObjects.Load())).Set("errors", fmt.Sprint(p.errors.Load()))
		all, read := p.allBytes.Load(), p.bytes.Load()
		template := progressTemplate
		if all <= 0 || read > all {
			all, template = 0, noTotalTemplate
		}
		text := bar.SetTemplateString(template).SetTotal(all).SetCurrent(read).String()
		cells := pb.CellCount(text)
		end := ""
		if last {
			end = "\n"
		}
		io.WriteString(w, "\r"+text+strings.Repeat(" ", max(drawn-cells, 0))+end)
		drawn = cells
	}
}

// stop shows the progress a last time.
func (p *progress) stop() {
	close(p.ended)
	p.shown.Wait()
}

// expect says how much there is to do. If bytes is 0, the number of bytes is not known.
func (p *progress) expect(objects, bytes int64) {
	p.allObjects.Store(objects)
	p.allBytes.Store(bytes)
}

// read counts bytes that were read.
func (p *progress) read(n int) { p.bytes.Add(int64(n)) }

// done counts a result.
func (p *progress) done(r *fixity.Result) {
	p.objects.Add(1)
	if r.IsProblem() {
		p.errors.Add(1)
	}
}

func (p *progress) ofAll(n, all int64) string {
	if all == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d of %d", n, all)
}

// A progressLine is a line of progress in JSON.
type progressLine struct {
	Objects          int64    `json:"objects"`
	AllObjects       int64    `json:"all_objects,omitempty"`
	Bytes            int64    `json:"bytes"`
	AllBytes         int64    `json:"all_bytes,omitempty"`
	Errors           int64    `json:"errors"`
	Seconds          float64  `json:"seconds"`
	ObjectsPerSecond float64  `json:"objects_per_second"`
	BytesPerSecond   float64  `json:"bytes_per_second"`
	SecondsLeft      *float64 `json:"seconds_left,omitempty"`
}

// line returns the progress as a line of JSON.
func (p *progress) line() []byte {
	l := progressLine{
		Objects: p.objects.Load(), AllObjects: p.allObjects.Load(),
		Bytes: p.bytes.Load(), AllBytes: p.allBytes.Load(),
		Errors: p.errors.Load(), Seconds: time.Since(p.started).Seconds(),
	}
	if l.Seconds > 0 {
		l.ObjectsPerSecond, l.BytesPerSecond = float64(l.Objects)/l.Seconds, float64(l.Bytes)/l.Seconds
	}
	var left float64
	switch {
	case l.AllBytes > l.Bytes && l.Bytes > 0:
		left = float64(l.AllBytes-l.Bytes) / l.BytesPerSecond
		l.SecondsLeft = &left
	case l.AllObjects > 0 && l.Objects > 0:
		left = float64(l.AllObjects-l.Objects) / l.ObjectsPerSecond
		l.SecondsLeft = &left
	}
	return list.AppendJSON(nil, struct {
		Progress progressLine `json:"progress"`
	}{l})
}
