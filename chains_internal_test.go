package sha256

import "testing"

// TestChainsAreCleared tests that no digest of a chain stays in the pool: it may be secret.
func TestChainsAreCleared(t *testing.T) {
	digests, steps := make([][Size]byte, 300), make([]int, 300)
	for i := range steps {
		digests[i], steps[i] = [Size]byte{1, byte(i)}, 2*i+1
	}
	SumChains(digests, steps)
	used := passesPool.Get().(*passes) // the one that was used, unless the pool dropped it
	defer passesPool.Put(used)
	if used.digests != (passes{}).digests {
		t.Errorf("digests of chains are left: %x", used.digests)
	}
}
