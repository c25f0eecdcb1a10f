package lanes

import "github.com/sha256-simd/sha256-simd/internal/block"

// A Prefix precedes each of many messages.
type Prefix struct {
	H    block.State // the state after its whole blocks
	Rest []byte      // its bytes after the whole blocks, less than a block
	Len  uint64      // its length in bytes, Rest included
}

// Sum sets dst to the SHA-256 digest of p || m. dst may overlap m.
func (p *Prefix) Sum(dst *[block.DigestSize]byte, m []byte) {
	if len(m) == block.NodeSize && p.Len == 0 && p.H == block.IV256 {
		block.HashNode(dst, (*[block.NodeSize]byte)(m))
		return
	}
	length := p.Len + uint64(len(m))
	switch {
	case len(m) == 0:
		block.Finish(dst, &p.H, p.Rest, length)
	case len(p.Rest) > 0:
		block.FinishBehind(dst, &p.H, p.Rest, m, length)
	default:
		block.Finish(dst, &p.H, m, length)
	}
}

// areNodes reports whether messages of n bytes behind p can be hashed as nodes: they have
// the length of a node, no byte precedes them, and there is a kernel for nodes. A prefix
// of no bytes may have another state, restored by UnmarshalBinary.
func (p *Prefix) areNodes(n int) bool {
	return n == block.NodeSize && p.Len == 0 && p.H == block.IV256 && nodePlans.current().many != nil
}

// areWhole reports whether messages of n bytes behind p are whole blocks where they lie.
func (p *Prefix) areWhole(n int) bool { return len(p.Rest) == 0 && n%block.Size == 0 }

// A layout says where the blocks of a message behind a prefix are:
//
//   - the head, in scratch: the prefix's rest, and the bytes that complete its block;
//   - whole blocks of the message, where they lie;
//   - the tail, in scratch behind the head: the remaining bytes, and padding.
//
// If there is a rest, and it fits in the scratch together with the message, the tail has
// both, and there is no head: copying some blocks costs less than two more calls.
type layout struct {
	rest        int // bytes of the prefix in scratch
	head, tail  int // bytes of scratch
	first, last int // of the message's whole blocks
	length      uint64
}

// layout returns the layout of messages of n bytes.
func (p *Prefix) layout(n int) layout {
	if len(p.Rest) > 0 && (len(p.Rest)+n)&^(block.Size-1)+block.MaxTail <= len(Job{}.Scratch) {
		return p.together(n)
	}
	l := layout{rest: len(p.Rest), length: p.Len + uint64(n)}
	if l.rest > 0 {
		l.head, l.first = block.Size, block.Size-l.rest
	}
	l.last = l.first + (n-l.first)&^(block.Size-1)
	l.tail = block.PaddedBlocks(n-l.last) * block.Size
	return l
}

// together returns the layout of messages of n bytes whose tail has all blocks.
func (p *Prefix) together(n int) layout {
	return layout{rest: len(p.Rest), tail: block.PaddedBlocks(len(p.Rest)+n) * block.Size, length: p.Len + uint64(n)}
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
		block.PadBehind(j.Scratch[:], l.rest, m, l.length)
	}
}
