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
// chains side by side on the calling goroutine. It starts no other goroutine. Once its
// pools are filled, it allocates nothing. Where that is faster, it follows them one after
// the other.
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
	way, even := lanes.OneByOneWay, false
	if !block.UsesStd() {
		way, even = lanes.WayOfChains(steps)
	}
	switch {
	case way == lanes.OneByOneWay:
		for i, n := range steps {
			for range n {
				digests[i] = Sum256(digests[i][:])
			}
		}
		return
	case way == lanes.PassesWay && even:
		for part := range slices.Chunk(digests, chunk) {
			for range steps[0] {
				lanes.SumDigests(part, lanes.Prefix{H: block.IV256}, part)
			}
		}
		return
	case way == lanes.PassesWay:
		stepInPasses(digests, func(i int) int { return steps[i] })
		return
	}
	// An iteration of lanes.RunChains is two steps.
	stepInPasses(digests, func(i int) int { return steps[i] % 2 })
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

// At most chunk chains with equal steps advance together: their digests stay in the
// first-level cache.
const chunk = 512

// passes is memory for stepInPasses. A local variable would escape to the heap at each
// call.
type passes struct {
	digests [256][Size]byte
	chains  [256]int // the numbers of their chains
}

var passesPool = sync.Pool{New: func() any { return new(passes) }}

// stepInPasses does steps(i) steps of chain i, for every i. Up to 256 chains advance
// together. In a pass, each of them that has steps left does one.
func stepInPasses(digests [][Size]byte, steps func(i int) int) {
	r := passesPool.Get().(*passes)
	n, most := 0, 0
	for i := range digests {
		if steps(i) > 0 {
			r.digests[n], r.chains[n] = digests[i], i
			n++
			most = max(most, n)
		}
		if n < len(r.digests) && i < len(digests)-1 {
			continue
		}
		for done := 1; n > 0; done++ {
			lanes.SumDigests(r.digests[:n], lanes.Prefix{H: block.IV256}, r.digests[:n])
			left := 0
			for j, chain := range r.chains[:n] {
				if steps(chain) <= done { // less if another goroutine has changed it
					digests[chain] = r.digests[j]
				} else {
					r.digests[left], r.chains[left] = r.digests[j], chain
					left++
				}
			}
			n = left
		}
	}
	clear(r.digests[:most]) // chains may be secret; see SECURITY.md for where digests remain
	passesPool.Put(r)
}
