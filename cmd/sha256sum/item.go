package main

import (
	"sync/atomic"

	"github.com/sha256-simd/sha256-simd"
)

// An item is one thing to print, in its place in the order of printing: the
// result of a file, a message, or the summary of a checksum list.
//
// The source fills in what is asked for and emits the item once. For a file, a
// worker fills in the result and calls pipeline.finish; after that only the
// printer touches it.
type item struct {
	kind itemKind

	name string            // of the file, as it is printed and opened
	want [sha256.Size]byte // the digest that list expects
	list *list             // the checksum list that names the file or is summed up; nil when printing
	note string            // a message, without the name of the program
	fail bool              // the message is of an error: the exit status becomes 1
	turn *turn             // of a file that others may read from, too; nil if its contents are its own

	digest    [sha256.Size]byte
	size      int64
	composite string // with --part-size
	err       error
	done      atomic.Bool
}

type itemKind byte

const (
	fileItem   itemKind = iota
	failedItem          // a directory that could not be read, with its err
	noteItem
	summaryItem
)

// A list is a checksum list that is being checked. The source counts its
// lines, the printer the results.
type list struct {
	shown string // its name in messages

	proper    int
	malformed int

	unreadable int
	mismatched int
	matched    int
}

// A turn is the place of a file among those that read from the same pipe,
// terminal or the like: each reads what those before it left.
type turn struct {
	after <-chan struct{} // closed when those before it are done
	done  chan struct{}   // closed when it is done
}
