//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/bag"
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

// waits returns how long f waits. Its clock goes on only while all its goroutines
// wait, so what they do in between takes no time.
func waits(t *testing.T, f func(t *testing.T)) (waited time.Duration) {
	t.Helper()
	time.Sleep(20 * time.Millisecond) // no file has the time of the present tick
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		f(t)
		waited = time.Since(start)
	})
	return waited
}

// freshKinds are the ways in which files are read.
var freshKinds = []struct {
	name      string
	size      int
	algorithm *bag.Algorithm
	digest    func([]byte) digest
}{
	{"small", 20_000, nil, sum256},
	{"large", 1 << 20, nil, sum256},
	{"of another algorithm", 20_000, &bag.Algorithm{New: md5.New}, func(b []byte) digest {
		sum := md5.Sum(b)
		return digestOf(sum[:])
	}},
}

func sum256(b []byte) digest { return sha256Digest(sha256.Sum256(b)) }

// readFresh hashes a file while change runs, which begins half a pause after the
// first reading.
func readFresh(t *testing.T, name string, algorithm *bag.Algorithm, change func()) (it *fileItem, hashed int64, waited time.Duration) {
	t.Helper()
	it = newFileItem(name, name)
	it.check = &check{list: &list{algorithm: algorithm}}
	waits(t, func(*testing.T) {
		start := time.Now()
		w := testWorker(options{})
		var changing sync.WaitGroup
		defer changing.Wait()
		changing.Go(func() {
			time.Sleep(stamp.BetweenReadings / 2)
			change()
		})
		w.load(it)
		w.drain()
		hashed, waited = w.pipeline.hashed.Load(), time.Since(start)
	})
	if !it.done.Load() {
		t.Error("the file is not finished")
	}
	return it, hashed, waited
}

// A file that was written to just before is read again after a pause, until two
// readings agree: its digest is of what they have seen. One that goes on changing is
// read again three times, and has no digest.
func TestFreshFilesAreReadAgain(t *testing.T) {
	for _, kind := range freshKinds {
		for changes := range 6 {
			t.Run(fmt.Sprintf("%s, %d changes", kind.name, changes), func(t *testing.T) {
				name, contents := mapFile(t, kind.size)
				before, err := file.Stat(name)
				if err != nil {
					t.Fatal(err)
				}
				it, hashed, waited := readFresh(t, name, kind.algorithm, func() {
					for i := range changes {
						contents[7] = byte(i)
						time.Sleep(stamp.BetweenReadings)
					}
				})
				if now, err := file.Stat(name); err != nil || now.Stamp != before.Stamp {
					t.Skip("a write through a mapping shows in the stamp here")
				}
				agree := changes < stamp.MaxAgain
				if agree && (it.err != nil || it.digest != kind.digest(contents) || it.size != int64(kind.size) || it.stamp != before.Stamp) {
					t.Errorf("%x of %d bytes, %v: not of what the file is now", it.digest.slice(), it.size, it.err)
				}
				if !agree && !errors.Is(it.err, file.ErrChanged) {
					t.Errorf("%x, %v", it.digest.slice(), it.err)
				}
				if hashed != int64(kind.size) {
					t.Errorf("%d bytes count as hashed", hashed)
				}
				if want := time.Duration(min(1+changes, stamp.MaxAgain)) * stamp.BetweenReadings; waited != want {
					t.Errorf("waited %v, not %v", waited, want)
				}
			})
		}
	}
}

