package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/bag"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/file"
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
	p := newPipeline(&o, nil)
	p.files.Ctx = context.Background()
	w := newWorker(p)
	w.ctx = context.Background()
	return w
}

// hold opens a large file without hashing it.
func hold(t *testing.T, w *worker, it *fileItem) {
	t.Helper()
	f, info, err := file.Open(it.name)
	if err != nil {
		t.Fatal(err)
	}
	w.streams = append(w.streams, newStream(it, f, info))
}

// Files of any size, alone and side by side, have the digests that Sum256
// gives, and the composite checksums that composite gives.
func TestDigestsOfAllSizes(t *testing.T) {
	sizes := []int{0, 1, 63, 64, 65, 1023, 1024, 1025, 100_000, maxArena/smallPerArena - 1, maxArena / smallPerArena,
		maxArena/smallPerArena + 1, maxArena, maxRound - 1, maxRound, maxRound + 1, 3*maxRound + 7}
	for _, partSize := range []int64{0, 1 << 10, 1000_000, maxRound, 8 << 20} {
		t.Run(fmt.Sprintf("part-size=%d", partSize), func(t *testing.T) {
			w := testWorker(options{partSize: partSize})
			var items []*fileItem
			var contents [][]byte
			add := func(size int) *fileItem {
				name, b := randomFile(t, size)
				items, contents = append(items, newFileItem(name, name)), append(contents, b)
				return items[len(items)-1]
			}
			for _, size := range sizes {
				w.load(add(size))
			}
			w.drain()
			for _, size := range sizes[len(sizes)-maxStreams:] {
				hold(t, w, add(size))
			}
			w.drain()
			for i, it := range items {
				if it.err != nil {
					t.Fatal(it.err)
				}
				if !it.done.Load() || it.digest != sha256Digest(sha256.Sum256(contents[i])) || it.size != int64(len(contents[i])) {
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
		"grows":   func(name string) error { return os.Truncate(name, 5<<20) },
		"shrinks": func(name string) error { return os.Truncate(name, 5) },
	} {
		t.Run(name, func(t *testing.T) {
			changing, _ := randomFile(t, 4<<20)
			other, contents := randomFile(t, 3<<20)
			w := testWorker(options{})
			changed, same := newFileItem(changing, changing), newFileItem(other, other)
			hold(t, w, changed)
			hold(t, w, same)
			if err := change(changing); err != nil {
				t.Fatal(err)
			}
			w.drain()
			if !errors.Is(changed.err, file.ErrChanged) {
				t.Errorf("the error is %v", changed.err)
			}
			if same.err != nil || same.digest != sha256Digest(sha256.Sum256(contents)) {
				t.Errorf("the other file: %v, %x", same.err, same.digest)
			}
		})
	}
}

// A file that has another size than it said when it was opened is changing.
func TestFileOfAnotherSizeIsReported(t *testing.T) {
	name, _ := randomFile(t, 1000)
	for _, said := range []int64{0, 999, 1001} {
		w := testWorker(options{})
		f, info, err := file.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		info.Size = said
		it := newFileItem(name, name)
		w.loadSmall(it, f, info)
		w.drain()
		if !errors.Is(it.err, file.ErrChanged) {
			t.Errorf("1000 bytes instead of %d: %v, %x", said, it.err, it.digest)
		}
	}
}

// A writer that alternates two contents lets no digest through that is of neither,
// but for the rare ones that cannot be known: of a file that was read while the
// system kept the writer waiting in the middle of a write.
func TestNoDigestOfMixedContents(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, size := range []int{100, 20_000, 2_000_000} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(t.TempDir(), "file")
			contents := [2][]byte{bytes.Repeat([]byte{'a'}, size), bytes.Repeat([]byte{'b'}, size)}
			if err := os.WriteFile(name, contents[0], 0o666); err != nil {
				t.Fatal(err)
			}
			written, err := os.OpenFile(name, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			stop := make(chan struct{})
			var writer sync.WaitGroup
			writer.Go(func() {
				defer written.Close()
				for i := 1; ; i++ {
					select {
					case <-stop:
						return
					default:
						written.WriteAt(contents[i%2], 0)
						time.Sleep(rand.N(40 * time.Millisecond))
					}
				}
			})
			defer writer.Wait()
			defer close(stop)
			whole := [2][sha256.Size]byte{sha256.Sum256(contents[0]), sha256.Sum256(contents[1])}
			w := testWorker(options{})
			const readings = 250
			read, mixed := 0, 0
			for range readings {
				time.Sleep(rand.N(20 * time.Millisecond)) // at any time of the writer's
				it := newFileItem(name, name)
				w.load(it)
				w.drain()
				switch {
				case it.err == nil && it.digest != sha256Digest(whole[0]) && it.digest != sha256Digest(whole[1]):
					mixed++
				case it.err == nil:
					read++
				case !errors.Is(it.err, file.ErrChanged):
					t.Error(it.err)
				}
			}
			t.Logf("%d of %d were read, %d mixed", read, readings, mixed)
			if read == 0 || mixed > 2 {
				t.Errorf("%d of %d were read; %d more digests are of neither contents", read, readings, mixed)
			}
		})
	}
}

// A file whose times alone change is read again; only one that goes on so is an
// error.
func TestFileThatIsTouchedIsReadAgain(t *testing.T) {
	for _, size := range []int{1000, 4 << 20} {
		for _, partSize := range []int64{0, 1 << 20} {
			name, contents := randomFile(t, size)
			w := testWorker(options{partSize: partSize})
			it := newFileItem(name, name)
			f, info, err := file.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(name, time.Time{}, time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			if size < maxArena {
				w.loadSmall(it, f, info)
			} else {
				w.addStream(newStream(it, f, info))
			}
			w.drain()
			if it.err != nil || it.digest != sha256Digest(sha256.Sum256(contents)) || it.size != int64(size) {
				t.Errorf("%d bytes: %v, %x, size %d", size, it.err, it.digest, it.size)
			}
			if n := w.pipeline.hashed.Load(); n != int64(size) {
				t.Errorf("%d bytes count as hashed, not %d", n, size)
			}
			if partSize > 0 {
				sum, err := composite.Sum(t.Context(), bytes.NewReader(contents), int64(size), partSize)
				if err != nil || it.composite != sum.String() {
					t.Errorf("composite %q, want %v, %v", it.composite, sum, err)
				}
			}
		}
	}
}

// So is one whose manifest is of another algorithm.
func TestFileOfAnotherAlgorithmThatIsTouchedIsReadAgain(t *testing.T) {
	name, contents := randomFile(t, 1000)
	w := testWorker(options{})
	f, info, err := file.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	it := newFileItem(name, name)
	it.check = &check{list: &list{algorithm: &bag.Algorithm{New: md5.New}}}
	w.loadOther(it, f, info, md5.New())
	if sum := md5.Sum(contents); it.digest != digestOf(sum[:]) || it.err != nil || it.size != 1000 {
		t.Errorf("%x, %v", it.digest.slice(), it.err)
	}
	if n := w.pipeline.hashed.Load(); n != 1000 {
		t.Errorf("%d bytes count as hashed", n)
	}
}

func TestFileThatVanishesIsReported(t *testing.T) {
	w := testWorker(options{})
	gone := filepath.Join(t.TempDir(), "gone")
	it := newFileItem(gone, gone)
	w.load(it)
	if !errors.Is(it.err, os.ErrNotExist) || !it.done.Load() {
		t.Errorf("the error is %v", it.err)
	}
}

// Large files are spread over the workers, and no worker has more of them than
// lanes.
func TestShareOfLargeFiles(t *testing.T) {
	for _, test := range []struct{ files, jobs, lanes, want int }{
		{files: 1, jobs: 1, lanes: 32, want: 1},
		{files: 10, jobs: 1, lanes: 32, want: 10},
		{files: 10, jobs: 2, lanes: 32, want: 10},
		{files: 10, jobs: 4, lanes: 32, want: 5},
		{files: 11, jobs: 4, lanes: 32, want: 6},
		{files: 10, jobs: 4, lanes: 4, want: 4},
		{files: 100, jobs: 4, lanes: 32, want: maxStreams},
		{files: 2, jobs: 64, lanes: 32, want: 1},
	} {
		if got := shareOf(test.files, test.jobs, test.lanes); got != test.want {
			t.Errorf("%d of %d files with %d jobs and %d lanes, want %d", got, test.files, test.jobs, test.lanes, test.want)
		}
	}
}

// A worker that has small files and its share of large ones hashes the small ones
// first, whichever came first.
func TestSmallFilesDoNotWaitForLargeOnes(t *testing.T) {
	large, _ := randomFile(t, 3*maxArena)
	small, _ := randomFile(t, 100)
	w := testWorker(options{})
	w.pipeline.lanes = func() int { return 2 }
	hashed := (*fileItem).ready
	var items []*fileItem
	for _, name := range []string{large, small} {
		it := newFileItem(name, name)
		items = append(items, it)
		w.load(it)
	}
	if !hashed(items[0]) {
		t.Error("the large file, which is all of the share, is not hashed")
	}
	w.pipeline.work <- newFileItem(large, large) // there is more to come
	w.pipeline.work <- newFileItem(large, large)
	second, third := newFileItem(large, large), newFileItem(small, small)
	w.load(third)
	w.load(second)
	if hashed(third) || hashed(second) {
		t.Error("files do not wait for company")
	}
	w.load(newFileItem(large, large))
	if !hashed(items[1]) || !hashed(third) || !hashed(second) {
		t.Error("files are left when the share is full")
	}
}
