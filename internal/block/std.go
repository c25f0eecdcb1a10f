package block

import (
	"bytes"
	"crypto/sha256"
	"sync"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/noescape"
)

// stdState is a crypto/sha256 hash together with room for its marshalled form.
type stdState struct {
	hash StdHash
	// buf is the marshalled form that x1_std builds and reads: the identifier,
	// the state, an empty block buffer and a length of zero. crypto/sha256
	// takes no notice of the length but for its position in the block.
	buf  []byte
	room Marshaled // for buf
}

var stdPool = sync.Pool{New: func() any {
	s := &stdState{hash: sha256.New().(StdHash)}
	var err error
	s.buf, err = s.hash.AppendBinary(s.room[:0])
	if err != nil || !bytes.HasPrefix(s.buf, []byte(Magic256)) {
		panic("sha256: crypto/sha256 does not marshal its state as documented")
	}
	return s
}}

// x1_std compresses by crypto/sha256. The state moves through a pooled hash of
// that package, so its callers keep one concrete type and allocate nothing.
// It serves architectures for which this package has no kernel, where
// crypto/sha256 has assembly, and FIPS 140-3 mode, where the validated module
// must do the work.
func x1_std(h *State, p *byte, n int) {
	s := stdPool.Get().(*stdState)
	(*Marshaled)(s.buf).Encode(Magic256, h, nil, 0)
	if err := s.hash.UnmarshalBinary(s.buf); err != nil {
		panic("sha256: crypto/sha256 refuses its own state: " + err.Error())
	}
	s.hash.Write(unsafe.Slice((*byte)(noescape.Pointer(unsafe.Pointer(p))), n*Size))
	s.buf, _ = s.hash.AppendBinary(s.buf[:0])
	(*Marshaled)(s.buf).Decode(h)
	stdPool.Put(s)
}
