package soak

import (
	"bytes"
	"context"
	stdhmac "crypto/hmac"
	stdpbkdf2 "crypto/pbkdf2"
	stdsha256 "crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/composite"
	"github.com/sha256-simd/sha256-simd/hashtree"
	"github.com/sha256-simd/sha256-simd/hashtree/bep52"
	"github.com/sha256-simd/sha256-simd/hashtree/bitcoin"
	"github.com/sha256-simd/sha256-simd/hashtree/nmt"
	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
	"github.com/sha256-simd/sha256-simd/hashtree/sha256tree"
	"github.com/sha256-simd/sha256-simd/hashtree/verity"
	"github.com/sha256-simd/sha256-simd/hmac"
	"github.com/sha256-simd/sha256-simd/internal/test/guard"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
	"github.com/sha256-simd/sha256-simd/pbkdf2"
	"github.com/sha256-simd/sha256-simd/pow"
	"github.com/sha256-simd/sha256-simd/streams"
)

// An operation does something with public functions, compares what comes of it
// with crypto/sha256, and returns how many bytes were hashed.
type operation struct {
	name string
	do   func(w *worker) (bytes int, err error)
}

var operations = []operation{
	{"Sum256, Sum224", sums},
	{"New", func(w *worker) (int, error) { return w.use(sha256.New(), stdsha256.New()) }},
	{"New224", func(w *worker) (int, error) { return w.use(sha256.New224(), stdsha256.New224()) }},
	{"Server.New", func(w *worker) (int, error) { return w.use(w.server().New(), stdsha256.New()) }},
	{"NewAvx512", func(w *worker) (int, error) { return w.use(sha256.NewAvx512(w.server()), stdsha256.New()) }},
	{"Server.Sum256", serverSum},
	{"Server.Close", serverClose},
	{"SumMany", sumMany},
	{"SumMany224", sumMany224},
	{"SumSeq", sumSeq},
	{"SumManyAfter, SumAfter", sumManyAfter},
	{"SumRows", strides},
	{"SumChains", hashChains},
	{"WriteHashes, SumHashes", lists},
	{"hmac", macs},
	{"pbkdf2", passwords},
	{"SumCmp256, SumToNum256", krist},
	{"hashtree.Hash", nodes},
	{"hashtree.Root", root},
	{"rfc6962", logs},
	{"bitcoin", transactions},
	{"bep52.Sum", torrent},
	{"verity", verityRoots},
	{"composite.Sum", compositeSum},
	{"streams.Sum", readStreams},
	{"streams.Parts", readParts},
	{"streams.NewBlocks", writeBlocks},
	{"hmac.Sum, hmac.New", oneMAC},
	{"bitcoin.Sums", doubleSums},
	{"sha256tree", bazelTree},
	{"nmt", namespaces},
	{"pow", search},
	{"faults", faults},
}

// differs returns an error unless got is want.
func differs(what string, got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	return fmt.Errorf("%s: %x, want %x", what, got, want)
}

func sums(w *worker) (int, error) {
	p := w.message()
	sum, want := sha256.Sum256(p), stdsha256.Sum256(p)
	if err := differs("Sum256", sum[:], want[:]); err != nil {
		return 0, err
	}
	sum224, want224 := sha256.Sum224(p), stdsha256.Sum224(p)
	return 2 * len(p), differs("Sum224", sum224[:], want224[:])
}

// use does a few random things to h, and the same to std.
func (w *worker) use(h, std hash.Hash) (total int, err error) {
	for range 1 + w.IntN(12) {
		switch w.IntN(10) {
		default:
			p := w.copy(w.message())
			h.Write(p)
			std.Write(p)
			total += len(p)
			// What was written is the caller's again.
			for i := 0; i < len(p); i += 61 {
				p[i]++
			}
		case 0:
			if err := differs("Sum", h.Sum(nil), std.Sum(nil)); err != nil {
				return total, err
			}
		case 1:
			h.Reset()
			std.Reset()
		case 2:
			c, err := h.(hash.Cloner).Clone()
			if err != nil {
				return total, err
			}
			h.Write(w.message()) // does not change its clone
			h = c
		case 3:
			b, err := h.(hashtest.State).MarshalBinary()
			if err != nil {
				return total, err
			}
			want, err := std.(hashtest.State).MarshalBinary()
			if err != nil {
				return total, err
			}
			if err := differs("MarshalBinary", b, want); err != nil {
				return total, err
			}
			h.Write(w.message())
			if err := h.(hashtest.State).UnmarshalBinary(want); err != nil {
				return total, err
			}
		}
	}
	return total, differs("Sum", h.Sum(nil), std.Sum(nil))
}

