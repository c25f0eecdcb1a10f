package main

import (
	"context"
	"io"
	"time"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

// A regularFile is what a reading needs of one.
type regularFile interface {
	io.Reader
	Info() (file.Info, error)
	Rewind(offset int64) error
	// Settle waits until the stamp of the file, whose offset is at, is sure to show
	// further writes.
	Settle(ctx context.Context, s stamp.Stamp, at int64) error
	// MadeUp reports whether the kernel makes up the contents when they are read.
	MadeUp() bool
}

// settle waits until the stamp of a file is sure to show further writes. It returns the
// info after the wait, since writes that were under way may have ended meanwhile. at is
// the file's offset. settle calls idle before it waits for a time to pass.
func settle(ctx context.Context, f regularFile, info file.Info, at int64, idle func()) (file.Info, error) {
	for looks := 1; ; looks++ {
		start := time.Now()
		if info.IsSettled(start) {
			return info, nil
		}
		if info.Unsettled(start) > 0 {
			if f.MadeUp() {
				return info, nil // its times are those of the first look at it
			}
			idle()
		}
		if err := f.Settle(ctx, info.Stamp, at); err != nil {
			return info, err
		}
		if time.Since(start) < time.Millisecond || looks == stamp.MaxReads {
			return info, nil
		}
		now, err := f.Info()
		if err != nil || sameBytes(now.Stamp, info.Stamp) {
			return now, err
		}
		info = now
	}
}

// sameBytes reports whether two stamps differ in nothing but the time of the last change
// of the inode. Some file systems, FUSE and those of network stores among them, give
// another such time at every look.
func sameBytes(a, b stamp.Stamp) bool {
	a.Changed = b.Changed
	return a == b
}

// A reading of a file decides, when it ends, whether it gave the file's contents.
type reading struct {
	before file.Info // of the file, when the reading began
	count  int       // of readings, with this one
	last   *digest   // of the reading before, if nothing but the time of change differed
}

func newReading(before file.Info) *reading { return &reading{before: before, count: 1} }

// end reports whether the reading gave the file's contents. sum returns the digest of
// what was read. If the contents have to be read again, the file is at the offset start
// again. If the file was written to, and another reading does not help, the error is
// file.ErrChanged.
//
// The contents are what was read if the file has the stamp that it had before. If
// nothing but the time of change differs, two readings have to agree.
func (r *reading) end(ctx context.Context, f regularFile, start int64, sum func() digest) (done bool, err error) {
	now, err := f.Info()
	if err != nil || now.Stamp == r.before.Stamp {
		return true, err
	}
	var gave *digest
	if sameBytes(now.Stamp, r.before.Stamp) {
		d := sum()
		if gave = &d; r.last != nil && *r.last == d {
			return true, nil
		}
	}
	if now.Size != r.before.Size || r.count == stamp.MaxReads || f.Rewind(start) != nil {
		return true, file.ErrChanged
	}
	if gave == nil {
		if now, err = settle(ctx, f, now, start, func() {}); err != nil {
			return true, err
		}
	}
	r.before, r.count, r.last = now, r.count+1, gave
	return false, nil
}
