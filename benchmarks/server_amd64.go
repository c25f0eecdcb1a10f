package main

import (
	"hash"
	"sync"

	"github.com/klauspost/cpuid/v2"
	minio "github.com/minio/sha256-simd"
)

// serverPeers returns minio's server, where it can run: it does not look
// itself. Nothing ends its goroutine, so there is one for good.
func serverPeers(with func(newHash func() hash.Hash) func(dst [][32]byte)) []impl {
	if !cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL) {
		return nil
	}
	return []impl{{name: "minio", run: with(func() hash.Hash { return minio.NewAvx512(minioServer()) })}}
}

var minioServer = sync.OnceValue(minio.NewAvx512Server)
