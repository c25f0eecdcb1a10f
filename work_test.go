package sha256

import (
	"hash"
	"os"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/guard"
)

// TestFaultLeavesNoHashWaiting tests that WriteMany hashes side by side again
// what it wrote to when memory could not be read.
func TestFaultLeavesNoHashWaiting(t *testing.T) {
	if !guard.Guarded {
		t.Skip("all memory can be read")
	}
	buf := guard.New(t, 5000).Bytes()
	broken := unsafe.Slice(unsafe.SliceData(buf), len(buf)+os.Getpagesize())
	for _, length := range []int{len(broken), 3000} { // of the others, alike or not
		hs, data := make([]hash.Hash, 40), make([][]byte, 40)
		for i := range hs {
			hs[i], data[i] = New(), make([]byte, length)
		}
		data[17] = broken
		if guard.Faults(func() { WriteMany(hs, data) }) == nil {
			t.Error("reading what cannot be read did not fault")
		}
		for i, h := range hs {
			if ours(h).waiting {
				t.Errorf("hash %d is still waiting", i)
			}
		}
	}
}
