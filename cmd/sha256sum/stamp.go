package main

import (
	"errors"
	"time"
)

// A stamp is what tells that a file was written to: it is taken before a file is
// read and again afterwards. Times are in nanoseconds since 1970.
//
// What it cannot tell: writes through a shared mapping to a page that was dirty
// before, until the system writes that page back; the rest of a write that was
// under way before; and writes where nothing keeps the times, be it a file system
// without them, a remote one whose times are cached here, or a clock that was set
// back.
type stamp struct {
	size     int64
	modified int64
	changed  int64 // of the inode too, which nobody can set; modified where the system does not tell
	inode    int64 // its number, or 0: files that change places may have the same size and times
}

// errChanged is the error of a file that was written to while it was read: its
// digest would be of contents that it never had.
var errChanged = errors.New("file changed as it was read")

// errOutput is the error of a file of the tree that the results are written to.
var errOutput = errors.New("it is the output")

// errLoop is the error of a directory that leads back to one that it is in.
var errLoop = errors.New("file system loop")

// maxReads is how often a file is read whose times change meanwhile, though its
// size does not: somebody may only touch it.
const maxReads = 3

// settle waits until whatever is done to the file from now on gives it another
// stamp. A file system's clock ticks every few milliseconds, so this does not take
// long, and nothing at all for a file that was last changed before.
func (s stamp) settle() {
	grain := int64(1)
	if s.changed%int64(time.Second) == 0 {
		grain = int64(2 * time.Second) // keeps whole seconds, or as FAT even ones
	}
	for time.Now().UnixNano()-s.changed < grain+int64(longestTick) {
		wait := s.changed + grain - fileClock()
		if wait <= 0 || wait > grain+int64(longestTick) {
			return // past, or to come: not by our clock
		}
		time.Sleep(time.Millisecond)
	}
}

// longestTick is how long file systems' clocks may stand still.
const longestTick = 16 * time.Millisecond
