//go:build !unix

package file

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

// A File is a file that is opened, read once and closed.
type File struct{ *os.File }

var (
	Stdin  = File{os.Stdin}
	Stdout = File{os.Stdout}
)

// Info is what the system knows of a file.
type Info struct {
	stamp.Stamp
	ID           ID
	Regular, Dir bool
}

func Open(name string) (File, Info, error) {
	f, err := os.Open(name)
	if err != nil {
		return File{}, Info{}, err
	}
	raw := File{f}
	info, err := raw.Info()
	if err != nil {
		raw.Close()
	}
	return raw, info, err
}

// Stat returns the Info of a file without opening it. So the Info has no ID.
func Stat(name string) (Info, error) {
	info, err := os.Stat(name)
	if err != nil {
		return Info{}, err
	}
	return infoOf(info), nil
}

// Identity reports false: nothing says here whether two names are of one file.
func Identity(string, bool) (ID, bool) { return ID{}, false }

// EvalSymlinks returns the path of a file without links.
func EvalSymlinks(name string) (string, error) { return filepath.EvalSymlinks(name) }

// Readlink returns what a symbolic link holds.
func Readlink(name string) (string, error) { return os.Readlink(name) }

func (f File) Info() (Info, error) {
	info, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	known := infoOf(info)
	if known.Regular || known.Dir {
		known.ID = idOf(f.File)
	}
	return known, nil
}

func infoOf(info os.FileInfo) Info {
	modified := info.ModTime().UnixNano()
	return Info{
		Stamp:   stamp.Stamp{Size: info.Size(), Modified: modified, Changed: modified},
		Regular: info.Mode().IsRegular(),
		Dir:     info.IsDir(),
	}
}

// Offset is where the next Read begins.
func (f File) Offset() (int64, error) { return f.Seek(0, io.SeekCurrent) }

// Rewind makes the next Read begin at offset.
func (f File) Rewind(offset int64) error {
	_, err := f.Seek(offset, io.SeekStart)
	return err
}

// Settle waits until the stamp of the file, whose offset is at, is sure to show further
// writes.
func (f File) Settle(ctx context.Context, s stamp.Stamp, at int64) error {
	return s.Settle(ctx, f.Fd(), at)
}

// Close leaves standard input to those that read the rest of it.
func (f File) Close() error {
	if f == Stdin {
		return nil
	}
	return f.File.Close()
}

// OS returns f for what only an os.File can do; f is not used again.
func (f File) OS(string) *os.File { return f.File }

// outOfDescriptors is never so: these systems let a process open many files.
func outOfDescriptors(error) bool { return false }
