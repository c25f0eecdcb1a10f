package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/message"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
)

const abcHex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

var abcDigest = sha256.Sum256([]byte("abc"))

// writes are what was written, each at once.
type writes []string

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, string(p))
	return len(p), nil
}

// Processes may share an output: lines are written whole, and not more at once
// than a pipe keeps together.
func TestLinesAreWrittenWhole(t *testing.T) {
	for name, o := range map[string]options{"lines": {}, "composite": {partSize: 1 << 20}, "JSON": {json: true}} {
		t.Run(name, func(t *testing.T) {
			var got writes
			p := newPrinter(&o, outputs{}, &got, io.Discard, io.Discard)
			for i := range 1000 {
				it := newFileItem(fmt.Sprintf("%d/%s", i, strings.Repeat("x", i)), "")
				it.digest = sha256Digest(abcDigest)
				if o.partSize > 0 {
					it.composite = onePart(abcDigest)
				}
				if err := p.item(it); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.flush(); err != nil {
				t.Fatal(err)
			}
			for _, s := range got {
				if !strings.HasSuffix(s, "\n") || len(s) > maxWrite {
					t.Fatalf("%d bytes at once, the last ones %q", len(s), s[max(0, len(s)-20):])
				}
			}
		})
	}
}

// A message stands behind the results of the files before it, where both go to one
// terminal.
func TestMessagesKeepTheirPlaces(t *testing.T) {
	var got strings.Builder
	p := newPrinter(&options{}, outputs{}, &got, &got, io.Discard)
	for _, name := range []string{"a", "b", "c"} {
		it := newFileItem(name, name)
		if it.digest = sha256Digest(abcDigest); name == "b" {
			it.err = errors.New("why")
		}
		if err := p.item(it); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.flush(); err != nil {
		t.Fatal(err)
	}
	if want := abcHex + "  a\nsha256sum: b: why\n" + abcHex + "  c\n"; got.String() != want {
		t.Errorf("printed %q, not %q", got.String(), want)
	}
}

// An audit fails if it cannot read the records that tell damage from changes.
func TestAuditWithoutItsRecords(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list")
	records, err := update.OpenIndex(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(update.StampsOf(name), 0o700); err != nil {
		t.Fatal(err)
	}
	l := &list{name: name, audit: true, proper: 1, records: records}
	it := newFileItem("abc", "abc")
	it.check = &check{list: l, listed: true, want: sha256Digest(abcDigest)}
	var out, errs strings.Builder
	p := newPrinter(&options{check: true}, outputs{}, &out, &errs, io.Discard)
	for _, it := range []item{it, &summaryItem{l}} {
		if err := errors.Join(p.item(it), p.flush()); err != nil {
			t.Fatal(err)
		}
	}
	if want := message.Quote(update.StampsOf(name)) + ": not a regular file"; out.String() != "abc: FAILED\n" || !strings.Contains(errs.String(), want) || p.exitStatus() != 1 {
		t.Errorf("printed %q, messages %q, status %d", out.String(), errs.String(), p.exitStatus())
	}
}

// A closer reports an error when it is closed, as NFS reports that there is no room.
type closer struct{ err error }

func (c closer) Close() error { return c.err }

// What standard output says when it is closed is an error like that of a write.
func TestStandardOutputIsClosed(t *testing.T) {
	for _, test := range []struct {
		err     error
		printer printer
		status  int
	}{
		{nil, printer{}, 0},
		{nil, printer{unlisted: true}, 2},
		{syscall.EIO, printer{}, 1},
		{&fs.PathError{Op: "close", Path: "/dev/stdout", Err: syscall.ENOSPC}, printer{unlisted: true}, 1},
		{syscall.EIO, printer{damaged: 1}, 4},
	} {
		if status := finish(&options{}, nil, &test.printer, outputs{}, closer{test.err}); status != test.status {
			t.Errorf("%v: status %d, not %d", test.err, status, test.status)
		}
	}
}
