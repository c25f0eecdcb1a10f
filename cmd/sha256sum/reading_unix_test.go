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
)

// settling is how old the times of a file have to be.
const settling = 20 * time.Millisecond

// kinds are the ways in which files are read.
var kinds = []struct {
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

// itemOf returns what a bag asks for if it has a manifest of an algorithm.
func itemOf(name string, algorithm *bag.Algorithm) *fileItem {
	it := newFileItem(name, name)
	it.check = &check{list: &list{algorithm: algorithm}}
	return it
}

// A file that was written to just before is read when a further write is sure to show in
// its times. What it becomes until then is what is read.
func TestFreshFilesAreWaitedFor(t *testing.T) {
	contents := func(size int) []byte { return bytes.Repeat([]byte{'b'}, size) }
	for _, kind := range kinds {
		for _, test := range []struct {
			name   string
			change func(name string) error // while it is waited for: it must not take long
			want   func(was []byte) []byte // nil: as it was
			after  bool                    // it is waited for again
		}{
			{"as it was", func(string) error { return nil }, nil, false},
			{"written to", func(name string) error { return writeAt(name, contents(10)) }, func(was []byte) []byte { return append(contents(10), was[10:]...) }, true},
			{"longer", func(name string) error { return os.Truncate(name, 2<<20) }, func(was []byte) []byte { return append(was, make([]byte, 2<<20-len(was))...) }, true},
			{"shorter", func(name string) error { return os.Truncate(name, 10) }, func(was []byte) []byte { return was[:10] }, true},
			{"touched", func(name string) error { return os.Chmod(name, 0o600) }, nil, false},
			{"replaced", func(name string) error {
				return errors.Join(os.WriteFile(name+"2", contents(5), 0o666), os.Rename(name+"2", name))
			}, nil, false},
			{"gone", os.Remove, nil, false},
		} {
			t.Run(kind.name+", "+test.name, func(t *testing.T) {
				tries := 0
				for late := true; late; tries++ { // because other programs run
					name, want := randomFile(t, kind.size)
					before, err := file.Stat(name)
					if err != nil {
						t.Fatal(err)
					}
					changed := time.Unix(0, before.Changed)
					w, it := testWorker(options{}), itemOf(name, kind.algorithm)
					var changing sync.WaitGroup
					changing.Go(func() {
						time.Sleep(time.Until(changed.Add(settling / 2)))
						if err := test.change(name); err != nil {
							t.Error(err)
						}
						late = time.Since(changed) > settling*9/10
					})
					w.load(it)
					w.drain()
					changing.Wait()
					// The file may also have been opened late, when it was gone or replaced.
					late = late || tries < 100 && (errors.Is(it.err, fs.ErrNotExist) || it.digest == kind.digest(contents(5)))
					if late {
						if tries == 500 {
							t.Fatal("no file was changed in time")
						}
						os.Remove(name) // many of them would make writing slow
						continue
					}
					if test.want != nil {
						want = test.want(want)
					}
					if now, err := file.Stat(name); test.after && err == nil {
						changed = time.Unix(0, now.Changed)
					}
					if waited := time.Since(changed); waited < settling {
						t.Errorf("read %v after the last change", waited)
					}
					if it.err != nil || it.digest != kind.digest(want) || it.size != int64(len(want)) {
						t.Errorf("%x of %d bytes, %v; want the digest of %d", it.digest.slice(), it.size, it.err, len(want))
					}
					if n := w.pipeline.hashed.Load(); n != it.size {
						t.Errorf("%d bytes count as hashed", n)
					}
				}
			})
		}
	}
}

// writeAt writes to a file in place.
func writeAt(name string, b []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, 0)
	return errors.Join(err, f.Close())
}

// waits returns how long f waits. Its clock goes on only while all its goroutines
// wait, so what they do in between takes no time. It begins in 2000: the times at which
// inodes change are in the future there, and not waited for.
func waits(t *testing.T, f func(t *testing.T)) (waited time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Millisecond) // no time is a whole second
		start := time.Now()
		f(t)
		waited = time.Since(start)
	})
	return waited
}

// freshFiles makes files that were modified now, each a little later than the one before,
// and returns their names and lines.
func freshFiles(t *testing.T, sizes ...int) (names, lines []string) {
	t.Helper()
	dir, now := t.TempDir(), time.Now().Add(-time.Duration(len(sizes))*time.Microsecond)
	for i, size := range sizes {
		name, contents := filepath.Join(dir, fmt.Sprint(i)), bytes.Repeat([]byte{byte(i)}, size)
		now = now.Add(time.Microsecond)
		if err := errors.Join(os.WriteFile(name, contents, 0o666), os.Chtimes(name, now, now)); err != nil {
			t.Fatal(err)
		}
		names, lines = append(names, name), append(lines, fmt.Sprintf("%x  %s", sha256.Sum256(contents), name))
	}
	return names, lines
}

