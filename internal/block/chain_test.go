package block

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// differChains compares a chain kernel with the oracle: distinct chains in all lanes,
// iteration counts around the most that one call does, and guards right before or
// right after the chains.
func differChains(k ChainKernel) func(t *testing.T, r *rand.Rand, n int) {
	return func(t *testing.T, r *rand.Rand, n int) {
		words := k.word(k.Lanes-1, chainValues-1, 7) + 1
		// Lanes that the kernel does not have are behind the guard.
		memory := guard.New(t, 4*words)
		type chain struct{ inner, outer, u, sum State }
		var chains [MaxLanes]chain
		for i := range n {
			c := (*Chains)(unsafe.Pointer(&place(r, memory, 4*words)[0]))
			for lane := range k.Lanes {
				ch := chain{randomState(r), randomState(r), randomState(r), randomState(r)}
				chains[lane] = ch
				k.Set(c, lane, &ch.inner, &ch.outer, &ch.u, &ch.sum)
			}
			iterations := r.IntN(4)
			if i%101 == 0 {
				iterations = k.Max - 1 + r.IntN(3)
			}
			padding := []*[8]uint32{&KeyedPadding, &DigestPadding, {r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()}}[i%3]
			if err := guard.Faults(func() { k.Advance(c, iterations, padding) }); err != nil {
				t.Fatalf("case %d, %d iterations: %v", i, iterations, err)
			}
			for lane := range k.Lanes {
				ch := &chains[lane]
				for range iterations {
					oracleIteration(&ch.inner, &ch.outer, &ch.u, &ch.sum, padding)
				}
				var u, sum State
				k.Get(c, lane, &u, &sum)
				if u != ch.u || sum != ch.sum {
					t.Fatalf("case %d, %d iterations, lane %d: %08x and %08x, the oracle has %08x and %08x", i, iterations, lane, u, sum, ch.u, ch.sum)
				}
				for j := range u {
					if c[k.word(lane, chainInner, j)] != ch.inner[j] || c[k.word(lane, chainOuter, j)] != ch.outer[j] {
						t.Fatalf("case %d, %d iterations, lane %d: the key changed", i, iterations, lane)
					}
				}
			}
		}
	}
}

// oracleIteration does an iteration in plain Go.
func oracleIteration(inner, outer, u, sum *State, padding *[8]uint32) {
	for _, h := range []*State{inner, outer} {
		var p [Size]byte
		PutDigest((*[DigestSize]byte)(p[:]), u)
		for j, w := range padding {
			binary.BigEndian.PutUint32(p[DigestSize+4*j:], w)
		}
		*u = *h
		generic(u, &p[0], 1)
	}
	for j, w := range u {
		sum[j] ^= w
	}
}

// TestChainKernelsCover tests that no two words of chains are in one place.
func TestChainKernelsCover(t *testing.T) {
	for _, k := range ChainKernels() {
		seen := map[int]bool{}
		for lane := range k.Lanes {
			for value := range chainValues {
				for j := range 8 {
					seen[k.word(lane, value, j)] = true
				}
			}
		}
		if n := k.Lanes * chainValues * 8; len(seen) != n || !seen[0] || !seen[n-1] {
			t.Errorf("%s: %d places for %d words", k.Name, len(seen), n)
		}
	}
}
