package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Routines for a message that arrives in pieces. As in a maskPadder, a masked load loads the
// bytes of a piece. Of the vector registers, only those that SSE does not have are used, so the
// upper halves of the others stay as they are.
//
// A load that spans two stores waits until both have reached the cache, and all instructions
// before it are retired. So what is held is loaded and appended to in quarters of a block: no load
// of a kernel spans two of them.

// joinPieces generates the routine join. Blocks are stored whole: what loads a part of one need
// not wait.
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
	ones, mask := R8, RAX
	text := Z16
	c.Load(c.Param("x"), to)
	c.Load(c.Param("held"), held)
	c.Load(c.Param("n"), n)
	c.Load(c.Param("p"), p)
	c.Load(c.Param("length"), left)
	c.MOVQ(U64(1<<64-1), ones)
	c.SHLXQ(n, ones, mask)
	c.KMOVQ(mask, K1)
	c.SUBQ(n, p)
	c.ADDQ(n, left)
	c.VMOVDQU32(Mem{Base: held}, text.AsX())
	for i := 1; i < quarters; i++ {
		c.VINSERTI32X4(Imm(uint64(i)), Mem{Base: held, Disp: 16 * i}, text, text)
	}
	c.VMOVDQU8(Mem{Base: p}, K1, text)
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

// quarters is how many registers of 16 bytes a block takes.
const quarters = 4

// appendPiece generates the routine append.
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
	inPiece := [quarters]Register{K1, K2, K3, K4}
	c.Load(c.Param("held"), held)
	c.Load(c.Param("n"), n)
	c.Load(c.Param("p"), p)
	c.Load(c.Param("length"), length)
	c.MOVQ(U64(1<<64-1), mask)
	c.BZHIQ(length, mask, mask)
	c.SHLXQ(n, mask, mask)
	c.SUBQ(n, p)
	for i, q := range block {
		if i > 0 {
			c.SHRQ(Imm(16), mask)
		}
		c.KMOVW(mask.As32(), inPiece[i])
		c.VMOVDQU32(Mem{Base: held, Disp: 16 * i}, q)
		c.VMOVDQU8(Mem{Base: p, Disp: 16 * i}, inPiece[i], q)
	}
	for i, q := range block {
		c.VMOVDQU32(q, Mem{Base: held, Disp: 16 * i})
	}
	c.RET()
}
