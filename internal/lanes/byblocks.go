package lanes

import (
	"math/bits"
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/plan"
)

// Messages of up to maxByBlocks blocks run by blocks: those with the same number of blocks run
// like messages of one length. For each number of blocks, some messages are left over: too few
// to fill the lanes. All messages left over run together. Those with the most blocks get the
// first lanes, so that shorter messages can leave early.
//
// A list of few messages that are copied whole runs in one wave from the start: up to
// maxShortWave of them if all have the same number of blocks, else up to maxTogether. On
// Zen 4, that took up to 10% less time in cache.

// maxTogether is the largest number of short messages with unequal numbers of blocks that
// run in one wave from the start. On Zen 4, 32 of them took up to 5% longer that way.
const maxTogether = 24

// maxByBlocks is the largest number of blocks of a message in a list that runs by blocks.
// Messages of up to block.MaxShort blocks are copied whole: copying costs less than separate
// calls for the beginning and the end of each message. A message of a nested digest
// (SumNested) leaves the last block of the scratch free.
const maxByBlocks = 255

// If messages are too long to be copied whole, and the plan has PairsPay, a list of n messages
// runs by blocks if none has more than blocksPerMessage·n blocks. The longer the list, the
// closer are the lengths of messages left over. On Zen 3, lists of 5 to 64 messages below this
// limit took 1 to 15% less time by blocks than in rotation. Where few long messages stood among
// short ones, they took 15 to 45% less. Lists above the limit took up to 20% more. For other
// CPUs, the limit is an estimate.
const blocksPerMessage = 8

// pairsRunByBlocks reports whether n messages of unequal lengths, too long to be copied whole,
// run by blocks because the plan has PairsPay. The longest has `most` blocks. On Zen 3, as many
// messages as lanes, or fewer, took 2 to 10% less time in rotation.
func pairsRunByBlocks(p *plan.Streams, n, most int) bool {
	return p.PairsPay && n > p.Width && most <= min(blocksPerMessage*n, maxByBlocks)
}

// goesByBlocks reports whether the messages, of unequal lengths, run by blocks. It also
// returns the smallest and the largest number of blocks of a message, and whether the list
// is far from the core (isFar). Messages too long to be copied whole run by blocks in two
// cases: those left over cost little (pairsRunByBlocks); or, on average, each number of blocks
// that occurs has enough messages to fill the lanes.
func (s *sumMany) goesByBlocks(p *plan.Streams) (least, most int, far, ok bool) {
	l, before := &s.lengths, len(s.prefix.Rest)
	least, most = block.PaddedBlocks(before+l.shortest), block.PaddedBlocks(before+l.longest)
	switch far = isFar(len(s.msgs), l.bytes); {
	case most <= block.MaxShort, pairsRunByBlocks(p, len(s.msgs), most):
		ok = true
	case most <= maxSeen:
		n := min(len(s.msgs), window)
		ok = n >= (most-least+1)*p.Width || n >= 2*p.Width && n >= s.classes(n)*p.Width
	}
	return least, most, far, ok
}

// classes returns how many numbers of blocks occur among the first n messages, which have at
// most maxSeen blocks each.
func (s *sumMany) classes(n int) int {
	before, seen := len(s.prefix.Rest), uint64(0)
	for _, m := range s.msgs[:n] {
		seen |= 1 << ((block.PaddedBlocks(before+len(m)) - 1) % maxSeen)
	}
	return bits.OnesCount64(seen)
}

// maxSeen is the largest number of blocks that classes can count: it sets a bit for each.
const maxSeen = 64

// sumByBlocks hashes the messages of g.sums, which have `least` to `most` blocks. If `far` is set,
// it prefetches the messages that come next.
func (g *group) sumByBlocks(dst Rows, least, most int, far bool) {
	s := &g.sums
	g.setFront()
	occupied := 0
	g.pointed = 0
	for g.base = 0; g.base < len(s.msgs); g.base += window {
		g.count = min(window, len(s.msgs)-g.base)
		g.front.Heads = s.heads[g.base*g.front.HeadSize:]
		g.sortByBlocks(least, most)
		limit, equal := maxShortWave, most
		if least < most {
			limit, equal = maxTogether, 0
		}
		if most <= block.MaxShort && g.count <= limit {
			if far {
				s.fetch(g.base, g.order[:g.count])
			}
			occupied = g.sumLanes(dst, g.order[:g.count], equal, occupied)
			continue
		}
		// From here on, buckets holds the numbers of the messages left over.
		left := g.buckets[:0]
		fetched := 0
		for b, from := most, 0; b >= least; b-- {
			to := int(g.places[b])
			for to-from >= g.Width() {
				n := g.fullWave(to-from, b)
				ahead := min(from+n+g.maxWave(), g.count)
				if far && b <= soonBlocks {
					s.fetch(g.base, g.order[fetched:ahead])
					fetched = ahead
				}
				occupied = g.sumLanes(dst, g.order[from:from+n], b, occupied)
				if far && b > soonBlocks {
					s.fetch(g.base, g.order[max(fetched, from+n):ahead])
					fetched = ahead
				}
				from += n
			}
			left = append(left, g.order[from:to]...)
			from = to
		}
		for len(left) > 0 {
			n := min(g.Width(), len(left))
			now, next := left[:n], left[n:]
			soon := s.Blocks(g.base+int(now[0])) <= soonBlocks
			ahead := next[:min(g.Width(), len(next))]
			if far && soon {
				s.fetch(g.base, ahead)
			}
			occupied = g.sumLanes(dst, now, 0, occupied)
			if far && !soon {
				s.fetch(g.base, ahead)
			}
			left = next
		}
	}
	g.retire(0)
}

