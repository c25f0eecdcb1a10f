package main

import (
	"hash"
	"sync"

	"github.com/klauspost/cpuid/v2"
	minio "github.com/minio/sha256-simd"
)

// serverPeers returns minio's server, if this CPU can run it: it does not check. It has
// a goroutine that nothing ends, and that a timer wakes every microsecond.
func serverPeers(with func(newHash func() hash.Hash) func(dst [][32]byte)) []impl {
	if !cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL) {
		return nil
	}
	return []impl{{name: "minio", alone: true, run: with(func() hash.Hash { return minio.NewAvx512(minioServer()) })}}
}

var minioServer = sync.OnceValue(minio.NewAvx512Server)
