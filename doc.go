// Package sha256 implements SHA-256 and SHA-224 as defined in FIPS 180-4, for
// one message and for many at once.
//
// [New], [New224], [Sum256] and [Sum224] replace those of crypto/sha256: a
// program changes one import. [SumMany], [WriteMany] and [SumHashes] go where
// crypto/sha256 cannot: they hash up to 32 messages side by side on the calling
// goroutine's core, with AVX-512 about 3 to 5 times as fast. SumMany is for
// messages in memory, [SumManyAfter] for messages that begin alike, WriteMany and
// SumHashes are for streams that one goroutine feeds, and a [Server] is for
// goroutines that each have a hash of their own.
//
// Functions may be called concurrently, as long as they write to different
// memory and hashes. A hash is for one goroutine at a time.
//
// Every function gives the same bytes on every GOOS and GOARCH, with or without
// assembly; the build tag purego leaves the assembly out. [Selected] tells what
// was chosen for this machine. The environment variable SHA256SIMD_DISABLE, read
// when the program starts, switches kernels off: its words, separated by commas,
// are ssse3, avx, avx2, shani, avx512, sha2 and neon, each for all the kernels
// that use that instruction set, or the full name of one kernel.
//
// In FIPS 140-3 mode the validated module behind crypto/sha256 does the work of
// every function here. Under GODEBUG=fips140=only, crypto/hmac refuses the
// hashes of this package, as it does all that are not the module's own.
package sha256
