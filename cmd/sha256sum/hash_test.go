package main

import (
	"context"
	"crypto/md5"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/internal/stamp"
)

// A fakeFile has one contents for each time that it is read, and the stamps that it
// has after each.
type fakeFile struct {
	contents []string
	stamps   []stamp.Stamp
	reads    int
	r        *strings.Reader
}

func (f *fakeFile) Read(p []byte) (int, error) {
	if f.r == nil {
		f.r = strings.NewReader(f.contents[f.reads])
	}
	return f.r.Read(p)
}

func (f *fakeFile) Info() (file.Info, error) {
	return file.Info{Stamp: f.stamps[f.reads], Regular: true}, nil
}

func (f *fakeFile) Rewind(int64) error {
	f.reads++
	f.r = nil
	return nil
}

// A small file that is written to while it is read is read again if it has kept its
// size, and is an error if it goes on changing.
func TestSmallFilesThatChange(t *testing.T) {
	at := func(changed int64) stamp.Stamp { return stamp.Stamp{Size: 3, Modified: 1, Changed: changed, Inode: 7} }
	for _, test := range []struct {
		name     string
		contents []string
		stamps   []stamp.Stamp
		want     string
		err      error
	}{
		{"as it was", []string{"abc"}, []stamp.Stamp{at(1)}, "abc", io.EOF},
		{"written to once", []string{"abx", "xyz"}, []stamp.Stamp{at(2), at(2)}, "xyz", io.EOF},
		{"written to twice", []string{"abx", "xyc", "xyz"}, []stamp.Stamp{at(2), at(3), at(3)}, "xyz", io.EOF},
		{"written to again and again", []string{"abx", "xyc", "xyz"}, []stamp.Stamp{at(2), at(3), at(4)}, "", file.ErrChanged},
		{"replaced", []string{"abx", "xyz"}, []stamp.Stamp{{Size: 3, Modified: 1, Changed: 1, Inode: 8}, {Size: 3, Modified: 1, Changed: 1, Inode: 8}}, "xyz", io.EOF},
		{"cut off", []string{"ab"}, []stamp.Stamp{{Size: 2, Modified: 1, Changed: 1, Inode: 7}}, "", file.ErrChanged},
		{"grown beyond the room", []string{"abcd"}, []stamp.Stamp{at(1)}, "abcd", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fakeFile{contents: test.contents, stamps: test.stamps}
			var buf [4]byte
			n, _, err := readSmall(f, file.Info{Stamp: at(1), Regular: true}, buf[:])
			if !errors.Is(err, test.err) || err != file.ErrChanged && string(buf[:n]) != test.want {
				t.Errorf("read %q, %v; want %q, %v", buf[:n], err, test.want, test.err)
			}
			if f.reads != len(test.contents)-1 {
				t.Errorf("read %d times, not %d", f.reads+1, len(test.contents))
			}
		})
	}
}

// One missing file is where one other comes from, not several.
func TestMissingFilesAreTakenOnce(t *testing.T) {
	var m missingFiles
	want := sha256Digest(abcDigest)
	m.add("first", want)
	m.add("second", want)
	for _, name := range []string{"first", "second", ""} {
		if got, found := m.take(want); got != name || found != (name != "") {
			t.Errorf("took %q, %v; want %q", got, found, name)
		}
	}
	if m.names[0] != "" || m.names[1] != "" {
		t.Errorf("%q are left", m.names)
	}
}

// An interrupt leaves a file without a verdict: what was read of it has another
// digest than all of it.
func TestInterruptLeavesNoDigestOfHalf(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, info, err := file.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	w := testWorker(options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.ctx = ctx
	it := newFileItem(name, name)
	w.loadOther(it, f, info, md5.New())
	if it.ready() {
		t.Errorf("it is said to have the digest %x", it.digest.slice())
	}
}
