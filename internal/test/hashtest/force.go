package hashtest

import (
	"slices"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// Force makes the named kernel, of whatever operation, "generic" or "x1_std" the
// only one in use until the test ends. It skips the test if this machine cannot
// run it, and fails it if something else would run in its place. No other test
// may run meanwhile.
func Force(t *testing.T, name string) {
	t.Helper()
	restore, ok := block.Force(name)
	if !ok {
		t.Skipf("this machine cannot run %s", name)
	}
	t.Cleanup(restore)
	if got := running(name); got != name {
		t.Fatalf("%s is forced, %q would run", name, got)
	}
}

// running returns what would do what the named kernel does, when there is
// enough of it to do.
func running(name string) string {
	operation := block.StreamOp // of "generic" and "x1_std"
	for _, k := range block.Catalog() {
		if k.Name == name {
			operation = k.Operation
		}
	}
	switch operation {
	case block.NodeOp:
		return lanes.NodeKernel()
	case block.SearchOp:
		if k := lanes.SearchKernel(); k != nil {
			return k.Name
		}
		return ""
	case block.WotsOp:
		if k := lanes.WotsKernel(); k != nil {
			return k.Name
		}
		return ""
	case block.ChainOp:
		return lanes.ChainKernel()
	}
	if many := lanes.StreamKernel(); many != "" {
		return many
	}
	return block.Single()
}

// ForEach runs f as a subtest with what this process selected, and then with
// each implementation of the compression function as the only one in use. What
// this machine cannot run is skipped. No other test may run meanwhile.
func ForEach(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	forEachOf(t, Implementations(block.MaxLanes), f)
}

// ForEachSingle is ForEach for what hashes one message at a time: it leaves out
// the kernels of several lanes, which have no part in that.
func ForEachSingle(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	forEachOf(t, Implementations(1), f)
}

// ForEachNode is ForEach for Merkle nodes: it has their kernels.
func ForEachNode(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	names := slices.Clone(plain)
	for _, k := range block.NodeKernels() {
		names = append(names, k.Name)
	}
	forEachOf(t, names, f)
}

// ForEachSearch is ForEach for nonces: it has the kernels that search them, and
// those for many messages.
func ForEachSearch(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	names := slices.Clone(plain)
	for _, k := range block.SearchKernels() {
		names = append(names, k.Name)
	}
	for _, k := range block.Kernels() {
		if k.Lanes > 1 {
			names = append(names, k.Name)
		}
	}
	forEachOf(t, names, f)
}

// ForEachChain is ForEach for chains of HMAC: it has the kernels that iterate them, and
// those for messages.
func ForEachChain(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	names := Implementations(block.MaxLanes)
	for _, k := range block.ChainKernels() {
		names = append(names, k.Name)
	}
	forEachOf(t, names, f)
}

// ForEachWots is ForEach for chains of WOTS+: it has the kernels that follow them, and
// those for messages.
func ForEachWots(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	names := Implementations(block.MaxLanes)
	for _, k := range block.WotsKernels() {
		names = append(names, k.Name)
	}
	forEachOf(t, names, f)
}

// forEachOf is ForEach for the kernels of some names.
func forEachOf(t *testing.T, names []string, f func(t *testing.T)) {
	t.Helper()
	t.Run("selected", f)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			Force(t, name)
			f(t)
		})
	}
}

// plain are the implementations other than kernels.
var plain = []string{"generic", "x1_std"}

// Implementations returns the names of the implementations of the compression
// function of up to maxLanes lanes, whether this machine can run them or not.
func Implementations(maxLanes int) []string {
	names := slices.Clone(plain)
	for _, k := range block.Kernels() {
		if k.Lanes <= maxLanes {
			names = append(names, k.Name)
		}
	}
	return names
}