// sortByBlocks puts the messages of the window into g.order, those with the most blocks
// first. g.places[b] is the index in g.order just past the last message of b blocks.
func (g *group) sortByBlocks(least, most int) {
	s := &g.sums
	msgs, before := s.msgs[g.base:][:g.count], len(s.prefix.Rest)
	switch {
	case least == most:
		for i := range msgs {
			g.order[i] = uint16(i)
		}
		g.places[most] = uint16(len(msgs))
	case most <= block.MaxShort:
		// The numbers of the messages go to a place for each class, then to g.order.
		var counts uint64
		for i, m := range msgs {
			c := &shortClasses[block.PaddedBlocks(before+len(m))%len(shortClasses)]
			g.buckets[(c.of(counts)^c.first)%(2*window)] = uint16(i)
			counts += c.one
		}
		place := 0
		for b := most; b >= least; b-- {
			c := &shortClasses[b]
			n := c.of(counts)
			first := c.first
			if c.falls {
				first -= n - 1
			}
			from, to := g.buckets[first:], g.order[place:]
			if n <= 8 && len(from) >= 8 && len(to) >= 8 { // in a short list, calls of memmove would take longer
				*(*[8]uint16)(to) = *(*[8]uint16)(from)
			} else {
				copy(to, from[:n])
			}
			place += int(n)
			g.places[b] = uint16(place)
		}
		if place != len(msgs) { // the rest of g.order is of another list
			panic("sha256: the lengths of messages were changed during the call")
		}
	default:
		buckets, places := g.buckets[:len(msgs)], g.places[:most+1]
		clear(places)
		for i, m := range msgs {
			b := uint16(block.PaddedBlocks(before + len(m)))
			buckets[i] = b
			places[b]++
		}
		g.arrange(buckets, places)
	}
}

// A shortClass is the messages of 1, 2, 3 or 4 blocks, up to block.MaxShort. Their counts are
// packed into one register. If they were in memory, each message would have to wait for the
// store of the previous message's count.
type shortClass struct {
	one  uint64 // the counts of one message of this class
	pick uint64 // moves this class's count to the highest bits
	// first is the index in g.buckets of this class's first message. Further messages follow,
	// or precede it if `falls` is set. Two classes share a half of g.buckets, from both ends.
	first uint64
	falls bool
}

// of returns the count of class c.
func (c *shortClass) of(counts uint64) uint64 { return counts * c.pick >> (64 - countBits) }

const countBits = 64 / block.MaxShort

const _ = -uint(block.MaxShort ^ 4) // shortClasses has four classes

// shortClasses[b] is the class of messages of b blocks. The other elements save a bounds check.
var shortClasses = [2 * block.MaxShort]shortClass{
	1: {one: 1, pick: 1 << (3 * countBits), first: 0},
	2: {one: 1 << countBits, pick: 1 << (2 * countBits), first: window},
	3: {one: 1 << (2 * countBits), pick: 1 << countBits, first: 2*window - 1, falls: true},
	4: {one: 1 << (3 * countBits), pick: 1, first: window - 1, falls: true},
}

// fetch prefetches messages of the window that begins at message `base`.
func (s *sumMany) fetch(base int, numbers []uint16) {
	for _, number := range numbers {
		s.Fetch(base + int(number))
	}
}

// sumLanes hashes at most maxShortWave messages. `numbers` are their numbers in the window,
// those with the most blocks first. If `equal` is not 0, each message has `equal` blocks.
// The first `occupied` lanes have their states already (occupy). sumLanes returns the next
// value of `occupied`.
func (g *group) sumLanes(dst Rows, numbers []uint16, equal, occupied int) int {
	s := &g.sums
	live, rest := len(numbers), len(s.prefix.Rest)
	msgs := s.msgs[g.base:]
	g.occupy(occupied, live)
	if equal > 0 && equal <= block.MaxShort {
		occupied = live
		g.assemble(numbers)
		g.compressOwn(live, 0, equal)
	} else {
		var blocks fallingBlocks
		for i, number := range numbers {
			if blocks[i] = uint8(equal); equal == 0 {
				blocks[i] = uint8(block.PaddedBlocks(rest + len(msgs[number])))
			}
		}
		if int(blocks[0]) <= block.MaxShort {
			g.assemble(numbers)
			occupied = blocks.forEach(live, 0, func(n, at, more int) {
				g.retire(n)
				g.compressOwn(n, at, more)
			})
		} else {
			occupied = g.sumInPlace(numbers, &blocks)
		}
	}
	if s.nested {
		occupied = g.occupy(occupied, live)
		g.nest(live)
		g.compressOwn(live, block.MaxShort, 1)
	}
	block.PutDigests(dst.Data[g.base*dst.Stride:], dst.Size, dst.Stride, numbers, &g.jobs[0].Slot, jobSize, nil)
	return occupied
}

