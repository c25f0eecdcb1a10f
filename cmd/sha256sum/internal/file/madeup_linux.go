package file

import "golang.org/x/sys/unix"

// MadeUp reports whether the kernel makes up the contents of the file when they are
// read: their times are those of the first look at the file.
func (f File) MadeUp() bool {
	var fs unix.Statfs_t
	if _, err := retry(func() (int, error) { return 0, unix.Fstatfs(int(f), &fs) }); err != nil {
		return false
	}
	switch int64(fs.Type) {
	case unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC:
		return true
	}
	return false
}
