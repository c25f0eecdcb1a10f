//go:build unix

package file

import (
	"io"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A descriptor that does not block, as one that was inherited may, is waited for.
func TestReadOfWhatDoesNotBlock(t *testing.T) {
	var p [2]int
	if err := unix.Pipe(p[:]); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	if err := unix.SetNonblock(p[0], true); err != nil {
		t.Fatal(err)
	}
	go func() {
		time.Sleep(20 * time.Millisecond)
		unix.Write(p[1], []byte("late"))
		time.Sleep(20 * time.Millisecond)
		unix.Close(p[1])
	}()
	if got, err := io.ReadAll(File(p[0])); string(got) != "late" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
