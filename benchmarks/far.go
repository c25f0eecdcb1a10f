package main

import (
	stdsha256 "crypto/sha256"
	"fmt"
	"hash"
	"math/rand/v2"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
	simdhmac "github.com/sha256-simd/sha256-simd/hmac"
)

// farBytes is the size of a list that no last-level cache holds: at least eight
// times the cache of any CPU in results.
const farBytes = 256 << 20

// A layout says where the messages of a list lie.
type layout string

const (
	// packed messages follow each other, at odd addresses as a rule.
	packed layout = "packed"
	// allocated messages are each a slice of their own, in random order.
	allocated layout = "allocated"
	// near messages overlap: all lie in as much memory as the longest takes, a
	// cache line apart.
	near layout = "near"
)

// place returns random messages of these sizes.
func (l layout) place(sizes []int) [][]byte {
	msgs := make([][]byte, len(sizes))
	switch l {
	case packed:
		copy(msgs, messages(append([]int{1}, sizes...)...)[1:])
	case allocated:
		for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(len(sizes)) {
			msgs[i] = random(sizes[i])
		}
	case near:
		const apart, places = 64, 32
		longest := 0
		for _, n := range sizes {
			longest = max(longest, n)
		}
		data := random(longest + apart*places)
		for i, n := range sizes {
			at := i % places * apart
			msgs[i] = data[at : at+n : at+n]
		}
	}
	return msgs
}

// spread returns lengths from low to high, spread evenly, in random order, whose
// sum is about total.
func spread(total, low, high int) []int {
	return spreadOf(max(1, 2*total/(low+high)), low, high)
}

// spreadOf returns n lengths from low to high, spread evenly, in random order.
func spreadOf(n, low, high int) []int {
	sizes := make([]int, n)
	for i := range sizes {
		sizes[i] = low + i*(high-low)/max(1, n-1)
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(n, func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	return sizes
}

func sum(sizes []int) int {
	total := 0
	for _, n := range sizes {
		total += n
	}
	return total
}

// A list is lengths of messages and where these lie.
type list struct {
	name  string
	sizes []int
	where layout
}

func (l list) load() string { return fmt.Sprintf("size=%s/n=%d/%s", l.name, len(l.sizes), l.where) }

// near returns the list's twin in cache.
func (l list) near() list {
	l.where = near
	return l
}

// farMessages is lists that are far larger than any cache, each beside the list
// of the same lengths in cache.
func farMessages() section {
	s := section{
		title: "Far messages",
		about: "Lists of 256 MiB, far larger than any cache: messages one behind the other (`packed`) or each allocated (`allocated`). " +
			"Below each list is its twin of the same lengths in cache (`near`). `FarSum256` is one message at a time of 512 MiB in all, " +
			"`FarWrite` 512 MiB written to one hash. By CPU time.",
	}
	for _, l := range []list{
		{"1000000", same(farBytes/1_000_000, 1_000_000), packed},
		{"256K-2M", spread(farBytes, 256<<10, 2<<20), allocated},
		{"20000-180000", spread(farBytes, 20_000, 180_000), packed},
		{"16K-64K", spread(farBytes, 16<<10, 64<<10), allocated},
		{"4K", same(farBytes>>12, 4<<10), packed},
		{"1000-4000", spread(farBytes, 1000, 4000), packed},
		{"1000-3000", spread(farBytes, 1000, 3000), allocated},
	} {
		s.rows = append(s.rows, pair("FarSumMany", l, farSumMany)...)
	}
	for _, size := range []int{1 << 20, 32 << 20, 512 << 20} {
		s.rows = append(s.rows, farOne(size))
	}
	s.rows = append(s.rows, farWrite())
	for _, l := range []list{
		{"1000-4000", spread(farBytes, 1000, 4000), packed},
	} {
		s.rows = append(s.rows, pair("FarSumManyAfter", l, farSumManyAfter)...)
		s.rows = append(s.rows, pair("FarHMAC", l, farHMAC)...)
		s.rows = append(s.rows, pair("FarRFC6962", l, farRFC6962)...)
	}
	for _, write := range []int{4 << 10, 64 << 10, 1000 << 10} {
		far := list{unit(write), same(32, farBytes/32), packed}
		s.rows = append(s.rows, pair("FarWriteHashes", far, func(l list) row { return farWriteHashes(l, write) })...)
	}
	for _, write := range []int{32 << 10, 1 << 20} {
		far := list{unit(write), same(64, farBytes/64), packed}
		s.rows = append(s.rows, pair("FarServer", far, func(l list) row { return farServer(l, write) })...)
	}
	return s
}

// pair returns the row of a list and the row of its twin in cache.
func pair(bench string, l list, of func(list) row) []row {
	rows := []row{of(l), of(l.near())}
	for i, l := range []list{l, l.near()} {
		r := &rows[i]
		r.bench, r.load, r.bytes, r.byCPU = bench, l.load(), sum(l.sizes), true
		if r.digests == 0 {
			r.digests = len(l.sizes)
		}
		if r.base == "" {
			r.base = "crypto"
		}
	}
	rows[0].twin = rows[1].name()
	return rows
}

func farSumMany(l list) row {
	return row{impls: func() []impl {
		msgs := l.where.place(l.sizes)
		return []impl{
			{name: "sha256-simd", run: func(dst [][32]byte) { sha256.SumMany(dst, msgs) }},
			{name: "crypto", run: func(dst [][32]byte) { cryptoLoop(dst, msgs) }},
		}
	}}
}

// farOneBytes is the size of what is hashed as one message at a time.
const farOneBytes = 512 << 20

// farOne is messages of that size, one at a time.
func farOne(size int) row {
	n := farOneBytes / size
	return row{
		bench: "FarSum256", load: fmt.Sprintf("size=%s/n=1", unit(size)), bytes: farOneBytes, digests: n, base: "crypto", byCPU: true,
		impls: func() []impl {
			msgs := packed.place(same(n, size))
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					for i, m := range msgs {
						dst[i] = sha256.Sum256(m)
					}
				}},
				{name: "crypto", run: func(dst [][32]byte) { cryptoLoop(dst, msgs) }},
			}
		},
	}
}

