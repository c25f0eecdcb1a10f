package block

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// differWots compares a WOTS kernel with the oracle: distinct chains in all lanes, with
// digests of each size, counts that overflow, and guards right before or right after
// the chains.
func differWots(k WotsKernel) func(t *testing.T, r *rand.Rand, n int) {
	return func(t *testing.T, r *rand.Rand, n int) {
		const most = 3 // groups
		memory := guard.New(t, 4*most*k.Lanes*wotsWords)
		var midstates [MaxWots]State
		var blocks [MaxWots][Size]byte
		var sizes [MaxWots]int
		for i := range n {
			chains := r.IntN(most*k.Lanes + 1)
			lanes := (chains + k.Lanes - 1) / k.Lanes * k.Lanes
			// The chains behind are behind the guard.
			words := max(1, lanes*wotsWords)
			c := (*Wots)(unsafe.Pointer(&place(r, memory, 4*words)[0]))
			for lane := range lanes {
				midstates[lane], sizes[lane] = randomState(r), 16+8*r.IntN(3)
				b := &blocks[lane]
				for j := range b {
					b[j] = byte(r.Uint32())
				}
				if r.IntN(8) == 0 {
					b[WotsAt-2], b[WotsAt-1] = 0xff, 0xff
				}
				k.Set(c, lane, &midstates[lane], b, sizes[lane])
			}
			steps := r.IntN(4)
			if err := guard.Faults(func() { k.Follow(c, chains, steps) }); err != nil {
				t.Fatalf("case %d, %d chains, %d steps: %v", i, chains, steps, err)
			}
			for lane := range lanes {
				got := blocks[lane]
				k.Get(c, lane, &got, sizes[lane])
				want := blocks[lane]
				for range steps {
					oracleStep(&midstates[lane], &want, sizes[lane])
				}
				if got != want {
					t.Fatalf("case %d, %d steps, lane %d, %d bytes: %x, the oracle has %x", i, steps, lane, sizes[lane], got, want)
				}
			}
		}
	}
}

// oracleStep does a step in plain Go.
func oracleStep(midstate *State, b *[Size]byte, size int) {
	h := *midstate
	generic(&h, &b[0], 1)
	var digest [DigestSize]byte
	PutDigest(&digest, &h)
	copy(b[WotsAt:], digest[:size])
	count := b[WotsAt-2 : WotsAt]
	binary.BigEndian.PutUint16(count, binary.BigEndian.Uint16(count)+1)
}
