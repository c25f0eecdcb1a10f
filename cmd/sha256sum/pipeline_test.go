package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
)

// What was finished is printed even if the source ended before the interrupt was
// seen.
func TestInterruptPrintsWhatIsDone(t *testing.T) {
	p := newPipeline(&options{jobs: 1}, nil)
	done := newFileItem("abc", "abc")
	done.digest = sha256Digest(abcDigest)
	done.done.Store(true)
	p.order <- done
	close(p.order)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(signalError{syscall.SIGINT})
	var out strings.Builder
	results := newPrinter(p.options, outputs{}, &out, io.Discard, io.Discard)
	waiting, err := p.print(ctx, results)
	if waiting != nil {
		t.Error("print waits for what is done")
	}
	if err != nil {
		err = p.printRest(ctx, waiting, results)
	}
	if caught := new(signalError); !errors.As(err, caught) {
		t.Errorf("error %v, not the signal", err)
	}
	if want := abcHex + "  abc\n"; out.String() != want {
		t.Errorf("printed %q, not %q", out.String(), want)
	}
}

// A file's size counts once, and what is finished is known.
func TestSizesCountOnce(t *testing.T) {
	p := newPipeline(&options{jobs: 1}, nil)
	it := newFileItem("x", "x")
	p.unsized.Add(1)
	p.ended.Store(true)
	if _, known := p.total(); known {
		t.Error("the total is known before the size")
	}
	p.sized(it, 5)
	p.finish(it)
	if bytes, files, total, known := p.Counts(); bytes != 0 || files != 1 || total != 5 || !known {
		t.Errorf("%d bytes, %d files, %d in all (known: %v)", bytes, files, total, known)
	}
}

// However long names are, those that wait for a file before them take little
// memory.
func TestLongNamesThatWaitAreFew(t *testing.T) {
	for _, length := range []int{1, longName - 1, longName, 60_000} {
		p := newPipeline(&options{jobs: 1}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for range p.work {
			}
		}()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for p.emit(ctx, newFileItem(strings.Repeat("x", length), "")) {
			}
			close(p.work)
			close(p.order)
		}()
		for len(p.order) < cap(p.order) {
			time.Sleep(time.Millisecond)
		}
		cancel()
		<-ended
		waiting := 0
		for it := range p.order {
			if it != nil { // else it is room that a long name takes
				waiting++
			}
		}
		if waiting*length > maxWaiting*longName || waiting < maxWaiting/(1+length/longName) {
			t.Errorf("%d names of %d bytes wait", waiting, length)
		}
	}
}

// Only a job that is over at once, and waits for nobody, goes without what makes
// others fast and interruptible.
func TestShortJobs(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"small": 2, "other": 3, "empty": 0, "most": shortBytes, "large": shortBytes + 1} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	many := slices.Repeat([]string{"small"}, shortFiles)
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"small"}, true},
		{[]string{"--tag", "small", "other"}, true},
		{[]string{"most"}, true},
		{many, true},
		{append(many, "small"), false},
		{[]string{"large"}, false},
		{[]string{strings.Repeat("./", longName/2) + "small"}, false},
		{[]string{"most", "small"}, false},
		{[]string{"empty"}, false},
		{[]string{"small", "missing"}, false},
		{[]string{"."}, false},
		{[]string{"small", "-"}, false},
		{nil, false},
		{[]string{"-r", "small"}, false},
		{[]string{"-c", "small"}, false},
		{[]string{"--files0-from=small"}, false},
		{[]string{"--output=list", "small"}, false},
		{[]string{"--progress=always", "small"}, false},
	} {
		o, err := parseOptions(append([]string{"--base=" + dir}, c.args...))
		if err != nil {
			t.Fatal(err)
		}
		if _, got := o.short(); got != c.want {
			t.Errorf("%.60q: short %v, not %v", c.args, got, c.want)
		}
	}
}

// A run that ends early keeps what is known of files that it did not hash. It reads no
// records any more when it replaces them, which Windows would not allow.
func TestErrorKeepsWhatIsKnown(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list")
	known, later := update.Record{Name: "dir/abc", Digest: abcDigest}, update.Record{Name: "dir/b", Digest: abcDigest}
	stamps, err := update.Create(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(stamps.Write(&known), stamps.Write(&later), stamps.Commit()); err != nil {
		t.Fatal(err)
	}
	o := &options{update: list, files: []string{"dir"}}
	var w outputs
	if w.known, err = update.Open(list, o.files); err != nil {
		t.Fatal(err)
	}
	if w.stamps, err = update.Create(list); err != nil {
		t.Fatal(err)
	}
	p := newPrinter(o, w, io.Discard, io.Discard, io.Discard)
	if err := p.rest(&fileItem{name: known.Name, known: w.known.Find(known.Name)}); err != nil {
		t.Fatal(err)
	}
	if status := finish(o, errors.New("no space"), p, w, io.NopCloser(nil)); status != 1 {
		t.Errorf("status %d", status)
	}
	if w.known.Find(later.Name); !errors.Is(w.known.Err(), fs.ErrClosed) {
		t.Errorf("reading on: %v", w.known.Err())
	}
	now, err := update.Open(list, o.files)
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	if got := now.Find(known.Name); got == nil || *got != known {
		t.Errorf("kept %+v, not %+v", got, known)
	}
}
