package sha256

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"hash"

	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// SumManyAfter sets dst[i] to the digest of the bytes written to prefix, followed by
// msgs[i], for every i. It hashes the messages side by side on the calling goroutine. It
// starts no other goroutine. Once its pools are filled, it allocates nothing, unless it has
// to clone or restore prefix. It does not hash the whole blocks of the prefix again. A nil
// message is an empty message. dst must not overlap any message.
//
// prefix stays as it is, and may be written to further. Concurrent calls may share a prefix
// that [New] returned: SumManyAfter only reads it. They may also share a prefix that
// crypto/sha256's New returned, unless crypto/sha256 does the work, as in FIPS 140-3 mode.
// A hash of another package is cloned for each message if it is a [hash.Cloner]. If it is
// not, or if Clone fails, SumManyAfter writes each message to the hash, and restores it by
// UnmarshalBinary. Where crypto/sha256 does the work, its hashes are treated like those of
// another type.
//
// SumManyAfter panics, before it touches anything, if dst and msgs differ in
// length, or if prefix is nil, has a Size that is not 32, can be neither cloned nor
// restored, or is a [Server]'s hash that was copied by value. With GOFIPS140=v1.0.0
// the hashes of crypto/hmac, and in FIPS 140-3 mode those of package hmac, can be neither
// cloned nor restored, and the hashes of crypto/sha256 can only be restored. If prefix
// cannot be restored, and Clone succeeds for one message but fails for a later one,
// SumManyAfter panics when it has set some digests.
func SumManyAfter[D ~[Size]byte](dst []D, prefix hash.Hash, msgs [][]byte) {
	sumManyAfter(convert.Digests[[Size]byte](dst), prefix, msgs)
}

func sumManyAfter(dst [][Size]byte, prefix hash.Hash, msgs [][]byte) {
	checkLengths("SumManyAfter", len(dst), len(msgs))
	if len(msgs) == 1 {
		sumAfter("SumManyAfter", &dst[0], prefix, msgs[0])
		return
	}
	d, taken := stateOf("SumManyAfter", prefix)
	if d == nil {
		sumManyForeign(dst, prefix, msgs)
		return
	}
	var p lanes.Prefix
	d.setPrefix(&p)
	lanes.SumManyAfter(dst, &p, msgs)
	taken.release()
}

// SumAfter returns the digest of the bytes written to prefix, followed by msg. It is
// [SumManyAfter] for one message: it leaves prefix as it is, and accepts the same prefixes.
// Concurrent calls may share a prefix where calls of SumManyAfter may. SumAfter does not
// hash the whole blocks of the prefix again. Once its pools are filled, it allocates
// nothing, unless it has to clone or restore prefix.
//
// SumAfter panics, before it touches anything, where SumManyAfter does.
func SumAfter(prefix hash.Hash, msg []byte) (sum [Size]byte) {
	sumAfter("SumAfter", &sum, prefix, msg)
	return sum
}

func sumAfter(function string, dst *[Size]byte, prefix hash.Hash, msg []byte) {
	if isTaken(prefix) && sumAfterStd(dst, prefix, msg) {
		return
	}
	d, taken := stateOf(function, prefix)
	if d == nil {
		*dst = sumOneForeign(function, prefix, msg)
		return
	}
	var p lanes.Prefix
	d.setPrefix(&p)
	if len(msg) > 0 {
		p.Sum(dst, msg)
	} else { // as package hmac does
		d.sum(dst)
	}
	taken.release()
}

// stateOf returns the state that prefix has reached, or nil if the state cannot be read.
// The caller reads the state, and then calls taken.release. stateOf panics, in the name of
// `function`, if prefix is nil or copied by value, or its Size is not 32.
func stateOf(function string, prefix hash.Hash) (d *digest, taken *takenState) {
	if d, ok := prefix.(*digest); ok && !d.is224 {
		return d, nil
	}
	return stateOfOther(function, prefix)
}

