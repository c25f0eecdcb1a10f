// Package hmac computes HMAC-SHA256 (RFC 2104, FIPS 198-1) of many messages side by
// side, and of one.
//
// In FIPS 140-3 mode, and where crypto/sha256 compresses anyway, crypto/hmac does
// the work. Under GODEBUG=fips140=only it panics if a key is shorter than 14 bytes.
package hmac

import (
	"crypto/hmac"
	stdsha256 "crypto/sha256"
	"encoding"
	"fmt"
	"hash"
	"sync"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
)

// A Key is a key of HMAC-SHA256, made by [NewKey]. Any number of goroutines may use
// it at the same time. What it holds is as secret as the key. All functions panic
// when they are given another, nil or the zero Key.
type Key struct {
	// The states after the block that is the key XORed with ipad or opad, and for
	// many messages hashes in these states, which are only ever read.
	innerState, outerState block.State
	inner, outer           hash.Hash

	// key is for crypto/hmac. If it is not nil there is nothing else.
	key []byte
}

// NewKey returns the Key of these bytes, of any number, and keeps no reference to
// them.
func NewKey(key []byte) *Key {
	if block.UsesStd() {
		hmac.New(stdsha256.New, key) // panics, here already, if it is not allowed
		return &Key{key: append([]byte{}, key...)}
	}
	var b [sha256.BlockSize]byte
	if len(key) > len(b) {
		sum := sha256.Sum256(key)
		copy(b[:], sum[:])
	} else {
		copy(b[:], key)
	}
	k := new(Key)
	const ipad, opad = 0x36, 0x5c
	for i := range b {
		b[i] ^= ipad
	}
	k.innerState, k.inner = after(b[:])
	for i := range b {
		b[i] ^= ipad ^ opad
	}
	k.outerState, k.outer = after(b[:])
	return k
}

// after returns the state after a block, and a hash that is in that state.
func after(b []byte) (block.State, hash.Hash) {
	state, h := block.IV256, sha256.New()
	block.Compress(&state, b)
	h.Write(b)
	return state, h
}

// window is how many messages are taken at a time.
const window = 256

// A scratch is what a call works with.
type scratch struct {
	inner  [window][32]byte // the digests of the inner hash
	macs   [window][32]byte
	digest [window][]byte // inner, as messages
	hashes [window]hash.Hash
	state  []byte // a marshalled hash
}

var scratches = sync.Pool{New: func() any {
	s := new(scratch)
	for i := range s.digest {
		s.digest[i] = s.inner[i][:]
	}
	return s
}}

// Sum returns the MAC of msg. It allocates nothing, unless crypto/hmac does.
func (k *Key) Sum(msg []byte) (mac [32]byte) {
	k.check("Sum")
	if k.key != nil {
		h := hmac.New(stdsha256.New, k.key)
		h.Write(msg)
		return [32]byte(h.Sum(nil))
	}
	finish(&mac, k.innerState, msg)
	finish(&mac, k.outerState, mac[:])
	return mac
}

// finish sets sum to the digest of the message that is msg after a block that h is
// the state after.
func finish(sum *[32]byte, h block.State, msg []byte) {
	whole := len(msg) &^ (sha256.BlockSize - 1)
	block.Compress(&h, msg[:whole])
	var tail [block.MaxTail]byte
	n := block.Pad(&tail, msg[whole:], sha256.BlockSize+uint64(len(msg)))
	block.Compress(&h, tail[:n])
	block.PutDigest(sum, &h)
}

// SumMany sets dst[i] to the MAC of msgs[i], for every i. It hashes the messages
// side by side on the calling goroutine, starts no other, and once warm allocates
// nothing. A nil message is an empty one. dst must not overlap any message.
//
// It panics, before it touches anything, if dst and msgs differ in length.
func (k *Key) SumMany(dst [][32]byte, msgs [][]byte) {
	k.check("SumMany")
	checkLengths("SumMany", len(dst), len(msgs))
	s := scratches.Get().(*scratch)
	for len(msgs) > 0 {
		n := min(len(msgs), window)
		k.sumMany(s, dst[:n], msgs[:n])
		dst, msgs = dst[n:], msgs[n:]
	}
	scratches.Put(s)
}

