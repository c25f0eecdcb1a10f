//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner and the group in info, as far as this user
// may do that.
func keepOwner(path string, info fs.FileInfo) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	// The group by itself: users who cannot give a file away may still choose
	// among their own groups.
	os.Lchown(path, -1, int(st.Gid))
	os.Lchown(path, int(st.Uid), -1)
}
