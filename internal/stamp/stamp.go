// Package stamp notices, from the sizes, times and inode numbers of files, whether
// they were written to while they were read.
package stamp

import (
	"context"
	"time"
)

// A Stamp shows that a file was written to: it is taken before a file is read
// and again afterwards. Times are in nanoseconds since 1970.
//
// A stamp is trusted once it is settled. Nothing shows writes through a shared mapping
// to a page that was already dirty, until the system writes that page back. Nor does
// anything show writes whose times are not kept: the file system has none, the times of
// a remote one are cached here, or a clock was set back.
type Stamp struct {
	Size     int64
	Modified int64
	Changed  int64 // the time of the last change of contents or inode, which no program can set; Modified where the system lacks it
	Inode    int64 // its number, or 0: files that change places may have the same size and times
}

// MaxReads is the most times that a file is read. A file is read again if its times, but not its
// size, changed while it was read: it may have been touched, not written.
const MaxReads = 3

// settled is the age of a time from which on any later change has another time. It is
// longer than a tick of the slowest clock by which systems stamp files, 16 ms, and than
// a scheduler usually keeps a process from going on with a write.
const settled = 20 * time.Millisecond

// ahead is how far a time may be ahead of the clock and still be by it.
const ahead = settled

// longWrite is longer than one write(2) usually takes, with the disk as slow as it is.
const longWrite = time.Minute

// Unsettled returns how long to wait, from now on, before the file is read: until each
// change from then on is sure to give it another stamp. It is 0 for files that were
// not changed just before, and for times in the future, which are not by this clock.
func (s Stamp) Unsettled(now time.Time) time.Duration {
	after := settled
	switch {
	case s.isWhole(2 * time.Second):
		after += 2 * time.Second // the file system may, like FAT, keep only even seconds
	case s.isWhole(time.Second):
		after += time.Second
	}
	var wait time.Duration
	for _, t := range [...]int64{s.Modified, s.Changed} {
		if age := time.Duration(now.UnixNano() - t); age >= -ahead {
			wait = max(wait, after-age)
		}
	}
	return wait
}

// isWhole reports whether both times are multiples of a unit. That times which the file
// system keeps more exactly are so by chance is rare, and costs only time.
func (s Stamp) isWhole(unit time.Duration) bool {
	return s.Modified%int64(unit) == 0 && s.Changed%int64(unit) == 0
}

// Settle waits, before a file is read, until its stamp is sure to show each further
// write: as long as Unsettled says, and for the end of a write that is under way. fd is
// the open file; its offset is at, and stays there. If ctx is done before, Settle returns
// the cause.
func (s Stamp) Settle(ctx context.Context, fd uintptr, at int64) error {
	now := time.Now()
	if wait := s.Unsettled(now); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if s.IsSettled(now) {
		return nil
	}
	return awaitWrite(fd, at)
}

// IsSettled reports whether the file was changed so long ago that there is nothing to
// wait for.
func (s Stamp) IsSettled(now time.Time) bool {
	return now.UnixNano()-max(s.Modified, s.Changed) >= int64(longWrite)
}
