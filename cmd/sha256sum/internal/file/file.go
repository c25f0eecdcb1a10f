// Package file opens files that are read once, in as many descriptors as there are.
package file

import "errors"

// ErrChanged is the error of a file that was written to while it was read: its
// digest would be of contents that it never had.
var ErrChanged = errors.New("file changed as it was read")