func serverSum(w *worker) (int, error) {
	p := w.message()
	got, want := w.server().Sum256(p), stdsha256.Sum256(p)
	return len(p), differs("Server.Sum256", got[:], want[:])
}

// serverClose closes the server that all use, and gives them another. A hash of
// the closed one goes on.
func serverClose(w *worker) (int, error) {
	if w.IntN(50) > 0 {
		return 0, nil
	}
	was := w.servers.Swap(sha256.NewServer())
	h, std := was.New(), stdsha256.New()
	total := 0
	for i := range 4 {
		if i == 2 {
			if err := was.Close(); err != nil {
				return total, err
			}
		}
		p := w.message()
		h.Write(p)
		std.Write(p)
		total += len(p)
	}
	return total, differs("after Close", h.Sum(nil), std.Sum(nil))
}

// messages returns up to most messages, at times of equal length.
func (w *worker) messages(most int) [][]byte {
	msgs := make([][]byte, w.IntN(most+1))
	equal := w.IntN(3) == 0
	for i := range msgs {
		msgs[i] = w.message()
		if equal && i > 0 {
			n := min(len(msgs[0]), 8<<10)
			at := w.IntN(len(data) - n)
			msgs[0], msgs[i] = msgs[0][:n], data[at:at+n]
		}
	}
	return msgs
}

func size(msgs [][]byte) (n int) {
	for _, m := range msgs {
		n += len(m)
	}
	return n
}

func sumMany(w *worker) (int, error) {
	msgs := w.messages(80)
	dst := make([][sha256.Size]byte, len(msgs))
	sha256.SumMany(dst, msgs)
	for i, m := range msgs {
		if want := stdsha256.Sum256(m); dst[i] != want {
			return 0, fmt.Errorf("SumMany: message %d of %d: %x, want %x", i, len(msgs), dst[i], want)
		}
	}
	return size(msgs), nil
}

func sumMany224(w *worker) (int, error) {
	msgs := w.messages(80)
	dst := make([][sha256.Size224]byte, len(msgs))
	sha256.SumMany224(dst, msgs)
	for i, m := range msgs {
		if want := stdsha256.Sum224(m); dst[i] != want {
			return 0, fmt.Errorf("SumMany224: message %d of %d: %x, want %x", i, len(msgs), dst[i], want)
		}
	}
	return size(msgs), nil
}

// sumSeq leaves some loops early, and some by a panic of the source.
func sumSeq(w *worker) (total int, err error) {
	msgs := w.messages(150)
	last, broken := w.IntN(2*len(msgs)+1), w.IntN(4*len(msgs)+1)
	defer func() {
		if recover() != nil && broken >= len(msgs) {
			err = errors.New("SumSeq: a panic that is not the source's")
		}
	}()
	n := 0
	for i, sum := range sha256.SumSeq(func(yield func(int, []byte) bool) {
		for i, m := range msgs {
			if i == broken {
				panic("a source is broken")
			}
			if !yield(i, m) {
				return
			}
		}
	}) {
		if want := stdsha256.Sum256(msgs[i]); i != n || sum != want {
			return total, fmt.Errorf("SumSeq: message %d of %d, the %dth: %x, want %x", i, len(msgs), n, sum, want)
		}
		total += len(msgs[i])
		if n++; i == last {
			return total, nil
		}
	}
	if n != len(msgs) {
		return total, fmt.Errorf("SumSeq: %d digests of %d messages", n, len(msgs))
	}
	return total, nil
}

func sumManyAfter(w *worker) (int, error) {
	msgs, prefix, std := w.messages(80), sha256.New(), hashtest.WithClone(stdsha256.New)()
	p := w.message()
	prefix.Write(p)
	std.Write(p)
	dst := make([][sha256.Size]byte, len(msgs))
	sha256.SumManyAfter(dst, prefix, msgs)
	for i, m := range msgs {
		c, err := std.(hash.Cloner).Clone()
		if err != nil {
			return 0, err
		}
		c.Write(m)
		if err := differs(fmt.Sprintf("SumManyAfter: message %d of %d", i, len(msgs)), dst[i][:], c.Sum(nil)); err != nil {
			return 0, err
		}
	}
	if len(msgs) == 0 {
		return 0, nil
	}
	last := msgs[len(msgs)-1]
	one, after := sha256.SumAfter(std, last), dst[len(dst)-1]
	if err := differs("SumAfter", one[:], after[:]); err != nil {
		return 0, err
	}
	return size(msgs), nil
}

