package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestInWorkspace tests a workspace in which a module is not used, and another has a
// workspace of its own, as fleet does.
func TestInWorkspace(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	t.Setenv("GOWORK", "")
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.work":          "go 1.25.0\n\nuse (\n\t.\n\t./used\n)\n",
		"go.mod":           "module a.example\n\ngo 1.25.0\n",
		"used/go.mod":      "module a.example/used\n\ngo 1.25.0\n",
		"b/outside/go.mod": "module a.example/b/outside\n\ngo 1.25.0\n",
		"separate/go.mod":  "module a.example/separate\n\ngo 1.25.0\n",
		"separate/go.work": "go 1.25.0\n\nuse .\n",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for module, want := range map[string]bool{"": true, "used": true, "b/outside": false, "separate": true} {
		got, err := inWorkspace(t.Context(), filepath.Join(root, module))
		if got != want || err != nil {
			t.Errorf("%q: %v, %v", module, got, err)
		}
	}
	if _, err := inWorkspace(t.Context(), filepath.Join(root, "none")); err == nil {
		t.Error("no error of a folder that is not there")
	}
}
