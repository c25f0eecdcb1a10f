package output

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// aclOf returns an access control list of the owner's, one user's, the group's, the mask's
// and the others' permissions, as Linux stores it.
func aclOf(owner, user, group, mask, other uint16) []byte {
	b := []byte{2, 0, 0, 0}
	for _, e := range []struct {
		tag, permissions uint16
		id               uint32
	}{{0x01, owner, ^uint32(0)}, {0x02, user, 4321}, {0x04, group, ^uint32(0)}, {0x10, mask, ^uint32(0)}, {0x20, other, ^uint32(0)}} {
		b = binary.LittleEndian.AppendUint16(b, e.tag)
		b = binary.LittleEndian.AppendUint16(b, e.permissions)
		b = binary.LittleEndian.AppendUint32(b, e.id)
	}
	return b
}

// The permissions that a file with an access control list shows for its group are the
// mask of the list: the group itself may have had none.
func TestRightsOfReplacedFiles(t *testing.T) {
	const attribute = "system.posix_acl_access"
	for _, test := range []struct {
		name string
		acl  []byte
		mode os.FileMode
	}{
		{"a group without rights under a mask with them", aclOf(6, 6, 0, 6, 0), 0o660},
		{"a user that may read", aclOf(6, 4, 4, 4, 4), 0o644},
		{"no list", nil, 0o640},
		{"nothing for others", nil, 0o600},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			// Files of the directory inherit a list that must not stay.
			err := unix.Setxattr(dir, "system.posix_acl_default", aclOf(7, 7, 7, 7, 7), 0)
			if errors.Is(err, unix.ENOTSUP) {
				t.Skip("the file system has no access control lists")
			}
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(dir, "list")
			if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			if test.acl != nil {
				err = unix.Setxattr(name, attribute, test.acl, 0)
			} else if err = unix.Removexattr(name, attribute); err == nil {
				err = os.Chmod(name, test.mode)
			}
			if err != nil {
				t.Fatal(err)
			}
			f, err := Create(name)
			if err != nil {
				t.Fatal(err)
			}
			f.WriteString("new")
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 100)
			n, _ := unix.Getxattr(name, attribute, got)
			if got = got[:max(n, 0)]; !bytes.Equal(got, test.acl) {
				t.Errorf("the list is % x, want % x", got, test.acl)
			}
			info, err := os.Stat(name)
			if err != nil || info.Mode().Perm() != test.mode {
				t.Errorf("permissions are %v, want %v (%v)", info.Mode(), test.mode, err)
			}
			if text, err := os.ReadFile(name); string(text) != "new" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
}
