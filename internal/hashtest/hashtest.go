// Package hashtest specifies hashes: the contract of [hash.Hash], what it takes
// to stand in for crypto/sha256, and both for each implementation that this
// machine can run. Only tests import it.
package hashtest

import (
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// Implementations returns the names of the implementations of the compression
// function of up to maxLanes lanes, whether this machine can run them or not.
func Implementations(maxLanes int) []string {
	names := []string{"generic", "x1_std"}
	for _, k := range block.Kernels() {
		if k.Lanes <= maxLanes {
			names = append(names, k.Name)
		}
	}
	return names
}

// ForEach runs f as a subtest with what this process selected, and then with
// each implementation of the compression function as the only one in use. What
// this machine cannot run is skipped. No other test may run meanwhile.
func ForEach(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	forEach(t, block.MaxLanes, f)
}

// ForEachSingle is ForEach for what hashes one message at a time: it leaves out
// the kernels of several lanes, which have no part in that.
func ForEachSingle(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	forEach(t, 1, f)
}

func forEach(t *testing.T, maxLanes int, f func(t *testing.T)) {
	t.Helper()
	t.Run("selected", f)
	for _, name := range Implementations(maxLanes) {
		t.Run(name, func(t *testing.T) {
			restore, ok := block.Force(name)
			if !ok {
				t.Skipf("this machine cannot run %s", name)
			}
			defer restore()
			f(t)
		})
	}
}