// A file may be touched between two readings, and then has its last stamp. One that
// becomes another is an error.
func TestFreshFilesThatChangeOtherwise(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(name string) error
		want   error
	}{
		{"touched", func(name string) error { return os.Chtimes(name, time.Time{}, time.Now().Add(time.Hour)) }, nil},
		{"replaced", func(name string) error {
			contents, err := os.ReadFile(name)
			return errors.Join(err, os.WriteFile(name+"2", contents, 0o666), os.Rename(name+"2", name))
		}, nil},
		{"longer", func(name string) error { return os.Truncate(name, 2<<20) }, file.ErrChanged},
		{"shorter", func(name string) error { return os.Truncate(name, 10) }, file.ErrChanged},
		{"gone", os.Remove, fs.ErrNotExist},
		{"a directory", func(name string) error { return errors.Join(os.Remove(name), os.Mkdir(name, 0o777)) }, syscall.EISDIR},
		{"a device", func(name string) error { return errors.Join(os.Remove(name), os.Symlink(os.DevNull, name)) }, file.ErrChanged},
	} {
		for _, kind := range freshKinds {
			t.Run(kind.name+", "+test.name, func(t *testing.T) {
				name, contents := randomFile(t, kind.size)
				it, _, _ := readFresh(t, name, kind.algorithm, func() {
					if err := test.change(name); err != nil {
						t.Error(err)
					}
				})
				if !errors.Is(it.err, test.want) {
					t.Fatalf("error %v, want %v", it.err, test.want)
				}
				if test.want != nil {
					return
				}
				now, err := file.Stat(name)
				if err != nil {
					t.Fatal(err)
				}
				if it.digest != kind.digest(contents) || it.stamp != now.Stamp {
					t.Errorf("%x of %+v; the file is as of %+v", it.digest.slice(), it.stamp, now.Stamp)
				}
				if it.before.again != 2 {
					t.Errorf("read again %d times: no two readings agree", it.before.again)
				}
			})
		}
	}
}

// A stream that is written to while it is read begins again. What it has then may be
// half a write, so it counts as fresh even if it was old before.
func TestStreamsThatAreWrittenToAreFresh(t *testing.T) {
	name, contents := randomFile(t, 1<<20)
	f, info, err := file.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	info.Changed = 1
	w := testWorker(options{})
	it := newFileItem(name, name)
	w.addStream(newStream(it, f, info))
	w.empty()
	if it.done.Load() || it.before == nil {
		t.Fatal("it is not read again")
	}
	w.drain()
	if it.err != nil || it.digest != sum256(contents) {
		t.Errorf("%x, %v", it.digest.slice(), it.err)
	}
}

// What the kernel makes up is never the same for long, and is read once.
func TestFilesOfTheKernelAreReadOnce(t *testing.T) {
	for _, name := range []string{"/proc/self/status", "/sys/devices/system/cpu/online"} {
		for _, algorithm := range []*bag.Algorithm{nil, {New: md5.New}} {
			if _, err := file.Stat(name); err != nil {
				t.Skip(err)
			}
			if it, _, waited := readFresh(t, name, algorithm, func() {}); it.err != nil || waited > stamp.BetweenReadings/2 {
				t.Errorf("%s: %v after %v", name, it.err, waited)
			}
		}
		f, info, err := file.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		w := testWorker(options{})
		it := newFileItem(name, name)
		w.addStream(newStream(it, f, info))
		w.empty()
		if !it.done.Load() || it.err != nil {
			t.Errorf("%s: %v", name, it.err)
		}
	}
}

// runFresh runs a pipeline, and returns its lines and what it waited for.
func runFresh(t *testing.T, p *pipeline, ctx context.Context, source func(emit func(item) bool)) (lines []string, err error) {
	t.Helper()
	var out strings.Builder
	results := newPrinter(p.options)
	results.to(&out, io.Discard)
	err = p.run(ctx, source, results)
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), err
}

// lineOf is the line of a file in a list.
func lineOf(name string, contents []byte) string {
	return fmt.Sprintf("%x  %s", sha256.Sum256(contents), name)
}

// freshFiles makes files, and returns their names and lines.
func freshFiles(t *testing.T, sizes ...int) (names, lines []string) {
	t.Helper()
	dir := t.TempDir()
	for i, size := range sizes {
		name, contents := filepath.Join(dir, fmt.Sprint(i)), bytes.Repeat([]byte{byte(i)}, size)
		if err := os.WriteFile(name, contents, 0o666); err != nil {
			t.Fatal(err)
		}
		names, lines = append(names, name), append(lines, lineOf(name, contents))
	}
	return names, lines
}

