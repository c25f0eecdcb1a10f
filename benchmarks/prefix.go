package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	stdsha256 "crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/btcsuite/btcd/blockchain"
	"github.com/btcsuite/btcd/btcutil"
	"github.com/btcsuite/btcd/wire"
	comet "github.com/cometbft/cometbft/crypto/merkle"
	"github.com/transparency-dev/merkle/compact"
	transparency "github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/composite"
	"github.com/sha256-simd/sha256-simd/hashtree/bep52"
	"github.com/sha256-simd/sha256-simd/hashtree/bitcoin"
	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
	"github.com/sha256-simd/sha256-simd/hashtree/sha256tree"
	"github.com/sha256-simd/sha256-simd/hashtree/verity"
	simdhmac "github.com/sha256-simd/sha256-simd/hmac"
)

// onePrefix is many messages behind one prefix, and HMAC, which is that twice.
func onePrefix() section {
	return section{
		title: "One prefix, many messages",
		about: "`SumManyAfter` behind a prefix, which in one row is a hash of crypto/sha256, `SumAfter`, `SumRows` beside `SumMany`, and `hmac`; " +
			"the others take messages one by one, with one hash that is reused.",
		rows: []row{
			sumManyAfter(1, 64, 1000),
			sumManyAfter(1, 250, 1000),
			sumManyAfter(64, 64, 1000),
			sumManyAfterCrypto(64, 64, 1000),
			sumAfter(64, 32),
			sumRows(64, 1000),
			hmacRow(64, 1),
			hmacRow(64, 16),
			hmacRow(64, 1000),
			hmacRow(1<<10, 1000),
			hmacKeys(32, 2),
			hmacKeys(32, 8),
			hmacKeys(32, 64),
			hmacKeys(32, 256),
		},
	}
}

func sumManyAfter(prefix, size, n int) row {
	return row{
		bench:   "SumManyAfter",
		load:    fmt.Sprintf("prefix=%d/size=%s/n=%d", prefix, unit(size), n),
		bytes:   size * n,
		digests: n,
		base:    "crypto",
		impls: func() []impl {
			begin, msgs := random(prefix), messages(same(n, size)...)
			ours := sha256.New()
			ours.Write(begin)
			std := stdsha256.New()
			// What copying each message behind the prefix makes of it.
			copies := messages(same(n, prefix+size)...)
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) { sha256.SumManyAfter(dst, ours, msgs) }},
				{name: "crypto", run: func(dst [][32]byte) {
					for i, m := range msgs {
						std.Reset()
						std.Write(begin)
						std.Write(m)
						std.Sum(dst[i][:0])
					}
				}},
				{name: "SumMany-copies", run: func(dst [][32]byte) {
					for i, m := range msgs {
						copy(copies[i][copy(copies[i], begin):], m)
					}
					sha256.SumMany(dst, copies)
				}},
			}
		},
	}
}

// sumManyAfterCrypto is SumManyAfter behind a hash of crypto/sha256.
func sumManyAfterCrypto(prefix, size, n int) row {
	r := sumManyAfter(prefix, size, n)
	behindOurs := r.impls
	r.bench = "SumManyAfterCrypto"
	r.impls = func() []impl {
		begin, msgs := random(prefix), messages(same(n, size)...)
		std := stdsha256.New()
		std.Write(begin)
		return append([]impl{{name: "sha256-simd", run: func(dst [][32]byte) { sha256.SumManyAfter(dst, std, msgs) }}}, behindOurs()[1])
	}
	return r
}

// sumAfter is SumAfter, beside a copy of the message behind the prefix.
func sumAfter(prefix, size int) row {
	return row{
		bench:   "SumAfter",
		load:    fmt.Sprintf("prefix=%d/size=%s", prefix, unit(size)),
		bytes:   size,
		digests: 1,
		base:    "crypto",
		impls: func() []impl {
			begin, msg := random(prefix), random(size)
			ours := sha256.New()
			ours.Write(begin)
			whole := append(begin[:prefix:prefix], msg...)
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) { dst[0] = sha256.SumAfter(ours, msg) }},
				{name: "crypto", run: func(dst [][32]byte) {
					copy(whole[copy(whole, begin):], msg)
					dst[0] = stdsha256.Sum256(whole)
				}},
			}
		},
	}
}

// sumRows is SumRows of messages one behind the other, beside SumMany of them.
func sumRows(size, n int) row {
	return row{
		bench:   "SumRows",
		load:    fmt.Sprintf("size=%s/n=%d", unit(size), n),
		bytes:   size * n,
		digests: n,
		base:    "SumMany",
		impls: func() []impl {
			data, msgs := random(size*n), make([][]byte, n)
			for i := range msgs {
				msgs[i] = data[i*size:][:size]
			}
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					sha256.SumRows(sha256.RowsOf(dst), nil, sha256.Rows{Data: data, Size: size}, n)
				}},
				{name: "SumMany", run: func(dst [][32]byte) { sha256.SumMany(dst, msgs) }},
			}
		},
	}
}

