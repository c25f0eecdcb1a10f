package lanes

import (
	"encoding/binary"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// A Prefix is what comes before each of many messages.
type Prefix struct {
	H    block.State // after its whole blocks
	Rest []byte      // what follows these, less than a block
	Len  uint64      // in bytes, Rest included
}

// SumMany sets dst[i] to the SHA-256 digest of msgs[i]. The slices are of the
// same length.
func SumMany(dst [][block.DigestSize]byte, msgs [][]byte) {
	SumManyAfter(dst, Prefix{H: block.IV256}, msgs)
}

// SumManyAfter sets dst[i] to the SHA-256 digest of prefix followed by msgs[i].
// The slices are of the same length.
func SumManyAfter(dst [][block.DigestSize]byte, prefix Prefix, msgs [][]byte) {
	sum(dst, sumMany{dst: dst, msgs: msgs, prefix: prefix})
}

// SumDigests sets dst[i] to the SHA-256 digest of prefix followed by k digests,
// those of src from number k·i on, where k is len(src)/len(dst), at most 4. dst may
// begin where src does. It is SumMany for messages that lie in a row, without a
// slice for each.
func SumDigests(dst [][block.DigestSize]byte, prefix Prefix, src [][block.DigestSize]byte) {
	if len(dst) == 0 {
		return
	}
	g := acquire()
	k := len(src) / len(dst)
	l := prefix.together(k * block.DigestSize)
	var zeros [4 * block.DigestSize]byte
	g.fill(min(g.Width(), len(dst)), &l, &prefix, zeros[:k*block.DigestSize])
	for used := 0; len(dst) > 0; {
		live := min(g.Width(), len(dst))
		used = g.use(used, live)
		for i := range live {
			j := &g.jobs[i]
			j.H = prefix.H
			for at := range k {
				*(*[block.DigestSize]byte)(j.Scratch[l.rest+at*block.DigestSize:]) = src[k*i+at]
			}
		}
		g.compressScratch(live, 0, l.tail/block.Size)
		for i := range live {
			block.PutDigest(&dst[i], &g.jobs[i].H)
		}
		dst, src = dst[live:], src[k*live:]
	}
	g.retire(0)
	g.release()
}

// SumNested sets dst[i] to the SHA-256 digest of outer followed by the digest of
// inner followed by msgs[i]. The slices are of the same length, and the prefixes
// whole blocks.
func SumNested(dst [][block.DigestSize]byte, inner, outer Prefix, msgs [][]byte) {
	sum(dst, sumMany{dst: dst, msgs: msgs, prefix: inner, outer: outer, nested: true})
}

func sum(dst [][block.DigestSize]byte, s sumMany) {
	if len(dst) == 0 {
		return
	}
	g := acquire()
	g.sums = s
	if s.nested {
		for i := range min(g.most(), len(dst)) {
			end := g.jobs[i].outerBlock()
			*end = [block.Size]byte{block.DigestSize: 0x80}
			binary.BigEndian.PutUint64(end[block.Size-8:], (s.outer.Len+block.DigestSize)<<3)
		}
	}
	if uniform(s.msgs) {
		g.sumUniform(&g.sums)
	} else {
		g.run(len(dst), &g.sums, true)
		if s.nested {
			g.nestAll(dst)
		}
	}
	g.release()
}

// outerBlock is the last block of j's scratch, which a message of a nested digest
// leaves free: its prefix is whole blocks.
func (j *Job) outerBlock() *[block.Size]byte { return (*[block.Size]byte)(j.Scratch[block.MaxTail:]) }

// nest replaces the digests of the first live jobs by those of outer followed by
// them.
func (g *group) nest(live int) {
	for i := range live {
		j := &g.jobs[i]
		block.PutDigest((*[block.DigestSize]byte)(j.outerBlock()[:]), &j.H)
		j.H = g.sums.outer.H
	}
	g.compressScratch(live, block.MaxTail, 1)
}

// nestAll does as nest for all digests of dst. In unequal jobs, which other blocks
// are to follow, it would cost calls.
func (g *group) nestAll(dst [][block.DigestSize]byte) {
	for base := 0; base < len(dst); base += g.Width() {
		digests := dst[base:min(base+g.Width(), len(dst))]
		for i := range digests {
			j := &g.jobs[i]
			copy(j.outerBlock()[:], digests[i][:])
			j.H = g.sums.outer.H
			g.state[i] = &j.H
		}
		g.retire(len(digests))
		g.compressScratch(len(digests), block.MaxTail, 1)
		for i := range digests {
			block.PutDigest(&digests[i], &g.jobs[i].H)
		}
	}
	g.retire(0)
}

// sumMany is the work of SumManyAfter.
type sumMany struct {
	dst    [][block.DigestSize]byte
	msgs   [][]byte
	prefix Prefix
	outer  Prefix // if nested
	nested bool
}

func (s *sumMany) Blocks(i int) int { return blocksOf(len(s.prefix.Rest) + len(s.msgs[i])) }

func (s *sumMany) Start(i int, j *Job) bool {
	m := s.msgs[i]
	j.H = s.prefix.H
	if len(s.prefix.Rest) == 0 {
		whole := len(m) &^ (block.Size - 1)
		tail := block.Pad((*[block.MaxTail]byte)(j.Scratch[:]), m[whole:], s.prefix.Len+uint64(len(m)))
		j.Set(&j.H, m[:whole], j.Scratch[:tail], nil)
		return true
	}
	l := s.prefix.layout(len(m))
	copy(j.Scratch[:], s.prefix.Rest)
	l.fill(j, m)
	j.Set(&j.H, j.Scratch[:l.head], m[l.first:l.last], j.Scratch[l.head:l.head+l.tail])
	return true
}

func (s *sumMany) Done(i int, j *Job) { block.PutDigest(&s.dst[i], &j.H) }

// A layout says where the blocks of a message after a prefix are. The prefix's
// rest and what completes its block are the head, in scratch; then come whole
// blocks of the message, where they lie; and the tail, in scratch again, behind
// the head: what is left, and padding. A message that fits there with the prefix's
// rest is all tail: to copy some blocks costs less than two calls more.
type layout struct {
	rest        int // bytes of the prefix in scratch
	head, tail  int // bytes of scratch
	first, last int // of the message's whole blocks
	length      uint64
}

// layout returns that of messages of n bytes.
func (p *Prefix) layout(n int) layout {
	if len(p.Rest) > 0 && (len(p.Rest)+n)&^(block.Size-1)+block.MaxTail <= len(Job{}.Scratch) {
		return p.together(n)
	}
	l := layout{rest: len(p.Rest), length: p.Len + uint64(n)}
	if l.rest > 0 {
		l.head, l.first = block.Size, block.Size-l.rest
	}
	l.last = l.first + (n-l.first)&^(block.Size-1)
	l.tail = blocksOf(n-l.last) * block.Size
	return l
}

// together returns the layout of messages of n bytes that are all tail.
func (p *Prefix) together(n int) layout {
	return layout{rest: len(p.Rest), tail: blocksOf(len(p.Rest)+n) * block.Size, length: p.Len + uint64(n)}
}

// fill puts the head and the tail of m into j's scratch, which begins with the
// prefix's rest.
func (l *layout) fill(j *Job, m []byte) {
	switch {
	case l.head > 0:
		copy(j.Scratch[l.rest:block.Size], m)
		block.Pad((*[block.MaxTail]byte)(j.Scratch[block.Size:]), m[l.last:], l.length)
	case l.last > 0:
		block.Pad((*[block.MaxTail]byte)(j.Scratch[:]), m[l.last:], l.length)
	default:
		n := l.rest + copy(j.Scratch[l.rest:], m)
		whole := n &^ (block.Size - 1)
		var short [block.Size]byte
		end := short[:copy(short[:], j.Scratch[:n])]
		if whole > 0 {
			end = m[whole-l.rest:]
		}
		block.Pad((*[block.MaxTail]byte)(j.Scratch[whole:]), end, l.length)
	}
}

// blocksOf returns how many blocks a message of n bytes has when it is padded.
func blocksOf(n int) int { return (n + 8 + block.Size) / block.Size }

// uniform reports whether all messages are of one length.
func uniform(msgs [][]byte) bool {
	for _, m := range msgs {
		if len(m) != len(msgs[0]) {
			return false
		}
	}
	return true
}

// sumUniform is SumManyAfter for messages of one length, at least one. That
// leaves a few nanoseconds of work here for each: when messages are short, they
// count.
func (g *group) sumUniform(s *sumMany) {
	dst, prefix, msgs := s.dst, &s.prefix, s.msgs
	l := prefix.layout(len(msgs[0]))
	whole, scratch := (l.last-l.first)/block.Size, (l.head+l.tail)/block.Size
	// Messages that leave nothing for the scratch have the same blocks there: one for
	// all is enough.
	ends, fill := l.head > 0 || len(msgs[0]) > l.last, 1
	if ends {
		fill = min(g.most(), len(msgs))
	}
	g.fill(fill, &l, prefix, msgs[0])
	// Where the ends of a message's bytes in scratch begin.
	at := l.head
	if l.head == 0 {
		at = l.rest
	}
	for used := 0; len(msgs) > 0; {
		live := g.round(len(msgs), whole)
		used = g.use(used, live)
		for i, m := range msgs[:live] {
			j := &g.jobs[i]
			j.H = prefix.H
			if ends {
				copy(j.Scratch[at:], m[l.last:])
			}
			g.next[i] = unsafe.SliceData(m)
		}
		if l.head > 0 {
			for i, m := range msgs[:live] {
				copy(g.jobs[i].Scratch[l.rest:block.Size], m)
			}
		}
		if whole > 0 {
			if l.head > 0 {
				g.compressScratch(live, 0, 1)
				for i, m := range msgs[:live] {
					g.next[i] = unsafe.SliceData(m[l.first:])
				}
			}
			g.compressAlike(live, whole)
		}
		// Where there is a head there are whole blocks, so two cases would do. They were
		// 8 to 10% slower for short messages, as compiled by Go 1.26.
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
		}
		for i := range live {
			block.PutDigest(&dst[i], &g.jobs[i].H)
		}
		dst, msgs = dst[live:], msgs[live:]
	}
	g.retire(0)
}

