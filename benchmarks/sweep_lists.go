package main

import (
	"context"
	"crypto/hmac"
	stdpbkdf2 "crypto/pbkdf2"
	stdsha256 "crypto/sha256"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"iter"
	"slices"
	"unsafe"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/hashtree/bitcoin"
	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
	simdhmac "github.com/sha256-simd/sha256-simd/hmac"
	"github.com/sha256-simd/sha256-simd/pbkdf2"
	"github.com/sha256-simd/sha256-simd/pow"
)

// one is the calls for one message and the methods of one hash.
func (s *sweeper) one() {
	for _, size := range []int{
		0, s.between(1, 31), 32, s.between(33, 55), s.between(56, 63), 64, s.between(65, 119),
		s.between(120, 300), s.between(301, 1000), s.between(1001, 8192), s.between(10_000, 100_000),
	} {
		load := fmt.Sprintf("size=%d", size)
		m := random(size)
		s.addOne("Sum256", load, func() []impl {
			return []impl{
				library(func(dst [][32]byte) { dst[0] = sha256.Sum256(m) }),
				stdLoop(func(dst [][32]byte) { dst[0] = stdsha256.Sum256(m) }),
			}
		})
		s.addOne("Sum224", load, func() []impl {
			return []impl{
				library(func(dst [][32]byte) { *(*[28]byte)(dst[0][:]) = sha256.Sum224(m) }),
				stdLoop(func(dst [][32]byte) { *(*[28]byte)(dst[0][:]) = stdsha256.Sum224(m) }),
			}
		})
		s.addOne("New", load, func() []impl { return []impl{library(fresh(sha256.New, m)), stdLoop(fresh(stdsha256.New, m))} })
		s.addOne("New224", load, func() []impl { return []impl{library(fresh(sha256.New224, m)), stdLoop(fresh(stdsha256.New224, m))} })
		s.addOne("New.Reset", load, func() []impl { return []impl{library(reused(sha256.New(), m)), stdLoop(reused(stdsha256.New(), m))} })
		s.addOne("Server.Sum256", load, func() []impl {
			var srv sha256.Server
			return []impl{
				library(func(dst [][32]byte) { dst[0] = srv.Sum256(m) }),
				stdLoop(func(dst [][32]byte) { dst[0] = stdsha256.Sum256(m) }),
			}
		})
		s.addOne("Server.New", load, func() []impl {
			var srv sha256.Server
			return []impl{library(fresh(srv.New, m)), stdLoop(fresh(stdsha256.New, m))}
		})
		s.addOne("rfc6962.LeafHash", load, func() []impl {
			return []impl{
				library(func(dst [][32]byte) { dst[0] = rfc6962.LeafHash(m) }),
				stdLoop(appended([]byte{0}, [][]byte{m})),
			}
		})
		s.oneMAC(size, m)
		begun := s.between(0, 130)
		s.oneHash(begun, fmt.Sprintf("begun=%d/size=%d", begun, size), m)
		s.onePrefix(begun, fmt.Sprintf("prefix=%d/size=%d", begun, size), m)
	}
	s.addOne("bitcoin.HeaderHash", "", func() []impl {
		headers := headers(1)
		return append([]impl{library(func(dst [][32]byte) { dst[0] = bitcoin.HeaderHash(headers[0]) })}, headerLoops(headers)...)
	})
	s.addOne("SumCmp256", "", func() []impl {
		b := paddedNonce()
		return []impl{
			library(func(dst [][32]byte) { dst[0][0] = bit(sha256.SumCmp256(b, 1<<31)) }),
			stdLoop(func(dst [][32]byte) { dst[0][0] = bit(first48(stdsha256.Sum256(b[:41])) <= 1<<31) }),
		}
	})
	s.addOne("SumToNum256", "", func() []impl {
		b := paddedNonce()
		return []impl{
			library(func(dst [][32]byte) { binary.BigEndian.PutUint64(dst[0][:], uint64(sha256.SumToNum256(b))) }),
			stdLoop(func(dst [][32]byte) { binary.BigEndian.PutUint64(dst[0][:], first48(stdsha256.Sum256(b[:41]))) }),
		}
	})
}

