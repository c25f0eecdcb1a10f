package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/update"
	"golang.org/x/sys/unix"
)

// breakInput makes standard input, for as long as the test runs, a file that begins
// with a page of text and cannot be read behind it.
func breakInput(t *testing.T, text string) {
	t.Helper()
	page := os.Getpagesize()
	name := filepath.Join(t.TempDir(), "page")
	if err := os.WriteFile(name, []byte(strings.Repeat(text, page/len(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// Behind the end of a file there is nothing to be mapped.
	memory, err := unix.Mmap(int(f.Fd()), 0, 2*page, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(memory) })
	self, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Skip(err)
	}
	defer self.Close()
	if _, err := self.Seek(int64(uintptr(unsafe.Pointer(&memory[0]))), 0); err != nil {
		t.Fatal(err)
	}
	before, err := unix.Dup(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Dup3(int(self.Fd()), 0, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(unix.Dup3(before, 0, 0), unix.Close(before)); err != nil {
			t.Error(err)
		}
	})
}

// Names, or lines of a list, that cannot be read on are not all of them.
func TestInputThatBreaks(t *testing.T) {
	name := strings.Repeat("n", 61)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		arg, text      string
		stdout, stderr string
	}{
		{"--files0-from=-", name + "\x00\x00\x00", abcHex + "  " + name + "\n", "sha256sum: 'standard input': read error: Input/output error\n"},
		{"--check", abcHex + "  " + name + "\n", name + ": OK\n", "sha256sum: 'standard input': read error\n"},
	} {
		t.Run(tt.arg, func(t *testing.T) {
			breakInput(t, tt.text)
			stdout, stderr, status := runTool(t, "--base="+dir, tt.arg)
			if !strings.HasPrefix(stdout, tt.stdout) || !strings.HasSuffix(stderr, tt.stderr) || status != 1 {
				t.Errorf("printed %.100q, messages %q, status %d", stdout, stderr[max(0, len(stderr)-200):], status)
			}
		})
	}
}

// A list is not replaced, and neither are its records, if the records cannot be read on:
// what they would have said of damage is not known.
func TestRecordsThatBreak(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("t", 0o700); err != nil {
		t.Fatal(err)
	}
	list := abcHex + "  t/abc\n"
	stamps, err := update.Create("L")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 { // more than are read at once
		stamps.Write(&update.Record{Name: fmt.Sprintf("t/a%04d", i)})
	}
	for _, err := range []error{
		stamps.Commit(),
		os.WriteFile("L", []byte(list), 0o600),
		os.WriteFile("t/abc", []byte("other"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile("L.stamps")
	if err != nil {
		t.Fatal(err)
	}

	o, err := parseOptions([]string{"-r", "--allow-loss", "--update=L", "t"})
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := openOutputs(o, func() {})
	if err != nil {
		t.Fatal(err)
	}
	breakDescriptor(t, "L.stamps")
	p, results := newPipeline(o, nil), newPrinter(o, w, w.list, io.Discard, io.Discard)
	err = p.run(t.Context(), newSource(o, &p.files, w).items(), results)
	if status := finish(o, err, results, w, io.NopCloser(nil)); status != 1 {
		t.Errorf("status %d", status)
	}
	if got, err := os.ReadFile("L"); err != nil || string(got) != list {
		t.Errorf("the list is %q, %v", got, err)
	}
	if got, err := os.ReadFile("L.stamps"); err != nil || !bytes.HasPrefix(got, before) {
		t.Errorf("the records were %d bytes, and are %d, %v", len(before), len(got), err)
	}
}

// breakDescriptor makes every read from a file that is open an error.
func breakDescriptor(t *testing.T, name string) {
	t.Helper()
	dir, err := os.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	want, err := filepath.Abs(name)
	if err == nil {
		want, err = filepath.EvalSymlinks(want)
	}
	if err != nil {
		t.Fatal(err)
	}
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == want {
			fd, err := strconv.Atoi(filepath.Base(link))
			if err != nil {
				t.Fatal(err)
			}
			if err := unix.Dup3(int(dir.Fd()), fd, unix.O_CLOEXEC); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("%s is not open", name)
}
