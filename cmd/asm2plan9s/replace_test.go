package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestReplaceAllRestoresFilesWhenALaterOneFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.s")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	err = replaceAll([]change{
		{path: path, info: info, old: []byte("old"), new: []byte("new")},
		{path: filepath.Join(dir, "missing", "b.s"), info: info, old: []byte("old"), new: []byte("new")},
	})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want one that the directory does not exist", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
		t.Errorf("content %q, %v; want the old one", got, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("directory has %v, %v; want the file alone", entries, err)
	}
}
