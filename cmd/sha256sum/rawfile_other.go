//go:build !unix

package main

import (
	"io"
	"os"
)

// A rawFile is a file that is opened, read once and closed.
type rawFile struct{ f *os.File }

// rawInfo is what the system tells about a file.
type rawInfo struct {
	size         int64
	regular, dir bool
}

func openRaw(name string) (rawFile, rawInfo, error) {
	f, err := os.Open(name)
	if err != nil {
		return rawFile{}, rawInfo{}, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return rawFile{}, rawInfo{}, err
	}
	return rawFile{f}, infoOf(info), nil
}

// statRaw tells about a file without opening it.
func statRaw(name string) (rawInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		return rawInfo{}, err
	}
	return infoOf(info), nil
}

func infoOf(info os.FileInfo) rawInfo {
	return rawInfo{size: info.Size(), regular: info.Mode().IsRegular(), dir: info.IsDir()}
}

// read fills p from the start of the file.
func (f rawFile) read(p []byte) (int, error) {
	n, err := f.f.ReadAt(p, 0)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

func (f rawFile) close() { f.f.Close() }

// file returns the file to be read from its start; f is not used again.
func (f rawFile) file(string) *os.File { return f.f }
