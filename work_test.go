package sha256

import (
	"hash"
	"os"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/guard"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
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

// TestScratchGoesBackUnused tests that what calls leave in the pool has no slot
// in use: kernels write to the states of slots that have no lane, too.
func TestScratchGoesBackUnused(t *testing.T) {
	const n = 45
	hs, data := make([]hash.Hash, n), make([][]byte, n)
	for i := range hs {
		hs[i], data[i] = New(), make([]byte, 300)
	}
	var unequal [][]byte
	for i := range data[6:] {
		unequal = append(unequal, data[i][:6*i])
	}
	dst := make([][Size]byte, n)
	for _, tt := range []struct {
		name string
		call func()
	}{
		{"SumMany", func() { SumMany(dst, data) }},
		{"SumMany of unequal lengths", func() { SumMany(dst[6:], unequal) }},
		{"WriteMany", func() { WriteMany(hs, data) }},
		{"WriteMany in blocks", func() { WriteMany(hs, data) }},
		{"WriteMany of unequal lengths", func() { WriteMany(hs[6:], unequal) }},
		{"SumHashes", func() { SumHashes(dst, hs) }},
	} {
		tt.call()
		g := lanes.Acquire() // of all that this P has pooled, the last one
		for i, s := range g.State {
			if s != g.State[0] || g.Next[i] != nil {
				t.Fatalf("%s: slot %d is in use", tt.name, i)
			}
		}
		g.Release()
	}
}
