package lanes

import (
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// Rows are parts of a buffer that have one size and one distance: row i is the Size
// bytes of Data from i·Stride on.
type Rows struct {
	Data         []byte
	Size, Stride int
}

// SumRows sets each of the first n rows of dst to the first bytes of the SHA-256 digest
// of prefix || row i of src. The size of a row of dst is at most DigestSize. Row i of
// dst may overlap rows of src up to row i, but no row behind it.
func SumRows(dst Rows, prefix Prefix, src Rows, n int) {
	if n == 0 {
		return
	}
	if prefix.areNodes(src.Size) {
		sumNodeRows(&dst, &src, n)
		return
	}
	g := acquire()
	g.sumRows(&dst, &prefix, &src, n)
	g.release()
}

// sumRows is sumEqual for rows. They need no slices.
func (g *group) sumRows(dst *Rows, prefix *Prefix, src *Rows, n int) {
	size, stride, h := src.Size, src.Stride, prefix.H
	l := prefix.layout(size)
	whole, scratch := (l.last-l.first)/block.Size, (l.head+l.tail)/block.Size
	ends, fill := l.head > 0 || size > l.last, 1
	if ends {
		fill = min(g.maxRound(), n)
	}
	g.fill(fill, &l, prefix, src.Data[:size])
	// The end of a message begins in scratch at this offset.
	at := l.head
	if l.head == 0 {
		at = l.rest
	}
	far := isFar(n, n*size) && stride > closeBytes
	to, from := dst.Data, src.Data
	for used := 0; n > 0; {
		live := g.round(n, whole, whole+scratch)
		used = g.use(used, live)
		switch {
		case !ends && whole > 0:
			for i, row := 0, 0; i < live; i, row = i+1, row+stride {
				g.jobs[i].H = h
				g.next[i] = &from[row]
			}
		case whole == 0:
			for i, row := 0, 0; i < live; i, row = i+1, row+stride {
				j := &g.jobs[i]
				j.H = h
				copyShort(j.Scratch[at:], from[row:][:size])
			}
		default:
			for i := range live {
				m := from[i*stride:][:size]
				j := &g.jobs[i]
				j.H = h
				copyShort(j.Scratch[at:], m[l.last:])
				if l.head > 0 {
					copy(j.Scratch[l.rest:block.Size], m)
				}
				g.next[i] = unsafe.SliceData(m)
			}
		}
		if whole > 0 {
			if l.head > 0 {
				g.compressScratch(live, 0, 1)
				for i := range live {
					g.next[i] = &from[i*stride+l.first]
				}
			}
			if far && whole <= soonBlocks {
				src.fetch(from, live, n)
			}
			g.compressEqual(live, whole)
		}
		if far && (whole == 0 || whole > soonBlocks) {
			src.fetch(from, live, n)
		}
		switch {
		case !ends:
			g.compressPadding(live, scratch)
		case whole > 0:
			g.compressScratch(live, l.head, l.tail/block.Size)
		default:
			g.compressScratch(live, 0, scratch)
		}
		if dst.Size == block.DigestSize {
			for i := range live {
				block.PutDigest((*[block.DigestSize]byte)(to[i*dst.Stride:]), &g.jobs[i].H)
			}
		} else {
			for i := range live {
				var sum [block.DigestSize]byte
				block.PutDigest(&sum, &g.jobs[i].H)
				copy(to[i*dst.Stride:][:dst.Size], sum[:])
			}
		}
		if n -= live; n > 0 {
			to, from = to[live*dst.Stride:], from[live*stride:]
		}
	}
	g.retire(0)
}

// copyShort is copy of all of src. Up to 64 bytes it is faster than a call of memmove.
func copyShort(dst, src []byte) {
	const half = 32
	n := len(src)
	if n < half || n > 2*half {
		copy(dst, src)
		return
	}
	first, last := *(*[half]byte)(src), *(*[half]byte)(src[n-half:])
	*(*[half]byte)(dst) = first
	*(*[half]byte)(dst[n-half:]) = last
}

// fetch fetches the rows of data behind the first `live` rows, at most `live` rows.
// data has n rows.
func (r *Rows) fetch(data []byte, live, n int) {
	for i := live; i < min(2*live, n); i++ {
		row := [1][]byte{data[i*r.Stride:][:r.Size]}
		block.Fetch(row[:])
	}
}
