package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/composite"
)

// randomFile makes a file of size bytes that are the same in every run.
func randomFile(t *testing.T, size int) (name string, contents []byte) {
	t.Helper()
	contents = make([]byte, size)
	random := rand.NewChaCha8([32]byte{byte(size)})
	random.Read(contents)
	name = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, contents, 0o666); err != nil {
		t.Fatal(err)
	}
	return name, contents
}

// testWorker returns a worker without company.
func testWorker(o options) *worker {
	o.jobs = 1
	w := newWorker(newPipeline(&o))
	w.ctx = context.Background()
	return w
}

// hold opens a large file without hashing it.
func hold(t *testing.T, w *worker, it *item) {
	t.Helper()
	f, _, err := openRaw(it.name)
	if err != nil {
		t.Fatal(err)
	}
	w.streams = append(w.streams, newStream(it, f.file(it.name)))
}

// Files of any size, alone and side by side, have the digests that Sum256
// gives, and the composite checksums that composite gives.
func TestDigestsOfAllSizes(t *testing.T) {
	sizes := []int{0, 1, 63, 64, 65, 1023, 1024, 1025, 100_000, maxArena/smallPerArena - 1, maxArena / smallPerArena,
		maxArena/smallPerArena + 1, maxArena, maxRound - 1, maxRound, maxRound + 1, 3*maxRound + 7}
	for _, partSize := range []int64{0, 1 << 10, 1000_000, maxRound, 8 << 20} {
		t.Run(fmt.Sprintf("part-size=%d", partSize), func(t *testing.T) {
			w := testWorker(options{partSize: partSize})
			var items []*item
			var contents [][]byte
			add := func(size int) *item {
				name, b := randomFile(t, size)
				items, contents = append(items, &item{name: name}), append(contents, b)
				return items[len(items)-1]
			}
			for _, size := range sizes {
				w.load(add(size))
			}
			for _, size := range sizes[len(sizes)-maxStreams:] {
				hold(t, w, add(size))
			}
			w.empty()
			for i, it := range items {
				if it.err != nil {
					t.Fatal(it.err)
				}
				if !it.done.Load() || it.digest != sha256.Sum256(contents[i]) || it.size != int64(len(contents[i])) {
					t.Errorf("a file of %d bytes: done %v, %x, size %d", len(contents[i]), it.done.Load(), it.digest, it.size)
				}
				want := ""
				if partSize > 0 {
					sum, err := composite.Sum(t.Context(), bytes.NewReader(contents[i]), int64(len(contents[i])), partSize)
					if err != nil {
						t.Fatal(err)
					}
					want = sum.String()
				}
				if it.composite != want {
					t.Errorf("a file of %d bytes: composite %q, want %q", len(contents[i]), it.composite, want)
				}
			}
		})
	}
}

func TestFileThatChangesIsReported(t *testing.T) {
	for name, change := range map[string]func(name string) error{
		"grows":     func(name string) error { return os.Truncate(name, 5<<20) },
		"shrinks":   func(name string) error { return os.Truncate(name, 5) },
		"rewritten": func(name string) error { return os.Chtimes(name, time.Time{}, time.Now().Add(time.Hour)) },
	} {
		t.Run(name, func(t *testing.T) {
			file, _ := randomFile(t, 4<<20)
			other, contents := randomFile(t, 3<<20)
			w := testWorker(options{})
			changed, same := &item{name: file}, &item{name: other}
			hold(t, w, changed)
			hold(t, w, same)
			if err := change(file); err != nil {
				t.Fatal(err)
			}
			w.empty()
			if !errors.Is(changed.err, errChanged) {
				t.Errorf("the error is %v", changed.err)
			}
			if same.err != nil || same.digest != sha256.Sum256(contents) {
				t.Errorf("the other file: %v, %x", same.err, same.digest)
			}
		})
	}
}

// A small file that has another size than it said when it was opened is read
// again from its start.
func TestSmallFileOfAnotherSize(t *testing.T) {
	name, contents := randomFile(t, 1000)
	for _, said := range []int64{0, 999, 1001} {
		w := testWorker(options{})
		f, _, err := openRaw(name)
		if err != nil {
			t.Fatal(err)
		}
		it := &item{name: name}
		if w.loadSmall(it, f, said) {
			t.Fatalf("%d bytes were taken for %d", len(contents), said)
		}
		w.streams = append(w.streams, newStream(it, f.file(name)))
		w.empty()
		if it.err != nil || it.digest != sha256.Sum256(contents) {
			t.Errorf("%v, %x", it.err, it.digest)
		}
	}
}

func TestFileThatVanishesIsReported(t *testing.T) {
	w := testWorker(options{})
	it := &item{name: filepath.Join(t.TempDir(), "gone"), file: true}
	w.load(it)
	if !errors.Is(it.err, os.ErrNotExist) || !it.done.Load() {
		t.Errorf("the error is %v", it.err)
	}
}
