package hashtree_test

import (
	"testing"

	"github.com/sha256-simd/sha256-simd/hashtree"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

func TestHashAllocatesNothing(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	n := testing.AllocsPerRun(100, func() {
		var digests [25][32]byte
		var nodes [50][32]byte
		hashtree.Hash(digests[:], nodes[:])
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
	n = testing.AllocsPerRun(100, func() {
		var digests [25]root
		var nodes [50]root
		hashtree.Hash(digests[:], nodes[:])
	})
	if n > 0 {
		t.Errorf("of a named type: %v allocations", n)
	}
}

func TestRootAllocatesLittle(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	leaves := chunks(2048)
	root := func() { hashtree.Root(leaves, 1<<40) }
	root()
	if n := testing.AllocsPerRun(100, root); n > 0 {
		t.Errorf("%v allocations for %d leaves", n, len(leaves))
	}
}
