package slhdsa

import (
	"bytes"
	"encoding/asn1"
	"errors"
	"fmt"
)

// Keys in the structures of RFC 9909: the bytes of FIPS 205, without further wrapping.
// The algorithm has no parameters. Its identifier is that of the pure variant. A key is not
// bound to a variant: Options.Hash chooses one for each signature.

type algorithm struct {
	OID        asn1.ObjectIdentifier
	Parameters asn1.RawValue `asn1:"optional"`
}

type subjectPublicKeyInfo struct {
	Algorithm algorithm
	PublicKey asn1.BitString
}

type oneAsymmetricKey struct {
	Version    int
	Algorithm  algorithm
	PrivateKey []byte
	Attributes asn1.RawValue  `asn1:"optional,tag:0"`
	PublicKey  asn1.BitString `asn1:"optional,tag:1"`
}

// MarshalPKIXPublicKey returns a key in the DER form of SubjectPublicKeyInfo, as RFC
// 9909 defines it, with the identifier of the pure variant. In PEM it is a block of type
// PUBLIC KEY.
func MarshalPKIXPublicKey(k *PublicKey) ([]byte, error) {
	if k == nil || k.params == nil {
		return nil, errNoPublicKey
	}
	return asn1.Marshal(subjectPublicKeyInfo{algorithm{OID: k.oid}, asn1.BitString{Bytes: k.bytes, BitLength: 8 * len(k.bytes)}})
}

// ParsePKIXPublicKey returns the key in the DER form of SubjectPublicKeyInfo. It takes what
// MarshalPKIXPublicKey returns, and nothing else: no identifiers of pre-hash variants.
func ParsePKIXPublicKey(der []byte) (*PublicKey, error) {
	var info subjectPublicKeyInfo
	set, err := parse(der, &info, &info.Algorithm)
	if err != nil {
		return nil, fmt.Errorf("slhdsa: parse a public key: %w", err)
	}
	if info.PublicKey.BitLength%8 != 0 {
		return nil, fmt.Errorf("slhdsa: parse a public key: %d bits are not whole bytes", info.PublicKey.BitLength)
	}
	k, err := NewPublicKey(set, info.PublicKey.Bytes)
	if err != nil {
		return nil, err
	}
	// asn1.Unmarshal skips what a structure has beyond its fields.
	if again, err := MarshalPKIXPublicKey(k); err != nil || !bytes.Equal(again, der) {
		return nil, errors.New("slhdsa: parse a public key: not the DER form of SubjectPublicKeyInfo")
	}
	return k, nil
}

// MarshalPKCS8PrivateKey returns a key in the DER form of PKCS #8, as RFC 9909 defines
// it, with the identifier of the pure variant. In PEM it is a block of type PRIVATE KEY.
func MarshalPKCS8PrivateKey(k *PrivateKey) ([]byte, error) {
	if k == nil || k.public.params == nil {
		return nil, errNoPrivateKey
	}
	key := k.Bytes()
	defer clear(key)
	// Without the fields that few programs read.
	return asn1.Marshal(struct {
		Version    int
		Algorithm  algorithm
		PrivateKey []byte
	}{0, algorithm{OID: k.public.oid}, key})
}

// ParsePKCS8PrivateKey returns the key in the DER form of PKCS #8. It checks the key as
// [NewPrivateKey] does. If the structure has a public key, it checks that too.
func ParsePKCS8PrivateKey(der []byte) (*PrivateKey, error) {
	var info oneAsymmetricKey
	defer func() { clear(info.PrivateKey) }()
	set, err := parse(der, &info, &info.Algorithm)
	if err == nil && info.Version != 0 && info.Version != 1 {
		err = fmt.Errorf("version %d, 0 and 1 are known", info.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("slhdsa: parse a private key: %w", err)
	}
	k, err := NewPrivateKey(set, info.PrivateKey)
	if err != nil {
		return nil, err
	}
	if n := info.PublicKey.BitLength; n > 0 && (n != 8*len(k.public.bytes) || string(info.PublicKey.Bytes) != string(k.public.bytes)) {
		return nil, errors.New("slhdsa: parse a private key: the public key beside it is another key's")
	}
	return k, nil
}

// parse reads a structure, and returns the parameter set of its algorithm.
func parse(der []byte, info any, a *algorithm) (ParameterSet, error) {
	rest, err := asn1.Unmarshal(der, info)
	if err != nil {
		return 0, err
	}
	if len(rest) > 0 {
		return 0, fmt.Errorf("%d bytes follow", len(rest))
	}
	for i := range sets {
		if a.OID.Equal(sets[i].oid) {
			if len(a.Parameters.FullBytes) > 0 {
				return 0, errors.New("the algorithm has parameters")
			}
			return sets[i].set, nil
		}
	}
	return 0, fmt.Errorf("algorithm %v, want one of pure SLH-DSA with SHA-2", a.OID)
}
