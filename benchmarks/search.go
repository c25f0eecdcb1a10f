package main

import (
	"context"
	stdsha256 "crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	minio "github.com/minio/sha256-simd"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
	"github.com/sha256-simd/sha256-simd/pow"
)

// search is the search for a nonce, by the length of the prefix: Krist's is 22
// bytes, after 45 every nonce takes two blocks, and 49 leave one digit to the
// second.
func search() section {
	return section{
		title: "Nonce search",
		about: "`pow.Search.Find` after a prefix, and each of its kernels; the others hash the same messages in a loop. " +
			"Not GB/s here, but millions of nonces a second are GB/s × 1,000 ÷ (prefix + 16).",
		rows: []row{searchRow(22), searchRow(0), searchRow(45), searchRow(49), searchRow(100)},
	}
}

func searchRow(prefix int) row {
	const n = 1 << 14
	return row{
		bench: "Search",
		load:  fmt.Sprintf("prefix=%d/n=%s", prefix, unit(n)),
		bytes: n * (prefix + 16),
		base:  "crypto",
		impls: func() []impl {
			s := pow.Search{Prefix: []byte(strings.Repeat("x", prefix))}
			msgs := make([][]byte, n)
			for i := range msgs {
				msgs[i] = fmt.Appendf(nil, "%s%016x", s.Prefix, i)
			}
			// No value is 0, so that all of the nonces are tried.
			find := func([][32]byte) {
				if nonce, err := s.Find(context.Background(), 0, 0, n); !errors.Is(err, pow.ErrExhausted) {
					panic(fmt.Sprintf("nonce %d: %v", nonce, err))
				}
			}
			impls := []impl{
				{name: "sha256-simd", run: find},
				{name: "crypto", run: func([][32]byte) {
					for _, m := range msgs {
						d := stdsha256.Sum256(m)
						refuse(&d)
					}
				}},
				{name: "minio", run: func([][32]byte) {
					for _, m := range msgs {
						d := minio.Sum256(m)
						refuse(&d)
					}
				}},
			}
			for _, k := range block.SearchKernels() {
				if k.Enabled {
					impls = append(impls, impl{name: k.Name, run: func(dst [][32]byte) {
						restore, _ := block.Force(k.Name)
						defer restore()
						if used := lanes.SearchKernel(); used == nil || used.Name != k.Name {
							must(fmt.Errorf("%s is not used where it is forced", k.Name))
						}
						find(dst)
					}})
				}
			}
			return impls
		},
	}
}

// refuse looks whether a digest's value is 0, which would be a nonce found.
func refuse(digest *[32]byte) {
	if binary.BigEndian.Uint64(digest[:])>>16 == 0 {
		panic("a nonce of value 0")
	}
}
