package main

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd"
)

// A pipeline carries items from one source through the workers to the printer:
//
//	source ── work ──> workers ──┐ done
//	   └───── order ─────────> printer
//
// Both channels are bounded, so that memory is, however many files there are:
// when the printer waits for a long file, at most cap(order) results wait
// behind it.
type pipeline struct {
	options *options
	alone   bool          // one goroutine does everything
	arena   int           // bytes of each worker's
	lanes   func() int    // that the widest kernel of this machine has
	work    chan *item    // files to hash
	order   chan *item    // everything, in the order of printing
	nudge   chan struct{} // holds a token when an item was finished
	// For the progress.
	hashed   atomic.Int64 // bytes
	finished atomic.Int64 // files
	sizes    atomic.Int64 // of the files whose size is known
	unsized  atomic.Int64 // the files whose size is not known yet
	ended    atomic.Bool  // the source

	files  descriptors
	output *fileID // that the results are written to, if it is a regular file

	workers sync.WaitGroup
	started int // workers; of the source's goroutine
}

const (
	maxWaiting = 4096
	maxQueued  = 256
	longName   = 1 << 10 // bytes of a name that take the room of an item
)

// maxHeap is what the garbage collector keeps to. Otherwise it would let garbage
// take as much again as the buffers and all that waits.
const maxHeap = 48 << 20

func newPipeline(o *options) *pipeline {
	p := &pipeline{
		options: o,
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
	p.work, p.order = make(chan *item, queued), make(chan *item, waiting)
	return p
}

// run hashes everything that the source yields and hands it to out in order.
// It returns the first error of out, or ctx's. Once ctx is done, run does
// not wait for the workers, which may be stuck in a read, but prints what they
// have finished.
func (p *pipeline) run(ctx context.Context, source func(emit func(*item) bool), out *printer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.files.ctx = ctx

	produce := func() {
		defer close(p.order)
		defer close(p.work)
		source(func(it *item) bool { return p.emit(ctx, it) })
		p.ended.Store(true)
	}
	if p.alone {
		produce()
		newWorker(p).run(ctx)
	} else {
		go produce()
	}
	err := p.print(ctx, out)
	if err == nil {
		p.workers.Wait()
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
		debug.SetMemoryLimit(maxHeap)
	}
	p.workers.Go(func() { newWorker(p).run(ctx) })
}

// sized says what size a file has.
func (p *pipeline) sized(it *item, size int64) {
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

// isOutput reports whether a file is the one that results are written to.
func (p *pipeline) isOutput(id fileID) bool {
	return p.output != nil && id == *p.output && id != (fileID{})
}

// emit puts an item in its place. It reports false when the source should
// stop.
func (p *pipeline) emit(ctx context.Context, it *item) bool {
	if it.kind != fileItem {
		it.done.Store(true)
	} else {
		p.unsized.Add(1)
		p.startWorker(ctx)
	}
	send := func(to chan<- *item, it *item) bool {
		select {
		case to <- it:
			return true
		case <-ctx.Done():
			return false
		}
	}
	// A long name takes more room, in which nothing stands.
	for range len(it.name) / longName {
		if !send(p.order, nil) {
			return false
		}
	}
	return send(p.order, it) && (it.kind != fileItem || send(p.work, it))
}

// finish hands an item's result to the printer.
func (p *pipeline) finish(it *item) {
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

// print prints the items in order, each as soon as it can be, and writes out
// what it has before it waits.
func (p *pipeline) print(ctx context.Context, out *printer) error {
	for {
		var it *item
		var ok bool
		select {
		case it, ok = <-p.order:
		default:
			if err := out.flush(); err != nil {
				return err
			}
			select {
			case it, ok = <-p.order:
			case <-ctx.Done():
				return p.printRest(ctx, out)
			}
		}
		if !ok {
			return p.printRest(ctx, out)
		}
		if it == nil {
			continue
		}
		for !it.done.Load() {
			if err := out.flush(); err != nil {
				return err
			}
			select {
			case <-p.nudge:
			case <-ctx.Done():
				return p.printRest(ctx, out)
			}
		}
		if err := out.item(it); err != nil {
			return err
		}
	}
}

// printRest prints what was finished when ctx ended or the source was done.
func (p *pipeline) printRest(ctx context.Context, out *printer) error {
	for more := true; more; {
		var it *item
		select {
		case it, more = <-p.order:
		default:
			more = false
		}
		if it != nil && it.done.Load() && it.kind != summaryItem {
			if err := out.item(it); err != nil {
				return err
			}
		}
	}
	if err := out.flush(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
