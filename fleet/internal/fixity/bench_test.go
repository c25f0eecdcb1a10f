package fixity

import (
	"context"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
)

// BenchmarkGoroot reads the files of GOROOT, as a worker does.
func BenchmarkGoroot(b *testing.B) {
	var entries []list.Entry
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip(err)
	}
	err = filepath.WalkDir(strings.TrimSpace(string(root)), func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			entries = append(entries, list.Entry{Name: name})
		}
		return err
	})
	if err != nil {
		b.Skip(err)
	}
	c := newChecker(b, nil, nil)
	c.Readers = 64
	for b.Loop() {
		i := 0
		var bytes int64
		err := c.Run(context.Background(), func() (list.Entry, error) {
			if i == len(entries) {
				return list.Entry{}, io.EOF
			}
			i++
			return entries[i-1], nil
		}, func(r *Result) error {
			bytes += r.Size
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(bytes)
	}
}
