package block

import (
	"encoding/binary"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/noescape"
)

// Wots has chains of WOTS+, as in SLH-DSA with SHA-256, one in each lane of a
// WotsKernel. Kernels read and write it; the values are secret.
type Wots [wotsWords * MaxWots]uint32

// MaxWots is the number of chains in a Wots.
const MaxWots = 128

// The values of a lane, in words. The generator has the same order.
const (
	wotsState = 0              // the midstate, as the registers of the SHA extensions have it: f, e, b, a, h, g, d, c
	wotsBlock = wotsState + 8  // the block without the digest
	wotsU     = wotsBlock + 16 // the digest so far
	wotsMask  = wotsU + 8      // of its words 4 to 7: which bits the block takes
	wotsWords = wotsMask + 4
)

// WotsAt is the offset of the digest in a block: behind an address, whose last two
// bytes count the steps.
const WotsAt = 22

// A WotsKernel is one way to follow chains of WOTS+ (FIPS 205, section 5), in Lanes
// chains side by side. A call does a step of up to Max groups of Lanes chains.
type WotsKernel struct{ Header }

// WotsKernels returns this architecture's WOTS kernels.
func WotsKernels() []WotsKernel {
	return ofOperation(WotsOp, func(h Header) WotsKernel { return WotsKernel{h} })
}

// Set makes a lane of c the chain with this midstate and block. The first size bytes of
// digests go into the block at WotsAt: 16, 24 or 32.
func (k *WotsKernel) Set(c *Wots, lane int, h *State, b *[Size]byte, size int) {
	words := (*[wotsWords]uint32)(c[lane*wotsWords:])
	state := (*[8]uint32)(words[wotsState:])
	state[0], state[1], state[2], state[3] = h[5], h[4], h[1], h[0]
	state[4], state[5], state[6], state[7] = h[7], h[6], h[3], h[2]
	rest := (*[16]uint32)(words[wotsBlock:])
	for i := range rest {
		rest[i] = binary.BigEndian.Uint32(b[4*i:])
	}
	u, mask := (*[8]uint32)(words[wotsU:]), (*[4]uint32)(words[wotsMask:])
	for i := range u {
		u[i] = binary.BigEndian.Uint32(b[WotsAt+4*i:])
	}
	rest[5] &= 0xffff0000
	rest[6], rest[7], rest[8] = 0, 0, 0
	*mask = [4]uint32{}
	switch size {
	case 16:
		rest[9] &= 0xffff
		return
	case 24:
		rest[9], rest[10] = 0, 0
		rest[11] &= 0xffff
	default:
		rest[9], rest[10], rest[11], rest[12] = 0, 0, 0, 0
		rest[13] &= 0xffff
		mask[2], mask[3] = ^uint32(0), ^uint32(0)
	}
	mask[0], mask[1] = ^uint32(0), ^uint32(0)
}

// Get writes to b the digest and the count of a lane of c, as the next step needs them.
func (k *WotsKernel) Get(c *Wots, lane int, b *[Size]byte, size int) {
	words := (*[wotsWords]uint32)(c[lane*wotsWords:])
	for i := range size / 4 {
		binary.BigEndian.PutUint32(b[WotsAt+4*i:], words[wotsU+i])
	}
	binary.BigEndian.PutUint16(b[WotsAt-2:], uint16(words[wotsBlock+WotsAt/4]>>16))
}

// Follow does n steps of the first `chains` chains of c. A step compresses the block
// into a copy of the midstate, writes the digest to the block, and adds 1 to the two
// bytes before the digest.
//
// Chains that complete the last group of Lanes are advanced, too.
func (k *WotsKernel) Follow(c *Wots, chains, n int) {
	groups := min((chains+k.Lanes-1)/k.Lanes, k.Max) // a Wots has no more
	for range n {
		follow(k.Name, (*uint32)(noescape.Pointer(unsafe.Pointer(c))), groups)
	}
}
