package lanes

import (
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// Short messages of unequal lengths go by their numbers of blocks. Messages with
// the same number of blocks run like messages of one length. Of each number some
// messages are left over, too few to fill the lanes. These run together, by falling
// number of blocks, so that the shorter ones leave early.

const (
	// maxTogether is the largest number of blocks of a message that is copied whole.
	// Copying costs less than calls for its beginning and its end. A nested message
	// leaves the last block of the scratch free.
	maxTogether = len(Job{}.Scratch)/block.Size - 1
	// maxByBlocks is the largest number of blocks of a message in a list that goes by
	// blocks.
	maxByBlocks = 64
)

// goesByBlocks reports whether the messages, of unequal lengths, go by their numbers
// of blocks. It returns the smallest and the largest of these numbers, and whether the
// list is far. Messages that are not copied whole go by blocks only if they are many:
// otherwise most of them would be left over.
func (s *sumMany) goesByBlocks(width int) (least, most int, far, ok bool) {
	shortest, longest, total := len(s.msgs[0]), 0, 0
	for _, m := range s.msgs {
		shortest, longest, total = min(shortest, len(m)), max(longest, len(m)), total+len(m)
	}
	least, most = block.PaddedBlocks(len(s.prefix.Rest)+shortest), block.PaddedBlocks(len(s.prefix.Rest)+longest)
	return least, most, isFar(len(s.msgs), total), most <= maxTogether || most <= maxByBlocks && min(len(s.msgs), window) >= (most-least+1)*width
}

// sumByBlocks is SumManyAfter for messages of `least` to `most` blocks. If they are far,
// it fetches the messages that come next.
func (g *group) sumByBlocks(s *sumMany, least, most int, far bool) {
	if len(s.prefix.Rest) > 0 {
		for i := range min(g.maxWave(), len(s.msgs)) {
			copy(g.jobs[i].Scratch[:], s.prefix.Rest)
		}
	}
	occupied := 0
	for g.base = 0; g.base < len(s.msgs); g.base += window {
		msgs := s.msgs[g.base:min(g.base+window, len(s.msgs))]
		buckets := g.buckets[:len(msgs)]
		places := g.places[:most+1]
		clear(places)
		if least == most {
			places[most] = uint16(len(msgs))
			for i := range buckets {
				buckets[i] = uint16(most)
			}
		} else {
			for i, m := range msgs {
				b := uint16(block.PaddedBlocks(len(s.prefix.Rest) + len(m)))
				buckets[i] = b
				places[b]++
			}
		}
		g.arrange(buckets, places)
		// From here on the array of numbers of blocks holds the messages left over.
		left := buckets[:0]
		fetched := 0
		for b, from := most, 0; b > 0; b-- {
			to := int(places[b])
			for to-from >= g.Width() {
				n := g.fullWave(to-from, b)
				if far {
					ahead := min(from+n+g.maxWave(), len(msgs))
					s.fetch(g.base, g.order[fetched:ahead])
					fetched = ahead
				}
				occupied = g.sumLanes(s, g.order[from:from+n], b, occupied)
				from += n
			}
			left = append(left, g.order[from:to]...)
			from = to
		}
		for len(left) > 0 {
			n := min(g.Width(), len(left))
			next := left[n:]
			if far {
				s.fetch(g.base, next[:min(g.Width(), len(next))])
			}
			occupied = g.sumLanes(s, left[:n], 0, occupied)
			left = next
		}
	}
	g.retire(0)
}

// fetch fetches messages of the window that begins at base.
func (s *sumMany) fetch(base int, numbers []uint16) {
	for _, number := range numbers {
		s.Fetch(base + int(number))
	}
}

// sumLanes hashes messages of the window, at most maxShortWave of them, by falling number
// of blocks. If `equal` is not 0, each of them has this number of blocks. sumLanes takes
// and returns the argument `occupied` of the method occupy.
func (g *group) sumLanes(s *sumMany, numbers []uint16, equal, occupied int) int {
	msgs, live, rest := s.msgs[g.base:], len(numbers), len(s.prefix.Rest)
	g.occupy(occupied, live)
	var blocks fallingBlocks
	for i, number := range numbers {
		if blocks[i] = uint8(equal); equal == 0 {
			blocks[i] = uint8(block.PaddedBlocks(rest + len(msgs[number])))
		}
		inner, outer := s.states(g.base + int(number))
		g.jobs[i].H = *inner
		if s.nested {
			g.outer[i] = outer
		}
		s.putHead(&g.jobs[i], g.base+int(number))
	}
	if int(blocks[0]) <= maxTogether {
		for i, number := range numbers {
			m := msgs[number]
			fillEnd(g.jobs[i].Scratch[:], rest, m, s.prefix.Len+uint64(len(m)))
		}
		occupied = blocks.forEach(live, 0, func(n, at, more int) {
			g.retire(n)
			g.compressScratch(n, at*block.Size, more)
		})
	} else {
		occupied = g.sumInPlace(s, numbers, &blocks)
	}
	if s.nested {
		occupied = g.occupy(occupied, live)
		g.nest(live)
	}
	for i, number := range numbers {
		block.PutDigest(&s.dst[g.base+int(number)], &g.jobs[i].H)
	}
	return occupied
}

// sumInPlace compresses the messages of sumLanes where they lie. It copies only the
// last two blocks of each, and the first block if a prefix's rest precedes it.
func (g *group) sumInPlace(s *sumMany, numbers []uint16, blocks *fallingBlocks) (occupied int) {
	msgs, live, rest := s.msgs[g.base:], len(numbers), len(s.prefix.Rest)
	head, first := 0, 0 // blocks at the beginning of scratch, and bytes of the message in them
	if rest > 0 {
		head, first = 1, block.Size-rest
	}
	for i, number := range numbers {
		m, scratch := msgs[number], g.jobs[i].Scratch[:]
		length := s.prefix.Len + uint64(len(m))
		if blocks[i] <= 2 {
			copy(scratch[head*block.Size:], scratch[:rest])
			fillEnd(scratch[head*block.Size:], rest, m, length)
			continue
		}
		if head > 0 {
			copy(scratch[rest:block.Size], m)
		}
		fillEnd(scratch[head*block.Size:], 0, m[int(blocks[i]-2)*block.Size-rest:], length)
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

// fallingBlocks are the numbers of blocks of the messages in lanes, falling.
type fallingBlocks [block.MaxLanes]uint8

// longer returns the number of messages, of the first n, that have more than that
// number of blocks.
func (b *fallingBlocks) longer(n, blocks int) int {
	for n > 0 && int(b[n-1]) <= blocks {
		n--
	}
	return n
}

// forEach calls f again and again, until all blocks of the first n messages from block
// `at` on are done. Each call advances the messages that are not at their end by
// `more` blocks, to the end of the shortest of them. forEach returns the number of
// messages in the last call, or n if there was none.
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
