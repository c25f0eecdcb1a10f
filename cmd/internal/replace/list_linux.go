package replace

import (
	"encoding/binary"
	"errors"
	"iter"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// A list is a POSIX access control list as Linux stores it in an extended
// attribute: a version in four bytes, and entries of eight bytes, which are a
// tag, permissions and the number of a user or group. All are little-endian.
type list []byte

const (
	listName   = "system.posix_acl_access"
	headerSize = 4
	entrySize  = 8

	tagGroup = 0x04 // the file's own
	tagMask  = 0x10 // the most that named users and any group get
	tagOther = 0x20
)

// readList returns the list of a file, or nil if it has none.
func readList(path string) (list, error) {
	for {
		size, err := unix.Getxattr(path, listName, nil)
		if isNoList(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		l := make(list, size)
		if size, err = unix.Getxattr(path, listName, l); errors.Is(err, unix.ERANGE) {
			continue // it has just grown
		} else if isNoList(err) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		return l[:size], nil
	}
}

// isNoList reports whether a file lacks a list, or its file system knows of none.
func isNoList(err error) bool {
	return slices.ContainsFunc([]error{unix.ENODATA, unix.ENOTSUP, unix.ENOSYS}, func(no error) bool { return errors.Is(err, no) })
}

// write gives f the list, and with it the permissions.
func (l list) write(f *os.File) error {
	return unix.Fsetxattr(int(f.Fd()), listName, l, 0)
}

// removeList takes from f the list that it inherited.
func removeList(f *os.File) error {
	if err := unix.Fremovexattr(int(f.Fd()), listName); err != nil && !isNoList(err) {
		return err
	}
	return nil
}

// withoutGroup changes the list as withoutGroup changes permissions.
func (l list) withoutGroup() {
	both := uint16(0o7)
	for _, tag := range []uint16{tagGroup, tagMask, tagOther} {
		for p := range l.permissions(tag) {
			both &= binary.LittleEndian.Uint16(p)
		}
	}
	for _, tag := range []uint16{tagGroup, tagOther} {
		for p := range l.permissions(tag) {
			binary.LittleEndian.PutUint16(p, both)
		}
	}
}

// permissions yields the permissions of the entries that have a tag.
func (l list) permissions(tag uint16) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for at := headerSize; at+entrySize <= len(l); at += entrySize {
			if binary.LittleEndian.Uint16(l[at:]) == tag && !yield(l[at+2:][:2]) {
				return
			}
		}
	}
}
