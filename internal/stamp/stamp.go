// Package stamp notices, from the sizes, times and inode numbers of files, whether
// they were written to while they were read. A second reading may show writes that
// these do not.
package stamp

import "time"

// A Stamp shows that a file was written to: it is taken before a file is read
// and again afterwards. Times are in nanoseconds since 1970.
//
// It does not show writes through a shared mapping to a page that was already dirty,
// until the system writes that page back. Nor does it show the rest of a write that
// was already under way, or writes whose times are not kept: the file system has
// none, the times of a remote one are cached here, or a clock was set back.
type Stamp struct {
	Size     int64
	Modified int64
	Changed  int64 // the time of the last change of contents or inode, which no program can set; Modified where the system lacks it
	Inode    int64 // its number, or 0: files that change places may have the same size and times
}

// MaxReads is how often a file is read if its times change meanwhile but its size
// does not: somebody may only touch it.
const MaxReads = 3

// MaxAgain is how often a file that was just written to is read again, until two
// readings agree.
const MaxAgain = 3

// BetweenReadings is longer than a scheduler usually keeps a process from going on
// with a write.
const BetweenReadings = 10 * time.Millisecond

// IsRecent reports whether the file was changed less than two seconds ago, by the
// clock that the system stamps files with.
func (s Stamp) IsRecent() bool { return fileClock()-s.Changed < int64(2*time.Second) }

// Settle waits until any later change to the file is sure to give it another stamp. A
// file system's clock ticks every few milliseconds, so this does not take long. For
// files changed before the last tick it takes no time.
func (s Stamp) Settle() {
	grain := int64(1)
	if s.Changed%int64(time.Second) == 0 {
		grain = int64(2 * time.Second) // the file system keeps whole seconds or, like FAT, only even ones
	}
	for time.Now().UnixNano()-s.Changed < grain+int64(longestTick) {
		wait := s.Changed + grain - fileClock()
		if wait <= 0 || wait > grain+int64(longestTick) {
			return // past, or so far ahead that the stamp is not by our clock
		}
		time.Sleep(time.Millisecond)
	}
}

// longestTick is the longest time between two ticks of file systems' clocks.
const longestTick = 16 * time.Millisecond
