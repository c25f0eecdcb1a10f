package main

import (
	"context"
	"sync/atomic"
	"time"
)

// descriptors opens files as the system has descriptors for them: when there are
// too few, whoever needs one waits for those that others are done with.
type descriptors struct {
	ctx  context.Context
	held atomic.Int64 // by the workers
}

// open opens a file that a worker reads, and hands back with close. release is
// called when there is no descriptor left, and gives back those of the caller.
func (d *descriptors) open(name string, release func()) (f rawFile, info rawInfo, err error) {
	err = d.wait(release, func() error {
		f, info, err = openInput(name)
		return err
	})
	if err == nil {
		d.held.Add(1)
	}
	return f, info, err
}

func (d *descriptors) close(f rawFile) {
	f.Close()
	d.held.Add(-1)
}

// wait calls open again as long as it fails for want of a descriptor, and
// somebody holds one that will be given back.
func (d *descriptors) wait(release func(), open func() error) error {
	const patience = 100 // times that nobody seems to hold one
	for idle := 0; ; time.Sleep(time.Millisecond) {
		err := open()
		if !outOfDescriptors(err) || idle == patience || d.ctx.Err() != nil {
			return err
		}
		release()
		if idle++; d.held.Load() > 0 {
			idle = 0
		}
	}
}
