//go:build !unix

package main

import (
	"io"
	"os"
)

// A rawFile is a file that is opened, read once and closed.
type rawFile struct{ f *os.File }

// rawInfo is what opening a file tells about it.
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
	return rawFile{f}, rawInfo{size: info.Size(), regular: info.Mode().IsRegular(), dir: info.IsDir()}, nil
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
