package sha256

import (
	"encoding"
	"hash"
	"sync"

	"github.com/sha256-simd/sha256-simd"
)

// Avx512ServerUID is the first number that the original's tests give to Write and Sum of a
// server. Any number will do.
const Avx512ServerUID = 16

// Avx512Digest is a hash of a server.
type Avx512Digest = sha256.Avx512Digest

// Avx512LaneInfo exists for its name only: nothing returns or takes it.
type Avx512LaneInfo struct{}

// An Avx512Server lets goroutines that each hold a hash share the lanes of the
// CPU, with AVX-512 or without. The zero value is ready to use. All methods may be
// called concurrently. A server that is dropped leaves nothing behind.
type Avx512Server struct {
	server sha256.Server

	mu      sync.Mutex
	streams map[uint64]*stream
}

// A stream is what Write and Sum know by a number.
type stream struct {
	mu   sync.Mutex
	hash hash.Hash
}

// NewAvx512Server returns a new server. It starts no goroutine.
func NewAvx512Server() *Avx512Server {
	return new(Avx512Server)
}

// NewAvx512 returns a new hash of a server. With a nil server, which the
// original does not allow, the hash works alone.
func NewAvx512(a512srv *Avx512Server) hash.Hash {
	if a512srv == nil {
		return sha256.NewAvx512(nil)
	}
	return sha256.NewAvx512(&a512srv.server)
}

// Process returns at once. In the original it is the loop of the server's
// goroutine; here the goroutines that write do the work.
func (a512srv *Avx512Server) Process() {}

// Write hashes the blocks of p into the stream uid, which begins with the first
// call that has this number. What follows the last whole block is not hashed,
// as in the original. It returns len(p) and no error.
func (a512srv *Avx512Server) Write(uid uint64, p []byte) (nn int, err error) {
	a512srv.mu.Lock()
	s := a512srv.streams[uid]
	if s == nil {
		if a512srv.streams == nil {
			a512srv.streams = make(map[uint64]*stream)
		}
		s = &stream{hash: NewAvx512(a512srv)}
		a512srv.streams[uid] = s
	}
	a512srv.mu.Unlock()
	s.write(p)
	return len(p), nil
}

// Sum is Write(uid, p), and then ends the stream and returns its state. That is
// the digest if p ends with the padding of the message, which the caller has to
// append, as in the original.
func (a512srv *Avx512Server) Sum(uid uint64, p []byte) [32]byte {
	a512srv.mu.Lock()
	s := a512srv.streams[uid]
	delete(a512srv.streams, uid)
	a512srv.mu.Unlock()
	if s == nil {
		s = &stream{hash: NewAvx512(a512srv)}
	}
	s.write(p)
	return s.state()
}

// write hashes the blocks of p.
func (s *stream) write(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hash.Write(p[:len(p)&^(BlockSize-1)])
}

// state returns the state after the blocks that were written.
func (s *stream) state() [Size]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A marshalled state begins with 4 bytes that name its kind.
	marshalled, err := s.hash.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic("sha256: a hash that cannot be marshalled: " + err.Error())
	}
	return [Size]byte(marshalled[4:])
}