// fill puts into the scratch of the first n jobs what is the same for all messages
// of one length, such as m: the prefix's rest and the padding.
func (g *group) fill(n int, l *layout, prefix *Prefix, m []byte) {
	first := &g.jobs[0]
	copy(first.Scratch[:], prefix.Rest)
	l.fill(first, m)
	for i := range g.jobs[1:n] {
		copy(g.jobs[1+i].Scratch[:l.head+l.tail], first.Scratch[:])
	}
}

// use has the first live lanes run the jobs of their numbers, where used did
// before, and returns live.
func (g *group) use(used, live int) int {
	for ; used < live; used++ {
		g.state[used] = &g.jobs[used].H
	}
	g.retire(live)
	return live
}

// round returns how many of n jobs that have so many blocks each to do together:
// as many as there are lanes, or all that are left if they had better take turns.
func (g *group) round(n, blocks int) int {
	if n <= g.Width() {
		return n
	}
	if n <= g.most() {
		if _, better := g.turnOfAlike(n, blocks); better {
			return n
		}
	}
	return g.Width()
}

// compressAlike compresses so many blocks at next for each of the first live
// lanes. It leaves anything in next.
func (g *group) compressAlike(live, blocks int) {
	if t, better := g.turnOfAlike(live, blocks); better {
		g.rotateAlike(live, blocks, t)
	} else {
		g.plan.compressAll(g.state[:], g.next[:], live, 0, blocks)
	}
}

// compressScratch compresses so many blocks at an offset of the scratch of each
// of the first live jobs, which are in the lanes of the same numbers.
func (g *group) compressScratch(live, at, blocks int) {
	for i := range live {
		g.next[i] = &g.jobs[i].Scratch[at]
	}
	g.compressAll(live, blocks)
}

// compressPadding is compressScratch of the beginning of the first job's scratch
// for all.
func (g *group) compressPadding(live, blocks int) {
	for i := range live {
		g.next[i] = &g.jobs[0].Scratch[0]
	}
	g.compressAll(live, blocks)
}

// compressAll compresses so many blocks at next for each of the first live lanes,
// one set of lanes after the other.
func (g *group) compressAll(live, blocks int) {
	for from := 0; from < live; from += g.Width() {
		g.plan.compressAll(g.state[from:], g.next[from:], min(g.Width(), live-from), 0, blocks)
	}
}