// Fresh files wait for one pause together, however many they are, and however few the
// pipeline holds at a time.
func TestFreshFilesShareAPause(t *testing.T) {
	many := append(slices.Repeat([]int{1000}, 500), slices.Repeat([]int{300 << 10}, 40)...)
	for _, test := range []struct {
		name   string
		sizes  []int
		jobs   int
		window int // items that are held at a time
		pauses int
	}{
		{"one", many[:1], 1, maxWaiting, 1},
		{"many, one worker", many, 1, maxWaiting, 1},
		{"many, three workers", many, 3, maxWaiting, 1},
		{"a full window", many[:60], 1, 9, 7},
		{"a full window, three workers", many[:60], 3, 9, 7},
		{"a window of one", many[:5], 2, 0, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			names, want := freshFiles(t, test.sizes...)
			var lines []string
			var err error
			waited := waits(t, func(t *testing.T) {
				p := newPipeline(&options{jobs: test.jobs})
				p.order = make(chan item, test.window)
				lines, err = runFresh(t, p, t.Context(), func(emit func(item) bool) {
					for _, name := range names {
						emit(newFileItem(name, name))
					}
				})
			})
			if err != nil || !slices.Equal(lines, want) {
				t.Errorf("%d lines, %v: not those of %d files", len(lines), err, len(want))
			}
			if most := time.Duration(test.pauses) * stamp.BetweenReadings; waited > most {
				t.Errorf("waited %v, not %v", waited, most)
			}
		})
	}
}

// Large files that are due are hashed side by side: no other worker can take them.
func TestFreshStreamsAreReadAgainSideBySide(t *testing.T) {
	names, want := freshFiles(t, 300<<10, 300<<10, 300<<10)
	waits(t, func(t *testing.T) {
		w := testWorker(options{})
		w.pipeline.lanes = func() int { return 4 }
		var items []*fileItem
		for _, name := range names {
			items = append(items, newFileItem(name, name))
			w.load(items[len(items)-1])
		}
		w.empty()
		time.Sleep(stamp.BetweenReadings)
		for i := range items {
			if len(w.streams) != i {
				t.Errorf("%d files are held, not %d", len(w.streams), i)
			}
			w.load(w.takeDue())
		}
		w.drain()
		for i, it := range items {
			if it.err != nil || fmt.Sprintf("%x  %s", it.digest.slice(), it.name) != want[i] {
				t.Errorf("%x, %v", it.digest.slice(), it.err)
			}
		}
	})
}

// A short job takes one pause as well.
func TestShortJobsOfFreshFiles(t *testing.T) {
	names, want := freshFiles(t, 1, 2, 3)
	var lines []string
	var err error
	waited := waits(t, func(t *testing.T) {
		p := newPipeline(&options{jobs: 1, files: names})
		if !p.alone {
			t.Fatal("the job is not short")
		}
		lines, err = runFresh(t, p, t.Context(), func(emit func(item) bool) {
			for _, name := range names {
				emit(newFileItem(name, name))
			}
		})
	})
	if err != nil || !slices.Equal(lines, want) || waited != stamp.BetweenReadings {
		t.Errorf("%q, %v after %v", lines, err, waited)
	}
}

// A file that comes while others wait to be read again does not wait with them, and
// they do not wait for it.
func TestFreshFilesDoNotHoldUpOthers(t *testing.T) {
	names, want := freshFiles(t, 1000, 1000)
	waited := waits(t, func(t *testing.T) {
		p := newPipeline(&options{jobs: 1})
		lines, err := runFresh(t, p, t.Context(), func(emit func(item) bool) {
			first := newFileItem(names[0], names[0])
			emit(first)
			time.Sleep(stamp.BetweenReadings / 2)
			emit(newFileItem(names[1], names[1]))
			time.Sleep(stamp.BetweenReadings*3/4 - time.Millisecond)
			if !first.ready() {
				t.Error("the first file waits for the second")
			}
		})
		if err != nil || !slices.Equal(lines, want) {
			t.Errorf("%q, %v", lines, err)
		}
	})
	if most := stamp.BetweenReadings * 3 / 2; waited > most {
		t.Errorf("waited %v, not %v", waited, most)
	}
}

