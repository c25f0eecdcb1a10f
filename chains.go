package sha256

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// SumChains follows hash chains: it replaces digests[i] with the digest of digests[i],
// steps[i] times, for every i. The numbers of steps may differ. SumChains follows the
// chains side by side on the calling goroutine. It starts no other goroutine, and once
// warm allocates nothing. Chains of two or three steps gain little.
//
// SumChains panics, before it touches anything, if digests and steps differ in length or
// a number of steps is negative.
func SumChains(digests [][Size]byte, steps []int) {
	if len(steps) != len(digests) {
		panic(fmt.Sprintf("sha256: SumChains: %d digests and %d numbers of steps", len(digests), len(steps)))
	}
	for i, n := range steps {
		if n < 0 {
			panic(fmt.Sprintf("sha256: SumChains: chain %d has %d steps; expected 0 or more", i, n))
		}
	}
	if block.UsesStd() {
		for i, n := range steps {
			for range n {
				digests[i] = Sum256(digests[i][:])
			}
		}
		return
	}
	oddSteps(digests, steps)
	lanes.RunChains(len(digests), &block.DigestPadding,
		func(ch *lanes.Chain, i int) {
			ch.Inner, ch.Outer, ch.Left = block.IV256, block.IV256, steps[i]/2
			for j := range ch.U {
				ch.U[j] = binary.BigEndian.Uint32(digests[i][4*j:])
			}
		},
		func(ch *lanes.Chain, i int) { block.PutDigest(&digests[i], &ch.U) })
}

// oddSteps does one step of each chain with an odd number of steps: an iteration of
// lanes.RunChains is two. Neighbours run side by side.
func oddSteps(digests [][Size]byte, steps []int) {
	for i := 0; i < len(steps); i++ {
		first := i
		for i < len(steps) && steps[i]%2 == 1 {
			i++
		}
		if n := i - first; n > 0 {
			rows := Rows{Data: unsafe.Slice(&digests[first][0], n*Size), Size: Size, Stride: Size}
			sumStride(rows, nil, rows, n)
		}
	}
}
