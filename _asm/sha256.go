package main

import (
	"math/big"
	"math/bits"
	"slices"
)

// The constants of FIPS 180-4 are the first bits of the fractional parts of
// roots of primes. They are computed here, not copied.

// primes returns the first n primes.
func primes(n int) []int64 {
	var ps []int64
next:
	for p := int64(2); len(ps) < n; p++ {
		for _, q := range ps {
			if p%q == 0 {
				continue next
			}
		}
		ps = append(ps, p)
	}
	return ps
}

// fractionOfSqrt returns the first 64 bits of the fractional part of √p.
func fractionOfSqrt(p int64) uint64 {
	x := new(big.Int).Lsh(big.NewInt(p), 128) // (√p · 2^64)²
	return new(big.Int).And(x.Sqrt(x), big.NewInt(0).SetUint64(1<<64-1)).Uint64()
}

// fractionOfCbrt returns the first 32 bits of the fractional part of ∛p.
func fractionOfCbrt(p int64) uint32 {
	x := new(big.Int).Lsh(big.NewInt(p), 96) // (∛p · 2^32)³
	lo, hi := big.NewInt(0), new(big.Int).Lsh(big.NewInt(p), 32)
	for one := big.NewInt(1); new(big.Int).Sub(hi, lo).Cmp(one) > 0; {
		mid := new(big.Int).Add(lo, hi)
		mid.Rsh(mid, 1)
		if cube := new(big.Int).Exp(mid, big.NewInt(3), nil); cube.Cmp(x) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return uint32(lo.Uint64())
}

// roundConstants is K of FIPS 180-4, section 4.2.2.
func roundConstants() (k [64]uint32) {
	for t, p := range primes(len(k)) {
		k[t] = fractionOfCbrt(p)
	}
	return k
}

// initialValues are H(0) of SHA-256 and SHA-224, sections 5.3.3 and 5.3.2.
func initialValues() (iv256, iv224 [8]uint32) {
	for i, p := range primes(16) {
		f := fractionOfSqrt(p)
		if i < 8 {
			iv256[i] = uint32(f >> 32)
		} else {
			iv224[i-8] = uint32(f)
		}
	}
	return iv256, iv224
}

// nodeConstants is K(t)+W(t) for the second block of a message of 64 bytes,
// which holds nothing but the padding of section 5.1.1.
func nodeConstants() [64]uint32 {
	w := [64]uint32{0: 1 << 31, 15: 64 * 8}
	for t := 16; t < len(w); t++ {
		w[t] = smallSigma1.of(w[t-2]) + w[t-7] + smallSigma0.of(w[t-15]) + w[t-16]
	}
	for t, k := range roundConstants() {
		w[t] += k
	}
	return w
}

// The rotations of section 4.1.2. The third of the small sigmas is a shift.
type sigma struct {
	rot   [3]uint64
	shift bool
}

var (
	bigSigma0   = sigma{rot: [3]uint64{2, 13, 22}}
	bigSigma1   = sigma{rot: [3]uint64{6, 11, 25}}
	smallSigma0 = sigma{rot: [3]uint64{7, 18, 3}, shift: true}
	smallSigma1 = sigma{rot: [3]uint64{17, 19, 10}, shift: true}
)

// of computes the function for a word.
func (s sigma) of(x uint32) uint32 {
	third := bits.RotateLeft32(x, -int(s.rot[2]))
	if s.shift {
		third = x >> s.rot[2]
	}
	return bits.RotateLeft32(x, -int(s.rot[0])) ^ bits.RotateLeft32(x, -int(s.rot[1])) ^ third
}

// right lists, in ascending order, the right shifts that make up s without
// rotations: x>>>n = x>>n ^ x<<(32-n).
func (s sigma) right() []uint64 {
	n := slices.Clone(s.rot[:])
	slices.Sort(n)
	return n
}

// left lists the left shifts, likewise.
func (s sigma) left() []uint64 {
	var n []uint64
	for i, r := range s.rot {
		if !s.shift || i < 2 {
			n = append(n, 32-r)
		}
	}
	slices.Sort(n)
	return n
}
