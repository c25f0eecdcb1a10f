// Package sha256 implements SHA-256 and SHA-224 as defined in FIPS 180-4, for
// one message and for many at once.
//
// [New], [New224], [Sum256] and [Sum224] replace those of crypto/sha256: a
// program changes one import. [SumMany], [WriteMany] and [SumHashes] go where
// crypto/sha256 cannot: they hash up to 32 messages side by side on the calling
// goroutine's core. With AVX-512 SumMany hashes 16 messages or more of similar
// length 2 to 5 times as fast as a loop. It is for messages in memory,
// [SumManyAfter] for messages that begin alike, WriteMany and SumHashes are for
// streams that one goroutine feeds, and a [Server] is for goroutines that each
// have a hash of their own.
//
// Functions may be called concurrently, as long as they write to different
// memory and hashes. A hash is for one goroutine at a time.
//
// Every function gives the same bytes on every GOOS and GOARCH, with or without
// assembly; the build tag purego leaves the assembly out. The functions that
// compress blocks are called kernels here, and the places that one has for
// messages its lanes. [Selected] reports which of them were chosen for this
// machine. The environment variable SHA256SIMD_DISABLE, read when the program
// starts, disables kernels: its words, separated by commas, are ssse3, avx,
// avx2, shani, avx512, sha2 and neon, each for all the kernels named after that
// instruction set, or the full name of one kernel, such as x4_shani.
//
// In FIPS 140-3 mode the validated module behind crypto/sha256 does the work of
// every function here. Under GODEBUG=fips140=only, crypto/hmac refuses the
// hashes of this package, as it does all that are not the module's own.
package sha256
