//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner and the group that info has, as far as the user
// may.
func keepOwner(f *os.File, info fs.FileInfo) {
	st := info.Sys().(*syscall.Stat_t)
	if f.Chown(int(st.Uid), int(st.Gid)) != nil {
		_ = f.Chown(-1, int(st.Gid))
	}
}
