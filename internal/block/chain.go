package block

import (
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/noescape"
)

// Chains are chains of HMAC, one in each lane of a ChainKernel. A chain has four
// values: the states after a key's block of ipad and of opad, its last digest U, and
// the exclusive or of its digests. Kernels read and write them; they are secret.
//
// In memory, the words of a value are side by side. For a kernel with vectors, the same
// words of a group of lanes are side by side.
type Chains [chainValues * 8 * MaxLanes]uint32

// The values of a chain, eight words each. The generator has the same order.
const (
	chainInner = iota
	chainOuter
	chainU
	chainSum
	chainValues
)

// A ChainKernel is one way to iterate HMAC on its own digest, as PBKDF2 does, in Lanes
// chains side by side. It iterates SHA-256 alone, too: see DigestPadding.
type ChainKernel struct{ Header }

// The padding of the block that a digest begins: W[8] to W[15] of its message schedule.
var (
	// DigestPadding is for a message that is a digest alone. With IV256 as both states
	// of a chain, an iteration is then two steps of U ← SHA-256(U).
	DigestPadding = [8]uint32{1 << 31, 7: 8 * DigestSize}
	// KeyedPadding is for a digest behind the block of a key, as in HMAC.
	KeyedPadding = [8]uint32{1 << 31, 7: 8 * (Size + DigestSize)}
)

// ChainKernels returns this architecture's chain kernels.
func ChainKernels() []ChainKernel {
	return ofOperation(ChainOp, func(h Header) ChainKernel { return ChainKernel{h} })
}

// word returns the index of word j of a value.
func (k *ChainKernel) word(lane, value, j int) int {
	return ((lane/k.group*chainValues+value)*8+j)*k.group + lane%k.group
}

// Set makes a lane of c the chain with these states, digest and sum.
func (k *ChainKernel) Set(c *Chains, lane int, inner, outer, u, sum *State) {
	i := k.word(lane, 0, 0)
	for _, h := range [chainValues]*State{inner, outer, u, sum} {
		for _, w := range h {
			c[i] = w
			i += k.group
		}
	}
}

// Get reads u and sum of a lane of c.
func (k *ChainKernel) Get(c *Chains, lane int, u, sum *State) {
	i, toSum := k.word(lane, chainU, 0), (chainSum-chainU)*8*k.group
	for j := range u {
		u[j], sum[j] = c[i], c[i+toSum]
		i += k.group
	}
}

// Clear sets all lanes of k to zero.
func (k *ChainKernel) Clear(c *Chains) { clear(c[:k.Lanes*chainValues*8]) }

// Advance does n iterations of every chain of c: U ← HMAC(U), sum ← sum XOR U. An
// iteration is two blocks. The first begins with U, the second with the digest of the
// first; the padding follows in both.
func (k *ChainKernel) Advance(c *Chains, n int, padding *[8]uint32) {
	for ; n > 0; n -= k.Max {
		advance(k.Name, (*uint32)(noescape.Pointer(unsafe.Pointer(c))), min(n, k.Max), padding)
	}
}
