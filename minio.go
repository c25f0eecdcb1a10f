package sha256

import "hash"

// Avx512Server is [Server] by the name that users of
// github.com/minio/sha256-simd know. It works on every CPU.
type Avx512Server = Server

// Avx512Digest is the type of a [Server]'s hashes. The zero Avx512Digest is a
// hash of no server. To copy one, use its method Clone: a copy made by value
// panics when it is used before Reset.
type Avx512Digest = serverHash

// NewAvx512Server is [NewServer].
func NewAvx512Server() *Avx512Server { return NewServer() }

// NewAvx512 is [Server.New] of s. The hash of a nil server never works
// side by side with others.
func NewAvx512(s *Avx512Server) hash.Hash { return s.New() }
