package hashtest

import (
	"crypto/sha256"
	"crypto/sha512"
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

func TestStandardLibraryKeepsTheContracts(t *testing.T) {
	for _, mh := range []MakeHash{sha256.New, sha256.New224, sha512.New} {
		TestHash(t, WithClone(mh))
	}
	for _, mh := range []MakeHash{sha256.New, sha256.New224} {
		TestStandIn(t, WithClone(mh), mh)
	}
}

func TestForEachForcesEveryImplementation(t *testing.T) {
	before := block.Single()
	var single []string
	ForEach(t, func(*testing.T) { single = append(single, block.Single()) })
	if got := block.Single(); got != before {
		t.Errorf("ForEach leaves %s selected, not %s", got, before)
	}
	runs := 3 // selected, generic, x1_std
	for _, k := range block.Kernels() {
		if k.Supported {
			runs++
		}
	}
	if len(single) != runs {
		t.Errorf("%d implementations ran, want %d", len(single), runs)
	}
	if single[0] != before || single[1] != "generic" || single[2] != "x1_std" {
		t.Errorf("ran with %q", single)
	}
}
