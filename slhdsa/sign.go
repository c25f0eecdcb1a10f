package slhdsa

import (
	"crypto"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
)

// Options are the options of signing and verifying. The zero Options sign and verify as
// nil does: pure, hedged, without a context.
type Options struct {
	// Context is up to 255 bytes that say what a signature is for. Verify needs the same
	// context.
	Context []byte
	// Deterministic signs without randomness: the same message always has the same
	// signature. Hedged signatures, the default, resist faults and side channels better.
	Deterministic bool
	// Check verifies a signature before Sign returns it. A fault during signing can
	// yield a signature that reveals how to forge others.
	Check bool
	// Hash, if not 0, selects the pre-hash variant with this function, of SHA-2 or
	// SHA-3: Sign signs a digest of the message. Sign and Verify take the message
	// nevertheless. The variants do not verify each other's signatures. Two messages
	// with one digest share a signature. So for the full strength, the digest must be
	// twice as long as the security level: SHA-256 for sets with 128 bits, SHA-384 with
	// 192, SHA-512 with 256, or longer. Shorter ones are accepted, too.
	Hash crypto.Hash
}

// HashFunc returns 0, since Sign takes a message and not its digest. With it, Options
// are a [crypto.SignerOpts].
func (*Options) HashFunc() crypto.Hash { return 0 }