// fresh hashes m with a new hash.
func fresh(newHash func() hash.Hash, m []byte) func(dst [][32]byte) {
	return func(dst [][32]byte) {
		h := newHash()
		h.Write(m)
		h.Sum(dst[0][:0])
	}
}

// reused hashes m with h, as the first message since Reset.
func reused(h hash.Hash, m []byte) func(dst [][32]byte) {
	return func(dst [][32]byte) {
		h.Reset()
		h.Write(m)
		h.Sum(dst[0][:0])
	}
}

// paddedNonce is a message of 41 bytes with its padding.
func paddedNonce() []byte {
	b := append(random(41), make([]byte, 23)...)
	b[41] = 0x80
	binary.BigEndian.PutUint64(b[56:], 41*8)
	return b
}

func first48(digest [32]byte) uint64 { return binary.BigEndian.Uint64(digest[:]) >> 16 }

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// oneMAC is HMAC and PBKDF2 of one message.
func (s *sweeper) oneMAC(size int, m []byte) {
	n := s.between(0, 100)
	key, load := random(n), fmt.Sprintf("key=%d/size=%d", n, size)
	once := stdLoop(func(dst [][32]byte) {
		h := newCryptoHMAC(key)
		h.Write(m)
		h.Sum(dst[0][:0])
	})
	s.addOne("hmac.Sum", load, func() []impl {
		return []impl{library(func(dst [][32]byte) { dst[0] = simdhmac.Sum(key, m) }), once}
	})
	s.addOne("hmac.New", load, func() []impl {
		return []impl{library(fresh(func() hash.Hash { return simdhmac.New(key) }, m)), once}
	})
	s.addOne("hmac.New.Reset", load, func() []impl {
		return []impl{library(reused(simdhmac.New(key), m)), stdLoop(reused(newCryptoHMAC(key), m))}
	})
	s.addOne("hmac.NewKey", load, func() []impl {
		return []impl{library(func(dst [][32]byte) { dst[0] = simdhmac.NewKey(key).Sum(m) }), once}
	})
	s.addOne("hmac.Key.Sum", load, func() []impl {
		k := simdhmac.NewKey(key)
		return []impl{library(func(dst [][32]byte) { dst[0] = k.Sum(m) }), stdLoop(reused(newCryptoHMAC(key), m))}
	})
	// crypto/hmac with this package's hash, as a user has it who replaces only that.
	s.addOne("New.hmac", load, func() []impl {
		return []impl{library(fresh(func() hash.Hash { return hmac.New(sha256.New, key) }, m)), once}
	})
}

// oneHash is the methods of a hash that goes on, which is begun with some bytes.
func (s *sweeper) oneHash(begun int, load string, m []byte) {
	pair := func() (ours, std hash.Hash) {
		ours, std = sha256.New(), stdsha256.New()
		for _, h := range []hash.Hash{ours, std} {
			h.Write(random(begun))
		}
		return ours, std
	}
	each := func(call string, do func(h []hash.Hash) func(dst [][32]byte)) {
		s.addOne(call, load, func() []impl {
			ours, std := pair()
			a, b := []hash.Hash{ours}, []hash.Hash{std}
			return []impl{library(do(a)).writes(a), stdLoop(do(b)).writes(b)}
		})
	}
	each("New.Write", func(h []hash.Hash) func([][32]byte) { return func([][32]byte) { h[0].Write(m) } })
	if begun == 0 {
		return
	}
	load = fmt.Sprintf("begun=%d", begun)
	each("New.Sum", func(h []hash.Hash) func([][32]byte) { return func(dst [][32]byte) { h[0].Sum(dst[0][:0]) } })
	each("New.Clone", func(h []hash.Hash) func([][32]byte) {
		return func([][32]byte) {
			c, err := h[0].(hash.Cloner).Clone()
			must(err)
			h[0] = c
		}
	})
	each("New.UnmarshalBinary", func(h []hash.Hash) func([][32]byte) {
		state := stateOf(h[0])
		return func([][32]byte) { must(h[0].(encoding.BinaryUnmarshaler).UnmarshalBinary(state)) }
	})
	// A marshalled state takes as much memory as four digests.
	marshal := func(call string, state func(h hash.Hash, b []byte) ([]byte, error)) {
		s.add(call, load, 4, oneAllowance, func() []impl {
			run := func(h hash.Hash) func(dst [][32]byte) {
				buf := make([]byte, 0, 128)
				return func(dst [][32]byte) {
					b, err := state(h, buf)
					must(err)
					copy(bytesOf(dst), b)
				}
			}
			ours, std := pair()
			return []impl{library(run(ours)), stdLoop(run(std))}
		})
	}
	marshal("New.MarshalBinary", func(h hash.Hash, _ []byte) ([]byte, error) { return h.(encoding.BinaryMarshaler).MarshalBinary() })
	marshal("New.AppendBinary", func(h hash.Hash, b []byte) ([]byte, error) { return h.(encoding.BinaryAppender).AppendBinary(b) })
}