// farWrite is one message that is written piece by piece.
func farWrite() row {
	const write = 32 << 10
	return row{
		bench: "FarWrite", load: "write=" + unit(write), bytes: farOneBytes, digests: 1, base: "crypto", byCPU: true,
		impls: func() []impl {
			data := random(farOneBytes)
			with := func(h hash.Hash) func(dst [][32]byte) {
				return func(dst [][32]byte) {
					h.Reset()
					for at := 0; at < len(data); at += write {
						h.Write(data[at:][:write])
					}
					h.Sum(dst[0][:0])
				}
			}
			return []impl{
				{name: "sha256-simd", run: with(sha256.New())},
				{name: "crypto", run: with(stdsha256.New())},
			}
		},
	}
}

func farSumManyAfter(l list) row {
	return row{impls: func() []impl {
		return behind(random(1), l.where.place(l.sizes))
	}}
}

// behind hashes messages behind a prefix.
func behind(prefix []byte, msgs [][]byte) []impl {
	ours, std := sha256.New(), stdsha256.New()
	ours.Write(prefix)
	return []impl{
		{name: "sha256-simd", run: func(dst [][32]byte) { sha256.SumManyAfter(dst, ours, msgs) }},
		{name: "crypto", run: func(dst [][32]byte) {
			for i, m := range msgs {
				std.Reset()
				std.Write(prefix)
				std.Write(m)
				std.Sum(dst[i][:0])
			}
		}},
	}
}

func farHMAC(l list) row {
	return row{impls: func() []impl { return authenticated(l.where.place(l.sizes)) }}
}

