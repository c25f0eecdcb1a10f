// Package stdout closes the standard output of a command.
package stdout

import (
	"errors"
	"io"
	"os"
)

// An Output writes to standard output, and closes it at the end. NFS and other file systems
// tell only then that there was no room for what was written. It is not safe for concurrent
// use.
type Output struct {
	io.Writer
	closer  io.Closer
	written bool
}

// New returns an Output that writes to w. Its method Close closes c.
func New(w io.Writer, c io.Closer) *Output { return &Output{Writer: w, closer: c} }

func (o *Output) Write(b []byte) (int, error) {
	o.written = true
	return o.Writer.Write(b)
}

// Close closes standard output. It returns no error if nothing was written: nothing is lost,
// and a process without a console may have no standard output. Nor is it an error if standard
// output is closed already.
func (o *Output) Close() error {
	err := o.closer.Close()
	if !o.written || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
