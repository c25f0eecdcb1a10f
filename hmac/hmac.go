// Package hmac computes HMAC-SHA256 (RFC 2104, FIPS 198-1) of one message, and of many
// messages side by side. [Key.SumMany] and [Key.VerifyMany] use one key for all messages,
// [SumMany] and [VerifyMany] a key for each message. [New] returns a hash, and [Equal]
// compares two MACs. All functions, and all methods of a [Key], may be called concurrently.
//
// In FIPS 140-3 mode, and wherever else crypto/sha256 does the work of this library,
// crypto/hmac computes the MACs, one message after the other, and allocates. Under
// GODEBUG=fips140=only, the functions [NewKey], [New] and [Sum] panic if a key is shorter
// than 14 bytes, as crypto/hmac does.
package hmac

import (
	"crypto/hmac"
	stdsha256 "crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"hash"
	"sync"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// A Key is a key of HMAC-SHA256, made by [NewKey]. Any number of goroutines may use it
// at the same time. Its memory is as secret as the key. The methods of a nil Key and of
// the zero Key panic, and so do SumMany and VerifyMany with such a Key.
type Key struct {
	// inner is the state after the block of the key XORed with ipad. outer is the state after
	// the block of the key XORed with opad.
	inner, outer lanes.Prefix

	// key is for crypto/hmac. If key is not nil, inner and outer are not set.
	key []byte
}

// NewKey returns a Key made from key, which may have any length. The Key keeps no reference
// to these bytes.
func NewKey(key []byte) *Key {
	k := newKey(key)
	return &k
}

func newKey(key []byte) (k Key) {
	if block.UsesStd() {
		// If the key is not allowed, hmac.New panics now, not at the first use.
		hmac.New(stdsha256.New, key)
		k.key = append([]byte{}, key...)
		return k
	}
	k.inner.Len, k.outer.Len = sha256.BlockSize, sha256.BlockSize
	k.inner.H, k.outer.H = block.KeyStates(key)
	return k
}

// Sum returns the MAC of msg. It allocates nothing, unless crypto/hmac does the work.
func (k *Key) Sum(msg []byte) (mac [32]byte) {
	k.check("Sum")
	k.sum(&mac, msg)
	return mac
}

// sum sets mac to the MAC of msg. newKey made k.
func (k *Key) sum(mac *[32]byte, msg []byte) {
	if k.key != nil {
		h := hmac.New(stdsha256.New, k.key)
		write(h, msg)
		copy(mac[:], h.Sum(nil))
		return
	}
	lanes.SumNestedOne(mac, &k.inner, &k.outer, msg)
}

// write writes msg to h, a hash of crypto/hmac, in parts. With GOFIPS140=v1.0.0 crypto/hmac
// hashes a long message in one call of assembly, which nothing can preempt.
func write(h hash.Hash, msg []byte) {
	const part = block.MaxPlain * block.Size
	for len(msg) > part {
		h.Write(msg[:part])
		msg = msg[part:]
	}
	h.Write(msg)
}

// SumMany sets dst[i] to the MAC of msgs[i], for every i. It hashes the messages side by
// side on the calling goroutine. It starts no other goroutine. Once its pools are filled,
// it allocates nothing. A nil message is an empty message. dst must not overlap any
// message.
//
// It panics, before it touches anything, if dst and msgs differ in length.
//
// A method cannot have a type parameter. For MACs of a named type, call the function
// [SumMany] with this Key as every element of keys.
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
			write(h, m)
			h.Sum(dst[i][:0])
		}
		return
	}
	if len(msgs) == 1 { // SumNested would take 15 ns longer on Zen 4
		k.sum(&dst[0], msgs[0])
		return
	}
	lanes.SumNested(dst, &k.inner, &k.outer, msgs)
}

// VerifyMany sets ok[i] to true if macs[i] is the MAC of msgs[i], else to false, for every
// i. It hashes the messages side by side on the calling goroutine, and starts no other
// goroutine. Once its pools are filled, it allocates nothing, unless crypto/hmac does the
// work. The time that VerifyMany takes depends only on the number and the lengths of the MACs
// and messages, not on their contents. A MAC that is not 32 bytes long is wrong. To verify
// a truncated MAC, truncate the result of Sum or SumMany and compare the two by [Equal].
//
// It panics, before it touches anything, if ok, macs and msgs differ in length.
func (k *Key) VerifyMany(ok []bool, macs, msgs [][]byte) {
	k.check("VerifyMany")
	checkLengths("VerifyMany", len(ok), len(msgs))
	checkLengths("VerifyMany", len(macs), len(msgs))
	if k.key == nil && lanes.OneByOne(msgs, 0, lanes.Nested) {
		for i, m := range msgs {
			ok[i] = k.verify(macs[i], m)
		}
		return
	}
	verifyMany(ok, macs, func(dst [][32]byte, i int) { k.sumMany(dst, msgs[i:i+len(dst)]) })
}

