// Package sha256 implements SHA-256 and SHA-224 as defined in FIPS 180-4, for
// one message and for many at once.
//
// [New], [New224], [Sum256] and [Sum224] replace the functions of the same names
// in crypto/sha256: a program changes one import. The other functions hash up to
// 32 messages side by side on one core:
//
//   - [SumMany] is for messages in memory. With AVX-512 it hashes 16 messages or
//     more of similar length 2 to 5 times as fast as a loop; [SumMany224] is for SHA-224;
//   - [SumSeq] is for messages that arrive one by one;
//   - [SumManyAfter] is for messages behind one prefix, [SumAfter] for one such message;
//   - [SumRows] is for messages at regular distances in a buffer;
//   - [SumChains] follows hash chains;
//   - [WriteHashes] and [SumHashes] are for streams that one goroutine feeds;
//   - a [Server] is for goroutines that each have a hash.
//
// Functions that take lists of messages or hashes run on the calling goroutine. To use more
// cores, give each of several goroutines a part of the list.
//
// Package streams reads and hashes many streams, such as files, or the parts of one large
// object. Package hashtree and the packages below it compute Merkle trees. Package
// composite computes checksums of objects in parts. Packages hmac and pbkdf2 compute what
// their names say. Package pow searches for proofs of work. Functions that read streams or
// an io.ReaderAt may start goroutines; this package starts none.
//
// A list of digests may be a []ID, where ID is declared as [32]byte. The functions write
// to the list itself. A literal nil in its place needs a type, as in [][32]byte(nil).
//
// Goroutines may call all functions concurrently, as long as they write to
// different memory and hashes. A hash is for one goroutine at a time.
//
// "Once its pools are filled" means after the first calls, which also allocate while they
// decide which kernels run.
//
// Every function returns the same digests on every GOOS and GOARCH, with or without
// assembly. The build tag purego leaves the assembly out.
//
// A kernel is a function that compresses blocks. A lane is a kernel's place for one
// message. [Selected] reports the kernels that were chosen for this machine. The
// environment variable SHA256SIMD_DISABLE, a list of words separated by commas, disables
// kernels. The package reads it once, before it first hashes or answers Selected. Each of
// the words ssse3, avx, avx2, shani, avx512, sha2 and neon disables the kernels that have
// this instruction set in their names; the full name of a kernel, such as x4_shani,
// disables this kernel alone. Each of avx512, ssse3 and neon also disables the routines
// for short messages that use it. Each of avx512 and shani disables the routines for
// pieces and ends of messages. As in Go's own packages, GODEBUG=cpu.avx2=off and the like
// switch off an extension of the instruction set, and the extensions that build on it.
//
// In FIPS 140-3 mode the Go Cryptographic Module behind crypto/sha256 does every
// compression. Under GODEBUG=fips140=only, crypto/hmac refuses the hashes of this package,
// as it refuses all hashes from outside the module. In programs built with
// GOEXPERIMENT=boringcrypto, BoringCrypto does the work.
//
// Some names are only for users of other libraries. [Avx512Server], [Avx512Digest],
// [NewAvx512Server] and [NewAvx512] are names of github.com/minio/sha256-simd; here
// they mean the Server and its hashes, on every CPU. [SumCmp256] and [SumToNum256] are
// names of a fork of that library, made for mining the Krist currency. New programs
// need none of them.
package sha256

//go:generate go run -C _asm . ../internal/block
