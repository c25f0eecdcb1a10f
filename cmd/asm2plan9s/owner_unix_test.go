//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReplacedFilesKeepTheirOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	const uid, gid = 1234, 2345
	path := filepath.Join(t.TempDir(), "x.s")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, uid, gid); err != nil {
		t.Fatal(err)
	}
	c, err := prepareChange(path, []byte("old"), []byte("new"))
	if err != nil {
		t.Fatal(err)
	}
	if err := replaceAll([]change{c}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != uid || st.Gid != gid || info.Mode() != 0o640 {
		t.Errorf("owner %d:%d and mode %v, want %d:%d and 0640", st.Uid, st.Gid, info.Mode(), uid, gid)
	}
}
