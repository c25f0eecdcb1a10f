package rfc6962

import (
	"math/bits"
	"sync"

	"github.com/sha256-simd/sha256-simd"
)

// A Range is a tree that grows. It holds only the roots of the largest whole subtrees,
// from left to right. The zero Range is empty. Assignment copies a Range. One goroutine
// at a time may use it.
type Range struct {
	size  uint64
	peaks [64][32]byte // on each level that is a bit of size
}

const (
	// windowLeaves is the number of leaves that are appended at a time, up to the
	// level above which no whole window would fill the widest kernel.
	windowLeaves = 1024
	windowLevels = 5
)

// buffers hold the nodes of a window on one level and on the next, in turn. They
// have room for one more at the front.
type buffers struct {
	wide   [1 + windowLeaves][32]byte
	narrow [1 + windowLeaves/2][32]byte
}

var pool = sync.Pool{New: func() any { return new(buffers) }}

// Append hashes leaves side by side and adds them at the end. Above 1024 leaves it
// allocates one and a half bytes for each. A nil leaf is an empty leaf.
func (r *Range) Append(leaves [][]byte) {
	b := pool.Get().(*buffers)
	defer pool.Put(b)
	next := *r // r stays as it is if a leaf cannot be read
	wide, narrow := b.wide[:], b.narrow[:]
	if len(leaves) > windowLeaves {
		maxWide := len(leaves)>>windowLevels + 1
		wide, narrow = make([][32]byte, 1, 1+maxWide), make([][32]byte, 1+(maxWide+1)/2)
	}
	for rest := leaves; len(rest) > 0; {
		window := rest[:min(len(rest), windowLeaves)]
		rest = rest[len(window):]
		hashes := b.wide[1 : 1+len(window)]
		LeafHashes(hashes, window)
		if len(leaves) <= windowLeaves {
			next.lift(wide, narrow, hashes, next.size, 0, len(next.peaks))
		} else {
			wide = append(wide, next.lift(b.wide[:], b.narrow[:], hashes, next.size, 0, windowLevels)...)
		}
		next.size += uint64(len(window))
	}
	if len(leaves) > windowLeaves {
		next.lift(wide, narrow, wide[1:], r.size, windowLevels, len(next.peaks))
	}
	*r = next
}

// lift puts nodes, which begin at the second place of buf, at the end of a tree
// of size leaves, from level up to the level to. It returns what is on that
// level then; what has no sibling yet stays below.
func (r *Range) lift(buf, other, here [][32]byte, size uint64, level, to int) [][32]byte {
	for ; level < to && len(here) > 0; level++ {
		n := len(here)
		if size>>level&1 == 1 {
			buf[0] = r.peaks[level]
			here = buf[:1+n]
			n++
		}
		if n%2 == 1 {
			r.peaks[level] = here[n-1]
		}
		above := other[1 : 1+n/2]
		nodes(above, here[:n&^1])
		here = above
		buf, other = other, buf
	}
	return here
}

// Size returns the number of leaves.
func (r *Range) Size() uint64 { return r.size }

// Root returns the root of the tree, which is [Root] of all leaves that were
// appended.
func (r *Range) Root() [32]byte {
	if r.size == 0 {
		return sha256.Sum256(nil)
	}
	level := bits.TrailingZeros64(r.size)
	root := r.peaks[level]
	for left := r.size & (r.size - 1); left != 0; left &= left - 1 {
		root = node(r.peaks[bits.TrailingZeros64(left)], root)
	}
	return root
}