// strides hashes rows of a buffer in place: each digest replaces the end of its row.
func strides(w *worker) (int, error) {
	n, row, digest := 1+w.IntN(100), 32+w.IntN(300), 1+w.IntN(32)
	buf := bytes.Clone(data[w.IntN(1000):][:n*row])
	want := bytes.Clone(buf)
	for i := range n {
		sum := stdsha256.Sum256(want[i*row:][:row])
		copy(want[i*row+row-digest:], sum[:digest])
	}
	sha256.SumRows(
		sha256.Rows{Data: buf[row-digest:], Size: digest, Stride: row}, nil, sha256.Rows{Data: buf, Size: row, Stride: row}, n)
	if !bytes.Equal(buf, want) {
		return 0, fmt.Errorf("SumRows: %d rows of %d bytes: wrong first %d bytes of digests", n, row, digest)
	}
	return n * row, nil
}

// hashChains follows chains of up to 200 steps.
func hashChains(w *worker) (int, error) {
	n := 1 + w.IntN(100)
	digests, steps := make([][32]byte, n), make([]int, n)
	want := make([][32]byte, n)
	all := 0
	for i := range digests {
		digests[i] = stdsha256.Sum256(data[i : i+w.IntN(100)])
		steps[i] = w.IntN(200)
		want[i] = digests[i]
		for range steps[i] {
			want[i] = stdsha256.Sum256(want[i][:])
		}
		all += steps[i]
	}
	sha256.SumChains(digests, steps)
	for i := range want {
		if err := differs(fmt.Sprintf("SumChains: %d steps of chain %d of %d", steps[i], i, n), digests[i][:], want[i][:]); err != nil {
			return 0, err
		}
	}
	return 32 * all, nil
}

// logins is shared by all workers.
var logins pbkdf2.Server

func passwords(w *worker) (int, error) {
	n := w.IntN(40)
	dst, iters := make([][32]byte, n), make([]int, n)
	secrets, salts := make([][]byte, n), make([][]byte, n)
	for i := range n {
		secrets[i], salts[i], iters[i] = data[w.IntN(1000):][:w.IntN(100)], data[w.IntN(1000):][:w.IntN(100)], 1+w.IntN(50)
	}
	if err := pbkdf2.SumMany(dst, secrets, salts, iters); err != nil {
		return 0, err
	}
	for i := range n {
		length := 1 + w.IntN(100)
		want, err := stdpbkdf2.Key(stdsha256.New, string(secrets[i]), salts[i], iters[i], max(length, 32))
		if err != nil {
			return 0, err
		}
		if err := differs(fmt.Sprintf("pbkdf2: SumMany: key %d of %d", i, n), dst[i][:], want[:32]); err != nil {
			return 0, err
		}
		got, err := logins.Key(string(secrets[i]), salts[i], iters[i], length)
		if err != nil {
			return 0, err
		}
		if err := differs("pbkdf2: Server.Key", got, want[:length]); err != nil {
			return 0, err
		}
	}
	return n * 25 * 128, nil
}

func macs(w *worker) (int, error) {
	msgs := w.messages(60)
	secrets, keys := make([][]byte, len(msgs)), make([]*hmac.Key, len(msgs))
	for i := range msgs {
		secrets[i] = data[w.IntN(1000):][:w.IntN(100)]
		keys[i] = hmac.NewKey(secrets[i])
	}
	dst := make([][32]byte, len(msgs))
	compare := func(name string, secret func(i int) []byte) error {
		for i, m := range msgs {
			std := stdhmac.New(stdsha256.New, secret(i))
			std.Write(m)
			if err := differs(fmt.Sprintf("hmac: %s: message %d of %d", name, i, len(msgs)), dst[i][:], std.Sum(nil)); err != nil {
				return err
			}
		}
		return nil
	}
	hmac.SumMany(dst, keys, msgs)
	if err := compare("SumMany", func(i int) []byte { return secrets[i] }); err != nil || len(msgs) == 0 {
		return 0, err
	}
	keys[0].SumMany(dst, msgs)
	if err := compare("Key.SumMany", func(int) []byte { return secrets[0] }); err != nil {
		return 0, err
	}
	one := keys[0].Sum(msgs[0])
	if err := differs("hmac: Key.Sum", one[:], dst[0][:]); err != nil {
		return 0, err
	}
	// All verify but the last, with a bit changed.
	dst[len(dst)-1][w.IntN(32)] ^= 1
	ok, codes := make([]bool, len(msgs)), make([][]byte, len(msgs))
	for i := range codes {
		codes[i] = dst[i][:]
	}
	for name, verify := range map[string]func(){
		"Key.VerifyMany": func() { keys[0].VerifyMany(ok, codes, msgs) },
		"VerifyMany":     func() { hmac.VerifyMany(ok, slices.Repeat(keys[:1], len(msgs)), codes, msgs) },
	} {
		clear(ok)
		verify()
		for i, got := range ok {
			if want := i < len(ok)-1; got != want {
				return 0, fmt.Errorf("hmac: %s of message %d of %d: %v", name, i, len(ok), got)
			}
		}
	}
	return 2 * size(msgs), nil
}

