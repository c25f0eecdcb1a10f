package block

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/test/guard"
)

// differSearch compares a search kernel with the oracle: the lowest digit at
// every place of a block, with and without a block that follows, as many
// groups as one call takes, and a limit that is the word of one of the nonces,
// in every lane, so that it decides which batch is the first with a hit.
func differSearch(k SearchKernel) func(t *testing.T, r *rand.Rand, n int) {
	return func(t *testing.T, r *rand.Rand, n int) {
		memory := guard.New(t, int(unsafe.Sizeof(Nonces{})))
		for i := range n {
			c := (*Nonces)(unsafe.Pointer(&place(r, memory, int(unsafe.Sizeof(Nonces{})))[0]))
			m := searchMessage{h: randomState(r), last: i % Size, nonce: r.Uint64()}
			randomBytes(r, m.block[:])
			if r.IntN(2) == 0 {
				m.more = new([Size]byte)
				randomBytes(r, m.more[:])
			}
			groups := 1 + r.IntN(4)
			if i%101 == 0 {
				groups = k.Max
			}
			c.Reset(&m.h, &m.block, m.last, m.more, 0)
			groups = min(groups, max(1, 1<<(4*c.Digits())/k.Lanes))
			m.nonce &^= uint64(groups*k.Lanes - 1)
			if r.IntN(8) == 0 { // the last of their range
				m.nonce |= 1<<(4*c.Digits()) - 1
				m.nonce -= uint64(min(groups*k.Lanes, 1<<(4*c.Digits())) - 1)
			}
			m.nonce &^= uint64(k.Lanes - 1)

			words := make([]uint32, min(groups*k.Lanes, 1<<(4*c.Digits())))
			for j := range words {
				words[j] = m.word(m.nonce + uint64(j))
			}
			limit := words[i%len(words)]
			if r.IntN(4) == 0 {
				limit--
			}
			var wantHits uint32
			wantLeft := 0
			for j, w := range words {
				if w <= limit && (wantHits == 0 || groups-j/k.Lanes == wantLeft) {
					wantHits |= 1 << (j % k.Lanes)
					wantLeft = groups - j/k.Lanes
				}
			}

			c.Reset(&m.h, &m.block, m.last, m.more, limit)
			before := bytes.Clone(memory.Bytes())
			var hits uint32
			var left int
			if err := guard.Faults(func() { hits, left = k.Search(c, uint32(m.nonce), groups) }); err != nil {
				t.Fatalf("case %d, %v: %v", i, m, err)
			}

			if len(words) < k.Lanes {
				hits &= 1<<len(words) - 1
				if hits == 0 {
					left = 0
				}
			}
			if hits != wantHits || left != wantLeft {
				t.Fatalf("case %d, %v, %d groups: hits %#x with %d left, want %#x with %d", i, m, groups, hits, left, wantHits, wantLeft)
			}
			if !bytes.Equal(memory.Bytes(), before) {
				t.Fatalf("case %d, %v: memory changed", i, m)
			}
		}
	}
}

// A searchMessage is what Nonces.Reset is given, and a nonce.
type searchMessage struct {
	h     State
	block [Size]byte
	last  int
	more  *[Size]byte
	nonce uint64
}

func (m searchMessage) String() string {
	return fmt.Sprintf("last digit at %d, nonce %#x, second block %v", m.last, m.nonce, m.more != nil)
}

// word returns the first word of the digest for nonce n, by the oracle.
func (m searchMessage) word(n uint64) uint32 {
	digits := fmt.Sprintf("%016x", n)
	first := max(m.last-15, m.last&^3-4, 0)
	copy(m.block[first:m.last+1], digits[15-m.last+first:])
	generic(&m.h, &m.block[0], 1)
	if m.more != nil {
		generic(&m.h, &m.more[0], 1)
	}
	return m.h[0]
}

