package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// A largeFleet is a store that answers by rule: object i is known by its number
// alone. 99 of 100 are files, 1,000 of them under 10,000 names each, the others are
// objects of S3. One of 100,003 is not what its list says.
type largeFleet struct {
	dir   string
	lines int
}

// files is how many files there are.
const files = 1000

func (f *largeFleet) isRemote(i int) bool { return i%100 == 7 }

func (f *largeFleet) isBad(i int) bool { return i%100_003 == 50 }

func (f *largeFleet) content(i int) []byte {
	if f.isRemote(i) {
		return fmt.Appendf(nil, "%09d", i)
	}
	return storetest.Bytes(uint64(i%files), 100+i%files)
}

func (f *largeFleet) name(i int) string {
	if f.isRemote(i) {
		return fmt.Sprintf("s3://bucket/%09d", i)
	}
	// Each of these directories is a link to the one that it is in.
	n := fmt.Sprintf("%06d", i/files)
	return fmt.Sprintf("%s/%c/%c/%c/%c/%c/%c/%03d", f.dir, n[0], n[1], n[2], n[3], n[4], n[5], i%files)
}

// make writes the files.
func (f *largeFleet) make(t *testing.T) {
	for i := range files {
		storetest.WriteFile(t, f.dir, fmt.Sprintf("%03d", i), storetest.Bytes(uint64(i), 100+i))
	}
	for i := range 10 {
		if err := os.Symlink(".", filepath.Join(f.dir, strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
}

// write writes the lines of the list, or of the manifest that should come of it:
// these are sorted, and without what is bad.
func (f *largeFleet) write(w io.Writer, manifest bool) error {
	b := bufio.NewWriter(w)
	var sums [files]string
	for i := range sums {
		sums[i] = fmt.Sprintf("%x", sha256.Sum256(storetest.Bytes(uint64(i), 100+i)))
	}
	line := func(i int) {
		sum := sums[i%files]
		switch {
		case f.isBad(i):
			sum = strings.Repeat("0", 64)
		case f.isRemote(i):
			sum = fmt.Sprintf("%x", sha256.Sum256(f.content(i)))
		}
		b.WriteString(sum + "  " + f.name(i) + "\n")
	}
	if !manifest {
		for i := range f.lines {
			line(i)
		}
		return b.Flush()
	}
	for _, remote := range []bool{false, true} {
		for i := range f.lines {
			if f.isRemote(i) == remote && !f.isBad(i) {
				line(i)
			}
		}
	}
	return b.Flush()
}

// ServeHTTP serves the objects of S3. One read in 50 fails.
func (f *largeFleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if rand.IntN(50) == 0 {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/bucket/"))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("ETag", `"e"`)
	w.Write(f.content(i))
}

// TestLargeFleet takes a list through split, 64 shards of which workers are killed
// at random, and a report. Each command stays below 256 MiB. The list has 20,000
// lines, or FLEETSUM_LINES: 10,000,000 is what billion.md tells of.
func TestLargeFleet(t *testing.T) {
	const shards = 64
	f := &largeFleet{dir: t.TempDir(), lines: 20_000}
	if text := os.Getenv("FLEETSUM_LINES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n > 1_000_000_000 {
			t.Fatal("FLEETSUM_LINES: ", text, " ", err)
		}
		f.lines = n
	}
	f.make(t)
	server := httptest.NewServer(f)
	defer server.Close()
	journal := filepath.Join(t.TempDir(), "run")
	// tool runs the tool and kills it after some time, unless that is 0. It reports
	// whether it ended by itself.
	type use struct {
		mib  int64
		cpu  time.Duration
		wall time.Duration
	}
	tool := func(in io.Reader, kill time.Duration, status int, args ...string) (use, bool) {
		c := exec.Command("fleetsum", args...)
		c.Env = append(os.Environ(), "FLEETSUM_STORE=s3://?use_path_style=true&anonymous=true&region=us-east-1&endpoint="+url.QueryEscape(server.URL))
		c.Stdin = in
		var errs strings.Builder
		c.Stderr = &errs
		start := time.Now()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if kill > 0 {
			timer := time.AfterFunc(kill, func() { c.Process.Kill() })
			defer timer.Stop()
		}
		c.Wait()
		u := use{int64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) >> 10, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), time.Since(start)}
		if u.mib > 256 {
			t.Errorf("%s took %d MiB", args[0], u.mib)
		}
		if kill > 0 && !c.ProcessState.Exited() {
			return u, false
		}
		if got := c.ProcessState.ExitCode(); got != status {
			t.Fatalf("%q: status %d, want %d: %s", args, got, status, errs.String())
		}
		return u, true
	}

	r, w := io.Pipe()
	go func() { w.CloseWithError(f.write(w, false)) }()
	u, _ := tool(r, 0, 0, "split", "--journal", journal, "--shards", strconv.Itoa(shards))
	t.Logf("split: %d lines, %d MiB, %v CPU, %v", f.lines, u.mib, u.cpu.Round(time.Millisecond), u.wall.Round(time.Millisecond))

	killed := 0
	var all use
	for _, shard := range rand.Perm(shards) {
		args := []string{"worker", "--journal", journal, "--shard", strconv.Itoa(shard)}
		kill := time.Duration(0)
		if rand.IntN(3) == 0 {
			kill = time.Millisecond + rand.N(time.Duration(f.lines/shards)*50*time.Microsecond)
		}
		for {
			u, ended := tool(nil, kill, 0, args...)
			all = use{max(all.mib, u.mib), all.cpu + u.cpu, all.wall + u.wall}
			if ended {
				break
			}
			killed, kill = killed+1, 0
		}
	}
	t.Logf("%d workers, %d killed: %d MiB at most, %v CPU, %v one after the other", shards, killed, all.mib, all.cpu.Round(time.Millisecond), all.wall.Round(time.Millisecond))
	if killed == 0 {
		t.Error("no worker was killed")
	}

	u, _ = tool(nil, 0, 1, "report", journal)
	t.Logf("report: %d MiB, %v CPU, %v", u.mib, u.cpu.Round(time.Millisecond), u.wall.Round(time.Millisecond))
	manifest, err := os.Open(filepath.Join(journal, "report", "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	defer manifest.Close()
	wantReader, wantWriter := io.Pipe()
	go func() { wantWriter.CloseWithError(f.write(wantWriter, true)) }()
	defer wantReader.Close()
	got, want := bufio.NewScanner(manifest), bufio.NewScanner(wantReader)
	for n := 1; want.Scan(); n++ {
		if !got.Scan() || got.Text() != want.Text() {
			t.Fatalf("line %d of the manifest: got %q, want %q", n, got.Text(), want.Text())
		}
	}
	if got.Scan() {
		t.Errorf("the manifest has more lines: %q", got.Text())
	}
}
