package sha256

import "hash"

// Avx512Server is [Server], under its name in github.com/minio/sha256-simd. It
// works on every CPU.
type Avx512Server = Server

// Avx512Digest is the type of a [Server]'s hashes. The zero Avx512Digest belongs to
// no Server, and works alone. Its method Clone copies it. A copy made by value
// panics if it is used before Reset.
type Avx512Digest = serverHash

// NewAvx512Server is [NewServer].
func NewAvx512Server() *Avx512Server { return NewServer() }

// NewAvx512 returns s.New(). The hash of a nil Server works alone.
func NewAvx512(s *Avx512Server) hash.Hash { return s.New() }
