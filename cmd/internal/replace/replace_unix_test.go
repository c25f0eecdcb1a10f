//go:build unix

package replace

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// asNobody is set in a process of another user, which replaces this file.
const asNobody = "REPLACE_TEST_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(asNobody); path != "" {
		if err := replaceFile(path); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// replaceFile puts an empty file in the place of another one.
func replaceFile(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "new")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := KeepRights(f, path); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func TestPermissionsStay(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o644, 0o664, 0o666, 0o604, 0o755, 0o400} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := replaceFile(path); err != nil {
			t.Fatal(err)
		}
		if got := permissions(t, path); got != mode {
			t.Errorf("%v became %v", mode, got)
		}
	}
}

func TestMissingFile(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "new")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := KeepRights(f, f.Name()+"x"); err == nil {
		t.Error("no error")
	}
}

// A user who may not keep the group must not give the own group its rights, nor
// what all others had to the members of the old one.
func TestAnotherUserGivesNoRightsAway(t *testing.T) {
	for _, tt := range []struct{ mode, want fs.FileMode }{
		{0o660, 0o600},
		{0o664, 0o644},
		{0o646, 0o644},
		{0o606, 0o600},
		{0o666, 0o666},
		{0o755, 0o755},
		{0o751, 0o711},
	} {
		path := fileOfAnother(t, tt.mode)
		replaceAsNobody(t, path)
		if got := permissions(t, path); got != tt.want {
			t.Errorf("%v became %v, want %v", tt.mode, got, tt.want)
		}
	}
}

const (
	nobody     = 65534
	otherGroup = 54321
)

// fileOfAnother returns a file that nobody may replace and whose group nobody is
// not in.
func fileOfAnother(t *testing.T, mode fs.FileMode) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	dir, err := os.MkdirTemp("", "replace")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "x")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Chown(path, -1, otherGroup), os.Chmod(path, mode), os.Chmod(dir, 0o777)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// replaceAsNobody has a process of another user replace the file.
func replaceAsNobody(t *testing.T, path string) {
	t.Helper()
	// The test's own program may lie where others must not look.
	program := filepath.Join(filepath.Dir(path), "program")
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), asNobody+"="+path)
	cmd.Dir = filepath.Dir(path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != nobody || st.Gid != nobody {
		t.Fatalf("the file was not replaced by another user: it is %d's and group %d's", st.Uid, st.Gid)
	}
}

func permissions(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}
