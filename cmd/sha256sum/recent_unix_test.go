//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
	"github.com/sha256-simd/sha256-simd/internal/stamp"
	"golang.org/x/sys/unix"
)

// mapFile makes a file, and returns its contents as they are in memory. What is
// written there shows in no stamp, as a write that is under way.
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
	contents, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Skip("no shared mapping: ", err)
	}
	t.Cleanup(func() { unix.Munmap(contents) })
	for i := 0; i < size; i += 4096 {
		contents[i] = 'a' // from now on the page is dirty
	}
	contents[size-1] = 'a'
	return name, contents
}

// A small file that was written to just before is read again, and its digest is of
// what two readings have seen.
func TestFreshFilesAreReadAgain(t *testing.T) {
	name, contents := mapFile(t, 20_000)
	before, err := file.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	w := testWorker(options{})
	it := newFileItem(name, name)
	w.load(it)
	copy(contents, "changed")
	if now, err := file.Stat(name); err != nil || now.Stamp != before.Stamp {
		t.Skip("a write through a mapping shows in the stamp here")
	}
	w.sum()
	if it.err != nil || it.digest != sha256Digest(sha256.Sum256(contents)) {
		t.Errorf("%x, %v: not the digest of what the file is now", it.digest.slice(), it.err)
	}
}

// Only its times may change meanwhile: its record has those of the last reading.
func TestFreshFilesMayBeTouched(t *testing.T) {
	name, contents := randomFile(t, 20_000)
	w := testWorker(options{})
	it := newFileItem(name, name)
	w.load(it)
	if err := os.Chtimes(name, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	w.sum()
	now, err := file.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if it.err != nil || it.digest != sha256Digest(sha256.Sum256(contents)) || it.stamp != now.Stamp {
		t.Errorf("%x of %+v, %v; the file is as of %+v", it.digest.slice(), it.stamp, it.err, now.Stamp)
	}
}

// One that goes on changing is read again three times, and has no digest.
func TestFreshFilesThatGoOnChanging(t *testing.T) {
	name, contents := mapFile(t, 20_000)
	before, err := file.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	w := testWorker(options{})
	it := newFileItem(name, name)
	w.load(it)
	reads := 1
	for len(w.recent) > 0 && reads < 10 {
		reads++
		contents[7] = byte(reads)
		w.confirmOnce(reads)
	}
	if now, err := file.Stat(name); err != nil || now.Stamp != before.Stamp {
		t.Skip("a write through a mapping shows in the stamp here")
	}
	if reads != 1+stamp.MaxAgain || !errors.Is(it.err, file.ErrChanged) {
		t.Errorf("error %v after %d readings, want %v after %d", it.err, reads, file.ErrChanged, 1+stamp.MaxAgain)
	}
}

// One that changes only at first is read again until two readings agree.
func TestFreshFilesThatChangeAtFirst(t *testing.T) {
	name, contents := mapFile(t, 20_000)
	w := testWorker(options{})
	it := newFileItem(name, name)
	w.load(it)
	for reads := 2; reads <= stamp.MaxAgain; reads++ {
		contents[7] = byte(reads)
		w.confirmOnce(reads)
	}
	w.confirmOnce(1 + stamp.MaxAgain)
	w.sum()
	if it.err != nil || it.digest != sha256Digest(sha256.Sum256(contents)) {
		t.Errorf("%x, %v: not the digest of what the file is now", it.digest.slice(), it.err)
	}
}

// A large one is read again three times at most, too.
func TestFreshStreamsAreReadAgain(t *testing.T) {
	name, contents := mapFile(t, 1<<20)
	f, info, err := file.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	it := newFileItem(name, name)
	s := newStream(it, f, info)
	w := testWorker(options{})
	again := w.readStreams([]*stream{s})
	if len(again) != 1 {
		t.Fatalf("it is not read again: %v", it.err)
	}
	for reading := byte(2); len(again) > 0; reading++ {
		contents[7] = reading
		if now, err := file.Stat(name); err != nil || now.Stamp != info.Stamp {
			t.Skip("a write through a mapping shows in the stamp here")
		}
		if again = w.readStreams(again); reading > stamp.MaxAgain+1 {
			t.Fatalf("it is read %d times", reading)
		}
	}
	if !errors.Is(it.err, file.ErrChanged) {
		t.Errorf("error %v", it.err)
	}
}

// A file that was not written to for two seconds is read once.
func TestOldFilesAreReadOnce(t *testing.T) {
	s := stamp.Stamp{Changed: time.Now().Add(-3 * time.Second).UnixNano()}
	if s.IsRecent() {
		t.Error("three seconds are recent")
	}
	s.Changed = time.Now().Add(-time.Second).UnixNano()
	if !s.IsRecent() {
		t.Error("a second is not recent")
	}
}

// A file that is shorter when it is read again has changed: its end is no reason of
// its own. Those of sysfs end before their sizes do.
func TestFilesShorterWhenReadAgain(t *testing.T) {
	const name = "/sys/devices/system/cpu/online"
	info, err := file.Stat(name)
	if err != nil || info.Size < 64 {
		t.Skip("there is no file that ends before its size does")
	}
	w := testWorker(options{})
	if same, err := w.readAgain(newFileItem(name, name), make([]byte, info.Size)); same || err != file.ErrChanged {
		t.Errorf("the same (%v), error %v", same, err)
	}
}