// lists writes to hashes of all kinds, some of them more than once.
func lists(w *worker) (total int, err error) {
	n := w.IntN(60)
	hs, stds := make([]hash.Hash, n), make([]hash.Hash, n)
	for i := range hs {
		stds[i] = stdsha256.New()
		switch k := w.IntN(20); {
		case k == 0 && i > 0:
			j := w.IntN(i)
			hs[i], stds[i] = hs[j], stds[j]
		case k == 1:
			hs[i] = stdsha256.New()
		case k < 6:
			hs[i] = w.server().New()
		default:
			hs[i] = sha256.New()
		}
	}
	for range 1 + w.IntN(3) {
		msgs := w.messages(n)
		sha256.WriteHashes(hs[:len(msgs)], msgs)
		for i, m := range msgs {
			stds[i].Write(m)
		}
		total += size(msgs)
		dst := make([][sha256.Size]byte, n)
		sha256.SumHashes(dst, hs)
		for i, h := range stds {
			if err := differs(fmt.Sprintf("SumHashes: hash %d of %d", i, n), dst[i][:], h.Sum(nil)); err != nil {
				return total, err
			}
		}
	}
	return total, nil
}

// number48 returns the first 48 bits of a digest.
func number48(sum [32]byte) uint64 { return binary.BigEndian.Uint64(sum[:]) >> 16 }

func krist(w *worker) (int, error) {
	const length = 41
	at := w.IntN(len(data) - length)
	var block [sha256.BlockSize]byte
	copy(block[:], data[at:at+length])
	block[length] = 0x80
	binary.BigEndian.PutUint16(block[sha256.BlockSize-2:], 8*length)
	want := number48(stdsha256.Sum256(block[:length]))
	if got := sha256.SumToNum256(block[:]); uint64(got) != want {
		return 0, fmt.Errorf("SumToNum256: %d, want %d", got, want)
	}
	work := w.Uint32()
	if got := sha256.SumCmp256(block[:], work); got != (want <= uint64(work)) {
		return 0, fmt.Errorf("SumCmp256 of %d and %d: %v", want, work, got)
	}
	return 2 * sha256.BlockSize, nil
}

// chunks returns n 32-byte chunks at any alignment.
func (w *worker) chunks(n int) []byte {
	at := w.IntN(len(data) - 32*n)
	return w.copy(data[at : at+32*n])
}

func nodes(w *worker) (int, error) {
	src := w.chunks(2 * w.IntN(200))
	n := len(src) / 64
	want := make([]byte, 0, 32*n)
	for i := range n {
		sum := stdsha256.Sum256(src[64*i : 64*i+64])
		want = append(want, sum[:]...)
	}
	dst := src
	if w.IntN(2) == 0 {
		dst = make([]byte, 32*n+32)[:32*n]
	}
	if w.IntN(2) == 0 {
		if err := hashtree.HashByteSlice(dst, src); err != nil {
			return 0, err
		}
	} else if n > 0 {
		d, s := unsafe.Slice((*[32]byte)(dst), len(dst)/32), unsafe.Slice((*[32]byte)(src), 2*n)
		if err := hashtree.Hash(d, s); err != nil {
			return 0, err
		}
	}
	return len(src), differs("nodes", dst[:32*n], want)
}

func root(w *worker) (int, error) {
	n := 1 + w.IntN(200)
	if w.IntN(20) == 0 {
		n += 2048
	}
	leaves := array(w.chunks(n))
	limit := uint64(n + w.IntN(5000))
	got, err := hashtree.Root(leaves, limit)
	if err != nil {
		return 0, err
	}
	var zero [32]byte
	level := leaves
	for width := uint64(1); width < limit; width *= 2 {
		if len(level)%2 != 0 {
			level = append(level, zero)
		}
		for i := range len(level) / 2 {
			level[i] = node(level[2*i], level[2*i+1])
		}
		level = level[:len(level)/2]
		zero = node(zero, zero)
	}
	return 64 * n, differs("Root", got[:], level[0][:])
}

