package file

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// A descriptor is waited for as long as somebody may give one back, who has the chance
// to, and not for ever.
func TestNoDescriptorLeft(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("descriptors do not run out")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	d := &Descriptors{Ctx: ctx}
	released := 0
	none := func() error { return syscall.EMFILE }
	if err := d.Wait(func() { released++ }, none); !errors.Is(err, syscall.EMFILE) || released == 0 || ctx.Err() != nil {
		t.Errorf("%v after %d calls, %v", err, released, ctx.Err())
	}
	// A file that could not be opened is held by nobody.
	if _, _, err := d.Open(filepath.Join(t.TempDir(), "missing"), func() {}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := d.Wait(func() {}, none); !errors.Is(err, syscall.EMFILE) || ctx.Err() != nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
	// Another is, until it is closed.
	f, _, err := d.Open("descriptors_test.go", func() {})
	if err != nil {
		t.Fatal(err)
	}
	tries := 0
	if err := d.Wait(func() {}, func() error {
		if tries++; tries == 200 {
			d.Close(f)
		}
		return syscall.ENFILE
	}); !errors.Is(err, syscall.ENFILE) || tries <= 200 || ctx.Err() != nil {
		t.Errorf("%v after %d tries, %v", err, tries, ctx.Err())
	}
}