// stateOfOther is stateOf for a hash that New did not return.
func stateOfOther(function string, prefix hash.Hash) (d *digest, taken *takenState) {
	if wrong := misuse(prefix); wrong != "" {
		panic(fmt.Sprintf("sha256: %s: prefix %s", function, wrong))
	}
	if n := prefix.Size(); n != Size {
		panic(fmt.Sprintf("sha256: %s: prefix has digests of %d bytes, not %d", function, n, Size))
	}
	if d := flushedDigest(prefix); d != nil {
		return d, nil
	}
	if taken := take(prefix); taken != nil {
		return &taken.digest, taken
	}
	return nil, nil
}

// writtenTwice is what setPrefix panics with.
const writtenTwice = "sha256: two goroutines have written to a hash at the same time"

// setPrefix sets p to d. They share memory. It panics if d holds a whole block:
// two goroutines have written to d at the same time, and kernels would read before messages.
func (d *digest) setPrefix(p *lanes.Prefix) {
	held := d.n
	if held >= BlockSize {
		panic(writtenTwice)
	}
	p.H, p.Rest, p.Len = d.h, d.x[:held], d.len
}

func sumManyForeign(dst [][Size]byte, prefix hash.Hash, msgs [][]byte) {
	msg := func(i int) []byte { return msgs[i] }
	sumForeign("SumManyAfter", prefix, len(msgs), msg, func(i int, sum *[Size]byte) { dst[i] = *sum })
}

// sumOneForeign returns the digest, since sumForeign would move its destination to the heap.
func sumOneForeign(function string, prefix hash.Hash, msg []byte) (one [Size]byte) {
	sumForeign(function, prefix, 1, func(int) []byte { return msg }, func(_ int, sum *[Size]byte) { one = *sum })
	return one
}

// sumForeign calls put(i, sum) for each i from 0 to n-1, in order. sum is the digest of the
// bytes written to prefix, followed by msg(i). The state of prefix cannot be read.
func sumForeign(function string, prefix hash.Hash, n int, msg func(i int) []byte, put func(i int, sum *[Size]byte)) {
	var sum [Size]byte
	var cloneErr error
	at := 0
	if c, ok := prefix.(hash.Cloner); ok {
		// The first Clone shows whether prefix can be cloned, even if there are no messages.
		after, err := c.Clone()
		for ; err == nil; after, err = c.Clone() {
			if at < n {
				after.Write(msg(at))
				sumAlone(&sum, after)
				put(at, &sum)
				at++
			}
			if at >= n {
				return
			}
		}
		cloneErr = err
	}
	reset, err := resetter(function, prefix)
	if err != nil {
		panic(fmt.Sprintf("sha256: %s: a %T can be neither cloned nor restored: %v", function, prefix, cmp.Or(cloneErr, err)))
	}
	defer reset() // also if prefix panics, or reading a message faults
	for ; at < n; at++ {
		prefix.Write(msg(at))
		sumAlone(&sum, prefix)
		put(at, &sum)
		if at < n-1 {
			reset()
		}
	}
}

// resetter returns a function that sets h back to its present state. It returns an error if h
// does not accept that state now.
func resetter(function string, h hash.Hash) (reset func(), err error) {
	m, ok := h.(encoding.BinaryMarshaler)
	if !ok {
		return nil, errors.New("no MarshalBinary")
	}
	u, ok := h.(encoding.BinaryUnmarshaler)
	if !ok {
		return nil, errors.New("no UnmarshalBinary")
	}
	state, err := m.MarshalBinary()
	if err == nil {
		err = u.UnmarshalBinary(state)
	}
	if err != nil {
		return nil, err
	}
	return func() {
		if err := u.UnmarshalBinary(state); err != nil {
			panic(fmt.Sprintf("sha256: %s: restore a %T: %v", function, h, err))
		}
	}, nil
}
