package journal

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

// A Former is a manifest that is to be replaced, beside which the new one is compared. Close
// must be called.
type Former struct {
	names *sorter
	lines int64
}

// searched is how much is read of what is to be replaced and has no line of a manifest.
const searched = 1 << 20

// ErrNoManifest says that something is not replaced by a manifest, since it is none: nobody
// knows what would be lost with it.
var ErrNoManifest = errors.New("not replaced: it has no line of a manifest (to begin anew, remove it)")

// ReadFormer reads the manifest of a name. It is nil if nothing is there, or if that is empty.
func ReadFormer(ctx context.Context, s *store.Store, name string) (*Former, error) {
	o, err := s.Open(ctx, name, "")
	if store.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if o.Size() == 0 {
		return nil, nil
	}
	f := &Former{names: newSorter(ctx, manifestChunk)}
	in := &counted{Reader: o}
	err = eachName(in, func(name string) error {
		if name != "" {
			f.lines++
			f.names.add(name)
		} else if f.lines == 0 && in.n > searched {
			return ErrNoManifest
		}
		return nil
	})
	if err == nil && f.lines == 0 {
		err = ErrNoManifest
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// A counted reader counts what was read.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// eachName calls each with the name in each line of a manifest, and with "" for other lines.
func eachName(r io.Reader, each func(name string) error) error {
	format, err := list.NewFormat("auto", "", "")
	if err != nil {
		return err
	}
	lines := list.NewReader(r, format, nil)
	for {
		e, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		name := ""
		if e.Malformed == "" && e.Expected() != "" {
			name = list.NameOfVersion(e.Name, e.Version)
		}
		if err := each(name); err != nil {
			return err
		}
	}
}

// Removed returns how many of the objects of the manifest a new one lacks, which Manifest.Write
// wrote, and how many there are. It can be called once.
func (f *Former) Removed(now io.Reader) (removed, all int64, err error) {
	next, stop := iter.Pull(f.names.all())
	defer stop()
	name, ok := next()
	// until counts the objects up to a name, which is in the new manifest, or all.
	until := func(found string, last bool) {
		for ok && (last || name <= found) {
			if all++; last || name != found {
				removed++
			}
			// A manifest may name an object twice.
			for before := name; ok && name == before; {
				name, ok = next()
			}
		}
	}
	if err := eachName(now, func(found string) error {
		until(found, false)
		return nil
	}); err != nil {
		return 0, 0, err
	}
	until("", true)
	return removed, all, f.names.err()
}

// Close ends the sorting.
func (f *Former) Close() {
	if f != nil {
		f.names.close()
	}
}
