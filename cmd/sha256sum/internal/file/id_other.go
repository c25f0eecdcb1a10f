//go:build !unix && !windows

package file

import "os"

// An ID is what two names of one file have in common. Here the file's
// information does not show it, and all files count as one.
type ID struct{}

// AppendTo appends the ID to b.
func (ID) AppendTo(b []byte) []byte { return b }

// Device is the file system that the file is on: all count as one.
func (ID) Device() uint64 { return 0 }

func idOf(*os.File) ID { return ID{} }
