package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"syscall"
	"time"

	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

// A fileInfo is what is known of a file.
type fileInfo struct {
	stamp.Stamp
	modified     time.Time // any: Stamp has nanoseconds, which end in 2262
	regular, dir bool
}

// same reports whether nothing shows that the file was written to in between. A new link,
// name or mode counts as a write: whoever sets the time of a write back leaves no other
// trace.
func (i fileInfo) same(now fileInfo) bool { return i.Stamp == now.Stamp }

// settle waits until same is sure to notice any further write to the file. If it was just
// changed, that takes 20 ms or, where times are whole seconds, two seconds.
func (i fileInfo) settle(ctx context.Context, f rawFile) error {
	return i.Settle(ctx, f.descriptor(), 0)
}

// A file is a regular file, open.
type file struct {
	raw    rawFile
	store  *Store
	ctx    context.Context
	info   fileInfo
	n      int64 // bytes that were returned
	ended  bool
	closed bool
}

func (s *Store) openFile(ctx context.Context, name string) (Object, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	raw, err := openRaw(name)
	if err != nil {
		return nil, err
	}
	info, err := raw.stat()
	switch {
	case err != nil:
	case info.dir:
		err = &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	case !info.regular:
		err = &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	if err == nil {
		err = info.settle(ctx, raw)
	}
	if err != nil {
		raw.close()
		return nil, err
	}
	return &file{raw: raw, store: s, ctx: ctx, info: info}, nil
}

func (f *file) Size() int64 { return f.info.Size }

func (f *file) ETag() string { return "" }

func (f *file) Modified() time.Time { return f.info.modified }

func (f *file) Local() bool { return true }

func (f *file) Close() error {
	if f.closed {
		return nil // the descriptor may be another file's by now
	}
	f.closed = true
	return f.raw.close()
}

func (f *file) Read(p []byte) (int, error) {
	if f.ended {
		return 0, io.EOF
	}
	if f.ctx.Err() != nil {
		return 0, context.Cause(f.ctx)
	}
	p = f.store.clip(p)
	n, err := f.raw.read(p)
	f.n += int64(n)
	// A file gives less than it was asked for at its end only, which saves the
	// call that says so.
	if err == nil && len(p) > 0 && n < len(p) && (n == 0 || f.n == f.info.Size) {
		f.ended = true
		info, statErr := f.raw.stat()
		switch {
		case statErr != nil:
			err = statErr
		case f.n != info.Size || !f.info.same(info):
			err = ErrChanged
		}
	}
	if n > 0 {
		err = errors.Join(err, f.store.charge(f.ctx, n))
	}
	if err == nil && f.ended {
		err = io.EOF
	}
	return n, err
}
