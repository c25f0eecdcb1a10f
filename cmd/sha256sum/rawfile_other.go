//go:build !unix

package main

import (
	"io"
	"os"
)

// A rawFile is a file that is opened, read once and closed.
type rawFile struct{ *os.File }

var (
	stdin  = rawFile{os.Stdin}
	stdout = rawFile{os.Stdout}
)

// A fileID is what two names of one file have in common. Here it takes more than
// the file's information to tell, and what is no regular file counts as one.
type fileID struct{}

// device is the file system that the file is on: all count as one.
func (fileID) device() uint64 { return 0 }

// rawInfo is what the system tells about a file.
type rawInfo struct {
	stamp
	id           fileID
	regular, dir bool
}

func openRaw(name string) (rawFile, rawInfo, error) {
	f, err := os.Open(name)
	if err != nil {
		return rawFile{}, rawInfo{}, err
	}
	raw := rawFile{f}
	info, err := raw.info()
	if err != nil {
		raw.Close()
	}
	return raw, info, err
}

// statRaw tells about a file without opening it.
func statRaw(name string) (rawInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		return rawInfo{}, err
	}
	return infoOf(info), nil
}

func (f rawFile) info() (rawInfo, error) {
	info, err := f.Stat()
	if err != nil {
		return rawInfo{}, err
	}
	return infoOf(info), nil
}

func infoOf(info os.FileInfo) rawInfo {
	modified := info.ModTime().UnixNano()
	return rawInfo{
		stamp:   stamp{size: info.Size(), modified: modified, changed: modified},
		regular: info.Mode().IsRegular(),
		dir:     info.IsDir(),
	}
}

// offset is where the next Read begins.
func (f rawFile) offset() (int64, error) { return f.Seek(0, io.SeekCurrent) }

// rewind makes the next Read begin at offset.
func (f rawFile) rewind(offset int64) error {
	_, err := f.Seek(offset, io.SeekStart)
	return err
}

// Close leaves standard input to those that read the rest of it.
func (f rawFile) Close() error {
	if f == stdin {
		return nil
	}
	return f.File.Close()
}

// file returns f for what only an os.File can do; f is not used again.
func (f rawFile) file(string) *os.File { return f.File }

// outOfDescriptors is never so: these systems let a process open many files.
func outOfDescriptors(error) bool { return false }