func stateOf(h hash.Hash) []byte {
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	must(err)
	return state
}

// onePrefix is SumAfter.
func (s *sweeper) onePrefix(prefix int, load string, m []byte) {
	s.addOne("SumAfter", load, func() []impl {
		begin := random(prefix)
		ours, std := sha256.New(), stdsha256.New()
		ours.Write(begin)
		std.Write(begin)
		return []impl{
			library(func(dst [][32]byte) { dst[0] = sha256.SumAfter(ours, m) }),
			stdLoop(appended(begin, [][]byte{m})),
			{name: "restored", run: restored(std, [][]byte{m})},
		}
	})
}

// appended hashes messages one by one in a buffer that begins with a prefix.
func appended(prefix []byte, msgs [][]byte) func(dst [][32]byte) {
	buf := slices.Clone(prefix)
	for _, m := range msgs {
		buf = slices.Grow(buf, len(m))
	}
	return func(dst [][32]byte) {
		for i, m := range msgs {
			dst[i] = stdsha256.Sum256(append(buf, m...))
		}
	}
}

// restored hashes messages one by one with a hash that goes back to its state of now.
func restored(h hash.Hash, msgs [][]byte) func(dst [][32]byte) {
	state := stateOf(h)
	return func(dst [][32]byte) {
		for i, m := range msgs {
			must(h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state))
			h.Write(m)
			h.Sum(dst[i][:0])
		}
	}
}

// lists returns lists of messages: of one length; of lengths in a range; with one that
// is much longer than the others, at the beginning (size=20000+9) or behind it
// (size=9+20000+9); with short and long ones by turns (size=9,400).
func (s *sweeper) lists() []list {
	var lists []list
	add := func(name string, most int, size func(i int) int) {
		for _, n := range []int{
			1, 2, 3, 4, s.between(5, 7), 8, s.between(9, 15), 16, s.between(17, 31), 32,
			s.between(33, 70), s.between(71, 300), s.between(301, 2000),
		} {
			l := list{name: name, sizes: make([]int, min(n, most)), where: []layout{packed, allocated}[s.r.IntN(2)]}
			for i := range l.sizes {
				l.sizes[i] = size(i)
			}
			lists = append(lists, l)
		}
	}
	for _, b := range []struct{ low, high, most int }{
		{0, 0, 2000}, {1, 54, 2000}, {20, 32, 2000}, {55, 55, 2000}, {56, 63, 2000}, {64, 64, 2000}, {65, 118, 2000},
		{119, 119, 2000}, {120, 255, 2000}, {256, 999, 2000}, {1000, 4096, 300}, {5000, 70_000, 50},
	} {
		size := s.between(b.low, b.high)
		add(fmt.Sprint(size), b.most, func(int) int { return size })
	}
	short, middle, long := s.between(1, 20), s.between(20, 60), s.between(60, 200)
	for _, b := range []struct{ low, high, most int }{
		{short, short + 8, 2000}, {middle, middle + 60, 2000}, {short, long, 2000}, {long, 3 * long, 2000},
		{0, 5 * long, 2000}, {100, 5000, 300},
	} {
		add(fmt.Sprintf("%d-%d", b.low, b.high), b.most, func(int) int { return s.between(b.low, b.high) })
	}
	huge := s.between(5000, 50_000)
	for at, name := range []string{fmt.Sprintf("%d+%d", huge, short), fmt.Sprintf("%d+%d+%d", short, huge, short)} {
		add(name, 100, func(i int) int {
			if i == at {
				return huge
			}
			return short
		})
	}
	add(fmt.Sprintf("%d,%d", short, 5*long), 2000, func(i int) int { return []int{short, 5 * long}[i%2] })
	return lists
}

