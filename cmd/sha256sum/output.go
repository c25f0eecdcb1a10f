package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// An outputFile is the file of --output. What stood there stays until commit
// puts the whole of the new contents in its place.
type outputFile struct {
	*os.File
	target    string
	temporary bool // takes target's place; otherwise it is target itself: a device, a pipe or somebody's descriptor
}

func createOutput(name string) (*outputFile, error) {
	mode, target := fs.FileMode(0o666), name
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, syscall.EISDIR
	case err == nil && !info.Mode().IsRegular():
		// A device or a pipe, perhaps by way of /dev/stdout, cannot be replaced.
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &outputFile{File: f, target: name}, err
	case err == nil:
		// A link stays: what it leads to is replaced.
		target, err = filepath.EvalSymlinks(name)
		// Others, such as the shell, hold the file that a descriptor leads to.
		// They would go on with the one that was replaced.
		if f := descriptor(name, info); f != nil {
			return &outputFile{File: f, target: target}, nil
		}
		if err != nil {
			return nil, err
		}
		// To replace a file takes no right to write to it; who protected it means it.
		if mode = info.Mode().Perm(); mode&0o200 == 0 {
			return nil, syscall.EACCES
		}
	default:
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if _, err := os.Lstat(name); err == nil {
			return nil, errors.New("dangling symbolic link")
		}
	}
	temporary := filepath.Join(filepath.Dir(target), fmt.Sprintf(".sha256sum.%08x", rand.Uint32()))
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	o := &outputFile{File: f, target: target, temporary: true}
	if info != nil {
		keepOwner(f, info)
		if err := f.Chmod(mode); err != nil {
			o.abort()
			return nil, err
		}
	}
	return o, nil
}

// descriptor returns the file that the process was started with under one of
// its descriptors and that the name means: by number, or because it is standard
// output or standard error.
func descriptor(name string, info fs.FileInfo) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if own, err := f.Stat(); err == nil && os.SameFile(info, own) {
			return f
		}
	}
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if number, found := strings.CutPrefix(filepath.ToSlash(filepath.Clean(name)), dir); found {
			if fd, err := strconv.ParseUint(number, 10, 31); err == nil {
				return os.NewFile(uintptr(fd), name)
			}
		}
	}
	return nil
}

// commit puts the file in its place.
func (o *outputFile) commit() error {
	if !o.temporary {
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
	if o.temporary {
		os.Remove(o.Name())
	}
}

// is reports whether name is the file or what it will replace.
func (o *outputFile) is(name string) bool {
	base := filepath.Base(name)
	if base != filepath.Base(o.target) && base != filepath.Base(o.Name()) {
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
