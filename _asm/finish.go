package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// finishMessage generates the routine finish, which hashes the end of a message, with its padding. The
// digest is stored by 16 bytes, so what loads 16 of them does not wait.
//
// A masked load reads no byte that the mask leaves out. But an empty piece may have an invalid address,
// or that of memory that was just written. Even a load of no byte takes long there, so an address in
// the table takes its place.
func finishMessage(c *Context, name string) {
	c.Function(name)
	c.Pragma("noescape")
	c.Doc(
		name+" stores at sum the digest of a message of length bytes. Its end is `before` bytes at",
		"first, less than a block, and n bytes at p. h is the state in front of them, at a block",
		"boundary. sum may overlap first, p or h. Nothing is stored before all has been read.",
	)
	c.SignatureExpr("func(sum *[32]byte, h *[8]uint32, first *byte, before int, p *byte, n int, length int)")
	f := finisher{
		pieceStream: newPieceStream(c, name),
		sum:         RDI, length: RDX, inFirst: R12, marker: R9, lengthOf: X11,
		markers: markerTable(c, name),
	}
	f.finish()
}

// A finisher is the registers of finishMessage.
type finisher struct {
	pieceStream
	sum, length, inFirst, marker GPPhysical  // inFirst is a mask of the bytes at first
	lengthOf                     VecPhysical // the length that ends the padding, in the low half
	markers                      Mem
}

func (c *finisher) finish() {
	c.Load(c.Param("sum"), c.sum)
	c.Load(c.Param("h"), c.h)
	c.Load(c.Param("before"), c.before)
	c.Load(c.Param("p"), c.p)
	c.Load(c.Param("n"), c.left)
	c.Load(c.Param("length"), c.length)
	c.begin()
	c.SHLQ(Imm(3), c.length)
	c.BSWAPQ(c.length)
	c.MOVQ(c.length, c.lengthOf)
	c.TESTQ(c.before, c.before)
	c.JZ(LabelRef("block"))
	c.seam()

	c.Label("block")
	c.CMPQ(c.left, Imm(64))
	c.JLT(LabelRef("end"))
	c.loadBlock()
	c.JMP(LabelRef("rounds"))

	c.Label("end")
	c.LEAQ(c.markers, c.marker)
	c.TESTQ(c.left, c.left)
	c.CMOVQEQ(c.marker, c.p)
	c.SUBQ(c.left, c.marker)
	c.MOVQ(U64(1<<64-1), c.mask)
	c.BZHIQ(c.left, c.mask, c.mask)
	eachMask(c.Context, c.mask, func(i int, in Register) {
		c.MOVOU(Mem{Base: c.marker, Disp: 16 * i}, c.words(i))
		c.VMOVDQU8(Mem{Base: c.p, Disp: 16 * i}, in, c.words(i))
	})

	// The registers have the last bytes, and 0x80 behind them. `left` becomes -2 if one more block
	// follows, for the length alone, else -1.
	last := c.words(quarters - 1)
	c.Label("padded")
	for i := range quarters - 1 {
		c.PSHUFB(c.order, c.words(i))
	}
	c.CMPQ(c.left, Imm(oneBlock))
	c.MOVQ(I32(-1), c.left)
	c.JLT(LabelRef("length"))
	c.MOVQ(I32(-2), c.left)
	c.PSHUFB(c.order, last)
	c.JMP(LabelRef("rounds"))

	c.Label("padding")
	for i := range c.msg {
		c.PXOR(c.words(i), c.words(i))
	}
	c.Label("length")
	c.PUNPCKLQDQ(c.lengthOf, last)
	c.PSHUFB(c.order, last)

	c.Label("rounds")
	c.compress()
	c.CMPQ(c.left, Imm(0))
	c.JGE(LabelRef("block"))
	c.INCQ(c.left)
	c.JNZ(LabelRef("padding"))

	for i, x := range c.shaStream.words(c.Context) {
		c.PSHUFB(c.order, x)
		c.MOVOU(x, Mem{Base: c.sum, Disp: 16 * i})
	}
	c.RET()
}

// seam loads the first block, if it is of two pieces. If they do not fill it, 0x80 follows.
func (c *finisher) seam() {
	c.Load(c.Param("first"), c.first)
	c.LEAQ(c.markers, c.marker)
	c.TESTQ(c.left, c.left)
	c.CMOVQEQ(c.marker, c.p)
	c.ADDQ(c.before, c.left)
	c.SUBQ(c.before, c.p)
	c.MOVQ(U64(1<<64-1), c.inFirst)
	c.SHLXQ(c.before, c.inFirst, c.mask)
	c.BZHIQ(c.before, c.inFirst, c.inFirst)
	c.CMPQ(c.left, Imm(64))
	c.JLT(LabelRef("seam"))
	c.pieces(func(_ int, x Register) { c.PXOR(x, x) })
	for i := range c.msg {
		c.PSHUFB(c.order, c.words(i))
	}
	c.hasBlock()
	c.JMP(LabelRef("rounds"))

	c.Label("seam")
	c.BZHIQ(c.left, c.mask, c.mask)
	c.SUBQ(c.left, c.marker)
	c.pieces(func(i int, x Register) { c.MOVOU(Mem{Base: c.marker, Disp: 16 * i}, x) })
	c.JMP(LabelRef("padded"))
}

// pieces loads the bytes of both pieces into a block that fill has filled with what follows them.
func (c *finisher) pieces(fill func(i int, x Register)) {
	for i, in := range [quarters][2]Register{{K1, K2}, {K3, K4}, {K5, K6}, {K7, K1}} {
		x := c.words(i)
		fill(i, x)
		for j, piece := range [2]struct{ mask, at GPPhysical }{{c.inFirst, c.first}, {c.mask, c.p}} {
			if i > 0 {
				c.SHRQ(Imm(16), piece.mask)
			}
			c.KMOVW(piece.mask.As32(), in[j])
			c.VMOVDQU8(Mem{Base: piece.at, Disp: 16 * i}, in[j], x)
		}
	}
}

// markerTable returns where 0x80 is in memory, with 63 zeros in front of it and 64 behind it. So the 64
// bytes that begin n bytes in front of it are zeros but for 0x80 at n.
func markerTable(c *Context, name string) Mem {
	m := c.StaticGlobal(name + "_markers")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		word := uint64(0)
		if i == 7 {
			word = 0x80 << 56
		}
		c.AddDatum(8*i, U64(word))
	}
	return m.Offset(63)
}
