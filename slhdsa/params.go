package slhdsa

import (
	"encoding/asn1"
	"fmt"
)

// A ParameterSet is one of the sets of FIPS 205, section 11, that use SHA-2. The number in
// its name is the security level in bits. Sets with an s have small signatures, sets with
// an f sign fast. The zero ParameterSet is invalid.
type ParameterSet uint8

// The parameter sets.
const (
	SHA2_128s ParameterSet = 1 + iota // signatures of 7,856 bytes
	SHA2_128f                         // signatures of 17,088 bytes
	SHA2_192s                         // signatures of 16,224 bytes
	SHA2_192f                         // signatures of 35,664 bytes
	SHA2_256s                         // signatures of 29,792 bytes
	SHA2_256f                         // signatures of 49,856 bytes
)

// String returns the name in FIPS 205, such as SLH-DSA-SHA2-128s.
func (s ParameterSet) String() string {
	if p := s.params(); p != nil {
		return p.name
	}
	return fmt.Sprintf("slhdsa.ParameterSet(%d)", uint8(s))
}

// PublicKeySize returns the length of a public key in bytes, or 0 if s is invalid.
func (s ParameterSet) PublicKeySize() int {
	if p := s.params(); p != nil {
		return 2 * p.n
	}
	return 0
}

// PrivateKeySize returns the length of a private key in bytes, or 0 if s is invalid.
func (s ParameterSet) PrivateKeySize() int { return 2 * s.PublicKeySize() }

// SignatureSize returns the length of a signature in bytes, or 0 if s is invalid.
func (s ParameterSet) SignatureSize() int {
	if p := s.params(); p != nil {
		return p.signatureSize()
	}
	return 0
}

// params are the parameters of a set, called as in table 2 of FIPS 205.
type params struct {
	set    ParameterSet
	name   string
	n      int // bytes of a hash value
	d      int // layers of the hypertree
	height int // of its trees: h' in FIPS 205
	a      int // height of the trees of FORS
	k      int // number of the trees of FORS
	oid    asn1.ObjectIdentifier
}

// sets are the parameter sets; the index is the ParameterSet less 1. The object
// identifiers are in RFC 9909, section 3.
var sets = [...]params{
	{SHA2_128s, "SLH-DSA-SHA2-128s", 16, 7, 9, 12, 14, oid(20)},
	{SHA2_128f, "SLH-DSA-SHA2-128f", 16, 22, 3, 6, 33, oid(21)},
	{SHA2_192s, "SLH-DSA-SHA2-192s", 24, 7, 9, 14, 17, oid(22)},
	{SHA2_192f, "SLH-DSA-SHA2-192f", 24, 22, 3, 8, 33, oid(23)},
	{SHA2_256s, "SLH-DSA-SHA2-256s", 32, 8, 8, 14, 22, oid(24)},
	{SHA2_256f, "SLH-DSA-SHA2-256f", 32, 17, 4, 9, 35, oid(25)},
}

// oid returns an object identifier of the arc sigAlgs of NIST.
func oid(last int) asn1.ObjectIdentifier {
	return asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 3, last}
}

// The largest values of any set.
const (
	maxN      = 32
	maxChains = 2*maxN + 3
	maxTrees  = 35 // of FORS
)

// params returns the parameters of s, or nil if s is invalid.
func (s ParameterSet) params() *params {
	if s < 1 || int(s) > len(sets) {
		return nil
	}
	return &sets[s-1]
}

// chains returns the number of chains of a WOTS+ key: len in FIPS 205. A chain has 16
// values: lg_w is 4.
func (p *params) chains() int { return 2*p.n + 3 }

// The parts of a signature: R, the signature of FORS, and one of XMSS for each layer.
func (p *params) forsSize() int      { return p.k * (1 + p.a) * p.n }
func (p *params) xmssSize() int      { return (p.chains() + p.height) * p.n }
func (p *params) signatureSize() int { return p.n + p.forsSize() + p.d*p.xmssSize() }

// treeBits returns the number of bits that select a tree of the lowest layer.
func (p *params) treeBits() int { return (p.d - 1) * p.height }

// usesSHA512 reports whether H, T, H_msg and PRF_msg are made of SHA-512.
func (p *params) usesSHA512() bool { return p.n > 16 }
