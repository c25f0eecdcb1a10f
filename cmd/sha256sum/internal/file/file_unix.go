//go:build unix

package file

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/sha256-simd/sha256-simd/internal/stamp"
	"golang.org/x/sys/unix"
)

// A File is an open file without what os.File adds to one: for files that
// are opened, read once and closed, that would be half of the cost.
type File int

const (
	Stdin  = File(0)
	Stdout = File(1)
)

// An ID is what two names of one file have in common.
type ID struct{ dev, ino uint64 }

// AppendTo appends the ID to b.
func (id ID) AppendTo(b []byte) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, id.dev), id.ino)
}

// Device is the file system that the file is on.
func (id ID) Device() uint64 { return id.dev }

// Info is what the system knows of a file.
type Info struct {
	stamp.Stamp
	ID           ID
	Regular, Dir bool
}

func Open(name string) (File, Info, error) {
	fd := -1
	err := lookUp(name, func(dir int, name string) (err error) {
		fd, err = retry(func() (int, error) { return unix.Openat(dir, name, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
		return err
	})
	if err != nil {
		return -1, Info{}, err
	}
	f := File(fd)
	info, err := f.Info()
	if err != nil {
		f.Close()
	}
	return f, info, err
}

// Stat returns the Info of a file without opening it.
func Stat(name string) (Info, error) {
	var st unix.Stat_t
	err := status(name, &st, 0)
	return infoOf(&st), err
}

// Identity returns which file a name is of: a link itself, or with follow what it leads to.
// It reports false if the name cannot be looked up.
func Identity(name string, follow bool) (ID, bool) {
	flags := unix.AT_SYMLINK_NOFOLLOW
	if follow {
		flags = 0
	}
	var st unix.Stat_t
	err := status(name, &st, flags)
	return ID{uint64(st.Dev), uint64(st.Ino)}, err == nil
}

// EvalSymlinks returns the path of a file without links, as filepath.EvalSymlinks does, also
// of one that the system finds too long. name is absolute.
func EvalSymlinks(name string) (string, error) {
	at, err := filepath.EvalSymlinks(name)
	if !errors.Is(err, unix.ENAMETOOLONG) {
		return at, err
	}
	const maxLinks = 255 // as there
	at = "/"
	links := 0
	for rest := name; rest != ""; {
		var element string
		element, rest, _ = strings.Cut(strings.TrimLeft(rest, "/"), "/")
		at = filepath.Join(at, element) // of .., too: there is no link in at
		target, err := Readlink(at)
		switch {
		case errors.Is(err, unix.EINVAL):
			continue // no link
		case err != nil:
			return "", err
		}
		if links++; links > maxLinks {
			return "", unix.ELOOP
		}
		if at = filepath.Dir(at); filepath.IsAbs(target) {
			at = "/"
		}
		rest = target + "/" + rest
	}
	return at, nil
}

func status(name string, st *unix.Stat_t, flags int) error {
	return lookUp(name, func(dir int, name string) error {
		_, err := retry(func() (int, error) { return 0, unix.Fstatat(dir, name, st, flags) })
		return err
	})
}

// maxPiece is the longest piece of a path: shorter than any system's PATH_MAX, longer than
// any name.
const maxPiece = 1000

// lookUp calls do with a name and the descriptor of the directory that it is in. If the
// system finds the whole path too long, as it may be below a tree's root, lookUp follows it
// piece by piece.
func lookUp(path string, do func(dir int, name string) error) error {
	dir := unix.AT_FDCWD
	err := do(dir, path)
	if err != unix.ENAMETOOLONG {
		return err
	}
	for len(path) > maxPiece {
		end := strings.LastIndexByte(path[:maxPiece], '/') + 1
		if end == 0 {
			break // a name that is too long
		}
		piece := path[:end]
		next, err := retry(func() (int, error) { return unix.Openat(dir, piece, searchOnly|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) })
		if dir != unix.AT_FDCWD {
			unix.Close(dir)
		}
		if err != nil {
			return err
		}
		dir, path = next, strings.TrimLeft(path[end:], "/")
	}
	if dir == unix.AT_FDCWD {
		return err
	}
	defer unix.Close(dir)
	if path == "" {
		path = "."
	}
	return do(dir, path)
}

func (f File) Info() (Info, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Fstat(int(f), &st) })
	return infoOf(&st), err
}

func infoOf(st *unix.Stat_t) Info {
	info := Info{
		Stamp: stamp.Stamp{Size: st.Size, Modified: st.Mtim.Nano(), Changed: st.Ctim.Nano(), Inode: int64(st.Ino)},
		ID:    ID{uint64(st.Dev), uint64(st.Ino)},
	}
	switch uint32(st.Mode) & unix.S_IFMT {
	case unix.S_IFREG:
		info.Regular = true
	case unix.S_IFDIR:
		info.Dir = true
	case unix.S_IFCHR:
		// A terminal has several names that are devices of their own.
		info.ID = ID{}
	}
	return info
}

// Read reads as coreutils does: in order, not by position.
func (f File) Read(p []byte) (int, error) {
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

// Offset is where the next Read begins.
func (f File) Offset() (int64, error) { return unix.Seek(int(f), 0, io.SeekCurrent) }

// Rewind makes the next Read begin at offset.
func (f File) Rewind(offset int64) error {
	_, err := unix.Seek(int(f), offset, io.SeekStart)
	return err
}

// Settle waits until the stamp of the file, whose offset is at, is sure to show further
// writes.
func (f File) Settle(ctx context.Context, s stamp.Stamp, at int64) error {
	return s.Settle(ctx, uintptr(f), at)
}

// Close leaves standard input to those that read the rest of it.
func (f File) Close() error {
	if f == Stdin {
		return nil
	}
	return unix.Close(int(f))
}

// OS returns f for what only an os.File can do; f is not used again.
func (f File) OS(name string) *os.File { return os.NewFile(uintptr(f), name) }

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
