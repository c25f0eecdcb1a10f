package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Routines for a message that arrives in pieces. As in a maskPadder, a masked load loads the
// bytes of a piece. Of the vector registers, only those that SSE does not have are used, so the
// upper halves of the others stay as they are.

// joinPieces generates the routine join. Blocks are stored whole: what loads a part of one need
// not wait until the store has reached the cache.
func joinPieces(c *Context, name string) {
	c.Function(name)
	c.Pragma("noescape")
	c.Doc(
		name+" appends length bytes at p to the first n bytes of held, less than a block.",
		"Together, these are one or two blocks and less than a block more. The blocks go to x. The",
		"bytes left, if any, go to held, with zeros behind them. held is written only after all has",
		"been read.",
	)
	c.SignatureExpr("func(x *byte, held *[64]byte, n int, p *byte, length int)")
	to, held, n, p, left := RDI, RBX, RCX, RSI, RDX
	ones, mask, inPiece := R8, RAX, R9
	inFront, text := Z16, Z17
	c.Load(c.Param("x"), to)
	c.Load(c.Param("held"), held)
	c.Load(c.Param("n"), n)
	c.Load(c.Param("p"), p)
	c.Load(c.Param("length"), left)
	c.MOVQ(U64(1<<64-1), ones)
	c.BZHIQ(n, ones, mask)
	c.KMOVQ(mask, K1)
	c.VMOVDQU8_Z(Mem{Base: held}, K1, inFront)
	c.SHLXQ(n, ones, inPiece)
	c.KMOVQ(inPiece, K1)
	c.SUBQ(n, p)
	c.ADDQ(n, left)
	c.VMOVDQU8_Z(Mem{Base: p}, K1, text)
	c.VPORQ(inFront, text, text)
	c.VMOVDQU64(text, Mem{Base: to})
	c.CMPQ(left, I32(2*64))
	c.JLT(LabelRef("rest"))
	c.VMOVDQU64(Mem{Base: p, Disp: 64}, text)
	c.VMOVDQU64(text, Mem{Base: to, Disp: 64})
	c.ADDQ(Imm(64), p)
	c.SUBQ(Imm(64), left)
	c.Label("rest")
	c.SUBQ(Imm(64), left)
	c.JZ(LabelRef("done"))
	c.BZHIQ(left, ones, mask)
	c.KMOVQ(mask, K1)
	c.VMOVDQU8_Z(Mem{Base: p, Disp: 64}, K1, text)
	c.VMOVDQU64(text, Mem{Base: held})
	c.Label("done")
	c.RET()
}

// copyShort generates the routine copyShort.
func copyShort(c *Context, name string) {
	c.Function(name)
	c.Pragma("noescape")
	c.Doc(name + " copies n bytes, at most a block. It reads them before it writes.")
	c.SignatureExpr("func(dst, src *byte, n int)")
	to, from, n := RDI, RSI, RCX
	c.Load(c.Param("dst"), to)
	c.Load(c.Param("src"), from)
	c.Load(c.Param("n"), n)
	c.MOVQ(U64(1<<64-1), RAX)
	c.BZHIQ(n, RAX, RAX)
	c.KMOVQ(RAX, K1)
	c.VMOVDQU8_Z(Mem{Base: from}, K1, Z16)
	c.VMOVDQU8(Z16, K1, Mem{Base: to})
	c.RET()
}