// VerifyMany sets ok[i] to true if macs[i] is the MAC of msgs[i] with keys[i], else to
// false, for every i. A key may occur more than once. VerifyMany hashes on the calling
// goroutine. Once its pools are filled, it allocates nothing, unless crypto/hmac does the
// work. Its time does not depend on contents. A MAC that is not 32 bytes long is wrong. If
// all keys are the same, [Key.VerifyMany] is faster.
//
// It panics, before it touches anything, if ok, keys, macs and msgs differ in length, or a key is
// nil or the zero Key.
func VerifyMany(ok []bool, keys []*Key, macs, msgs [][]byte) {
	checkLengths("VerifyMany", len(ok), len(msgs))
	checkLengths("VerifyMany", len(macs), len(msgs))
	checkKeys("VerifyMany", keys, len(msgs))
	if oneByOne(msgs) {
		for i, k := range keys {
			ok[i] = k.verify(macs[i], msgs[i])
		}
		return
	}
	verifyMany(ok, macs, func(dst [][32]byte, i int) { sumEach(dst, keys[i:i+len(dst)], msgs[i:i+len(dst)]) })
}

// window is the number of MACs that are verified at a time.
const window = 256

// scratches holds memory for the MACs that verifyMany computes.
var scratches = sync.Pool{New: func() any { return new([window][32]byte) }}

// verifyMany sets ok[i] to true if macs[i] is right, else to false, for every i. sum sets dst
// to the right MACs from i on.
func verifyMany(ok []bool, macs [][]byte, sum func(dst [][32]byte, i int)) {
	s := scratches.Get().(*[window][32]byte)
	for first := 0; first < len(macs); first += window {
		n := min(len(macs)-first, window)
		sum(s[:n], first)
		for i := range n {
			ok[first+i] = isEqual(macs[first+i], &s[i])
		}
	}
	scratches.Put(s)
}

// verify reports whether mac is the MAC of msg. newKey made k.
func (k *Key) verify(mac, msg []byte) bool {
	var want [32]byte
	k.sum(&want, msg)
	return isEqual(mac, &want)
}

// isEqual reports whether mac is `want`. The time it takes depends on the length of mac alone.
// Equal, which loads single bytes, takes about 20 ns longer (Granite Rapids).
func isEqual(mac []byte, want *[32]byte) bool {
	if len(mac) != len(want) {
		return false
	}
	var different uint64
	for i := 0; i < len(want); i += 8 {
		different |= binary.NativeEndian.Uint64(mac[i:]) ^ binary.NativeEndian.Uint64(want[i:])
	}
	return subtle.ConstantTimeEq(int32(different|different>>32), 0) == 1
}

// SumMany sets dst[i] to the MAC of msgs[i] with keys[i], for every i. A key may occur more
// than once. SumMany hashes the messages side by side on the calling goroutine. It starts
// no other goroutine. Once its pools are filled, it allocates nothing. A nil message is an
// empty message. dst must not overlap any message. If all keys are the same, [Key.SumMany]
// is up to a tenth faster.
//
// It panics, before it touches anything, if dst, keys and msgs differ in length, or a key is
// nil or the zero Key.
func SumMany[D ~[32]byte](dst []D, keys []*Key, msgs [][]byte) {
	sumMany(convert.Digests[[32]byte](dst), keys, msgs)
}

func sumMany(dst [][32]byte, keys []*Key, msgs [][]byte) {
	checkLengths("SumMany", len(dst), len(msgs))
	checkKeys("SumMany", keys, len(msgs))
	sumEach(dst, keys, msgs)
}

// sumEach is sumMany without its checks.
func sumEach(dst [][32]byte, keys []*Key, msgs [][]byte) {
	if oneByOne(msgs) {
		for i, k := range keys {
			k.sum(&dst[i], msgs[i])
		}
		return
	}
	w := works.Get().(*work)
	w.keys = keys
	lanes.SumNestedEach(dst, w, msgs)
	w.keys = nil
	works.Put(w)
}

// oneByOne reports whether messages with a key each are hashed one by one.
func oneByOne(msgs [][]byte) bool {
	return block.UsesStd() || lanes.OneByOne(msgs, 0, lanes.NestedEach)
}

// work gives package lanes the keys of a call of sumEach.
type work struct{ keys []*Key }

var works = sync.Pool{New: func() any { return new(work) }}

func (w *work) States(i int) (inner, outer *block.State) {
	k := w.keys[i]
	return &k.inner.H, &k.outer.H
}

// isMade reports whether NewKey made k.
func (k *Key) isMade() bool { return k != nil && (k.inner.Len != 0 || k.key != nil) }

// checkKeys panics unless there are n keys, and NewKey made all of them.
func checkKeys(function string, keys []*Key, n int) {
	checkLengths(function, len(keys), n)
	for _, k := range keys {
		if !k.isMade() { // inlined, unlike check
			k.check(function)
		}
	}
}

// check panics unless NewKey made k.
func (k *Key) check(function string) {
	if !k.isMade() {
		panic(fmt.Sprintf("hmac: %s: a Key that NewKey did not make", function))
	}
}

func checkLengths(function string, a, b int) {
	if a != b {
		panic(fmt.Sprintf("hmac: %s: slices of different lengths, %d and %d", function, a, b))
	}
}