// A worker finishes fresh files before it waits for a pipe: its writer may wait for
// their lines.
func TestFreshFilesDoNotWaitForAPipe(t *testing.T) {
	names, want := freshFiles(t, 1000, 1000)
	waits(t, func(t *testing.T) {
		p := newPipeline(&options{jobs: 1})
		first, second := newFileItem(names[0], names[0]), newFileItem(names[1], names[1])
		after := make(chan struct{})
		second.turn = &turn{after: after, done: make(chan struct{})}
		go func() {
			defer close(after)
			for range 100 {
				if first.ready() {
					return
				}
				time.Sleep(time.Millisecond)
			}
			t.Error("the fresh file waits for the pipe")
		}()
		lines, err := runFresh(t, p, t.Context(), func(emit func(item) bool) {
			emit(first)
			emit(second)
		})
		if err != nil || !slices.Equal(lines, want) {
			t.Errorf("%q, %v", lines, err)
		}
	})
}

// A worker finishes small fresh files before it hashes large files for long: no other
// worker can, and their lines would come late, or not at all after an interrupt.
func TestFreshFilesDoNotWaitForLongJobs(t *testing.T) {
	for _, test := range []struct {
		name      string
		size      int64
		algorithm *bag.Algorithm
		first     bool
	}{
		{"a long stream", longJob, nil, true},
		{"a short stream", longJob / 2, nil, false},
		{"a long file of another algorithm", longJob, &bag.Algorithm{New: md5.New}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			names, want := freshFiles(t, 1000, 300<<10)
			large := filepath.Join(t.TempDir(), "large")
			if err := errors.Join(os.WriteFile(large, nil, 0o666), os.Truncate(large, test.size)); err != nil {
				t.Fatal(err)
			}
			waits(t, func(t *testing.T) {
				w := testWorker(options{})
				var items []*fileItem
				for _, name := range names {
					items = append(items, newFileItem(name, name))
					w.load(items[len(items)-1])
				}
				w.empty()
				it := newFileItem(large, large)
				it.check = &check{list: &list{algorithm: test.algorithm}}
				w.load(it)
				w.stream()
				if items[0].ready() != test.first {
					t.Errorf("the small file is finished: %v", !test.first)
				}
				if items[1].ready() {
					t.Error("the other large file is finished first")
				}
				w.drain()
				for i, it := range items {
					if it.err != nil || fmt.Sprintf("%x  %s", it.digest.slice(), it.name) != want[i] {
						t.Errorf("%x, %v", it.digest.slice(), it.err)
					}
				}
			})
		})
	}
}

// An interrupt ends the pause, and loses no line of a file that is finished.
func TestInterruptDuringAPause(t *testing.T) {
	names, _ := freshFiles(t, 1000)
	waited := waits(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), stamp.BetweenReadings/2, signalError{syscall.SIGINT})
		defer cancel()
		p := newPipeline(&options{jobs: 1})
		finished := newFileItem("abc", "abc")
		finished.digest = sha256Digest(abcDigest)
		finished.done.Store(true)
		lines, err := runFresh(t, p, ctx, func(emit func(item) bool) {
			fresh := newFileItem(names[0], names[0])
			emit(fresh)
			emit(finished)
		})
		if want := []string{abcHex + "  abc"}; !slices.Equal(lines, want) || !errors.As(err, new(signalError)) {
			t.Errorf("%q, %v", lines, err)
		}
	})
	if waited != stamp.BetweenReadings/2 {
		t.Errorf("it took %v", waited)
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
