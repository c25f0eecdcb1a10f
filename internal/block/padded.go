package block

import (
	"crypto/sha256"
	"unsafe"
)

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
