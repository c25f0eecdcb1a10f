//go:build unix

package replace

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner and the group that info has, as far as the user
// may, and reports whether f has the group.
func keepOwner(f *os.File, info fs.FileInfo) bool {
	st := info.Sys().(*syscall.Stat_t)
	return f.Chown(int(st.Uid), int(st.Gid)) == nil || f.Chown(-1, int(st.Gid)) == nil
}
