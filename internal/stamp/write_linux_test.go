package stamp

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// A write that is under way has ended when Settle returns, though it began before the
// times settled: half of it is not read.
func TestSettleWaitsForTheEndOfAWrite(t *testing.T) {
	const size = 32 << 20
	name := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	byteAt := func(offset int64) byte {
		var b [1]byte
		if _, err := f.ReadAt(b[:], offset); err != nil {
			t.Error(err)
		}
		return b[0]
	}
	contents := make([]byte, size)
	if _, err := f.WriteAt(contents, 0); err != nil {
		t.Fatal(err)
	}
	recent := time.Now().Add(-settled).UnixNano()
	seen := 0
	for i := byte(1); i <= 20 && seen < 3; i++ {
		contents = bytes.Repeat([]byte{i}, size)
		var writer sync.WaitGroup
		writer.Go(func() {
			if _, err := f.WriteAt(contents, 0); err != nil {
				t.Error(err)
			}
		})
		for byteAt(0) != i && !t.Failed() {
			time.Sleep(10 * time.Microsecond)
		}
		if byteAt(size-1) != i {
			seen++
			if err := (Stamp{Modified: recent, Changed: recent}).Settle(t.Context(), f.Fd(), 0); err != nil {
				t.Error(err)
			}
			if byteAt(size-1) != i {
				t.Error("half of a write can be read")
			}
		}
		writer.Wait()
	}
	if seen == 0 {
		t.Skip("no write was seen under way")
	}
}
