package stamp

import "golang.org/x/sys/unix"

// awaitWrite waits until a write(2) to the file that is under way has ended. Linux sets
// the times when a write begins, and reads the file meanwhile as far as it was written.
// File systems hold the inode's lock as long; to seek data takes that lock too. Where
// one does not, or cannot seek data, nothing is waited for. The file's offset is at.
func awaitWrite(fd uintptr, at int64) error {
	data, err := unix.Seek(int(fd), at, unix.SEEK_DATA)
	if err != nil || data == at {
		return nil // the offset stays, also if there is no data behind it
	}
	_, err = unix.Seek(int(fd), at, unix.SEEK_SET)
	return err
}
