package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Routines for a message that arrives in pieces. As in a maskPadder, a masked load loads the
// bytes of a piece.
//
// A load that spans two stores waits until both have reached the cache, and all instructions
// before it are retired. So what is held is loaded and stored in quarters of a block: no load
// of a kernel spans two of them.

// quarters is how many registers of 16 bytes a block takes.
const quarters = 4

// A pieceStream compresses one stream of blocks by the SHA extensions. The first block consists of
// `before` bytes at first, less than a block, and of bytes at p.
//
// Blocks are put together in the registers of the message schedule. In memory, loads of them would span
// several stores. Such loads take longer, and so do stores that cross the end of a page.
type pieceStream struct {
	*Context
	shaStream
	h, first, before, p, k GPPhysical
	left                   GPPhysical // the number of bytes that are not yet in a block
	mask                   GPPhysical // of the bytes at p
	order                  Mem
}

func newPieceStream(c *Context, name string) pieceStream {
	s := pieceStream{
		Context: c,
		h:       RSI, first: R10, before: R11, p: R8, k: RAX, left: RCX, mask: RBX,
		shaStream: shaStream{p: Mem{Base: R8}, abef: X3, cdgh: X4, halves: true},
		order:     byteOrder(c, name),
	}
	for i := range s.msg {
		s.msg[i] = vec(5 + i).AsX()
	}
	return s
}

// words is the register that holds words 4i to 4i+3 of the block.
func (s *pieceStream) words(i int) Register { return s.msg[i].(Register) }

// begin clears the upper halves of vector registers, and loads the state and the address of the
// constants. The arguments are in their registers.
func (s *pieceStream) begin() {
	s.VZEROUPPER() // as in clearUpperHalves
	s.LEAQ(kTable(s.Context, "", false), s.k)
	loadState(s.Context, s.shaStream, s.h)
}

// loadBlock loads the next block, all of which is at p.
func (s *pieceStream) loadBlock() {
	for i := range s.msg {
		s.blockWords(s.Context, i, s.words(i), s.order)
	}
	s.hasBlock()
}

// hasBlock moves p behind the block that is loaded, and subtracts it from left.
func (s *pieceStream) hasBlock() {
	s.ADDQ(Imm(64), s.p)
	s.SUBQ(Imm(64), s.left)
}

// eachMask calls f for each quarter of a block, with its part of a mask of 64 bytes in a register of
// masks.
func eachMask(c *Context, mask GPPhysical, f func(i int, in Register)) {
	for i, in := range [quarters]Register{K1, K2, K3, K4} {
		if i > 0 {
			c.SHRQ(Imm(16), mask)
		}
		c.KMOVW(mask.As32(), in)
		f(i, in)
	}
}

// compress compresses the block.
func (s *pieceStream) compress() {
	saved := [2]VecPhysical{X9, X10}
	s.MOVOA(s.abef, saved[0])
	s.MOVOA(s.cdgh, saved[1])
	rounds := s.shaStream
	rounds.load = func(int, Register) {} // the block is loaded
	for i := range 16 {
		rounds.fourRounds(s.Context, i, s.k, s.order)
	}
	s.PADDD(saved[0], s.abef)
	s.PADDD(saved[1], s.cdgh)
}

// appendPiece generates the routine append. Of the vector registers, only those that SSE does not have
// are used, so the upper halves of the others stay as they are.
func appendPiece(c *Context, name string) {
	c.Function(name)
	c.Pragma("noescape")
	c.Doc(
		name+" appends length bytes at p to the first n bytes of held. Together, these are at",
		"most a block. held is written only after all of p has been read.",
	)
	c.SignatureExpr("func(held *[64]byte, n int, p *byte, length int)")
	held, n, p, length, mask := RDI, RDX, RSI, RCX, RAX
	block := [quarters]VecPhysical{X16, X17, X18, X19}
	c.Load(c.Param("held"), held)
	c.Load(c.Param("n"), n)
	c.Load(c.Param("p"), p)
	c.Load(c.Param("length"), length)
	c.MOVQ(U64(1<<64-1), mask)
	c.BZHIQ(length, mask, mask)
	c.SHLXQ(n, mask, mask)
	c.SUBQ(n, p)
	eachMask(c, mask, func(i int, in Register) {
		c.VMOVDQU32(Mem{Base: held, Disp: 16 * i}, block[i])
		c.VMOVDQU8(Mem{Base: p, Disp: 16 * i}, in, block[i])
	})
	for i, q := range block {
		c.VMOVDQU32(q, Mem{Base: held, Disp: 16 * i})
	}
	c.RET()
}
