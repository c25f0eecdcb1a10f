package main

import (
	"os/signal"
	"syscall"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/output"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
)

// outputs are the files that a run writes, and with --update what is read to write them.
type outputs struct {
	list   *output.File   // of --output or --update; otherwise nil
	stdout *file.ID       // that the results are written to, if it is a regular file
	stamps *update.Writer // with --update
	known  *update.Reader // with --update: what is known of files
	former *update.Former // with --update: the list as it was
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
	if w.list, err = output.Create(o.output); err != nil || o.update == "" {
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

// has reports whether a path is of a file that is written. With follow, a link is what it
// leads to.
func (w *outputs) has(path string, follow bool) bool {
	return w.list != nil && w.list.Is(path, follow) || w.stamps != nil && w.stamps.Is(path, follow)
}
