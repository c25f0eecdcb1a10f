package main

import (
	stdpbkdf2 "crypto/pbkdf2"
	stdsha256 "crypto/sha256"
	"fmt"
	"sync"

	"github.com/sha256-simd/sha256-simd/pbkdf2"
)

// passwords is PBKDF2: many passwords at once, and goroutines with one each.
func passwords() section {
	s := section{
		title: "Passwords",
		about: "PBKDF2-HMAC-SHA256 with 4,096 iterations, keys of 32 bytes: by `pbkdf2.SumMany`; by goroutines that each want a key of one `Server`. " +
			"The others derive one key after the other.",
	}
	for _, n := range []int{1, 2, 4, 16, 32, 64} {
		s.rows = append(s.rows, passwordsAtOnce(n))
	}
	s.rows = append(s.rows, logins(64))
	return s
}

const iterations = 4096

func passwordRow(load string, n int, impls func(passwords, salts [][]byte) []impl) row {
	return row{
		bench: "PBKDF2", load: fmt.Sprintf("iter=%d/%s", iterations, load), digests: n, base: "crypto", byCPU: true,
		impls: func() []impl { return impls(messages(same(n, 12)...), messages(same(n, 16)...)) },
	}
}

// passwordsAtOnce has all passwords at hand.
func passwordsAtOnce(n int) row {
	return passwordRow(fmt.Sprintf("n=%d", n), n, func(passwords, salts [][]byte) []impl {
		iters := make([]int, n)
		for i := range iters {
			iters[i] = iterations
		}
		return []impl{
			{name: "sha256-simd", run: func(dst [][32]byte) { must(pbkdf2.SumMany(dst, passwords, salts, iters)) }},
			{name: "crypto", run: func(dst [][32]byte) {
				for i, p := range passwords {
					key, err := stdpbkdf2.Key(stdsha256.New, string(p), salts[i], iterations, 32)
					must(err)
					copy(dst[i][:], key)
				}
			}},
		}
	})
}

// logins has a goroutine for each password, on one P.
func logins(n int) row {
	r := passwordRow(fmt.Sprintf("goroutines=%d", n), n, func(passwords, salts [][]byte) []impl {
		with := func(key func(password string, salt []byte) ([]byte, error)) func([][32]byte) {
			return func(dst [][32]byte) {
				var wg sync.WaitGroup
				for i, p := range passwords {
					wg.Go(func() {
						key, err := key(string(p), salts[i])
						must(err)
						copy(dst[i][:], key)
					})
				}
				wg.Wait()
			}
		}
		var s pbkdf2.Server
		return []impl{
			{name: "sha256-simd", run: with(func(password string, salt []byte) ([]byte, error) {
				return s.Key(password, salt, iterations, 32)
			})},
			{name: "crypto", run: with(func(password string, salt []byte) ([]byte, error) {
				return stdpbkdf2.Key(stdsha256.New, password, salt, iterations, 32)
			})},
		}
	})
	r.procs = 1
	return r
}