// array returns the chunks of p.
func array(p []byte) [][32]byte {
	return slices.Collect(func(yield func([32]byte) bool) {
		for c := range slices.Chunk(p, 32) {
			if !yield([32]byte(c)) {
				return
			}
		}
	})
}

// logs builds the tree of a transparency log, all at once and in two parts, and
// proves and verifies what it says.
func logs(w *worker) (int, error) {
	leaves := w.messages(60)
	hashes := make([][32]byte, len(leaves))
	rfc6962.LeafHashes(hashes, leaves)
	var ranges rfc6962.Range
	old := w.IntN(len(leaves) + 1)
	ranges.Append(leaves[:old])
	oldRoot := ranges.Root()
	ranges.Append(leaves[old:])
	got, grown, want := rfc6962.Root(leaves), ranges.Root(), logRoot(leaves)
	if err := differs("rfc6962: Root", got[:], want[:]); err != nil {
		return 0, err
	}
	if err := differs("rfc6962: Range", grown[:], want[:]); err != nil {
		return 0, err
	}
	if len(leaves) == 0 {
		return 0, nil
	}
	i := w.IntN(len(leaves))
	proof, err := rfc6962.InclusionProof(hashes, i)
	if err != nil {
		return 0, err
	}
	n := uint64(len(leaves))
	if err := rfc6962.VerifyInclusion(want, n, uint64(i), rfc6962.LeafHash(leaves[i]), proof); err != nil {
		return 0, err
	}
	if !slices.Equal(rfc6962.InclusionProofs(hashes)[i], proof) {
		return 0, fmt.Errorf("rfc6962: two proofs of leaf %d of %d", i, n)
	}
	if old > 0 {
		proof, err := rfc6962.ConsistencyProof(hashes, old)
		if err != nil {
			return 0, err
		}
		if err := rfc6962.VerifyConsistency(oldRoot, uint64(old), want, n, proof); err != nil {
			return 0, err
		}
	}
	return 2 * size(leaves), nil
}

// logRoot is the definition of RFC 6962, section 2.1.
func logRoot(leaves [][]byte) [32]byte {
	switch n := len(leaves); n {
	case 0:
		return stdsha256.Sum256(nil)
	case 1:
		return stdsha256.Sum256(append([]byte{0}, leaves[0]...))
	default:
		k := 1 << (bits.Len(uint(n-1)) - 1)
		left, right := logRoot(leaves[:k]), logRoot(leaves[k:])
		return stdsha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
	}
}

func transactions(w *worker) (int, error) {
	n := 1 + w.IntN(200)
	ids := array(w.chunks(n))
	got, _ := bitcoin.Root(ids)
	level := slices.Clone(ids)
	for len(level) > 1 {
		if len(level)%2 != 0 {
			level = append(level, level[len(level)-1])
		}
		for i := range len(level) / 2 {
			level[i] = twice(slices.Concat(level[2*i][:], level[2*i+1][:]))
		}
		level = level[:len(level)/2]
	}
	if err := differs("bitcoin: Root", got[:], level[0][:]); err != nil {
		return 0, err
	}
	pairs := ids[:n&^1]
	nodes := make([][32]byte, n/2)
	if err := bitcoin.Nodes(nodes, pairs); err != nil {
		return 0, err
	}
	for i := range nodes {
		want := twice(slices.Concat(pairs[2*i][:], pairs[2*i+1][:]))
		if err := differs("bitcoin: Nodes", nodes[i][:], want[:]); err != nil {
			return 0, err
		}
	}
	branch, err := bitcoin.Branch(ids, 0)
	if err != nil {
		return 0, err
	}
	climbed := ids[0]
	for _, sibling := range branch {
		climbed = twice(slices.Concat(climbed[:], sibling[:]))
	}
	if err := differs("bitcoin: Branch", climbed[:], got[:]); err != nil {
		return 0, err
	}
	headers := make([][80]byte, w.IntN(60))
	for i := range headers {
		copy(headers[i][:], data[w.IntN(len(data)-80):])
	}
	dst := make([][32]byte, len(headers))
	bitcoin.HeaderHashes(dst, headers)
	for i := range dst {
		want := twice(headers[i][:])
		if err := differs("bitcoin: HeaderHashes", dst[i][:], want[:]); err != nil {
			return 0, err
		}
		one := bitcoin.HeaderHash(headers[i])
		if err := differs("bitcoin: HeaderHash", one[:], want[:]); err != nil {
			return 0, err
		}
	}
	return 64*n + 2*80*len(headers), nil
}

