package main

import (
	stdsha256 "crypto/sha256"
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
	"slices"

	minio "github.com/minio/sha256-simd"
	zeebo "github.com/zeebo/blake3"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
)

// manyMessages is a list of messages in one call, by count and length.
func manyMessages() section {
	mixed := []int{1 << 20}
	mixed = append(mixed, same(200, 4<<10)...)
	return section{
		title: "Many messages",
		about: "`SumMany` of a list of messages; the others hash them in a loop.",
		rows: []row{
			sumMany("size=8K/n=1", same(1, 8<<10)),
			sumMany("size=8K/n=2", same(2, 8<<10)),
			sumMany("size=8K/n=4", same(4, 8<<10)),
			sumMany("size=8K/n=8", same(8, 8<<10)),
			sumMany("size=8K/n=16", same(16, 8<<10)),
			sumMany("size=8K/n=32", same(32, 8<<10)),
			sumMany("size=8K/n=33", same(33, 8<<10)),
			sumMany("size=64K/n=32", same(32, 64<<10)),
			sumMany("size=4K/n=500", same(500, 4<<10)),
			sumMany("size=4000/n=500", same(500, 4000)),
			sumMany("size=1K/n=1000", same(1000, 1<<10)),
			sumMany("size=64/n=2000", same(2000, 64)),
			sumMany("size=20/n=2000", same(2000, 20)),
			sumMany("size=1-64K/n=600", logUniform(600, 1, 64<<10)),
			sumMany("size=1M+4K/n=1+200", mixed),
		},
	}
}

func sumMany(load string, sizes []int) row {
	total := 0
	for _, n := range sizes {
		total += n
	}
	return row{
		bench:   "SumMany",
		load:    load,
		bytes:   total,
		digests: len(sizes),
		base:    "crypto",
		impls: func() []impl {
			msgs := messages(sizes...)
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) { sha256.SumMany(dst, msgs) }},
				{name: "crypto", run: func(dst [][32]byte) { cryptoLoop(dst, msgs) }},
				{name: "minio", run: func(dst [][32]byte) { loop(minio.Sum256, dst, msgs) }},
				{name: "blake3-zeebo", other: true, run: func(dst [][32]byte) { loop(zeebo.Sum256, dst, msgs) }},
			}
		},
	}
}

