//go:build unix

package main

import (
	"os"
	"syscall"
)

// A rawFile is an open file without what os.File adds to one: for files that
// are opened, read once and closed, that would be half of the cost.
type rawFile int

// rawInfo is what the system tells about a file.
type rawInfo struct {
	size         int64
	regular, dir bool
}

func openRaw(name string) (rawFile, rawInfo, error) {
	fd, err := retry(func() (int, error) { return syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return -1, rawInfo{}, err
	}
	var st syscall.Stat_t
	if _, err := retry(func() (int, error) { return 0, syscall.Fstat(fd, &st) }); err != nil {
		syscall.Close(fd)
		return -1, rawInfo{}, err
	}
	return rawFile(fd), infoOf(&st), nil
}

// statRaw tells about a file without opening it.
func statRaw(name string) (rawInfo, error) {
	var st syscall.Stat_t
	_, err := retry(func() (int, error) { return 0, syscall.Stat(name, &st) })
	return infoOf(&st), err
}

func infoOf(st *syscall.Stat_t) rawInfo {
	kind := uint32(st.Mode) & syscall.S_IFMT
	return rawInfo{size: st.Size, regular: kind == syscall.S_IFREG, dir: kind == syscall.S_IFDIR}
}

// read fills p from the start of the file, in one call.
func (f rawFile) read(p []byte) (int, error) {
	return retry(func() (int, error) { return syscall.Pread(int(f), p, 0) })
}

func (f rawFile) close() { syscall.Close(int(f)) }

// file returns the file to be read from its start; f is not used again.
func (f rawFile) file(name string) *os.File {
	return os.NewFile(uintptr(f), name)
}

// retry calls again what a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR {
			return n, err
		}
	}
}
