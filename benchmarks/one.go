package main

import (
	"crypto/md5"
	"crypto/sha1"
	stdsha256 "crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"

	minio "github.com/minio/sha256-simd"
	zeebo "github.com/zeebo/blake3"
	"golang.org/x/crypto/blake2b"
	lukechampine "lukechampine.com/blake3"

	"github.com/sha256-simd/sha256-simd"
)

// oneMessage is one message at a time, by its length.
func oneMessage() section {
	s := section{
		title: "One message",
		about: "`Sum256` of one message, and for orientation other hash functions.",
	}
	for _, size := range []int{0, 8, 55, 64, 256, 1 << 10, 8 << 10, 64 << 10, 1 << 20} {
		s.rows = append(s.rows, row{
			bench:   "Sum256",
			load:    "size=" + unit(size),
			bytes:   size,
			digests: 1,
			base:    "crypto",
			impls: func() []impl {
				m := random(size)
				return []impl{
					{name: "sha256-simd", run: func(dst [][32]byte) { dst[0] = sha256.Sum256(m) }},
					{name: "crypto", run: func(dst [][32]byte) { dst[0] = stdsha256.Sum256(m) }},
					{name: "minio", run: func(dst [][32]byte) { dst[0] = minio.Sum256(m) }},
					{name: "md5", other: true, run: func(dst [][32]byte) { sum := md5.Sum(m); copy(dst[0][:], sum[:]) }},
					{name: "sha1", other: true, run: func(dst [][32]byte) { sum := sha1.Sum(m); copy(dst[0][:], sum[:]) }},
					{name: "sha512", other: true, run: func(dst [][32]byte) { sum := sha512.Sum512(m); copy(dst[0][:], sum[:]) }},
					{name: "blake2b", other: true, run: func(dst [][32]byte) { dst[0] = blake2b.Sum256(m) }},
					{name: "blake3-zeebo", other: true, run: func(dst [][32]byte) { dst[0] = zeebo.Sum256(m) }},
					{name: "blake3-lukechampine", other: true, run: func(dst [][32]byte) { dst[0] = lukechampine.Sum256(m) }},
				}
			},
		})
	}
	return s
}

// byLength is each way to use the library, by the length of the messages.
func byLength() section {
	const n = 64
	s := section{
		title: "Ways to hash, by length",
		about: fmt.Sprintf("%d messages, by each part of the library that could hash them; for `Server`, each on a goroutine started for it.", n),
	}
	for size := 16; size <= 1<<20; size *= 2 {
		s.rows = append(s.rows, row{
			bench:   "Length",
			load:    fmt.Sprintf("size=%s/n=%d", unit(size), n),
			bytes:   n * size,
			digests: n,
			base:    "crypto.Sum256",
			impls: func() []impl {
				msgs := messages(same(n, size)...)
				hs := newHashes(n, sha256.New)
				srv := sha256.NewServer()
				return []impl{
					{name: "SumMany", run: func(dst [][32]byte) { sha256.SumMany(dst, msgs) }},
					{name: "WriteHashes", run: func(dst [][32]byte) {
						for _, h := range hs {
							h.Reset()
						}
						sha256.WriteHashes(hs, msgs)
						sha256.SumHashes(dst, hs)
					}},
					{name: "Server", stop: func() { srv.Close() }, run: func(dst [][32]byte) {
						eachOnItsGoroutine(dst, srv.New, 1, func(i int, h hash.Hash) { h.Write(msgs[i]) })
					}},
					{name: "New", run: func(dst [][32]byte) {
						for i, m := range msgs {
							h := sha256.New()
							h.Write(m)
							h.Sum(dst[i][:0])
						}
					}},
					{name: "Sum256", run: func(dst [][32]byte) {
						for i, m := range msgs {
							dst[i] = sha256.Sum256(m)
						}
					}},
					{name: "crypto.Sum256", run: func(dst [][32]byte) { cryptoLoop(dst, msgs) }},
				}
			},
		})
	}
	return s
}

// cryptoLoop hashes messages as a program without this library does.
func cryptoLoop(dst [][32]byte, msgs [][]byte) {
	for i, m := range msgs {
		dst[i] = stdsha256.Sum256(m)
	}
}

// loop hashes messages one after the other.
func loop(sum func([]byte) [32]byte, dst [][32]byte, msgs [][]byte) {
	for i, m := range msgs {
		dst[i] = sum(m)
	}
}

// same returns n times size.
func same(n, size int) []int {
	sizes := make([]int, n)
	for i := range sizes {
		sizes[i] = size
	}
	return sizes
}

func newHashes(n int, newHash func() hash.Hash) []hash.Hash {
	hs := make([]hash.Hash, n)
	for i := range hs {
		hs[i] = newHash()
	}
	return hs
}