func twice(p []byte) [32]byte {
	sum := stdsha256.Sum256(p)
	return stdsha256.Sum256(sum[:])
}

func torrent(w *worker) (int, error) {
	if w.IntN(10) > 0 { // it starts goroutines enough
		return 0, nil
	}
	const blockSize = 16 << 10
	p := data[:1+w.IntN(len(data)-1)]
	got, err := bep52.Sum(context.Background(), bytes.NewReader(p), int64(len(p)), blockSize<<w.IntN(5))
	if err != nil {
		return 0, err
	}
	var level [][32]byte
	for b := range slices.Chunk(p, blockSize) {
		level = append(level, stdsha256.Sum256(b))
	}
	for len(level)&(len(level)-1) != 0 {
		level = append(level, [32]byte{})
	}
	for len(level) > 1 {
		for i := range len(level) / 2 {
			level[i] = node(level[2*i], level[2*i+1])
		}
		level = level[:len(level)/2]
	}
	return len(p), differs("bep52", got.Root[:], level[0][:])
}

func verityRoots(w *worker) (int, error) {
	if w.IntN(10) > 0 {
		return 0, nil
	}
	const blockSize = 4096
	p := data[:blockSize*(2+w.IntN(len(data)/blockSize-2))]
	root := verityRoot(p, blockSize)
	dm, err := verity.DM(context.Background(), bytes.NewReader(p), int64(len(p)), nil, verity.Options{})
	if err != nil {
		return 0, err
	}
	if err := differs("dm-verity", dm[:], root[:]); err != nil {
		return 0, err
	}
	p = p[:len(p)-w.IntN(blockSize)] // of fs-verity the last block may be short
	root = verityRoot(p, blockSize)
	descriptor := make([]byte, 256) // struct fsverity_descriptor of Linux
	descriptor[0], descriptor[1], descriptor[2] = 1, 1, 12
	binary.LittleEndian.PutUint64(descriptor[8:], uint64(len(p)))
	copy(descriptor[16:], root[:])
	fs, err := verity.FS(context.Background(), bytes.NewReader(p), int64(len(p)), verity.Options{})
	if err != nil {
		return 0, err
	}
	want := stdsha256.Sum256(descriptor)
	return 2 * len(p), differs("fs-verity", fs[:], want[:])
}

// verityRoot returns the root of the tree of blocks over p, which has more than
// one: blocks end with zeros.
func verityRoot(p []byte, blockSize int) [32]byte {
	for {
		var above []byte
		for b := range slices.Chunk(p, blockSize) {
			sum := stdsha256.Sum256(append(slices.Clone(b), make([]byte, blockSize-len(b))...))
			above = append(above, sum[:]...)
		}
		if len(above) == 32 {
			return [32]byte(above)
		}
		p = above
	}
}

func node(left, right [32]byte) [32]byte { return stdsha256.Sum256(append(left[:], right[:]...)) }

func compositeSum(w *worker) (int, error) {
	if w.IntN(10) > 0 { // it starts goroutines enough
		return 0, nil
	}
	p := data[:w.IntN(len(data))]
	partSize := 1 + len(p)/(1+w.IntN(100))
	got, err := composite.Sum(context.Background(), bytes.NewReader(p), int64(len(p)), int64(partSize))
	if err != nil {
		return 0, err
	}
	var digests []byte
	for part := range slices.Chunk(p, partSize) {
		sum := stdsha256.Sum256(part)
		digests = append(digests, sum[:]...)
	}
	if len(p) == 0 {
		sum := stdsha256.Sum256(nil)
		digests = sum[:]
	}
	sum := stdsha256.Sum256(digests)
	want := fmt.Sprintf("%s-%d", base64.StdEncoding.EncodeToString(sum[:]), len(digests)/32)
	return len(p), differs("composite", []byte(got.String()), []byte(want))
}

