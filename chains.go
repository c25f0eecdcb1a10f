package sha256

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// SumChains follows hash chains: it replaces digests[i] with the digest of digests[i],
// steps[i] times, for every i. The numbers of steps may differ. SumChains follows the
// chains side by side on the calling goroutine. It starts no other goroutine, and once warm
// allocates nothing. If there are few chains with few steps, it follows them one after the
// other.
//
// SumChains panics, before it touches anything, if digests and steps differ in length or
// a number of steps is negative.
func SumChains[D ~[Size]byte](digests []D, steps []int) {
	sumChains(convert.Digests[[Size]byte](digests), steps)
}

func sumChains(digests [][Size]byte, steps []int) {
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
	if lanes.ChainsAreFew(steps) {
		for i, n := range steps {
			for range n {
				digests[i] = Sum256(digests[i][:])
			}
		}
		return
	}
	oddSteps(digests, steps)
	if !slices.ContainsFunc(steps, func(n int) bool { return n > 1 }) {
		return
	}
	iterations := func(i int) int { return steps[i] / 2 }
	lanes.RunChains(len(digests), &block.DigestPadding, iterations,
		func(ch *lanes.Chain, i int) {
			ch.Inner, ch.Outer, ch.Left = block.IV256, block.IV256, iterations(i)
			for j := range ch.U {
				ch.U[j] = binary.BigEndian.Uint32(digests[i][4*j:])
			}
		},
		func(ch *lanes.Chain, i int) { block.PutDigest(&digests[i], &ch.U) })
}

// oddDigests has memory for oddSteps. A local variable would escape to the heap at each
// call.
var oddDigests = sync.Pool{New: func() any { return new([block.MaxLanes][Size]byte) }}

// oddSteps does one step of each chain with an odd number of steps: an iteration of
// lanes.RunChains is two steps.
func oddSteps(digests [][Size]byte, steps []int) {
	odd := oddDigests.Get().(*[block.MaxLanes][Size]byte)
	var numbers [block.MaxLanes]int
	n := 0
	for i := range steps {
		if steps[i]%2 == 1 {
			odd[n], numbers[n] = digests[i], i
			n++
		}
		if n == len(odd) || i == len(steps)-1 {
			lanes.SumDigests(odd[:n], lanes.Prefix{H: block.IV256}, odd[:n])
			for j, number := range numbers[:n] {
				digests[number] = odd[j]
			}
			n = 0
		}
	}
	clear(odd[:]) // chains may be secret
	oddDigests.Put(odd)
}
