//go:build unix

package output

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether the file belongs to the user.
func isOwn(info fs.FileInfo) bool { return int(info.Sys().(*syscall.Stat_t).Uid) == os.Geteuid() }