// list is the calls that take a list of messages. The first few have a cell of every
// list, the others of one in three.
func (s *sweeper) list(l list) {
	s.sumMany(l)
	s.sumManyAfter(l)
	s.keySumMany(l)
	s.writeHashes(l)
	for _, call := range []func(list){s.sumMany224, s.sumSeq, s.sumHashes, s.sumManyKeys, s.verifyMany, s.leafHashes, s.doubleSums, s.leavesRoot, s.nmtLeaves} {
		if s.r.IntN(3) == 0 {
			call(l)
		}
	}
}

// addList adds a cell of a call for a list. More is more of its load, or "".
func (s *sweeper) addList(call, more string, l list, impls func(msgs [][]byte) []impl) {
	s.addMany(call, l.load()+more, len(l.sizes), func() []impl { return impls(l.where.place(l.sizes)) })
}

func (s *sweeper) sumMany(l list) {
	s.addList("SumMany", "", l, func(msgs [][]byte) []impl {
		return []impl{
			library(func(dst [][32]byte) { sha256.SumMany(dst, msgs) }),
			stdLoop(func(dst [][32]byte) { cryptoLoop(dst, msgs) }),
			ownLoop(func(dst [][32]byte) {
				for i, m := range msgs {
					dst[i] = sha256.Sum256(m)
				}
			}),
		}
	})
}

func (s *sweeper) sumMany224(l list) {
	s.addList("SumMany224", "", l, func(msgs [][]byte) []impl {
		// The digests lie one behind the other in dst, which is longer.
		short := func(dst [][32]byte) [][28]byte {
			return unsafe.Slice((*[28]byte)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst))
		}
		return []impl{
			library(func(dst [][32]byte) { sha256.SumMany224(short(dst), msgs) }),
			stdLoop(func(dst [][32]byte) {
				d := short(dst)
				for i, m := range msgs {
					d[i] = stdsha256.Sum224(m)
				}
			}),
			ownLoop(func(dst [][32]byte) {
				d := short(dst)
				for i, m := range msgs {
					d[i] = sha256.Sum224(m)
				}
			}),
		}
	})
}

// sumSeq is the loop over a sequence of messages. The compiler does not see what the
// sequence is: whoever has a slice calls SumMany.
func (s *sweeper) sumSeq(l list) {
	s.addList("SumSeq", "", l, func(msgs [][]byte) []impl {
		seq := oneByOne(msgs)
		return []impl{
			library(func(dst [][32]byte) {
				for i, d := range sha256.SumSeq(seq) {
					dst[i] = d
				}
			}),
			stdLoop(func(dst [][32]byte) {
				for i, m := range seq {
					dst[i] = stdsha256.Sum256(m)
				}
			}),
			ownLoop(func(dst [][32]byte) {
				for i, m := range seq {
					dst[i] = sha256.Sum256(m)
				}
			}),
		}
	})
}

// oneByOne returns msgs as a sequence.
//
//go:noinline
func oneByOne(msgs [][]byte) iter.Seq2[int, []byte] { return slices.All(msgs) }