// logUniform returns n lengths spread evenly between low and high on a
// logarithmic scale, in random order.
func logUniform(n, low, high int) []int {
	sizes := make([]int, n)
	ratio := float64(high) / float64(low)
	for i := range sizes {
		sizes[i] = int(math.Round(float64(low) * math.Pow(ratio, (float64(i)+0.5)/float64(n))))
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(n, func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	return sizes
}

// byLanes is each kernel, by the number of messages that there are.
func byLanes() section {
	return section{
		title: "Kernels, by messages side by side",
		about: "Each kernel alone, lanes without a message idle, beside `SumMany`, which chooses between them.",
		rows:  slices.Concat(kernelRows(4<<10), kernelRows(64<<10)),
	}
}

func kernelRows(size int) []row {
	var rows []row
	for n := 1; n <= 40; n++ {
		rows = append(rows, kernelRow(size, n))
	}
	return rows
}

func kernelRow(size, n int) row {
	r := sumMany(fmt.Sprintf("size=%s/n=%d", unit(size), n), same(n, size))
	r.bench = "Kernel"
	r.impls = func() []impl {
		msgs := messages(same(n, size)...)
		impls := []impl{
			{name: "SumMany", run: func(dst [][32]byte) { sha256.SumMany(dst, msgs) }},
			{name: "crypto", run: func(dst [][32]byte) { cryptoLoop(dst, msgs) }},
		}
		for _, k := range block.Kernels() {
			if k.Enabled {
				sum := kernelSum(k)
				impls = append(impls, impl{name: k.Name, run: func(dst [][32]byte) { sum(dst, msgs) }})
			}
		}
		return impls
	}
	return r
}

// kernelSum returns a function that hashes messages of one length, a number of
// whole blocks, as many side by side as k has lanes. Lanes that are left over
// work on the last of the messages, each with a state of its own.
func kernelSum(k block.Kernel) func(dst [][32]byte, msgs [][]byte) {
	var (
		states  [block.MaxLanes]block.State
		h       [block.MaxLanes]*block.State
		p       [block.MaxLanes]*byte
		padding [block.MaxTail]byte
	)
	return func(dst [][32]byte, msgs [][]byte) {
		size := len(msgs[0])
		block.Pad(&padding, nil, uint64(size))
		for len(msgs) > 0 {
			live := min(k.Lanes, len(msgs))
			for lane := range k.Lanes {
				states[lane] = block.IV256
				h[lane] = &states[lane]
			}
			for lane := range k.Lanes {
				p[lane] = &msgs[min(lane, live-1)][0]
			}
			for done := 0; done < size/block.Size; {
				n := min(k.Max, size/block.Size-done)
				k.Blocks(&h[0], &p[0], k.Lanes, 0, done, n, 1)
				done += n
			}
			for lane := range k.Lanes {
				p[lane] = &padding[0]
			}
			k.Blocks(&h[0], &p[0], k.Lanes, 0, 0, 1, 1)
			for lane := range live {
				block.PutDigest(&dst[lane], &states[lane])
			}
			dst, msgs = dst[live:], msgs[live:]
		}
	}
}

// hashes is many hashes that are written to side by side.
func hashes() section {
	return section{
		title: "Many hashes",
		about: "`WriteHashes` to hashes that go on, and `SumHashes`; the others write and sum in a loop.",
		rows: []row{
			writeHashes("size=8K/n=16", same(16, 8<<10), func(int) int { return 0 }),
			writeHashes("size=8K/n=32", same(32, 8<<10), func(int) int { return 0 }),
			writeHashes("size=1000/n=32/offset=odd", same(32, 1000), func(i int) int { return (2*i + 1) % 64 }),
			writeHashes("size=300/n=64/begun=20", same(64, 300), func(int) int { return 20 }),
			writeHashes("size=150-450/n=256/begun=20", spreadOf(256, 150, 450), func(int) int { return 20 }),
			freshHashes(), cryptoHashes(),
		},
	}
}

// writeHashes writes to hashes that are begun with some bytes, each time these sizes.
func writeHashes(load string, sizes []int, begun func(i int) int) row {
	n := len(sizes)
	return row{
		bench:   "WriteHashes",
		load:    load,
		bytes:   sum(sizes),
		digests: n,
		base:    "crypto",
		impls: func() []impl {
			data := messages(sizes...)
			begin := func(newHash func() hash.Hash) []hash.Hash {
				hs := newHashes(n, newHash)
				for i, h := range hs {
					h.Write(make([]byte, begun(i)))
				}
				return hs
			}
			ours, std, peer := begin(sha256.New), begin(stdsha256.New), begin(minio.New)
			return []impl{
				{name: "sha256-simd", hashes: ours, run: func([][32]byte) { sha256.WriteHashes(ours, data) }},
				{name: "crypto", hashes: std, run: func([][32]byte) { writeEach(std, data) }},
				{name: "minio", hashes: peer, run: func([][32]byte) { writeEach(peer, data) }},
			}
		},
	}
}

func writeEach(hs []hash.Hash, data [][]byte) {
	for i, h := range hs {
		h.Write(data[i])
	}
}

// freshHashes is WriteHashes and SumHashes over hashes that begin.
func freshHashes() row {
	const n, size = 1000, 100
	return row{
		bench:   "SumHashes",
		load:    "size=100/n=1000",
		bytes:   n * size,
		digests: n,
		base:    "crypto",
		impls: func() []impl {
			data := messages(same(n, size)...)
			each := func(newHash func() hash.Hash) func(dst [][32]byte) {
				hs := newHashes(n, newHash)
				return func(dst [][32]byte) {
					for i, h := range hs {
						h.Reset()
						h.Write(data[i])
						h.Sum(dst[i][:0])
					}
				}
			}
			ours := newHashes(n, sha256.New)
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					for _, h := range ours {
						h.Reset()
					}
					sha256.WriteHashes(ours, data)
					sha256.SumHashes(dst, ours)
				}},
				{name: "crypto", run: each(stdsha256.New)},
				{name: "minio", run: each(minio.New)},
			}
		},
	}
}

// cryptoHashes is SumHashes of hashes of crypto/sha256 that were written to before: only
// their ends are hashed.
func cryptoHashes() row {
	const n, size = 1000, 100
	return row{
		bench:   "SumHashes",
		load:    "size=100/n=1000/of=crypto",
		bytes:   n * (size % sha256.BlockSize),
		digests: n,
		base:    "crypto",
		impls: func() []impl {
			hs := newHashes(n, stdsha256.New)
			writeEach(hs, messages(same(n, size)...))
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) { sha256.SumHashes(dst, hs) }},
				{name: "crypto", run: func(dst [][32]byte) {
					for i, h := range hs {
						h.Sum(dst[i][:0])
					}
				}},
			}
		},
	}
}
