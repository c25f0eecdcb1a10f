package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/journal"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

// An output is the manifest of --output. What stands there stays until the new manifest is
// whole, and if that would lose objects.
type output struct {
	name   string
	store  *store.Store
	former *journal.Former // nil if nothing is lost
	isIt   func(name string) bool
}

// openOutput returns the output of a name, or why there can be none: before anything is
// read. close must be called.
func openOutput(ctx context.Context, s *store.Store, name string, allowLoss bool) (*output, error) {
	o := &output{name: name, store: s, isIt: store.Same(name)}
	err := s.CheckWrite(name)
	if err == nil {
		o.former, err = journal.ReadFormer(ctx, s, name, allowLoss)
		switch {
		case err == nil || ctx.Err() != nil || errors.Is(err, journal.ErrNoManifest):
		case allowLoss:
			err = nil // who may write to a store need not be allowed to read there
		default:
			err = fmt.Errorf("cannot tell whether a manifest is there: %w (--allow-loss writes all the same)", err)
		}
	}
	if err != nil {
		return nil, o.failed(err)
	}
	return o, nil
}

func (o *output) failed(err error) error { return fmt.Errorf("%s: %w", store.Quote(o.name), err) }

func (o *output) close() { o.former.Close() }

// see returns an error if the object of a result is the output: its digest would be of
// contents that are gone, and it may be a file that was never meant to be an output. What is
// missing was not read.
func (o *output) see(r *fixity.Result) error {
	if r.Outcome != fixity.Missing && o.isIt(r.FullName()) {
		return o.failed(errors.New("not replaced: it is also one of the objects that are read"))
	}
	return nil
}

// replace writes what write writes. failed then says whether an object is left out.
func (o *output) replace(ctx context.Context, write func(io.Writer) error, failed func() bool) error {
	f, err := store.TempFile()
	if err != nil {
		return err
	}
	defer f.Close()
	if err := write(f); err != nil {
		return err
	}
	if o.former != nil {
		if err := o.loss(f, failed()); err != nil {
			return o.failed(err)
		}
	}
	return o.store.Write(ctx, o.name, f)
}

// loss returns an error if what stands there must stay, because the new manifest lacks
// objects.
func (o *output) loss(manifest io.ReadSeeker, failed bool) error {
	var why string
	if failed {
		why = "an object could not be read, or is not as listed"
	} else {
		if _, err := manifest.Seek(0, io.SeekStart); err != nil {
			return err
		}
		removed, all, err := o.former.Removed(manifest)
		if err != nil {
			return err
		}
		if 2*removed <= all {
			return nil
		}
		why = fmt.Sprintf("%d of its %d objects are gone or left out", removed, all)
	}
	return errors.New("not replaced: " + why + " (--allow-loss replaces it)")
}
