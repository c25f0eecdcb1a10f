package replace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

type entry struct {
	tag, permissions uint16
	id               uint32
}

const noID = 0xffffffff

// listOf returns a list of the owner's, one user's, the group's, the mask's and
// the others' permissions.
func listOf(owner, user, group, mask, other uint16) list {
	l := list{2, 0, 0, 0}
	for _, e := range []entry{
		{0x01, owner, noID}, {0x02, user, 4321}, {tagGroup, group, noID}, {tagMask, mask, noID}, {tagOther, other, noID},
	} {
		l = binary.LittleEndian.AppendUint16(l, e.tag)
		l = binary.LittleEndian.AppendUint16(l, e.permissions)
		l = binary.LittleEndian.AppendUint32(l, e.id)
	}
	return l
}

// set gives a file or folder a list, or skips the test where there are none.
func set(t *testing.T, path, name string, l list) {
	t.Helper()
	err := unix.Setxattr(path, name, l, 0)
	if errors.Is(err, unix.ENOTSUP) {
		t.Skip("the file system has no access control lists")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// newFile returns a file in a folder whose files inherit a list that lets
// another user write.
func newFile(t *testing.T, mode fs.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	set(t, filepath.Dir(path), "system.posix_acl_default", listOf(7, 7, 7, 7, 7))
	return path
}

// The group's permissions of a file with a list are the list's mask: without the
// list they would be given to the group.
func TestListsStay(t *testing.T) {
	for _, want := range []list{
		listOf(6, 6, 4, 6, 0),
		listOf(6, 4, 0, 4, 4),
		listOf(7, 0, 5, 5, 5), // it denies
	} {
		path := newFile(t, 0o600)
		set(t, path, listName, want)
		mode := permissions(t, path)
		if err := replaceFile(path); err != nil {
			t.Fatal(err)
		}
		got, err := readList(path)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("% x became % x (%v)", want, got, err)
		}
		if got := permissions(t, path); got != mode {
			t.Errorf("% x: permissions %v became %v", want, mode, got)
		}
	}
}

func TestNothingIsInherited(t *testing.T) {
	path := newFile(t, 0o660)
	if err := replaceFile(path); err != nil {
		t.Fatal(err)
	}
	if got, err := readList(path); err != nil || got != nil {
		t.Errorf("the file inherited % x (%v)", got, err)
	}
	if got := permissions(t, path); got != 0o660 {
		t.Errorf("permissions are %v", got)
	}
}

func TestAnotherUserGivesNoRightsOfAListAway(t *testing.T) {
	for _, tt := range []struct{ old, want list }{
		{listOf(6, 6, 6, 6, 4), listOf(6, 6, 4, 6, 4)},
		{listOf(6, 6, 6, 6, 0), listOf(6, 6, 0, 6, 0)},
		{listOf(6, 6, 4, 6, 6), listOf(6, 6, 4, 6, 4)},
		{listOf(6, 6, 6, 4, 6), listOf(6, 6, 4, 4, 4)},
	} {
		path := fileOfAnother(t, 0o600)
		set(t, path, listName, slices.Clone(tt.old))
		replaceAsNobody(t, path)
		got, err := readList(path)
		if err != nil || !bytes.Equal(got, tt.want) {
			t.Errorf("% x became % x, want % x (%v)", tt.old, got, tt.want, err)
		}
	}
}
