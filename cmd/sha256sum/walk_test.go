package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// tree makes files and returns their directory.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadSortedInPieces(t *testing.T) {
	names := []string{"a/x", "a-b", "a.txt"}
	for i := range 3000 {
		names = append(names, fmt.Sprintf("%d", i))
	}
	dir := tree(t, names...)
	all, err := readSorted(dir, "", len(names)+1)
	if err != nil || len(all) != len(names) {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	if !slices.IsSortedFunc(all, compareKeys) {
		t.Error("not sorted")
	}
	for _, limit := range []int{1000, 1001, 7} {
		var pieces []entry
		after := ""
		for range 1 + len(names)/limit {
			piece, err := readSorted(dir, after, limit)
			if err != nil {
				t.Fatal(err)
			}
			pieces = append(pieces, piece...)
			if len(piece) < limit {
				break
			}
			after = piece[limit-1].key
			if limit < 10 && len(pieces) > 50 {
				break // each piece reads the whole directory
			}
		}
		if !slices.Equal(pieces, all[:len(pieces)]) {
			t.Errorf("pieces of %d differ from the whole", limit)
		}
		if limit >= 1000 && len(pieces) != len(all) {
			t.Errorf("pieces of %d have %d entries of %d", limit, len(pieces), len(all))
		}
	}
}

// A directory with more entries than may be in memory comes out whole.
func TestWalkOfLargeDirectory(t *testing.T) {
	var want []string
	for i := range 2*minEntries + 10 {
		want = append(want, fmt.Sprintf("d/%04d", i))
	}
	want = append(want, "d/9999/x")
	dir := tree(t, want...)
	var got []string
	w := walker{
		emit: func(it *item) bool {
			name, err := filepath.Rel(dir, it.name)
			if err != nil || it.kind != fileItem {
				t.Fatal(it.note, err)
			}
			got = append(got, filepath.ToSlash(name))
			return true
		},
		leave:  func(string) bool { return false },
		budget: 1, // as below many large directories
	}
	w.walkDir(dir, "")
	if !slices.Equal(got, want) {
		t.Errorf("%d files, %d wanted", len(got), len(want))
	}
	if w.budget != 1 {
		t.Errorf("budget %d, not 1", w.budget)
	}
}

func TestWalkReportsWhatVanishes(t *testing.T) {
	dir := tree(t, "a/x", "b/x", "c/x")
	var names, failed []string
	w := walker{emit: func(it *item) bool {
		if it.kind == failedItem {
			if !errors.Is(it.err, fs.ErrNotExist) {
				t.Errorf("%s: %v", it.name, it.err)
			}
			failed = append(failed, it.name)
			return true
		}
		names = append(names, it.name)
		// The walk has read the directory and not yet come to b.
		os.RemoveAll(filepath.Join(dir, "b"))
		return true
	}, leave: func(string) bool { return false }}
	if !w.walk(dir) {
		t.Error("the walk stopped")
	}
	if want := []string{dir + "/b"}; !slices.Equal(failed, want) {
		t.Errorf("errors of %q, want %q", failed, want)
	}
	if len(names) != 2 {
		t.Errorf("files %q", names)
	}
}

func TestWalkStops(t *testing.T) {
	dir := tree(t, "a/x", "b/x", "c/x")
	n := 0
	w := walker{emit: func(*item) bool { n++; return n < 2 }, leave: func(string) bool { return false }}
	if w.walk(dir) || n != 2 {
		t.Errorf("%d files after a stop at 2", n)
	}
}
