package sha256

import (
	"encoding"
	"errors"
	"fmt"
	"hash"

	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// SumManyAfter sets dst[i] to the digest of what was written to prefix,
// followed by msgs[i], for every i. It hashes the messages side by side on the
// calling goroutine, starts no other, and once warm allocates nothing. The whole
// blocks of what was written to prefix are not hashed again. A nil message is an
// empty one. dst must not overlap any message.
//
// prefix stays as it is, and may be written to further. If it is a hash of the
// function [New], it is only read: calls at the same time may share it. A hash
// of another package is cloned for each message, or if it is no [hash.Cloner]
// written to and then restored by its UnmarshalBinary.
//
// It panics, before it touches anything, if dst and msgs differ in length, or
// prefix is nil, a [Server]'s that was copied by value, of a Size that is not
// 32, or can be neither cloned nor restored.
func SumManyAfter(dst [][Size]byte, prefix hash.Hash, msgs [][]byte) {
	checkLengths("SumManyAfter", len(dst), len(msgs))
	if wrong := misuse(prefix); wrong != "" {
		panic("sha256: SumManyAfter: prefix " + wrong)
	}
	if n := prefix.Size(); n != Size {
		panic(fmt.Sprintf("sha256: SumManyAfter: prefix has digests of %d bytes, not %d", n, Size))
	}
	d := ours(prefix)
	if d == nil {
		sumAfterForeign(dst, prefix, msgs)
		return
	}
	if !lanes.SideBySide(len(msgs)) {
		for i, m := range msgs {
			after := *d
			after.Write(m)
			finish(&dst[i], &after.h, after.x[:after.n], after.len)
		}
		return
	}
	lanes.SumManyAfter(dst, lanes.Prefix{H: d.h, Rest: d.x[:d.n], Len: d.len}, msgs)
}

// sumAfterForeign is SumManyAfter for a hash that is not ours.
func sumAfterForeign(dst [][Size]byte, prefix hash.Hash, msgs [][]byte) {
	if c, ok := prefix.(hash.Cloner); ok {
		if _, err := c.Clone(); err == nil {
			for i, m := range msgs {
				after, err := c.Clone()
				if err != nil {
					panic(fmt.Sprintf("sha256: SumManyAfter: clone %T: %v", prefix, err))
				}
				after.Write(m)
				sumAlone(&dst[i], after)
			}
			return
		}
	}
	reset, err := resetter(prefix)
	if err != nil {
		panic(fmt.Sprintf("sha256: SumManyAfter: a %T can be neither cloned nor restored: %v", prefix, err))
	}
	defer reset() // if prefix panics, or reading a message
	for i, m := range msgs {
		prefix.Write(m)
		sumAlone(&dst[i], prefix)
		reset()
	}
}

// resetter returns what sets h back to the state that it is in.
func resetter(h hash.Hash) (reset func(), err error) {
	m, ok := h.(encoding.BinaryMarshaler)
	if !ok {
		return nil, errors.New("no MarshalBinary")
	}
	u, ok := h.(encoding.BinaryUnmarshaler)
	if !ok {
		return nil, errors.New("no UnmarshalBinary")
	}
	state, err := m.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return func() {
		if err := u.UnmarshalBinary(state); err != nil {
			panic(fmt.Sprintf("sha256: SumManyAfter: restore a %T: %v", h, err))
		}
	}, nil
}
