package lanes

import (
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// Alike is a list of jobs of as many blocks each. Nothing has to be put in order
// or refilled, and no job needs scratch, so they cost less than those of Work.
type Alike interface {
	// Start returns what job i is to compress, and into which state.
	Start(i int) (h *block.State, blocks []byte)
	// Done reports that the state of job i has taken in its blocks.
	Done(i int)
}

// RunAlike does jobs 0 to n-1 of w, of so many blocks each, at least one.
func RunAlike(n, blocks int, w Alike) {
	g := acquire()
	for base := 0; base < n; {
		live := g.round(n-base, blocks)
		g.retire(live)
		for i := range live {
			h, p := w.Start(base + i)
			g.state[i], g.next[i] = h, unsafe.SliceData(p)
		}
		g.compressAlike(live, blocks)
		for i := range live {
			w.Done(base + i)
		}
		base += live
	}
	g.retire(0)
	g.release()
}

// Ends is a list of messages of which all whole blocks are compressed.
type Ends interface {
	// End returns the state of message i, the rest of the message, less than a
	// block, and its length in bytes. They stay as they are.
	End(i int) (h *block.State, rest []byte, length uint64)
}

// SumEnds sets dst[i] to the digest of message i of e, for every i.
func SumEnds(dst [][block.DigestSize]byte, e Ends) {
	g := acquire()
	for base := 0; base < len(dst); base += g.Width() {
		n := min(g.Width(), len(dst)-base)
		g.sumEnds(dst[base:base+n], base, e)
	}
	g.retire(0)
	g.release()
}

// sumEnds is SumEnds for messages base and following, at most as many as there
// are lanes.
func (g *group) sumEnds(dst [][block.DigestSize]byte, base int, e Ends) {
	// Messages whose padding takes two blocks have the first lanes, so that these
	// can go on without the others.
	var messageOf [block.MaxLanes]uint8
	two, one := 0, len(dst)
	for i := range dst {
		h, rest, length := e.End(base + i)
		lane := two
		if blocksOf(len(rest)) == 1 {
			one--
			lane = one
		} else {
			two++
		}
		messageOf[lane] = uint8(i)
		j := &g.jobs[lane]
		j.H = *h
		g.state[lane] = &j.H
		block.Pad((*[block.MaxTail]byte)(j.Scratch[:]), rest, length)
	}
	g.retire(len(dst))
	g.compressScratch(len(dst), 0, 1)
	g.retire(two)
	g.compressScratch(two, block.Size, 1)
	for lane := range dst {
		block.PutDigest(&dst[messageOf[lane]], &g.jobs[lane].H)
	}
}
