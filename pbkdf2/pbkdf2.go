// Package pbkdf2 computes PBKDF2-HMAC-SHA256 (RFC 8018, NIST SP 800-132): the keys of
// many passwords side by side, the parts of a long key side by side, and one short key
// faster than crypto/pbkdf2. A [Server] is for programs in which each goroutine checks
// one login.
//
// Functions may be called concurrently. In FIPS 140-3 mode, and wherever else
// crypto/sha256 does the work of this library, crypto/pbkdf2 does the work of this
// package, one key after the other. Under GODEBUG=fips140=only, crypto/pbkdf2 refuses
// short keys and salts, and this package returns its errors.
//
// While a function runs, pooled memory holds what it computed from a password: the states
// of HMAC, and digests. The function clears this memory before it returns. It does not
// clear stacks and registers.
package pbkdf2

import (
	"crypto/pbkdf2"
	stdsha256 "crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// size is the length of a digest. A key consists of digests; the last digest is cut.
const size = block.DigestSize

// Key derives a key of keyLength bytes from a password and a salt by the given number
// of iterations. It is crypto/pbkdf2.Key with SHA-256. It computes the parts of a key of
// more than 32 bytes side by side, on the calling goroutine.
//
// It returns an error if iter or keyLength is below 1, or if the key has more than 2^32-1
// digests. Where crypto/pbkdf2 does the work, Key returns its errors, too.
func Key(password string, salt []byte, iter, keyLength int) ([]byte, error) {
	if err := check(iter, keyLength); err != nil {
		return nil, fmt.Errorf("pbkdf2: %w", err)
	}
	if block.UsesStd() {
		return pbkdf2.Key(stdsha256.New, password, salt, iter, keyLength)
	}
	key := make([]byte, keyLength)
	inner, outer := block.KeyStates(bytesOf(password))
	lanes.RunChains((keyLength-1)/size+1, &block.KeyedPadding,
		func(int) int { return iter - 1 },
		func(ch *lanes.Chain, i int) { begin(ch, inner, outer, salt, uint32(i+1), iter) },
		func(ch *lanes.Chain, i int) { putDigest(key[size*i:], ch) })
	return key, nil
}

// SumMany sets dst[i] to the key of 32 bytes of passwords[i] with salts[i] after
// iters[i] iterations, for every i. It computes the keys side by side on the calling
// goroutine. It starts no other goroutine. Once its pools are filled, it allocates
// nothing, unless crypto/pbkdf2 does the work. dst must not overlap any password or salt.
//
// It returns an error, and sets nothing, if one of iters is below 1. Where crypto/pbkdf2
// does the work, its first error ends SumMany. It panics, before it touches anything,
// if the slices differ in length.
func SumMany[D ~[32]byte](dst []D, passwords, salts [][]byte, iters []int) error {
	return sumMany(convert.Digests[[32]byte](dst), passwords, salts, iters)
}

func sumMany(dst [][32]byte, passwords, salts [][]byte, iters []int) error {
	for _, n := range []int{len(passwords), len(salts), len(iters)} {
		if n != len(dst) {
			panic(fmt.Sprintf("pbkdf2: SumMany: slices of different lengths, %d and %d", len(dst), n))
		}
	}
	for i, iter := range iters {
		if err := check(iter, size); err != nil {
			return fmt.Errorf("pbkdf2: password %d: %w", i, err)
		}
	}
	if block.UsesStd() {
		for i, p := range passwords {
			key, err := pbkdf2.Key(stdsha256.New, string(p), salts[i], iters[i], size)
			if err != nil {
				return fmt.Errorf("pbkdf2: password %d: %w", i, err)
			}
			copy(dst[i][:], key)
		}
		return nil
	}
	lanes.RunChains(len(dst), &block.KeyedPadding,
		func(i int) int { return iters[i] - 1 },
		func(ch *lanes.Chain, i int) {
			inner, outer := block.KeyStates(passwords[i])
			begin(ch, inner, outer, salts[i], 1, iters[i])
		},
		func(ch *lanes.Chain, i int) { putDigest(dst[i][:], ch) })
	return nil
}

// check returns an error if no key has this number of iterations or this length. The caller
// puts the package's name before it.
func check(iter, keyLength int) error {
	switch {
	case iter < 1:
		return fmt.Errorf("%d iterations, want at least 1", iter)
	case keyLength < 1:
		return fmt.Errorf("a key of %d bytes, want at least 1", keyLength)
	case uint64(keyLength) > math.MaxUint32*size:
		return errors.New("the key has more than 2^32-1 digests")
	}
	return nil
}

// bytesOf returns the bytes of s, which must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// begin sets ch to the chain of one digest of a key. The first digest has index 1. inner
// and outer are the states of the password.
func begin(ch *lanes.Chain, inner, outer block.State, salt []byte, index uint32, iter int) {
	ch.Inner, ch.Outer = inner, outer
	whole := len(salt) &^ (block.Size - 1)
	block.Compress(&inner, salt[:whole])
	var rest [block.Size + 4]byte
	n := copy(rest[:], salt[whole:])
	binary.BigEndian.PutUint32(rest[n:], index)
	var sum [size]byte
	block.Finish(&sum, &inner, rest[:n+4], block.Size+uint64(len(salt))+4)
	block.Finish(&sum, &outer, sum[:], block.Size+size)
	for i := range ch.U {
		ch.U[i] = binary.BigEndian.Uint32(sum[4*i:])
	}
	ch.Sum, ch.Left = ch.U, iter-1
}

// putDigest writes the digest of a finished chain to key, or as much of the digest as
// fits.
func putDigest(key []byte, ch *lanes.Chain) {
	var sum [size]byte
	block.PutDigest(&sum, &ch.Sum)
	copy(key, sum[:])
}
