// Package replace gives a new file the rights of the file whose place it takes.
package replace

import (
	"fmt"
	"io/fs"
	"os"
)

// KeepRights gives f, which is to take the place of the file at path, that
// file's owner, group and permissions, and on Linux its POSIX access control
// list. No user gets more rights than before: f loses what it inherited from its
// directory, and if the user may not keep the group, the members of both groups
// get only what the group and all others had. The owner and the group are kept
// as far as the user may. An error means that f must not take the place.
//
// Until then f should have permission 0600. Other access control lists, as of
// NFSv4, macOS and Windows, are not kept.
func KeepRights(f *os.File, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("reading the permissions: %w", err)
	}
	list, err := readList(path)
	if err != nil {
		return fmt.Errorf("reading the access control list of %s: %w", path, err)
	}
	keepsGroup := keepOwner(f, info)
	if list != nil {
		if !keepsGroup {
			list.withoutGroup()
		}
		if err := list.write(f); err != nil {
			return fmt.Errorf("keeping the access control list of %s: %w", path, err)
		}
		return nil
	}
	if err := removeList(f); err != nil {
		return fmt.Errorf("removing the access control list that %s inherited: %w", f.Name(), err)
	}
	mode := info.Mode().Perm()
	if !keepsGroup {
		mode = withoutGroup(mode)
	}
	if err := f.Chmod(mode); err != nil {
		return fmt.Errorf("keeping the permissions of %s: %w", path, err)
	}
	return nil
}

// withoutGroup returns the permissions of a file whose group changes. Members of
// the new group were others before, and members of the old one will be.
func withoutGroup(mode fs.FileMode) fs.FileMode {
	both := mode >> 3 & mode & 0o7
	return mode&^0o77 | both<<3 | both
}