// sumMany is SumMany of up to window messages.
func (k *Key) sumMany(s *scratch, dst [][32]byte, msgs [][]byte) {
	if k.key != nil {
		h := hmac.New(stdsha256.New, k.key)
		for i, m := range msgs {
			h.Reset()
			h.Write(m)
			h.Sum(dst[i][:0])
		}
		return
	}
	sha256.SumManyAfter(s.inner[:len(msgs)], k.inner, msgs)
	sha256.SumManyAfter(dst, k.outer, s.digest[:len(msgs)])
}

// VerifyMany sets ok[i] to whether macs[i] is the MAC of msgs[i], for every i. How
// long that takes depends on the lengths only. A MAC of more or fewer bytes than 32 is none:
// where MACs are truncated, compare what Sum or SumMany gives, cut to the length
// that was agreed on, by crypto/hmac's Equal.
//
// It panics, before it touches anything, if ok, macs and msgs differ in length.
func (k *Key) VerifyMany(ok []bool, macs, msgs [][]byte) {
	k.check("VerifyMany")
	checkLengths("VerifyMany", len(ok), len(msgs))
	checkLengths("VerifyMany", len(macs), len(msgs))
	s := scratches.Get().(*scratch)
	for len(msgs) > 0 {
		n := min(len(msgs), window)
		k.sumMany(s, s.macs[:n], msgs[:n])
		for i := range n {
			ok[i] = hmac.Equal(macs[i], s.macs[i][:])
		}
		ok, macs, msgs = ok[n:], macs[n:], msgs[n:]
	}
	scratches.Put(s)
}

// SumMany sets dst[i] to the MAC of msgs[i] with keys[i], for every i; a key may
// occur more than once. It hashes the messages side by side on the calling
// goroutine, starts no other, and once warm allocates nothing. A nil message is an
// empty one. dst must not overlap any message. Where all keys are one,
// [Key.SumMany] is faster.
//
// It panics, before it touches anything, if dst, keys and msgs differ in length.
func SumMany(dst [][32]byte, keys []*Key, msgs [][]byte) {
	checkLengths("SumMany", len(dst), len(msgs))
	checkLengths("SumMany", len(keys), len(msgs))
	std := false
	for _, k := range keys {
		k.check("SumMany")
		std = std || k.key != nil
	}
	if std {
		for i, k := range keys {
			dst[i] = k.Sum(msgs[i])
		}
		return
	}
	s := scratches.Get().(*scratch)
	for len(msgs) > 0 {
		n := min(len(msgs), window)
		hs := s.hashes[:n]
		for i, k := range keys[:n] {
			if hs[i] == nil {
				hs[i] = sha256.New()
			}
			s.set(hs[i], k.inner)
		}
		sha256.WriteMany(hs, msgs[:n])
		sha256.SumHashes(s.inner[:n], hs)
		for i, k := range keys[:n] {
			s.set(hs[i], k.outer)
		}
		sha256.WriteMany(hs, s.digest[:n])
		sha256.SumHashes(dst[:n], hs)
		for _, h := range hs {
			h.Reset() // a midstate is as secret as its key
		}
		clear(s.state)
		dst, keys, msgs = dst[n:], keys[n:], msgs[n:]
	}
	scratches.Put(s)
}

// set sets h to the state of from, which stays as it is.
func (s *scratch) set(h, from hash.Hash) {
	state, err := from.(encoding.BinaryAppender).AppendBinary(s.state[:0])
	if err == nil {
		err = h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
	}
	if err != nil {
		panic(err) // hashes of sha256.New take each other's states
	}
	s.state = state
}

// check panics if k is no key.
func (k *Key) check(function string) {
	if k == nil || k.inner == nil && k.key == nil {
		panic(fmt.Sprintf("hmac: %s: a Key that NewKey did not make", function))
	}
}

func checkLengths(function string, a, b int) {
	if a != b {
		panic(fmt.Sprintf("hmac: %s: slices of different lengths, %d and %d", function, a, b))
	}
}