// authenticated computes the MACs of messages by one key.
func authenticated(msgs [][]byte) []impl {
	key := random(32)
	ours, std := simdhmac.NewKey(key), newCryptoHMAC(key)
	return []impl{
		{name: "sha256-simd", run: func(dst [][32]byte) { ours.SumMany(dst, msgs) }},
		{name: "crypto", run: func(dst [][32]byte) { eachAfterReset(std, dst, msgs) }},
	}
}

func farRFC6962(l list) row {
	return row{digests: 1, base: "cometbft", impls: func() []impl {
		leaves := l.where.place(l.sizes)
		return []impl{
			{name: "sha256-simd", run: func(dst [][32]byte) { dst[0] = rfc6962.Root(leaves) }},
			cometRoot(leaves),
		}
	}}
}

// farWriteHashes writes the messages of a list side by side, in writes of the
// given size.
func farWriteHashes(l list, write int) row {
	return row{impls: func() []impl {
		msgs := l.where.place(l.sizes)
		steps := func(newHash func() hash.Hash, writeHashes func([]hash.Hash, [][]byte)) func(dst [][32]byte) {
			hs, data := newHashes(len(msgs), newHash), make([][]byte, len(msgs))
			return func(dst [][32]byte) {
				for _, h := range hs {
					h.Reset()
				}
				for at := 0; at < len(msgs[0]); at += write {
					for i, m := range msgs {
						data[i] = m[at:min(at+write, len(m))]
					}
					writeHashes(hs, data)
				}
				for i, h := range hs {
					h.Sum(dst[i][:0])
				}
			}
		}
		return []impl{
			{name: "sha256-simd", run: steps(sha256.New, sha256.WriteHashes)},
			{name: "crypto", run: steps(stdsha256.New, writeEach)},
		}
	}}
}

// farServer has a goroutine for each message, which writes it in pieces of the
// given size.
func farServer(l list, write int) row {
	return row{impls: func() []impl {
		msgs := l.where.place(l.sizes)
		with := func(newHash func() hash.Hash) func(dst [][32]byte) {
			return func(dst [][32]byte) {
				eachOnItsGoroutine(dst, newHash, 1, func(i int, h hash.Hash) {
					for m := msgs[i]; len(m) > 0; {
						n := min(write, len(m))
						h.Write(m[:n])
						m = m[n:]
					}
				})
			}
		}
		srv := sha256.NewServer()
		return []impl{
			{name: "sha256-simd", run: with(srv.New), stop: func() { srv.Close() }},
			{name: "crypto", run: with(stdsha256.New)},
		}
	}}
}

// byListSize is lists of messages of 16 KiB, by the size of the list.
func byListSize() section {
	const size = 16 << 10
	s := section{
		title: "Lists of any size",
		about: "`SumMany` of messages of 16 KiB, by the size of the list: at even addresses, each on a page of its own, and at odd addresses, one behind the other.",
	}
	for bytes := 64 << 10; bytes <= 1<<30; bytes *= 2 {
		n := bytes / size
		s.rows = append(s.rows, row{
			bench:   "ListSize",
			load:    fmt.Sprintf("bytes=%s/size=16K", unit(bytes)),
			bytes:   bytes,
			digests: n,
			base:    "crypto",
			byCPU:   true,
			impls: func() []impl {
				data := random(bytes + 4096 + 1)
				even, odd := make([][]byte, n), make([][]byte, n)
				page := onPage(data)
				for i := range n {
					even[i] = data[page+i*size:][:size]
					odd[i] = data[page+1+i*size:][:size]
				}
				return []impl{
					{name: "SumMany, even addresses", run: func(dst [][32]byte) { sha256.SumMany(dst, even) }},
					{name: "SumMany, odd addresses", other: true, run: func(dst [][32]byte) { sha256.SumMany(dst, odd) }},
					{name: "crypto", run: func(dst [][32]byte) { cryptoLoop(dst, even) }},
				}
			},
		})
	}
	return s
}
