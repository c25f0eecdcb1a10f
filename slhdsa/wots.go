package slhdsa

import (
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// WOTS+ of FIPS 205, section 5, for many chains side by side.

// lastStep is the number of steps from the beginning of a chain to its end: w - 1.
const lastStep = 15

// digits writes the digits of a message of n bytes, and of its checksum, to dst: for
// each chain the number of its steps.
func (p *params) digits(dst, message []byte) {
	checksum := 0
	for i, b := range message[:p.n] {
		dst[2*i], dst[2*i+1] = b>>4, b&15
		checksum += 2*lastStep - int(b>>4) - int(b&15)
	}
	end := dst[2*p.n:]
	end[0], end[1], end[2] = byte(checksum>>8), byte(checksum>>4)&15, byte(checksum)&15
}

// step advances the chains in the first n lanes. Lane i does s.steps[i] steps. The
// numbers of steps do not rise from lane to lane. Each block has the hash address of its
// first step.
func (s *scratch) step(n int) {
	s.one.Follow(s.steps[:n])
}

// A wotsKey is the part of a WOTS+ key that takes part in a signature.
type wotsKey struct {
	*seed
	adrs address // of type wotsHash
	// secret is SK.seed, from which the chains begin. If secret is nil, the chains go on
	// from the values in src.
	secret, src []byte
	dst         []byte // for the values at which the chains end
}

// A chain is a chain of a wotsKey.
type chain struct {
	key           uint16 // index in s.ends
	number        uint8
	start, length uint8
}

// addChains adds the chains of s.ends[key]. Chains that begin at SK.seed end at the
// digits of message. Other chains go on from these digits to the end.
func (s *scratch) addChains(key int, message []byte) {
	var digits [maxChains]byte
	k := &s.ends[key]
	k.digits(digits[:], message)
	for i, digit := range digits[:k.chains()] {
		c := chain{key: uint16(key), number: uint8(i), length: digit}
		if k.secret == nil {
			c.start, c.length = digit, lastStep-digit
		}
		s.chains = append(s.chains, c)
	}
}

// runChains runs all chains in s.chains, the longest first.
func (s *scratch) runChains() {
	var places [lastStep + 1]int
	for _, c := range s.chains {
		places[c.length]++
	}
	place := 0
	for length := lastStep; length >= 0; length-- {
		places[length], place = place, place+places[length]
	}
	s.sorted = grow(s.sorted, len(s.chains))
	for _, c := range s.chains {
		s.sorted[places[c.length]] = c
		places[c.length]++
	}
	for rest := s.sorted; len(rest) > 0; {
		n := min(len(rest), lanes.MaxOneBlock)
		s.runSorted(rest[:n])
		rest = rest[n:]
	}
}

// runSorted runs at most a chain for each lane. The lengths do not rise.
func (s *scratch) runSorted(chains []chain) {
	secrets := false
	for i, c := range chains {
		k, b := &s.ends[c.key], &s.one.Blocks[i]
		putBlock(b, &k.adrs, k.n)
		b[chainAt+3] = c.number
		s.one.From[i], s.one.Sizes[i] = &k.after256, uint8(k.n)
		s.steps[i] = c.length
		if k.secret != nil {
			secrets = true
			b[typeAt] = wotsPRF
			copy(b[messageAt:], k.secret)
		} else {
			b[hashAt+3] = c.start
			copy(b[messageAt:], k.src[int(c.number)*k.n:][:k.n])
		}
	}
	if secrets {
		s.one.Sum(len(chains))
		for i := range chains {
			s.one.Blocks[i][typeAt] = wotsHash
		}
	}
	s.step(len(chains))
	for i, c := range chains {
		k := &s.ends[c.key]
		copy(k.dst[int(c.number)*k.n:], s.value(i, k.seed))
	}
}

// leavesAtOnce is the number of WOTS+ public keys that are in memory at a time.
const leavesAtOnce = 32

// wotsLeaves writes n leaves of XMSS trees to dst: WOTS+ public keys. position returns
// the layer, the tree and the key pair of each.
func (s *scratch) wotsLeaves(dst []byte, n int, k *seed, secret []byte, position func(i int) (layer int, tree uint64, keyPair uint32)) {
	size := longSize(k.params, k.chains())
	s.keys = grow(s.keys, leavesAtOnce*size)
	s.useSeed(k, lanes.MaxOneBlock)
	for i := range s.steps {
		s.steps[i] = lastStep
	}
	for first := 0; first < n; first += leavesAtOnce {
		s.long = s.long[:0]
		lane := 0
		for i := range min(leavesAtOnce, n-first) {
			layer, tree, keyPair := position(first + i)
			a := newAddress(layer, tree, wotsPK, keyPair)
			key := s.keys[i*size:][:messageAt+k.chains()*k.n]
			copy(key, a[:])
			s.long = append(s.long, long{k, key, dst[(first+i)*k.n:]})

			a[typeAt] = wotsPRF
			for c := range k.chains() {
				if lane == lanes.MaxOneBlock {
					s.wholeChains(lane, k)
					lane = 0
				}
				b := &s.one.Blocks[lane]
				putBlock(b, &a, k.n)
				b[chainAt+3] = byte(c)
				copy(b[messageAt:], secret)
				s.dst[lane] = key[messageAt+c*k.n:]
				lane++
			}
		}
		s.wholeChains(lane, k)
		s.tweakLong()
	}
}

// wholeChains runs the chains in the first n lanes from SK.seed to their ends.
func (s *scratch) wholeChains(n int, k *seed) {
	s.one.Sum(n)
	for i := range s.one.Blocks[:n] {
		s.one.Blocks[i][typeAt] = wotsHash
	}
	s.step(n)
	for i := range n {
		copy(s.dst[i], s.value(i, k))
	}
}
