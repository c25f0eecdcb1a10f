package block

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// generic is the oracle: FIPS 180-4, section 6.2.2, as it is written there.
// Every other kernel must agree with it.
func generic(h *State, p *byte, n int) {
	for m := unsafe.Slice(p, n*Size); len(m) > 0; m = m[Size:] {
		compressBlock(h, (*[Size]byte)(m))
	}
}

func compressBlock(h *State, m *[Size]byte) {
	var w [64]uint32
	schedule(&w, m)
	a, b, c, d, e, f, g, hh := h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]
	for t := range 64 {
		t1 := hh + bigSigma1(e) + ch(e, f, g) + k[t] + w[t]
		t2 := bigSigma0(a) + maj(a, b, c)
		hh, g, f, e, d, c, b, a = g, f, e, d+t1, c, b, a, t1+t2
	}

	h[0] += a
	h[1] += b
	h[2] += c
	h[3] += d
	h[4] += e
	h[5] += f
	h[6] += g
	h[7] += hh
}

// schedule computes the message schedule of the block m.
func schedule(w *[64]uint32, m *[Size]byte) {
	for t := range 16 {
		w[t] = binary.BigEndian.Uint32(m[4*t:])
	}
	for t := 16; t < 64; t++ {
		w[t] = smallSigma1(w[t-2]) + w[t-7] + smallSigma0(w[t-15]) + w[t-16]
	}
}

// The functions of FIPS 180-4, section 4.1.2.

func rotr(x uint32, n int) uint32 { return bits.RotateLeft32(x, -n) }

func ch(x, y, z uint32) uint32  { return x&y ^ ^x&z }
func maj(x, y, z uint32) uint32 { return x&y ^ x&z ^ y&z }

func bigSigma0(x uint32) uint32   { return rotr(x, 2) ^ rotr(x, 13) ^ rotr(x, 22) }
func bigSigma1(x uint32) uint32   { return rotr(x, 6) ^ rotr(x, 11) ^ rotr(x, 25) }
func smallSigma0(x uint32) uint32 { return rotr(x, 7) ^ rotr(x, 18) ^ x>>3 }
func smallSigma1(x uint32) uint32 { return rotr(x, 17) ^ rotr(x, 19) ^ x>>10 }
