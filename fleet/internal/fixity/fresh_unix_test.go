//go:build unix

package fixity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sha256-simd/sha256-simd/composite"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

// A file that was written to just before is read once, when a further write is sure to
// show in its time. One that is written to then has no digest.
func TestFreshFilesAreReadOnce(t *testing.T) {
	const partSize = 100_000
	for _, tt := range []struct {
		name      string
		size      int
		composite bool
		rewritten bool // in place, by the same length, once it is read from
		want      Outcome
	}{
		{"short, as it was", 20_000, false, false, Match},
		{"long, as it was", 3*maxChunk + 5, false, false, Match},
		{"of parts, as it was", 3*maxChunk + 5, true, false, Match},
		{"long, written to", 3*maxChunk + 5, false, true, Unreadable},
		{"of parts, written to", 3*maxChunk + 5, true, true, Unreadable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			contents := bytes.Repeat([]byte{'a'}, tt.size)
			entry := list.Entry{Name: path, SHA256: sum(contents)}
			if tt.composite {
				c, err := composite.Sum(context.Background(), bytes.NewReader(contents), int64(tt.size), partSize)
				if err != nil {
					t.Fatal(err)
				}
				entry.SHA256, entry.PartSize = c.String(), partSize
			}
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			c := newChecker(t, nil, nil)
			var once sync.Once
			var age time.Duration
			read := 0
			c.OnRead = func(n int) {
				read += n
				once.Do(func() {
					age = since(t, f)
					if tt.rewritten {
						if _, err := f.WriteAt(bytes.ToUpper(contents), 0); err != nil {
							t.Error(err)
						}
					}
				})
			}
			if _, err := f.Write(contents); err != nil {
				t.Fatal(err)
			}
			r := check(t, c, entry)[0]
			want := ""
			if tt.want == Unreadable {
				want = "changed while it was read"
			}
			if r.Outcome != tt.want || r.Error != want {
				t.Errorf("got %+v, want %s", r, tt.want)
			}
			if age < 20*time.Millisecond {
				t.Errorf("read %v after it was written", age)
			}
			if tt.want == Match && read != tt.size {
				t.Errorf("%d bytes were read of %d", read, tt.size)
			}
		})
	}
}

// since returns how long ago a file was written to.
func since(t *testing.T, f *os.File) time.Duration {
	t.Helper()
	info, err := f.Stat()
	if err != nil {
		t.Error(err)
		return 0
	}
	return time.Since(info.ModTime())
}

// A file that is rewritten in place while it is read has no digest, whatever is done to its
// times: no program can set that of its last change. It does not matter whether the file
// was changed long before, or the same has just been done to it.
func TestRewrittenWithItsTimeSetBack(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	for _, size := range []int{100_000, 3*maxChunk + 5} {
		for _, age := range []time.Duration{0, 50 * time.Millisecond} {
			t.Run(fmt.Sprint(size, " ", age), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "file")
				f, err := os.Create(path)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				rewrite := func(b byte) {
					_, err := f.WriteAt(bytes.Repeat([]byte{b}, size), 0)
					if err := errors.Join(err, os.Chtimes(path, old, old)); err != nil {
						t.Error(err)
					}
				}
				for range 5 {
					rewrite('a')
					time.Sleep(age)
					c := newChecker(t, nil, func(o *store.Options) {
						if size < maxChunk {
							o.BytesPerSecond = 650_000 // which makes reads of 64 KiB
						}
					})
					var once sync.Once
					c.OnRead = func(int) {
						once.Do(func() {
							var st unix.Stat_t
							if err := unix.Fstat(int(f.Fd()), &st); err != nil {
								t.Error(err)
							}
							if age := time.Since(time.Unix(st.Ctim.Unix())); age < 20*time.Millisecond {
								t.Errorf("read %v after it was changed", age)
							}
							rewrite('b')
						})
					}
					if r := check(t, c, list.Entry{Name: path})[0]; r.Outcome != Unreadable || r.Error != "changed while it was read" || !r.Retry {
						t.Errorf("got %+v", r)
					}
				}
			})
		}
	}
}

// A file that nothing was done to for a moment is not waited for.
func TestOldFilesAreNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	var entries []list.Entry
	for i := range 20 {
		name := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, old, old); err != nil { // which changes the inode now
			t.Fatal(err)
		}
		entries = append(entries, list.Entry{Name: name})
	}
	time.Sleep(30 * time.Millisecond)
	fastest := time.Hour
	for range 5 {
		start := time.Now()
		check(t, newChecker(t, nil, nil), entries...)
		fastest = min(fastest, time.Since(start))
	}
	if fastest >= 10*time.Millisecond { // a wait takes 20 from the change on
		t.Errorf("took %v", fastest)
	}
}

// A writer that rewrites a file in place, again and again, lets no digest through that is
// of neither of its contents, but for rare ones: of a file that was read while the system
// kept the writer waiting for long in the middle of a write.
func TestNoDigestOfMixedContents(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, size := range []int{100, 20_000, 3*maxChunk + 5} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "file")
			contents := [2][]byte{bytes.Repeat([]byte{'a'}, size), bytes.Repeat([]byte{'b'}, size)}
			if err := os.WriteFile(path, contents[0], 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var writer sync.WaitGroup
			writer.Go(func() {
				f, err := os.OpenFile(path, os.O_WRONLY, 0)
				if err != nil {
					t.Error(err)
					return
				}
				defer f.Close()
				for i := 1; ctx.Err() == nil; i++ {
					f.WriteAt(contents[i%2], 0)
					time.Sleep(rand.N(40 * time.Millisecond))
				}
			})
			c := newChecker(t, nil, nil)
			const readings = 250
			read, mixed := 0, 0
			for range readings {
				time.Sleep(rand.N(20 * time.Millisecond)) // at any time of the writer's
				switch r := check(t, c, list.Entry{Name: path})[0]; {
				case r.Outcome == Unreadable:
				case r.SHA256 == sum(contents[0]), r.SHA256 == sum(contents[1]):
					read++
				default:
					mixed++
				}
			}
			cancel()
			writer.Wait()
			t.Logf("%d of %d were read, %d mixed", read, readings, mixed)
			if read == 0 || mixed > 2 {
				t.Errorf("%d of %d were read; %d more digests are of neither contents", read, readings, mixed)
			}
		})
	}
}
