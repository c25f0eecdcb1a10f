package block

import (
	"encoding"
	"encoding/binary"
	"hash"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/noescape"
)

const (
	// MarshaledSize is the length of a Marshaled in bytes.
	MarshaledSize = PartialAt + Size + 8
	// PartialAt is where in a Marshaled the partial block begins.
	PartialAt = len(Magic256) + len(State{})*4
)

// A Marshaled is the marshalled form of a hash of crypto/sha256. It consists of Magic224 or
// Magic256, the state, the partial block padded with zeros, and the length.
type Marshaled [MarshaledSize]byte

// Magic224 and Magic256 identify a state of SHA-224 and SHA-256.
const (
	Magic224 = "sha\x02"
	Magic256 = "sha\x03"
)

// Encode sets m to a state. magic is Magic224 or Magic256, x the partial block.
func (m *Marshaled) Encode(magic string, h *State, x []byte, length uint64) {
	copy(m[:], magic)
	for i, v := range h {
		binary.BigEndian.PutUint32(m[len(Magic256)+4*i:], v)
	}
	clear(m[PartialAt+copy(m[PartialAt:], x) : PartialAt+Size])
	binary.BigEndian.PutUint64(m[PartialAt+Size:], length)
}

// Decode sets h to the state in m. It returns the partial block and the length in bytes.
func (m *Marshaled) Decode(h *State) (x *[Size]byte, length uint64) {
	for i := range h {
		h[i] = binary.BigEndian.Uint32(m[len(Magic256)+4*i:])
	}
	return (*[Size]byte)(m[PartialAt:]), binary.BigEndian.Uint64(m[PartialAt+Size:])
}

// StdHash has the methods of the hashes of crypto/sha256 that this library uses.
type StdHash interface {
	hash.Hash
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// Read sets m to the state of h, which crypto/sha256's New or New224 returned. It reports
// whether it is a state of SHA-256. m does not escape: h keeps no memory that it appends to.
func (m *Marshaled) Read(h StdHash) bool {
	b, err := h.AppendBinary((*Marshaled)(noescape.Pointer(unsafe.Pointer(m)))[:0])
	return err == nil && len(b) == len(m) && unsafe.SliceData(b) == &m[0] && string(m[:len(Magic256)]) == Magic256
}