func readStreams(w *worker) (int, error) {
	if w.IntN(10) > 0 { // it starts goroutines enough
		return 0, nil
	}
	msgs, total := w.messages(60), 0
	dst := make([][32]byte, len(msgs))
	open := func(i int) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(msgs[i])), nil }
	if err := streams.Sum(context.Background(), dst, open, streams.Options{MaxOpen: w.IntN(40)}); err != nil {
		return 0, err
	}
	for i, m := range msgs {
		total += len(m)
		want := stdsha256.Sum256(m)
		if err := differs(fmt.Sprintf("streams: stream %d of %d", i, len(msgs)), dst[i][:], want[:]); err != nil {
			return 0, err
		}
	}
	return total, nil
}

func readParts(w *worker) (int, error) {
	if w.IntN(10) > 0 {
		return 0, nil
	}
	p := data[:w.IntN(len(data))]
	partSize := 1 + len(p)/(1+w.IntN(100))
	got, err := streams.Parts(context.Background(), bytes.NewReader(p), int64(len(p)), int64(partSize), streams.PartsOptions{Workers: w.IntN(3), InOrder: w.IntN(3) == 0})
	if err != nil {
		return 0, err
	}
	i := 0
	for part := range slices.Chunk(p, partSize) {
		want := stdsha256.Sum256(part)
		if err := differs(fmt.Sprintf("streams: part %d of %d bytes", i, partSize), got[i][:], want[:]); err != nil {
			return 0, err
		}
		i++
	}
	if i != len(got) {
		return 0, fmt.Errorf("streams: %d parts, want %d", len(got), i)
	}
	return len(p), nil
}

// writeBlocks hashes the blocks of several streams, one after the other.
func writeBlocks(w *worker) (total int, err error) {
	if w.IntN(5) > 0 {
		return 0, nil
	}
	size := 1 + w.IntN(1<<w.IntN(20))
	var got [][32]byte
	b := streams.NewBlocks(size, func(some [][32]byte) error {
		got = append(got, some...)
		return nil
	})
	for range 1 + w.IntN(3) {
		got = nil
		p := data[:w.IntN(len(data))]
		for rest := p; len(rest) > 0; {
			n := 1 + w.IntN(min(len(rest), 100_000))
			if w.IntN(2) == 0 {
				_, err = b.Write(rest[:n])
			} else {
				_, err = b.ReadFrom(bytes.NewReader(rest[:n]))
			}
			if err != nil {
				return total, err
			}
			rest = rest[n:]
		}
		if err := b.Close(); err != nil {
			return total, err
		}
		b.Reset()
		var want [][32]byte
		for block := range slices.Chunk(p, size) {
			want = append(want, stdsha256.Sum256(block))
		}
		if !slices.Equal(got, want) {
			return total, fmt.Errorf("streams: %d blocks of %d bytes: wrong digests", len(want), size)
		}
		total += len(p)
	}
	return total, nil
}

func oneMAC(w *worker) (int, error) {
	key, m := data[w.IntN(1000):][:w.IntN(100)], w.message()
	std := stdhmac.New(stdsha256.New, key)
	std.Write(m)
	want := std.Sum(nil)
	got := hmac.Sum(key, m)
	if err := differs("hmac.Sum", got[:], want); err != nil {
		return 0, err
	}
	h := hmac.New(key)
	for rest := m; len(rest) > 0; {
		n := 1 + w.IntN(len(rest))
		h.Write(rest[:n])
		rest = rest[n:]
	}
	return 2 * len(m), differs("hmac.New", h.Sum(nil), want)
}

