package sha256

import "testing"

// TestChainsAreCleared tests that no digest of a chain stays in the pool: it may be secret.
func TestChainsAreCleared(t *testing.T) {
	digests, steps := make([][Size]byte, 300), make([]int, 300)
	for i := range steps {
		digests[i], steps[i] = [Size]byte{1, byte(i)}, 2*i+1
	}
	for range 100 {
		stepInPasses(digests, func(i int) int { return steps[i] })
		used := passesPool.Get().(*passes)
		if used.chains == (passes{}).chains {
			continue // a new one: the pool has dropped the one that was used
		}
		if used.digests != (passes{}).digests {
			t.Errorf("digests of chains are left: %x", used.digests)
		}
		return
	}
	t.Fatal("the pool drops everything")
}

// TestStepsThatShrink has another goroutine lower the number of steps of a chain that has done
// more. The call ends.
func TestStepsThatShrink(t *testing.T) {
	calls := 0
	stepInPasses(make([][Size]byte, 2), func(int) int {
		if calls++; calls > 100 {
			t.Fatal("the chains go on")
		}
		if calls > 6 { // both have done two steps
			return 1
		}
		return 5
	})
}
