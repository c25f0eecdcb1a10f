package main

import (
	stdsha256 "crypto/sha256"
	"fmt"
	"math/rand/v2"

	sha256 "github.com/sha256-simd/sha256-simd"
)

// hashChains is SumChains: chains of one length, and of lengths that differ.
func hashChains() section {
	s := section{
		title: "Hash chains",
		about: "`SumChains`: in a chain each digest is the digest of the one before. In the last rows lengths are random, from 1 to 2,000 and from 0 to 15. " +
			"crypto follows one chain after the other.",
	}
	for _, n := range []int{1, 2, 4, 16, 32, 64} {
		steps := make([]int, n)
		for i := range steps {
			steps[i] = 1000
		}
		s.rows = append(s.rows, chainsRow("steps=1000", steps))
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, l := range []struct{ n, low, high int }{{600, 1, 2000}, {1000, 0, 15}} {
		steps := make([]int, l.n)
		for i := range steps {
			steps[i] = l.low + r.IntN(l.high-l.low+1)
		}
		s.rows = append(s.rows, chainsRow(fmt.Sprintf("steps=%d-%d", l.low, l.high), steps))
	}
	return s
}

func chainsRow(load string, steps []int) row {
	n := len(steps)
	total := 0
	for _, k := range steps {
		total += k
	}
	return row{
		bench: "SumChains", load: fmt.Sprintf("%s/n=%d", load, n), bytes: 32 * total, digests: n, base: "crypto",
		impls: func() []impl {
			seeds := make([][32]byte, n)
			for i := range seeds {
				seeds[i] = stdsha256.Sum256([]byte{byte(i), byte(i >> 8)})
			}
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					copy(dst, seeds)
					sha256.SumChains(dst, steps)
				}},
				{name: "crypto", run: func(dst [][32]byte) {
					for i, d := range seeds {
						for range steps[i] {
							d = stdsha256.Sum256(d[:])
						}
						dst[i] = d
					}
				}},
			}
		},
	}
}
