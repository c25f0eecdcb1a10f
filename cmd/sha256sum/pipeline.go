package main

import (
	"context"
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
	lanes   int           // that the widest kernel of this machine has
	work    chan *item    // files to hash
	order   chan *item    // everything, in the order of printing
	nudge   chan struct{} // holds a token when an item was finished
	hashed  atomic.Int64  // bytes, for the progress bar
	files   descriptors
}

const (
	maxWaiting = 4096
	maxQueued  = 256
	longName   = 1 << 10 // bytes of a name that take the room of an item
)

func newPipeline(o *options) *pipeline {
	return &pipeline{
		options: o,
		lanes:   sha256.Selected().Lanes,
		work:    make(chan *item, maxQueued),
		order:   make(chan *item, maxWaiting),
		nudge:   make(chan struct{}, 1),
	}
}

// run hashes everything that the source yields and hands it to out in order.
// It returns the first error of out, or ctx's. Once ctx is done, run does
// not wait for the workers, which may be stuck in a read, but prints what they
// have finished.
func (p *pipeline) run(ctx context.Context, source func(emit func(*item) bool), out *printer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.files.ctx = ctx

	go func() {
		defer close(p.order)
		defer close(p.work)
		source(func(it *item) bool { return p.emit(ctx, it) })
	}()
	var workers sync.WaitGroup
	for range p.options.jobs {
		workers.Go(func() { newWorker(p).run(ctx) })
	}
	err := p.print(ctx, out)
	if err == nil {
		workers.Wait()
	}
	return err
}

// emit puts an item in its place. It reports false when the source should
// stop.
func (p *pipeline) emit(ctx context.Context, it *item) bool {
	if it.kind != fileItem {
		it.done.Store(true)
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
