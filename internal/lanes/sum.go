package lanes

import (
	"encoding/binary"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/convert"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// SumMany sets dst[i] to the SHA-256 digest of msgs[i]. The slices have the same
// length.
func SumMany(dst [][block.DigestSize]byte, msgs [][]byte) {
	l := lengthsOf(msgs, 0)
	if l.areNodes() && nodePlans.current().paysCopied(len(msgs)) {
		sumNodes(rowsOf(dst), messagesOf(msgs))
		return
	}
	if !l.oneByOne(msgs, 0, NotNested) {
		sumSideBySide(dst, &sumMany{dst: dst, msgs: msgs, lengths: l, prefix: Prefix{H: block.IV256}})
		return
	}
	for i, m := range msgs {
		Sum(&dst[i], m)
	}
}

// Sum sets dst to the SHA-256 digest of m. dst may overlap m.
func Sum(dst *[block.DigestSize]byte, m []byte) {
	if len(m) == block.NodeSize {
		block.HashNode(dst, (*[block.NodeSize]byte)(m))
		return
	}
	block.Finish(dst, &block.IV256, m, uint64(len(m)))
}

// SumManyAfter sets dst[i] to the SHA-256 digest of prefix || msgs[i]. The slices have
// the same length.
func SumManyAfter(dst [][block.DigestSize]byte, prefix *Prefix, msgs [][]byte) {
	before := len(prefix.Rest)
	if l := lengthsOf(msgs, before); !l.oneByOne(msgs, before, NotNested) {
		sumSideBySide(dst, &sumMany{dst: dst, msgs: msgs, lengths: l, prefix: *prefix})
		return
	}
	for i, m := range msgs {
		prefix.Sum(&dst[i], m)
	}
}

// SumDigests sets dst[i] to the SHA-256 digest of prefix || src[k·i] || … ||
// src[k·i+k-1], where k is len(src)/len(dst), at most 4. dst may begin where src does.
// The messages lie one behind the other and need no slices.
func SumDigests(dst [][block.DigestSize]byte, prefix Prefix, src [][block.DigestSize]byte) {
	if len(dst) == 0 {
		return
	}
	size := len(src) / len(dst) * block.DigestSize // of k digests
	to := rowsOf(dst)
	SumRows(&to, &prefix, &Rows{convert.Bytes(src), size, size}, len(dst))
}

// SumNested sets dst[i] to SHA-256(outer || SHA-256(inner || msgs[i])). The slices have
// the same length. The prefixes are whole blocks.
func SumNested(dst [][block.DigestSize]byte, inner, outer *Prefix, msgs [][]byte) {
	if l := lengthsOf(msgs, 0); !l.oneByOne(msgs, 0, Nested) {
		sumSideBySide(dst, &sumMany{dst: dst, msgs: msgs, lengths: l, prefix: *inner, outer: *outer, nested: true})
		return
	}
	for i, m := range msgs {
		SumNestedOne(&dst[i], inner, outer, m)
	}
}

// SumNestedOne is SumNested for one message.
func SumNestedOne(dst *[block.DigestSize]byte, inner, outer *Prefix, m []byte) {
	block.Finish(dst, &inner.H, m, inner.Len+uint64(len(m)))
	block.Finish(dst, &outer.H, dst[:], outer.Len+block.DigestSize)
}

// Keys are the states after the inner and after the outer prefix, for each of many
// messages.
type Keys interface {
	States(i int) (inner, outer *block.State)
}

// SumNestedEach is SumNested with a pair of prefixes for each message. Each prefix is one
// block. SumNestedEach does not call OneByOne: the caller has called it.
func SumNestedEach(dst [][block.DigestSize]byte, keys Keys, msgs [][]byte) {
	oneBlock := Prefix{Len: block.Size}
	sumSideBySide(dst, &sumMany{dst: dst, msgs: msgs, lengths: lengthsOf(msgs, 0), prefix: oneBlock, outer: oneBlock, nested: true, keys: keys})
}

// SumHeaded sets dst[i] to the SHA-256 digest of prefix || head i || msgs[i]. `heads` holds
// a head of `size` bytes for each message. The prefix's rest and a head together are less
// than a block. dst and msgs have the same length.
func SumHeaded(dst [][block.DigestSize]byte, prefix Prefix, heads []byte, size int, msgs [][]byte) {
	// Rest includes room for a head; putHead fills this room for each message.
	var room [block.Size]byte
	n := copy(room[:], prefix.Rest) + size
	s := sumMany{dst: dst, msgs: msgs, heads: heads, headAt: len(prefix.Rest)}
	s.prefix = Prefix{H: prefix.H, Rest: room[:n], Len: prefix.Len + uint64(size)}
	s.lengths = lengthsOf(msgs, n)
	if s.lengths.oneByOne(msgs, n, NotNested) {
		s.sumEach()
		return
	}
	sumSideBySide(dst, &s)
}

// In lists of more than maxUneven messages, one long message is assumed not to take most
// of the time.
const maxUneven = 256

// A Nesting says whether and how a digest is hashed again, behind an outer prefix.
type Nesting = plan.Nesting

const (
	NotNested  = plan.NotNested
	Nested     = plan.Nested     // by SumNested
	NestedEach = plan.NestedEach // by SumNestedEach
)

// sumEach does the work of s, one message after the other.
func (s *sumMany) sumEach() {
	inner, outer := s.prefix, s.outer
	for i, m := range s.msgs {
		if s.heads != nil {
			copyHead(inner.Rest[s.headAt:], s.heads, i)
		}
		before, after := s.states(i)
		inner.H = *before
		inner.Sum(&s.dst[i], m)
		if s.nested {
			outer.H = *after
			outer.Sum(&s.dst[i], s.dst[i][:])
		}
	}
}

// nesting returns how the digests of s are hashed again.
func (s *sumMany) nesting() Nesting {
	switch {
	case !s.nested:
		return NotNested
	case s.keys == nil:
		return Nested
	}
	return NestedEach
}

// copyHead sets dst to head i.
func copyHead(dst, heads []byte, i int) { copy(dst, heads[i*len(dst):]) }

// sumSideBySide does the work of s, which has at least one message. If the lengths are too
// uneven, hashing side by side does not pay. Then sumSideBySide hashes the messages one by
// one.
func sumSideBySide(dst [][block.DigestSize]byte, s *sumMany) {
	equal := s.lengths.shortest == s.lengths.longest
	if equal && !s.nested && s.prefix.areNodes(s.lengths.longest) {
		sumNodes(rowsOf(dst), messagesOf(s.msgs))
		return
	}
	g := acquire()
	g.sums = *s
	if s.nested {
		for i := range min(g.maxWave(), len(dst)) {
			end := g.jobs[i].outerBlock()
			*end = [block.Size]byte{block.DigestSize: 0x80}
			binary.BigEndian.PutUint64(end[block.Size-8:], (s.outer.Len+block.DigestSize)<<3)
		}
	}
	rows, n, before := rowsOf(dst), len(dst), len(s.prefix.Rest)
	blocks := block.PaddedBlocks(before + s.lengths.longest)
	least, most, far, byBlocks := 0, 0, false, false
	if !equal {
		least, most, far, byBlocks = g.sums.goesByBlocks(&g.plan.Streams)
	}
	switch {
	case equal && areShort(blocks, !s.nested && s.prefix.areWhole(s.lengths.longest)):
		g.sumByBlocks(rows, blocks, blocks, messagesOf(s.msgs).areFar())
	case equal:
		g.sumEqual(rows, messagesOf(s.msgs))
	case byBlocks:
		g.sumByBlocks(rows, least, most, far)
	case n > block.MaxLanes && n <= maxUneven && s.lengths.oneByOneInRotation(n, before, s.nesting()):
		g.sums.sumEach()
	default:
		g.run(n, &g.sums, true)
		if s.nested {
			g.nestAll(dst)
		}
	}
	if s.nested {
		clear(g.outer[:min(g.maxWave(), len(dst))])
	}
	g.release()
}

// areShort reports whether messages of `blocks` blocks each are padded in vector registers.
// If `whole` is set, they are whole blocks where they lie, and only their padding is needed.
func areShort(blocks int, whole bool) bool {
	return blocks <= block.MaxShort && block.ShortInVectors(whole)
}

// outerBlock returns the last block of j's scratch. A message of a nested digest leaves
// that block free, since the prefix is whole blocks.
func (j *Job) outerBlock() *[block.Size]byte { return (*[block.Size]byte)(j.Scratch[outerAt:]) }

const outerAt = block.MaxShort * block.Size

// nest prepares the first `live` jobs to compute SHA-256(outer || d), where d is the digest
// that the job has computed. One block, at outerAt, is then left to compress. With keys,
// g.outer holds the states after the outer prefixes.
func (g *group) nest(live int) {
	next := &g.sums.outer.H
	if g.sums.keys != nil {
		next = nil
	}
	first := &g.jobs[0].Scratch[outerAt]
	block.PutDigests(unsafe.Slice(first, live*int(jobSize)-outerAt), block.DigestSize, int(jobSize), g.inOrder[:live], &g.jobs[0].Slot, jobSize, next)
	if g.sums.keys != nil {
		for i := range live {
			g.jobs[i].H = *g.outer[i]
		}
	}
}

// nestAll sets each digest d of dst to SHA-256(outer || d). It serves jobs of unequal
// lengths. Such jobs end at different times, so nest would need more calls.
func (g *group) nestAll(dst [][block.DigestSize]byte) {
	for base := 0; base < len(dst); base += maxShortWave {
		digests := dst[base:min(base+maxShortWave, len(dst))]
		for i := range digests {
			j := &g.jobs[i]
			copy(j.outerBlock()[:], digests[i][:])
			_, outer := g.sums.states(base + i)
			j.H = *outer
			g.state[i] = &j.H
		}
		g.retire(len(digests))
		g.compressScratch(len(digests), outerAt, 1)
		for i := range digests {
			block.PutDigest(&digests[i], &g.jobs[i].H)
		}
	}
	g.retire(0)
}

// sumMany is the work of SumMany, SumManyAfter, SumNested, SumNestedEach, SumHeaded and
// SumRows.
type sumMany struct {
	dst     [][block.DigestSize]byte
	msgs    [][]byte
	lengths lengths // of msgs
	prefix  Prefix
	outer   Prefix // if nested
	nested  bool
	keys    Keys // if nested, for prefixes of one block that differ; or nil
	// heads, if not nil, has a head for each message. The head goes into the prefix's rest
	// from headAt on.
	heads  []byte
	headAt int
}

// states returns the states after the prefixes of message i. The outer state has a meaning
// only if messages are nested.
func (s *sumMany) states(i int) (inner, outer *block.State) {
	if s.keys != nil {
		return s.keys.States(i)
	}
	return &s.prefix.H, &s.outer.H
}

// putHead puts the head of message i into j's scratch, if there are heads.
func (s *sumMany) putHead(j *Job, i int) {
	if s.heads != nil {
		copyHead(j.Scratch[s.headAt:len(s.prefix.Rest)], s.heads, i)
	}
}

func (s *sumMany) Blocks(i int) int { return block.PaddedBlocks(len(s.prefix.Rest) + len(s.msgs[i])) }

func (s *sumMany) Start(i int, j *Job) bool {
	m := s.msgs[i]
	inner, _ := s.states(i)
	j.H = *inner
	if len(s.prefix.Rest) == 0 {
		whole := len(m) &^ (block.Size - 1)
		tail := block.Pad((*[block.MaxTail]byte)(j.Scratch[:]), m[whole:], s.prefix.Len+uint64(len(m)))
		j.Set(&j.H, m[:whole], j.Scratch[:tail], nil)
		return true
	}
	l := s.prefix.layout(len(m))
	copy(j.Scratch[:], s.prefix.Rest)
	s.putHead(j, i)
	l.fill(j, m)
	j.Set(&j.H, j.Scratch[:l.head], m[l.first:l.last], j.Scratch[l.head:l.head+l.tail])
	return true
}

func (s *sumMany) Fetch(i int) { block.Fetch(s.msgs[i : i+1]) }

func (s *sumMany) Done(i int, j *Job) { block.PutDigest(&s.dst[i], &j.H) }

// sumEqual sets rows of dst to the digests of the messages m, with the prefixes, heads and
// keys of g.sums. Besides hashing, sumEqual takes a few nanoseconds for each message. That
// matters when messages are short.
func (g *group) sumEqual(dst Rows, m *messages) {
	s := &g.sums
	l := s.prefix.layout(m.size)
	whole, scratch := (l.last-l.first)/block.Size, (l.head+l.tail)/block.Size
	// If the scratches hold no byte of a message, and no head, their blocks are the same for
	// all messages. Then the scratch of one job is enough.
	ends, fill := l.head > 0 || m.size > l.last || s.heads != nil, 1
	if ends {
		fill = min(g.maxWave(), m.n)
	}
	g.fill(fill, &l, &s.prefix, m.message(0))
	// The end of a message begins in scratch at this offset.
	at := l.head
	if l.head == 0 {
		at = l.rest
	}
	far, h := m.areFar(), s.prefix.H
	for occupied, done := 0, 0; done < m.n; {
		live := g.wave(m.n-done, whole, whole+scratch)
		occupied = g.occupy(occupied, live)
		if ends {
			m.start(g.jobs[:live], h, at, done, l.last)
		} else {
			for i := range live {
				g.jobs[i].H = h
			}
		}
		if l.head > 0 {
			for i := range live {
				copy(g.jobs[i].Scratch[l.rest:block.Size], m.message(done+i))
			}
		}
		if s.heads != nil {
			for i := range live {
				s.putHead(&g.jobs[i], done+i)
			}
		}
		if s.keys != nil {
			for i := range live {
				inner, outer := s.keys.States(done + i)
				g.jobs[i].H, g.outer[i] = *inner, outer
			}
		}
		if whole > 0 {
			if l.head > 0 {
				g.compressScratch(live, 0, 1)
			}
			m.point(g.next[:live], done, l.first)
			if far && whole <= soonBlocks {
				m.fetch(done+live, live)
			}
			g.compressEqual(live, whole)
		}
		if far && (whole == 0 || whole > soonBlocks) {
			m.fetch(done+live, live)
		}
		// The third case has l.head == 0, since l.head > 0 implies whole > 0. So the second
		// case could replace it. But compiled by Go 1.26, two cases were 8 to 10% slower than
		// three for short messages.
		switch {
		case !ends:
			g.compressPadding(live, scratch)
		case whole > 0:
			g.compressScratch(live, l.head, l.tail/block.Size)
		default:
			g.compressScratch(live, 0, scratch)
		}
		if s.nested {
			g.nest(live)
			g.compressScratch(live, outerAt, 1)
		}
		dst.put(done, g.jobs[:live])
		done += live
	}
	g.retire(0)
}

// fill puts the prefix's rest and the padding into the scratch of the first n jobs.
// Both are the same for all messages of m's length.
func (g *group) fill(n int, l *layout, prefix *Prefix, m []byte) {
	first := &g.jobs[0]
	copy(first.Scratch[:], prefix.Rest)
	l.fill(first, m)
	for i := range g.jobs[1:n] {
		copy(g.jobs[1+i].Scratch[:l.head+l.tail], first.Scratch[:])
	}
}

// occupy points lane i at the state of job i, for each of the first `live` lanes. The first
// `occupied` lanes have their states already. occupy returns `live`.
func (g *group) occupy(occupied, live int) int {
	for ; occupied < live; occupied++ {
		g.state[occupied] = &g.jobs[occupied].H
	}
	g.retire(live)
	return live
}

// A wave is jobs that run together, from their first blocks to their last.

// wave returns how many of the n remaining jobs, of equal length, form the next wave. If
// the jobs rotate, or n is at most Width, it returns n. Otherwise each lane gets one long
// job, or several short ones. A job has `all` blocks, and may rotate during `whole` of
// them.
func (g *group) wave(n, whole, all int) int {
	if n <= g.Width() {
		return n
	}
	if n <= g.maxLive() {
		if _, rotates := g.sliceOfEqual(n, whole); rotates {
			return n
		}
	}
	if left := n - g.plan.Even; plan.IsLong(whole) && 0 < left && left < g.Width() {
		return g.Width() // the others then rotate
	}
	return g.fullWave(n, all)
}

// fullWave is wave for Width jobs or more that do not rotate together. A list that fits in
// one wave may have more than plan.WaveBlocks blocks (sumByBlocks, sumShortRows): no messages
// follow.
func (g *group) fullWave(n, blocks int) int {
	width := g.Width()
	if n >= g.plan.Even {
		width = g.plan.Even
	}
	if plan.IsLong(blocks) {
		return width
	}
	wave := maxShortWave
	for wave > width && (wave > n || wave*blocks > plan.WaveBlocks) {
		wave -= width // a division would take longer
	}
	return wave
}

// maxShortWave is the largest wave of short jobs. Each lane gets the same number of them, one
// after the other: Width and Even divide maxShortWave.
const maxShortWave = block.MaxLanes

// maxWave is the largest wave.
func (g *group) maxWave() int { return max(g.maxLive(), maxShortWave) }

// compressEqual compresses `blocks` blocks in each of the first `live` lanes. The blocks
// begin at `next`. compressEqual leaves `next` undefined.
func (g *group) compressEqual(live, blocks int) {
	if t, rotates := g.sliceOfEqual(live, blocks); rotates {
		g.rotateEqual(live, blocks, t)
	} else {
		g.compressAll(live, 0, blocks)
	}
}

// compressScratch compresses `blocks` blocks of the scratch, from offset `at` on, for each
// of the first `live` jobs. Job i is in lane i.
func (g *group) compressScratch(live, at, blocks int) {
	for i := range live {
		g.next[i] = &g.jobs[i].Scratch[at]
	}
	g.compressAll(live, 0, blocks)
}

// compressPadding is compressScratch, but all jobs read the beginning of the first
// job's scratch.
func (g *group) compressPadding(live, blocks int) {
	for i := range live {
		g.next[i] = &g.jobs[0].Scratch[0]
	}
	g.compressAll(live, 0, blocks)
}

// compressAll compresses `blocks` blocks, from block `at` of `next` on, for each of the
// first `live` jobs.
func (g *group) compressAll(live, at, blocks int) {
	g.plan.compressAll(g.state[:], g.next[:], live, at, blocks)
}