func doubleSums(w *worker) (int, error) {
	msgs, total := w.messages(60), 0
	dst := make([][32]byte, len(msgs))
	bitcoin.Sums(dst, msgs)
	for i, m := range msgs {
		total += len(m)
		once := stdsha256.Sum256(m)
		want := stdsha256.Sum256(once[:])
		if err := differs(fmt.Sprintf("bitcoin.Sums: message %d of %d", i, len(msgs)), dst[i][:], want[:]); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// bazelTree compares the three ways of package sha256tree, and short messages with
// crypto/sha256.
func bazelTree(w *worker) (int, error) {
	p := data[:w.IntN(len(data)>>w.IntN(8)+1)]
	want := sha256tree.Sum256(p)
	if len(p) <= 1024 {
		if sum := stdsha256.Sum256(p); sum != want {
			return 0, fmt.Errorf("sha256tree: %d bytes: %x, want %x", len(p), want, sum)
		}
	}
	h := sha256tree.New()
	for rest := p; len(rest) > 0; {
		n := 1 + w.IntN(len(rest))
		h.Write(rest[:n])
		rest = rest[n:]
	}
	if err := differs("sha256tree.New", h.Sum(nil), want[:]); err != nil || w.IntN(10) > 0 {
		return 2 * len(p), err
	}
	sum, err := sha256tree.Sum(context.Background(), bytes.NewReader(p), int64(len(p)))
	if err != nil {
		return 0, err
	}
	return 3 * len(p), differs("sha256tree.Sum", sum[:], want[:])
}

// namespaces compares a tree of package nmt with its definition.
func namespaces(w *worker) (int, error) {
	msgs := w.messages(40)
	ns, leaves := make([]nmt.Namespace, len(msgs)), make([]nmt.Node, len(msgs))
	total := 0
	for i, m := range msgs {
		if i > 0 {
			ns[i] = ns[i-1]
		}
		ns[i][nmt.NamespaceSize-1] += byte(w.IntN(3))
		total += len(m)
	}
	if err := nmt.LeafHashes(leaves, ns, msgs); err != nil {
		return 0, err
	}
	for i, m := range msgs {
		want := stdsha256.Sum256(slices.Concat([]byte{0}, ns[i][:], m))
		if err := differs("nmt: a leaf", leaves[i].Digest[:], want[:]); err != nil {
			return 0, err
		}
	}
	var root func(leaves []nmt.Node) nmt.Node
	root = func(leaves []nmt.Node) nmt.Node {
		if len(leaves) == 1 {
			return leaves[0]
		}
		split := 1 << (bits.Len(uint(len(leaves)-1)) - 1)
		l, r := root(leaves[:split]), root(leaves[split:])
		sum := stdsha256.Sum256(slices.Concat([]byte{1}, l.Min[:], l.Max[:], l.Digest[:], r.Min[:], r.Max[:], r.Digest[:]))
		return nmt.Node{Min: l.Min, Max: r.Max, Digest: sum}
	}
	got, err := nmt.Root(leaves, nmt.Options{})
	if err != nil || len(leaves) == 0 {
		return 0, err
	}
	if want := root(leaves); got != want {
		return 0, fmt.Errorf("nmt: the root of %d leaves: %x, want %x", len(leaves), got, want)
	}
	return total, nil
}

func search(w *worker) (int, error) {
	s := pow.Search{Prefix: data[:w.IntN(200)]}
	start, count := w.Uint64(), uint64(w.IntN(3000))
	if w.IntN(4) == 0 {
		start = -count // the last ones
	}
	const work = 1 << 48 / 1000
	value := func(n uint64) uint64 {
		return number48(stdsha256.Sum256(fmt.Appendf(slices.Clone(s.Prefix), "%016x", n)))
	}
	got, err := s.Find(context.Background(), work, start, count)
	for i := range count {
		n := start + i
		if n < start {
			break
		}
		if value(n) > work {
			continue
		}
		if err != nil || got != n || s.Value(n) != value(n) {
			return 0, fmt.Errorf("pow: %#x of %d from %#x on: %v, want %#x", got, count, start, err, n)
		}
		return int(i+1) * sha256.BlockSize, nil
	}
	if err == nil {
		return 0, fmt.Errorf("pow: %#x of %d from %#x on, want none", got, count, start)
	}
	return int(count) * sha256.BlockSize, nil
}

// faults hands over memory of which the end cannot be read. It is the caller
// that gets the fault, and what it hashes next is right.
func faults(w *worker) (int, error) {
	if !guard.Guarded {
		return 0, nil
	}
	good := w.message()
	n := min(1+w.IntN(10_000), len(w.unreadable))
	bad := w.unreadable[len(w.unreadable)-n:]
	h := w.server().New()
	what := []struct {
		name string
		do   func()
	}{
		{"Sum256", func() { sha256.Sum256(bad) }},
		{"Server.Sum256", func() { w.server().Sum256(bad) }},
		{"Write", func() {
			h.Write(good)
			h.Write(bad)
			h.Sum(nil)
		}},
		{"SumMany", func() { sha256.SumMany(make([][32]byte, 3), [][]byte{good, bad, good}) }},
		{"WriteHashes", func() { sha256.WriteHashes([]hash.Hash{sha256.New(), h}, [][]byte{good, bad}) }},
	}[w.IntN(5)]
	if guard.Faults(what.do) == nil {
		return 0, fmt.Errorf("%s reads %d bytes of which the last cannot be read", what.name, n)
	}
	h.Reset()
	h.Write(good)
	want := stdsha256.Sum256(good)
	return len(good), differs("after a fault in "+what.name, h.Sum(nil), want[:])
}
