package main

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/bag"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/output"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/walk"
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

// A replaced is a file that is to be replaced. It stays if it is one of the files that are
// hashed, or an input that names them: its digest would be of contents that are gone, and it
// may be a file that was never meant to be an output.
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

// openOutputs opens what the options ask for. It calls catch, which catches signals, before
// it makes a temporary file. If it fails, name is the file that the error is about, and no
// temporary file is left.
func openOutputs(o *options, catch func()) (w outputs, name string, err error) {
	if o.output == "" {
		if info, err := file.Stdout.Info(); err == nil && info.Regular {
			w.stdout = &info.ID
		}
		return w, "", nil
	}
	// A reader of messages that goes away does not end the work.
	signal.Ignore(syscall.SIGPIPE)
	// What takes time comes first: once signals are caught, the first one no longer ends
	// the program at once.
	if output.Replaces(o.output) {
		if w.replaced, err = mayReplace(o); err == nil && o.update != "" {
			w.former, err = update.ReadFormer(o.update, plainText)
		}
		if err != nil {
			return w, o.output, err
		}
	}
	if info, err := file.Stat(o.output); err != nil || info.Regular {
		catch()
	}
	if w.list, err = output.Create(o.output); err != nil { // a pipe is waited for
		return w, o.output, err
	}
	catch()
	if o.update == "" {
		return w, "", nil
	}
	if w.list.Temporary && w.former == nil {
		w.former = new(update.Former) // nothing stands there
	}
	name = update.StampsOf(o.update)
	if w.known, err = update.Open(o.update, o.roots()); err == nil {
		w.stamps, err = update.Create(o.update)
	}
	if err != nil {
		w.list.Abort()
	}
	return w, name, err
}

// mayReplace returns the file that is to be replaced, or an error if it must stay. A check
// reads its lists, and a file that it finds changed may well be the report of an earlier one.
func mayReplace(o *options) (*replaced, error) {
	info, err := file.Stat(o.output)
	if err != nil {
		return nil, nil // Create says why
	}
	r := &replaced{id: info.ID}
	follow := o.check || o.links != "name"
	for _, name := range o.inputs() {
		r.see(name, follow)
	}
	if o.files0From != "" {
		r.see(o.files0From, true)
	}
	if o.bag != "" && isBelow(o.output, walk.Join(o.bag, bag.Payload)) {
		return r, errReplacedIsRead // the payload is what the bag was made for
	}
	if err := r.err(); err != nil || o.check || o.update != "" {
		return r, err
	}
	return r, update.CheckReplaced(o.output, plainText)
}

// inputs returns the paths of what the command line names to be read: lists, if it asks for
// a check, and files otherwise.
func (o *options) inputs() []string {
	switch {
	case o.bag != "":
		return bagInputs(o.bag)
	case o.check && o.recursive:
		return o.files[:1]
	case len(o.files) == 0 && !o.recursive && o.files0From == "":
		return []string{"-"}
	case o.check:
		return o.files
	}
	var paths []string
	for _, name := range o.files {
		if o.isWanted(name) {
			paths = append(paths, under(o.base, name))
		}
	}
	return paths
}

// bagInputs returns the paths of a bag's manifests, and of the other files that say what
// is in the bag.
func bagInputs(dir string) (paths []string) {
	for _, name := range bag.TagFiles() {
		paths = append(paths, filepath.Join(dir, name))
	}
	entries, _ := os.ReadDir(dir) // who reads the bag reports the error
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, "manifest-") || strings.HasPrefix(name, "tagmanifest-") {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

// isBelow reports whether a file is somewhere below a directory.
func isBelow(name, dir string) bool {
	top, err := os.Stat(dir)
	if err != nil {
		return false
	}
	// A link is what it leads to, and so are those on the way to it.
	if name, err = filepath.EvalSymlinks(name); err != nil {
		return false
	}
	if name, err = filepath.Abs(name); err != nil {
		return false
	}
	for parent := filepath.Dir(name); parent != name; name, parent = parent, filepath.Dir(parent) {
		if info, err := os.Stat(parent); err == nil && os.SameFile(info, top) {
			return true
		}
	}
	return false
}

// has reports whether a path is of a file that is written. With follow, a link is what it
// leads to.
func (w *outputs) has(path string, follow bool) bool {
	return w.list != nil && w.list.Is(path, follow) || w.stamps != nil && w.stamps.Is(path, follow)
}
