//go:build !unix

package store

import (
	"io"
	"os"

	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

// A rawFile is an open file.
type rawFile struct{ *os.File }

func openRaw(name string) (rawFile, error) {
	f, err := os.Open(name)
	return rawFile{f}, err
}

func (f rawFile) stat() (fileInfo, error) {
	info, err := f.File.Stat()
	if err != nil {
		return fileInfo{}, err
	}
	modified := info.ModTime()
	nanoseconds := modified.UnixNano()
	return fileInfo{
		Stamp:    stamp.Stamp{Size: info.Size(), Modified: nanoseconds, Changed: nanoseconds},
		modified: modified, regular: info.Mode().IsRegular(), dir: info.IsDir(),
	}, nil
}

// read returns 0 bytes at the end.
func (f rawFile) read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

func (f rawFile) descriptor() uintptr { return f.File.Fd() }

func (f rawFile) close() error { return f.File.Close() }
