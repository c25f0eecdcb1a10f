package hmac

import (
	"crypto/hmac"
	stdsha256 "crypto/sha256"
	"encoding"
	"errors"
	"hash"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/written"
)

// Sum returns the MAC of msg. For many messages with one key, a [Key] is faster. Sum
// allocates nothing, unless crypto/hmac does the work.
func Sum(key, msg []byte) (mac [32]byte) {
	k := newKey(key)
	k.sum(&mac, msg)
	return mac
}

// Equal reports whether two MACs are equal, as Equal of crypto/hmac does. The time it takes
// depends only on their lengths.
func Equal(mac1, mac2 []byte) bool { return hmac.Equal(mac1, mac2) }

// New returns a new [hash.Hash] that computes the MAC of what is written to it. New(key)
// replaces crypto/hmac's New(sha256.New, key). The hash also implements [hash.Cloner], and
// keeps no reference to key. One goroutine at a time may use it. The memory of the hash is
// as secret as the key.
//
// [sha256.WriteHashes] writes to such hashes side by side with others, unless crypto/hmac
// does the work. Then Clone returns [errors.ErrUnsupported] if the hash of crypto/hmac cannot
// be cloned, and [sha256.SumManyAfter] panics if such a hash is its prefix.
func New(key []byte) hash.Hash {
	if block.UsesStd() {
		return &stdHash{hmac.New(stdsha256.New, key)}
	}
	inner, outer := block.KeyStates(key)
	m := &mac{inner: sha256.New(), outer: outer}
	m.begin.Encode(block.Magic256, &inner, nil, block.Size)
	m.Reset()
	return m
}

// A mac is a hash that New returns.
type mac struct {
	inner hash.Hash // has taken in the block of the key XORed with ipad, then the message
	begin block.Marshaled
	outer block.State
}

func (m *mac) Size() int      { return sha256.Size }
func (m *mac) BlockSize() int { return sha256.BlockSize }

func (m *mac) Write(p []byte) (int, error) { return m.inner.Write(p) }

// WritesTo returns the hash that Write writes to.
func (m *mac) WritesTo(written.Here) hash.Hash { return m.inner }

func (m *mac) Sum(in []byte) []byte {
	sum := sha256.SumAfter(m.inner, nil)
	block.Finish(&sum, &m.outer, sum[:], block.Size+sha256.Size)
	return append(in, sum[:]...)
}

func (m *mac) Reset() {
	if err := m.inner.(encoding.BinaryUnmarshaler).UnmarshalBinary(m.begin[:]); err != nil {
		panic(err) // cannot happen: Encode made m.begin
	}
}

func (m *mac) Clone() (hash.Cloner, error) {
	inner, err := m.inner.(hash.Cloner).Clone()
	if err != nil {
		return nil, err
	}
	c := *m
	c.inner = inner
	return &c, nil
}

// A stdHash is a hash of crypto/hmac.
type stdHash struct{ hash.Hash }

func (h *stdHash) Write(p []byte) (int, error) {
	write(h.Hash, p)
	return len(p), nil
}

func (h *stdHash) Clone() (hash.Cloner, error) {
	c, ok := h.Hash.(hash.Cloner)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	clone, err := c.Clone()
	if err != nil {
		return nil, err
	}
	return &stdHash{clone}, nil
}
