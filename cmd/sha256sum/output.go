package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
)

// An outputFile is the file of --output. What stood there stays until commit
// puts the whole of the new contents in its place.
type outputFile struct {
	*os.File
	target string // "" when writing straight to a device or a pipe
}

func createOutput(name string) (*outputFile, error) {
	mode := fs.FileMode(0o666)
	target, err := filepath.EvalSymlinks(name)
	switch {
	case err == nil:
		info, err := os.Stat(target)
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			return nil, syscall.EISDIR
		}
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(target, os.O_WRONLY, 0)
			return &outputFile{File: f}, err
		}
		mode = info.Mode().Perm()
	case errors.Is(err, fs.ErrNotExist):
		target = name
	default:
		return nil, err
	}
	temporary := filepath.Join(filepath.Dir(target), fmt.Sprintf(".%s.%08x", filepath.Base(target), rand.Uint32()))
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return &outputFile{File: f, target: target}, nil
}

// commit puts the file in its place.
func (o *outputFile) commit() error {
	if o.target == "" {
		return o.Close()
	}
	err := o.Sync()
	if closeErr := o.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(o.Name(), o.target)
	}
	if err != nil {
		os.Remove(o.Name())
	}
	return err
}

// abort leaves what stood in the file's place.
func (o *outputFile) abort() {
	o.Close()
	if o.target != "" {
		os.Remove(o.Name())
	}
}

// is reports whether name is the file or what it will replace.
func (o *outputFile) is(name string) bool {
	base := filepath.Base(name)
	if o.target == "" || base != filepath.Base(o.target) && base != filepath.Base(o.Name()) {
		return false
	}
	info, err := os.Lstat(name)
	if err != nil {
		return false
	}
	for _, own := range []string{o.target, o.Name()} {
		if ownInfo, err := os.Lstat(own); err == nil && os.SameFile(info, ownInfo) {
			return true
		}
	}
	return false
}