func (s *sweeper) sumManyAfter(l list) {
	prefix, of := s.between(1, 130), s.r.IntN(3)
	load := fmt.Sprintf("/prefix=%d", prefix)
	if of == 0 {
		load += "/of=crypto"
	}
	s.addList("SumManyAfter", load, l, func(msgs [][]byte) []impl {
		begin := random(prefix)
		ours, std := sha256.New(), stdsha256.New()
		if of == 0 {
			ours = stdsha256.New()
		}
		ours.Write(begin)
		std.Write(begin)
		return []impl{
			library(func(dst [][32]byte) { sha256.SumManyAfter(dst, ours, msgs) }),
			stdLoop(appended(begin, msgs)),
			{name: "restored", run: restored(std, msgs)},
			ownLoop(func(dst [][32]byte) {
				for i, m := range msgs {
					dst[i] = sha256.SumAfter(ours, m)
				}
			}),
		}
	})
}

func (s *sweeper) keySumMany(l list) {
	size := s.between(0, 100)
	s.addList("hmac.Key.SumMany", fmt.Sprintf("/key=%d", size), l, func(msgs [][]byte) []impl {
		key := random(size)
		ours, std := simdhmac.NewKey(key), newCryptoHMAC(key)
		return []impl{
			library(func(dst [][32]byte) { ours.SumMany(dst, msgs) }),
			stdLoop(func(dst [][32]byte) { eachAfterReset(std, dst, msgs) }),
			ownLoop(func(dst [][32]byte) {
				for i, m := range msgs {
					dst[i] = ours.Sum(m)
				}
			}),
		}
	})
}

// keysOf returns a key for each of count messages, n of them different, and a hash of
// crypto/hmac for each key.
func keysOf(count, n int) ([]*simdhmac.Key, []hash.Hash) {
	keys, std := make([]*simdhmac.Key, count), make([]hash.Hash, count)
	for i := range keys {
		if i < n {
			key := binary.BigEndian.AppendUint64(nil, uint64(i))
			keys[i], std[i] = simdhmac.NewKey(key), newCryptoHMAC(key)
		} else {
			keys[i], std[i] = keys[i-n], std[i-n]
		}
	}
	return keys, std
}

// sumManyKeys is hmac.SumMany with as many keys as messages, or few.
func (s *sweeper) sumManyKeys(l list) {
	n := s.between(1, len(l.sizes))
	s.addList("hmac.SumMany", fmt.Sprintf("/keys=%d", n), l, func(msgs [][]byte) []impl {
		keys, std := keysOf(len(msgs), n)
		return []impl{
			library(func(dst [][32]byte) { simdhmac.SumMany(dst, keys, msgs) }),
			stdLoop(func(dst [][32]byte) {
				for i, m := range msgs {
					std[i].Reset()
					std[i].Write(m)
					std[i].Sum(dst[i][:0])
				}
			}),
			ownLoop(func(dst [][32]byte) {
				for i, m := range msgs {
					dst[i] = keys[i].Sum(m)
				}
			}),
		}
	})
}

// verifyMany is Key.VerifyMany, and VerifyMany with as many keys as messages, or few.
func (s *sweeper) verifyMany(l list) {
	s.addList("hmac.Key.VerifyMany", "", l, func(msgs [][]byte) []impl {
		keys, std := keysOf(len(msgs), 1)
		return verifiers(keys, std, msgs, func(ok []bool, macs [][]byte) { keys[0].VerifyMany(ok, macs, msgs) })
	})
	n := s.between(1, len(l.sizes))
	s.addList("hmac.VerifyMany", fmt.Sprintf("/keys=%d", n), l, func(msgs [][]byte) []impl {
		keys, std := keysOf(len(msgs), n)
		return verifiers(keys, std, msgs, func(ok []bool, macs [][]byte) { simdhmac.VerifyMany(ok, keys, macs, msgs) })
	})
}

