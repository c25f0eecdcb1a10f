package block

import (
	"crypto/sha256"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/race"
)

// Finish sets sum to the digest of a message of `length` bytes. rest is its end, from a block
// boundary on, and h is the state before rest. h stays as it is. sum may overlap rest. If the 64
// bytes from the last block boundary on lie on two pages, Go code pads the end (see onTwoPages).
func Finish(sum *[DigestSize]byte, h *State, rest []byte, length uint64) {
	whole := len(rest) &^ (Size - 1)
	vectors := inVectors.Load() && !onTwoPages(rest, whole)
	if vectors && len(rest) <= MaxOneCall {
		finishInVectors(sum, h, nil, rest, length)
		return
	}
	state := *h
	if whole > 0 {
		Compress(&state, rest[:whole])
		rest = rest[whole:]
	}
	switch {
	case vectors:
		finishInVectors(sum, &state, nil, rest, length)
	case len(rest) > maxRest:
		finishTwo(sum, &state, rest, length)
	default:
		finishOne(sum, &state, rest, length)
	}
}

// finishInVectors is FinishBehind by one call of assembly, of at most MaxOneCall bytes. It does not
// report to the race detector that h and first are read: whoever changes a state, or what a hash holds,
// also changes a length, which Go code reads.
func finishInVectors(sum *[DigestSize]byte, h *State, first, rest []byte, length uint64) {
	if race.Enabled {
		race.Read(rest)
		race.Write(sum[:])
	}
	finish(sum, h, unsafe.SliceData(first), len(first), unsafe.SliceData(rest), len(rest), int(length))
}

// finishOne is Finish for an end of one block. It changes h. Its tail is one block, not MaxTail: Go
// zeroes a tail by stores of 16 bytes that are aligned to 8. Where one of them crosses the end of a
// page, a message of one block takes twice as long (Granite Rapids). The fewer stores, the fewer such
// stack depths.
func finishOne(sum *[DigestSize]byte, h *State, rest []byte, length uint64) {
	var tail [Size]byte
	padZeros(tail[:], rest, length)
	Compress(h, tail[:])
	PutDigest(sum, h)
}

// finishTwo is Finish for an end of two blocks. It changes h.
func finishTwo(sum *[DigestSize]byte, h *State, rest []byte, length uint64) {
	var tail [MaxTail]byte
	padZeros(tail[:], rest, length)
	Compress(h, tail[:])
	PutDigest(sum, h)
}

// FinishBehind is Finish for an end in two pieces. The first piece is less than a block. sum may
// overlap either piece. FinishBehind is separate so that its callers have small frames. It does not
// ask whether the first piece is on two pages: nearly always, this is part of a block, or on the stack,
// so the memory behind it is there.
func FinishBehind(sum *[DigestSize]byte, h *State, first, m []byte, length uint64) {
	before := len(first)
	if InOneCall(before, m) {
		finishInVectors(sum, h, first, m, length)
		return
	}
	var begun [Size]byte
	Append(&begun, 0, first)
	if room := Size - before; len(m) >= room {
		Append(&begun, before, m[:room])
		state := *h
		Compress(&state, begun[:])
		Finish(sum, &state, m[room:], length)
		return
	}
	Append(&begun, before, m)
	Finish(sum, h, begun[:before+len(m)], length)
}

// HashBehind sets dst to the digest of first, which is less than a block, and m behind it. dst may
// overlap m.
func HashBehind(dst *[DigestSize]byte, first, m []byte) {
	n := len(first) + len(m)
	if UsesStd() && PaddedBlocks(n) <= MaxShort { // one call takes less time than restoring a state
		var message [MaxShort * Size]byte
		copy(message[copy(message[:], first):], m)
		*dst = sha256.Sum256(message[:n])
		return
	}
	FinishBehind(dst, &IV256, first, m, uint64(n))
}

// HashPadded sets dst to the digest of the first n bytes of padded, a few whole blocks that
// end with the padding of FIPS 180-4, section 5.1.1. dst may be part of them. HashPadded is for
// messages of a fixed length, whose padding is a constant. If InVectors returns true, Finish takes less
// time.
func HashPadded(dst *[DigestSize]byte, padded []byte, n int) {
	c := current()
	if c.single == useStd {
		*dst = sha256.Sum256(padded[:n])
		return
	}
	h := IV256
	compress(c, &h, unsafe.SliceData(padded), len(padded)/Size)
	PutDigest(dst, &h)
}
