package crosscheck_test

import (
	"math"
	"math/rand/v2"
	"testing"
)

const (
	maxLeaves = 5000
	maxTrees  = 1000
)

// sizes returns numbers of leaves: 0 to 16, the most, and random ones whose
// logarithms are spread evenly.
func sizes(t *testing.T, r *rand.Rand) []int {
	n := maxTrees
	if testing.Short() {
		n /= 10
	}
	s := []int{maxLeaves, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097}
	for i := range 17 {
		s = append(s, i)
	}
	for len(s) < n {
		s = append(s, int(math.Exp(r.Float64()*math.Log(maxLeaves+1))))
	}
	t.Logf("%d trees", len(s))
	return s
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