// hmacKeys is hmac.SumMany with a key for each message, beside a loop of Key.Sum.
func hmacKeys(size, n int) row {
	return row{
		bench:   "HMACKeys",
		load:    fmt.Sprintf("size=%s/n=%d", unit(size), n),
		bytes:   size * n,
		digests: n,
		base:    "loop",
		impls: func() []impl {
			msgs, keys := messages(same(n, size)...), make([]*simdhmac.Key, n)
			for i := range keys {
				keys[i] = simdhmac.NewKey(random(16 + i))
			}
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) { simdhmac.SumMany(dst, keys, msgs) }},
				{name: "loop", run: func(dst [][32]byte) {
					for i, k := range keys {
						dst[i] = k.Sum(msgs[i])
					}
				}},
			}
		},
	}
}

func hmacRow(size, n int) row {
	return row{
		bench:   "HMAC",
		load:    fmt.Sprintf("size=%s/n=%d", unit(size), n),
		bytes:   size * n,
		digests: n,
		base:    "crypto",
		impls: func() []impl {
			key, msgs := random(32), messages(same(n, size)...)
			ours, std := simdhmac.NewKey(key), newCryptoHMAC(key)
			run := func(dst [][32]byte) { ours.SumMany(dst, msgs) }
			if n == 1 {
				run = func(dst [][32]byte) { dst[0] = ours.Sum(msgs[0]) }
			}
			keys := make([]*simdhmac.Key, n)
			for i := range keys {
				keys[i] = ours
			}
			return []impl{
				{name: "sha256-simd", run: run},
				{name: "crypto", run: func(dst [][32]byte) { eachAfterReset(std, dst, msgs) }},
				{name: "a-key-each", run: func(dst [][32]byte) { simdhmac.SumMany(dst, keys, msgs) }},
			}
		},
	}
}

func newCryptoHMAC(key []byte) hash.Hash { return hmac.New(stdsha256.New, key) }

func eachAfterReset(h hash.Hash, dst [][32]byte, msgs [][]byte) {
	for i, m := range msgs {
		h.Reset()
		h.Write(m)
		h.Sum(dst[i][:0])
	}
}

// otherTrees is the Merkle trees that other programs define.
func otherTrees() section {
	s := section{
		title: "Trees of other definitions",
		about: "Roots by `hashtree/rfc6962` of leaves of 250 bytes and by `hashtree/bitcoin`; `hashtree/bep52` and `hashtree/verity` of an " +
			"object in memory, beside `composite.Sum` of it in parts of 8 MiB. \"SumMany\" is as many blocks without a tree, \"loop\" the same " +
			"by crypto/sha256.",
	}
	s.rows = append(s.rows, rfc6962Rows()...)
	s.rows = append(s.rows, rfc6962Proofs(250, 1000))
	s.rows = append(s.rows, bitcoinRow(16), bitcoinRow(2000), bep52Row(), verityRow())
	s.rows = append(s.rows, sha256treeRows()...)
	s.rows = append(s.rows, nmtRows()...)
	return s
}

func rfc6962Rows() []row {
	var rows []row
	for _, n := range []int{1, 4, 16, 64, 250, 1000, 4000, 16_000} {
		rows = append(rows, rfc6962Row(250, n))
	}
	return rows
}

func rfc6962Row(size, n int) row {
	return row{
		bench:   "RFC6962",
		load:    fmt.Sprintf("size=%s/n=%d", unit(size), n),
		bytes:   size * n,
		digests: 1,
		base:    "cometbft",
		impls: func() []impl {
			leaves := messages(same(n, size)...)
			// As many messages of as many blocks as leaves and nodes have.
			blocks := append(messages(same(n, 1+size)...), messages(same(n-1, 1+64)...)...)
			digests := make([][32]byte, len(blocks))
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) { dst[0] = rfc6962.Root(leaves) }},
				cometRoot(leaves),
				{name: "transparency-dev", run: func(dst [][32]byte) {
					factory := compact.RangeFactory{Hash: transparency.DefaultHasher.HashChildren}
					r := factory.NewEmptyRange(0)
					for _, leaf := range leaves {
						must(r.Append(transparency.DefaultHasher.HashLeaf(leaf), nil))
					}
					root, err := r.GetRootHash(nil)
					must(err)
					dst[0] = [32]byte(root)
				}},
				{name: "tlog", run: func(dst [][32]byte) { dst[0] = tlogRoot(leaves) }},
				{name: "SumMany", other: true, run: func([][32]byte) {
					sha256.SumMany(digests[:n], blocks[:n])
					sha256.SumMany(digests[n:], blocks[n:])
				}},
				{name: "loop", other: true, run: func([][32]byte) { cryptoLoop(digests, blocks) }},
			}
		},
	}
}

// rfc6962Proofs is the root and a proof of each leaf.
func rfc6962Proofs(size, n int) row {
	return row{
		bench:   "RFC6962Proofs",
		load:    fmt.Sprintf("size=%s/n=%d", unit(size), n),
		bytes:   size * n,
		digests: 1,
		base:    "cometbft",
		impls: func() []impl {
			leaves, hashes := messages(same(n, size)...), make([][32]byte, n)
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					rfc6962.LeafHashes(hashes, leaves)
					dst[0], _ = rfc6962.RootAndProofs(hashes)
				}},
				{name: "cometbft", run: func(dst [][32]byte) {
					root, _ := comet.ProofsFromByteSlices(leaves)
					dst[0] = [32]byte(root)
				}},
			}
		},
	}
}