// verifiers write 1 in place of a digest if a MAC is right. One of them is wrong.
func verifiers(keys []*simdhmac.Key, std []hash.Hash, msgs [][]byte, verify func(ok []bool, macs [][]byte)) []impl {
	macs, ok := make([][]byte, len(msgs)), make([]bool, len(msgs))
	for i, m := range msgs {
		mac := keys[i].Sum(m)
		macs[i] = mac[:]
	}
	macs[len(msgs)/2][7]++
	tell := func(dst [][32]byte) {
		for i := range dst {
			dst[i][0] = bit(ok[i])
		}
	}
	return []impl{
		library(func(dst [][32]byte) { verify(ok, macs); tell(dst) }),
		stdLoop(func(dst [][32]byte) {
			var mac [32]byte
			for i, m := range msgs {
				std[i].Reset()
				std[i].Write(m)
				ok[i] = hmac.Equal(std[i].Sum(mac[:0]), macs[i])
			}
			tell(dst)
		}),
		ownLoop(func(dst [][32]byte) {
			for i, m := range msgs {
				mac := keys[i].Sum(m)
				ok[i] = hmac.Equal(mac[:], macs[i])
			}
			tell(dst)
		}),
	}
}

// hashKinds are hashes that WriteHashes and SumHashes write to side by side, and the hashes
// that a program without this library would have.
var hashKinds = []struct {
	name       string
	newHash    func(i int) hash.Hash
	newReplace func() hash.Hash
}{
	{"own", func(int) hash.Hash { return sha256.New() }, stdsha256.New},
	{"crypto", func(int) hash.Hash { return stdsha256.New() }, stdsha256.New},
	{"own+crypto", func(i int) hash.Hash { return []func() hash.Hash{sha256.New, stdsha256.New}[i%2]() }, stdsha256.New},
	{"hmac", func(int) hash.Hash { return simdhmac.New([]byte("key")) }, func() hash.Hash { return newCryptoHMAC([]byte("key")) }},
}

// beginHashes returns n hashes of a kind, which are begun with some bytes each, twice,
// and those that they replace.
func beginHashes(kind, n, begun int) (ours, same, std []hash.Hash) {
	k := hashKinds[kind]
	b := random(begun)
	for i := range n {
		ours, same, std = append(ours, k.newHash(i)), append(same, k.newHash(i)), append(std, k.newReplace())
		for _, h := range []hash.Hash{ours[i], same[i], std[i]} {
			h.Write(b)
		}
	}
	return ours, same, std
}

func (s *sweeper) writeHashes(l list) {
	for kind, k := range hashKinds {
		if kind >= 2 && s.r.IntN(3) > 0 {
			continue
		}
		begun := s.between(0, 70)
		s.addList("WriteHashes", fmt.Sprintf("/of=%s/begun=%d", k.name, begun), l, func(msgs [][]byte) []impl {
			ours, same, std := beginHashes(kind, len(msgs), begun)
			return []impl{
				library(func([][32]byte) { sha256.WriteHashes(ours, msgs) }).writes(ours),
				stdLoop(func([][32]byte) { writeEach(std, msgs) }).writes(std),
				ownLoop(func([][32]byte) { writeEach(same, msgs) }).writes(same),
			}
		})
	}
}

func (s *sweeper) sumHashes(l list) {
	kind := s.r.IntN(len(hashKinds))
	s.addList("SumHashes", "/of="+hashKinds[kind].name, l, func(msgs [][]byte) []impl {
		ours, _, std := beginHashes(kind, len(msgs), 0)
		writeEach(ours, msgs)
		writeEach(std, msgs)
		each := func(hs []hash.Hash) func(dst [][32]byte) {
			return func(dst [][32]byte) {
				for i, h := range hs {
					h.Sum(dst[i][:0])
				}
			}
		}
		return []impl{
			library(func(dst [][32]byte) { sha256.SumHashes(dst, ours) }),
			stdLoop(each(std)),
			ownLoop(each(ours)),
		}
	})
}

