package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// writePiece generates the routine write, which compresses the blocks that a piece of a message
// completes.
func writePiece(c *Context, name string) {
	c.Function(name)
	c.Pragma("noescape")
	c.Doc(
		name+" sets h to the state after the blocks that length bytes at p complete behind n",
		"bytes of held, 1 to 63. There is at least one. The bytes left, if any, go to held, with",
		"zeros behind them. h and held are written only after all has been read.",
	)
	c.SignatureExpr("func(h *[8]uint32, held *[64]byte, n int, p *byte, length int)")
	s := newPieceStream(c, name)
	s.write()
}

func (c *pieceStream) write() {
	c.Load(c.Param("h"), c.h)
	c.Load(c.Param("held"), c.first)
	c.Load(c.Param("n"), c.before)
	c.Load(c.Param("p"), c.p)
	c.Load(c.Param("length"), c.left)
	c.begin()
	c.ADDQ(c.before, c.left)
	c.SUBQ(c.before, c.p)
	c.MOVQ(U64(1<<64-1), c.mask)
	c.SHLXQ(c.before, c.mask, c.mask)
	eachMask(c.Context, c.mask, func(i int, in Register) {
		x := c.words(i)
		c.MOVOU(Mem{Base: c.first, Disp: 16 * i}, x)
		c.VMOVDQU8(Mem{Base: c.p, Disp: 16 * i}, in, x)
		c.PSHUFB(c.order, x)
	})
	c.hasBlock()
	c.JMP(LabelRef("rounds"))

	c.Label("block")
	c.loadBlock()
	c.Label("rounds")
	c.compress()
	c.CMPQ(c.left, Imm(64))
	c.JGE(LabelRef("block"))

	c.TESTQ(c.left, c.left)
	c.JZ(LabelRef("done"))
	c.MOVQ(U64(1<<64-1), c.mask)
	c.BZHIQ(c.left, c.mask, c.mask)
	eachMask(c.Context, c.mask, func(i int, in Register) {
		c.VMOVDQU8_Z(Mem{Base: c.p, Disp: 16 * i}, in, c.words(i))
	})
	for i := range c.msg {
		c.MOVOU(c.words(i), Mem{Base: c.first, Disp: 16 * i})
	}
	c.Label("done")
	storeState(c.Context, c.shaStream, c.h)
	c.RET()
}