// assemble puts messages of the window into the scratches of the first jobs. It sets the
// states of these jobs to the states after the prefixes.
func (g *group) assemble(numbers []uint16) {
	s := &g.sums
	block.PadShort(&g.jobs[0].Slot, jobSize, &g.front, s.msgs[g.base:], numbers)
	if s.keys != nil {
		for i, number := range numbers {
			inner, outer := s.keys.States(g.base + int(number))
			g.jobs[i].H, g.outer[i] = *inner, outer
		}
	}
}

// setFront sets g.front to what precedes the messages of g.sums.
func (g *group) setFront() {
	s := &g.sums
	f := &g.front
	f.H, f.Len = s.prefix.H, s.prefix.Len
	f.Before, f.HeadSize = len(s.prefix.Rest), 0
	if s.heads != nil {
		f.HeadSize = f.Before - s.headAt
	}
	clear(f.Rest[copy(f.Rest[:], s.prefix.Rest):])
}

// compressOwn is compressScratch from block `at` on. The first g.pointed elements of `next`
// are set already; compressOwn sets the others. So between calls of compressOwn, only
// sumInPlace may change `next`, since it resets g.pointed.
func (g *group) compressOwn(live, at, blocks int) {
	p := unsafe.Pointer(&g.jobs[g.pointed].Scratch)
	for i := g.pointed; i < live; i++ {
		g.next[i] = (*byte)(p)
		p = unsafe.Add(p, jobSize)
	}
	g.compressAll(live, at, blocks)
	g.pointed = live // further pointers may have been changed by compressAll
}

// jobSize is the distance between jobs, and so between their slots.
const jobSize = unsafe.Sizeof(Job{})

// sumInPlace compresses the messages of sumLanes where they lie. It copies only the last
// two blocks of each message, and the first block if a prefix's rest precedes the message.
func (g *group) sumInPlace(numbers []uint16, blocks *fallingBlocks) (occupied int) {
	s := &g.sums
	g.pointed = 0
	msgs, live, rest := s.msgs[g.base:], len(numbers), len(s.prefix.Rest)
	head, first := 0, 0 // blocks at the beginning of scratch, and bytes of the message in them
	if rest > 0 {
		head, first = 1, block.Size-rest
	}
	for i, number := range numbers {
		m, scratch := msgs[number], g.jobs[i].Scratch[:]
		inner, outer := s.states(g.base + int(number))
		g.jobs[i].H, g.outer[i] = *inner, outer
		copy(scratch, s.prefix.Rest)
		s.putHead(&g.jobs[i], g.base+int(number))
		length := s.prefix.Len + uint64(len(m))
		if blocks[i] <= 2 {
			copy(scratch[head*block.Size:], scratch[:rest])
			block.PadBehind(scratch[head*block.Size:], rest, m, length)
			continue
		}
		if head > 0 {
			copy(scratch[rest:block.Size], m)
		}
		block.PadBehind(scratch[head*block.Size:], 0, m[int(blocks[i]-2)*block.Size-rest:], length)
	}
	if head > 0 {
		n := blocks.longer(live, 2)
		g.retire(n)
		g.compressScratch(n, 0, 1)
	}
	n := blocks.longer(live, 2+head)
	for i, number := range numbers[:n] {
		g.next[i] = unsafe.SliceData(msgs[number][first:])
	}
	occupied = blocks.forEach(n, 2+head, func(n, at, more int) {
		g.retire(n)
		g.compressAll(n, at-2-head, more)
	})
	g.occupy(occupied, live)
	two := blocks.longer(live, 1)
	if two == live {
		g.compressScratch(live, head*block.Size, 2)
		return live
	}
	g.compressScratch(live, head*block.Size, 1)
	g.retire(two)
	g.compressScratch(two, (head+1)*block.Size, 1)
	return two
}

// fallingBlocks are the numbers of blocks of the messages in lanes, in falling order.
type fallingBlocks [block.MaxLanes]uint8

// longer returns how many of the first n messages have more than `blocks` blocks.
func (b *fallingBlocks) longer(n, blocks int) int {
	for n > 0 && int(b[n-1]) <= blocks {
		n--
	}
	return n
}

// forEach calls f until the first n messages have done all blocks from block `at` on. A
// call f(n, at, more) advances each message that has not ended, n in all, by `more` blocks
// from block `at` on. The shortest of these messages then ends. forEach returns the number
// of messages in the last call, or n if there was no call.
func (b *fallingBlocks) forEach(n, at int, f func(n, at, more int)) (last int) {
	for last = n; ; {
		if n = b.longer(n, at); n == 0 {
			return last
		}
		more := int(b[n-1]) - at
		f(n, at, more)
		at, last = at+more, n
	}
}
