package block

import (
	"encoding/binary"
)

// Nonces describes to search kernels the messages that end with consecutive nonces,
// written as 16 lower-case hexadecimal digits. All but the lowest few digits are the
// same. Go computes once what does not depend on the lowest digits: the rounds of the
// words before them, and a part of the message schedule. The kernels compute the rest
// for every nonce.
//
// The digits that differ are in the two words W[first] and W[first+1] of one
// block, or in W[0] alone. Hits are the nonces whose digest begins with a word
// of at most the limit.
//
// Kernels read it; the assembly gets its layout from here when it is generated.
type Nonces struct {
	// digits is W[first] and W[first+1] as one number, with zeros for the digits
	// that differ. Kernels add the eight lowest digits of a nonce, shifted left by
	// `shift` bits.
	digits uint64
	shift  uint32
	first  uint32
	// more is not zero if a block follows, the same for all nonces: kw2.
	more uint32
	// base is h[0], and limit is the largest first word of a hit. Both have the
	// highest bit inverted, so that a signed comparison gives the result of an
	// unsigned one.
	base, limit uint32
	// vars are the working variables after round `first`. W[first] is not added yet
	// to a and e; K[first+1] is added to h already. Variable i is in element
	// (i-first-1) mod 8. This is the order in round first+1 of a kernel that begins
	// a block with a, b, … h in the registers 0 to 7 and renames them in each
	// round.
	vars [8]uint32
	// quad are the working variables a, b, … h before round first &^ 3.
	quad [8]uint32
	h    [8]uint32 // the hash value before the block
	// w is the block, with zeros for W[first] and W[first+1]. kw[t] is K[t] + w[t].
	w, kw [16]uint32
	// c[t-16] is, for t from 16 to 31, the sum of the terms of W[t] that are the
	// same for all nonces. If all terms are the same, it is W[t].
	c [16]uint32
	// terms says which terms are not in c. Its two words are one number. Bit
	// 4·(t-16)+i is set if term i of W[t] is not in c. Terms 0 to 3 are W[t-16],
	// σ0(W[t-15]), W[t-7] and σ1(W[t-2]).
	terms [2]uint32
	// kw2 is K[t] + W[t] of the block that follows.
	kw2 [64]uint32
	// high[i] and low[i] are, for nonce i of 32 nonces that begin with a multiple
	// of 32, the numbers that its digits add to W[first] and W[first+1] beyond the
	// digits of nonce 0.
	high, low [32]uint32
}

// Reset makes c describe the messages whose hash value before the block p is h. The
// lowest digit of the nonce is at p[last]. The higher digits are before it or, if p has
// no room for them, in the block before p. If more is not nil, the block `more` follows
// p. limit is the largest first word of a digest that is a hit.
//
// The bytes of p for the digits that differ, the last Digits() up to p[last],
// are of no importance.
func (c *Nonces) Reset(h *State, p *[Size]byte, last int, more *[Size]byte, limit uint32) {
	first := max(last/4-1, 0)
	c.first = uint32(first)
	c.shift = uint32(8 * (4*first + 7 - last))
	c.h = *h
	c.base, c.limit = h[0]^1<<31, limit^1<<31

	for t := range c.w {
		c.w[t] = binary.BigEndian.Uint32(p[4*t:])
	}
	// The digits that differ begin with W[first] and are followed by shift bits.
	c.digits = (uint64(c.w[first])<<32 | uint64(c.w[first+1])) & (1<<c.shift - 1)
	c.w[first], c.w[first+1] = 0, 0
	for t := range c.kw {
		c.kw[t] = k[t] + c.w[t]
	}

	c.fixedRounds(first)
	c.fixedSchedule(first)
	for i := range c.high {
		digits := (uint64(hexDigits[i%16]-'0') + uint64(i/16)<<8) << c.shift
		c.high[i], c.low[i] = uint32(digits>>32), uint32(digits)
	}
	c.more = 0
	if more != nil {
		c.more = 1
		schedule(&c.kw2, more)
		for t := range c.kw2 {
			c.kw2[t] += k[t]
		}
	}
}

const hexDigits = "0123456789abcdef"

// fixedRounds does the rounds before the first word that differs, and the part
// of that word's round that is the same for all nonces.
func (c *Nonces) fixedRounds(first int) {
	a, b, cc, d, e, f, g, h := c.h[0], c.h[1], c.h[2], c.h[3], c.h[4], c.h[5], c.h[6], c.h[7]
	for t := range first + 1 {
		if t == first&^3 {
			c.quad = State{a, b, cc, d, e, f, g, h}
		}
		t1 := h + bigSigma1(e) + ch(e, f, g) + c.kw[t]
		t2 := bigSigma0(a) + maj(a, b, cc)
		h, g, f, e, d, cc, b, a = g, f, e, d+t1, cc, b, a, t1+t2
	}
	for i, v := range [8]uint32{a, b, cc, d, e, f, g, h + k[first+1]} {
		c.vars[(i-first-1)&7] = v
	}
}

// fixedSchedule sets c.c and c.terms. Words that differ count as 0 in c.c; so do
// then the small sigmas of them.
func (c *Nonces) fixedSchedule(first int) {
	var w [32]uint32
	var differs [32]bool
	copy(w[:], c.w[:])
	differs[first], differs[first+1] = true, true
	c.terms = [2]uint32{}
	for t := range c.c {
		c.c[t] = w[t] + smallSigma0(w[t+1]) + w[t+9] + smallSigma1(w[t+14])
		for i, d := range [4]bool{differs[t], differs[t+1], differs[t+9], differs[t+14]} {
			if d {
				differs[t+16] = true
				c.terms[t/8] |= 1 << (4*(t%8) + i)
			}
		}
		if !differs[t+16] {
			w[t+16] = c.c[t]
		}
	}
}

// Digits returns the number of lowest digits that may differ among the nonces of one
// call of a kernel: 5 to 8, or 1 to 4 if the block has no more digits.
func (c *Nonces) Digits() int { return 8 - int(c.shift)/8 }

// A SearchKernel is one way to compute the first words of the digests of consecutive
// nonces, Lanes at a time.
type SearchKernel struct{ Header }

// Search tries groups of Lanes nonces until a group has a hit. The first nonce has the
// lowest eight digits n, a multiple of Lanes. Bit i of hits is set if nonce i of the
// last group is a hit. left is the number of groups that were left, the last group
// included. Without a hit both are 0.
//
// Only the last c.Digits() digits count up. If they overflow within a group, the
// further nonces are not the numbers that their positions say.
func (k *SearchKernel) Search(c *Nonces, n uint32, groups int) (hits uint32, left int) {
	return search(k.Name, c, n, groups)
}

// SearchKernels returns this architecture's search kernels.
func SearchKernels() []SearchKernel {
	return ofOperation(SearchOp, func(h Header) SearchKernel { return SearchKernel{h} })
}
