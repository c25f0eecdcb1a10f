package stamp

import "golang.org/x/sys/unix"

// awaitWrite waits until a write(2) to the file that is under way has ended. Linux sets
// the times when a write begins, and reads the file meanwhile as far as it was written.
// File systems hold the inode's lock as long; to seek data takes that lock too. Where
// one does not, or cannot seek data, nothing is waited for.
func awaitWrite(fd uintptr) error {
	at, err := unix.Seek(int(fd), 0, unix.SEEK_CUR)
	if err != nil {
		return err
	}
	_, _ = unix.Seek(int(fd), at, unix.SEEK_DATA)
	_, err = unix.Seek(int(fd), at, unix.SEEK_SET)
	return err
}