func (s *sweeper) leafHashes(l list) {
	s.addList("rfc6962.LeafHashes", "", l, func(msgs [][]byte) []impl {
		prefix := sha256.New()
		prefix.Write([]byte{0})
		return []impl{
			library(func(dst [][32]byte) { rfc6962.LeafHashes(dst, msgs) }),
			stdLoop(appended([]byte{0}, msgs)),
			ownLoop(func(dst [][32]byte) {
				for i, m := range msgs {
					dst[i] = sha256.SumAfter(prefix, m)
				}
			}),
		}
	})
}

func (s *sweeper) doubleSums(l list) {
	s.addList("bitcoin.Sums", "", l, func(msgs [][]byte) []impl {
		return []impl{
			library(func(dst [][32]byte) { bitcoin.Sums(dst, msgs) }),
			stdLoop(func(dst [][32]byte) {
				for i, m := range msgs {
					d := stdsha256.Sum256(m)
					dst[i] = stdsha256.Sum256(d[:])
				}
			}),
			ownLoop(func(dst [][32]byte) {
				for i, m := range msgs {
					d := sha256.Sum256(m)
					dst[i] = sha256.Sum256(d[:])
				}
			}),
		}
	})
}

// counts is the calls whose messages, chains or passwords have their lengths from the
// call or from few numbers.
func (s *sweeper) counts() {
	for _, n := range []int{1, 2, 3, 4, 5, s.between(6, 9), s.between(10, 20), 32, s.between(33, 200)} {
		for range 3 {
			s.rows(n)
		}
		for _, most := range []int{0, 1, 2, 3, s.between(4, 20), s.between(21, 200)} {
			s.chains(n, most, most)
		}
		s.chains(n, 0, s.between(1, 50))
		for _, iter := range []int{1, 2, s.between(3, 30), 1000} {
			if n*iter <= 10_000 {
				s.passwords(n, iter)
			}
		}
		s.nonces(uint64(n))
		s.nodes(n)
	}
}

// rows is SumRows of rows with random lengths and distances.
func (s *sweeper) rows(n int) {
	size, gap, prefix := s.between(1, 200), s.between(0, 1)*s.between(1, 40), s.between(0, 1)*s.between(1, 130)
	load := fmt.Sprintf("n=%d/size=%d/stride=%d/prefix=%d", n, size, size+gap, prefix)
	s.addMany("SumRows", load, n, func() []impl {
		src, begin := random(n*(size+gap)), random(prefix)
		row := func(i int) []byte { return src[i*(size+gap):][:size] }
		list := make([][]byte, n)
		for i := range list {
			list[i] = row(i)
		}
		var after hash.Hash
		if prefix > 0 {
			after = sha256.New()
			after.Write(begin)
		}
		impls := []impl{library(func(dst [][32]byte) {
			sha256.SumRows(sha256.RowsOf(dst), after, sha256.Rows{Data: src, Size: size, Stride: size + gap}, n)
		})}
		if prefix > 0 {
			return append(impls, stdLoop(appended(begin, list)), ownLoop(func(dst [][32]byte) {
				for i := range n {
					dst[i] = sha256.SumAfter(after, row(i))
				}
			}))
		}
		return append(impls, stdLoop(func(dst [][32]byte) {
			for i := range n {
				dst[i] = stdsha256.Sum256(row(i))
			}
		}), ownLoop(func(dst [][32]byte) {
			for i := range n {
				dst[i] = sha256.Sum256(row(i))
			}
		}))
	})
}

// chains is SumChains of n chains with least to most steps.
func (s *sweeper) chains(n, least, most int) {
	steps := make([]int, n)
	for i := range steps {
		steps[i] = s.between(least, most)
	}
	s.addMany("SumChains", fmt.Sprintf("n=%d/steps=%d-%d", n, least, most), n, func() []impl {
		return []impl{
			library(func(dst [][32]byte) { sha256.SumChains(dst, steps) }),
			stdLoop(func(dst [][32]byte) {
				for i, k := range steps {
					for range k {
						dst[i] = stdsha256.Sum256(dst[i][:])
					}
				}
			}),
			ownLoop(func(dst [][32]byte) {
				for i, k := range steps {
					for range k {
						dst[i] = sha256.Sum256(dst[i][:])
					}
				}
			}),
		}
	})
}