// TestNoncesDescribeTheirMessages reads Nonces as search kernels do, in plain Go: for each
// place of the lowest digit, with and without a block that follows, for nonces that have
// each digit at each place that may differ. Kernels use different fields, and no machine
// runs all kernels.
func TestNoncesDescribeTheirMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for last := range Size {
		for _, more := range []bool{false, true} {
			m := searchMessage{h: randomState(r), last: last}
			randomBytes(r, m.block[:])
			if more {
				m.more = new([Size]byte)
				randomBytes(r, m.more[:])
			}
			high := r.Uint64() &^ 0xffffffff // the digits that do not differ
			digits := []byte(fmt.Sprintf("%016x", high))
			first := max(0, last-15)
			copy(m.block[first:last+1], digits[15-last+first:])
			var c Nonces
			c.Reset(&m.h, &m.block, m.last, m.more, 0x12345678)
			if c.limit != 0x12345678^1<<31 || (c.more != 0) != more {
				t.Fatalf("%v: the limit is %#x, a block follows: %d", m, c.limit, c.more)
			}
			nonces := []uint64{high, high | (1<<(4*c.Digits()) - 1)}
			for place := range c.Digits() {
				for digit := range uint64(16) {
					nonces = append(nonces, high|digit<<(4*place))
				}
			}
			for _, n := range nonces {
				want := m.word(n)
				for name, got := range map[string]uint32{"vars": c.byVars(n), "quad": c.byQuad(n), "high and low": c.byTable(n)} {
					if got != want {
						t.Fatalf("%v, nonce %#x, by %s: the digest begins with %08x, want %08x", m, n, name, got, want)
					}
				}
			}
		}
	}
}

// place puts the two words that differ, as one number, into the block.
func (c *Nonces) place(words uint64) (w [16]uint32) {
	w = c.w
	w[c.first], w[c.first+1] = uint32(words>>32), uint32(words)
	return w
}

// words are the two words that differ, for nonce n.
func (c *Nonces) words(n uint64) uint64 {
	var digits uint64 // the eight lowest
	for i := range 8 {
		digits |= uint64(hexDigits[n>>(4*i)&15]) << (8 * i)
	}
	return c.digits + digits<<c.shift
}

// schedule is the message schedule: the words that differ, and what c has of the others.
func (c *Nonces) schedule(words uint64) (w [64]uint32) {
	begin := c.place(words)
	copy(w[:], begin[:])
	terms := uint64(c.terms[0]) | uint64(c.terms[1])<<32
	for t := 16; t < 32; t++ {
		w[t] = c.c[t-16]
		for i, term := range [4]uint32{w[t-16], smallSigma0(w[t-15]), w[t-7], smallSigma1(w[t-2])} {
			if terms>>(4*(t-16)+i)&1 == 1 {
				w[t] += term
			}
		}
	}
	for t := 32; t < 64; t++ {
		w[t] = w[t-16] + smallSigma0(w[t-15]) + w[t-7] + smallSigma1(w[t-2])
	}
	return w
}

// finish does the rounds from round t on, and those of the block that follows.
func (c *Nonces) finish(v State, w [64]uint32, t int) uint32 {
	rounds := func(v *State, kw func(t int) uint32, t int) {
		for ; t < 64; t++ {
			t1 := v[7] + bigSigma1(v[4]) + ch(v[4], v[5], v[6]) + kw(t)
			t2 := bigSigma0(v[0]) + maj(v[0], v[1], v[2])
			*v = State{t1 + t2, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]}
		}
	}
	rounds(&v, func(t int) uint32 { return k[t] + w[t] }, t)
	for i := range v {
		v[i] += c.h[i]
	}
	if c.more == 0 {
		return v[0] - c.h[0] + c.base ^ 1<<31
	}
	h := v
	rounds(&v, func(t int) uint32 { return c.kw2[t] }, 0)
	return v[0] + h[0]
}

// byVars begins behind round first, without W[first] and with K[first+1].
func (c *Nonces) byVars(n uint64) uint32 {
	w := c.schedule(c.words(n))
	var v State
	for i := range v {
		v[i] = c.vars[(i-int(c.first)-1)&7]
	}
	v[0] += w[c.first]
	v[4] += w[c.first]
	v[7] -= k[c.first+1]
	return c.finish(v, w, int(c.first)+1)
}

// byQuad begins with the group of four rounds in which words differ.
func (c *Nonces) byQuad(n uint64) uint32 {
	w := c.schedule(c.words(n))
	for t := range 16 {
		if c.kw[t] != k[t]+c.w[t] {
			return 0
		}
	}
	return c.finish(c.quad, w, int(c.first)&^3)
}

// byTable takes the words of the first of 32 nonces, and adds what the table has.
func (c *Nonces) byTable(n uint64) uint32 {
	words, i := c.words(n&^31), n%32
	if c.Digits() == 1 { // the table has the second digit, which this block lacks
		words, i = c.words(n&^15), n%16
	}
	words = uint64(uint32(words>>32)+c.high[i])<<32 | uint64(uint32(words)+c.low[i])
	v := c.h
	return c.finish(v, c.schedule(words), 0)
}
