package slhdsa

import (
	"encoding"
	"encoding/binary"
	"hash"
	"slices"
	"sync"

	sha256 "github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

// The functions F, H, T and PRF of FIPS 205, section 11.2, hash
//
//	PK.seed || zeros || address || message
//
// where zeros complete the block. So the state after PK.seed and zeros is a midstate.
// After it, F and PRF hash one block; so does H with SHA-256.

// A seed has the states that the functions take from a PK.seed.
type seed struct {
	*params
	after256 block.State // the state of SHA-256 after PK.seed and zeros
	after512 []byte      // a marshalled state of SHA-512, if the set uses it
}

func newSeed(p *params, pkSeed []byte) seed {
	s := seed{params: p, after256: block.IV256}
	var first [block.Size]byte
	copy(first[:], pkSeed)
	block.Compress(&s.after256, first[:])
	if p.usesSHA512() {
		h := newSHA512()
		h.Write(pkSeed)
		h.Write(make([]byte, h.BlockSize()-p.n))
		s.after512, _ = h.(encoding.BinaryAppender).AppendBinary(nil) // cannot fail
	}
	return s
}

// messageAt is the offset of the message in a block of F, H or PRF.
const messageAt = len(address{})

// putBlock makes b a block with an address and a padded message of zeros.
func putBlock(b *[block.Size]byte, a *address, size int) {
	*b = [block.Size]byte{}
	copy(b[:], a[:])
	b[messageAt+size] = 0x80
	binary.BigEndian.PutUint16(b[block.Size-2:], uint16(8*(block.Size+messageAt+size)))
}

// A scratch is the memory for one call of a public function. It holds secrets until
// release clears it.
type scratch struct {
	// one has the lanes of F, PRF, and H with SHA-256.
	one lanes.OneBlock
	// steps are the numbers of steps that the chains in the lanes have left. dst are the
	// places of their last values.
	steps [lanes.MaxOneBlock]uint8
	dst   [lanes.MaxOneBlock][]byte

	sha256 hash.Hash
	sha512 hash.Hash
	digest [64]byte
	input  [messageAt + 2*maxN]byte // of H with SHA-512

	nodes   []byte  // of trees
	keys    []byte  // messages of T
	long    []long  // what is in keys
	sameLen []int   // indices in long of the messages that SHA-256 hashes
	chains  []chain // of WOTS+ keys that sign or verify
	sorted  []chain
	ends    []wotsKey
	climbs  [lanes.MaxOneBlock]climb
}

var scratches = sync.Pool{New: func() any {
	s := &scratch{sha256: sha256.New(), sha512: newSHA512()}
	s.one.Init(messageAt)
	return s
}}

func acquire() *scratch { return scratches.Get().(*scratch) }

// release clears s and gives it back.
func (s *scratch) release() {
	s.one.Clear()
	wipe(s.sha256)
	wipe(s.sha512)
	clear(s.dst[:])
	clear(s.digest[:])
	clear(s.input[:])
	if len(s.nodes) > 0 { // used by this call
		clear(s.nodes[:cap(s.nodes)])
		s.nodes = s.nodes[:0]
	}
	clear(s.keys[:cap(s.keys)])
	clear(s.long[:cap(s.long)])
	clear(s.chains[:cap(s.chains)])
	clear(s.sorted[:cap(s.sorted)])
	clear(s.ends[:cap(s.ends)])
	clear(s.climbs[:])
	scratches.Put(s)
}

// wipe overwrites what h has in memory.
func wipe(h hash.Hash) {
	var zeros [128]byte
	h.Reset()
	h.Write(zeros[:1])
	h.Write(zeros[:h.BlockSize()]) // up to the last byte of the block that is being filled
	h.Reset()
}

// grow returns a slice of n elements, in the memory of s if it suffices. The elements
// are undefined.
func grow[E any](s []E, n int) []E { return slices.Grow(s[:0], n)[:n] }

// useSeed gives the first n lanes a seed.
func (s *scratch) useSeed(k *seed, n int) {
	for i := range n {
		s.one.From[i], s.one.Sizes[i] = &k.after256, uint8(k.n)
	}
}

// value returns the message of lane i, a hash value. Sum replaces it by the next hash
// value.
func (s *scratch) value(i int, k *seed) []byte { return s.one.Blocks[i][messageAt:][:k.n] }

// sum512 writes the hash of an address and a message, by SHA-512, to dst.
func (s *scratch) sum512(dst []byte, k *seed, message []byte) {
	if err := s.sha512.(encoding.BinaryUnmarshaler).UnmarshalBinary(k.after512); err != nil {
		panic("slhdsa: restore a state of SHA-512: " + err.Error())
	}
	s.sha512.Write(message)
	copy(dst[:k.n], s.sha512.Sum(s.digest[:0]))
}

// A long is a message of T: an address and hash values. There is room behind it for
// padding.
type long struct {
	*seed
	message []byte
	dst     []byte // for the hash value
}

// longSize returns the size of a message of n values, with room for padding.
func longSize(p *params, n int) int {
	return block.PaddedBlocks(messageAt+n*p.n) * block.Size
}

// tweakLong is T of FIPS 205 for all messages in s.long.
func (s *scratch) tweakLong() {
	s.sameLen = s.sameLen[:0]
	for i := range s.long {
		m := &s.long[i]
		if m.usesSHA512() {
			s.sum512(m.dst, m.seed, m.message)
			continue
		}
		// Pad must not read the block that it writes to.
		whole := len(m.message) &^ (block.Size - 1)
		var rest [block.Size]byte
		n := copy(rest[:], m.message[whole:])
		var tail [block.MaxTail]byte
		end := block.Pad(&tail, rest[:n], uint64(block.Size+len(m.message)))
		m.message = m.message[:whole+end]
		copy(m.message[whole:], tail[:])
		s.sameLen = append(s.sameLen, i)
	}
	// Messages of different parameter sets may differ in length, but there are few
	// lengths.
	all := s.sameLen
	for len(all) > 0 {
		size := len(s.long[all[0]].message)
		same := 0
		for i, m := range all {
			if len(s.long[m].message) == size {
				all[same], all[i] = all[i], all[same]
				same++
			}
		}
		lanes.RunEqual(same, size/block.Size, longWork{s.long, all[:same]})
		all = all[same:]
	}
}

// longWork is the messages of T with one number of blocks.
type longWork struct {
	long []long
	same []int
}

func (w longWork) Start(i int) (h *block.State, first, blocks []byte) {
	m := &w.long[w.same[i]]
	return &m.after256, nil, m.message
}

func (w longWork) Done(i int, h *block.State) {
	m := &w.long[w.same[i]]
	var digest [block.DigestSize]byte
	block.PutDigest(&digest, h)
	copy(m.dst[:m.n], digest[:])
}
