package slhdsa

import "github.com/sha256-simd/sha256-simd/internal/lanes"

// FORS of FIPS 205, section 8: k trees side by side. The leaves of all these trees have
// consecutive numbers.

const (
	// forsWindow is the number of leaves that are in memory at a time, a power of
	// two.
	forsWindow = 512
	// forsLow is the height up to which each window is reduced by itself, with lanes for
	// SHA-256. At this height a window has few nodes left. Above this height all windows
	// are reduced together.
	forsLow = 6
)

// signFORS writes the signature of FORS to sig: for each tree the secret value of the
// leaf that indices selects, and its authentication path. The leaf keyPair of the XMSS
// tree `tree` signs the public key of FORS. signFORS writes that key to pk.
func (s *scratch) signFORS(sig, pk []byte, k *seed, secret []byte, tree uint64, keyPair uint32, indices []int) {
	prf := newAddress(0, tree, forsPRF, keyPair)
	node := newAddress(0, tree, forsTree, keyPair)
	part := (1 + k.a) * k.n
	s.useSeed(k, lanes.MaxOneBlock)
	for i, index := range indices {
		s.putSecret(i, k, &prf, secret, i<<k.a+index)
	}
	s.one.Sum(len(indices))
	for i := range indices {
		copy(sig[i*part:], s.value(i, k))
	}

	f := &forest{
		seed: k, height: k.a,
		adrs: func(height, t int) address {
			a := node
			setWord(a[:], heightAt, uint32(height))
			setWord(a[:], indexAt, uint32(t))
			return a
		},
		leaf: func(i int) int { return indices[i] },
		path: func(i int) []byte { return sig[i*part+k.n:] },
	}
	leaves := k.k << k.a
	low := min(k.a, forsLow)
	left := leaves >> low // nodes of that height
	s.nodes = grow(s.nodes, (left+forsWindow)*k.n)
	window, roots := s.nodes[left*k.n:], s.nodes[:left*k.n]
	for first := 0; first < leaves; first += forsWindow {
		nodes := window[:min(forsWindow, leaves-first)*k.n]
		s.forsLeaves(nodes, first, k, &prf, secret)
		nodes = s.reduce(f, nodes, 0, low, first)
		copy(roots[first>>low*k.n:], nodes)
	}
	roots = s.reduce(f, roots, low, k.a, 0)
	s.forsKey(k, tree, keyPair, pk, longSize(k.params, k.k), 0)
	copy(s.long[0].message[messageAt:], roots)
	s.tweakLong()
}

// putSecret fills the block in a lane with the message from which PRF makes the secret
// value of a leaf.
func (s *scratch) putSecret(lane int, k *seed, prf *address, secret []byte, leaf int) {
	b := &s.one.Blocks[lane]
	putBlock(b, prf, k.n)
	setWord(b[:], indexAt, uint32(leaf))
	copy(b[messageAt:], secret)
}

// forsLeaves writes leaves, from number first on, to nodes.
func (s *scratch) forsLeaves(nodes []byte, first int, k *seed, prf *address, secret []byte) {
	s.useSeed(k, lanes.MaxOneBlock)
	for n := len(nodes) / k.n; n > 0; {
		live := min(n, lanes.MaxOneBlock)
		for i := range live {
			s.putSecret(i, k, prf, secret, first+i)
		}
		s.one.Sum(live)
		for i := range live {
			s.one.Blocks[i][typeAt] = forsTree
		}
		s.one.Sum(live)
		for i := range live {
			copy(nodes[i*k.n:], s.value(i, k))
		}
		nodes, first, n = nodes[live*k.n:], first+live, n-live
	}
}

// forsKey sets s.long to n+1 messages. The last message, in s.keys at n·size,
// has room for the roots of FORS. Its hash value, the public key, goes to pk.
func (s *scratch) forsKey(k *seed, tree uint64, keyPair uint32, pk []byte, size, n int) {
	s.keys = grow(s.keys, (n+1)*size)
	a := newAddress(0, tree, forsRoots, keyPair)
	message := s.keys[n*size:][:messageAt+k.k*k.n]
	copy(message, a[:])
	s.long = append(s.long[:n], long{k, message, pk})
}
