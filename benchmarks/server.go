package main

import (
	stdsha256 "crypto/sha256"
	"fmt"
	"hash"
	"sync"

	"github.com/sha256-simd/sha256-simd"
)

// server is goroutines that each write to a hash of their own.
func server() section {
	s := section{
		title: "Server",
		about: "Goroutines that each write messages to a hash of their own, by the hashes of one `Server`.",
	}
	for _, procs := range []int{1, 2} {
		add := func(goroutines, size, write int) {
			r := serverRow(goroutines, size, write)
			r.procs = procs
			s.rows = append(s.rows, r)
		}
		for _, goroutines := range []int{1, 4, 16, 64, 256} {
			for _, write := range []int{64, 1 << 10, 4 << 10, 32 << 10, 1 << 20} {
				size := 1 << 20
				if goroutines == 256 && write < size {
					size = 64 << 10
				}
				add(goroutines, size, write)
			}
		}
		add(256, 1<<10, 1<<10)
	}
	return s
}

// serverBytes is what all the goroutines together hash at least, so that to
// start them counts for little.
const serverBytes = 4 << 20

// serverRow has goroutines write messages of size bytes, write bytes at a time.
func serverRow(goroutines, size, write int) row {
	msgs := max(1, serverBytes/(goroutines*size))
	return row{
		bench:   "Server",
		load:    fmt.Sprintf("goroutines=%d/size=%s/write=%s", goroutines, unit(size), unit(write)),
		bytes:   goroutines * msgs * size,
		digests: goroutines,
		base:    "crypto",
		impls: func() []impl {
			data := messages(same(goroutines, write)...)
			with := func(newHash func() hash.Hash) func(dst [][32]byte) {
				return func(dst [][32]byte) {
					eachOnItsGoroutine(dst, newHash, msgs, func(i int, h hash.Hash) {
						for n := 0; n < size; n += write {
							h.Write(data[i])
						}
					})
				}
			}
			srv := sha256.NewServer()
			return append([]impl{
				{name: "sha256-simd", run: with(srv.New), stop: func() { srv.Close() }},
				{name: "crypto", run: with(stdsha256.New)},
			}, serverPeers(with)...)
		},
	}
}

// eachOnItsGoroutine starts a goroutine for each digest, which times over
// hashes what write writes.
func eachOnItsGoroutine(dst [][32]byte, newHash func() hash.Hash, times int, write func(i int, h hash.Hash)) {
	var wg sync.WaitGroup
	for i := range dst {
		wg.Go(func() {
			for range times {
				h := newHash()
				write(i, h)
				h.Sum(dst[i][:0])
			}
		})
	}
	wg.Wait()
}
