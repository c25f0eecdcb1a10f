package main

import "math/big"

// FIPS 180-4, sections 4.1.2, 4.2.2, 5.3.3 and 6.2.2, word for word, over the words
// of this program.

type (
	state [8]word
	block [16]word
)

// The first 32 bits of the fractional parts of the cube roots of the first 64
// primes, and of the square roots of the first 8.
var (
	roundConstants [64]uint32
	initialHash    [8]uint32
)

func init() {
	i := 0
	for p := int64(2); i < 64; p++ {
		if !big.NewInt(p).ProbablyPrime(10) {
			continue
		}
		root := func(k int64) uint32 { // the integer part of 2^32 times the kth root
			x := new(big.Int).Lsh(big.NewInt(p), uint(32*k))
			lo, hi := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), 48)
			for new(big.Int).Sub(hi, lo).Cmp(big.NewInt(1)) > 0 {
				mid := new(big.Int).Rsh(new(big.Int).Add(lo, hi), 1)
				if new(big.Int).Exp(mid, big.NewInt(k), nil).Cmp(x) <= 0 {
					lo = mid
				} else {
					hi = mid
				}
			}
			return uint32(lo.Uint64())
		}
		roundConstants[i] = root(3)
		if i < 8 {
			initialHash[i] = root(2)
		}
		i++
	}
}

func ch(x, y, z word) word  { return xor(and(x, y), and(not(x), z)) }
func maj(x, y, z word) word { return xor(xor(and(x, y), and(x, z)), and(y, z)) }

func bigSigma0(x word) word {
	return xor(xor(rotateRight(x, 2), rotateRight(x, 13)), rotateRight(x, 22))
}
func bigSigma1(x word) word {
	return xor(xor(rotateRight(x, 6), rotateRight(x, 11)), rotateRight(x, 25))
}
func smallSigma0(x word) word {
	return orNamed("σ0", x, func() word { return xor(xor(rotateRight(x, 7), rotateRight(x, 18)), shiftRight(x, 3)) })
}
func smallSigma1(x word) word {
	return orNamed("σ1", x, func() word { return xor(xor(rotateRight(x, 17), rotateRight(x, 19)), shiftRight(x, 10)) })
}

// orNamed is f(), a function of x. If a bit of f() depends on more than 6 bits, orNamed is a name for
// it. Padding leads to such x: where the other three terms of W(t) are zeros, W(t) is σ1(W(t-2)), and
// bits of σ1(W(t)) depend on up to 9.
func orNamed(name string, x word, f func() word) (r word) {
	why, is := refused(func() { r = f() })
	if is && why.why != "a Boolean function of more than 6 bits" {
		panic(why)
	}
	if is {
		r = result(name, x, 0)
	}
	return r
}

// schedule is the message schedule W of a block.
func schedule(m block) (w [64]word) {
	copy(w[:], m[:])
	for t := 16; t < 64; t++ {
		w[t] = sum(smallSigma1(w[t-2]), w[t-7], smallSigma0(w[t-15]), w[t-16])
	}
	return w
}

// compress is the hash value after a block.
func compress(h state, m block) state {
	w := schedule(m)
	v := h // a to h
	for t := range 64 {
		t1 := sum(v[7], bigSigma1(v[4]), ch(v[4], v[5], v[6]), constant(roundConstants[t]), w[t])
		t2 := add(bigSigma0(v[0]), maj(v[0], v[1], v[2]))
		v = state{add(t1, t2), v[0], v[1], v[2], add(v[3], t1), v[4], v[5], v[6]}
	}
	for i := range h {
		h[i] = add(h[i], v[i])
	}
	return h
}

func initialState() (h state) {
	for i := range h {
		h[i] = constant(initialHash[i])
	}
	return h
}

// padding is the second block of a message of 64 bytes.
func padding() (p block) {
	for i := range p {
		p[i] = constant(0)
	}
	p[0], p[15] = constant(1<<31), constant(512)
	return p
}
