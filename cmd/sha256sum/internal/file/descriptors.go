package file

import (
	"context"
	"sync/atomic"
	"time"
)

// Descriptors opens files as the system has descriptors for them: a goroutine
// that finds none left waits until others close their files.
type Descriptors struct {
	Ctx  context.Context
	held atomic.Int64 // by the workers
}

// Open opens a file that a worker reads, and hands back with Close. release is
// called when no descriptor is left, and closes what the caller keeps open.
func (d *Descriptors) Open(name string, release func()) (f File, info Info, err error) {
	err = d.Wait(release, func() error {
		f, info, err = OpenInput(name)
		return err
	})
	if err == nil {
		d.held.Add(1)
	}
	return f, info, err
}

func (d *Descriptors) Close(f File) {
	f.Close()
	d.held.Add(-1)
}

// Wait calls open again as long as it fails for want of a descriptor, and
// somebody holds one that will be given back.
func (d *Descriptors) Wait(release func(), open func() error) error {
	const patience = 100 // times that no descriptor seems to be held
	for idle := 0; ; time.Sleep(time.Millisecond) {
		err := open()
		if !outOfDescriptors(err) || idle == patience || d.Ctx.Err() != nil {
			return err
		}
		release()
		if idle++; d.held.Load() > 0 {
			idle = 0
		}
	}
}

// OpenInput opens a file, or standard input for the name -.
func OpenInput(name string) (File, Info, error) {
	if name != "-" {
		return Open(name)
	}
	info, err := Stdin.Info()
	return Stdin, info, err
}
