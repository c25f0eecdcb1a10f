package main

import (
	stdsha256 "crypto/sha256"
	"fmt"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
)

// unequalMessages is lists of short messages of unequal length, in cache, each
// beside the list of as many messages of the middle length.
func unequalMessages() section {
	s := section{
		title: "Messages of unequal length",
		about: "Lists in cache of messages of unequal length, one behind the other in random order. Below each list is its twin, " +
			"as many messages of the middle length. By CPU time.",
	}
	for _, l := range []struct{ n, low, high int }{
		{1000, 16, 24},
		{1000, 20, 55},
		{1000, 20, 119},
		{1000, 60, 70},
		{1000, 20, 200},
		{1000, 100, 240},
		{1000, 200, 300},
		{1000, 100, 1000},
		{64, 20, 200},
		{16, 20, 200},
	} {
		s.rows = append(s.rows, unequal("Unequal", l.n, l.low, l.high, "", func(msgs [][]byte) []impl {
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) { sha256.SumMany(dst, msgs) }},
				{name: "crypto", run: func(dst [][32]byte) { cryptoLoop(dst, msgs) }},
			}
		})...)
	}
	s.rows = append(s.rows, unequal("UnequalSumManyAfter", 1000, 20, 200, "", func(msgs [][]byte) []impl { return behind(random(1), msgs) })...)
	for _, high := range []int{119, 200} {
		s.rows = append(s.rows, unequal("UnequalHMAC", 1000, 20, high, "", authenticated)...)
	}
	s.rows = append(s.rows, unequal("UnequalLeafHashes", 1000, 30, 60, "", leafHashes)...)
	for _, l := range []struct{ n, low, high int }{{1000, 100, 400}, {1000, 30, 60}, {100_000, 100, 400}} {
		s.rows = append(s.rows, unequal("UnequalRFC6962", l.n, l.low, l.high, "cometbft", func(leaves [][]byte) []impl {
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) { dst[0] = rfc6962.Root(leaves) }},
				cometRoot(leaves),
			}
		})...)
	}
	return s
}

// leafHashes hashes leaves of RFC 6962.
func leafHashes(leaves [][]byte) []impl {
	return []impl{
		{name: "sha256-simd", run: func(dst [][32]byte) { rfc6962.LeafHashes(dst, leaves) }},
		{name: "crypto", run: func(dst [][32]byte) {
			h := stdsha256.New()
			for i, leaf := range leaves {
				h.Reset()
				h.Write([]byte{0})
				h.Write(leaf)
				h.Sum(dst[i][:0])
			}
		}},
	}
}

// unequal returns the row of n messages of low to high bytes, and the row of
// its twin of equal lengths. The base is crypto, or one whose row has a single
// digest.
func unequal(bench string, n, low, high int, base string, impls func(msgs [][]byte) []impl) []row {
	middle := (low + high) / 2
	rows := []row{
		{load: fmt.Sprintf("size=%d-%d/n=%d", low, high, n), bytes: sum(spreadOf(n, low, high)), impls: func() []impl {
			return impls(packed.place(spreadOf(n, low, high)))
		}},
		{load: fmt.Sprintf("size=%d/n=%d", middle, n), bytes: n * middle, impls: func() []impl {
			return impls(packed.place(same(n, middle)))
		}},
	}
	for i := range rows {
		r := &rows[i]
		r.bench, r.digests, r.base, r.byCPU = bench, n, "crypto", true
		if base != "" {
			r.digests, r.base = 1, base
		}
	}
	rows[0].twin = rows[1].name()
	return rows
}

// bySpread is lists of the same number of bytes whose lengths are spread more and
// more about a mean.
func bySpread() section {
	const bytes = 400_000
	s := section{
		title: "Lengths more or less unequal",
		about: "`SumMany` of lists in cache, 400,000 bytes each, by how far lengths lie from their mean at most, in per cent of it; `crypto` of the mean of 1,000 bytes.",
	}
	for percent := 0; percent <= 90; percent += 10 {
		list := func(mean int) [][]byte {
			return packed.place(spreadOf(bytes/mean, mean-mean*percent/100, mean+mean*percent/100))
		}
		s.rows = append(s.rows, row{
			bench:   "Spread",
			load:    fmt.Sprintf("percent=%d", percent),
			bytes:   bytes,
			digests: bytes / 100,
			base:    "crypto",
			byCPU:   true,
			impls: func() []impl {
				var impls []impl
				for _, mean := range []int{1000, 100, 300, 4000} {
					msgs := list(mean)
					impls = append(impls, impl{
						name: fmt.Sprintf("mean of %d bytes", mean), other: mean != 1000,
						run: func(dst [][32]byte) { sha256.SumMany(dst[:len(msgs)], msgs) },
					})
				}
				msgs := list(1000)
				return append(impls, impl{name: "crypto", run: func(dst [][32]byte) { cryptoLoop(dst, msgs) }})
			},
		})
	}
	return s
}
