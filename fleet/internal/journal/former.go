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
type Former struct{ names *sorter }

// searched is how much is read of what is to be replaced and has no line of a manifest.
const searched = 1 << 20

// ErrNoManifest says that something is not replaced by a manifest, since it is none: nobody
// knows what would be lost with it.
var ErrNoManifest = errors.New("not replaced: it has no line of a manifest (to begin anew, remove it)")

// errFound ends the search for a line of a manifest.
var errFound = errors.New("found")

// ReadFormer reads the manifest of a name. It is nil if nothing is there, or if that is empty.
// If any manifest may be replaced, it is nil, too, and is read up to its first line.
func ReadFormer(ctx context.Context, s *store.Store, name string, anyMay bool) (*Former, error) {
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
	in := &search{Reader: o, left: searched}
	err = eachName(in, func(name string) error {
		if name == "" {
			return nil
		}
		if anyMay {
			return errFound
		}
		in.found = true
		f.names.add(name)
		return nil
	})
	if err == nil && !in.found {
		err = ErrNoManifest
	}
	if err == nil {
		return f, nil
	}
	f.Close()
	if err == errFound {
		err = nil
	}
	return nil, err
}

// A search reads no more than is left of what is searched, until a line is found. A line that
// is skipped, or has no end, is no line yet.
type search struct {
	io.Reader
	left  int
	found bool
}

func (s *search) Read(p []byte) (int, error) {
	if s.found {
		return s.Reader.Read(p)
	}
	if s.left == 0 {
		return 0, ErrNoManifest
	}
	n, err := s.Reader.Read(p[:min(len(p), s.left)])
	s.left -= n
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
