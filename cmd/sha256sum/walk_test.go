package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		names = append(names, fmt.Sprintf("%d%s", i, strings.Repeat("x", i%50)))
	}
	dir := tree(t, names...)
	all, more, err := readSorted(dir, "", 1<<20)
	if err != nil || more || len(all) != len(names) {
		t.Fatalf("%d entries, %v, %v", len(all), more, err)
	}
	if !slices.IsSortedFunc(all, compareKeys) {
		t.Error("not sorted")
	}
	for _, limit := range []int{1, 1000, 40_000} {
		var pieces []entry
		after := ""
		for more := true; more; {
			var piece []entry
			piece, more, err = readSorted(dir, after, limit)
			if err != nil || len(piece) == 0 {
				t.Fatalf("%d entries, %v", len(piece), err)
			}
			size := 0
			for _, e := range piece {
				size += e.size()
			}
			if size > limit && len(piece) > 1 {
				t.Errorf("%d entries take %d bytes, not %d", len(piece), size, limit)
			}
			pieces = append(pieces, piece...)
			after = piece[len(piece)-1].key
			if limit == 1 && len(pieces) > 50 {
				break // each piece reads the whole directory
			}
		}
		if !slices.Equal(pieces, all[:len(pieces)]) || limit > 1 && len(pieces) != len(all) {
			t.Errorf("%d entries in pieces of %d bytes differ from the whole", len(pieces), limit)
		}
	}
}

// A directory with more entries than may be in memory comes out whole.
func TestWalkOfLargeDirectory(t *testing.T) {
	var want []string
	for i := range 4 * minEntries / (entry{key: "0000"}).size() {
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