// passwords is PBKDF2 with keys of 32 bytes.
func (s *sweeper) passwords(n, iter int) {
	size := s.between(1, 40)
	load := fmt.Sprintf("iter=%d/size=%d", iter, size)
	make := func(n int) (passwords, salts [][]byte, iters []int, std, one func(dst [][32]byte)) {
		passwords, salts, iters = messages(same(n, size)...), messages(same(n, 16)...), same(n, iter)
		each := func(key func(password string, salt []byte) ([]byte, error)) func(dst [][32]byte) {
			return func(dst [][32]byte) {
				for i, p := range passwords {
					k, err := key(string(p), salts[i])
					must(err)
					copy(dst[i][:], k)
				}
			}
		}
		std = each(func(p string, salt []byte) ([]byte, error) { return stdpbkdf2.Key(stdsha256.New, p, salt, iter, 32) })
		one = each(func(p string, salt []byte) ([]byte, error) { return pbkdf2.Key(p, salt, iter, 32) })
		return passwords, salts, iters, std, one
	}
	s.addMany("pbkdf2.SumMany", fmt.Sprintf("n=%d/%s", n, load), n, func() []impl {
		passwords, salts, iters, std, one := make(n)
		return []impl{library(func(dst [][32]byte) { must(pbkdf2.SumMany(dst, passwords, salts, iters)) }), stdLoop(std), ownLoop(one)}
	})
	s.addOne("pbkdf2.Key", load, func() []impl {
		_, _, _, std, one := make(1)
		return []impl{library(one), stdLoop(std)}
	})
	s.addOne("pbkdf2.Server.Key", load, func() []impl {
		passwords, salts, _, std, _ := make(1)
		var srv pbkdf2.Server
		return []impl{library(func(dst [][32]byte) {
			k, err := srv.Key(string(passwords[0]), salts[0], iter, 32)
			must(err)
			copy(dst[0][:], k)
		}), stdLoop(std)}
	})
}

// nonces is a search that tries count nonces and finds none.
func (s *sweeper) nonces(count uint64) {
	size, start := s.between(0, 100), s.r.Uint64N(1<<40)
	load := fmt.Sprintf("prefix=%d/start=%d", size, start)
	prefix := random(size)
	value := func(buf []byte, n uint64) uint64 {
		const digits = "0123456789abcdef"
		for i := range 16 {
			buf = append(buf, digits[n>>(60-4*i)&15])
		}
		return first48(stdsha256.Sum256(buf))
	}
	put := func(dst [][32]byte, n uint64) { binary.BigEndian.PutUint64(dst[0][:], n) }
	s.addOne("pow.Search.Value", load, func() []impl {
		search, buf := pow.Search{Prefix: prefix}, append(slices.Clone(prefix), make([]byte, 16)...)[:size]
		return []impl{
			library(func(dst [][32]byte) { put(dst, search.Value(start)) }),
			stdLoop(func(dst [][32]byte) { put(dst, value(buf, start)) }),
		}
	})
	// Each nonce is a message of the list.
	s.add("pow.Search.Find", fmt.Sprintf("%s/n=%d", load, count), 1, oneAllowance+eachAllowance*float64(count), func() []impl {
		search, buf := pow.Search{Prefix: prefix}, append(slices.Clone(prefix), make([]byte, 16)...)[:size]
		return []impl{
			library(func(dst [][32]byte) {
				n, err := search.Find(context.Background(), 0, start, count)
				if !errors.Is(err, pow.ErrExhausted) {
					must(err)
				}
				put(dst, n)
			}),
			stdLoop(func(dst [][32]byte) {
				n := start
				for n < start+count && value(buf, n) > 0 {
					n++
				}
				put(dst, n)
			}),
		}
	})
}