// Sign signs a whole message, not its digest, unlike other signers. opts is nil,
// [*Options], or any other value whose HashFunc is 0. Unless signing is deterministic,
// Sign reads 16, 24 or 32 bytes from rand: the security level in bytes. A nil rand means
// [crypto/rand.Reader].
//
// Sign may be called concurrently. It returns an error if the options are invalid, if
// rand fails, or if the root of a key of [NewPrivateKeyUnchecked] is wrong.
func (k *PrivateKey) Sign(rand io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	o, ok := opts.(*Options)
	if !ok && opts != nil && opts.HashFunc() != 0 {
		return nil, fmt.Errorf("slhdsa: sign: options for a digest of %v, but the key signs messages: pass *slhdsa.Options", opts.HashFunc())
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if k == nil || k.public.params == nil {
		return nil, errNoPrivateKey
	}
	optRand := k.public.bytes[:k.public.n]
	if o == nil || !o.Deterministic {
		var err error
		if optRand, err = readRandom(rand, k.public.n); err != nil {
			return nil, err
		}
		defer clear(optRand)
	}
	m := o.message(message)
	sig, err := k.sign(m, optRand)
	if err != nil {
		return nil, err
	}
	if o != nil && o.Check {
		var errs [1]error
		verifyAll([]*PublicKey{&k.public}, []content{m}, [][]byte{sig}, errs[:])
		if errs[0] != nil {
			return nil, errors.New("slhdsa: the signature made is invalid: a fault of the machine, or a wrong key")
		}
	}
	return sig, nil
}

// SignMessage is Sign. [crypto.SignMessage] calls it.
func (k *PrivateKey) SignMessage(rand io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	return k.Sign(rand, message, opts)
}

func readRandom(r io.Reader, n int) ([]byte, error) {
	if r == nil {
		r = rand.Reader
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, fmt.Errorf("slhdsa: read %d random bytes: %w", n, err)
	}
	return b, nil
}

// sign is slh_sign_internal of FIPS 205, section 9.2.
func (k *PrivateKey) sign(m content, optRand []byte) ([]byte, error) {
	if err := k.plant(); err != nil {
		return nil, err
	}
	s := acquire()
	defer s.release()
	p, seed := k.public.params, &k.public.seed
	sig := make([]byte, p.signatureSize())
	r := sig[:p.n]
	s.randomizer(r, p, k.secretPRF(), optRand, m)
	at := s.find(p, r, k.public.bytes, m)

	// What each layer signs: the public key of FORS, and the roots of the trees below.
	signed := make([]byte, p.d*p.n)
	fors, ht := sig[p.n:][:p.forsSize()], sig[p.n+p.forsSize():]
	s.signFORS(fors, signed, seed, k.secretSeed(), at.tree, at.leaf, at.indices[:p.k])
	s.signHypertree(ht, signed, k, &at)
	return sig, nil
}

// signHypertree writes the signatures of all layers to sig. signed has room for what each
// layer signs. Only the first value is set by the caller.
func (s *scratch) signHypertree(sig, signed []byte, k *PrivateKey, at *place) {
	p, seed := k.public.params, &k.public.seed
	size := p.xmssSize()
	path := func(layer int) []byte { return sig[layer*size+p.chains()*p.n:] }

	// The trees below the top, side by side, and the path in the top tree.
	f := newForest(seed, at)
	f.path = path
	copy(signed[p.n:], s.xmssRoots(f, p.d-1, at, k.secretSeed()))
	_, leaf := at.layer(p, p.d-1)
	k.top.copyPath(path(p.d-1), p, int(leaf))

	// The signatures of WOTS+, side by side.
	s.ends, s.chains = s.ends[:0], s.chains[:0]
	for layer := range p.d {
		tree, leaf := at.layer(p, layer)
		s.ends = append(s.ends, wotsKey{
			seed: seed, adrs: newAddress(layer, tree, wotsHash, leaf),
			secret: k.secretSeed(), dst: sig[layer*size:],
		})
		s.addChains(layer, signed[layer*p.n:])
	}
	s.runChains()
}

// newForest returns the forest of the trees of the hypertree that a signature goes
// through from a place on, one tree for each layer.
func newForest(k *seed, at *place) *forest {
	return &forest{
		seed: k, height: k.height,
		adrs: func(height, t int) address {
			up := k.height - height
			tree, _ := at.layer(k.params, t>>up)
			a := newAddress(t>>up, tree, treeNode, 0)
			setWord(a[:], heightAt, uint32(height))
			setWord(a[:], indexAt, uint32(t&(1<<up-1)))
			return a
		},
		leaf: func(layer int) int {
			_, leaf := at.layer(k.params, layer)
			return int(leaf)
		},
	}
}

// xmssRoots returns the roots of the first trees of a forest, in memory of s.
func (s *scratch) xmssRoots(f *forest, trees int, at *place, secret []byte) []byte {
	n := trees << f.height
	s.nodes = grow(s.nodes, n*f.n)
	s.wotsLeaves(s.nodes, n, f.seed, secret, func(i int) (layer int, tree uint64, keyPair uint32) {
		layer = i >> f.height
		tree, _ = at.layer(f.params, layer)
		return layer, tree, uint32(i & (1<<f.height - 1))
	})
	return s.reduce(f, s.nodes, 0, f.height, 0)
}

// A topTree is the tree of the highest layer: the nodes of each height, leaves first.
// It is the same for all signatures of a key.
type topTree [][]byte

// plantTop returns the top tree. Its last node is the root.
func (s *scratch) plantTop(k *seed, secret []byte) topTree {
	var top topTree
	f := &forest{
		seed: k, height: k.height,
		adrs: func(height, t int) address {
			a := newAddress(k.d-1, 0, treeNode, 0)
			setWord(a[:], heightAt, uint32(height))
			setWord(a[:], indexAt, uint32(t))
			return a
		},
		whole: func(_ int, nodes []byte) { top = append(top, append([]byte(nil), nodes...)) },
	}
	n := 1 << k.height
	s.nodes = grow(s.nodes, n*k.n)
	s.wotsLeaves(s.nodes, n, k, secret, func(i int) (layer int, tree uint64, keyPair uint32) {
		return k.d - 1, 0, uint32(i)
	})
	root := s.reduce(f, s.nodes, 0, k.height, 0)
	return append(top, append([]byte(nil), root...))
}

// copyPath writes the authentication path of a leaf to dst.
func (t topTree) copyPath(dst []byte, p *params, leaf int) {
	for height := range p.height {
		sibling := leaf>>height ^ 1
		copy(dst[height*p.n:], t[height][sibling*p.n:][:p.n])
	}
}