func cometRoot(leaves [][]byte) impl {
	return impl{name: "cometbft", run: func(dst [][32]byte) { dst[0] = [32]byte(comet.HashFromByteSlices(leaves)) }}
}

// A log is the hashes that tlog stores.
type log []tlog.Hash

func (l log) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		hashes[i] = l[index]
	}
	return hashes, nil
}

func tlogRoot(leaves [][]byte) [32]byte {
	var l log
	for i, leaf := range leaves {
		more, err := tlog.StoredHashes(int64(i), leaf, l)
		must(err)
		l = append(l, more...)
	}
	root, err := tlog.TreeHash(int64(len(leaves)), l)
	must(err)
	return root
}

func bitcoinRow(n int) row {
	return row{
		bench:   "Bitcoin",
		load:    fmt.Sprintf("n=%d", n),
		bytes:   32 * n,
		digests: 1,
		base:    "btcd",
		impls: func() []impl {
			ids, txs := make([][32]byte, n), make([]*btcutil.Tx, n)
			for i := range txs {
				tx := wire.NewMsgTx(1)
				tx.LockTime = uint32(i)
				txs[i] = btcutil.NewTx(tx)
				ids[i] = *txs[i].Hash() // which is kept
			}
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) { dst[0], _ = bitcoin.Root(ids) }},
				{name: "btcd", run: func(dst [][32]byte) {
					store := blockchain.BuildMerkleTreeStore(txs, false)
					dst[0] = *store[len(store)-1]
				}},
			}
		},
	}
}

// object is what bep52 and verity hash.
const object = 1 << 30

func bep52Row() row {
	return row{
		bench: "BEP52", load: "size=1G/piece=4M", bytes: object, digests: 1, base: "composite",
		impls: func() []impl {
			data := random(object)
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					tree, err := bep52.Sum(context.Background(), bytes.NewReader(data), object, 4<<20)
					must(err)
					dst[0] = tree.Root
				}},
				compositeOf(data),
			}
		},
	}
}

func verityRow() row {
	return row{
		bench: "Verity", load: "size=1G/block=4K", bytes: object, digests: 1, base: "composite",
		impls: func() []impl {
			data := random(object)
			impls := []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					root, err := verity.DM(context.Background(), bytes.NewReader(data), object, nil, verity.Options{})
					must(err)
					dst[0] = root
				}},
				compositeOf(data),
			}
			if path, err := exec.LookPath("veritysetup"); err == nil {
				impls = append(impls, veritysetup(path, data))
			}
			return impls
		},
	}
}

// sha256treeRows is SHA256TREE of a message in memory on one core, and of an object on two.
func sha256treeRows() []row {
	const message = 64 << 20
	return []row{
		{
			bench: "SHA256Tree", load: "size=64M", bytes: message, digests: 1, base: "crypto", byCPU: true,
			impls: func() []impl {
				data := random(message)
				return []impl{
					{name: "sha256-simd", run: func(dst [][32]byte) { dst[0] = sha256tree.Sum256(data) }},
					{name: "crypto", other: true, run: func(dst [][32]byte) { dst[0] = stdsha256.Sum256(data) }},
				}
			},
		},
		{
			bench: "SHA256Tree", load: "size=1G", bytes: object, digests: 1, base: "composite", procs: 2,
			impls: func() []impl {
				data := random(object)
				return []impl{
					{name: "sha256-simd", run: func(dst [][32]byte) {
						root, err := sha256tree.Sum(context.Background(), bytes.NewReader(data), object)
						must(err)
						dst[0] = root
					}},
					compositeOf(data),
				}
			},
		},
	}
}

func compositeOf(data []byte) impl {
	return impl{name: "composite", other: true, run: func([][32]byte) {
		_, err := composite.Sum(context.Background(), bytes.NewReader(data), int64(len(data)), 8<<20)
		must(err)
	}}
}

var rootHash = regexp.MustCompile(`Root hash:\s*([0-9a-f]{64})`)

// veritysetup is that program on a file, which the system holds in memory, with
// the tree in a file too.
func veritysetup(path string, data []byte) impl {
	dir, err := os.MkdirTemp("", "verity")
	must(err)
	name := filepath.Join(dir, "data")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		os.RemoveAll(dir)
		must(err)
	}
	return impl{
		name: "veritysetup",
		run: func(dst [][32]byte) {
			out, err := exec.Command(path, "format", "--no-superblock", "--salt=-", name, filepath.Join(dir, "tree")).Output()
			if err != nil {
				must(fmt.Errorf("veritysetup: %w", err))
			}
			match := rootHash.FindSubmatch(out)
			if match == nil {
				must(fmt.Errorf("veritysetup printed no root hash: %s", out))
			}
			_, err = hex.Decode(dst[0][:], match[1])
			must(err)
		},
		stop: func() { os.RemoveAll(dir) },
	}
}
