package output

import (
	"os"
	"path/filepath"
	"testing"
)

// A short file that is copied in the place of a longer one is all of it then.
func TestCopyFileLeavesNoRest(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for name, contents := range map[string]string{from: "short", to: "a longer text"} {
		if err := os.WriteFile(name, []byte(contents), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := copyFile(to, from); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(to); err != nil || string(got) != "short" {
		t.Errorf("%q, %v", got, err)
	}
}
