//go:build unix

package main

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A rawFile is an open file without what os.File adds to one: for files that
// are opened, read once and closed, that would be half of the cost.
type rawFile int

const (
	stdin  = rawFile(0)
	stdout = rawFile(1)
)

// A fileID is what two names of one file have in common.
type fileID struct{ dev, ino uint64 }

// device is the file system that the file is on.
func (id fileID) device() uint64 { return id.dev }

// rawInfo is what the system tells about a file.
type rawInfo struct {
	stamp
	id           fileID
	regular, dir bool
}

func openRaw(name string) (rawFile, rawInfo, error) {
	fd, err := retry(func() (int, error) { return unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return -1, rawInfo{}, err
	}
	f := rawFile(fd)
	info, err := f.info()
	if err != nil {
		f.Close()
	}
	return f, info, err
}

// statRaw tells about a file without opening it.
func statRaw(name string) (rawInfo, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Stat(name, &st) })
	return infoOf(&st), err
}

func (f rawFile) info() (rawInfo, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Fstat(int(f), &st) })
	return infoOf(&st), err
}

func infoOf(st *unix.Stat_t) rawInfo {
	info := rawInfo{
		stamp: stamp{size: st.Size, modified: st.Mtim.Nano(), changed: st.Ctim.Nano(), inode: int64(st.Ino)},
		id:    fileID{uint64(st.Dev), uint64(st.Ino)},
	}
	switch uint32(st.Mode) & unix.S_IFMT {
	case unix.S_IFREG:
		info.regular = true
	case unix.S_IFDIR:
		info.dir = true
	case unix.S_IFCHR:
		// A terminal has several names that are devices of their own.
		info.id = fileID{}
	}
	return info
}

// Read reads as coreutils does: in order, not by position.
func (f rawFile) Read(p []byte) (int, error) {
	for {
		n, err := retry(func() (int, error) { return unix.Read(int(f), p) })
		switch {
		case err == unix.EAGAIN:
			// An inherited descriptor need not be a blocking one.
			_, err = retry(func() (int, error) {
				return unix.Poll([]unix.PollFd{{Fd: int32(f), Events: unix.POLLIN}}, -1)
			})
			if err == nil {
				continue
			}
		case err == nil && n == 0 && len(p) > 0:
			return 0, io.EOF
		}
		return max(n, 0), err
	}
}

// offset is where the next Read begins.
func (f rawFile) offset() (int64, error) { return unix.Seek(int(f), 0, io.SeekCurrent) }

// rewind makes the next Read begin at offset.
func (f rawFile) rewind(offset int64) error {
	_, err := unix.Seek(int(f), offset, io.SeekStart)
	return err
}

// Close leaves standard input to those that read the rest of it.
func (f rawFile) Close() error {
	if f == stdin {
		return nil
	}
	return unix.Close(int(f))
}

// file returns f for what only an os.File can do; f is not used again.
func (f rawFile) file(name string) *os.File { return os.NewFile(uintptr(f), name) }

// outOfDescriptors reports whether err says that no more files can be open.
func outOfDescriptors(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE)
}

// retry calls again what a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}
