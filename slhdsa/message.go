package slhdsa

import (
	"crypto"
	"crypto/sha512"
	"encoding/binary"

	"fmt"
	"hash"

	_ "crypto/sha3" // for the pre-hash variants

	sha256 "github.com/sha256-simd/sha256-simd"
)

func newSHA512() hash.Hash { return sha512.New() }

// A content is M' of FIPS 205, section 10.2: a header, and the message or its digest.
type content struct{ header, body []byte }

// maxContext is the length of the longest context.
const maxContext = 255

// preHashes are the last numbers of the object identifiers of hash functions in NIST's
// arc hashAlgs.
var preHashes = map[crypto.Hash]byte{
	crypto.SHA256: 1, crypto.SHA384: 2, crypto.SHA512: 3, crypto.SHA224: 4,
	crypto.SHA512_224: 5, crypto.SHA512_256: 6,
	crypto.SHA3_224: 7, crypto.SHA3_256: 8, crypto.SHA3_384: 9, crypto.SHA3_512: 10,
}

// check returns what is wrong with o. A nil o is valid.
func (o *Options) check() error {
	if o == nil {
		return nil
	}
	if n := len(o.Context); n > maxContext {
		return fmt.Errorf("slhdsa: context of %d bytes; expected at most %d", n, maxContext)
	}
	if _, ok := preHashes[o.Hash]; o.Hash != 0 && !ok {
		return fmt.Errorf("slhdsa: no pre-hash variant with %v", o.Hash)
	}
	return nil
}

// message returns M' for a message m. o is valid or nil.
func (o *Options) message(m []byte) content {
	if o == nil {
		o = new(Options)
	}
	pre := byte(0)
	if o.Hash != 0 {
		pre = 1
	}
	header := append([]byte{pre, byte(len(o.Context))}, o.Context...)
	if o.Hash == 0 {
		return content{header, m}
	}
	header = append(header, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, preHashes[o.Hash])
	var h hash.Hash
	if o.Hash == crypto.SHA256 {
		h = sha256.New()
	} else {
		h = o.Hash.New()
	}
	h.Write(m)
	return content{header, h.Sum(nil)}
}

// large returns the hash of PRF_msg and H_msg: SHA-256 or SHA-512.
func (s *scratch) large(p *params) hash.Hash {
	if p.usesSHA512() {
		return s.sha512
	}
	return s.sha256
}

// randomizer writes R of a signature to dst: PRF_msg, which is HMAC.
func (s *scratch) randomizer(dst []byte, p *params, key, optRand []byte, m content) {
	h := s.large(p)
	var pad [sha512.BlockSize]byte
	inner := pad[:h.BlockSize()]
	defer clear(inner)
	copy(inner, key)
	for i := range inner {
		inner[i] ^= 0x36
	}
	h.Reset()
	h.Write(inner)
	h.Write(optRand)
	h.Write(m.header)
	h.Write(m.body)
	digest := h.Sum(s.digest[:0])
	for i := range inner {
		inner[i] ^= 0x36 ^ 0x5c
	}
	h.Reset()
	h.Write(inner)
	h.Write(digest)
	copy(dst[:p.n], h.Sum(s.digest[:0]))
}

// A place is the part of the hypertree that H_msg selects for a message.
type place struct {
	indices [maxTrees]int // of the leaves of FORS
	tree    uint64        // of the lowest layer
	leaf    uint32        // in that tree
}

// find returns the place of a message, from R and the public key.
func (s *scratch) find(p *params, r, public []byte, m content) (at place) {
	h := s.large(p)
	h.Reset()
	h.Write(r)
	h.Write(public)
	h.Write(m.header)
	h.Write(m.body)
	digest := h.Sum(s.digest[:0])
	return s.place(p, r, public, digest)
}

// place is the second part of H_msg: MGF1, and what its output says.
func (s *scratch) place(p *params, r, public, digest []byte) (at place) {
	h := s.large(p)
	var expanded [2 * sha512.Size]byte
	for i := range 2 { // the longest H_msg has 49 bytes
		h.Reset()
		h.Write(r)
		h.Write(public[:p.n])
		h.Write(digest)
		h.Write([]byte{0, 0, 0, byte(i)})
		h.Sum(expanded[i*h.Size():][:0])
	}
	rest := expanded[:]
	bits := 0
	acc := uint64(0)
	for i := range p.k {
		for bits < p.a {
			acc, bits = acc<<8|uint64(rest[0]), bits+8
			rest = rest[1:]
		}
		bits -= p.a
		at.indices[i] = int(acc>>bits) & (1<<p.a - 1)
	}
	number := func(bits int) uint64 {
		var word [8]byte
		n := (bits + 7) / 8
		copy(word[8-n:], rest)
		rest = rest[n:]
		return binary.BigEndian.Uint64(word[:]) & (1<<bits - 1)
	}
	at.tree = number(p.treeBits())
	at.leaf = uint32(number(p.height))
	return at
}

// layer returns the tree of a layer that a signature goes through, and the leaf in it.
func (at *place) layer(p *params, layer int) (tree uint64, leaf uint32) {
	if layer == 0 {
		return at.tree, at.leaf
	}
	below := at.tree >> ((layer - 1) * p.height)
	return below >> p.height, uint32(below & (1<<p.height - 1))
}
