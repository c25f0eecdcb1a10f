// Package block holds the kernels of SHA-256: implementations of the compression function
// of FIPS 180-4, section 6.2.2, over one stream of blocks or over several side by side. It
// also pads messages (Pad, Finish, PadShort) and stores digests. It has no policy and
// starts no goroutine; hashing allocates nothing. The choice of kernels and lanes belongs
// to its callers.
//
// Kernels are named lanes_isa: x1_shani compresses one stream with the SHA
// extensions, x32_avx512 compresses 32 with AVX-512. Kernels for other
// operations carry a prefix: node_x8_avx2 hashes 64-byte Merkle nodes,
// search_x32_avx512 searches nonces, chain_x4_shani iterates HMAC.
package block

import (
	"encoding/binary"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/race"
)

const (
	// Size is the length of a block in bytes.
	Size = 64
	// DigestSize is the length of a SHA-256 digest in bytes.
	DigestSize = 32
	// MaxLanes is the largest number of lanes of any kernel.
	MaxLanes = 32
	// MaxPlain is the largest number of blocks that one call compresses without a
	// kernel, by crypto/sha256 or plain Go.
	MaxPlain = 1024
	// MaxTail is the largest number of bytes that Pad writes.
	MaxTail = 2 * Size
)

// A State is the hash value H of FIPS 180-4 between two blocks.
type State = [8]uint32

// The initial hash values of SHA-256 and SHA-224 (FIPS 180-4, section 5.3).
var (
	IV256 = iv256
	IV224 = iv224
)

// Compress updates h with the blocks in p, whose length is a multiple of Size, by the
// fastest one-stream kernel in use. It is small enough to be inlined: where many hashes get
// short writes, each further call costs about 1 ns a block.
func Compress(h *State, p []byte) {
	race.Read(p)
	compress(inUse.Load(), h, unsafe.SliceData(p), len(p)/Size)
}

// CompressAtOnce is Compress, but if reading p faults, h stays as it was.
func CompressAtOnce(h *State, p []byte) {
	n := len(p) / Size
	if c := inUse.Load(); n == 1 || c != nil && c.atOnce && n <= c.maxStream {
		Compress(h, p)
		return
	}
	during := *h
	Compress(&during, p)
	*h = during
}

// compressParts handles the calls that compress does not: calls without blocks, calls with
// more than maxStream blocks, and calls before the first choice.
func compressParts(h *State, p *byte, n int) {
	c := current()
	for n > c.maxStream {
		compress(c, h, p, c.maxStream)
		p = Advance(p, c.maxStream)
		n -= c.maxStream
	}
	if n > 0 {
		compress(c, h, p, n)
	}
}

// Pad writes the end of a message of `length` bytes (modulo 2^61) to tail. The end is rest,
// the bytes after the last whole block, and the padding of FIPS 180-4, section 5.1.1. Pad
// returns the length of the end, one block or two. rest must not overlap tail.
func Pad(tail *[MaxTail]byte, rest []byte, length uint64) int {
	end := Size
	*(*[Size]byte)(tail[:]) = [Size]byte{}
	if len(rest) > maxRest {
		*(*[Size]byte)(tail[Size:]) = [Size]byte{}
		end = MaxTail
	}
	padZeros(tail[:end], rest, length)
	return end
}

// maxRest is the largest number of bytes that fit into one block with their padding.
const maxRest = Size - 8 - 1

// padZeros writes rest and its padding to tail. tail is all zeros. It has one block if rest has at
// most maxRest bytes, else two.
//
// On 64-bit ports, the last store to each 8-byte word of tail covers the whole word. So
// store-to-load forwarding can serve a kernel that loads one word at a time. The length is stored
// first: stored last, it costs 6 ns where rest has fewer than 8 bytes (Granite Rapids).
func padZeros(tail, rest []byte, length uint64) {
	putLength(tail, length)
	n, i := len(rest), 0
	for ; i+16 <= n; i += 16 {
		*(*[16]byte)(tail[i:]) = [16]byte(rest[i:])
	}
	if i+8 <= n {
		*(*[8]byte)(tail[i:]) = [8]byte(rest[i:])
		i += 8
	}
	// The last word of rest is partial. If rest has at least 8 bytes, the bytes of that
	// word are the upper ones of the last 8 bytes.
	partial := n - i
	word := uint64(0x80) << (8 * partial)
	if i > 0 {
		word |= binary.LittleEndian.Uint64(rest[n-8:]) >> (64 - 8*partial)
	} else {
		for j, b := range rest {
			word |= uint64(b) << (8 * j)
		}
	}
	binary.LittleEndian.PutUint64(tail[i:], word)
}

// PadInPlace is Pad for a tail that begins with the rest, followed by zeros up to the end of
// the block.
func PadInPlace(tail *[MaxTail]byte, length uint64) int {
	n, end := int(length%Size), Size
	if n > maxRest {
		*(*[Size]byte)(tail[Size:]) = [Size]byte{}
		end = MaxTail
	}
	word := tail[n&^7:][:8]
	binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|0x80<<(8*(n%8)))
	putLength(tail[:end], length)
	return end
}

// putLength stores the length of the message in bits in the last 8 bytes of tail, where the padding
// ends. `length` is in bytes.
func putLength(tail []byte, length uint64) {
	binary.BigEndian.PutUint64(tail[len(tail)-8:], length<<3)
}

// PaddedBlocks returns the number of blocks of a padded message of n bytes.
func PaddedBlocks(n int) int { return int(uint(n+8+Size) / Size) }

// PutDigest writes h to dst in the byte order of digests.
func PutDigest(dst *[DigestSize]byte, h *State) {
	binary.BigEndian.PutUint64(dst[0:], uint64(h[0])<<32|uint64(h[1]))
	binary.BigEndian.PutUint64(dst[8:], uint64(h[2])<<32|uint64(h[3]))
	binary.BigEndian.PutUint64(dst[16:], uint64(h[4])<<32|uint64(h[5]))
	binary.BigEndian.PutUint64(dst[24:], uint64(h[6])<<32|uint64(h[7]))
}

// CompressLane does the work of Compress, with the signature of Kernel.Blocks and one lane.
// Plans give each call at most as many blocks as Max of the one-stream kernel in use. If no
// such kernel is in use, the limit is MaxPlain.
func CompressLane(states **State, data **byte, ring, first, at, slice, turns int) {
	c := current()
	single(func(h *State, p *byte, n int) { compress(c, h, p, n) })(states, data, ring, first, at, slice, turns)
}

// Advance moves p by n blocks, within the memory that it points into.
func Advance(p *byte, n int) *byte {
	return (*byte)(unsafe.Add(unsafe.Pointer(p), n*Size))
}
