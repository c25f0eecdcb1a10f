//go:build unix

package output

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

// isOwn reports whether the file belongs to the user.
func isOwn(info fs.FileInfo) bool { return int(info.Sys().(*syscall.Stat_t).Uid) == os.Geteuid() }
