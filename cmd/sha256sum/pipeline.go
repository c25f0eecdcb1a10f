package main

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/memory"
)

// A pipeline carries items from one source through the workers to the printer:
//
//	source ── work ──> workers ──┐ done
//	   └───── order ─────────> printer
//
// Both channels are bounded. So memory is bounded, too, however many files there are:
// when the printer waits for a long file, at most cap(order) results wait behind it.
type pipeline struct {
	options *options
	alone   bool           // one goroutine does everything
	arena   int            // bytes of each worker's
	lanes   func() int     // that the widest kernel of this machine has
	work    chan *fileItem // files to hash
	order   chan item      // everything, in the order of printing
	nudge   chan struct{}  // holds a token when an item was finished
	// For the progress.
	hashed   atomic.Int64 // bytes
	finished atomic.Int64 // files
	sizes    atomic.Int64 // of the files whose size is known
	unsized  atomic.Int64 // the files whose size is not known yet
	ended    atomic.Bool  // the source

	files  file.Descriptors
	output *file.ID // that the results are written to, if it is a regular file

	workers sync.WaitGroup
	started int // the number of workers; only the source's goroutine uses it
}

const (
	maxWaiting = 4096
	maxQueued  = 256
	longName   = 1 << 10 // bytes of a name that take the room of an item
)

// newPipeline returns a pipeline. Its results are written to the regular file output. If
// output is nil, they are written to no regular file.
func newPipeline(o *options, output *file.ID) *pipeline {
	p := &pipeline{
		options: o,
		output:  output,
		arena:   min(maxArena, maxArenas/o.jobs),
		lanes:   sync.OnceValue(func() int { return sha256.Selected().Lanes }),
		nudge:   make(chan struct{}, 1),
	}
	queued, waiting := maxQueued, maxWaiting
	if bytes, short := o.short(); short {
		p.alone = true
		p.arena = smallPerArena * (bytes + len(o.files))
		queued, waiting = len(o.files), len(o.files)
	}
	p.work, p.order = make(chan *fileItem, queued), make(chan item, waiting)
	return p
}

// run hashes the items and hands them to out in order.
// It returns the first error of out, or ctx's. Once ctx is done, run does
// not wait for the workers, which may be stuck in a read, but prints what they
// have finished.
func (p *pipeline) run(ctx context.Context, items iter.Seq[item], out *printer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.files.Ctx = ctx

	produce := func() {
		defer close(p.order)
		defer close(p.work)
		for it := range items {
			if !p.emit(ctx, it) {
				break
			}
		}
		p.ended.Store(true)
	}
	if p.alone {
		produce()
		newWorker(p).run(ctx)
	} else {
		go produce()
	}
	waiting, err := p.print(ctx, out)
	if err == nil {
		p.workers.Wait()
		return nil
	}
	if ctx.Err() != nil {
		err = p.printRest(ctx, waiting, out)
	}
	return err
}

// startWorker starts another worker, if there may be one.
func (p *pipeline) startWorker(ctx context.Context) {
	if p.alone || p.started == p.options.jobs {
		return
	}
	if p.started++; p.started == 2 {
		// One worker alone has little garbage, and often little to do.
		memory.Limit()
	}
	p.workers.Go(func() { newWorker(p).run(ctx) })
}

// sized says what size a file has.
func (p *pipeline) sized(it *fileItem, size int64) {
	if !it.sized {
		it.sized = true
		p.sizes.Add(size)
		p.unsized.Add(-1)
	}
}

// total returns how many bytes there are to hash, once that is known.
func (p *pipeline) total() (bytes int64, known bool) {
	return p.sizes.Load(), p.ended.Load() && p.unsized.Load() == 0
}

// errOutput is the error of a file in the tree if the results are written to that file.
var errOutput = errors.New("it is the output")

// Counts is what the progress shows.
func (p *pipeline) Counts() (bytes, files, total int64, known bool) {
	total, known = p.total()
	return p.hashed.Load(), p.finished.Load(), total, known
}

// isOutput reports whether a file is the one that results are written to.
func (p *pipeline) isOutput(id file.ID) bool {
	return p.output != nil && id == *p.output && id != (file.ID{})
}

// emit puts an item in its place. It reports false when the source should
// stop.
func (p *pipeline) emit(ctx context.Context, it item) bool {
	f, isFile := it.(*fileItem)
	work := isFile && !f.ready() // otherwise it needs no worker
	if work {
		p.unsized.Add(1)
		p.startWorker(ctx)
	}
	if isFile {
		// A long name takes more room, which stays empty.
		for range len(f.name) / longName {
			if !send[item](ctx, p.order, nil) {
				return false
			}
		}
	}
	return send(ctx, p.order, it) && (!work || send(ctx, p.work, f))
}

// send reports whether it sent v before ctx was done.
func send[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

// finish hands an item's result to the printer.
func (p *pipeline) finish(it *fileItem) {
	if it.turn != nil {
		close(it.turn.done)
	}
	p.sized(it, 0)
	p.finished.Add(1)
	it.done.Store(true)
	select {
	case p.nudge <- struct{}{}:
	default: // there is a token already
	}
}

// print prints the items in order, each as soon as it is ready. Before it waits, it
// flushes the output. When ctx is done it returns the item that it waited for, if there
// is one.
func (p *pipeline) print(ctx context.Context, out *printer) (waiting item, err error) {
	for {
		var it item
		var ok bool
		select {
		case it, ok = <-p.order:
		default:
			if err := out.flush(); err != nil {
				return nil, err
			}
			select {
			case it, ok = <-p.order:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		if !ok {
			if err := out.flush(); err != nil {
				return nil, err
			}
			return nil, context.Cause(ctx)
		}
		if it == nil {
			continue
		}
		for !it.ready() {
			if err := out.flush(); err != nil {
				return nil, err
			}
			select {
			case <-p.nudge:
			case <-ctx.Done():
				return it, context.Cause(ctx)
			}
		}
		if err := out.item(it); err != nil {
			return nil, err
		}
	}
}

// printRest prints what was finished when ctx ended. It begins with the item that print
// waited for.
func (p *pipeline) printRest(ctx context.Context, it item, out *printer) error {
	for more := true; more; {
		if err := out.rest(it); err != nil {
			return err
		}
		select {
		case it, more = <-p.order:
		default:
			more = false
		}
	}
	if err := out.flush(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
