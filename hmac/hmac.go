// Package hmac computes HMAC-SHA256 (RFC 2104, FIPS 198-1) of many messages side by
// side, and of one.
//
// In FIPS 140-3 mode, and where crypto/sha256 compresses anyway, crypto/hmac does
// the work, one message after the other, and allocates. Under GODEBUG=fips140=only
// NewKey panics if a key is shorter than 14 bytes, as crypto/hmac does.
package hmac

import (
	"crypto/hmac"
	stdsha256 "crypto/sha256"
	"fmt"
	"sync"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// A Key is a key of HMAC-SHA256, made by [NewKey]. Any number of goroutines may use
// it at the same time. What it holds is as secret as the key. Functions panic when
// they are given nil or the zero Key.
type Key struct {
	// inner and outer are the block that is the key XORed with ipad, and with opad.
	inner, outer lanes.Prefix

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
	k.inner = after(b[:])
	for i := range b {
		b[i] ^= ipad ^ opad
	}
	k.outer = after(b[:])
	return k
}

// after returns the prefix that is one block.
func after(b []byte) lanes.Prefix {
	p := lanes.Prefix{H: block.IV256, Len: uint64(len(b))}
	block.Compress(&p.H, b)
	return p
}

// window is how many MACs are verified at a time.
const window = 256

// scratches hold the MACs that VerifyMany compares with.
var scratches = sync.Pool{New: func() any { return new([window][32]byte) }}

// Sum returns the MAC of msg. It allocates nothing, unless crypto/hmac does.
func (k *Key) Sum(msg []byte) (mac [32]byte) {
	k.check("Sum")
	if k.key != nil {
		h := hmac.New(stdsha256.New, k.key)
		h.Write(msg)
		return [32]byte(h.Sum(nil))
	}
	finish(&mac, k.inner.H, msg)
	finish(&mac, k.outer.H, mac[:])
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
	k.sumMany(dst, msgs)
}

func (k *Key) sumMany(dst [][32]byte, msgs [][]byte) {
	if k.key != nil {
		h := hmac.New(stdsha256.New, k.key)
		for i, m := range msgs {
			h.Reset()
			h.Write(m)
			h.Sum(dst[i][:0])
		}
		return
	}
	if !lanes.SideBySide(len(msgs)) {
		for i, m := range msgs {
			dst[i] = k.Sum(m)
		}
		return
	}
	lanes.SumNested(dst, k.inner, k.outer, msgs)
}

// VerifyMany sets ok[i] to whether macs[i] is the MAC of msgs[i], for every i. How
// long that takes depends on the lengths only. A MAC that is not 32 bytes long is wrong:
// where MACs are truncated, compare what Sum or SumMany gives, cut to the length
// that was agreed on, by crypto/hmac's Equal.
//
// It panics, before it touches anything, if ok, macs and msgs differ in length.
func (k *Key) VerifyMany(ok []bool, macs, msgs [][]byte) {
	k.check("VerifyMany")
	checkLengths("VerifyMany", len(ok), len(msgs))
	checkLengths("VerifyMany", len(macs), len(msgs))
	s := scratches.Get().(*[window][32]byte)
	for len(msgs) > 0 {
		n := min(len(msgs), window)
		k.sumMany(s[:n], msgs[:n])
		for i := range n {
			ok[i] = hmac.Equal(macs[i], s[i][:])
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
	for _, k := range keys {
		k.check("SumMany")
	}
	// Where crypto/hmac does the work there is one lane.
	if !lanes.SideBySide(len(msgs)) {
		for i, k := range keys {
			dst[i] = k.Sum(msgs[i])
		}
		return
	}
	w := works.Get().(*work)
	*w = work{dst, keys, msgs}
	lanes.Run(len(msgs), w, true)
	lanes.SumEnds(dst, w)
	*w = work{}
	works.Put(w)
}

// work is what package lanes does for SumMany: first the inner hashes, whose
// digests wait in dst, then the outer ones.
type work struct {
	dst  [][32]byte
	keys []*Key
	msgs [][]byte
}

var works = sync.Pool{New: func() any { return new(work) }}

func (w *work) Blocks(i int) int { return (len(w.msgs[i]) + 8 + block.Size) / block.Size }

func (w *work) Start(i int, j *lanes.Job) bool {
	m, inner := w.msgs[i], &w.keys[i].inner
	j.H = inner.H
	whole := len(m) &^ (block.Size - 1)
	n := block.Pad((*[block.MaxTail]byte)(j.Scratch[:]), m[whole:], inner.Len+uint64(len(m)))
	j.Set(&j.H, m[:whole], j.Scratch[:n], nil)
	return true
}

func (w *work) Done(i int, j *lanes.Job) { block.PutDigest(&w.dst[i], &j.H) }

func (w *work) End(i int) (h *block.State, rest []byte, length uint64) {
	outer := &w.keys[i].outer
	return &outer.H, w.dst[i][:], outer.Len + uint64(len(w.dst[i]))
}

// check panics if k is no key.
func (k *Key) check(function string) {
	if k == nil || k.inner.Len == 0 && k.key == nil {
		panic(fmt.Sprintf("hmac: %s: a Key that NewKey did not make", function))
	}
}

func checkLengths(function string, a, b int) {
	if a != b {
		panic(fmt.Sprintf("hmac: %s: slices of different lengths, %d and %d", function, a, b))
	}
}
