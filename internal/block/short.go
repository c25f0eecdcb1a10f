package block

import (
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/cpu"
	"github.com/sha256-simd/sha256-simd/internal/race"
)

// A Slot is room for a short message with its padding, and for the state into which it is
// compressed. Slots may be parts of larger structures: functions take the distance between
// them.
type Slot struct {
	Scratch [5 * Size]byte
	H       State
}

// MaxShort is the largest number of blocks that PadShort assembles for a message: the bytes
// in front, the message and the padding. Scratch has room for one block more.
const MaxShort = len(Slot{}.Scratch)/Size - 1

// A Front is what precedes each of many messages.
type Front struct {
	H State // after whole blocks
	// The whole blocks are followed by less than a block: `Before` bytes. The last `HeadSize`
	// of these differ from message to message, and are in Heads. Rest holds the first
	// Before-HeadSize bytes, followed by zeros.
	Rest             [Size]byte
	Before, HeadSize int
	Heads            []byte // HeadSize bytes for each message
	Len              uint64 // in bytes, with all blocks and the Before bytes
}

// A shortRoutine selects the code for PadShort and PutDigests.
type shortRoutine uint8

const (
	inGo shortRoutine = iota
	inAVX512
	inSSSE3
	inNEON
	allShort
)

// shortRoutines replace the Go code of PadShort and PutDigests. Like kernels, they can be
// disabled, but only by their instruction sets. The preferred ones come first. They are in
// no catalog: they compress nothing.
var shortRoutines = [allShort]Spec{
	inAVX512: {Name: "short_avx512", Arch: "amd64", Needs: cpu.BMI2 | cpu.AVX512F | cpu.AVX512BW | cpu.AVX512VL},
	inSSSE3:  {Name: "short_ssse3", Arch: "amd64", Needs: cpu.SSSE3},
	inNEON:   {Name: "short_neon", Arch: "arm64"},
}

// short returns the preferred routine among those that s allows, this build contains and
// the CPU can run.
func (s *Selection) short(usable cpu.Features) shortRoutine {
	for r := inAVX512; r < allShort && len(headers) > 0; r++ {
		if k := shortRoutines[r]; k.Arch == headers[0].Arch && usable.Has(k.Needs) && s.Allows(k) {
			return r
		}
	}
	return inGo
}

// ShortInVectors reports whether messages of one length are to be assembled by a routine
// that uses vector registers. If `whole` is set, messages are whole blocks with nothing in
// front. Such messages can also be hashed where they lie, with one padding for all.
// ShortInVectors then returns true with AVX-512 alone. With SSSE3 on Zen 3, assembling
// costs up to 8% less for 8 to 64 messages, but up to 3% more for 4 and for 1,000. NEON
// follows SSSE3, unmeasured.
func ShortInVectors(whole bool) bool {
	in := current().short
	return in == inAVX512 || (in != inGo && !whole)
}

// PadShort assembles a message in each slot: slot i gets the bytes that f puts in front,
// then msgs[numbers[i]], then the padding (FIPS 180-4, section 5.1.1). PadShort sets the
// slot's state to f.H. A slot gets at most MaxShort blocks. The slots are `stride` bytes
// apart.
func PadShort(slots *Slot, stride uintptr, f *Front, msgs [][]byte, numbers []uint16) {
	if race.Enabled {
		for i, number := range numbers {
			race.Read(msgs[number])
			race.Read(f.Heads[int(number)*f.HeadSize:][:f.HeadSize])
			race.Write(slotAt(slots, stride, i).Scratch[:])
		}
	}
	in := current().short
	if in == inGo {
		for i, number := range numbers {
			f.pad(slotAt(slots, stride, i), msgs[number], int(number))
		}
		return
	}
	padShort(in, slots, stride, unsafe.SliceData(msgs), unsafe.SliceData(numbers), len(numbers), f)
}

// pad is PadShort for message number i.
func (f *Front) pad(slot *Slot, m []byte, i int) {
	slot.H = f.H
	if f.Before > 0 {
		*(*[Size]byte)(slot.Scratch[:]) = f.Rest
		if f.HeadSize > 0 {
			copy(slot.Scratch[f.Before-f.HeadSize:], f.Heads[i*f.HeadSize:][:f.HeadSize])
		}
	}
	PadBehind(slot.Scratch[:], f.Before, m, f.Len+uint64(len(m)))
}

// PadBehind appends m to the first `before` bytes of scratch. Then it appends the padding
// of a message of `length` bytes.
func PadBehind(scratch []byte, before int, m []byte, length uint64) {
	whole := (before + len(m)) &^ (Size - 1)
	switch {
	case whole > 0:
		copy(scratch[before:whole], m)
		m = m[whole-before:]
	case before > 0:
		var together [Size]byte
		n := copy(together[:], scratch[:before])
		m = together[:n+copy(together[n:], m)]
	}
	Pad((*[MaxTail]byte)(scratch[whole:]), m, length)
}

// PutDigests stores the first `size` bytes of each slot's digest in dst. Slot i's digest
// goes to offset numbers[i]·rowStride. If `next` is not nil, PutDigests then sets the
// states of the slots to *next. The slots are `stride` bytes apart. All digests must fit
// into dst.
func PutDigests(dst []byte, size, rowStride int, numbers []uint16, slots *Slot, stride uintptr, next *State) {
	if race.Enabled {
		for _, number := range numbers {
			race.Write(dst[int(number)*rowStride:][:size])
		}
	}
	if in := current().short; in != inGo {
		putDigests(in, unsafe.SliceData(dst), size, rowStride, unsafe.SliceData(numbers), len(numbers), slots, stride, next)
		return
	}
	for i, number := range numbers {
		slot, row := slotAt(slots, stride, i), dst[int(number)*rowStride:]
		if size == DigestSize {
			PutDigest((*[DigestSize]byte)(row), &slot.H)
		} else {
			var sum [DigestSize]byte
			PutDigest(&sum, &slot.H)
			copy(row[:size], sum[:])
		}
		if next != nil {
			slot.H = *next
		}
	}
}

// slotAt returns slot i of slots that are `stride` bytes apart.
func slotAt(slots *Slot, stride uintptr, i int) *Slot {
	return (*Slot)(unsafe.Add(unsafe.Pointer(slots), uintptr(i)*stride))
}
