//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// The names of one pipe take turns, in their order; other pipes and what is no
// pipe do not wait for them.
func TestTurnsOfOnePipe(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		unix.Mkfifo(at("pipe"), 0o666),
		os.Link(at("pipe"), at("linked")),
		os.Symlink(at("pipe"), at("symlinked")),
		unix.Mkfifo(at("another"), 0o666),
		os.WriteFile(at("file"), nil, 0o666),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var items []*fileItem
	s := newSource(&options{}, nil, outputs{})
	for _, name := range []string{"pipe", "linked", "file", "another", "symlinked", "nosuch"} {
		items = append(items, s.named(at(name), at(name)))
	}
	pipe, linked, file, another, symlinked, nosuch := items[0], items[1], items[2], items[3], items[4], items[5]
	if file.turn != nil || nosuch.turn != nil {
		t.Error("what is no pipe has a turn")
	}
	for _, test := range []struct {
		it    *fileItem
		after <-chan struct{}
	}{{pipe, noTurn}, {linked, pipe.turn.done}, {symlinked, linked.turn.done}, {another, noTurn}} {
		if test.it.turn.after != test.after {
			t.Errorf("%s does not wait for the one before it alone", filepath.Base(test.it.name))
		}
	}
}
