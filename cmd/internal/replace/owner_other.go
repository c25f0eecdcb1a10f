//go:build !unix

package replace

import (
	"io/fs"
	"os"
)

// keepOwner has nothing to keep: the owner of a file is not a number.
func keepOwner(*os.File, fs.FileInfo) bool { return true }
