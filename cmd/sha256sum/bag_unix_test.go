//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A link is followed within the bag only, and nothing is waited for that is no
// file.
func TestBagsOfOtherThanFiles(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func(dir string) error
		wrong  string
	}{
		{"a link inside", func(dir string) error {
			os.Rename(dir+"/data/a", dir+"/a")
			return os.Symlink("../a", dir+"/data/a")
		}, ""},
		{"another spelling of a file", func(dir string) error {
			os.Rename(dir+"/data/a", dir+"/data/A")
			return os.Link(dir+"/data/A", dir+"/data/a")
		}, ""},
		{"another spelling of a directory", func(dir string) error {
			os.Mkdir(dir+"/data/B", 0o777)
			return os.Link(dir+"/data/b/c", dir+"/data/B/C")
		}, ""},
		{"another name of a file", func(dir string) error { return os.Link(dir+"/data/a", dir+"/data/z") }, "data/z: UNLISTED"},
		{"another file of a like name", func(dir string) error { return os.WriteFile(dir+"/data/A", []byte("abc"), 0o666) }, "data/A: UNLISTED"},
		{"a link of a like name", func(dir string) error { return os.Symlink("a", dir+"/data/A") }, "data/A: a symbolic link that no manifest lists"},
		{"a link out of it", func(dir string) error {
			os.Remove(dir + "/data/a")
			return os.Symlink(outside, dir+"/data/a")
		}, "data/a: a link that leads out of the bag"},
		{"a link beside it", func(dir string) error {
			os.Remove(dir + "/data/a")
			os.Mkdir(dir+"-more", 0o777)
			os.WriteFile(dir+"-more/a", []byte("abc"), 0o666)
			return os.Symlink("../../bag-more/a", dir+"/data/a")
		}, "data/a: a link that leads out of the bag"},
		{"a directory that leads out", func(dir string) error {
			os.Rename(dir+"/data/b", outside+".b")
			return os.Symlink(outside+".b", dir+"/data/b")
		}, "data/b/c: a link that leads out of the bag"},
		{"a link that is not listed", func(dir string) error {
			return os.Symlink("a", dir+"/data/z")
		}, "data/z: a symbolic link that no manifest lists"},
		{"a pipe that is listed", func(dir string) error {
			os.Remove(dir + "/data/a")
			return unix.Mkfifo(dir+"/data/a", 0o666)
		}, "data/a: not a regular file"},
		{"a pipe that is not listed", func(dir string) error {
			return unix.Mkfifo(dir+"/data/z", 0o666)
		}, "data/z: a payload holds files only, not a named pipe"},
		{"a payload that is a pipe", func(dir string) error {
			os.RemoveAll(dir + "/data")
			return unix.Mkfifo(dir+"/data", 0o666)
		}, "data: the payload directory is missing"},
		{"a payload that leads out", func(dir string) error {
			os.Rename(dir+"/data", outside+".data")
			os.WriteFile(outside+".data/secret", nil, 0o666)
			return os.Symlink(outside+".data", dir+"/data")
		}, "data: the payload directory is missing"},
		{"a manifest that is a pipe", func(dir string) error {
			os.Remove(dir + "/manifest-sha256.txt")
			return unix.Mkfifo(dir+"/manifest-sha256.txt", 0o666)
		}, "manifest-sha256.txt: not a regular file"},
		{"a declaration that is a pipe", func(dir string) error {
			os.Remove(dir + "/bagit.txt")
			return unix.Mkfifo(dir+"/bagit.txt", 0o666)
		}, "bagit.txt: not a regular file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBag()
			delete(b, "bag-info.txt")
			b.seal()
			dir := b.write(t)
			if err := test.change(dir); err != nil {
				t.Fatal(err)
			}
			stdout, stderr, status := runTool(t, "--bag="+dir)
			said := stdout + stderr
			if (status != 0) != (test.wrong != "") || !strings.Contains(said, test.wrong) {
				t.Errorf("status %d, without %q:\n%s", status, test.wrong, said)
			}
			if strings.Contains(said, "secret") {
				t.Errorf("what is outside was looked at:\n%s", said)
			}
		})
	}
}
