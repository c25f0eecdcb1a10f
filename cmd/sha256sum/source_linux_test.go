package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

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
