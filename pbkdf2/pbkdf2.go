// Package pbkdf2 computes PBKDF2-HMAC-SHA256 (RFC 8018, NIST SP 800-132): the keys of
// many passwords side by side, the parts of a long key side by side, and one short key
// faster than crypto/pbkdf2. A [Server] is for programs in which each goroutine checks
// one login.
//
// In FIPS 140-3 mode, and wherever else crypto/sha256 compresses for this library,
// crypto/pbkdf2 does the work, one key after the other. Under GODEBUG=fips140=only it
// returns errors for short keys and salts, which this package passes on.
//
// The states of a password and its digests are in pooled memory while a function runs.
// They are cleared before it returns. Stacks and registers are not.
package pbkdf2

import (
	"crypto/pbkdf2"
	stdsha256 "crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// size is the length of a digest. A key consists of digests; the last digest is cut.
const size = block.DigestSize

// Key derives a key of keyLength bytes from a password and a salt by the given number
// of iterations. It is crypto/pbkdf2.Key with SHA-256, but returns an error if iter is
// below 1. It computes the parts of a key of more than 32 bytes side by side, on the
// calling goroutine.
func Key(password string, salt []byte, iter, keyLength int) ([]byte, error) {
	if err := check(iter, keyLength); err != nil {
		return nil, err
	}
	if block.UsesStd() {
		return pbkdf2.Key(stdsha256.New, password, salt, iter, keyLength)
	}
	key := make([]byte, keyLength)
	inner, outer := block.KeyStates(bytesOf(password))
	w := works.Get().(*work)
	w.run((keyLength-1)/size+1, func(p *part, i int) {
		p.begin(inner, outer, salt, uint32(i+1), iter, key[size*i:])
	})
	w.release()
	return key, nil
}

// SumMany sets dst[i] to the key of 32 bytes of passwords[i] with salts[i] after
// iters[i] iterations, for every i. It computes the keys side by side on the calling
// goroutine. It starts no other goroutine, and once warm allocates nothing. dst must
// not overlap any password or salt.
//
// It returns an error, and sets nothing, if one of iters is below 1. Where crypto/pbkdf2
// does the work, its first error ends SumMany. It panics, before it touches anything,
// if the slices differ in length.
func SumMany(dst [][32]byte, passwords, salts [][]byte, iters []int) error {
	for _, n := range []int{len(passwords), len(salts), len(iters)} {
		if n != len(dst) {
			panic(fmt.Sprintf("pbkdf2: SumMany: slices of different lengths, %d and %d", len(dst), n))
		}
	}
	for i, iter := range iters {
		if err := check(iter, size); err != nil {
			return fmt.Errorf("password %d: %w", i, err)
		}
	}
	if block.UsesStd() {
		for i, p := range passwords {
			key, err := pbkdf2.Key(stdsha256.New, string(p), salts[i], iters[i], size)
			if err != nil {
				return fmt.Errorf("password %d: %w", i, err)
			}
			copy(dst[i][:], key)
		}
		return nil
	}
	w := works.Get().(*work)
	w.run(len(dst), func(p *part, i int) {
		inner, outer := block.KeyStates(passwords[i])
		p.begin(inner, outer, salts[i], 1, iters[i], dst[i][:])
	})
	w.release()
	return nil
}

// check returns an error for numbers that no key has.
func check(iter, keyLength int) error {
	switch {
	case iter < 1:
		return fmt.Errorf("pbkdf2: %d iterations, want at least 1", iter)
	case keyLength < 1:
		return fmt.Errorf("pbkdf2: a key of %d bytes, want at least 1", keyLength)
	case uint64(keyLength) > math.MaxUint32*size:
		return errors.New("pbkdf2: the key has more than 2^32-1 digests")
	}
	return nil
}

// bytesOf returns the bytes of s, which must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// A part computes one digest of a key.
type part struct {
	lanes.Chain
	dst []byte // where the digest goes, as far as it fits
	of  *login // for a Server
}

// begin sets p to the part of a key with the given index. The first has index 1.
// inner and outer are the states of the password.
func (p *part) begin(inner, outer block.State, salt []byte, index uint32, iter int, dst []byte) {
	p.Inner, p.Outer, p.dst = inner, outer, dst
	whole := len(salt) &^ (block.Size - 1)
	block.Compress(&inner, salt[:whole])
	var rest [block.Size + 4]byte
	n := copy(rest[:], salt[whole:])
	binary.BigEndian.PutUint32(rest[n:], index)
	var sum [size]byte
	block.Finish(&sum, &inner, rest[:n+4], block.Size+uint64(len(salt))+4)
	block.Finish(&sum, &outer, sum[:], block.Size+size)
	p.U, p.Sum, p.Left = outer, outer, iter-1
}

// finish writes the digest, and clears p.
func (p *part) finish() {
	var sum [size]byte
	block.PutDigest(&sum, &p.Sum)
	copy(p.dst, sum[:])
	*p = part{}
}

// A work is the scratch of a call. Between calls its parts are clear, and it holds no
// pointers.
type work struct {
	parts [2 * block.MaxLanes]part
	// live are the parts in use. The parts that have waited longest come first.
	live [2 * block.MaxLanes]*part
	step step
}

var works = sync.Pool{New: func() any { return new(work) }}

// release drops the pointers of w and gives it back.
func (w *work) release() {
	clear(w.live[:])
	w.step = step{}
	works.Put(w)
}

// run computes n parts side by side. begin begins part i.
func (w *work) run(n int, begin func(p *part, i int)) {
	memory := lanes.NewChains()
	defer memory.Release()
	for i := range w.parts {
		w.live[i] = &w.parts[i]
	}
	live, next := 0, 0 // the parts behind the live ones are free
	for {
		for ; next < n && live < len(w.live); next++ {
			begin(w.live[live], next)
			if w.live[live].Left > 0 {
				live++
			} else {
				w.live[live].finish()
			}
		}
		if live == 0 {
			return
		}
		parts := w.live[:live]
		_, live = w.step.do(memory, parts)
		for _, p := range parts[live:] {
			p.finish()
		}
	}
}

// A step advances parts.
type step struct {
	chains [2 * block.MaxLanes]*lanes.Chain
	order  [2 * block.MaxLanes]*part
}

// do advances the first of the parts by some iterations; every part has iterations
// left. Then it orders the parts: first parts[:waiting], which it did not advance,
// then parts[waiting:live], which go on, and then the finished parts.
func (s *step) do(memory *lanes.Chains, parts []*part) (waiting, live int) {
	for i, p := range parts {
		s.chains[i] = &p.Chain
	}
	advanced := memory.Step(s.chains[:len(parts)])
	waiting = copy(s.order[:], parts[advanced:])
	live = waiting
	end := len(parts)
	for _, p := range parts[:advanced] {
		if p.Left > 0 {
			s.order[live] = p
			live++
		} else {
			end--
			s.order[end] = p
		}
	}
	copy(parts, s.order[:len(parts)])
	return waiting, live
}
