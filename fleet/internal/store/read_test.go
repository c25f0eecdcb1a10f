package store

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

// What is not one object's fault counts against its store.
func TestOfObject(t *testing.T) {
	for err, want := range map[error]bool{
		ErrChanged:             true,
		nameError("no bucket"): true,
		errStalled:             false,
		syscall.ENOENT:         true,
		syscall.ENOTDIR:        true,
		syscall.EACCES:         true,
		syscall.EISDIR:         true,
		syscall.EIO:            false,
		syscall.ESTALE:         false,
		syscall.ENOTCONN:       false,
		syscall.ETIMEDOUT:      false,
		syscall.EMFILE:         false,
		syscall.ENFILE:         false,
	} {
		if _, isErrno := err.(syscall.Errno); isErrno {
			err = &fs.PathError{Op: "open", Path: "p", Err: err}
		}
		if got := OfObject(fmt.Errorf("reading: %w", err)); got != want {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}
