package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/moby/sys/atomicwriter"
)

// A change is a file's new content.
type change struct {
	path     string      // of the file itself, where a symbolic link was named
	info     fs.FileInfo // of the file with its old content
	old, new []byte
}

// prepareChange refuses what replaceAll should not touch.
func prepareChange(path string, old, new []byte) (change, error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return change{}, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return change{}, err
	}
	if !info.Mode().IsRegular() {
		return change{}, fmt.Errorf("%s: not a regular file", path)
	}
	// Replacing a file needs a writable directory alone, and root may write
	// anything: neither means that this file may be changed.
	if info.Mode().Perm()&0o200 == 0 {
		return change{}, fmt.Errorf("%s: would change, but is read-only", path)
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return change{}, err
	}
	return change{path: target, info: info, old: old, new: new}, f.Close()
}

// replaceAll replaces the files' content, each at once for whoever reads it.
// If one fails, those before it get their old content back.
func replaceAll(changes []change) error {
	for i, c := range changes {
		err := c.write(c.new)
		if err == nil {
			continue
		}
		errs := []error{fmt.Errorf("%s: %w", c.path, err)}
		for _, done := range changes[:i] {
			if err := done.write(done.old); err != nil {
				errs = append(errs, fmt.Errorf("%s: restoring the old content: %w", done.path, err))
			}
		}
		return errors.Join(errs...)
	}
	return nil
}

// write replaces the file by one with this content, the permissions that the
// file had and, as far as this user may do that, its owner and group.
func (c change) write(content []byte) error {
	if err := atomicwriter.WriteFile(c.path, content, c.info.Mode().Perm()); err != nil {
		return err
	}
	keepOwner(c.path, c.info)
	return nil
}
