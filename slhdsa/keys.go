package slhdsa

import (
	"bytes"
	"crypto"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

var (
	errNoPublicKey  = errors.New("slhdsa: no public key: nil, or not made by this package")
	errNoPrivateKey = errors.New("slhdsa: no private key: nil, or not made by this package")
	errRoot         = errors.New("slhdsa: the root in the private key is not the root of its tree")
)

// A PublicKey verifies signatures. It is safe for concurrent use.
type PublicKey struct {
	seed
	bytes []byte // PK.seed || PK.root
}

// NewPublicKey returns the public key with the encoding of FIPS 205, PK.seed || PK.root.
// It does not keep key.
func NewPublicKey(set ParameterSet, key []byte) (*PublicKey, error) {
	k := new(PublicKey)
	if err := k.decode(set, key); err != nil {
		return nil, err
	}
	return k, nil
}

func (k *PublicKey) decode(set ParameterSet, key []byte) error {
	p := set.params()
	if p == nil {
		return fmt.Errorf("slhdsa: no parameter set %d", uint8(set))
	}
	if len(key) != 2*p.n {
		return fmt.Errorf("slhdsa: a public key of %d bytes, want %[3]d for %[2]v", len(key), set, 2*p.n)
	}
	k.bytes = bytes.Clone(key)
	k.seed = newSeed(p, k.bytes[:p.n])
	return nil
}

// ParameterSet returns the key's parameter set.
func (k *PublicKey) ParameterSet() ParameterSet {
	if k.params == nil {
		return 0
	}
	return k.set
}

// Bytes returns the key in the encoding of FIPS 205.
func (k *PublicKey) Bytes() []byte { return bytes.Clone(k.bytes) }

// Equal reports whether x is a *PublicKey with the same parameter set and value.
func (k *PublicKey) Equal(x crypto.PublicKey) bool {
	other, ok := x.(*PublicKey)
	return ok && other != nil && k.params == other.params && bytes.Equal(k.bytes, other.bytes)
}

// A PrivateKey signs. It is safe for concurrent use, and implements [crypto.Signer] and
// [crypto.MessageSigner]. It keeps its top tree, up to 24 KiB, which all signatures share.
type PrivateKey struct {
	public  PublicKey
	secrets []byte // SK.seed || SK.prf

	once    sync.Once
	top     topTree
	planted error
}

// GenerateKey returns a new private key, from random bytes of rand. A nil rand means
// [crypto/rand.Reader]. The bytes are SK.seed, SK.prf and PK.seed, in this order.
func GenerateKey(set ParameterSet, rand io.Reader) (*PrivateKey, error) {
	p := set.params()
	if p == nil {
		return nil, fmt.Errorf("slhdsa: no parameter set %d", uint8(set))
	}
	random, err := readRandom(rand, 3*p.n)
	if err != nil {
		return nil, err
	}
	defer clear(random)
	return generate(p, random), nil
}

// generate is slh_keygen_internal of FIPS 205, section 9.1. random is SK.seed, SK.prf
// and PK.seed.
func generate(p *params, random []byte) *PrivateKey {
	k := &PrivateKey{secrets: bytes.Clone(random[:2*p.n])}
	pkSeed := random[2*p.n:]
	k.public.seed = newSeed(p, pkSeed)
	k.once.Do(func() {
		k.grow()
		k.public.bytes = append(bytes.Clone(pkSeed), k.root()...)
	})
	return k
}

// NewPrivateKey returns the private key with the encoding of FIPS 205, SK.seed ||
// SK.prf || PK.seed || PK.root. It computes the root, which takes as long as
// [GenerateKey], and returns an error if key has another root. It does not keep key.
func NewPrivateKey(set ParameterSet, key []byte) (*PrivateKey, error) {
	k, err := NewPrivateKeyUnchecked(set, key)
	if err != nil {
		return nil, err
	}
	if err := k.plant(); err != nil {
		return nil, err
	}
	return k, nil
}

// NewPrivateKeyUnchecked is NewPrivateKey, but the first Sign checks the root.
func NewPrivateKeyUnchecked(set ParameterSet, key []byte) (*PrivateKey, error) {
	p := set.params()
	if p == nil {
		return nil, fmt.Errorf("slhdsa: no parameter set %d", uint8(set))
	}
	if len(key) != 4*p.n {
		return nil, fmt.Errorf("slhdsa: a private key of %d bytes, want %[3]d for %[2]v", len(key), set, 4*p.n)
	}
	k := &PrivateKey{secrets: bytes.Clone(key[:2*p.n])}
	if err := k.public.decode(set, key[2*p.n:]); err != nil {
		return nil, err
	}
	return k, nil
}

// plant makes the top tree, the first time, and returns an error if the root is wrong.
func (k *PrivateKey) plant() error {
	k.once.Do(func() {
		k.grow()
		if !bytes.Equal(k.root(), k.public.bytes[k.public.n:]) {
			k.planted = errRoot
		}
	})
	return k.planted
}

func (k *PrivateKey) grow() {
	s := acquire()
	defer s.release()
	k.top = s.plantTop(&k.public.seed, k.secretSeed())
}

// root returns the root of the top tree.
func (k *PrivateKey) root() []byte { return k.top[k.public.height] }

func (k *PrivateKey) secretSeed() []byte { return k.secrets[:k.public.n] }
func (k *PrivateKey) secretPRF() []byte  { return k.secrets[k.public.n:] }

// ParameterSet returns the key's parameter set.
func (k *PrivateKey) ParameterSet() ParameterSet { return k.public.ParameterSet() }

// Public returns the public key, a *PublicKey. Holding it does not keep k in memory.
func (k *PrivateKey) Public() crypto.PublicKey {
	public := k.public // a pointer into k would keep all of k
	return &public
}

// Bytes returns the key in the encoding of FIPS 205.
func (k *PrivateKey) Bytes() []byte {
	return slices.Concat(k.secrets, k.public.bytes) // one copy, which a caller can clear
}

// Equal reports whether x is a *PrivateKey with the same parameter set and value. It
// compares secrets in constant time.
func (k *PrivateKey) Equal(x crypto.PrivateKey) bool {
	other, ok := x.(*PrivateKey)
	return ok && other != nil && k.public.Equal(&other.public) &&
		subtle.ConstantTimeCompare(k.secrets, other.secrets) == 1
}
