package main

import (
	"errors"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/output"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
)

// outputs are the files that a run writes, and with --update what is read to write them.
type outputs struct {
	list     *output.File   // of --output or --update; otherwise nil
	replaced *replaced      // by list; nil if nothing is
	stdout   *file.ID       // that the results are written to, if it is a regular file
	stamps   *update.Writer // with --update
	known    *update.Reader // with --update: what is known of files
	former   *update.Former // with --update: the list as it was
}

// A replaced is a file that is to be replaced. If it is one of the files that are read,
// too, it stays: its digest would be of contents that are gone, and it may be a file that
// was never meant to be an output.
type replaced struct {
	id   file.ID
	read atomic.Bool
}

var errReplacedIsRead = errors.New("not replaced: it is also one of the files that are read")

// see says that the file of a path is read. With follow, a link is what it leads to.
func (r *replaced) see(path string, follow bool) {
	if r == nil || r.id == (file.ID{}) {
		return
	}
	id, ok := file.Identity(path, follow)
	if path == "-" {
		info, err := file.Stdin.Info()
		id, ok = info.ID, err == nil
	}
	if ok && id == r.id {
		r.read.Store(true)
	}
}

// err returns an error if the file is read.
func (r *replaced) err() error {
	if r != nil && r.read.Load() {
		return errReplacedIsRead
	}
	return nil
}

// openOutputs opens what the options ask for. If it fails, name is the file that the
// error is about, and no temporary file is left.
func openOutputs(o *options) (w outputs, name string, err error) {
	if o.output == "" {
		if info, err := file.Stdout.Info(); err == nil && info.Regular {
			w.stdout = &info.ID
		}
		return w, "", nil
	}
	// A reader of messages that goes away does not end the work.
	signal.Ignore(syscall.SIGPIPE)
	if w.list, err = output.Create(o.output); err != nil {
		return w, o.output, err
	}
	if err = w.mayReplace(o); err != nil {
		w.list.Abort()
	}
	if err != nil || o.update == "" {
		return w, o.output, err
	}
	name = update.StampsOf(o.update)
	if w.known, err = update.Open(o.update, o.roots()); err == nil {
		w.stamps, err = update.Create(o.update)
	}
	if err == nil && w.list.Temporary {
		name = o.update
		if w.former, err = update.ReadFormer(o.update); err != nil {
			w.stamps.Abort()
		}
	}
	if err != nil {
		w.list.Abort()
	}
	return w, name, err
}

// mayReplace returns an error if what stands in the list's place must stay.
func (w *outputs) mayReplace(o *options) error {
	info, err := file.Stat(o.output)
	if !w.list.Temporary || err != nil {
		return nil
	}
	w.replaced = &replaced{id: info.ID}
	w.replaced.see(o.files0From, true)
	for i, name := range o.files {
		switch {
		case !o.check:
			w.replaced.see(under(o.base, name), o.links != "name")
		case !o.recursive || i == 0:
			w.replaced.see(name, true)
		}
	}
	if err := w.replaced.err(); err != nil || o.check || o.update != "" {
		return err
	}
	return update.CheckReplaced(o.output)
}

// has reports whether a path is of a file that is written. With follow, a link is what it
// leads to.
func (w *outputs) has(path string, follow bool) bool {
	return w.list != nil && w.list.Is(path, follow) || w.stamps != nil && w.stamps.Is(path, follow)
}