// runFresh runs a pipeline, and returns its lines.
func runFresh(ctx context.Context, p *pipeline, items ...*fileItem) (lines []string, err error) {
	var out strings.Builder
	err = p.run(ctx, func(yield func(item) bool) {
		for _, it := range items {
			if !yield(it) {
				return
			}
		}
	}, newPrinter(p.options, outputs{}, &out, io.Discard, io.Discard))
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), err
}

// Fresh files are waited for together, however many they are.
func TestFreshFilesShareAPause(t *testing.T) {
	many := append(slices.Repeat([]int{1000}, 200), slices.Repeat([]int{300 << 10}, 20)...)
	for _, test := range []struct {
		name  string
		sizes []int
		jobs  int
	}{
		{"one", many[:1], 1},
		{"a short job", many[:3], 1},
		{"many, one worker", many, 1},
		{"many, three workers", many, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			waited := waits(t, func(t *testing.T) {
				names, want := freshFiles(t, test.sizes...)
				p := newPipeline(&options{jobs: test.jobs, files: names[:min(len(names), shortFiles+1)]}, nil)
				var items []*fileItem
				for _, name := range names {
					items = append(items, newFileItem(name, name))
				}
				lines, err := runFresh(t.Context(), p, items...)
				if err != nil || !slices.Equal(lines, want) {
					t.Errorf("%d lines, %v: not those of %d files", len(lines), err, len(want))
				}
			})
			if waited != settling {
				t.Errorf("waited %v, not %v", waited, settling)
			}
		})
	}
}

// What was read before a fresh file is printed while that is waited for.
func TestFreshFilesDoNotHoldUpOthers(t *testing.T) {
	waits(t, func(t *testing.T) {
		old, _ := freshFiles(t, 1000)
		time.Sleep(settling)
		fresh, _ := freshFiles(t, 1000)
		first, second := newFileItem(old[0], old[0]), newFileItem(fresh[0], fresh[0])
		w := testWorker(options{})
		w.load(first)
		if first.ready() {
			t.Error("the first file does not wait for company")
		}
		go w.load(second)
		synctest.Wait()
		if !first.ready() {
			t.Error("the first file waits for the second")
		}
		time.Sleep(settling)
	})
}

// An interrupt ends the pause. The file has no result, and no line of others is lost.
func TestInterruptDuringAPause(t *testing.T) {
	for _, kind := range kinds {
		waited := waits(t, func(t *testing.T) {
			names, _ := freshFiles(t, kind.size)
			ctx, cancel := context.WithTimeoutCause(t.Context(), settling/2, signalError{syscall.SIGINT})
			defer cancel()
			p := newPipeline(&options{jobs: 1}, nil)
			finished := newFileItem("abc", "abc")
			finished.digest = sha256Digest(abcDigest)
			finished.done.Store(true)
			fresh := itemOf(names[0], kind.algorithm)
			lines, err := runFresh(ctx, p, fresh, finished)
			synctest.Wait()
			if want := []string{abcHex + "  abc"}; !slices.Equal(lines, want) || !errors.As(err, new(signalError)) {
				t.Errorf("%q, %v", lines, err)
			}
			if fresh.ready() {
				t.Errorf("the fresh file has the result %v", fresh.err)
			}
		})
		if waited != settling/2 {
			t.Errorf("it took %v", waited)
		}
	}
}

// What the kernel makes up is not waited for: its times are those of the first look.
func TestFilesOfTheKernelAreNotWaitedFor(t *testing.T) {
	for _, name := range []string{"/proc/self/status", "/sys/devices/system/cpu/online"} {
		f, info, err := file.Open(name)
		if err != nil {
			t.Skip(err)
		}
		defer f.Close()
		if info.Changed = time.Now().UnixNano(); !f.MadeUp() {
			t.Errorf("%s is not made up", name)
		}
		waited := waits(t, func(t *testing.T) {
			info := info
			info.Modified = time.Now().UnixNano()
			if _, err := settle(t.Context(), f, info, 0, func() { t.Error("it is waited for") }); err != nil {
				t.Error(err)
			}
		})
		if waited != 0 {
			t.Errorf("waited %v for %s", waited, name)
		}
	}
	f, _, err := file.Open("reading.go")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.MadeUp() {
		t.Error("a file of the disk is made up")
	}
}
