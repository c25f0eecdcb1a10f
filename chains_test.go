package sha256_test

import (
	stdsha256 "crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// chainEnds returns the ends of the chains, in the simplest way.
func chainEnds(digests [][sha256.Size]byte, steps []int) [][sha256.Size]byte {
	ends := slices.Clone(digests)
	for i, n := range steps {
		for range n {
			ends[i] = stdsha256.Sum256(ends[i][:])
		}
	}
	return ends
}

func TestSumChains(t *testing.T) {
	lengths := []struct {
		name  string
		steps func(i int) int
	}{
		{"no steps", func(int) int { return 0 }},
		{"one step", func(int) int { return 1 }},
		{"two steps", func(int) int { return 2 }},
		{"an odd number", func(int) int { return 33 }},
		{"an even number", func(int) int { return 34 }},
		{"odd and even in turn", func(i int) int { return 4 + i%2 }},
		{"three odd, one even", func(i int) int { return 5 + i%4/3 }},
		{"growing from none", func(i int) int { return i }},
		{"falling to none", func(i int) int { return max(0, 2*maxTestLanes-i) }},
		{"one long", func(i int) int { return 2 + max(0, 2000*(1-i)) }},
		{"one very long", func(i int) int { return i%3 + max(0, 4100*(1-i)) }},
	}
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 5, 8, 17, maxTestLanes, 2*maxTestLanes + 1} {
			for _, tt := range lengths {
				digests, steps := make([][sha256.Size]byte, n), make([]int, n)
				for i := range digests {
					digests[i] = stdsha256.Sum256([]byte{byte(i), byte(n)})
					steps[i] = tt.steps(i)
				}
				want := chainEnds(digests, steps)
				sha256.SumChains(digests, steps)
				if !slices.Equal(digests, want) {
					t.Fatalf("%d chains, %s: %x, want %x", n, tt.name, digests, want)
				}
			}
		}
	})
}

// TestSumChainsOfManyLists has more chains than one list of a round holds.
func TestSumChainsOfManyLists(t *testing.T) {
	hashtest.ForEach(t, func(t *testing.T) {
		for _, n := range []int{255, 256, 257, 512, 600} {
			for _, most := range []int{1, 2, 5} {
				digests, steps := make([][sha256.Size]byte, n), make([]int, n)
				for i := range digests {
					digests[i], steps[i] = stdsha256.Sum256([]byte{byte(i), byte(i >> 8)}), i%(most+1)
				}
				want := chainEnds(digests, steps)
				if sha256.SumChains(digests, steps); !slices.Equal(digests, want) {
					t.Fatalf("%d chains of up to %d steps: wrong digests", n, most)
				}
			}
		}
	})
}

// A call that panics has touched nothing.
func TestSumChainsPanics(t *testing.T) {
	for _, tt := range []struct {
		steps []int
		want  string
	}{
		{nil, "3 digests and 0 numbers of steps"},
		{[]int{1, 2}, "3 digests and 2 numbers of steps"},
		{[]int{1, 2, 3, 4}, "3 digests and 4 numbers of steps"},
		{[]int{1, 2, -1}, "chain 2 has -1 steps; expected 0 or more"},
	} {
		digests := make([][sha256.Size]byte, 3)
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasSuffix(got, "SumChains: "+tt.want) {
					t.Errorf("%v: panic %q, want %q", tt.steps, got, tt.want)
				}
			}()
			sha256.SumChains(digests, tt.steps)
		}()
		if !slices.Equal(digests, make([][sha256.Size]byte, 3)) {
			t.Errorf("%v: the digests changed", tt.steps)
		}
	}
}

func TestSumChainsNil(t *testing.T) { sha256.SumChains([][32]byte(nil), nil) }
