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
	"time"

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
	settled  int // times
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

func (f *fakeFile) Settle(context.Context, stamp.Stamp, int64) error {
	f.settled++
	return nil
}

func (f *fakeFile) MadeUp() bool { return false }

// A file that is written to while it is read is read again if it has kept its size, and
// is an error if it goes on changing. If nothing but the time of change differs, it has
// the contents that two readings agree on.
func TestFilesThatChange(t *testing.T) {
	now := time.Now().UnixNano()
	at := func(modified, changed int64) stamp.Stamp {
		return stamp.Stamp{Size: 3, Modified: now + modified, Changed: now + changed, Inode: 7}
	}
	type stamps = []stamp.Stamp
	inode := func(n int64) stamp.Stamp {
		return stamp.Stamp{Size: 3, Modified: now + 1, Changed: now + n, Inode: n}
	}
	for _, test := range []struct {
		name     string
		contents []string
		stamps   stamps
		want     string
		err      error
	}{
		{"as it was", []string{"abc"}, stamps{at(1, 1)}, "abc", io.EOF},
		{"written to once", []string{"abx", "xyz"}, stamps{at(2, 2), at(2, 2)}, "xyz", io.EOF},
		{"written to twice", []string{"abx", "xyc", "xyz"}, stamps{at(2, 2), at(3, 3), at(3, 3)}, "xyz", io.EOF},
		{"written to again and again", []string{"abc", "abc", "abc"}, stamps{at(2, 2), at(3, 3), at(4, 4)}, "", file.ErrChanged},
		{"replaced", []string{"abx", "xyz"}, stamps{inode(8), inode(8)}, "xyz", io.EOF},
		{"cut off", []string{"ab"}, stamps{{Size: 2, Modified: now + 1, Changed: now + 1, Inode: 7}}, "", file.ErrChanged},
		{"grown beyond the room", []string{"abcd"}, stamps{at(1, 1)}, "abcd", nil},

		{"of no lasting time of change", []string{"abc", "abc"}, stamps{at(1, 2), at(1, 3)}, "abc", io.EOF},
		{"touched once", []string{"abx", "xyz"}, stamps{at(1, 2), at(1, 2)}, "xyz", io.EOF},
		{"of no lasting time, readings differ", []string{"abc", "abd", "abd"}, stamps{at(1, 2), at(1, 3), at(1, 4)}, "abd", io.EOF},
		{"of no lasting time, all differ", []string{"abc", "abd", "abe"}, stamps{at(1, 2), at(1, 3), at(1, 4)}, "", file.ErrChanged},
		{"of no lasting time, first and last agree", []string{"abc", "abd", "abc"}, stamps{at(1, 2), at(1, 3), at(1, 4)}, "", file.ErrChanged},
		{"of no lasting time, written to in between", []string{"abc", "abc", "abc"}, stamps{at(1, 2), at(2, 3), at(2, 4)}, "", file.ErrChanged},
		{"written to, then of no lasting time", []string{"abx", "abc", "abc"}, stamps{at(2, 2), at(2, 3), at(2, 4)}, "abc", io.EOF},
		{"of no lasting inode", []string{"abc", "abc", "abc"}, stamps{inode(8), inode(9), inode(10)}, "", file.ErrChanged},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fakeFile{contents: test.contents, stamps: test.stamps}
			var buf [4]byte
			n, now, err := readSmall(t.Context(), f, file.Info{Stamp: at(1, 1), Regular: true}, buf[:])
			if !errors.Is(err, test.err) || err != file.ErrChanged && string(buf[:n]) != test.want {
				t.Errorf("read %q, %v; want %q, %v", buf[:n], err, test.want, test.err)
			}
			if f.reads != len(test.contents)-1 {
				t.Errorf("read %d times, not %d", f.reads+1, len(test.contents))
			}
			if last := test.stamps[len(test.stamps)-1]; err == io.EOF && !sameBytes(now.Stamp, last) {
				t.Errorf("it has the stamp %+v, not %+v", now.Stamp, last)
			}
		})
	}
}

// A file is waited for again before it is read again, unless nothing but the time of
// change differs: that would be so each time.
func TestFilesThatChangeAreWaitedFor(t *testing.T) {
	now := time.Now().Add(-time.Second).UnixNano()
	before := stamp.Stamp{Size: 3, Modified: now, Changed: now, Inode: 7}
	for _, test := range []struct {
		name  string
		after stamp.Stamp
		want  int
	}{
		{"written to", stamp.Stamp{Size: 3, Modified: now + 1, Changed: now + 1, Inode: 7}, 1},
		{"touched", stamp.Stamp{Size: 3, Modified: now, Changed: now + 1, Inode: 7}, 0},
		{"of long ago", stamp.Stamp{Size: 3, Modified: 1, Changed: 1, Inode: 7}, 0},
	} {
		f := &fakeFile{contents: []string{"abc", "abc"}, stamps: []stamp.Stamp{test.after, test.after}}
		var buf [4]byte
		if _, _, err := readSmall(t.Context(), f, file.Info{Stamp: before, Regular: true}, buf[:]); err != io.EOF || f.settled != test.want {
			t.Errorf("%s: %v, waited for %d times, not %d", test.name, err, f.settled, test.want)
		}
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
