package stdout_test

import (
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/sha256-simd/sha256-simd/cmd/internal/stdout"
)

// A closer reports an error when it is closed, as NFS reports that there is no room.
type closer struct{ err error }

func (c closer) Close() error { return c.err }

func TestClose(t *testing.T) {
	for _, tt := range []struct{ err, want error }{
		{nil, nil},
		{syscall.EIO, syscall.EIO},
		{&fs.PathError{Op: "close", Path: "/dev/stdout", Err: fs.ErrClosed}, nil},
	} {
		var text strings.Builder
		o := stdout.New(&text, closer{tt.err})
		if n, err := io.WriteString(o, "a"); n != 1 || err != nil || text.String() != "a" {
			t.Errorf("wrote %q: %d, %v", text.String(), n, err)
		}
		if err := o.Close(); err != tt.want {
			t.Errorf("%v: Close returns %v", tt.err, err)
		}
		if err := stdout.New(io.Discard, closer{tt.err}).Close(); err != nil {
			t.Errorf("%v, nothing was written: Close returns %v", tt.err, err)
		}
	}
}
