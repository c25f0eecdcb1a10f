//go:build unix

package store

import (
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

// A rawFile is an open file without what os.File adds to one: for files that
// are opened, read once and closed, that is a large part of the cost.
type rawFile struct {
	fd   int
	name string
}

// openRaw opens a file. It does not wait for somebody to write to a named pipe.
func openRaw(name string) (rawFile, error) {
	fd, err := restart(func() (int, error) { return unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0) })
	if err != nil {
		return rawFile{}, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return rawFile{fd, name}, nil
}

func (f rawFile) stat() (fileInfo, error) {
	var st unix.Stat_t
	if _, err := restart(func() (int, error) { return 0, unix.Fstat(f.fd, &st) }); err != nil {
		return fileInfo{}, &fs.PathError{Op: "stat", Path: f.name, Err: err}
	}
	kind := uint32(st.Mode) & unix.S_IFMT
	return fileInfo{
		Stamp:    stamp.Stamp{Size: st.Size, Modified: st.Mtim.Nano(), Changed: st.Ctim.Nano(), Inode: int64(st.Ino)},
		modified: time.Unix(st.Mtim.Unix()), regular: kind == unix.S_IFREG, dir: kind == unix.S_IFDIR,
	}, nil
}

// read returns 0 bytes at the end.
func (f rawFile) read(p []byte) (int, error) {
	n, err := restart(func() (int, error) { return unix.Read(f.fd, p) })
	if err != nil {
		return 0, &fs.PathError{Op: "read", Path: f.name, Err: err}
	}
	return n, nil
}

func (f rawFile) descriptor() uintptr { return uintptr(f.fd) }

func (f rawFile) close() error { return unix.Close(f.fd) }

// restart calls again what a signal interrupted.
func restart(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != unix.EINTR {
			return n, err
		}
	}
}
