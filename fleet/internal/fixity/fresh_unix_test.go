//go:build unix

package fixity

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/composite"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/internal/stamp"
	"golang.org/x/sys/unix"
)

// mapFile makes a file, and returns its contents as they are in memory. What is
// written there shows in neither size nor time, as a write that is under way.
func mapFile(t *testing.T, size int) (name string, contents []byte) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "file")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(bytes.Repeat([]byte{'a'}, size)); err != nil {
		t.Fatal(err)
	}
	if contents, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		t.Skip("no shared mapping: ", err)
	}
	t.Cleanup(func() { unix.Munmap(contents) })
	for i := 0; i < size; i += 4096 {
		contents[i] = 'a' // from now on the page is dirty
	}
	contents[size-1] = 'a'
	return name, contents
}

// modified returns when a file was written to last.
func modified(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime().UnixNano()
}

// A file that was written to just before it is read is read again, and its digest is
// of what two readings have seen. One that goes on changing has none.
func TestFreshFilesAreReadAgain(t *testing.T) {
	const partSize = 100_000
	for _, tt := range []struct {
		name      string
		size      int
		composite bool
		changes   int // of the first readings
		want      Outcome
	}{
		{"short, as it was", 20_000, false, 0, Match},
		{"short, written to once", 20_000, false, 1, Match},
		{"long, written to once", 3*maxChunk + 5, false, 1, Match},
		{"long, written to three times", 3*maxChunk + 5, false, stamp.MaxAgain - 1, Match},
		{"short, written to again and again", 20_000, false, 100, Unreadable},
		{"long, written to again and again", 3*maxChunk + 5, false, 100, Unreadable},
		{"of parts, written to once", 3*maxChunk + 5, true, 1, Match},
		{"of parts, written to again and again", 3*maxChunk + 5, true, 100, Unreadable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, contents := mapFile(t, tt.size)
			before := modified(t, path)
			last := bytes.Clone(contents)
			last[0] += byte(tt.changes)
			entry := list.Entry{Name: path, SHA256: sum(last)}
			if tt.composite {
				c, err := composite.Sum(context.Background(), bytes.NewReader(last), int64(tt.size), partSize)
				if err != nil {
					t.Fatal(err)
				}
				entry.SHA256, entry.PartSize = c.String(), partSize
			}
			c := newChecker(t, nil, nil)
			read, readings := 0, 0
			c.OnRead = func(n int) {
				if n < 0 {
					read = 0
					return
				}
				// The last byte ends a reading: what is written now is of the next one.
				if read += n; read == tt.size {
					if readings++; readings <= tt.changes {
						contents[0]++
					}
				}
			}
			r := check(t, c, entry)[0]
			if modified(t, path) != before {
				t.Skip("a write through a mapping shows here")
			}
			if r.Outcome != tt.want || (r.Error == "") != (tt.want == Match) || !strings.Contains("changed while it was read", r.Error) {
				t.Errorf("got %+v, want %s", r, tt.want)
			}
			if want := min(tt.changes+2, stamp.MaxAgain+1); readings != want {
				t.Errorf("read %d times, want %d", readings, want)
			}
			if tt.want == Match && read != tt.size {
				t.Errorf("%d bytes count as read of %d", read, tt.size)
			}
		})
	}
}

// A file of long ago is read once.
func TestOldFilesAreReadOnce(t *testing.T) {
	old, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no file is known to be old: ", err)
	}
	c := newChecker(t, nil, nil)
	read := 0
	c.OnRead = func(n int) { read += max(n, 0) }
	if r := check(t, c, list.Entry{Name: old})[0]; r.Outcome != New || int64(read) != r.Size {
		t.Errorf("got %+v after %d bytes", r, read)
	}
}
